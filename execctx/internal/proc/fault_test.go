//go:build unix

package proc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// eventually polls for a condition, for a minute at most.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// alive tells whether a process runs; a zombie does not.
func alive(pid int) bool {
	if runtime.GOOS != "linux" {
		return syscall.Kill(pid, 0) == nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ") && !strings.Contains(string(text), ") X ")
}

// lines waits until a command has printed n lines, and gives them.
func lines(t *testing.T, out *output, n int) []string {
	t.Helper()
	eventually(t, fmt.Sprintf("%d lines of output", n), func() bool { return strings.Count(out.String(), "\n") >= n })
	return strings.Fields(out.String())
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func quick(cfg *proc.Config) { cfg.Grace = 50 * time.Millisecond }

func TestTerminate(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		code          int
		signal        syscall.Signal
	}{
		{"EX-5: SIGTERM is enough", "echo $$; exec sleep 600", 143, syscall.SIGTERM},
		{"D-41: the command's own code", "trap 'exit 5' TERM; echo $$; while :; do sleep 0.01; done", 5, 0},
		{"D-15: SIGTERM ignored by all", "trap '' TERM; echo $$; while :; do sleep 0.01; done", 137, syscall.SIGKILL},
		{"a stopped process", "echo $$; kill -STOP $$; exec sleep 600", 143, syscall.SIGTERM},
		{"closes its output and lives on", "echo $$; exec >/dev/null 2>&1; exec sleep 600", 143, syscall.SIGTERM},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, out := start(t, tt.command, quick)
			lines(t, out, 1)
			p.Terminate()
			p.Terminate()
			end := ended(t, p)
			if end.Code != tt.code || end.Signal != tt.signal || !end.Asked {
				t.Errorf("got %+v, want code %d, signal %v, asked for", end, tt.code, tt.signal)
			}
		})
	}
}

// D-15, EX-5: the leader obeys, a grandchild does not, and writes nowhere.
func TestTerminate_grandchildIgnoresSIGTERM(t *testing.T) {
	p, out := start(t, `(trap '' TERM; exec >/dev/null 2>&1; while :; do sleep 0.01; done) & echo $!; exec sleep 600`, quick)
	child := number(t, lines(t, out, 1)[0])
	p.Terminate()
	end := ended(t, p)
	if end.Signal != syscall.SIGTERM || alive(child) {
		t.Errorf("got %+v with the grandchild alive: %v", end, alive(child))
	}
}

// EX-5: everybody below the leader is reached, however deep.
func TestTerminate_wholeTree_EX5(t *testing.T) {
	p, out := start(t, `sh -c 'sh -c "echo \$\$; exec sleep 600" & echo $$; wait' & echo $!; wait`, quick)
	pids := lines(t, out, 3)
	p.Terminate()
	ended(t, p)
	for _, text := range pids {
		if pid := number(t, text); alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// The leader ends by itself while somebody of its group still writes: the
// command is over when that one is, too.
func TestEnd_groupHoldsOutput(t *testing.T) {
	p, out := start(t, `(sleep 0.2; echo late) & echo early; exit 4`)
	end := ended(t, p)
	if out.String() != "early\nlate\n" || end.Code != 4 || end.Escaped || end.Survivors != nil {
		t.Errorf("got %q and %+v", out, end)
	}
}

// The leader ends and leaves somebody who writes nowhere: the command is over,
// the rest is named, keeps the group's number, and is ended by Release.
func TestRelease_survivors_EX47(t *testing.T) {
	p, out := start(t, `sleep 600 >/dev/null 2>&1 & echo $!; exit 4`, quick)
	end := ended(t, p)
	child := number(t, strings.TrimSpace(out.String()))
	if runtime.GOOS == "linux" && (len(end.Survivors) != 1 || end.Survivors[0] != child) || len(end.Survivors) == 0 {
		t.Errorf("want process %d named, got %+v", child, end)
	}
	if end.Code != 4 || !alive(child) {
		t.Errorf("a natural end leaves it alone: %+v, alive: %v", end, alive(child))
	}
	p.Terminate() // too late for this one
	if !alive(child) {
		t.Error("Terminate after the end signals nobody")
	}
	if left := p.Release(); left != nil || alive(child) {
		t.Errorf("Release left %v, alive: %v", left, alive(child))
	}
	if left := p.Release(); left != nil {
		t.Errorf("a second Release gives %v", left)
	}
}

// Pid reuse, EX-44: as long as somebody of the group lives, its number is nobody
// else's, also when the only survivor ends; once it is given back nothing is
// signalled any more.
func TestRelease_numberIsKept_EX44(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the number of a group is kept on Linux only")
	}
	p, out := start(t, `sleep 600 >/dev/null 2>&1 & echo $!`, quick)
	ended(t, p)
	child := number(t, strings.TrimSpace(out.String()))
	if p.Vacant() {
		t.Error("vacant while somebody lives")
	}
	if err := syscall.Kill(child, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the survivor ended", func() bool { return !alive(child) })
	// Nobody lives in the group; the dead anchor still answers for it.
	if err := syscall.Kill(-p.PID(), 0); err != nil {
		t.Errorf("the group's number was given back while the process is held: %v", err)
	}
	if !p.Vacant() {
		t.Error("not vacant though nobody lives")
	}
	p.Release()
	// Dead orphans of the group are the system's to reap; ours must be gone.
	if living, ours := group(t, p.PID()); living+ours > 0 {
		t.Errorf("after Release %d of the group live and %d are children of ours", living, ours)
	}
}

// group counts those of a group that live, and its children of ours, dead ones
// included.
func group(t *testing.T, pgid int) (living, ours int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		if syscall.Kill(-pgid, 0) == nil {
			living = 1
		}
		return living, 0
	}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if fields[2] != strconv.Itoa(pgid) {
			continue
		}
		if fields[0] != "Z" && fields[0] != "X" {
			living++
		}
		if fields[1] == strconv.Itoa(os.Getpid()) {
			ours++
		}
	}
	return living, ours
}

