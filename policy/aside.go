package policy

import (
	"fmt"
	"runtime/debug"
)

// growStack makes the calling goroutine's stack large at once. Compiling and
// evaluating recurse deeply, and a stack that doubles on the way there is copied
// every time: in a process of milliseconds that is a twentieth of its life. The
// frame counts although it is never used, and an unused one costs no memory: only
// touched pages do.
func growStack() { spread(0) }

//go:noinline
func spread(depth int) {
	if depth > 0 { // never
		var frame [48 << 10]byte
		touch(&frame, depth)
	}
}

//go:noinline
func touch(frame *[48 << 10]byte, depth int) { frame[depth] = 1 }

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
