package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/stophook/stophook/transcript/shell"
)

// ErrNoPath says that the host named no transcript.
var ErrNoPath = errors.New("transcript: the host named no transcript file")

// The defaults of [Options] and the bounds that no option can exceed.
const (
	DefaultWindow    = 8 << 20   // D-32: product sizes are in binary units
	DefaultBoxWindow = 256 << 10 // TR-2, TR-13
	MaxHandoffLimit  = 30 * time.Minute
)

// Options are what the caller knows beside the file. The zero value is usable:
// defaults are filled in, and Now becomes the present time.
type Options struct {
	// Now is the clock of every age. Tests and replay set it.
	Now time.Time
	// Window is how many bytes from the end are read (default 8 MiB).
	Window int64
	// BoxWindow is how many bytes from the end are searched for status boxes
	// (default 256 KiB).
	BoxWindow int64
	// HandoffLimit is the age up to which a handoff is open, both ends included
	// (default and maximum 30 minutes, TR-9).
	HandoffLimit time.Duration
	// SessionID is the session that the host asked about; rows of another
	// session are copies of a fork and open nothing.
	SessionID string
	// LastAssistantMessage is the payload's final text; nil when it had none.
	LastAssistantMessage *string
	// Validate checks every row of the window to be whole JSON, so that BadLines
	// is exact. Without it, windows above 512 KiB count only what is cheap to
	// see and what had to be decoded. Facts do not depend on it.
	Validate bool
}

func (o Options) withDefaults() Options {
	if o.Now.IsZero() {
		o.Now = time.Now()
	}
	o.Now = o.Now.UTC()
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	if o.BoxWindow <= 0 {
		o.BoxWindow = DefaultBoxWindow
	}
	if o.HandoffLimit <= 0 || o.HandoffLimit > MaxHandoffLimit {
		o.HandoffLimit = MaxHandoffLimit
	}
	return o
}

// Read rebuilds a session from the tail of the transcript at path.
//
// The session is never nil. When the file cannot be read it is blind: no tasks,
// no handoffs, Blind says why, and the error tells a person (TR-12: whoever
// decides must then be strict about handoffs). Broken rows are no error.
// Read holds no more than its buffer, an index of the rows and single rows at a
// time, whatever the size of the file.
func Read(path string, opts Options) (*Session, error) {
	f, size, blind, err := openFile(path)
	if err != nil {
		return blindSession(path, opts.withDefaults(), blind), err
	}
	defer f.Close()
	s, err := ReadFrom(f, size, path, opts)
	if err != nil {
		return s, fmt.Errorf("transcript: %s: %w", path, err)
	}
	return s, nil
}

// ReadFrom is [Read] over size bytes of r. The first row tells whose file it is: other
// hosts' sessions are read for their turn alone (docs/hosts.md). The path is only reported, and asked
// for a session id in the form of its name.
func ReadFrom(r io.ReaderAt, size int64, path string, opts Options) (*Session, error) {
	opts = opts.withDefaults()
	if s, ok, err := openForeign(r, size, path, opts); ok {
		return s, err
	}
	w, err := openWindow(r, size, opts.Window, opts.Validate)
	if err != nil {
		blind := BlindUnreadable
		if errors.Is(err, os.ErrNotExist) {
			blind = BlindMissing
		}
		return blindSession(path, opts, blind), err
	}
	return newSession(w, path, opts), nil
}

func blindSession(path string, opts Options, reason string) *Session {
	s := &Session{Path: path, Now: opts.Now, SessionID: opts.SessionID, Blind: []string{reason},
		Tasks: []Task{}, Handoffs: []Handoff{}, Debt: Debt{Paired: []string{}, Owed: []string{}}}
	s.Turn = Turn{Origin: "unknown", Tools: []ToolCall{}, Boxes: []Box{}, FinalTextSource: "none"}
	f := fold{window: &window{}, opts: opts}
	f.finalText(&s.Turn, -1)
	f.boxes(&s.Turn)
	return s
}

// newSession runs the second pass: it decodes the few rows that the index points
// at and folds them into the model.
func newSession(w *window, path string, opts Options) *Session {
	f := fold{window: w, opts: opts, uuids: map[string]bool{}, names: map[string]string{}}
	s := &Session{Path: path, Size: w.size, WindowOffset: w.start, Now: opts.Now, Blind: []string{}}
	latest := f.latest(s)
	s.SessionID = opts.SessionID
	if s.SessionID == "" {
		if s.SessionID = fileSession(path); s.SessionID == "" {
			s.SessionID = latest
		}
	}
	f.owner = newOwnership(opts.SessionID, path, latest)
	f.receipts()
	f.endings()
	var humanAt int
	s.Turn, humanAt = f.turn()
	f.boxes(&s.Turn)
	s.Debt = f.debts(humanAt)
	s.Tasks, s.Handoffs = f.finish()
	s.Tasks = append(s.Tasks, shellSyntaxTasks(s.Turn.Tools)...)
	s.Rows, s.BadLines = w.rows, w.bad
	if w.start > 0 && !s.Turn.Complete {
		s.Blind = append(s.Blind, BlindWindowCut)
	}
	if w.dropped {
		s.Blind = append(s.Blind, BlindTooManyRows)
	}
	if w.rows > 0 && !w.known {
		s.Blind = append(s.Blind, BlindUnknownShape)
	}
	return s
}

// latest reads what only the newest conversation row can tell.
func (f *fold) latest(s *Session) (sessionID string) {
	for i := len(f.entries) - 1; i >= 0; i-- {
		e := f.entries[i]
		if e.class != classUnknown && (e.side || e.class != classUser && e.class != classAssistant) {
			continue
		}
		r, ok := f.decode(e)
		if !ok || r.sidechain() || (r.class != classUser && r.class != classAssistant) {
			continue
		}
		s.Version, s.Entrypoint = strings.Clone(r.str("version")), strings.Clone(r.str("entrypoint"))
		return strings.Clone(r.str("sessionId"))
	}
	return ""
}

// shellSyntaxTasks reports work that the turn's foreground commands left running
// by shell syntax. It has no receipt and no id of the host's, so it is named by
// its call, and nothing ever tells its end.
func shellSyntaxTasks(calls []ToolCall) []Task {
	var out []Task
	for _, c := range calls {
		if c.Background || c.Command == "" || !shellTool(c.Name) || !shell.MayBackground(c.Command) {
			continue
		}
		for _, f := range shell.Parse(c.Command, shell.Options{}).Background() {
			out = append(out, Task{ID: c.ID, Kind: KindShell, Entrance: EntranceShellSyntax, State: TaskUnknown,
				Command: f.Text, ToolName: c.Name, ToolUseID: c.ID, OpenedAt: c.At})
		}
	}
	return out
}

// Unread is a session that nobody looked at: no facts, and no blind reason.
func Unread(opts Options) *Session {
	s := blindSession("", opts.withDefaults(), "")
	s.Blind = []string{}
	return s
}
