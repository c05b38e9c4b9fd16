package task

import "slices"

// Queue is what an agent has to tell its model when the next run begins: exits,
// and stalls of tasks that run on. The zero value is an empty queue. It holds no
// lock: whoever owns the agent guards it. Copies are made with Clone.
type Queue struct {
	exits  []Exit
	stalls []Stall
}

// AddExit queues an exit and drops the stall of that task (D-27). An exit that is
// queued already, told by push and found in a list too, stays one: it gets the
// end that it did not have, and AddExit is false.
func (q *Queue) AddExit(e Exit) bool {
	q.stalls = slices.DeleteFunc(q.stalls, func(s Stall) bool { return s.of(e) })
	at := q.index(e.Key())
	if at < 0 {
		q.exits = append(q.exits, e)
		return true
	}
	if have := &q.exits[at]; have.EndedAt.IsZero() {
		have.EndedAt = e.EndedAt
	}
	return false
}

// AddStall queues a stall. A task has one at most (D-27): a later one, which
// knows more, takes the place of the earlier one. It is false, and nothing is
// queued, when the task's exit is.
func (q *Queue) AddStall(s Stall) bool {
	if slices.ContainsFunc(q.exits, s.of) {
		return false
	}
	if at := slices.IndexFunc(q.stalls, s.sameTask); at >= 0 {
		q.stalls[at] = s
		return true
	}
	q.stalls = append(q.stalls, s)
	return true
}

// Remove takes an exit out, and a stall of the same task; false: there was
// neither (AC-63).
func (q *Queue) Remove(k Key) bool {
	before := len(q.exits) + len(q.stalls)
	q.exits = slices.DeleteFunc(q.exits, func(e Exit) bool { return e.Key() == k })
	q.stalls = slices.DeleteFunc(q.stalls, func(s Stall) bool {
		return s.of(Exit{TaskID: k.id, HandleID: k.handle, OutputPath: k.output})
	})
	return len(q.exits)+len(q.stalls) < before
}

// Has tells whether the exit is queued.
func (q *Queue) Has(k Key) bool { return q.index(k) >= 0 }

// Pending tells whether an exit is queued, which is what wakes an agent
// (AC-50). A stall does not (D-27).
func (q *Queue) Pending() bool { return len(q.exits) > 0 }

// Stalls is how many stalls are queued.
func (q *Queue) Stalls() int { return len(q.stalls) }

// Exits are the queued exits in completion order (AC-42), as a copy.
func (q *Queue) Exits() []Exit {
	exits := slices.Clone(q.exits)
	Order(exits)
	return exits
}

// TakeStalls takes the stalls out, in the order in which their tasks fell silent.
func (q *Queue) TakeStalls() []Stall {
	stalls := q.stalls
	q.stalls = nil
	return stalls
}

// Drain empties the queue and gives what was in it, the exits in completion
// order (AC-42). What it gives has to be latched before (AC-35).
func (q *Queue) Drain() ([]Exit, []Stall) {
	exits, stalls := q.Exits(), q.stalls
	q.Clear()
	return exits, stalls
}

// Clear forgets everything (AC-40).
func (q *Queue) Clear() { *q = Queue{} }

// Clone gives a queue of its own with the same content.
func (q *Queue) Clone() Queue {
	return Queue{exits: slices.Clone(q.exits), stalls: slices.Clone(q.stalls)}
}

func (q *Queue) index(k Key) int {
	return slices.IndexFunc(q.exits, func(e Exit) bool { return e.Key() == k })
}
