package hook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
)

// Point names a place in an agent's life, and the payload its handlers get. Two
// points of one name must have one payload type.
type Point[T any] string

// Handler is called at a point. It may be called from several goroutines at once
// (parallel tools, parallel agents), and must not keep the payload. It runs in the
// agent's own path: what takes long belongs into a goroutine of its owner.
type Handler[T any] func(ctx context.Context, payload *T) error

// Gated is the payload of a gate, implemented by its pointer. A gate only tightens:
// what one handler refused, no later one allows, though it may word the reason.
type Gated interface {
	// Refused tells whether it is refused, and why.
	Refused() (bool, string)
	// Refuse refuses it.
	Refuse(reason string)
}

// Mutable is a payload that handlers change, implemented by *T. Clone copies
// everything that a handler can reach.
type Mutable[T any] interface{ Clone() T }

// Inherited is a payload whose handlers on a bus are called for the children of its
// agent as well, before the child's own. The tool gate is one: what a person forbids,
// no subagent may do.
type Inherited interface{ Inherited() }

// HandlerError is a handler that returned an error or panicked.
type HandlerError struct {
	Point   string // as the handler registered for it
	AgentID string // of the payload's agent; empty: unknown
	Index   int    // of the handler among those of the point, from 0
	Err     error  // what it returned; a panic's value in words
	Stack   []byte // of a panic; nil otherwise
}

func (e *HandlerError) Error() string {
	how := "failed"
	if e.Stack != nil {
		how = "panicked"
	}
	return fmt.Sprintf("hook handler %d of %s %s: %v", e.Index, e.Point, how, e.Err)
}

func (e *HandlerError) Unwrap() error { return e.Err }

// Bus calls handlers. All of it is safe for concurrent use, and handlers may
// register and remove others while they run: an emit calls those that were there
// when it began. A nil Bus has no listeners.
type Bus struct {
	report  func(*HandlerError)
	parent  *Bus
	childID string
	depth   int

	mu    sync.Mutex // orders writers of table
	table atomic.Pointer[table]
}

// table is never changed, only replaced.
type table struct {
	own   map[string][]entry // by point
	child map[string][]entry // handlers of ChildOf, by the inner point
}

type entry struct {
	id *byte // its address is the entry's identity
	fn any   // func(context.Context, *T) error
}

// NewBus makes a bus. report gets what handlers did wrong, from the goroutine that
// emits; nil drops it. It must not panic and should not wait.
func NewBus(report func(*HandlerError)) *Bus { return &Bus{report: report} }

// Child is the bus of a subagent: it has handlers of its own, and what is emitted
// there reaches the handlers of [ChildOf] on this bus and on those above it.
// childID is the subagent's id. The child of a nil bus is a bus that reports to
// nobody.
func (b *Bus) Child(childID string) *Bus {
	if b == nil {
		return &Bus{childID: childID, depth: 1}
	}
	return &Bus{report: b.report, parent: b, childID: childID, depth: b.depth + 1}
}

// Depth is how many agents stand above this bus's: 0 for a bus of [NewBus].
func (b *Bus) Depth() int {
	if b == nil {
		return 0
	}
	return b.depth
}

// On calls fn at every emit of the point, after those that registered before. remove
// takes it off again; calling it twice does nothing. Registering at a nil bus, a nil
// fn, or a point whose name another payload type has, is a mistake of the program
// and panics.
func On[T any](b *Bus, p Point[T], fn func(ctx context.Context, payload *T) error) (remove func()) {
	if b == nil || fn == nil {
		panic(fmt.Sprintf("hook: On(%s) with a nil bus or handler", p))
	}
	e := entry{id: new(byte), fn: fn}
	b.change(string(p), func(list []entry) []entry {
		if len(list) > 0 {
			if _, same := list[0].fn.(func(context.Context, *T) error); !same {
				panic(fmt.Sprintf("hook: point %s is used with two payload types, %T and %T", p, list[0].fn, fn))
			}
		}
		return append(slices.Clip(list), e)
	})
	return func() {
		b.change(string(p), func(list []entry) []entry {
			return slices.DeleteFunc(slices.Clone(list), func(other entry) bool { return other.id == e.id })
		})
	}
}

// Listens tells whether an emit of the point at b would call anybody. It is for
// callers whose payload is costly to make.
func Listens[T any](b *Bus, p Point[T]) bool {
	if b == nil {
		return false
	}
	if len(b.own(string(p))) > 0 {
		return true
	}
	for up := b.parent; up != nil; up = up.parent {
		if len(up.children(string(p))) > 0 || inherits[T]() && len(up.own(string(p))) > 0 {
			return true
		}
	}
	return false
}

// Emit calls the handlers of a point: those that are inherited from above, those of
// b, then those of [ChildOf] upwards. It returns when the last one did, and whatever
// they did wrong is reported; the payload is then what the agent has to obey.
func Emit[T any](ctx context.Context, b *Bus, p Point[T], payload *T) {
	if !Listens(b, p) {
		return
	}
	// Only the copy escapes to the heap: an emit that nobody hears costs nothing.
	work := *payload
	emit(ctx, b, p, &work)
	*payload = work
}

func emit[T any](ctx context.Context, b *Bus, p Point[T], work *T) {
	if inherits[T]() {
		b.parent.inherited(func(up *Bus) { own(ctx, up, p, work) })
	}
	own(ctx, b, p, work)
	for up := b.parent; up != nil; up = up.parent {
		for i, e := range up.children(string(p)) {
			fn := e.fn.(func(context.Context, *Child[T]) error)
			handle(up, "child:"+string(p), i, work, func(value *T) error {
				return fn(ctx, &Child[T]{ChildID: b.childID, Depth: b.depth, Payload: value})
			})
		}
	}
}

// inherited visits from the top down.
func (b *Bus) inherited(visit func(*Bus)) {
	if b != nil {
		b.parent.inherited(visit)
		visit(b)
	}
}

func own[T any](ctx context.Context, b *Bus, p Point[T], work *T) {
	for i, e := range b.own(string(p)) {
		fn := e.fn.(func(context.Context, *T) error)
		handle(b, string(p), i, work, func(value *T) error { return fn(ctx, value) })
	}
}

func inherits[T any]() bool {
	_, ok := any((*T)(nil)).(Inherited)
	return ok
}

func (b *Bus) own(point string) []entry {
	if t := b.table.Load(); t != nil {
		return t.own[point]
	}
	return nil
}

func (b *Bus) children(point string) []entry {
	if t := b.table.Load(); t != nil {
		return t.child[point]
	}
	return nil
}
