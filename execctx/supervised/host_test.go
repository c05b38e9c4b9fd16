//go:build unix

package supervised

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// order is a call that a host process is to make, answer what came of it.
type order struct {
	Op, Command, Task, To string
	Timeout               time.Duration
}

type answer struct {
	Launched execctx.Launched
	Info     *execctx.ExitInfo
	Entries  []execctx.TaskEntry
	Error    string
}

// host is the life of a host process: it carries out orders, one a line, each in
// a goroutine of its own when there is a name for the answer.
func host(orders io.Reader, answers io.Writer) int {
	ctx := context.Background()
	dir := os.Getenv(envHostStore)
	c, err := New(Options{
		Dir: filepath.Join(dir, "store"), KillGrace: time.Second, MaxBackgroundTasks: execctx.NoTaskLimit,
		step: pauses(), supervisorEnv: testEnv(),
	})
	if err == nil {
		_, err = c.Spawn(ctx, execctx.SpawnConfig{HandleID: os.Getenv(envHost), CWD: dir})
	}
	if err == nil {
		_, err = c.Spawn(ctx, execctx.SpawnConfig{HandleID: otherHandle, CWD: dir})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for lines := bufio.NewScanner(orders); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		data, _ := json.Marshal(carryOut(ctx, c, dir, o))
		fmt.Fprintf(answers, "%s\n", data)
	}
	return 0
}

const otherHandle = "other"

