package policy

import (
	"context"
	"testing"
	"testing/fstest"
)

// BenchmarkNewEngine is what every start of the hook pays before it can decide.
func BenchmarkNewEngine(b *testing.B) {
	overlay := []Layer{{Name: "project", FS: fstest.MapFS{"changelog.rego": {Data: []byte(changelogRule)}}}}
	for _, bc := range []struct {
		name string
		opts EngineOptions
	}{
		{"builtin_Stop", EngineOptions{Event: "Stop"}},
		{"builtin_PreToolUse", EngineOptions{Event: "PreToolUse"}},
		{"builtin_from_sources", EngineOptions{Event: "Stop", fromSources: true}},
		{"overlay", EngineOptions{Event: "Stop", Layers: overlay}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewEngine(context.Background(), bc.opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDecide is one evaluation, conversion of input and decision included.
func BenchmarkDecide(b *testing.B) {
	for _, bc := range []struct {
		name string
		in   map[string]any
	}{
		{"block_all", testInput()},
		{"pass", testInput(paid)},
		{"defer", testInput(paid, without("status_check"), without("status_box"), handoff("b1", 60))},
		{"prose", testInput(prose)},
		{"not_main_thread", testInput(event("SubagentStop"))},
	} {
		b.Run(bc.name, func(b *testing.B) {
			e, err := NewEngine(context.Background(), EngineOptions{Event: inputEvent(bc.in)})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Decide(context.Background(), bc.in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
