//go:build unix

package proc_test

import (
	"bytes"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// output collects what a command writes.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

// start runs a command that is ended and released with the test.
func start(t *testing.T, command string, change ...func(*proc.Config)) (*proc.Process, *output) {
	t.Helper()
	out := &output{}
	cfg := proc.Config{Command: command, Dir: t.TempDir(), Env: os.Environ(), Output: out}
	for _, c := range change {
		c(&cfg)
	}
	p, err := proc.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.TerminateNow()
		<-p.Done()
		if left := p.Release(); len(left) > 0 {
			t.Errorf("processes %v are left", left)
		}
	})
	return p, out
}

// ended waits for the end, for a minute at most.
func ended(t *testing.T, p *proc.Process) proc.End {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(time.Minute):
		t.Fatal("the command did not end within a minute")
	}
	return p.End()
}

func TestEnd(t *testing.T) {
	for _, tt := range []struct {
		name, command, output string
		code                  int
		signal                syscall.Signal
	}{
		{"EX-53: output and code", "echo out; echo err >&2; exit 3", "out\nerr\n", 3, 0},
		{"EX-10: a signal", "echo x; kill -TERM $$", "x\n", 143, syscall.SIGTERM},
		{"EX-10: a signal that cannot be caught", "kill -KILL $$", "", 137, syscall.SIGKILL},
		{"EX-31: nothing to read", "read line; echo $?", "1\n", 0, 0},
		{"an unknown command", "exec /does/not/exist 2>/dev/null", "", 127, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, out := start(t, tt.command)
			end := ended(t, p)
			if end.Code != tt.code || end.Signal != tt.signal || out.String() != tt.output {
				t.Errorf("got code %d, signal %v, output %q, want %d, %v, %q", end.Code, end.Signal, out, tt.code, tt.signal, tt.output)
			}
			if end.Asked || end.Escaped || end.Survivors != nil {
				t.Errorf("nobody asked, nobody stayed: %+v", end)
			}
		})
	}
}
