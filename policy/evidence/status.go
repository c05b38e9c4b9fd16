package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Errors of the agent's commands.
var (
	ErrEmptyText            = errors.New("the text is empty: say in a few words what it is")
	ErrEndSessionWithoutEnd = errors.New("--end-session needs --end-turn: only a checked turn can be a session's last")
)

const maxTextRunes = 200

// StatusRequest asks for a status check.
type StatusRequest struct {
	Dir string // the folder to check; also the event's cwd
	// RequireFinal makes a check with EndTurn refuse while the Git report is not
	// final (config require_git_finalization).
	RequireFinal bool
	EndTurn      bool // the guarded check that a Stop demands
	EndSession   bool // also ask that a passing stop ends the session; needs EndTurn
	PromptID     string
	Git          GitOptions
}

// StatusResult is the outcome of a status check.
type StatusResult struct {
	// Refused means that nothing was written because Git work is not final. The
	// command must exit 1 (requirements 2C).
	Refused bool
	CheckID string    // empty when refused
	At      time.Time // of the event
	Kind    Kind      // of the event: EndTurnChecked or StatusObserved
	Git     GitReport
	Box     Box
	// Text is what to print: the box, or the refusal with what to do.
	Text string
}

// Status checks and writes the evidence (PO-1, PO-2): end_turn_checked with
// EndTurn, else status_observed, under a fresh check id, and with EndSession a
// session_end_requested behind it in the same write. The guarded check refuses,
// writing nothing, while Git finalization is required and missing; looking
// without EndTurn never refuses, since it proves nothing to a Stop.
func (s *Session) Status(ctx context.Context, req StatusRequest) (StatusResult, error) {
	if req.EndSession && !req.EndTurn {
		return StatusResult{}, ErrEndSessionWithoutEnd
	}
	report, err := CheckGit(ctx, req.Dir, req.Git)
	if err != nil {
		return StatusResult{}, err
	}
	res := StatusResult{Git: report}
	if req.EndTurn && req.RequireFinal && !report.Final() {
		res.Refused = true
		res.Text = report.Refusal() + "No check was recorded. Do the above, then run this command again."
		return res, nil
	}
	log, err := s.Events()
	if err != nil {
		return StatusResult{}, fmt.Errorf("read the evidence of this session: %w", err)
	}
	res.CheckID, res.Kind = NewCheckID(s.store.Rand), StatusObserved
	if req.EndTurn {
		res.Kind = EndTurnChecked
	}
	events := []Event{{Kind: res.Kind, CheckID: res.CheckID, PromptID: req.PromptID, Cwd: req.Dir, Git: report.EventJSON()}}
	if req.EndSession {
		events = append(events, Event{Kind: SessionEndRequested, CheckID: res.CheckID, PromptID: req.PromptID, Cwd: req.Dir})
	}
	written, err := s.append(ctx, events)
	if err != nil {
		return StatusResult{}, fmt.Errorf("record the status check: %w", err)
	}
	res.At = written[0].TS
	task, _ := log.Last(TaskDeclared, time.Time{})
	name, _ := log.Last(SessionNamed, time.Time{})
	res.Box = Box{CheckID: res.CheckID, Session: s.id, Task: task.Text, Name: name.Text, Git: report.Summary(), At: res.At}
	res.Text = res.Box.String()
	return res, nil
}

// DeclareTask records what the session works on and returns the event as
// written. The text becomes one line of at most 200 characters; a longer one is
// cut with an ellipsis, an empty one is [ErrEmptyText].
func (s *Session) DeclareTask(ctx context.Context, text string) (Event, error) {
	return s.say(ctx, TaskDeclared, text)
}

// NameSession records the session's name, with the same rules as DeclareTask.
func (s *Session) NameSession(ctx context.Context, name string) (Event, error) {
	return s.say(ctx, SessionNamed, name)
}

func (s *Session) say(ctx context.Context, kind Kind, text string) (Event, error) {
	text = oneLine(text)
	if strings.TrimSpace(printable(text)) == "" {
		return Event{}, ErrEmptyText
	}
	written, err := s.append(ctx, []Event{{Kind: kind, Text: text}})
	if err != nil {
		return Event{}, fmt.Errorf("record %s: %w", kind, err)
	}
	return written[0], nil
}

// oneLine drops control characters and what steers the display (but the joiners
// that Persian, Hindi and emoji spell with), joins lines and runs of space with
// single spaces, and cuts to maxTextRunes.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxTextRunes {
		return strings.TrimSpace(string(runes[:maxTextRunes-1])) + "…"
	}
	return text
}
