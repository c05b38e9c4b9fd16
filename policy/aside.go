package policy

import (
	"fmt"
	"runtime/debug"
)

// aside runs f in a goroutine of its own and sends what it panicked with and
// where, nil when it did not. A panic that nobody recovers there would end the
// process with exit 2, which the host takes for a block that nobody counts.
func aside(f func()) <-chan any {
	done := make(chan any, 1)
	go func() {
		defer func() {
			fault := recover()
			if fault != nil {
				fault = fmt.Errorf("%v, in\n%s", fault, debug.Stack())
			}
			done <- fault
		}()
		f()
	}()
	return done
}
