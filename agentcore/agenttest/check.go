package agenttest

import (
	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

// sums is what events told, for holding other witnesses against it.
type sums struct {
	runs, done int
	usage      model.Usage // of all results
	before     model.Usage // of agents before the latest reopening
	told       sessiontest.Told
	prompts    int
	unseen     bool // a reader left: what came after is not known
	crashed    bool
	sizes      map[string]int64
}

func (s *sums) reset() { s.told = sessiontest.Told{} }

// event counts what the run's own agent shows.
func (s *sums) event(e agentcore.Event) {
	if e.Depth > 0 {
		return
	}
	switch e.Kind {
	case agentcore.EventPrompt:
		s.prompts++
	case agentcore.EventMessage:
		for _, b := range e.Message.Content {
			if b.Type == model.BlockText && b.Text != "" {
				s.told.Replies++
			}
		}
		for _, b := range e.Message.ToolUses() {
			s.told.Calls = append(s.told.Calls, sessiontest.Call{ID: b.ID, Name: b.Name})
		}
	case agentcore.EventToolResult:
		for i, c := range s.told.Calls {
			if c.ID == e.CallID && !c.Answered {
				s.told.Calls[i].Answered, s.told.Calls[i].Failed = true, e.IsError
				break
			}
		}
	case agentcore.EventBlocked:
		s.told.Feedback++
	case agentcore.EventResult:
		s.runs++
		s.usage = s.usage.Add(e.Result.Usage)
		switch e.Result.End {
		case agentcore.EndAborted:
			s.told.Interrupts++
		case agentcore.EndModelError, agentcore.EndContextFull:
			if e.Result.Err != nil {
				s.told.APIErrors++
			}
		}
	}
}

func (s *sums) left(left bool) {
	if left {
		s.unseen = true
		s.runs++
	}
}

// check holds events, the bus, the model and the transcript against each other.
func (st *stage) check() {
	st.t.Helper()
	s := &st.sums
	if s.crashed {
		st.checkAnswered()
		return // the events of the dead run were more than what was kept of it
	}
	if s.done != s.runs {
		st.t.Errorf("%d runs, %d ends on the bus (RT-9)", s.runs, s.done)
	}
	total, _ := st.meter.Total()
	if got := s.before.Add(st.agent.Stats().Usage); got != total {
		st.t.Errorf("the agent counts %+v, the model reported %+v (RT-8)", got, total)
	}
	if got := st.sess.Totals().Usage; got != total {
		st.t.Errorf("the session counts %+v, the model reported %+v (RT-8)", got, total)
	}
	if s.unseen {
		st.checkAnswered()
		return
	}
	if s.usage != total {
		st.t.Errorf("results count %+v, the model reported %+v (RT-8)", s.usage, total)
	}
	h := st.history()
	// What the events do not tell is taken from the transcript.
	for _, turn := range h.Turns {
		if turn.Origin != "unknown" { // an abort before the first prompt
			s.told.Turns = append(s.told.Turns, sessiontest.Turn{Origin: "human", UUID: turn.UUID})
		}
	}
	if len(s.told.Turns) != s.prompts {
		st.t.Errorf("%d prompts were shown, the transcript has %d", s.prompts, len(s.told.Turns))
	}
	for _, m := range h.Marks {
		if m.Kind == transcript.MarkStopHook {
			s.told.Summaries++
		}
	}
	if now, err := transcript.Read(st.sess.Path(), transcript.Options{}); err != nil {
		st.t.Error(err)
	} else if now.Turn.FinalTextSource != "none" {
		s.told.Final = now.Turn.FinalText
	}
	s.told.SessionID = st.sess.ID()
	sessiontest.Check(st.t, st.sess.Path(), s.told)
}

func (st *stage) history() *transcript.History {
	st.t.Helper()
	h, err := transcript.ReadHistory(st.sess.Path(), transcript.HistoryOptions{})
	st.must(err)
	return h
}

// checkAnswered wants every call of the transcript answered (RT-3).
func (st *stage) checkAnswered() {
	st.t.Helper()
	for _, c := range st.history().Calls {
		if c.Answer.Line == 0 {
			st.t.Errorf("the transcript has no result for the call %s of %s (RT-3)", c.ID, c.Name)
		}
	}
}
