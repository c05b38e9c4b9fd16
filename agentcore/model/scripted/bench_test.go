package scripted_test

import (
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

// BenchmarkModel is what one turn of a loop pays for a scripted model with Retry
// around it.
func BenchmarkModel(b *testing.B) {
	script, err := scripted.New(scripted.Script{Forget: true, Steps: []scripted.Step{{
		Always: true, Text: "Let me look.", Tools: []scripted.Tool{{Name: "shell", Input: scripted.Object(map[string]string{"command": "ls"})}},
	}}})
	if err != nil {
		b.Fatal(err)
	}
	m := model.Retry(script, model.RetryOptions{})
	req := user("go")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := model.Collect(m.Stream(b.Context(), req)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMessage_AppendJSON is what a row of a transcript pays.
func BenchmarkMessage_AppendJSON(b *testing.B) {
	m := model.Message{ID: "msg_1", Role: model.RoleAssistant, Model: "m", StopReason: model.StopToolUse, Usage: &model.Usage{}, Content: []model.Block{
		model.Text("Let me look at this."), {Type: model.BlockToolUse, ID: "toolu_1", Name: "shell", Input: []byte(`{"command":"ls -la"}`)},
	}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = m.AppendJSON(buf[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
