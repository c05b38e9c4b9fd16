package deepstack

import (
	"os/exec"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// deep uses n KiB of stack.
//
//go:noinline
func deep(n int) byte {
	var frame [1 << 10]byte
	frame[n%len(frame)] = byte(n)
	if n == 0 {
		return frame[0]
	}
	return deep(n-1) + frame[n%len(frame)]
}

func TestGrow_ServesManyGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			Grow()
			var want byte
			for i := range 181 {
				want += byte(i)
			}
			if got := deep(180); got != want {
				t.Errorf("%d after growing, want %d", got, want)
			}
		})
	}
	wg.Wait()
}

// moves tells whether the stack of a new goroutine is copied elsewhere while it
// recurses 150 KiB deep.
func moves(first func()) bool {
	moved := make(chan bool)
	go func() {
		var local byte
		first()
		before := uintptr(unsafe.Pointer(&local))
		deep(150)
		moved <- before != uintptr(unsafe.Pointer(&local))
	}()
	return <-moved
}

func TestGrow_SavesTheCopies(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection may shrink the stack between
	if moves(Grow) {
		t.Error("the stack was copied after it had been grown")
	}
	if !moves(func() {}) {
		t.Error("a stack that was not grown was not copied either: this test shows nothing")
	}
}

// The package is ready before the others only as long as it imports nothing.
func TestPackage_ImportsNothing(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{join .Imports \" \"}}", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if imports := strings.TrimSpace(string(out)); imports != "" {
		t.Errorf("it imports %s", imports)
	}
}

// BenchmarkDeepCall compares goroutines that recurse 180 KiB deep with and
// without growing first.
func BenchmarkDeepCall(b *testing.B) {
	for _, bc := range []struct {
		name  string
		first func()
	}{{"stepwise", func() {}}, {"grown", Grow}} {
		b.Run(bc.name, func(b *testing.B) {
			for b.Loop() {
				done := make(chan byte)
				go func() { bc.first(); done <- deep(180) }()
				<-done
			}
		})
	}
}
