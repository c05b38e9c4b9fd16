package session

import (
	"cmp"
	"slices"

	"github.com/stophook/stophook/agentcore/model"
)

// Kinds of an [Origin].
const (
	OriginHuman        = "human"
	OriginNotification = "task-notification"
)

// Origin says who began a turn, or put a message into one.
type Origin struct {
	Kind     string `json:"kind"` // human, task-notification, or a word of the host's
	Subkind  string `json:"subkind,omitempty"`
	Producer string `json:"producer,omitempty"` // session-task, …
	RunID    string `json:"runId,omitempty"`
}

// Prompt is what a person, or a program in their place, asks.
type Prompt struct {
	Text   string
	Blocks []model.Block // instead of Text: text and images
	// PromptID is the key of the prompt and of everything that follows from it;
	// empty: a new one, see [Thread.PromptID].
	PromptID string
	Origin   Origin // no Kind: human
}

// UserPrompt records a prompt, which begins a turn, and gives the row's uuid.
func (t *Thread) UserPrompt(p Prompt) (uuid string, err error) {
	p.Origin.Kind = cmp.Or(p.Origin.Kind, OriginHuman)
	if p.PromptID == "" {
		p.PromptID = t.opts.NewID()
	}
	return t.UserRow(UserRow{Text: p.Text, Blocks: p.Blocks, PromptID: p.PromptID, Origin: p.Origin})
}

// UserRow is a message of the user's side that no other method has a name for,
// such as a notification that begins a turn.
type UserRow struct {
	Text     string
	Blocks   []model.Block // instead of Text
	PromptID string        // empty: the present prompt's
	Origin   Origin        // no Kind: none is written
	// Meta marks words of the host's that begin no turn.
	Meta bool
}

// UserRow records such a message and gives the row's uuid.
func (t *Thread) UserRow(r UserRow) (uuid string, err error) {
	b := t.batch()
	b.userRow(r)
	return b.uuid, b.put()
}

func (b *batch) userRow(r UserRow) {
	b.talk("user", "")
	if r.Meta {
		b.flag("isMeta", true)
	}
	b.opt("promptId", cmp.Or(r.PromptID, b.t.state.prompt))
	err := b.origin(r.Origin)
	b.place()
	b.key("message")
	b.b = append(b.b, `{"role":"user","content":`...)
	if len(r.Blocks) == 0 {
		b.b = appendString(b.b, r.Text)
	} else {
		err = cmp.Or(err, b.blocks(r.Blocks))
	}
	b.b = append(b.b, '}')
	b.end(err)
}

func (b *batch) origin(o Origin) error {
	if o.Kind == "" {
		return nil
	}
	return b.value("origin", o)
}

// blocks appends a list of blocks.
func (b *batch) blocks(blocks []model.Block) error {
	b.b = append(b.b, '[')
	for i, block := range blocks {
		if i > 0 {
			b.b = append(b.b, ',')
		}
		out, err := block.AppendJSON(b.b)
		if err != nil {
			return err
		}
		b.b = out
	}
	b.b = append(b.b, ']')
	return nil
}

// Texts of an interruption, as the client writes them.
const (
	interruptedText     = "[Request interrupted by user]"
	interruptedToolText = "[Request interrupted by user for tool use]"
)

// Interrupted records that the user broke the turn off; while tools ran, or
// before.
func (t *Thread) Interrupted(duringTools bool) (uuid string, err error) {
	text := interruptedText
	if duringTools {
		text = interruptedToolText
	}
	return t.UserRow(UserRow{Blocks: []model.Block{model.Text(text)}})
}

// Notifications are the texts of the rows that carry [OriginNotification], in order:
// what the model was told of tasks that ended, in this process and in earlier ones.
// Rows of a fork's original are no part of them.
func (t *Thread) Notifications() []string { return slices.Clone(t.state.notes) }
