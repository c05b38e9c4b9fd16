package decisionlog

import (
	"encoding/json"
	"strings"
	"testing"
)

func BenchmarkAppend(b *testing.B) {
	w := fixedWriter(b)
	w.Masks = []Mask{{Op: OpRemove, Path: "/input/hook/last_assistant_message"}}
	e := Event{Input: largeInput(), Result: map[string]any{"verdict": "allow", "code": "stop-hook.pass"}}
	data, _ := json.Marshal(e.Input)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := w.Append(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	w := fixedWriter(b)
	e := Event{Input: largeInput()}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.encode(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRedactClean(b *testing.B) {
	s := strings.Repeat("The build passes; see cmd/stophook/main.go:42 and --json output_file=x. ", 600)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if Redact(s) != s {
			b.Fatal("not clean")
		}
	}
}
