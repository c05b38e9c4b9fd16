//go:build unix

package supervised

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
	"github.com/stophook/stophook/execctx/internal/proc"
)

// A plan arrives as it was sent, whatever is in it; one that was cut off, where
// ever, is none.
func TestPlan_cutOff(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n\xff=\x01ü")), 0, 20, -1)
		want := &plan{
			dir: text.Draw(r, "dir"), command: text.Draw(r, "command") + "\xff", grace: time.Duration(rapid.Int64Min(0).Draw(r, "grace")),
			record: launchRecord{TaskID: "bash_1", Command: text.Draw(r, "note")}, env: rapid.SliceOf(text).Draw(r, "env"),
		}
		data, err := want.encode()
		if err != nil {
			r.Fatal(err)
		}
		got, err := readPlan(bytes.NewReader(data))
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(want.env, got.env, cmp.Transformer("text", func(e []string) string { return strings.Join(e, "\x00") })); diff != "" ||
			got.dir != want.dir || got.command != want.command || got.grace != want.grace || got.record.TaskID != "bash_1" {
			r.Fatalf("%s; got %+v, want %+v", diff, got, want)
		}
		cut := rapid.IntRange(0, len(data)-1).Draw(r, "cut")
		if _, err := readPlan(bytes.NewReader(data[:cut])); err == nil {
			r.Fatalf("%d of %d bytes are a plan", cut, len(data))
		}
	})
}

