//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
	"github.com/stophook/stophook/execctx/internal/proc"
)

func TestProcessLaunch_EX2(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	before := time.Now()
	got := launch(t, c, h, "sleep 1000")
	if after := time.Now(); got.StartedAt.Before(before) || got.StartedAt.After(after) {
		t.Errorf("started at %v, not between %v and %v", got.StartedAt, before, after)
	}
	if got.TaskID != "bash_1" || filepath.Dir(got.OutputPath) != filepath.Join(h.CWD, "tasks") {
		t.Errorf("launched %+v", got)
	}
	t.Run("EX-30: in a process group of its own", func(t *testing.T) {
		group, err := syscall.Getpgid(got.PID)
		if err != nil || group != got.PID {
			t.Errorf("process %d has the group %d, %v", got.PID, group, err)
		}
	})
	entry := list(t, c, h)[0]
	if entry.Status != execctx.StatusRunning || entry.ExitCode != nil || !entry.EndedAt.IsZero() {
		t.Errorf("listed as %+v", entry)
	}
}

func TestProcessLaunch_command(t *testing.T) {
	c := execctx.NewProcess(execctx.ProcessOptions{Env: []string{"PATH=" + os.Getenv("PATH"), "A=context", "B=context", "C=context"}})
	ctx := context.Background()
	dir := t.TempDir()
	h, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: dir, Env: map[string]string{"B": "handle", "C": "handle"}})
	if err != nil {
		t.Fatal(err)
	}
	defer destroy(t, c, h)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		command, cwd string
		env          map[string]string
		want         string
	}{
		"EX-30: through a shell":                {command: "X=1; test $X = 1 && echo yes | cat", want: "yes\n"},
		"EX-31: there is no input":              {command: "cat; read x || echo none", want: "none\n"},
		"EX-32: both streams, as they come":     {command: "echo 1; echo 2 >&2; echo 3; echo 4 >&2", want: "1\n2\n3\n4\n"},
		"the handle's directory":                {command: "pwd -P", want: "DIR\n"},
		"a directory below it":                  {command: "pwd -P", cwd: "sub", want: "DIR/sub\n"},
		"an absolute directory":                 {command: "pwd -P", cwd: "/", want: "/\n"},
		"the environment of all three":          {command: "echo $A $B $C $D", env: map[string]string{"C": "task", "D": "x=y z"}, want: "context handle task x=y z\n"},
		"a command that is empty does nothing":  {command: "", want: ""},
		"a command that is not there says so":   {command: "no-such-command 2>/dev/null || echo $?", want: "127\n"},
		"output that is no text stays as it is": {command: `printf '\000\377\n'`, want: "\x00\xff\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := launch(t, c, h, test.command, func(r *execctx.LaunchRequest) { r.CWD, r.Env = test.cwd, test.env })
			ended(t, c, h, got.TaskID)
			real, err := filepath.EvalSymlinks(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.ReplaceAll(test.want, "DIR", real), readLog(t, got.OutputPath)); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProcessLaunch_names_EX33_EX35_EX37(t *testing.T) {
	created := time.Date(2026, 3, 1, 6, 7, 8, 9e6, time.UTC)
	clock := exectest.NewClock(created)
	c, _, h := newFakes(t, execctx.ProcessOptions{Clock: clock})
	clock.Advance(time.Hour) // the stamp is of the context, not of the launch
	for n := range 3 {
		got := launch(t, c, h, "x")
		if want := fmt.Sprintf("bash_%d.20260301-060708-009.log", n+1); filepath.Base(got.OutputPath) != want {
			t.Errorf("log %s, want %s", got.OutputPath, want)
		}
		id, at, ok := execctx.ParseLogName(filepath.Base(got.OutputPath))
		if !ok || id != got.TaskID || !at.Equal(created) {
			t.Errorf("the name of %s says %q, %v, %v", got.TaskID, id, at, ok)
		}
	}
	t.Run("EX-33: another context begins anew", func(t *testing.T) {
		c, _, h := newFakes(t, execctx.ProcessOptions{})
		if got := launch(t, c, h, "x").TaskID; got != "bash_1" {
			t.Error(got)
		}
	})
	t.Run("EX-34: what is no id has no task", func(t *testing.T) {
		for _, id := range []string{"", "bash_0", "bash_01", "bash_4", "bash_1/../bash_1", "bash_1\n", "BASH_1", "1"} {
			if info, err := c.KillBackground(context.Background(), h, id); info != nil || err != nil {
				t.Errorf("%q: %v, %v", id, info, err)
			}
		}
	})
}

func TestProcessLaunch_sharedDirectory_EX36(t *testing.T) {
	dir := t.TempDir()
	clock := exectest.NewClock(time.Now())
	var all []string
	contexts := make([]*execctx.ProcessContext, 3)
	handles := make([]execctx.Handle, 3)
	for i := range contexts {
		contexts[i], _, handles[i] = newFakes(t, execctx.ProcessOptions{Clock: clock, MaxBackgroundTasks: execctx.NoTaskLimit})
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, c := range contexts {
		for range 10 {
			wg.Go(func() {
				got, err := c.ExecBackground(context.Background(), handles[i], execctx.LaunchRequest{Command: "x", OutputDir: dir})
				mu.Lock()
				defer mu.Unlock()
				if err != nil || filepath.Base(got.OutputPath) != execctx.LogName(got.TaskID, execctx.FormatStamp(clock.Now())) {
					t.Errorf("%+v, %v", got, err)
				}
				all = append(all, got.OutputPath)
			})
		}
	}
	wg.Wait()
	slices.Sort(all)
	if n := len(slices.Compact(all)); n != 30 {
		t.Errorf("30 tasks of contexts of one millisecond have %d files", n)
	}
	t.Run("a name that leads nowhere is taken too", func(t *testing.T) {
		c, _, h := newFakes(t, execctx.ProcessOptions{Clock: clock})
		dir := t.TempDir()
		first := filepath.Join(dir, execctx.LogName("bash_1", execctx.FormatStamp(clock.Now())))
		if err := os.Symlink(filepath.Join(dir, "elsewhere"), first); err != nil {
			t.Fatal(err)
		}
		if got := launch(t, c, h, "x", in(dir)).TaskID; got != "bash_2" {
			t.Error(got)
		}
	})
}

func TestProcessLaunch_outputDir_EX38(t *testing.T) {
	c, _, h := newFakes(t, execctx.ProcessOptions{})
	deep := filepath.Join(t.TempDir(), "not", "yet", "there")
	got := launch(t, c, h, "x", in(deep))
	for name, want := range map[string]fs.FileMode{deep: fs.ModeDir | 0o700, got.OutputPath: 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
}

func TestProcessLaunch_limit_EX45(t *testing.T) {
	for name, test := range map[string]struct{ option, want int }{
		"by default": {0, 8}, "as set": {2, 2}, "lifted": {execctx.NoTaskLimit, 50},
	} {
		t.Run(name, func(t *testing.T) {
			c, fs, h := newFakes(t, execctx.ProcessOptions{MaxBackgroundTasks: test.option})
			other := spawn(t, c)
			var want []string
			for n := range test.want {
				want = append(want, launch(t, c, []execctx.Handle{h, other}[n%2], "x").TaskID)
			}
			_, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{Command: "x", OutputDir: "tasks"})
			if test.option < 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var many *execctx.TooManyTasksError
			if !errors.As(err, &many) || many.Limit != test.want || !slices.Equal(many.Running, want) {
				t.Errorf("one more: %v", err)
			}
			fs.nth(2).exit(0, 0)
			if got := launch(t, c, h, "x").TaskID; got != execctx.TaskID(test.want+1) {
				t.Errorf("after an end: %s", got)
			}
		})
	}
	t.Run("many at once", func(t *testing.T) {
		c, _, h := newFakes(t, execctx.ProcessOptions{MaxBackgroundTasks: 5})
		var started sync.Map
		var wg sync.WaitGroup
		for range 40 {
			wg.Go(func() {
				if got, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{Command: "x", OutputDir: "tasks"}); err == nil {
					started.Store(got.TaskID, true)
				}
			})
		}
		wg.Wait()
		want := []string{"bash_1", "bash_2", "bash_3", "bash_4", "bash_5"}
		if diff := cmp.Diff(want, ids(t, c, h)); diff != "" {
			t.Errorf("running (-want +got):\n%s", diff)
		}
		for _, id := range want {
			if _, ok := started.Load(id); !ok {
				t.Errorf("nobody was given %s", id)
			}
		}
	})
}

func TestProcessLaunch_errors(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	file := filepath.Join(h.CWD, "file")
	touch(t, h, "file")
	done, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("changed my mind")
	cancel(reason)
	for name, test := range map[string]struct {
		ctx  context.Context
		req  execctx.LaunchRequest
		is   error
		text string
	}{
		"no output directory":          {req: execctx.LaunchRequest{Command: "x"}, text: `^start "x": create the output directory: `},
		"a file in its place":          {req: execctx.LaunchRequest{OutputDir: file}, is: syscall.ENOTDIR, text: "create the output directory"},
		"a missing working directory":  {req: execctx.LaunchRequest{OutputDir: "tasks", CWD: "missing"}, is: fs.ErrNotExist, text: "start the command: .*missing"},
		"a variable without a name":    {req: execctx.LaunchRequest{OutputDir: "tasks", Env: map[string]string{"": "x"}}, text: "environment"},
		"a name with an equals sign":   {req: execctx.LaunchRequest{OutputDir: "tasks", Env: map[string]string{"A=B": "x"}}, text: "environment"},
		"a command with a zero byte":   {req: execctx.LaunchRequest{OutputDir: "tasks", Command: "a\x00b"}, is: syscall.EINVAL, text: "start the command"},
		"a command that is too long":   {req: execctx.LaunchRequest{OutputDir: "tasks", Command: strings.Repeat("x", 8<<20)}, is: syscall.E2BIG, text: "start the command"},
		"a context that has ended":     {ctx: done, req: execctx.LaunchRequest{OutputDir: "tasks"}, is: reason},
		"a directory that is too long": {req: execctx.LaunchRequest{OutputDir: strings.Repeat("x", 300)}, is: syscall.ENAMETOOLONG},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := test.ctx
			if ctx == nil {
				ctx = context.Background()
			}
			_, err := c.ExecBackground(ctx, h, test.req)
			var launch *execctx.LaunchError
			if !errors.As(err, &launch) || launch.Command != test.req.Command || test.is != nil && !errors.Is(err, test.is) {
				t.Fatalf("error %.300v", err)
			}
			if !regexp.MustCompile(test.text).MatchString(err.Error()) {
				t.Errorf("%.300v", err)
			}
		})
	}
	if left, _ := os.ReadDir(filepath.Join(h.CWD, "tasks")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if got := ids(t, c, h); got != nil {
		t.Errorf("listed: %v", got)
	}
	if got := launch(t, c, h, "x").TaskID; got != "bash_1" {
		t.Errorf("EX-33: the first task that started is %s", got)
	}
	t.Run("an unknown handle", func(t *testing.T) {
		_, err := c.ExecBackground(context.Background(), execctx.Handle{ID: "another"}, execctx.LaunchRequest{OutputDir: "tasks"})
		if !errors.Is(err, execctx.ErrUnknownHandle) {
			t.Error(err)
		}
	})
}

func TestProcessLaunch_failedStart_EX33(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	fs.fail = []error{nil, errFakeStart, errFakeStart, nil}
	launch(t, c, h, "x")
	for range 2 {
		if _, err := c.ExecBackground(context.Background(), h, execctx.LaunchRequest{OutputDir: "tasks"}); !errors.Is(err, errFakeStart) {
			t.Fatal(err)
		}
	}
	launch(t, c, h, "x")
	if diff := cmp.Diff([]string{"bash_1", "bash_2"}, ids(t, c, h)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if left, _ := os.ReadDir(filepath.Join(h.CWD, "tasks")); len(left) != 2 {
		t.Errorf("files: %v", left)
	}
}

// A command can be over before its start has returned.
func TestProcessLaunch_overAtOnce_EX43(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, fs, h := newFakes(t, execctx.ProcessOptions{MaxBackgroundTasks: 1})
		fs.start = func(f *fakeProcess, _ int) {
			go f.exit(3, 0)
			synctest.Wait() // it has come as far as it can
		}
		var exits, stalls atomic.Int32
		for n := range 3 {
			got := launch(t, c, h, "x", func(r *execctx.LaunchRequest) {
				r.OnExit = func(info execctx.ExitInfo) {
					exits.Add(1)
					if got := ids(t, c, h); len(got) != n+1 || got[n] != info.TaskID {
						t.Errorf("%s is told and %v are listed", info.TaskID, got)
					}
				}
				r.StallTimeout, r.OnStall = time.Second, func(execctx.StallInfo) { stalls.Add(1) }
			})
			if info := ended(t, c, h, got.TaskID); *info.ExitCode != 3 || info.Status != execctx.StatusExited {
				t.Errorf("%+v", info)
			}
			if entry := list(t, c, h)[n]; !entry.Ended() {
				t.Errorf("listed as %+v", entry)
			}
		}
		pass(time.Hour)
		if exits.Load() != 3 || stalls.Load() != 0 {
			t.Errorf("%d exits and %d stalls were told", exits.Load(), stalls.Load())
		}
		destroy(t, c, h)
	})
}