// EX-51: a process that leaves the group escapes. It is not ended, and said.
func TestEnd_daemon_EX51(t *testing.T) {
	setsid(t)
	for _, kill := range []bool{false, true} {
		p, out := start(t, `setsid sh -c 'echo $$; exec sleep 600' & sleep 0.2; `+map[bool]string{true: "exec sleep 600", false: "exit 0"}[kill],
			quick, func(cfg *proc.Config) { cfg.Drain = 50 * time.Millisecond })
		daemon := number(t, lines(t, out, 1)[0])
		defer syscall.Kill(daemon, syscall.SIGKILL)
		if kill {
			p.Terminate()
		}
		end := ended(t, p)
		if runtime.GOOS == "linux" && (len(end.Holders) != 1 || end.Holders[0] != daemon) {
			t.Errorf("want process %d named, got %v", daemon, end.Holders)
		}
		if !end.Escaped || !alive(daemon) {
			t.Errorf("kill %v: want it said and alone, got %+v, alive: %v", kill, end, alive(daemon))
		}
	}
}

func setsid(t *testing.T) {
	t.Helper()
	for dir := range strings.SplitSeq(os.Getenv("PATH"), ":") {
		if _, err := os.Stat(dir + "/setsid"); err == nil {
			return
		}
	}
	t.Skip("no setsid program on PATH")
}

// A storm of forks, bounded here in width and depth, ends as a whole.
func TestTerminate_forkStorm(t *testing.T) {
	p, out := start(t, `storm() { [ $1 = 0 ] && exec sleep 600; storm $(($1-1)) & storm $(($1-1)) & wait; }
		trap '' TERM; echo go; storm 7`, quick)
	lines(t, out, 1)
	p.Terminate()
	ended(t, p)
	if living, _ := group(t, p.PID()); living > 0 {
		t.Errorf("%d of the group are left", living)
	}
}

// Starts at the same time do not hold each other's output open.
func TestStart_parallel(t *testing.T) {
	first, _ := start(t, "exec sleep 600")
	var group sync.WaitGroup
	for i := range 100 {
		group.Go(func() {
			out := &output{}
			p, err := proc.Start(proc.Config{Command: fmt.Sprintf("echo %d", i), Dir: t.TempDir(), Env: os.Environ(), Output: out})
			if err != nil {
				t.Error(err)
				return
			}
			if end := p.End(); end.Code != 0 || end.Escaped || out.String() != fmt.Sprintf("%d\n", i) {
				t.Errorf("%d: %+v, %q", i, end, out)
			}
			p.Release()
		})
	}
	group.Wait()
	first.TerminateNow()
	if end := ended(t, first); end.Signal != syscall.SIGKILL || !end.Asked {
		t.Errorf("%+v", end)
	}
}

// A wall clock that jumps back makes no negative duration.
func TestEnd_clockJumps(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p, _ := start(t, "exit 0", func(cfg *proc.Config) { cfg.Now = func() time.Time { now = now.Add(-time.Hour); return now } })
	if end := ended(t, p); end.Elapsed <= 0 || !end.At.Equal(now) {
		t.Errorf("%+v", end)
	}
}

func TestStart_fails(t *testing.T) {
	before := descriptors(t)
	for _, tt := range []struct{ name, command, dir, want string }{
		{"missing folder", "true", "/does/not/exist", "no such file"},
		{"folder is a file", "true", "/dev/null", "not a directory"},
		{"NUL byte", "echo a\x00b", "/", "invalid argument"},
		{"too long", strings.Repeat("x", 4<<20), "/", "argument list too long"},
	} {
		p, err := proc.Start(proc.Config{Command: tt.command, Dir: tt.dir})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: want an error with %q, got %v, %v", tt.name, tt.want, p, err)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// descriptors counts what this process has open; -1 where that cannot be seen.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	return len(entries)
}

// EX-41: not a byte is lost, whatever the sizes of the writes.
func TestPump_losesNothing_EX41(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 65536, 65537, 3_000_000} {
		p, out := start(t, fmt.Sprintf("head -c %d /dev/zero; printf end", size))
		ended(t, p)
		if got := len(out.String()); got != size+3 || !strings.HasSuffix(out.String(), "end") {
			t.Errorf("%d bytes were written, %d came", size+3, got)
		}
	}
}

func TestOnEnd_comesBeforeDone(t *testing.T) {
	var p *proc.Process
	told := make(chan proc.End, 2)
	release := make(chan struct{})
	p, _ = start(t, "exit 2", func(cfg *proc.Config) {
		cfg.OnEnd = func(e proc.End) { told <- e; <-release }
	})
	end := <-told
	select {
	case <-p.Done():
		t.Error("Done before OnEnd returned")
	default:
	}
	close(release)
	if got := ended(t, p); got.Code != end.Code || len(told) != 0 {
		t.Errorf("told %+v, ended %+v, told again: %d", end, got, len(told))
	}
}
