package hook

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// handle runs one handler under the rules of D-20.
func handle[T any](b *Bus, point string, index int, work *T, fn func(*T) error) {
	m, mutable := any(work).(Mutable[T])
	before := *work
	if mutable {
		*work = m.Clone() // the handler's copy
	}
	fault := guarded(work, fn)
	gate, gated := any(work).(Gated)
	switch {
	case gated:
		refused, why := any(&before).(Gated).Refused()
		if fault != nil {
			*work = before
			if !refused {
				gate.Refuse(failedReason(point))
			}
		} else if now, _ := gate.Refused(); refused && !now {
			gate.Refuse(why)
		}
	case mutable && fault != nil:
		*work = before
	case !mutable:
		*work = before // an observer changes nothing
	}
	if fault == nil {
		return
	}
	fault.Point, fault.Index = point, index
	if id, ok := any(work).(interface{ ids() *IDs }); ok {
		fault.AgentID = id.ids().AgentID
	}
	if b.report != nil {
		b.report(fault)
	}
}

// guarded turns a panic into an error.
func guarded[T any](value *T, fn func(*T) error) (fault *HandlerError) {
	done := false
	defer func() {
		if done {
			return
		}
		if v := recover(); v != nil {
			err, ok := v.(error)
			if !ok {
				err = errors.New(fmt.Sprint(v))
			}
			fault = &HandlerError{Err: err, Stack: debug.Stack()}
		}
	}()
	err := fn(value)
	done = true
	if err != nil {
		return &HandlerError{Err: err}
	}
	return nil
}

func failedReason(point string) string {
	return "a hook of " + point + " failed, and what it would have said is unknown, so this was refused; " +
		"the person can see the failure in the log"
}