// A launch that hangs keeps others waiting, for as long as they like.
func TestProcessLaunch_waitsForItsTurn(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	release, entered := make(chan struct{}), make(chan struct{})
	fs.block = func(cfg proc.Config) <-chan struct{} {
		if cfg.Command == "hang" {
			close(entered)
			return release
		}
		closed := make(chan struct{})
		close(closed)
		return closed
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { launch(t, c, h, "hang") })
	recv(t, "the first launch hangs", entered)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := c.ExecBackground(ctx, h, execctx.LaunchRequest{OutputDir: "tasks"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second launch: %v", err)
	}
	close(release)
}

func TestProcessSpawn(t *testing.T) {
	ctx := context.Background()
	base := t.TempDir()
	next := 0
	c := execctx.NewProcess(execctx.ProcessOptions{CWD: base, NewID: func() string { next++; return fmt.Sprint("h", next) }})
	spawn := func(cfg execctx.SpawnConfig) execctx.Handle {
		t.Helper()
		h, err := c.Spawn(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	same := func(got, want execctx.Handle) {
		t.Helper()
		if got != want {
			t.Errorf("handle %+v, want %+v", got, want)
		}
	}
	same(spawn(execctx.SpawnConfig{}), execctx.Handle{ID: "h1", Type: "process", CWD: base})
	same(spawn(execctx.SpawnConfig{HandleID: "mine", CWD: "a/b"}), execctx.Handle{ID: "mine", Type: "process", CWD: filepath.Join(base, "a/b")})
	if info, err := os.Stat(filepath.Join(base, "a/b")); err != nil || !info.IsDir() {
		t.Errorf("the directory: %v", err)
	}
	same(spawn(execctx.SpawnConfig{HandleID: "mine"}), execctx.Handle{ID: "mine", Type: "process", CWD: filepath.Join(base, "a/b")})
	same(spawn(execctx.SpawnConfig{HandleID: "mine", CWD: base}), execctx.Handle{ID: "mine", Type: "process", CWD: base})
	spawn(execctx.SpawnConfig{HandleID: "h2"})
	if _, err := c.Spawn(ctx, execctx.SpawnConfig{}); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a new id that somebody has: %v", err)
	}
	if err := os.WriteFile(filepath.Join(base, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: "file"}); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a file as the directory: %v", err)
	}
	if _, err := c.Spawn(ctx, execctx.SpawnConfig{Env: map[string]string{"A": "\x00"}}); err == nil {
		t.Error("an impossible variable is accepted")
	}
	t.Run("EX-22", func(t *testing.T) {
		if got := c.Capabilities(); got != (execctx.Capabilities{DetachedTasks: execctx.DetachedProcessLifetime, Push: true}) {
			t.Errorf("capabilities %+v", got)
		}
	})
	t.Run("EX-50: handles of one context are unknown to another", func(t *testing.T) {
		other := execctx.NewProcess(execctx.ProcessOptions{})
		h := execctx.Handle{ID: "mine", Type: "process", CWD: base}
		if _, err := other.ExecBackground(ctx, h, execctx.LaunchRequest{OutputDir: base}); !errors.Is(err, execctx.ErrUnknownHandle) {
			t.Error(err)
		}
		if err := other.Destroy(ctx, h); err != nil {
			t.Error(err)
		}
	})
}
