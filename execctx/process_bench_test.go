//go:build unix

package execctx_test

import (
	"context"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

func benchContext(b *testing.B) (*execctx.ProcessContext, execctx.Handle) {
	return newContext(b, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
}

// BenchmarkLaunch is from the call to its return (EX-3).
func BenchmarkLaunch(b *testing.B) {
	c, h := benchContext(b)
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		got := launch(b, c, h, "true")
		times = append(times, time.Since(start))
		b.StopTimer()
		ended(b, c, h, got.TaskID)
		b.StartTimer()
	}
	report(b, times)
}

// BenchmarkExitToOnExit is from a process's death to the callback.
func BenchmarkExitToOnExit(b *testing.B) {
	c, h := benchContext(b)
	var times []time.Duration
	for b.Loop() {
		b.StopTimer()
		told := make(chan time.Time, 1)
		got := launch(b, c, h, "exec sleep 1000", onExit(func(execctx.ExitInfo) { told <- time.Now() }))
		b.StartTimer()
		start := time.Now()
		if err := syscall.Kill(got.PID, syscall.SIGKILL); err != nil {
			b.Fatal(err)
		}
		times = append(times, (<-told).Sub(start))
	}
	report(b, times)
}

// report gives the median and the worst: a mean hides either.
func report(b *testing.B, times []time.Duration) {
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "µs-median")
	b.ReportMetric(float64(times[len(times)-1].Microseconds()), "µs-worst")
}

// BenchmarkList1000 lists a thousand tasks.
func BenchmarkList1000(b *testing.B) {
	fs := &fakes{}
	c := execctx.NewTestProcess(execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit}, fs.open)
	h := spawn(b, c)
	for n := range 1000 {
		launch(b, c, h, "make -j8 all test")
		if n%2 == 0 {
			fs.nth(n+1).exit(0, 0)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if entries, err := c.ListBackground(context.Background(), h); len(entries) != 1000 {
			b.Fatal(len(entries), err)
		}
	}
}

// BenchmarkOutput is what a chunk of output costs, watched and limited.
func BenchmarkOutput(b *testing.B) {
	fs := &fakes{}
	c := execctx.NewTestProcess(execctx.ProcessOptions{}, fs.open)
	h := spawn(b, c)
	launch(b, c, h, "x", limited(1<<20), watched(&stalls{}))
	chunk := make([]byte, 64<<10)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = fs.nth(1).cfg.Output.Write(chunk)
	}
}

// ownMemory is heap and stacks in use.
func ownMemory() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A running task costs this program less than 64 KiB.
func TestProcessTask_memory(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	const n = 100
	ended(t, c, h, launch(t, c, h, "true").TaskID)
	before := ownMemory()
	for range n {
		launch(t, c, h, "echo up; exec sleep 1000", watched(&stalls{}), onExit(func(execctx.ExitInfo) {}))
	}
	until(t, "all have printed", func() bool {
		for _, entry := range list(t, c, h)[1:] {
			if entry.BytesWritten == 0 {
				return false
			}
		}
		return true
	})
	each := (ownMemory() - before) / n
	t.Logf("%d bytes a task", each)
	if each > 64<<10 {
		t.Errorf("%d bytes a task", each)
	}
}
