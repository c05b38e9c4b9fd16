package session

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

func TestSubagent_RT12(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "spawn")
	main := show(s.Messages())
	sub := got[*Thread](t)(s.Subagent("a1", Meta{AgentType: "explorer", Title: "look around", Model: "m-2"}))
	uuid := prompt(t, sub, "look")
	answer(t, sub, "msg_1", model.StopToolUse, use("call_1", "Bash", `{"command":"ls"}`))
	must(t, sub.ToolResults(ToolResult{CallID: "call_1", Text: "a.go"}))
	if _, err := s.Subagent("a1", Meta{}); err == nil {
		t.Error("a thread has two writers")
	} else if _, ok := errors.AsType[*LockedError](err); !ok {
		t.Errorf("error %v", err)
	}
	live := show(sub.Messages())
	must(t, sub.Close())
	for i, row := range strings.Split(strings.TrimSpace(readFile(t, s.SubagentPath("a1"))), "\n") {
		if !strings.Contains(row, `"agentId":"a1"`) || !strings.Contains(row, `"sessionId":"`+s.ID()) || i > 0 && !strings.Contains(row, `"isSidechain":true`) {
			t.Errorf("row %d: %s", i, row)
		}
	}
	s = reopen(t, s)
	again := got[*Thread](t)(s.Subagent("a1", Meta{Model: "another"}))
	defer again.Close()
	if diff := cmp.Diff(live, show(again.Messages())); diff != "" {
		t.Errorf("messages (-live +resumed):\n%s", diff)
	}
	want := Meta{ID: s.ID(), AgentID: "a1", CWD: "/work", Model: "m-2", Entrypoint: "agentcore", GitBranch: "main", Title: "look around", AgentType: "explorer"}
	if diff := cmp.Diff(want, again.Meta()); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
	if show(s.Messages()) != main {
		t.Error("the main thread has changed")
	}
	// Rows of a subagent in the main file, as older clients wrote them.
	file := readFile(t, s.SubagentPath("a1"))
	must(t, s.Close())
	must(t, os.WriteFile(s.Path(), []byte(readFile(t, s.Path())+file), 0o600))
	s = got[*Session](t)(s.store.Open(s.ID()))
	defer s.Close()
	if show(s.Messages()) != main || s.Leaf() == uuid {
		t.Errorf("messages\n%s", show(s.Messages()))
	}
}

// Subagents write at the same time, each its own thread.
func TestSubagent_sideBySide_RT12(t *testing.T) {
	s := create(t, newStore(t))
	var all sync.WaitGroup
	for _, id := range []string{"a", "b", "c"} {
		all.Go(func() {
			sub, err := s.Subagent(id, Meta{})
			if err != nil {
				t.Error(err)
				return
			}
			defer sub.Close()
			for range 20 {
				if _, err := sub.UserPrompt(Prompt{Text: id}); err != nil {
					t.Error(err)
				}
			}
			if m := sub.Messages(); len(m) != 1 || len(m[0].Content) != 20 {
				t.Errorf("%s: %d messages", id, len(m))
			}
		})
	}
	for range 20 {
		prompt(t, s.Thread, "main")
	}
	all.Wait()
}

func TestQueue_survivesAKill_RT4(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "go")
	for _, text := range []string{"one", "two", "three", "four"} {
		must(t, s.Enqueue(text))
	}
	must(t, s.Steer(Steer{Text: "three"}))
	must(t, s.Dequeue("one"))
	prompt(t, s.Thread, "one")
	for range 2 {
		if diff := cmp.Diff([]string{"two", "four"}, s.Queued()); diff != "" {
			t.Errorf("queue (-want +got):\n%s", diff)
		}
		s = reopen(t, s)
	}
	must(t, s.Dequeue("four")) // out of turn
	must(t, s.Dequeue("two"))
	if len(s.Queued()) != 0 {
		t.Errorf("queue %v", s.Queued())
	}
	now := got[*transcript.Session](t)(transcript.Read(s.Path(), transcript.Options{Validate: true}))
	if now.BadLines != 0 || now.Turn.Origin != "human" {
		t.Errorf("%+v", now)
	}
}

