package agentcore

import (
	"slices"
	"strings"
	"sync"
)

// inbox holds the messages that reach an agent from outside its run. It is the one
// place where other goroutines write; the run takes from it at its safe points.
type inbox struct {
	mu     sync.Mutex
	queue  []queued
	closed bool
}

// queued is one message that waits.
type queued struct {
	text     string
	followUp bool
	recorded bool // an enqueue row of the session holds it
}

// load takes over what an earlier process left undelivered.
func (b *inbox) load(texts []string) {
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue // nothing to deliver
		}
		b.queue = append(b.queue, queued{text: text, followUp: true, recorded: true})
	}
}

func (b *inbox) put(q queued) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return ErrDestroyed
	case strings.TrimSpace(q.text) == "":
		return ErrBlank
	}
	b.queue = append(b.queue, q)
	return nil
}

// steers tells whether a steering message waits.
func (b *inbox) steers() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.queue, func(q queued) bool { return !q.followUp })
}

// take removes and gives the steering messages, and with all the others too, in the
// order in which they came.
func (b *inbox) take(all bool) []queued {
	b.mu.Lock()
	defer b.mu.Unlock()
	var taken, left []queued
	for _, q := range b.queue {
		if all || !q.followUp {
			taken = append(taken, q)
		} else {
			left = append(left, q)
		}
	}
	b.queue = left
	return taken
}

// back puts messages that could not be delivered to the front again.
func (b *inbox) back(qs []queued) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.queue = append(slices.Clip(qs), b.queue...)
	}
}

func (b *inbox) texts() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	texts := make([]string, 0, len(b.queue))
	for _, q := range b.queue {
		texts = append(texts, q.text)
	}
	return texts
}

func (b *inbox) clear(closed bool) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.queue)
	b.queue, b.closed = nil, b.closed || closed
	return n
}

// Steer sends a message to the running agent. It joins the conversation at the next
// safe point: before a call of the model, or between calls of tools, of which those
// not begun are answered as skipped (RT-4). Between runs it waits for the next one.
// Errors: [ErrDestroyed], [ErrBlank].
func (a *Agent) Steer(text string) error { return a.box.put(queued{text: text}) }

// FollowUp sends a message that waits until the run would end, and extends it.
// Between runs it waits for the next one. Errors: [ErrDestroyed], [ErrBlank].
func (a *Agent) FollowUp(text string) error { return a.box.put(queued{text: text, followUp: true}) }

// Queued are the messages that were not delivered yet, in order. An abort leaves
// them; the next run delivers them before its own prompt.
func (a *Agent) Queued() []string { return a.box.texts() }
