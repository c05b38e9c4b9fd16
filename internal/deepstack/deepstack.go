// Package deepstack grows a goroutine's stack in one step.
//
// A stack starts at a few KiB and is copied to twice its size whenever it is
// full. Compiling regular expressions, as packages do while they initialise, and
// evaluating policies recurse deeply enough for five copies of up to 128 KiB. In a
// process that lives for milliseconds, every freshly touched page counts: the
// copies were a twentieth of the hook's time.
//
// A program that imports this package has its main goroutine's stack grown before
// nearly everything else initialises: packages initialise in the order of their
// import paths as soon as what they import is ready, and this one imports nothing.
package deepstack

func init() { Grow() }

// Grow makes the calling goroutine's stack at least [Size] bytes large. It costs
// one small copy, and no memory but address space: only touched pages count. It
// keeps no state and is safe for concurrent use.
func Grow() { spread(0) }

// Size is more than the 128 KiB that a deferred stop was measured to outgrow while
// the built-in rules are evaluated; the runtime makes a stack of 256 KiB of it.
// Deeper policies work as well: their stack is copied once more.
const Size = 2 * half

// half is what the compiler still lays out in a frame rather than in the heap.
const half = 96 << 10

// spread needs its frame although it does not use it.
//
//go:noinline
func spread(depth int) {
	if depth > 0 { // never
		var a, b [half]byte
		touch(&a, depth)
		touch(&b, depth)
	}
}

//go:noinline
func touch(frame *[half]byte, depth int) { frame[depth] = 1 }
