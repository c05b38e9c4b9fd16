package session_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

func open(t *testing.T) *session.Session {
	t.Helper()
	store, err := session.NewStore(session.Options{Root: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: "/work", Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func say(t *testing.T, s *session.Session, stop model.StopReason, blocks ...model.Block) {
	t.Helper()
	must[string](t)(s.Assistant(&model.Message{Model: "m", Content: blocks, StopReason: stop}, ""))
}

func bash(id, command string) model.Block {
	return model.Block{Type: model.BlockToolUse, ID: id, Name: "Bash", Input: []byte(`{"command":"` + command + `"}`)}
}

func done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A handoff, a task that was asked for, a block and a notification: what a gate
// reads is what happened (AC-182).
func TestOracle_AC182(t *testing.T) {
	s := open(t)
	told := sessiontest.Told{SessionID: s.ID()}
	first := must[string](t)(s.UserPrompt(session.Prompt{Text: "start", PromptID: "p-1"}))
	say(t, s, model.StopToolUse, bash("c1", "make watch"), bash("c2", "make serve"), bash("c3", "make"))
	done(t, s.ToolResults(
		session.ToolResult{CallID: "c1", Text: "moved", Structured: map[string]any{"stdout": "", "backgroundTaskId": "b1", "backgroundedToDeliverMessage": true}},
		session.ToolResult{CallID: "c2", Text: "started", Structured: map[string]any{"backgroundTaskId": "b2"}},
		session.ToolResult{CallID: "c3", Text: "Exit code 2", IsError: true}))
	done(t, s.Steer(session.Steer{Text: "how is it going?"}))
	say(t, s, model.StopEndTurn, model.Text("It runs."))
	must[string](t)(s.Feedback(session.Feedback{Reason: "say more", Hooks: []session.HookError{{Command: "gate", Text: "say more"}}}))
	done(t, s.StopHookSummary(session.StopHookSummary{Hooks: []session.HookInfo{{Command: "gate"}}, Errors: []string{"say more"}}))
	say(t, s, model.StopEndTurn, model.Text("It runs well."))
	done(t, s.StopHookSummary(session.StopHookSummary{Hooks: []session.HookInfo{{Command: "gate"}}}))
	notice := "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>c1</tool-use-id>\n<status>completed</status>\n<summary>done</summary>\n</task-notification>"
	done(t, s.Enqueue(notice))
	done(t, s.Dequeue(notice))
	second := must[string](t)(s.UserRow(session.UserRow{Text: notice, Origin: session.Origin{Kind: session.OriginNotification, Producer: "session-task", RunID: "r1"}}))
	say(t, s, model.StopEndTurn, model.Text("It is done."))
	must[string](t)(s.Interrupted(false))
	must[string](t)(s.APIError(&model.Error{Kind: model.KindOverloaded, Message: "busy"}))

	told.Turns = []sessiontest.Turn{{Origin: "human", UUID: first}, {Origin: "notification", UUID: second}}
	told.Calls = []sessiontest.Call{{ID: "c1", Name: "Bash", Answered: true}, {ID: "c2", Name: "Bash", Answered: true}, {ID: "c3", Name: "Bash", Answered: true, Failed: true}}
	told.Tasks = []sessiontest.Task{{ID: "b1", Entrance: transcript.EntranceDeliveredMessage, Ended: true}, {ID: "b2", Entrance: transcript.EntranceRequested}}
	told.Feedback, told.Summaries, told.Interrupts, told.APIErrors, told.Replies = 1, 2, 1, 1, 3
	told.Final = "API Error: " + (&model.Error{Kind: model.KindOverloaded, Message: "busy"}).Error()
	told.Stops = []sessiontest.Stop{
		{Prompt: "p-1", Text: "It runs.", Blocked: true},
		{Prompt: "p-1", Text: "It runs well.", Active: true},
	}
	now, _ := sessiontest.Check(t, s.Path(), told)
	if h := now.Handoffs; len(h) != 1 || h[0].State.Ended != transcript.HandoffClosed || h[0].Command != "make watch" {
		t.Errorf("handoffs: %+v", h)
	}
	if now.Entrypoint != "agentcore" || now.Version != "agentcore" {
		t.Errorf("entrypoint %q, version %q", now.Entrypoint, now.Version)
	}
	if err := sessiontest.Valid(s.Messages()); err != nil {
		t.Error(err)
	}
}

// Readers look at the first bytes of a row and search for a few words in the
// rest: neither long folders nor long results, nor words in them, mislead them.
func TestOracle_longRows_AC182(t *testing.T) {
	store, err := session.NewStore(session.Options{Root: t.TempDir()})
	done(t, err)
	s, err := store.Create(session.Meta{CWD: "/" + strings.Repeat("folder/", 400), GitBranch: strings.Repeat("b", 300)})
	done(t, err)
	defer s.Close()
	told := sessiontest.Told{SessionID: s.ID()}
	bait := strings.Repeat(`{"type":"user","toolUseResult":{"backgroundTaskId":"x","backgroundedToDeliverMessage":true},"isSidechain":true} (ID: y) in the background `, 700)
	for i := range 5 {
		id := fmt.Sprint("c", i)
		uuid := must[string](t)(s.UserPrompt(session.Prompt{Text: bait, PromptID: "p-" + id}))
		say(t, s, model.StopToolUse, model.Text(bait), bash(id, "make"))
		r := session.ToolResult{CallID: id, Text: bait, IsError: i%2 == 1, Structured: map[string]any{"stdout": bait, "stderr": bait}}
		if i == 3 {
			r.Structured = map[string]any{"stdout": bait, "backgroundTaskId": "b3", "backgroundedToDeliverMessage": true}
			told.Tasks = []sessiontest.Task{{ID: "b3", Entrance: transcript.EntranceDeliveredMessage}}
		}
		done(t, s.ToolResults(r))
		say(t, s, model.StopEndTurn, model.Text(bait))
		done(t, s.StopHookSummary(session.StopHookSummary{Errors: []string{bait}}))
		told.Turns = append(told.Turns, sessiontest.Turn{Origin: "human", UUID: uuid})
		told.Calls = append(told.Calls, sessiontest.Call{ID: id, Name: "Bash", Answered: true, Failed: i%2 == 1})
		told.Stops = append(told.Stops, sessiontest.Stop{Prompt: "p-" + id, Text: bait})
	}
	told.Replies, told.Summaries, told.Final = 10, 5, bait
	sessiontest.Check(t, s.Path(), told)
}
