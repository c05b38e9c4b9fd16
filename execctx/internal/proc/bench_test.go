//go:build unix

package proc_test

import (
	"os"
	"testing"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// A start alone; ending it is not timed.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := proc.Start(proc.Config{Command: ":", Dir: "/", Env: os.Environ()})
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		<-p.Done()
		p.Release()
		b.StartTimer()
	}
}

// From the start to the end of the shortest command.
func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		p, err := proc.Start(proc.Config{Command: ":", Dir: "/", Env: os.Environ()})
		if err != nil {
			b.Fatal(err)
		}
		<-p.Done()
		p.Release()
	}
}
