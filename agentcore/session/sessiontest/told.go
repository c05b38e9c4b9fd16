package sessiontest

import (
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/transcript"
)

// Told is what the writer of a main thread was told, in order.
type Told struct {
	Turns []Turn
	Calls []Call
	Tasks []Task
	// Feedback, Interrupts, APIErrors and Summaries count rows of their kinds.
	Feedback   int // reasons of Stop hooks
	Interrupts int
	APIErrors  int
	Summaries  int // of Stop hooks
	// Replies counts rows of the agent with text.
	Replies int
	// Final is the text of the last row of the agent.
	Final string
	// BadLines counts rows that were torn and can not be read.
	BadLines int
	// Stops are the moments at which Stop hooks ran; nil: not compared.
	Stops []Stop
	// SessionID is compared when it is set.
	SessionID string
}

// Turn is a prompt, or a notification that began a turn.
type Turn struct {
	Origin string // human, notification, or the origin's kind
	UUID   string
	Copied bool // by a fork
}

// Call is one tool use of the agent.
type Call struct {
	ID, Name string
	Answered bool
	Failed   bool
}

// Task is a background task that a result's structured value is the receipt of.
type Task struct {
	ID       string
	Entrance transcript.Entrance
	Ended    bool // a notice or a TaskStop of it was recorded
}

// Handoff tells that the task defers.
func (t Task) Handoff() bool { return t.Entrance == transcript.EntranceDeliveredMessage }

// Stop is one end of a turn.
type Stop struct {
	Prompt  string // id of the prompt
	Text    string
	Blocked bool
	Active  bool // stop_hook_active
}

// TB is what Check needs of a test: a TB, or a rapid.T.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check reads the transcript at path and reports every difference. It gives what
// it read, for tests that look closer.
func Check(t TB, path string, told Told) (*transcript.Session, *transcript.History) {
	t.Helper()
	now, err := transcript.Read(path, transcript.Options{SessionID: told.SessionID, Validate: true})
	if err != nil {
		t.Fatalf("transcript.Read: %v", err)
	}
	whole, err := transcript.ReadHistory(path, transcript.HistoryOptions{})
	if err != nil {
		t.Fatalf("transcript.ReadHistory: %v", err)
	}
	stops, err := transcript.Stops(path)
	if err != nil {
		t.Fatalf("transcript.Stops: %v", err)
	}
	got := seen(now, whole)
	if told.Stops != nil {
		got.Stops = stopped(stops)
	}
	if told.SessionID != "" {
		got.SessionID = whole.SessionID
		for _, s := range stops {
			if s.SessionID != told.SessionID {
				t.Errorf("the stop at line %d is of session %s", s.Line, s.SessionID)
			}
		}
	}
	if diff := cmp.Diff(told, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-told +read):\n%s", path, diff)
	}
	checkEnd(t, told, now, whole)
	return now, whole
}

// seen is what a transcript tells, in the words of Told.
func seen(now *transcript.Session, whole *transcript.History) Told {
	got := Told{Replies: len(whole.Replies), BadLines: now.BadLines}
	for _, turn := range whole.Turns {
		if turn.Origin == "unknown" {
			continue // the file begins in the middle of a turn
		}
		got.Turns = append(got.Turns, Turn{Origin: turn.Origin, UUID: turn.UUID, Copied: turn.Copied})
	}
	for _, c := range whole.Calls {
		got.Calls = append(got.Calls, Call{ID: c.ID, Name: c.Name, Answered: c.Answer.Line > 0, Failed: c.Failed})
	}
	for _, task := range whole.Tasks {
		if task.Entrance == transcript.EntranceShellSyntax {
			continue // there is no receipt of it
		}
		got.Tasks = append(got.Tasks, Task{ID: task.ID, Entrance: task.Entrance, Ended: task.State == transcript.TaskEnded})
	}
	for _, m := range whole.Marks {
		switch m.Kind {
		case transcript.MarkFeedback:
			got.Feedback++
		case transcript.MarkInterrupt:
			got.Interrupts++
		case transcript.MarkAPIError:
			got.APIErrors++
		case transcript.MarkStopHook:
			got.Summaries++
		}
	}
	if now.Turn.FinalTextSource != "none" {
		got.Final = now.Turn.FinalText
	}
	return got
}

func stopped(stops []transcript.Stop) []Stop {
	out := []Stop{}
	for _, s := range stops {
		out = append(out, Stop{Prompt: s.PromptID, Text: s.FinalText, Blocked: s.Answer == transcript.StopBlocked, Active: s.Active})
	}
	return out
}

// checkEnd compares what is known of the end of the file with what is known of
// all of it.
func checkEnd(t TB, told Told, now *transcript.Session, whole *transcript.History) {
	t.Helper()
	// A session that has only rows of our own yet is one that readers know nothing of.
	talked := len(told.Turns)+len(told.Calls)+told.Replies+told.Feedback+told.Interrupts+told.APIErrors+told.Summaries > 0
	if talked && len(now.Blind)+len(whole.Blind) > 0 {
		t.Errorf("blind: %v, %v", now.Blind, whole.Blind)
	}
	if now.BadLines == 0 && now.Rows != whole.Rows { // ReadHistory counts a broken row as one until it looks into it
		t.Errorf("Read saw %d rows, ReadHistory %d", now.Rows, whole.Rows)
	}
	human := ""
	for _, turn := range told.Turns {
		if turn.Origin == "human" {
			human = turn.UUID
		}
	}
	if now.Turn.PromptUUID != human {
		t.Errorf("the latest prompt is %q, told was %q", now.Turn.PromptUUID, human)
	}
	if n := len(whole.Turns); n > 0 && now.Turn.ToolCalls != whole.Turns[n-1].Calls {
		t.Errorf("the turn has %d tool calls in Read, %d in ReadHistory", now.Turn.ToolCalls, whole.Turns[n-1].Calls)
	}
	handoffs := 0
	for _, task := range told.Tasks {
		if task.Handoff() {
			handoffs++
		}
	}
	if len(now.Handoffs) != handoffs || len(whole.Handoffs) != handoffs {
		t.Errorf("%d and %d handoffs, told were %d", len(now.Handoffs), len(whole.Handoffs), handoffs)
	}
}