func carryOut(ctx context.Context, c *Context, dir string, o order) (a answer) {
	var err error
	h := execctx.Handle{ID: os.Getenv(envHost)}
	switch o.Op {
	case "launch":
		a.Launched, err = c.ExecBackground(ctx, h, execctx.LaunchRequest{Command: o.Command, OutputDir: filepath.Join(dir, "logs")})
	case "kill":
		a.Info, err = c.KillBackground(ctx, h, o.Task)
	case "wait":
		a.Info, err = c.WaitBackground(ctx, h, o.Task, o.Timeout)
	case "list":
		a.Entries, err = c.ListBackground(ctx, h)
	case "reassign":
		a.Entries, err = c.ReassignBackground(ctx, execctx.ReassignRequest{From: h, To: execctx.Handle{ID: o.To}})
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// testEnv hands on to supervisors what tests tell them.
func testEnv() []string {
	var env []string
	for _, name := range []string{envRun, envPause, envPauseDir} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// lab is a store with hosts on it.
type lab struct {
	*testing.T
	dir string
}

func newLab(t *testing.T) *lab { return &lab{t, t.TempDir()} }

// process is a host that runs on its own.
type process struct {
	*lab
	cmd     *exec.Cmd
	orders  io.WriteCloser
	answers *bufio.Scanner
}

const theHandle = "the-handle"

// host starts one, whose launches and supervisors stop at the steps given.
func (l *lab) host(handle string, stops ...string) *process {
	l.Helper()
	p := l.prepare(handle, stops...)
	p.start()
	return p
}

// prepare gives one that is not started.
func (l *lab) prepare(handle string, stops ...string) *process {
	p := &process{lab: l, cmd: exec.Command(os.Args[0])}
	p.cmd.Env = append(os.Environ(), envHost+"="+handle, envHostStore+"="+l.dir,
		envPause+"="+strings.Join(stops, ","), envPauseDir+"="+l.dir)
	p.cmd.Stderr = os.Stderr
	return p
}

func (p *process) start() {
	p.Helper()
	var err error
	if p.orders, err = p.cmd.StdinPipe(); err != nil {
		p.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	p.answers = bufio.NewScanner(out)
	p.answers.Buffer(nil, 1<<20)
	if err := p.cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(p.sigkill)
}

// order gives an order and does not wait for the answer.
func (p *process) order(o order) {
	p.Helper()
	data, err := json.Marshal(o)
	if err == nil {
		_, err = fmt.Fprintf(p.orders, "%s\n", data)
	}
	if err != nil {
		p.Fatal(err)
	}
}

func (p *process) answer() (a answer, err error) {
	if !p.answers.Scan() {
		return a, fmt.Errorf("the host said nothing: %v", p.answers.Err())
	}
	return a, json.Unmarshal(p.answers.Bytes(), &a)
}

func (p *process) do(o order) answer {
	p.Helper()
	p.order(o)
	a, err := p.answer()
	if err != nil {
		p.Fatal(err)
	}
	return a
}

// launch must succeed.
func (p *process) launch(command string) execctx.Launched {
	p.Helper()
	a := p.do(order{Op: "launch", Command: command})
	if a.Error != "" {
		p.Fatal(a.Error)
	}
	return a.Launched
}

// sigkill ends the host as hard as it can be, and returns when it is gone.
func (p *process) sigkill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// at waits until some process has stopped at a step, and gives it.
func (l *lab) at(step string) (pid int) {
	l.Helper()
	l.eventually("somebody is at "+step, func() bool {
		data, _ := os.ReadFile(filepath.Join(l.dir, "at-"+step))
		_, err := fmt.Sscan(string(data), &pid)
		return err == nil && pid > 0
	})
	return pid
}

// goOn lets it on.
func (l *lab) goOn(step string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, "go-"+step), nil, 0o600); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) eventually(what string, met func() bool) {
	l.Helper()
	if !poll(time.Minute, met) {
		l.Fatalf("not within a minute: %s", what)
	}
}

// open gives a context on the store, as a new process would have it, with a
// handle.
func (l *lab) open(handle string, change ...func(*Options)) (*Context, execctx.Handle) {
	l.Helper()
	opts := Options{
		Dir: filepath.Join(l.dir, "store"), KillGrace: time.Second, supervisorEnv: []string{envRun + "=" + os.Getenv(envRun)},
		Warn: func(err error) { l.Errorf("warned: %v", err) },
	}
	for _, f := range change {
		f(&opts)
	}
	c, err := New(opts)
	if err != nil {
		l.Fatal(err)
	}
	h, err := c.Spawn(context.Background(), execctx.SpawnConfig{HandleID: handle, CWD: l.dir})
	if err != nil {
		l.Fatal(err)
	}
	l.Cleanup(func() {
		if err := c.Destroy(context.Background(), h); err != nil {
			l.Error(err)
		}
		if err := c.Close(); err != nil {
			l.Error(err)
		}
	})
	return c, h
}

func (l *lab) request(command string) execctx.LaunchRequest {
	return execctx.LaunchRequest{Command: command, OutputDir: "logs"}
}

func (l *lab) launch(c *Context, h execctx.Handle, command string) execctx.Launched {
	l.Helper()
	launched, err := c.ExecBackground(l.Context(), h, l.request(command))
	if err != nil {
		l.Fatal(err)
	}
	return launched
}

func (l *lab) list(c *Context, h execctx.Handle) []execctx.TaskEntry {
	l.Helper()
	entries, err := c.ListBackground(l.Context(), h)
	if err != nil {
		l.Fatal(err)
	}
	return entries
}

// ended waits for the end of a task.
func (l *lab) ended(c *Context, h execctx.Handle, id string) execctx.ExitInfo {
	l.Helper()
	info, err := c.WaitBackground(l.Context(), h, id, time.Minute)
	if err != nil || info == nil {
		l.Fatalf("wait for %s: %v, %v", id, info, err)
	}
	return *info
}

func (l *lab) wantCode(info execctx.ExitInfo, status execctx.TaskStatus, want int) {
	l.Helper()
	if code, known := info.Code(); info.Status != status || !known || code != want {
		l.Errorf("%s ended as %s, code %d (known: %v), want %s, %d; warnings %q", info.TaskID, info.Status, code, known, status, want, info.Warnings)
	}
}

// wantLost checks that nothing is made up.
func (l *lab) wantLost(info execctx.ExitInfo, warning string) {
	l.Helper()
	if info.Status != execctx.StatusLost || info.ExitCode != nil || info.Signal != "" || info.DurationMS != 0 {
		l.Errorf("want it lost and no more, got %+v", info)
	}
	if !strings.Contains(strings.Join(info.Warnings, "\n"), warning) {
		l.Errorf("warnings %q, want one with %q", info.Warnings, warning)
	}
}

// runs tells whether a process lives.
func runs(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.IsNotExist(err) && !exists("/proc/self") && syscall.Kill(pid, 0) == nil
	}
	return !strings.Contains(string(text), ") Z ") && !strings.Contains(string(text), ") X ")
}

// number reads a process's number from a file, once it is there.
func (l *lab) number(name string) (pid int) {
	l.Helper()
	l.eventually(name+" is written", func() bool {
		data, _ := os.ReadFile(filepath.Join(l.dir, name))
		_, err := fmt.Sscan(string(data), &pid)
		return err == nil && strings.HasSuffix(string(data), "\n")
	})
	return pid
}

func (l *lab) touch(name string) {
	l.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), nil, 0o600); err != nil {
		l.Fatal(err)
	}
}

// record gives a record of a task as it is on disk.
func (l *lab) record(id string) (r launchRecord) {
	l.Helper()
	if err := readRecord(filepath.Join(l.dir, "store", id, fileLaunch), &r); err != nil {
		l.Fatal(err)
	}
	return r
}
