package hook

import (
	"maps"
	"strings"
)

const childPrefix = "child:"

// Child is what a handler of [ChildOf] gets: the event of a subagent.
type Child[T any] struct {
	ChildID string `json:"childId"` // of the agent that it happened in
	Depth   int    `json:"depth"`   // of that agent: 1 for a child, 2 for its child
	Payload *T     `json:"payload"`
}

// ChildOf is a point as it is heard above the agent it happened in: child:tool:after
// for tool:after. A handler there has the rights of one at the point itself: it may
// refuse at a gate, and change what is mutable.
func ChildOf[T any](p Point[T]) Point[Child[T]] { return Point[Child[T]](childPrefix + p) }

// change replaces the list of one point.
func (b *Bus) change(point string, edit func([]entry) []entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := &table{own: map[string][]entry{}, child: map[string][]entry{}}
	if t := b.table.Load(); t != nil {
		next.own, next.child = maps.Clone(t.own), maps.Clone(t.child)
	}
	m := next.own
	if inner, ok := strings.CutPrefix(point, childPrefix); ok {
		m, point = next.child, inner
	}
	if list := edit(m[point]); len(list) > 0 {
		m[point] = list
	} else {
		delete(m, point)
	}
	if len(next.own)+len(next.child) == 0 {
		next = nil
	}
	b.table.Store(next)
}
