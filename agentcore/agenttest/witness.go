package agenttest

import (
	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

// Witness remembers what the events of a session's own agent told, over all its runs,
// and holds the session against it. The zero value is ready. It belongs to the
// goroutine that reads the events.
type Witness struct {
	Runs  int         // that gave a result
	Usage model.Usage // of all results

	told    sessiontest.Told
	prompts int
	open    []model.Block // calls that have no result yet, in order
}

// Event takes the next event. Those of subagents count for nothing: their parent's
// result has their sums. It reports results that do not come in the order of the calls
// (RT-2), or twice, or not at all (RT-3).
func (w *Witness) Event(t sessiontest.TB, e agentcore.Event) {
	t.Helper()
	if e.Depth > 0 {
		return
	}
	switch e.Kind {
	case agentcore.EventPrompt:
		w.prompts++
	case agentcore.EventMessage:
		w.message(t, e.Message)
	case agentcore.EventToolResult:
		if len(w.open) == 0 || w.open[0].ID != e.CallID {
			t.Errorf("a result for %s, open are %v (RT-2, RT-3)", e.CallID, w.open)
			return
		}
		w.open = w.open[1:]
		c := &w.told.Calls[len(w.told.Calls)-1-len(w.open)]
		c.Answered, c.Failed = true, e.IsError
	case agentcore.EventBlocked:
		w.told.Feedback++
	case agentcore.EventResult:
		w.result(t, e.Result)
	}
}

func (w *Witness) message(t sessiontest.TB, m *model.Message) {
	t.Helper()
	w.answered(t)
	for _, b := range m.Content {
		if b.Type == model.BlockText && b.Text != "" {
			w.told.Replies++
		}
	}
	w.open = m.ToolUses()
	for _, b := range w.open {
		w.told.Calls = append(w.told.Calls, sessiontest.Call{ID: b.ID, Name: b.Name})
	}
}

func (w *Witness) result(t sessiontest.TB, res *agentcore.Result) {
	t.Helper()
	w.answered(t)
	w.Runs++
	w.Usage = w.Usage.Add(res.Usage)
	switch res.End {
	case agentcore.EndAborted:
		w.told.Interrupts++
	case agentcore.EndModelError, agentcore.EndContextFull:
		if res.Err != nil {
			w.told.APIErrors++
		}
	}
}

func (w *Witness) answered(t sessiontest.TB) {
	t.Helper()
	if len(w.open) > 0 {
		t.Errorf("no results were shown for %v (RT-3)", w.open)
		w.open = nil
	}
}

// Forget says that no more events of the present run will come: its reader left.
func (w *Witness) Forget() { w.open = nil }

// Check holds the session, and what package transcript reads in it, against the
// events: calls and their outcome, prompts, replies, blocks, aborts, errors (AC-182).
// What no event tells, such as ids of rows, is taken from the transcript.
func (w *Witness) Check(t sessiontest.TB, s *session.Session) {
	t.Helper()
	if err := sessiontest.Valid(s.Messages()); err != nil {
		t.Errorf("the conversation: %v (RT-42)", err)
	}
	h, err := transcript.ReadHistory(s.Path(), transcript.HistoryOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	told := w.told
	if w.Runs > 0 { // else readers know nothing of the session yet
		told.SessionID = s.ID()
	}
	for _, turn := range h.Turns {
		if turn.Origin != "unknown" { // an abort before the first prompt
			told.Turns = append(told.Turns, sessiontest.Turn{Origin: "human", UUID: turn.UUID})
		}
	}
	if len(told.Turns) != w.prompts {
		t.Errorf("%d prompts were shown, the transcript has %d", w.prompts, len(told.Turns))
	}
	for _, m := range h.Marks {
		if m.Kind == transcript.MarkStopHook {
			told.Summaries++
		}
	}
	now, err := transcript.Read(s.Path(), transcript.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	if now.Turn.FinalTextSource != "none" {
		told.Final = now.Turn.FinalText
	}
	sessiontest.Check(t, s.Path(), told)
}

// CheckAnswered wants every call in the transcript answered (RT-3): for sessions whose
// events were not seen to their end.
func CheckAnswered(t sessiontest.TB, s *session.Session) {
	t.Helper()
	if err := sessiontest.Valid(s.Messages()); err != nil {
		t.Errorf("the conversation: %v (RT-42)", err)
	}
	h, err := transcript.ReadHistory(s.Path(), transcript.HistoryOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, c := range h.Calls {
		if c.Answer.Line == 0 {
			t.Errorf("the transcript has no result for the call %s of %s (RT-3)", c.ID, c.Name)
		}
	}
}
