package transcript

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// EvidenceCall is a tool call that ran an evidence command of ours and came back
// without an error, as the transcript shows it. What the command wrote to the
// ledger is not in the file; this is what it printed.
type EvidenceCall struct {
	Kind       string    `json:"kind"`               // status, task or name
	CheckID    string    `json:"check_id,omitempty"` // of the box that status printed
	EndTurn    bool      `json:"end_turn,omitempty"` // status was the guarded check
	EndSession bool      `json:"end_session,omitempty"`
	Text       string    `json:"text,omitempty"` // the task or the name, as it was printed
	Time       time.Time `json:"time,omitzero"`  // of the result row
	Offset     int64     `json:"offset"`         // of the result row
}

// ledger collects the evidence calls of a transcript.
type ledger struct {
	*window
	calls   []EvidenceCall
	pending map[string]ToolCall // by id; results are still to come
}

// maxPending bounds the calls without a result that are remembered.
const maxPending = 256

// entry takes the next row of the main thread. line are its bytes, when the row is
// short enough to be at hand.
func (l *ledger) entry(e entry, line []byte) {
	switch {
	case e.side:
	case e.assistant() && e.tools > 0:
		if len(line) < int(e.n) || bytes.Contains(line, []byte("stophook")) {
			l.call(e)
		}
	case len(l.pending) > 0 && (e.class == classUser || e.class == classUnknown) && e.shape != shapeText:
		l.answer(e)
	}
}

func (l *ledger) call(e entry) {
	r, ok := l.decode(e)
	if !ok || !r.assistant() {
		return
	}
	for _, c := range toolCalls(r) {
		if c.Evidence == "" && len(evidenceWords(c.Command)) == 0 || c.Background || c.ID == "" || len(l.pending) >= maxPending {
			continue
		}
		if l.pending == nil {
			l.pending = map[string]ToolCall{}
		}
		l.pending[c.ID] = c
	}
}

func (l *ledger) answer(e entry) {
	if id, _, ok := l.result(e); ok && e.tools <= 1 && l.pending[id].ID == "" {
		return
	}
	r, ok := l.decode(e)
	if !ok || r.class != classUser || r.sidechain() {
		return
	}
	for _, b := range r.results() {
		id := str(b.Get("tool_use_id"))
		c, ok := l.pending[id]
		if !ok {
			continue
		}
		delete(l.pending, id)
		if !isTrue(b.Get("is_error")) {
			l.add(c, b, r)
		}
	}
}

// add takes a call that worked, with every evidence command in it. Without the
// command's own words in the result (somebody sent them elsewhere) nothing is
// proved.
func (l *ledger) add(c ToolCall, result gjson.Result, r row) {
	text := resultText(result)
	for _, kind := range evidenceWords(c.Command) {
		call := EvidenceCall{Kind: kind, Time: r.pos.Time, Offset: r.pos.Offset}
		if kind == "status" {
			ids := checkIDs(text)
			if len(ids) == 0 {
				continue
			}
			call.CheckID = ids[len(ids)-1]
			call.EndTurn = strings.Contains(c.Command, "--end-turn")
			call.EndSession = call.EndTurn && strings.Contains(c.Command, "--end-session")
		} else if call.Text = printed(text, kind); call.Text == "" {
			continue
		}
		l.calls = append(l.calls, call)
	}
}

// printed is what task or name printed: the last line that begins with its word.
func printed(text, kind string) (found string) {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, kind+": "); ok {
			found = strings.Clone(strings.TrimSpace(rest))
		}
	}
	return found
}

// evidenceWords lists the evidence commands that a command line names, each once,
// in their order: the word behind the program's name. It is text and proves
// nothing; what the commands printed does.
func evidenceWords(command string) []string {
	var words []string
	for {
		_, rest, ok := strings.Cut(command, "stophook")
		if !ok {
			return words
		}
		command = rest
		rest = strings.TrimPrefix(rest, ".exe")
		rest = strings.TrimLeft(rest, `'"`)
		args := strings.TrimLeft(rest, " \t")
		if args == rest {
			continue // the word goes on: a path, another program
		}
		end := strings.IndexFunc(args, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			end = len(args)
		}
		switch word := args[:end]; word {
		case "status", "task", "name":
			if !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
}
