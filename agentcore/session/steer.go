package session

import (
	"cmp"
	"slices"
)

// Enqueue records that a message arrived while the agent was at work, before it
// is delivered. A resumed session finds it in [Thread.Queued] until it has been.
func (t *Thread) Enqueue(text string) error {
	b := t.batch()
	b.queue("enqueue", text)
	return b.put()
}

// Queued are the messages that arrived and were not delivered, the oldest first.
func (t *Thread) Queued() []string { return slices.Clone(t.state.queued) }

// Dequeue records that a queued message, the first with that text, is delivered
// as a prompt of its own: UserPrompt or UserRow comes next.
func (t *Thread) Dequeue(text string) error {
	b := t.batch()
	if len(t.state.queued) > 0 && t.state.queued[0] == text {
		b.queue("dequeue", "")
	} else {
		b.queue("remove", text)
	}
	return b.put()
}

// queue adds a row of the client's message queue.
func (b *batch) queue(operation, text string) {
	b.note("queue-operation")
	b.str("operation", operation)
	b.str("timestamp", b.now)
	b.str("sessionId", b.t.id)
	b.opt("content", text)
	if operation == "remove" {
		b.str("reason", "absorbed_mid_turn")
	}
	b.end(nil)
}

// Modes of a [Steer], as the client names them.
const (
	modePrompt       = "prompt"
	modeNotification = "task-notification"
)

// Steer is a message that reaches the model in the middle of a turn.
type Steer struct {
	Text   string
	Origin Origin // no Kind: human
}

// Steer records its delivery; the model reads it in the next message, behind the
// results of tools. It begins no turn. If it was not enqueued before, that is
// recorded first.
func (t *Thread) Steer(s Steer) error {
	b := t.batch()
	if !slices.Contains(t.state.queued, s.Text) {
		b.queue("enqueue", s.Text)
	}
	b.queue("remove", s.Text)
	mode := modePrompt
	if s.Origin.Kind == OriginNotification {
		mode = modeNotification
	}
	s.Origin.Kind = cmp.Or(s.Origin.Kind, OriginHuman)
	b.attach("queued_command")
	b.str("prompt", s.Text)
	b.str("source_uuid", t.opts.NewID())
	b.str("delivery_id", t.opts.NewID())
	b.str("commandMode", mode)
	runID := s.Origin.RunID
	s.Origin.RunID = "" // the client writes it beside the origin here
	err := b.origin(s.Origin)
	b.opt("runId", runID)
	b.str("timestamp", b.now)
	if s.Origin.Kind == OriginHuman {
		b.flag("humanTurn", true)
	}
	b.b = append(b.b, '}')
	b.end(err)
	return b.put()
}
