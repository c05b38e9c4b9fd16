//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

// bench is a process context with one handle in a folder of its own.
type bench struct {
	*testing.T
	c     *execctx.ProcessContext
	h     execctx.Handle
	clock *exectest.Clock // nil: the machine's
}

func newBench(t *testing.T, change ...func(*execctx.ProcessOptions)) *bench {
	t.Helper()
	opts := execctx.ProcessOptions{KillGrace: 50 * time.Millisecond}
	for _, f := range change {
		f(&opts)
	}
	b := &bench{T: t, c: execctx.NewProcess(opts)}
	b.clock, _ = opts.Clock.(*exectest.Clock)
	b.h = b.spawn()
	return b
}

func fakeClock(opts *execctx.ProcessOptions) {
	opts.Clock = exectest.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
}

func (b *bench) spawn() execctx.Handle {
	b.Helper()
	h, err := b.c.Spawn(b.Context(), execctx.SpawnConfig{CWD: b.TempDir(), Env: map[string]string{"OF": "the handle"}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := b.c.Destroy(context.Background(), h); err != nil {
			b.Error(err)
		}
	})
	return h
}

func (b *bench) exec(req execctx.ExecRequest) execctx.ExecResult {
	b.Helper()
	result, err := b.c.Exec(b.Context(), b.h, req)
	if err != nil {
		b.Fatal(err)
	}
	return result
}

func (b *bench) start(ctx context.Context, req execctx.ExecRequest) execctx.ForegroundCall {
	b.Helper()
	call, err := execctx.StartExec(ctx, b.c, b.h, req)
	if err != nil {
		b.Fatal(err)
	}
	return call
}

// file gives the content of a file of the handle once it ends with a newline.
func (b *bench) file(name string) string {
	b.Helper()
	var text []byte
	b.eventually(name+" is written", func() bool {
		text, _ = os.ReadFile(filepath.Join(b.h.CWD, name))
		return strings.HasSuffix(string(text), "\n")
	})
	return strings.TrimSpace(string(text))
}

func (b *bench) eventually(what string, condition func() bool) {
	b.Helper()
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-limit:
			b.Fatalf("not within a minute: %s", what)
		}
	}
}

// gone waits until a process does not run any more.
func (b *bench) gone(pid string) {
	b.Helper()
	b.eventually("the end of process "+pid, func() bool { return !runs(b.T, pid) })
}

func runs(t *testing.T, pid string) bool {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		return syscall.Kill(n, 0) == nil
	}
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(text), ") Z ") && !strings.Contains(string(text), ") X ")
}

func code(n int) *int { return &n }

