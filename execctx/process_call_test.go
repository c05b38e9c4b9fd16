package execctx

import (
	"strings"
	"testing"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// pretendedCall starts a foreground command that ends when the test says so.
func pretendedCall(t *testing.T, dir string) (*ProcessContext, *owner, ForegroundCall, *pretended) {
	t.Helper()
	c, last := pretend()
	h, err := c.Spawn(t.Context(), SpawnConfig{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	call, err := c.StartExec(t.Context(), h, ExecRequest{Command: "x", OutputDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c, c.owners[h.ID], call, last.Load()
}

// An exit code that nobody saw is not made up, neither in the foreground nor
// after a move.
func TestExec_lostEnd(t *testing.T) {
	end := proc.End{Code: -1, Lost: true}
	_, _, call, p := pretendedCall(t, "")
	p.exit(end)
	result, err := call.Result()
	if err == nil || !strings.Contains(err.Error(), proc.LostEnd) || result.ExitCode != nil {
		t.Errorf("got %+v, %v", result, err)
	}

	_, _, call, p = pretendedCall(t, t.TempDir())
	told := make(chan ExitInfo, 1)
	if _, err := call.Move(MoveRequest{OnExit: func(info ExitInfo) { told <- info }}); err != nil {
		t.Fatal(err)
	}
	p.exit(end)
	if info := <-told; info.Status != StatusLost || info.ExitCode != nil || len(info.Warnings) != 1 {
		t.Errorf("told %+v", info)
	}
}

// EX-47: a process that left something running is held until the handle is
// destroyed, or until that has ended and another one is held.
func TestExec_holdsWhatIsLeft_EX47(t *testing.T) {
	c, o, call, first := pretendedCall(t, "")
	kept := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(o.kept)
	}
	left := proc.End{Survivors: []int{1}}
	first.exit(left)
	<-call.Done()
	if kept() != 1 {
		t.Errorf("%d processes are held, want 1", kept())
	}
	for _, vacant := range []bool{false, true} {
		first.vacant.Store(vacant)
		again, err := c.StartExec(t.Context(), o.Handle, ExecRequest{Command: "x"})
		if err != nil {
			t.Fatal(err)
		}
		again.(*processCall).proc.(*pretended).exit(left)
		<-again.Done()
	}
	if kept() != 2 {
		t.Errorf("%d processes are held, want 2 of 3: one is vacant", kept())
	}
}
