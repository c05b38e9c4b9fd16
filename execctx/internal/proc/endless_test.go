//go:build unix

package proc_test

import (
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// slow takes longer for a piece of output than yes takes to write the next.
type slow struct{ output }

func (s *slow) Write(p []byte) (int, error) {
	for range 20 {
		_ = sha256.Sum256(p)
	}
	return s.output.Write(p[:min(len(p), 100)])
}

// EX-51: a process that left the group and never stops writing keeps nobody
// waiting, either.
func TestEnd_daemonWritesForEver_EX51(t *testing.T) {
	setsid(t)
	out := &slow{}
	p, _ := start(t, `setsid sh -c 'echo $$; exec yes' & exec sleep 600`, quick,
		func(cfg *proc.Config) { cfg.Output, cfg.Drain = out, 50*time.Millisecond })
	daemon := number(t, lines(t, &out.output, 1)[0])
	p.Terminate()
	end := ended(t, p)
	if !end.Escaped {
		t.Errorf("want it said, got %+v", end)
	}
	// Nobody reads any more: the system ends the writer.
	eventually(t, "the writer has ended", func() bool { return !alive(daemon) })
	if !strings.Contains(out.String(), "y\n") {
		t.Error("what it wrote is missing")
	}
}
