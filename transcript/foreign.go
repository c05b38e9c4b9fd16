package transcript

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// foreign reads the transcript of a host that is not Claude Code into the same
// [Session]: the turn, its tool calls, its texts and boxes. Tasks, handoffs and debt
// are Claude Code's alone, so there are none.
//
// Only as much of the window is read as the turn needs, from the end backwards.
type foreign struct {
	dialect dialect
	opts    Options
	session *Session
	steps   []step
	turnID  string          // of the host, while rows are read forward
	reasons map[string]bool // of blocks that the host wrote down
	row     int64           // offset of the row in hand
}

// dialect turns one row into steps.
type dialect func(f *foreign, row gjson.Result)

// stepKind says what a step is for the turn.
type stepKind uint8

const (
	stepPrompt      stepKind = iota // a person's prompt
	stepRemediation                 // a hook's reason, handed to the model as a prompt
	stepCall
	stepResult
	stepText
	stepRan // what the host reports of a command, beside the call's own result
)

// step is one thing that a row tells. Texts alias the file's bytes.
type step struct {
	kind  stepKind
	at    Position
	id    string // of the call; of the prompt: the key of its cycle
	text  string // of a text; the command of a step that ran
	call  ToolCall
	input gjson.Result
	exit  *int
	fail  bool
}

// How much of a file's first row is read to tell whose it is, and then to take from
// it what only it tells. The first is paid for every file of Claude Code's.
const (
	probeSize = 1 << 10
	headSize  = 8 << 10
)

// foreignSizes are how many bytes from the end are tried before the whole window.
var foreignSizes = [...]int64{256 << 10, 2 << 20}

// openForeign looks at the first row, and reads the file when another host wrote it.
// ok is false for Claude Code's files and for everything unknown.
func openForeign(r io.ReaderAt, size int64, path string, opts Options) (s *Session, ok bool, err error) {
	if size == 0 {
		return nil, false, nil
	}
	head := firstRow(r, min(size, probeSize))
	if dialectOf(head) == nil {
		return nil, false, nil
	}
	head = firstRow(r, min(size, headSize))
	d := dialectOf(head)
	f := foreign{dialect: d, opts: opts, reasons: map[string]bool{}}
	f.session = &Session{Path: path, Size: size, Now: opts.Now, SessionID: opts.SessionID, Blind: []string{},
		Tasks: []Task{}, Handoffs: []Handoff{}, Debt: Debt{Paired: []string{}, Owed: []string{}}}
	f.first(gjson.ParseBytes(head))
	err = f.read(r, size)
	return f.session, true, err
}

// firstRow is the first row of the file, or as much of it as n bytes hold.
func firstRow(r io.ReaderAt, n int64) []byte {
	head := make([]byte, n)
	m, _ := r.ReadAt(head, 0)
	head = head[:m]
	if i := bytes.IndexByte(head, '\n'); i > 0 && bytes.IndexByte(head[:i], ':') > 0 {
		head = head[:i]
	}
	return head
}

// dialectOf knows the first row of each host. The needles keep Claude Code's files,
// which have none of them, from being parsed here.
func dialectOf(head []byte) dialect {
	get := func(path string) gjson.Result { return gjson.GetBytes(head, path) }
	has := func(needle string) bool { return bytes.Contains(head, []byte(needle)) }
	qwen := has(`"parts"`) || has(`"systemPayload"`)
	switch {
	case !qwen && has(`"parentUuid"`): // Claude Code's envelope, which Qwen Code shares
		return nil
	case has(`"session_meta"`) && get("type").Str == "session_meta":
		return rolloutRow
	case has(`"session.start"`) && get("type").Str == "session.start":
		return copilotRow
	case has(`"projectHash"`) && get("projectHash").Exists() && get("sessionId").Exists():
		if has(`"messages"`) || !gjson.ValidBytes(head) {
			return geminiFile
		}
		return geminiRow
	case qwen && (get("message.parts").IsArray() || get("systemPayload").Exists()):
		return qwenRow
	case has(`"session_start"`) && get("type").Str == "session_start":
		return droidRow
	case has(`"role"`) && get("role").Exists() && get("message.content").Exists() && !get("type").Exists():
		return cursorRow
	}
	return nil
}

