package session

import "github.com/stophook/stophook/agentcore/model"

// Kinds of an [Origin].
const (
	OriginHuman        = "human"
	OriginNotification = "task-notification"
)

// Origin says who began a turn, or put a message into one.
type Origin struct {
	Kind     string // human, task-notification, or a word of the host's
	Producer string // session-task, …
	RunID    string
	Subkind  string
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
func (t *Thread) UserPrompt(p Prompt) (uuid string, err error) { return "", errNotYet }

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
func (t *Thread) UserRow(r UserRow) (uuid string, err error) { return "", errNotYet }

// Interrupted records that the user broke the turn off; while tools ran, or
// before.
func (t *Thread) Interrupted(duringTools bool) (uuid string, err error) { return "", errNotYet }