func TestTotals_killedRun_RT8(t *testing.T) {
	s := create(t, newStore(t))
	must(t, s.RunStart(Run{ID: "r1"}))
	prompt(t, s.Thread, "a")
	answer(t, s.Thread, "msg_1", model.StopToolUse, model.Text("x"), use("c1", "n", `{}`))
	must(t, s.RunEnd(RunEnd{ID: "r1", Usage: model.Usage{InputTokens: 100, CacheReadInputTokens: 7}, CostUSD: 1.5, ModelCalls: 2, ToolCalls: 1, Duration: time.Second}))
	must(t, s.RunStart(Run{ID: "r2"}))
	answer(t, s.Thread, "msg_2", model.StopEndTurn, model.Text("y"), model.Text("z"))
	want := Totals{Turns: 1, Runs: 2, ModelCalls: 3, ToolCalls: 1, CostUSD: 1.5,
		Usage: model.Usage{InputTokens: 110, OutputTokens: 5, CacheReadInputTokens: 7}, Unpriced: model.Usage{InputTokens: 10, OutputTokens: 5}}
	for range 2 {
		if diff := cmp.Diff(want, s.Totals()); diff != "" {
			t.Errorf("totals (-want +got):\n%s", diff)
		}
		s = reopen(t, s) // r2 was killed
	}
	must(t, s.RunStart(Run{ID: "r3"}))
	must(t, s.RunEnd(RunEnd{ID: "r3", Usage: model.Usage{InputTokens: 3}, Unpriced: model.Usage{InputTokens: 2}, CostUSD: 0.5, ModelCalls: 1}))
	want.Runs, want.ModelCalls, want.CostUSD, want.Usage.InputTokens, want.Unpriced.InputTokens = 3, 4, 2, 113, 12
	if diff := cmp.Diff(want, s.Totals()); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestRunEnd_costIsNoNumber(t *testing.T) {
	s := create(t, newStore(t))
	zero := 0.0
	if err := s.RunEnd(RunEnd{CostUSD: zero / zero}); err == nil {
		t.Error("a cost that JSON cannot hold was written")
	}
	prompt(t, s.Thread, "still works")
	if d := reopen(t, s).Damage(); d.BadRows != 0 {
		t.Errorf("%+v", d)
	}
}

func TestSetMeta(t *testing.T) {
	s := create(t, newStore(t))
	must(t, s.SetMeta(Meta{Model: "m-9", PermissionMode: "plan"}))
	prompt(t, s.Thread, "a")
	s = reopen(t, s)
	if m := s.Meta(); m.Model != "m-9" || m.PermissionMode != "plan" || m.CWD != "/work" || m.ID != s.ID() {
		t.Errorf("%+v", m)
	}
}

// A file without our own rows still says where it ran.
func TestMeta_ofRows(t *testing.T) {
	store := newStore(t)
	place(t, store, "s", []byte(`{"type":"user","cwd":"/there","message":{"content":"a"}}`+"\n"+
		`{"type":"assistant","message":{"model":"m-3","content":"b"}}`+"\n"))
	s := got[*Session](t)(store.Open("s"))
	defer s.Close()
	if m := s.Meta(); m.CWD != "/there" || m.Model != "m-3" {
		t.Errorf("%+v", m)
	}
}

func TestPromptID(t *testing.T) {
	s := create(t, newStore(t))
	if s.PromptID() != "" || s.Leaf() != "" {
		t.Error("a new session has a prompt")
	}
	got[string](t)(s.UserPrompt(Prompt{Text: "a", PromptID: "p-1"}))
	got[string](t)(s.Feedback(Feedback{Event: "SubagentStop", Reason: "r"}))
	if s.PromptID() != "p-1" {
		t.Errorf("the prompt is %q", s.PromptID())
	}
	prompt(t, s.Thread, "b")
	if id := s.PromptID(); id == "p-1" || reopen(t, s).PromptID() != id {
		t.Errorf("the prompt is %q", id)
	}
}

func TestAPIError_RT24(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "a")
	before := show(s.Messages())
	for _, cause := range []error{&model.Error{Kind: model.KindUsageLimit, Message: "used up"}, errors.New("plain")} {
		got[string](t)(s.APIError(cause))
	}
	if show(s.Messages()) != before {
		t.Error("an error is part of the conversation")
	}
	if file := readFile(t, s.Path()); !strings.Contains(file, `"error":"usage_limit"`) || !strings.Contains(file, `"error":"unknown"`) {
		t.Error(file)
	}
	if n := s.Totals().ModelCalls; n != 0 {
		t.Errorf("%d model calls", n)
	}
}