func TestExec_EX53(t *testing.T) {
	b := newBench(t)
	if err := os.Mkdir(filepath.Join(b.h.CWD, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		req  execctx.ExecRequest
		want execctx.ExecResult
	}{
		{"EX-53: output and code", execctx.ExecRequest{Command: "echo out; echo err >&2; exit 3"},
			execctx.ExecResult{Output: []byte("out\nerr\n"), ExitCode: code(3)}},
		{"EX-10: a signal", execctx.ExecRequest{Command: "kill -TERM $$"},
			execctx.ExecResult{Output: []byte{}, ExitCode: code(143), Signal: "SIGTERM"}},
		{"EX-31: nothing to read", execctx.ExecRequest{Command: "cat; echo end"},
			execctx.ExecResult{Output: []byte("end\n"), ExitCode: code(0)}},
		{"a relative folder", execctx.ExecRequest{Command: `basename "$(pwd)"`, CWD: "sub"},
			execctx.ExecResult{Output: []byte("sub\n"), ExitCode: code(0)}},
		{"variables", execctx.ExecRequest{Command: `echo "$OF, $MINE"`, Env: map[string]string{"MINE": "the request"}},
			execctx.ExecResult{Output: []byte("the handle, the request\n"), ExitCode: code(0)}},
		{"variables over the handle's", execctx.ExecRequest{Command: `echo "$OF"`, Env: map[string]string{"OF": "the request"}},
			execctx.ExecResult{Output: []byte("the request\n"), ExitCode: code(0)}},
		{"output within the limit", execctx.ExecRequest{Command: "printf 0123456789", MaxOutputBytes: 4},
			execctx.ExecResult{Output: []byte("01\n[6 bytes left out]\n89"), DroppedBytes: 6, ExitCode: code(0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := b.exec(tt.req)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(execctx.ExecResult{}, "DurationMS")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A gigabyte does not stay in memory, and blocks nobody.
func TestExec_muchOutput_EX53(t *testing.T) {
	size := int64(1 << 30)
	if testing.Short() {
		size = 64 << 20
	}
	b := newBench(t)
	got := b.exec(execctx.ExecRequest{Command: fmt.Sprintf("head -c %d /dev/zero", size)})
	if kept := int64(execctx.DefaultMaxExecOutput); got.DroppedBytes != size-kept || int64(len(got.Output)) > kept+100 {
		t.Errorf("%d bytes kept, %d dropped of %d", len(got.Output), got.DroppedBytes, size)
	}
}

// tree is a command whose leader and grandchildren note their numbers in files;
// the grandchild ignores SIGTERM.
const tree = `echo $$ > leader; (trap '' TERM; sh -c 'echo $$ > child; while :; do sleep 0.01; done') & wait; wait`

func (b *bench) treeIsGone(leader, child string) {
	b.Helper()
	for _, pid := range []string{leader, child} {
		if runs(b.T, pid) {
			b.Errorf("process %s lives on", pid)
		}
	}
}

func TestExec_timeout_EX5(t *testing.T) {
	b := newBench(t, fakeClock)
	call := b.start(t.Context(), execctx.ExecRequest{Command: "trap 'exit 5' TERM; echo begun; " + tree, Timeout: time.Hour})
	leader, child := b.file("leader"), b.file("child")
	b.clock.Advance(time.Hour)
	got, err := call.Result()
	if err != nil || !got.TimedOut || got.ExitCode == nil || *got.ExitCode != 5 || string(got.Output) != "begun\n" {
		t.Errorf("got %+v, %v", got, err)
	}
	b.treeIsGone(leader, child)
	if pending := b.clock.Pending(); pending != 0 {
		t.Errorf("%d timers are left", pending)
	}
}

func TestExec_canceled_EX5(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	call := b.start(ctx, execctx.ExecRequest{Command: "echo begun; " + tree})
	leader, child := b.file("leader"), b.file("child")
	cause := errors.New("nobody wants it any more")
	cancel(cause)
	got, err := call.Result()
	if !errors.Is(err, cause) || got.TimedOut || string(got.Output) != "begun\n" || got.Signal != "SIGTERM" {
		t.Errorf("got %+v, %v", got, err)
	}
	b.treeIsGone(leader, child)
	if _, err := b.c.Exec(ctx, b.h, execctx.ExecRequest{Command: "touch started"}); !errors.Is(err, cause) {
		t.Errorf("with a context that has ended: %v", err)
	}
	if _, err := os.Stat(filepath.Join(b.h.CWD, "started")); err == nil {
		t.Error("it was started all the same")
	}
}

// EX-47, EX-14: destroy ends foreground commands, and they are no tasks.
func TestExec_destroy_EX47(t *testing.T) {
	b := newBench(t)
	h := b.h
	call := b.start(t.Context(), execctx.ExecRequest{Command: tree, OutputDir: t.TempDir()})
	leader, child := b.file("leader"), b.file("child")
	if tasks, err := b.c.ListBackground(t.Context(), h); err != nil || len(tasks) != 0 {
		t.Errorf("a foreground command is listed: %v, %v", tasks, err)
	}
	if err := b.c.Destroy(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	got, err := call.Result()
	if err != nil || got.ExitCode == nil || *got.ExitCode != 143 {
		t.Errorf("got %+v, %v", got, err)
	}
	b.treeIsGone(leader, child)
	if _, err := call.Move(execctx.MoveRequest{}); !errors.Is(err, execctx.ErrEnded) {
		t.Errorf("a move after that gives %v", err)
	}
	if _, err := b.c.Exec(t.Context(), h, execctx.ExecRequest{Command: "true"}); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("a command after that gives %v", err)
	}
}

// EX-47: what a command leaves behind goes on, is named, and ends with the
// handle.
func TestExec_leavesSomethingBehind_EX47(t *testing.T) {
	b := newBench(t)
	got := b.exec(execctx.ExecRequest{Command: "sleep 600 >/dev/null 2>&1 & echo $!"})
	child := strings.TrimSpace(string(got.Output))
	if len(got.Warnings) != 1 || runtime.GOOS == "linux" && !strings.Contains(got.Warnings[0], child) || !runs(t, child) {
		t.Errorf("got %+v, process %s runs: %v", got, child, runs(t, child))
	}
	if err := b.c.Destroy(t.Context(), b.h); err != nil {
		t.Fatal(err)
	}
	if runs(t, child) {
		t.Errorf("process %s survives destroy", child)
	}
}

// EX-51: a command that leaves the group is not ended, and said.
func TestExec_daemon_EX51(t *testing.T) {
	b := newBench(t)
	if strings.Contains(string(b.exec(execctx.ExecRequest{Command: "command -v setsid || echo none"}).Output), "none") {
		t.Skip("no setsid program on PATH")
	}
	got := b.exec(execctx.ExecRequest{Command: `setsid sh -c 'echo $$ > daemon; exec sleep 600' & until [ -s daemon ]; do sleep 0.01; done`})
	daemon := b.file("daemon")
	defer func() {
		n, _ := strconv.Atoi(daemon)
		_ = syscall.Kill(n, syscall.SIGKILL)
	}()
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "left the process group") || !runs(t, daemon) {
		t.Errorf("got %+v, the daemon runs: %v", got, runs(t, daemon))
	}
}

func TestExec_cannotStart(t *testing.T) {
	b := newBench(t)
	out := filepath.Join(b.h.CWD, "out")
	for _, tt := range []struct {
		name string
		req  execctx.ExecRequest
		want error
	}{
		{"missing folder", execctx.ExecRequest{Command: "true", CWD: "none", OutputDir: out}, fs.ErrNotExist},
		{"NUL byte", execctx.ExecRequest{Command: "a\x00b", OutputDir: out}, syscall.EINVAL},
		{"too long", execctx.ExecRequest{Command: strings.Repeat("x", 4<<20), OutputDir: out}, syscall.E2BIG},
		{"output folder is a file", execctx.ExecRequest{Command: "true", OutputDir: "/dev/null"}, syscall.ENOTDIR},
		{"a variable without name", execctx.ExecRequest{Command: "true", Env: map[string]string{"": "x"}}, nil},
	} {
		_, err := b.c.Exec(t.Context(), b.h, tt.req)
		var launch *execctx.LaunchError
		if !errors.As(err, &launch) || launch.Command != tt.req.Command || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

// EX-42: neither descriptors nor files are left, of commands at the same time.
func TestExec_leavesNothing_EX42(t *testing.T) {
	b := newBench(t)
	out := t.TempDir()
	open := func() int { entries, _ := os.ReadDir("/proc/self/fd"); return len(entries) }
	b.exec(execctx.ExecRequest{Command: "true"})
	before := open()
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			got, err := b.c.Exec(b.Context(), b.h, execctx.ExecRequest{Command: fmt.Sprint("echo ", i), OutputDir: out})
			if err != nil || string(got.Output) != fmt.Sprintln(i) || len(got.Warnings) > 0 {
				t.Errorf("%d: %+v, %v", i, got, err)
			}
		})
	}
	all.Wait()
	if after := open(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

// The files of a handle are found from its folder.
func TestFiles_ofAHandle(t *testing.T) {
	b := newBench(t)
	ctx := t.Context()
	if err := b.c.WriteFile(ctx, b.h, "a/b", []byte("x")); err != nil {
		t.Fatal(err)
	}
	data, err := b.c.ReadFile(ctx, b.h, filepath.Join(b.h.CWD, "a", "b"))
	if err != nil || string(data) != "x" {
		t.Errorf("got %q, %v", data, err)
	}
	infos, err := b.c.ListFiles(ctx, b.h, "")
	if diff := cmp.Diff([]execctx.FileInfo{{Name: "a", Dir: true}}, infos); diff != "" || err != nil {
		t.Error(diff, err)
	}
	unknown := execctx.Handle{ID: "other"}
	_, read := b.c.ReadFile(ctx, unknown, "x")
	_, list := b.c.ListFiles(ctx, unknown, "x")
	for _, err := range []error{read, list, b.c.WriteFile(ctx, unknown, "x", nil)} {
		if !errors.Is(err, execctx.ErrUnknownHandle) {
			t.Errorf("for an unknown handle: %v", err)
		}
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, read = b.c.ReadFile(gone, b.h, "a/b")
	_, list = b.c.ListFiles(gone, b.h, "a")
	for _, err := range []error{read, list, b.c.WriteFile(gone, b.h, "a/b", nil)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended: %v", err)
		}
	}
}

// Foreground commands need no more than this from start to end.
func BenchmarkExec(b *testing.B) {
	c := execctx.NewProcess(execctx.ProcessOptions{})
	h, err := c.Spawn(b.Context(), execctx.SpawnConfig{CWD: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Exec(b.Context(), h, execctx.ExecRequest{Command: ":"}); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.Destroy(context.Background(), h); err != nil {
		b.Fatal(err)
	}
}
