//go:build unix

package proc

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// first gives the first line of what is written to it.
type first struct {
	once sync.Once
	line chan string
}

func (f *first) Write(p []byte) (int, error) {
	if line, _, ok := bytes.Cut(p, []byte("\n")); ok {
		f.once.Do(func() { f.line <- string(line) })
	}
	return len(p), nil
}

// EX-44: a process that is not ours to signal neither makes a kill fail nor
// keeps it waiting for ever: it is named, and its output given up.
func TestTerminate_notPermitted_EX44(t *testing.T) {
	out := &first{line: make(chan string, 1)}
	var mu sync.Mutex
	var sent []syscall.Signal
	p, err := Start(Config{
		Command: "sleep 600 & echo $!", Dir: "/", Env: os.Environ(), Output: out, Grace: 20 * time.Millisecond,
		kill: func(_ int, sig syscall.Signal) error {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, sig)
			return syscall.EPERM
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(<-out.line)
	if err != nil {
		t.Fatal(err)
	}
	p.Terminate()
	end := p.End()
	if len(end.Survivors) != 1 || runtime.GOOS == "linux" && end.Survivors[0] != child || end.Escaped {
		t.Errorf("want process %d named, got %+v", child, end)
	}
	if left := p.Release(); len(left) != 1 {
		t.Errorf("Release cannot end it, and says %v", left)
	}
	mu.Lock()
	if len(sent) < 2 || sent[0] != syscall.SIGTERM || sent[len(sent)-1] != syscall.SIGKILL {
		t.Errorf("sent %v", sent)
	}
	mu.Unlock()
	if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	if left := p.Release(); left != nil {
		t.Errorf("once it is gone Release leaves %v", left)
	}
}

// EX-44: after Release the number belongs to the system, and nothing of ours
// signals it.
func TestRelease_signalsNothingAfterwards_EX44(t *testing.T) {
	sent := make(chan syscall.Signal, 100)
	p, err := Start(Config{Command: "exit 0", Dir: "/", kill: func(_ int, sig syscall.Signal) error { sent <- sig; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	p.Release()
	p.Terminate()
	p.TerminateNow()
	p.Release()
	if len(sent) > 0 {
		t.Errorf("sent %v", <-sent)
	}
}

// A program that waits for all its children takes ends that are ours. A code is
// not invented then.
func TestEnd_stolen(t *testing.T) {
	p, err := Start(Config{Command: "exit 7", Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(p.PID(), &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	end := p.End()
	p.Release()
	if end.Lost != (end.Code == -1) || !end.Lost && end.Code != 7 || end.Signal != 0 {
		t.Errorf("got %+v", end)
	}
}
