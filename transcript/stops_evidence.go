package transcript

import (
	"bytes"
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
		if c.Evidence == "" || c.Background || c.ID == "" || len(l.pending) >= maxPending {
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

// add takes a call that worked. Without the command's own words in the result
// (somebody sent them elsewhere) nothing is proved.
func (l *ledger) add(c ToolCall, result gjson.Result, r row) {
	call := EvidenceCall{Kind: c.Evidence, Time: r.pos.Time, Offset: r.pos.Offset}
	text := resultText(result)
	if c.Evidence == "status" {
		ids := checkIDs(text)
		if len(ids) == 0 {
			return
		}
		call.CheckID = ids[len(ids)-1]
		call.EndTurn = strings.Contains(c.Command, "--end-turn")
		call.EndSession = call.EndTurn && strings.Contains(c.Command, "--end-session")
	} else {
		for line := range strings.Lines(text) {
			if said, ok := strings.CutPrefix(line, c.Evidence+": "); ok {
				call.Text = strings.Clone(strings.TrimSpace(said))
			}
		}
		if call.Text == "" {
			return
		}
	}
	l.calls = append(l.calls, call)
}