// first takes what only the first row tells; it may be cut, and gjson reads what is there.
func (f *foreign) first(row gjson.Result) {
	s := f.session
	s.Version = strings.Clone(firstOf(row, "payload.cli_version", "data.copilotVersion", "version"))
	if s.SessionID == "" {
		s.SessionID = strings.Clone(firstOf(row, "payload.session_id", "payload.id", "data.sessionId", "sessionId", "id"))
	}
	s.Entrypoint = strings.Clone(firstOf(row, "payload.originator"))
}

func firstOf(row gjson.Result, paths ...string) string {
	for _, p := range paths {
		if v := str(row.Get(p)); v != "" {
			return v
		}
	}
	return ""
}

// read takes rows from the end until the turn's prompt is among them, and folds.
func (f *foreign) read(r io.ReaderAt, size int64) error {
	window := min(size, f.opts.Window)
	for _, n := range append(slices.Clone(foreignSizes[:]), window) {
		n = min(n, window)
		if err := f.load(r, size, n); err != nil {
			return err
		}
		if n == window || f.prompted() {
			break
		}
	}
	f.fold()
	return nil
}

// prompted tells whether a person's prompt is in sight.
func (f *foreign) prompted() bool {
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.kind == stepPrompt })
}

// load parses the last n bytes, or the first row alone where the file is one value.
func (f *foreign) load(r io.ReaderAt, size, n int64) error {
	s := f.session
	s.Rows, s.BadLines, s.WindowOffset = 0, 0, size-n
	f.steps, f.turnID = f.steps[:0], ""
	buf := make([]byte, n)
	m, err := r.ReadAt(buf, size-n)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	text := alias(buf[:m])
	if s.WindowOffset > 0 {
		// The byte before the window is not known to end a row: drop up to the first newline.
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			return nil
		}
		text = text[i+1:]
		s.WindowOffset += int64(i + 1)
	}
	off := s.WindowOffset
	if off == 0 && wellFormed(strings.TrimSpace(text)) { // one value: Gemini's older files, or one row
		s.Rows, f.row = 1, 0
		f.dialect(f, gjson.Parse(text))
		return nil
	}
	for line := range strings.Lines(text) {
		f.row = off
		off += int64(len(line))
		row := strings.Trim(line, " \t\r\n\x00")
		if row == "" {
			continue
		}
		if row[0] != '{' || !wellFormed(row) {
			s.BadLines++
			continue
		}
		s.Rows++
		f.dialect(f, gjson.Parse(row))
	}
	return nil
}

// add files a step; its position is the row in hand.
func (f *foreign) add(s step, uuid string, at time.Time) {
	s.at = Position{Offset: f.row, UUID: uuid, Time: at}
	f.steps = append(f.steps, s)
}

// prompt files a user's text as what it is. key names the cycle it begins.
func (f *foreign) prompt(text, key, uuid string, at time.Time) {
	kind := stepPrompt
	if IsRemediation(text) || f.reasons[text] {
		kind = stepRemediation
	}
	f.add(step{kind: kind, id: key, text: text}, uuid, at)
}

func (f *foreign) say(text, uuid string, at time.Time) {
	if text != "" {
		f.add(step{kind: stepText, text: text}, uuid, at)
	}
}

// RemediationHeader begins every reason of a held stop, so that a transcript that
// does not mark a hook's words as such can be read.
const RemediationHeader = "This turn cannot end yet"

// IsRemediation tells our own reason from a person's prompt by its words, where the
// host writes both alike.
func IsRemediation(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, RemediationHeader) ||
		strings.HasPrefix(text, "stophook ") && strings.Contains(text, RemediationHeader)
}
