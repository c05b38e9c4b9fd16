package session

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/agentcore/model"
)

// Types of rows that are ours alone; readers of transcripts skip them.
const (
	typeMeta = "agentcore-meta"
	typeRun  = "agentcore-run"
)

// state is everything that is known from a thread's rows. Rows that are written
// and rows that are read go through apply alike.
type state struct {
	fold   fold
	meta   Meta
	leaf   string // uuid of the latest row of the conversation
	prompt string // id of the latest prompt
	queued []string
	totals Totals
	base   Totals   // at the start of the present run, see RunEnd
	notes  []string // texts of the notifications that were delivered
	last   string   // id of the latest answer that was counted
	side   bool     // a subagent's file: sidechain rows are the conversation
}

// apply takes one whole row that is a JSON object.
func (s *state) apply(row []byte) {
	p := parse(row)
	if p.sidechain && !s.side {
		return
	}
	switch p.typ {
	case "user":
		s.user(&p)
	case "assistant":
		s.assistant(&p)
	case "attachment":
		s.attachment(&p)
	case "system":
		if p.subtype == "compact_boundary" {
			s.fold.reset()
		}
	case "queue-operation":
		s.queue(&p)
		return
	case "summary":
		if title := own(p.all.Get("summary")); title != "" {
			s.meta.Title = title
		}
		return
	case typeMeta:
		s.metaRow(&p)
		return
	case typeRun:
		s.runRow(&p)
		return
	default:
		return
	}
	if p.uuid != "" {
		s.leaf = strings.Clone(p.uuid)
	}
	if s.meta.CWD == "" {
		s.meta.CWD = own(p.all.Get("cwd"))
	}
}

func (s *state) user(p *parsed) {
	if p.hidden {
		return
	}
	blocks := readBlocks(p.said().content)
	if p.begins(blocks) {
		s.totals.Turns++
	}
	if p.promptID != "" && p.promptID != s.prompt {
		s.prompt = strings.Clone(p.promptID)
	}
	if str(p.origin.Get("kind")) == OriginNotification && !p.forked {
		s.note(blocks)
	}
	s.fold.user(blocks)
}

// note keeps what a notification said: the mark of the row counts, and never a text
// that looks like one (D-28).
func (s *state) note(blocks []model.Block) {
	for _, b := range blocks {
		if b.Type == model.BlockText {
			s.notes = append(s.notes, b.Text)
		}
	}
}

// begins tells whether a user row begins a turn, by the rules of the package
// transcript.
func (p *parsed) begins(blocks []model.Block) bool {
	if p.meta || p.compact || p.hidden || p.result {
		return false
	}
	if slices.ContainsFunc(blocks, func(b model.Block) bool { return b.Type == model.BlockToolResult }) {
		return false
	}
	if str(p.origin.Get("kind")) != "" {
		return true
	}
	var text string
	for _, b := range blocks {
		if b.Type == model.BlockText {
			text = b.Text
			break
		}
	}
	for _, echo := range []string{"<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>",
		"<bash-input>", "[Request interrupted by user"} {
		if strings.HasPrefix(text, echo) {
			return false
		}
	}
	return text != "" || len(blocks) > 1
}

func (s *state) assistant(p *parsed) {
	m := p.said()
	if p.apiError || m.model == "<synthetic>" {
		return // the host's own words
	}
	open := &s.fold.answer
	msg := model.Message{ID: same(m.id, open.ID), Role: model.RoleAssistant, Model: same(m.model, open.Model, s.meta.Model),
		StopReason: model.StopReason(same(m.stopReason, string(open.StopReason))), Content: readBlocks(m.content)}
	if m.usage.IsObject() {
		msg.Usage = new(readUsage(m.usage))
	}
	if s.meta.Model == "" {
		s.meta.Model = msg.Model
	}
	if !p.forked {
		s.count(&msg)
	}
	s.fold.assistant(msg, strings.Clone(p.uuid))
}

// same is a copy of s that may be kept: one of those that are kept already, or a
// new one.
func same(s string, kept ...string) string {
	for _, k := range kept {
		if k == s {
			return k
		}
	}
	return strings.Clone(s)
}

// count adds an answer to the totals, once: every row of it repeats its usage.
func (s *state) count(m *model.Message) {
	for _, b := range m.Content {
		if b.Type == model.BlockToolUse {
			s.totals.ToolCalls++
		}
	}
	if m.ID != "" && m.ID == s.last {
		return
	}
	s.last = m.ID
	s.totals.ModelCalls++
	if m.Usage != nil {
		s.totals.Usage = s.totals.Usage.Add(*m.Usage)
		s.totals.Unpriced = s.totals.Unpriced.Add(*m.Usage)
	}
}

// attachment takes what hooks and queued messages add to the conversation.
func (s *state) attachment(p *parsed) {
	a := p.attachment
	switch str(a.Get("type")) {
	case "queued_command":
		s.fold.user(readBlocks(a.Get("prompt")))
	case "hook_additional_context":
		if text := reminder(a); text != "" {
			s.fold.user([]model.Block{model.Text(text)})
		}
	}
}

// reminder is how the client shows the context that a hook added.
func reminder(a gjson.Result) string {
	var parts []string
	content := a.Get("content")
	if content.Type == gjson.String {
		parts = append(parts, content.Str)
	}
	if content.IsArray() {
		for _, v := range content.Array() {
			if text := str(v); text != "" {
				parts = append(parts, text)
			}
		}
	}
	text := strings.Join(parts, "\n")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	name := str(a.Get("hookName"))
	if name == "" {
		name = str(a.Get("hookEvent"))
	}
	return clean("<system-reminder>\n" + name + " hook additional context: " + text + "\n</system-reminder>")
}

func (s *state) queue(p *parsed) {
	switch p.operation {
	case "enqueue":
		if text := own(p.content); text != "" {
			s.queued = append(s.queued, text)
		}
	case "dequeue":
		if len(s.queued) > 0 {
			s.queued = slices.Delete(s.queued, 0, 1)
		}
	case "remove", "popAll":
		text := str(p.content)
		if i := slices.Index(s.queued, text); i >= 0 {
			s.queued = slices.Delete(s.queued, i, i+1)
		}
	}
}

// metaRow changes what it says, and leaves the rest.
func (s *state) metaRow(p *parsed) {
	for _, f := range s.meta.fields() {
		if v := own(p.all.Get(f.name)); v != "" {
			*f.to = clean(v)
		}
	}
}

// runRow takes the totals that the row carries: they are right even when rows
// before it are lost.
func (s *state) runRow(p *parsed) {
	if v := p.all.Get("totals"); v.IsObject() {
		s.totals = readTotals(v)
		s.base, s.last = s.totals, ""
	}
}
