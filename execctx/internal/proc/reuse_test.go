//go:build linux

package proc_test

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

// sleeper starts a stranger, a group of its own, with a number as near to want
// as the system gives it out.
func sleeper(t *testing.T, want int) *exec.Cmd {
	t.Helper()
	if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(want-1)), 0); err != nil {
		t.Skipf("numbers cannot be chosen here, which takes a privilege: %v", err)
	}
	cmd := exec.Command("sleep", "600")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// Pid reuse, EX-44: nobody gets the number of a group that we may still signal,
// neither while only survivors of it are left, nor when these have ended.
func TestRelease_reuse_EX44(t *testing.T) {
	p, out := start(t, `sleep 600 >/dev/null 2>&1 & echo $!`, quick)
	child := number(t, lines(t, out, 1)[0])
	ended(t, p)
	if stranger := sleeper(t, p.PID()); stranger.Process.Pid == p.PID() {
		t.Fatal("a stranger has the number while somebody of the group lives")
	}
	if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the survivor has ended", func() bool { return !alive(child) })
	if stranger := sleeper(t, p.PID()); stranger.Process.Pid == p.PID() {
		t.Fatal("a stranger has the number before it was given back")
	}
	p.Release()
}

// Who gets the number after Release is not signalled by us.
func TestRelease_thenReuse_EX44(t *testing.T) {
	p, _ := start(t, "exit 0")
	ended(t, p)
	p.Release()
	// Somebody else on the machine may be faster.
	for range 50 {
		stranger := sleeper(t, p.PID())
		if stranger.Process.Pid != p.PID() {
			continue
		}
		p.Terminate()
		p.TerminateNow()
		p.Release()
		if !alive(stranger.Process.Pid) {
			t.Error("the stranger was signalled")
		}
		return
	}
	t.Skip("nobody got the number after Release")
}

// The number is kept, too, between the end of the leader and that of the output.
func TestEnd_reuse_EX44(t *testing.T) {
	p, out := start(t, `sleep 600 & echo $!; exit 3`, quick)
	lines(t, out, 1)
	eventually(t, "the leader has ended", func() bool { return !alive(p.PID()) })
	if stranger := sleeper(t, p.PID()); stranger.Process.Pid == p.PID() {
		t.Fatal("a stranger has the number of a command that is not over")
	}
	p.Terminate()
	if end := ended(t, p); end.Code != 3 || end.Asked {
		t.Errorf("got %+v", end)
	}
}
