package transcript

import (
	"cmp"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// historian walks all rows once, oldest first, and keeps what a timeline needs.
type historian struct {
	*fold
	opts   HistoryOptions
	out    *History
	calls  map[string]int // tool-use id to index in out.Calls, until it is answered
	agents map[string]int // subagent id to index in out.Subagents
	syntax []Task         // work left running by shell syntax, of all turns
}

// walk looks at every row of the index. Rows of tens of megabytes are answers of
// tools; what they say is not worth holding them.
func (b *historian) walk() {
	b.out.Turns, b.out.Calls, b.out.Replies = []HistoryTurn{}, []HistoryCall{}, []HistoryText{}
	b.out.Notices, b.out.Marks, b.out.Subagents = []HistoryNotice{}, []HistoryMark{}, []HistorySubagent{}
	for i, e := range b.entries {
		if e.n > maxHistoryRow || !b.wanted(e) {
			continue
		}
		r, ok := b.decode(e)
		if !ok {
			continue
		}
		b.span(r.pos.Time)
		if r.sidechain() {
			b.subagent(r)
			continue
		}
		switch r.class {
		case classUser:
			b.user(i, r)
		case classAssistant:
			b.assistant(r)
		case classSystem:
			b.system(i, r)
		case classQueue, classAttach:
			if e.flags&flagNotice != 0 {
				b.notices(i, r, false)
			}
		}
	}
}

// wanted spares the decode of rows that can add nothing.
func (b *historian) wanted(e entry) bool {
	switch e.class {
	case classUnknown, classUser, classAssistant, classSystem:
		return true
	case classQueue, classAttach:
		return e.flags&flagNotice != 0
	}
	return false
}

// span widens the time that the history covers.
func (b *historian) span(t time.Time) {
	if t.IsZero() {
		return
	}
	if b.out.From.IsZero() || t.Before(b.out.From) {
		b.out.From = t
	}
	if t.After(b.out.To) {
		b.out.To = t
	}
}

func at(p Position) At { return At{Offset: p.Offset, Time: p.Time} }

// turn returns the present turn, one of unknown origin when the file began
// without a prompt.
func (b *historian) turn(r row) (*HistoryTurn, int) {
	if len(b.out.Turns) == 0 {
		b.out.Turns = append(b.out.Turns, HistoryTurn{At: at(r.pos), End: at(r.pos), Origin: "unknown"})
	}
	n := len(b.out.Turns) - 1
	return &b.out.Turns[n], n
}

// extend lets a row be the latest of its turn. Its time only moves forward: the
// host's clock does not always (claude-code section 2).
func (b *historian) extend(r row) (*HistoryTurn, int) {
	t, n := b.turn(r)
	end := at(r.pos)
	if end.Time.Before(t.End.Time) {
		end.Time = t.End.Time
	}
	t.End = end
	return t, n
}

func (b *historian) user(i int, r row) {
	switch s := startOf(r); s {
	case startHuman, startNotification, startOther:
		if s == startNotification {
			b.notices(i, r, true)
		}
		if b.out.Cwd == "" {
			b.out.Cwd = excerpt(r.str("cwd"), b.opts.Excerpt)
		}
		b.out.Turns = append(b.out.Turns, HistoryTurn{At: at(r.pos), End: at(r.pos), Origin: excerpt(originOf(r, s), b.opts.Excerpt),
			Text: excerpt(r.text(), b.opts.Excerpt), UUID: r.pos.UUID, Copied: !b.owner.owns(r)})
		return
	case startRemediation:
		b.extend(r)
		_, reason, _ := strings.Cut(r.text(), "\n")
		b.mark(r, MarkFeedback, reason)
		return
	}
	if results := r.results(); len(results) > 0 {
		b.extend(r)
		for _, block := range results {
			b.answer(r, block)
		}
		return
	}
	if text := r.text(); strings.HasPrefix(text, "[Request interrupted by user") {
		b.extend(r)
		b.mark(r, MarkInterrupt, text)
	}
}

func (b *historian) assistant(r row) {
	t, n := b.extend(r)
	text := r.text()
	if isTrue(r.Get("isApiErrorMessage")) {
		b.mark(r, MarkAPIError, text)
		text = ""
	}
	if strings.TrimSpace(text) != "" {
		if len(b.out.Replies) < b.opts.Events {
			b.out.Replies = append(b.out.Replies, HistoryText{At: at(r.pos), Text: excerpt(text, b.opts.Excerpt), Turn: n})
		} else {
			b.omit("replies")
		}
	}
	if r.tools == 0 && r.class != classUnknown {
		return
	}
	inputs := toolInputs(r)
	for k, c := range toolCalls(r) {
		if _, again := b.calls[c.ID]; again && c.ID != "" {
			continue // a resumed host may append a row again
		}
		b.out.ToolTotal++
		t.Calls++
		if len(b.out.Calls) >= b.opts.Events {
			b.omit("calls")
			continue
		}
		b.syntax = append(b.syntax, shellSyntaxTasks([]ToolCall{c})...)
		b.calls[c.ID] = len(b.out.Calls)
		b.out.Calls = append(b.out.Calls, HistoryCall{At: at(c.At), ID: excerpt(c.ID, b.opts.Excerpt), Name: excerpt(c.Name, 100), Turn: n,
			Text:       excerpt(cmp.Or(c.Command, c.FilePath, inputs[k]), b.opts.Excerpt),
			Background: c.Background, Evidence: c.Evidence})
	}
}

// toolInputs gives the input of every tool_use block as it stands in the row, in
// the order of [toolCalls]; what most tools mean by it is not for us to know.
func toolInputs(r row) []string {
	var out []string
	r.Get("message.content").ForEach(func(_, block gjson.Result) bool {
		if str(block.Get("type")) == "tool_use" {
			out = append(out, cut(block.Get("input").Raw, excerptRow))
		}
		return true
	})
	return out
}

func (b *historian) omit(what string) {
	if b.out.Omitted == nil {
		b.out.Omitted = map[string]int{}
	}
	b.out.Omitted[what]++
}

// answer pairs a result with its call. The first one counts for the time; an
// error counts whenever it comes, as it does for [Read].
func (b *historian) answer(r row, block gjson.Result) {
	n, ok := b.calls[str(block.Get("tool_use_id"))]
	if !ok {
		return
	}
	c := &b.out.Calls[n]
	c.Answer = at(r.pos)
	if isTrue(block.Get("is_error")) {
		if !c.Failed {
			b.out.failed++
		}
		c.Failed = true
		c.Error = excerpt(resultText(block), b.opts.Excerpt)
	}
}

func (b *historian) system(i int, r row) {
	switch r.str("subtype") {
	case "compact_boundary":
		b.mark(r, MarkCompaction, r.str("content"))
	case "api_error":
		b.extend(r)
		b.mark(r, MarkAPIError, cmp.Or(r.str("content"), r.str("error.message"), r.str("error")))
	case "stop_hook_summary":
		b.extend(r)
		b.mark(r, MarkStopHook, hookErrors(r))
	case "turn_duration":
		b.extend(r)
	}
	if r.flags&flagNotice != 0 {
		b.notices(i, r, false)
	}
}

// hookErrors joins what the host's Stop hooks said.
func hookErrors(r row) string {
	var out []string
	for _, v := range r.Get("hookErrors").Array() {
		out = append(out, str(v))
	}
	return strings.Join(out, "\n")
}

func (b *historian) mark(r row, kind, text string) {
	b.out.Marks = append(b.out.Marks, HistoryMark{At: at(r.pos), Kind: kind, Text: excerpt(text, b.opts.Excerpt)})
}

// notices keeps what the host itself carried in this row.
func (b *historian) notices(i int, r row, starts bool) {
	carried := b.carried(i, r)
	if starts && len(carried) == 0 { // older hosts write no origin
		carried = Notices(r.text())
	}
	for _, n := range carried {
		ids := make([]string, 0, len(n.TaskIDs))
		for _, id := range n.TaskIDs[:min(len(n.TaskIDs), maxNoticeIDs)] {
			ids = append(ids, excerpt(id, b.opts.Excerpt))
		}
		b.out.Notices = append(b.out.Notices, HistoryNotice{At: at(r.pos), Carrier: carrier(r), TaskIDs: ids,
			Status: excerpt(n.Status, b.opts.Excerpt), End: n.Terminal(), Text: excerpt(n.Summary, b.opts.Excerpt), Starts: starts})
	}
}

// maxNoticeIDs bounds the ids kept of one notice; the host writes one.
const maxNoticeIDs = 16

func (b *historian) subagent(r row) {
	id := cmp.Or(r.str("agentId"), "sidechain")
	n, ok := b.agents[id]
	if !ok {
		if len(b.out.Subagents) >= b.opts.Events {
			b.omit("subagents")
			return
		}
		id = strings.Clone(id)
		n = len(b.out.Subagents)
		b.agents[id] = n
		b.out.Subagents = append(b.out.Subagents, HistorySubagent{At: at(r.pos), End: at(r.pos), ID: excerpt(id, b.opts.Excerpt)})
	}
	s := &b.out.Subagents[n]
	end := at(r.pos)
	if end.Time.Before(s.End.Time) {
		end.Time = s.End.Time
	}
	s.End = end
	s.Rows++
	if r.class == classAssistant {
		s.Calls += len(toolCalls(r))
	}
}
