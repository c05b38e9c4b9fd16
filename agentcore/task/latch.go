package task

import "maps"

// Latch is the set of tasks whose end the model knows (AC-34). What is latched
// is not told again: by the sweep of a list, by a late push, by a second agent
// on the same session. Whoever owns the agent guards it.
type Latch struct{ known map[Key]struct{} }

// NewLatch gives an empty latch.
func NewLatch() *Latch { return &Latch{known: map[Key]struct{}{}} }

// FromBlocks gives the latch of a session out of the notifications in its
// history. Only texts that carry the mark of a notification may be given (D-28);
// of those, exits latch and stalls do not (AC-74).
func FromBlocks(texts []string) *Latch {
	l := NewLatch()
	for _, text := range texts {
		for _, n := range ParseAll(text) {
			if n.Exit != nil {
				l.Add(n.Exit.Key())
			}
		}
	}
	return l
}

// Add latches a task; false when it was already.
func (l *Latch) Add(k Key) bool {
	if _, ok := l.known[k]; ok {
		return false
	}
	l.known[k] = struct{}{}
	return true
}

// Has tells whether the task is latched.
func (l *Latch) Has(k Key) bool {
	_, ok := l.known[k]
	return ok
}

// Len is how many tasks are latched.
func (l *Latch) Len() int { return len(l.known) }

// Clone gives a latch of its own with the same tasks.
func (l *Latch) Clone() *Latch { return &Latch{known: maps.Clone(l.known)} }

// Join latches all tasks of another latch too.
func (l *Latch) Join(other *Latch) { maps.Copy(l.known, other.known) }
