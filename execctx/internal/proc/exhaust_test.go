//go:build unix

package proc_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// Whichever descriptor is the one too many: a start either works or fails, and a
// failed one leaves none.
func TestStart_withoutDescriptors_EX42(t *testing.T) {
	before := descriptors(t)
	if before < 0 {
		t.Skip("descriptors cannot be counted here")
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	failed, worked := 0, 0
	for spare := range uint64(12) {
		filler := fill(t, limit, spare)
		out := &output{}
		p, err := proc.Start(proc.Config{Command: "echo x", Dir: "/", Output: out})
		if err == nil {
			worked++
			if end := p.End(); end.Code != 0 || out.String() != "x\n" {
				t.Errorf("with %d to spare: %+v, %q", spare, end, out)
			}
			p.Release()
		} else if failed++; !errors.Is(err, syscall.EMFILE) {
			t.Errorf("with %d to spare: %v", spare, err)
		}
		filler()
		if after := descriptors(t); after != before {
			t.Fatalf("with %d to spare: %d descriptors before, %d after", spare, before, after)
		}
	}
	if failed == 0 || worked == 0 {
		t.Errorf("%d starts failed, %d worked", failed, worked)
	}
}

// fill opens files until only so many descriptors are left, and gives a function
// that undoes that.
func fill(t *testing.T, old syscall.Rlimit, spare uint64) (undo func()) {
	t.Helper()
	low := old
	low.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var fds []int
	for {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		fds = append(fds, fd)
	}
	for range min(spare, uint64(len(fds))) {
		syscall.Close(fds[len(fds)-1])
		fds = fds[:len(fds)-1]
	}
	return func() {
		for _, fd := range fds {
			syscall.Close(fd)
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
			t.Fatal(err)
		}
	}
}

// A wide storm: hundreds of children at once, each with a child, all of whom
// ignore SIGTERM.
func TestTerminate_wideStorm_EX5(t *testing.T) {
	p, out := start(t, `trap '' TERM; i=0; while [ $i -lt 200 ]; do (sleep 600 & wait) & i=$((i+1)); done; echo go; wait`, quick)
	lines(t, out, 1)
	p.Terminate()
	ended(t, p)
	if living, _ := group(t, p.PID()); living > 0 {
		t.Errorf("%d of the group are left", living)
	}
}

// EX-41: for any sequence of writes by several processes of the group, and any
// pauses between, exactly what was written arrives.
func TestPump_anyWrites_EX41(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var script, want strings.Builder
		for i, size := range rapid.SliceOfN(rapid.IntRange(0, 200_000), 1, 6).Draw(r, "sizes") {
			letter := string(rune('a' + i))
			part := fmt.Sprintf("head -c %d /dev/zero | tr '\\0' %s", size, letter)
			switch rapid.IntRange(0, 2).Draw(r, "how") {
			case 0: // by a child that is waited for
				part = "(" + part + ")"
			case 1: // on the other stream
				part += " >&2"
			case 2: // by one that the leader does not see
				part = "{ (" + part + ") & wait; }"
			}
			script.WriteString(part + "\n")
			want.WriteString(strings.Repeat(letter, size))
		}
		out := &output{}
		p, err := proc.Start(proc.Config{Command: script.String(), Dir: "/", Env: os.Environ(), Output: out})
		if err != nil {
			r.Fatal(err)
		}
		end := p.End()
		p.Release()
		if got := out.String(); got != want.String() || end.Code != 0 {
			r.Fatalf("%d bytes were written, %d came, %+v", want.Len(), len(got), end)
		}
	})
}
