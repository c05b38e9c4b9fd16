package transcript

import (
	"context"
	"io"
	"time"
)

// Stop is a moment at which the agent of the main thread had nothing more to do,
// so that the host called its Stop hook, or would have called one.
type Stop struct {
	// Offset is how many bytes of the file had been written: up to and including
	// the row that ends the turn. The TUI sometimes writes that row a moment after
	// it has called the hook; then the hook saw the bytes up to FinalAt, and the
	// text in its payload.
	Offset  int64 `json:"offset"`
	FinalAt int64 `json:"final_at"` // offset of the first row of the final message
	Line    int   `json:"line"`     // of the final row, from 1
	// UUID is the final row's, empty when it has none.
	UUID string `json:"uuid,omitempty"`
	// Time is the final row's, else the latest time known before it; zero when the
	// file tells none.
	Time time.Time `json:"time,omitzero"`
	// FinalText is what the host would send as last_assistant_message: the text of
	// the final row. Empty when it has none.
	FinalText string `json:"final_text"`
	// Active is stop_hook_active: the turn goes on because a hook held it.
	Active bool `json:"stop_hook_active"`
	// Answer is what the host recorded of the hooks that it called.
	Answer StopAnswer `json:"answer,omitempty"`
	// Reason is what the hooks said when they held the turn; several are joined
	// with newlines.
	Reason string `json:"reason,omitempty"`
	// Sign is how the file shows that the turn ended here.
	Sign StopSign `json:"sign"`

	SessionID string `json:"session_id,omitempty"` // of the final row
	PromptID  string `json:"prompt_id,omitempty"`  // the host's key of the prompt that is worked on
	CWD       string `json:"cwd,omitempty"`
}

// StopAnswer is what a transcript says became of a stop; empty when no hook left
// a row.
type StopAnswer string

// The answers. A hook that failed or was not understood let the turn end, so it
// counts as passed.
const (
	StopPassed  StopAnswer = "passed"
	StopBlocked StopAnswer = "blocked"
)

// StopSign is what proves a stop.
type StopSign string

// The signs, the strongest first.
const (
	SignHook         StopSign = "hook"          // rows of a Stop hook
	SignTurnDuration StopSign = "turn_duration" // the host's own note of the turn's end
	SignPrompt       StopSign = "prompt"        // a person, or the host for another reason, began a new turn
	SignNotification StopSign = "notification"  // a notification began a new turn
	SignEnd          StopSign = "end"           // nothing follows; the message itself is complete
)

// Walked is what a walk over a whole transcript saw beside the stops.
type Walked struct {
	Lines int // newline-terminated lines, and a last one without newline
	Rows  int // JSON objects
	Bad   int // lines that are none, as far as that is cheap to see
	// Main and Sidechain count the conversation rows of the main thread and those
	// of subagents.
	Main, Sidechain int
	// Copied counts stops that a fork copied from another session; they are no
	// stops of this one and are not reported.
	Copied int
	// Old is set when the file was left unread: see WalkOptions.Since.
	Old bool
}

// WalkOptions are what [Walk] needs to know; the zero value is usable.
type WalkOptions struct {
	// Window is the largest Options.Window that Moment.Session will be asked for
	// (default 8 MiB). A larger one is answered as well, only slower.
	Window int64
	// Since, when set, leaves a transcript unread whose last rows are more than an
	// hour older.
	Since time.Time
	// Progress, when set, is told the bytes read since it was called last.
	Progress func(n int64)
}

// Stops lists the stops of the transcript at path, in order.
//
// A stop is an assistant message of the main thread that calls no tool and that
// the host did not go on from by itself. No stops are: messages that the user
// interrupted, the host's API errors (those are StopFailure events) and synthetic
// messages, rows of subagents, a message that is torn off by the end of the file,
// and rows that a fork copied. A stop on a branch that the user rewound later did
// happen and is listed.
//
// The error is that of reading the file; content is never one.
func Stops(path string) ([]Stop, error) {
	f, size, _, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var stops []Stop
	_, err = Walk(context.Background(), f, size, path, WalkOptions{}, func(s *Stop, _ *Moment) error {
		stops = append(stops, *s)
		return nil
	})
	return stops, err
}

// Walk reads size bytes of r once and calls each for every stop, in order, with
// the means to read the session as it was then. An error of each ends the walk and
// is returned, as is one of reading, and that of ctx. The path is only asked for a
// session id in the form of its name. Memory is bounded by the window (see
// [WalkOptions]) and one huge row, whatever the size of the file.
func Walk(ctx context.Context, r io.ReaderAt, size int64, path string, opts WalkOptions, each func(*Stop, *Moment) error) (Walked, error) {
	t := newTape(r, size, path, opts, each)
	err := t.run(ctx)
	return t.seen, err
}

// Moment is a transcript as it was at one stop. It is only good until the func
// that got it returns, and not safe for concurrent use.
type Moment struct {
	tape *tape
	stop *Stop
}

// Session is what [ReadFrom] would have returned over the bytes before the stop's
// offset. It answers from what the walk has read already where that is the same.
func (m *Moment) Session(opts Options) (*Session, error) {
	t := m.tape
	opts = opts.withDefaults()
	if w := t.view(m.stop.Offset, opts); w != nil {
		return newSession(w, t.path, opts), nil
	}
	return ReadFrom(t.r, m.stop.Offset, t.path, opts)
}

// Evidence lists the evidence commands of the whole session up to the stop that
// the transcript shows to have worked, in order. The list grows from stop to stop
// and must not be changed.
func (m *Moment) Evidence() []EvidenceCall {
	calls := m.tape.ledger.calls
	for len(calls) > 0 && calls[len(calls)-1].Offset >= m.stop.Offset {
		calls = calls[:len(calls)-1]
	}
	return calls
}
