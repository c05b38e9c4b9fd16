package task

import "maps"

// Latch is the ends that the model knows, by whatever way. The zero value is not usable;
// see [NewLatch].
type Latch struct{ known map[Key]bool }

// NewLatch is a latch of an agent that was told nothing.
func NewLatch() *Latch { return &Latch{known: map[Key]bool{}} }

// FromBlocks is the latch that follows from what was told before: the texts of
// notifications that were delivered, and of no others (AC-34, D-28). A block without an
// output file latches nothing that a sweep could find.
func FromBlocks(delivered []string) *Latch {
	l := NewLatch()
	for _, text := range delivered {
		for _, n := range ParseAll(text) {
			if n.Exit != nil {
				l.Add(n.Exit.Key())
			}
		}
	}
	return l
}

// Add says that the model knows an end.
func (l *Latch) Add(k Key) { l.known[k] = true }

// Has tells whether it does.
func (l *Latch) Has(k Key) bool { return l.known[k] }

// Clone is a latch of its own with the same ends.
func (l *Latch) Clone() *Latch { return &Latch{known: maps.Clone(l.known)} }

// Join adds all ends of another latch.
func (l *Latch) Join(other *Latch) { maps.Copy(l.known, other.known) }

// Queue is what an agent has to tell its model: ends, and stalls of tasks that have not
// ended. The zero value is empty.
type Queue struct {
	exits  []Exit
	stalls []Stall
}

// AddExit queues an end, once; a stall of the same task is told no more (D-27).
func (q *Queue) AddExit(e Exit) {
	for _, have := range q.exits {
		if have.Key() == e.Key() {
			return
		}
	}
	q.exits = append(q.exits, e)
	q.dropStall(e.TaskID, e.OutputPath)
}

// AddStall queues a stall, the latest of each task, and none of a task whose end waits.
func (q *Queue) AddStall(s Stall) {
	for _, e := range q.exits {
		if e.TaskID == s.TaskID && e.OutputPath == s.OutputPath {
			return
		}
	}
	q.dropStall(s.TaskID, s.OutputPath)
	q.stalls = append(q.stalls, s)
}

func (q *Queue) dropStall(id, path string) {
	kept := q.stalls[:0:0]
	for _, s := range q.stalls {
		if s.TaskID != id || s.OutputPath != path {
			kept = append(kept, s)
		}
	}
	q.stalls = kept
}

// Remove takes an end out, with the stall of its task.
func (q *Queue) Remove(k Key) {
	kept := q.exits[:0:0]
	for _, e := range q.exits {
		if e.Key() != k {
			kept = append(kept, e)
		}
	}
	q.exits = kept
	stalls := q.stalls[:0:0]
	for _, s := range q.stalls {
		if (Key{s.TaskID, s.OutputPath}) != k {
			stalls = append(stalls, s)
		}
	}
	q.stalls = stalls
}

// Exits are the ends that wait, in the order in which they happened.
func (q *Queue) Exits() []Exit {
	exits := append([]Exit(nil), q.exits...)
	Order(exits)
	return exits
}

// TakeStalls empties the queue of stalls and gives them.
func (q *Queue) TakeStalls() []Stall {
	stalls := q.stalls
	q.stalls = nil
	return stalls
}

// Clear empties the queue.
func (q *Queue) Clear() { *q = Queue{} }