// EX-10, D-41: what an end comes to, with clocks that jump.
func TestExitOf_EX10_D41(t *testing.T) {
	for name, tt := range map[string]struct {
		end  proc.End
		want exitRecord
	}{
		"a code":           {proc.End{Code: 3, Elapsed: 1500 * time.Millisecond}, exitRecord{Status: execctx.StatusExited, ExitCode: ptr(3), DurationMS: 1500}},
		"a signal":         {proc.End{Code: 137, Signal: syscall.SIGKILL}, exitRecord{Status: execctx.StatusKilled, ExitCode: ptr(137), Signal: "SIGKILL"}},
		"asked, own code":  {proc.End{Code: 5, Asked: true}, exitRecord{Status: execctx.StatusKilled, ExitCode: ptr(5)}},
		"time ran back":    {proc.End{Elapsed: -time.Hour}, exitRecord{Status: execctx.StatusExited, ExitCode: ptr(0)}},
		"a taken end":      {proc.End{Lost: true, Code: -1}, exitRecord{Status: execctx.StatusLost, Warnings: []string{proc.LostEnd}}},
		"somebody is left": {proc.End{Survivors: []int{7}}, exitRecord{Status: execctx.StatusExited, ExitCode: ptr(0), Survivors: true, Warnings: proc.End{Survivors: []int{7}}.Warnings()}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, exitOf(launchRecord{}, tt.end, 0, nil), cmp.AllowUnexported(exitRecord{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func ptr(n int) *int { return &n }

// The clock of a context names its logs and ends its waits, and may jump.
func TestClock_EX35(t *testing.T) {
	l := newLab(t)
	clock := exectest.NewClock(time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC))
	c, h := l.open(theHandle, func(o *Options) { o.Clock = clock })
	got := l.launch(c, h, awaitGo)
	if name := filepath.Base(got.OutputPath); name != "bash_1.20260301-060000-000.log" {
		t.Errorf("the log is %s", name)
	}
	waits := make(chan *execctx.ExitInfo, 1)
	go func() {
		info, _ := c.WaitBackground(t.Context(), h, got.TaskID, time.Hour)
		waits <- info
	}()
	if !clock.AwaitPending(1, t.Context().Done()) {
		t.Fatal("no timer")
	}
	clock.Set(time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC))
	clock.Advance(time.Hour)
	if info := <-waits; info != nil {
		t.Errorf("a wait that timed out gave %+v", info)
	}
	l.touch("go")
	l.wantCode(l.ended2(c, h, got.TaskID), execctx.StatusExited, 3)
}

// ended2 waits without a timeout, for contexts whose clock stands still.
func (l *lab) ended2(c *Context, h execctx.Handle, id string) execctx.ExitInfo {
	l.Helper()
	info, err := c.WaitBackground(l.Context(), h, id, 0)
	if err != nil || info == nil {
		l.Fatalf("wait for %s: %v, %v", id, info, err)
	}
	return *info
}

// The command gets the environment that was asked for, the mark of its task, and
// nothing of the supervisor's; none of its descriptors, a session of its own.
func TestCommand_surroundings(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle, func(o *Options) {
		o.Env = []string{"PATH=" + os.Getenv("PATH"), "A=1", "B=1", envRun + "=" + os.Getenv(envRun), markVariable + "=another"}
	})
	h, err := c.Spawn(t.Context(), execctx.SpawnConfig{HandleID: theHandle, Env: map[string]string{"B": "2", "C": "2"}})
	if err != nil {
		t.Fatal(err)
	}
	req := l.request("env | sort; ls /proc/self/fd 2>/dev/null")
	req.Env = map[string]string{"C": "3", "D": "a b"}
	got, err := c.ExecBackground(t.Context(), h, req)
	if err != nil {
		t.Fatal(err)
	}
	l.wantCode(l.ended(c, h, got.TaskID), execctx.StatusExited, 0)
	text, _ := os.ReadFile(got.OutputPath)
	for _, want := range []string{"A=1\n", "B=2\n", "C=3\n", "D=a b\n", markVariable + "=" + l.record("bash_1").Mark + "\n"} {
		if !strings.Contains("\n"+string(text), "\n"+want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	for _, no := range []string{supervisorMark, "GOMAXPROCS", "=another"} {
		if strings.Contains(string(text), no) {
			t.Errorf("%q is in %q", no, text)
		}
	}
	if linux() && !strings.HasSuffix(string(text), "\n0\n1\n2\n3\n") { // 3 is ls's own
		t.Errorf("descriptors: %q", text[max(0, len(text)-40):])
	}
}

// Environments and names that cannot be are refused (EX-38).
func TestLaunch_refuses(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	for name, change := range map[string]func(*execctx.LaunchRequest){
		"a variable without a name": func(r *execctx.LaunchRequest) { r.Env = map[string]string{"": "x"} },
		"a NUL in a variable":       func(r *execctx.LaunchRequest) { r.Env = map[string]string{"A": "x\x00"} },
		"a NUL in the command":      func(r *execctx.LaunchRequest) { r.Command = "a\x00b" },
		"no directory for output":   func(r *execctx.LaunchRequest) { r.OutputDir = "" },
		"a path that is no text":    func(r *execctx.LaunchRequest) { r.OutputDir = "a\xff" },
		"a missing directory":       func(r *execctx.LaunchRequest) { r.CWD = "nowhere" },
		"a command too long":        func(r *execctx.LaunchRequest) { r.Command = strings.Repeat("x", 1<<20) },
	} {
		t.Run(name, func(t *testing.T) {
			req := l.request("true")
			change(&req)
			if got, err := c.ExecBackground(t.Context(), h, req); err == nil {
				t.Errorf("launched %+v", got)
			}
		})
	}
	l.wantNothing(c, h)
}

// A supervisor started by hand says what it is.
func TestSupervise_byHand(t *testing.T) {
	l := newLab(t)
	result, err := func() (execctx.ExecResult, error) {
		c, h := l.open(theHandle)
		return c.Exec(t.Context(), h, execctx.ExecRequest{Command: os.Args[0] + " " + SupervisorArg + " 3>&- 4>&-"})
	}()
	if err != nil || *result.ExitCode != 2 || !strings.Contains(string(result.Output), "of no use by hand") {
		t.Errorf("%s %+v, %v", result.Output, result, err)
	}
}

// The supervisor takes SIGTERM for a wish to end the command (EX-5), and no other
// signal of a terminal.
func TestSupervisor_signals_EX5(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, "exec sleep 1000")
	supervisor := l.record("bash_1").Supervisor.PID
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGTERM} {
		if entry := l.list(c, h)[0]; entry.Status != execctx.StatusRunning {
			t.Fatalf("%s before %v", entry.Status, sig)
		}
		if err := syscall.Kill(supervisor, sig); err != nil {
			t.Fatal(err)
		}
	}
	l.wantCode(l.ended(c, h, got.TaskID), execctx.StatusKilled, 143)
}

// What the host itself inherited from a script around it is not held by the
// supervisor, which outlives both.
func TestSupervisor_holdsNothing(t *testing.T) {
	if !linux() {
		t.Skip("descriptors of other processes are seen on Linux only")
	}
	l := newLab(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	p := l.prepare(theHandle)
	p.cmd.ExtraFiles = []*os.File{read, read, read, write, read} // 6 is beyond those that a supervisor expects
	p.start()
	p.launch("exec sleep 1000")
	pipe, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(write.Fd())))
	if err != nil {
		t.Fatal(err)
	}
	dir := "/proc/" + strconv.Itoa(l.record("bash_1").Supervisor.PID) + "/fd/"
	fds, err := os.ReadDir(dir)
	if err != nil || len(fds) == 0 {
		t.Fatal(fds, err)
	}
	for _, fd := range fds {
		if to, _ := os.Readlink(dir + fd.Name()); to == pipe {
			t.Errorf("descriptor %s is %s", fd.Name(), to)
		}
	}
	l.open(theHandle) // destroys it at the end
}

// The command's signals are as in the foreground: none is ignored because its
// supervisor lives on.
func TestCommand_signals(t *testing.T) {
	if !linux() {
		t.Skip("what a process ignores is seen on Linux only")
	}
	l := newLab(t)
	c, h := l.open(theHandle)
	command := "yes | head -1; grep Sig[IB] /proc/self/status"
	got := l.launch(c, h, command)
	l.ended(c, h, got.TaskID)
	near, err := c.Exec(t.Context(), h, execctx.ExecRequest{Command: command})
	if err != nil {
		t.Fatal(err)
	}
	l.wantLog(got.OutputPath, string(near.Output))
}
