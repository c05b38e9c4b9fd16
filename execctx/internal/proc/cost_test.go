//go:build linux

package proc_test

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// counter counts.
type counter struct{ n atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n.Add(int64(len(p)))
	return len(p), nil
}

// A running command costs two goroutines, no thread, and little memory, also
// when it has written a lot.
func TestStart_cost(t *testing.T) {
	const n = 100
	measure := func() (goroutines int, memory uint64) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapInuse + m.StackInuse
	}
	goroutines, memory := measure()
	var all []*proc.Process
	for range n {
		out := &counter{}
		p, err := proc.Start(proc.Config{Command: "head -c 300000 /dev/zero; echo done; exec sleep 600", Dir: "/", Env: os.Environ(), Output: out})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
		eventually(t, "all output", func() bool { return out.n.Load() >= 300_005 })
	}
	nowGoroutines, nowMemory := measure()
	if each := float64(nowGoroutines-goroutines) / n; each > 2 {
		t.Errorf("%.1f goroutines a command", each)
	}
	each := (int64(nowMemory) - int64(memory)) / n
	t.Logf("%d bytes a command", each)
	if each > 64<<10 {
		t.Errorf("%d bytes a command", each)
	}
	for _, p := range all {
		p.TerminateNow()
	}
	for _, p := range all {
		<-p.Done()
		p.Release()
	}
}
