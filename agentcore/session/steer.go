package session

// Enqueue records that a message arrived while the agent was at work, before it
// is delivered. A resumed session finds it in [Thread.Queued] until it has been.
func (t *Thread) Enqueue(text string) error { return errNotYet }

// Queued are the messages that arrived and were not delivered, the oldest first.
func (t *Thread) Queued() []string { return nil }

// Dequeue records that the oldest queued message, or the one with that text, is
// delivered as a prompt of its own: UserPrompt or UserRow comes next.
func (t *Thread) Dequeue(text string) error { return errNotYet }

// Steer is a message that reaches the model in the middle of a turn.
type Steer struct {
	Text   string
	Origin Origin // no Kind: human
}

// Steer records its delivery; the model reads it in the next message, behind the
// results of tools. It begins no turn. If it was not enqueued before, that is
// recorded first.
func (t *Thread) Steer(s Steer) error { return errNotYet }