func TestToolResults_noCall_RT3(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "a")
	answer(t, s.Thread, "msg_1", model.StopToolUse, use("c1", "n", `{}`))
	for _, results := range [][]ToolResult{{{CallID: "c2"}}, {{CallID: "c1"}, {CallID: "c1"}}, {{}}} {
		err := s.ToolResults(results...)
		if _, ok := errors.AsType[*NoCallError](err); !ok {
			t.Errorf("%v: error %v", results, err)
		}
	}
	must(t, s.ToolResults(ToolResult{CallID: "c1", Blocks: []model.Block{{Type: model.BlockImage, Source: &model.ImageSource{Type: "base64", MediaType: "image/png", Data: "eA=="}}}}))
	if err := s.ToolResults(ToolResult{CallID: "c1"}); err == nil {
		t.Error("a call has two results")
	}
	if m := s.Messages(); sessiontest.Valid(m) != nil || m[2].Content[0].Content[0].Source == nil {
		t.Error(show(m))
	}
}

// A killed run's calls get their results when the next one begins, in the file
// too: the same that the model was told in between.
func TestRunStart_answersKilledCalls_RT3(t *testing.T) {
	s := create(t, newStore(t))
	must(t, s.RunStart(Run{ID: "r1"}))
	prompt(t, s.Thread, "a")
	answer(t, s.Thread, "msg_1", model.StopToolUse, use("c1", "n", `{}`), use("c2", "n", `{}`), use("c2", "n", `{}`))
	must(t, s.ToolResults(ToolResult{CallID: "c1", Text: "r"}))
	s = reopen(t, s)
	if diff := cmp.Diff([]string{"c2", "c2"}, s.Damage().Unanswered); diff != "" {
		t.Errorf("open calls (-want +got):\n%s", diff)
	}
	before := show(s.Messages())
	must(t, s.RunStart(Run{ID: "r2"}))
	for range 2 {
		if diff := cmp.Diff(before, show(s.Messages())); diff != "" {
			t.Errorf("messages (-before +after):\n%s", diff)
		}
		s = reopen(t, s)
	}
	if n := strings.Count(readFile(t, s.Path()), unansweredText+`","is_error":true`); n != 2 || len(s.Damage().Unanswered) != 0 {
		t.Errorf("%d results, %+v", n, s.Damage())
	}
	prompt(t, s.Thread, "b")
	whole := got[*transcript.History](t)(transcript.ReadHistory(s.Path(), transcript.HistoryOptions{}))
	for _, c := range whole.Calls {
		if c.Answer.Line == 0 {
			t.Errorf("%s has no result", c.ID)
		}
	}
}

// Calls that a model got wrong are answered like any other (RT-3, RT-10).
func TestToolResults_oddCalls_RT3(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "a")
	answer(t, s.Thread, "msg_1", model.StopToolUse, use("c", "n", `{}`), use("c", "n", `{"b":1}`), use("", "", ``))
	must(t, s.ToolResults(ToolResult{CallID: "c", Text: "one"}, ToolResult{CallID: "", Text: "three"}, ToolResult{CallID: "c", Text: "two"}))
	want := `u {"type":"text","text":"a"}
a {"type":"tool_use","id":"c","name":"n","input":{}}{"type":"tool_use","id":"c_2","name":"n","input":{"b":1}}{"type":"tool_use","id":"call","name":"unknown","input":{}}
u {"tool_use_id":"c","type":"tool_result","content":"one","is_error":false}{"tool_use_id":"c_2","type":"tool_result","content":"two","is_error":false}{"tool_use_id":"call","type":"tool_result","content":"three","is_error":false}
`
	for range 2 {
		if diff := cmp.Diff(want, show(s.Messages())); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		s = reopen(t, s)
	}
}

func TestSystem_isNoPartOfMessages(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "a")
	before := show(s.Messages())
	must(t, s.System("informational", "", "note"))
	must(t, s.HookMessage("Stop", "note"))
	must(t, s.HookContext(HookContext{Event: "Stop"}))
	if show(s.Messages()) != before {
		t.Error(show(s.Messages()))
	}
}
