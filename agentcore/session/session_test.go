package session

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

// record makes a session in which everything happens once.
func record(t testing.TB, store *Store) *Session {
	t.Helper()
	s := create(t, store)
	must(t, s.RunStart(Run{ID: "run-1", Model: "m-1"}))
	prompt(t, s.Thread, "do <it> & \"more\"")
	must(t, s.HookContext(HookContext{Event: "UserPromptSubmit", Texts: []string{"be brief"}}))
	answer(t, s.Thread, "msg_1", model.StopToolUse,
		model.Block{Type: model.BlockThinking, Thinking: "hm", Signature: "sig"},
		model.Text("I look."),
		use("call_1", "Bash", `{"command":"sleep 9","run_in_background":true}`),
		use("call_2", "read_file", `{"file_path":"a.go"}`))
	must(t, s.ToolResults(
		ToolResult{CallID: "call_2", Text: "no such file", IsError: true},
		ToolResult{CallID: "call_1", Text: "Command running in background with ID: b1", Structured: map[string]any{"stdout": "", "backgroundTaskId": "b1"}}))
	must(t, s.Enqueue("hurry"))
	must(t, s.Steer(Steer{Text: "hurry"}))
	answer(t, s.Thread, "msg_2", model.StopEndTurn, model.Text("done"))
	got[string](t)(s.Feedback(Feedback{Reason: "run the tests", Hooks: []HookError{{Command: "gate", Text: "run the tests"}}}))
	must(t, s.StopHookSummary(StopHookSummary{Hooks: []HookInfo{{Command: "gate", Duration: 7 * time.Millisecond}}, Errors: []string{"run the tests"}}))
	answer(t, s.Thread, "msg_3", model.StopEndTurn, model.Text("tests pass"))
	must(t, s.HookMessage("Stop", "well done"))
	must(t, s.StopHookSummary(StopHookSummary{Hooks: []HookInfo{{Command: "gate"}}}))
	must(t, s.RunEnd(RunEnd{ID: "run-1", Model: "m-1", StopReason: "end_turn", Usage: model.Usage{InputTokens: 30, OutputTokens: 20},
		CostUSD: 0.25, ModelCalls: 3, ToolCalls: 2, Duration: time.Minute}))
	must(t, s.Title("A title"))
	return s
}

const recorded = `u {"type":"text","text":"do <it> & \"more\""}{"type":"text","text":"<system-reminder>\nUserPromptSubmit hook additional context: be brief\n</system-reminder>"}
a {"type":"thinking","thinking":"hm","signature":"sig"}{"type":"text","text":"I look."}{"type":"tool_use","id":"call_1","name":"Bash","input":{"command":"sleep 9","run_in_background":true}}{"type":"tool_use","id":"call_2","name":"read_file","input":{"file_path":"a.go"}}
u {"tool_use_id":"call_1","type":"tool_result","content":"Command running in background with ID: b1","is_error":false}{"tool_use_id":"call_2","type":"tool_result","content":"no such file","is_error":true}{"type":"text","text":"hurry"}
a {"type":"text","text":"done"}
u {"type":"text","text":"Stop hook feedback:\nrun the tests"}
a {"type":"text","text":"tests pass"}
`

func TestMessages_RT42(t *testing.T) {
	s := record(t, newStore(t))
	for _, s := range []*Session{s, reopen(t, s)} {
		if diff := cmp.Diff(recorded, show(s.Messages())); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		want := Totals{Turns: 1, Runs: 1, ModelCalls: 3, ToolCalls: 2, Usage: model.Usage{InputTokens: 30, OutputTokens: 20}, CostUSD: 0.25}
		if diff := cmp.Diff(want, s.Totals()); diff != "" {
			t.Errorf("totals (-want +got):\n%s", diff)
		}
		m := s.Meta()
		if m.Title != "A title" || m.CWD != "/work" || m.Model != "m-1" || m.Entrypoint != "agentcore" {
			t.Errorf("meta: %+v", m)
		}
		if d := s.Damage(); d.BadRows != 0 || d.Torn || len(d.Unanswered) != 0 {
			t.Errorf("damage: %+v", d)
		}
	}
}

func TestRows_golden(t *testing.T) {
	s := record(t, newStore(t))
	rows := readFile(t, s.Path())
	golden := filepath.Join("testdata", "rows.jsonl")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(golden, []byte(rows), 0o644))
	}
	if diff := cmp.Diff(strings.Split(readFile(t, golden), "\n"), strings.Split(rows, "\n")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits")
	}
	s := record(t, newStore(t))
	sub := got[*Thread](t)(s.Subagent("a1", Meta{}))
	defer sub.Close()
	err := filepath.Walk(s.store.Root(), func(path string, info os.FileInfo, err error) error {
		must(t, err)
		if path != s.store.Root() && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	must(t, err)
}
