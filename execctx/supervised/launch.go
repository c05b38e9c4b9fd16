//go:build unix

package supervised

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/internal/proc"
)

var (
	errNoOutputDir = errors.New("no output directory is given")
	errNotText     = errors.New("the path is no valid UTF-8, and could not be found again")
	errNoAnswer    = errors.New("the supervisor ended without an answer: does the main function of its program begin with supervised.RunIfSupervisor?")
)

// remoteError is an error of a supervisor, which is another process.
type remoteError struct {
	text  string
	errno syscall.Errno
}

func (e *remoteError) Error() string { return e.text }

// Unwrap makes errors.Is with fs.ErrNotExist and the like work.
func (e *remoteError) Unwrap() error {
	if e.errno == 0 {
		return nil
	}
	return e.errno
}

// ExecBackground implements [execctx.BackgroundExecutor]. A relative OutputDir
// starts at the handle's working directory. OnExit and OnStall are never called
// (EX-80). When ctx ends before the command was started, nothing is left of it.
func (c *Context) ExecBackground(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
	cwd, vars, leave, err := c.enter(h)
	if err != nil {
		return execctx.Launched{}, err
	}
	defer leave()
	fail := func(op string, err error) (execctx.Launched, error) {
		return execctx.Launched{}, &execctx.LaunchError{Command: req.Command, Op: op, Err: err}
	}
	if ctx.Err() != nil {
		return fail("begin", context.Cause(ctx))
	}
	if req.OutputDir == "" {
		return fail("create the output directory", errNoOutputDir)
	}
	mark := rand.Text()
	env, err := environment(c.opts.Env, vars, req.Env, map[string]string{markVariable: mark})
	if err != nil {
		return fail("set up the environment", err)
	}
	dir, cwd := inDir(cwd, req.OutputDir), inDir(cwd, req.CWD)
	if !utf8.ValidString(dir) || !utf8.ValidString(cwd) {
		return fail("note where it runs", errNotText)
	}
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return fail("create the output directory", err)
	}
	logPath := func(n int) string { return filepath.Join(dir, execctx.LogName(execctx.TaskID(n), c.stamp)) }
	got, err := c.store.allocate(ctx, c.opts.MaxBackgroundTasks, logPath)
	var full *execctx.TooManyTasksError
	if errors.As(err, &full) {
		return execctx.Launched{}, full
	}
	if err != nil {
		return fail("get an id", err)
	}
	c.opts.step("allocated")
	p := &plan{dir: got.dir, command: req.Command, grace: c.opts.KillGrace, env: env, record: launchRecord{
		Version: recordVersion, TaskID: execctx.TaskID(got.n), HandleID: h.ID, Command: req.Command, CWD: cwd,
		OutputPath: logPath(got.n), MaxOutputBytes: max(req.MaxOutputBytes, 0), StallTimeoutMS: req.StallTimeout.Milliseconds(), Mark: mark,
	}}
	answer, err := c.launch(ctx, got, p)
	if err != nil {
		return fail(answer.Op, err)
	}
	return execctx.Launched{TaskID: p.record.TaskID, OutputPath: p.record.OutputPath, PID: answer.PID, StartedAt: answer.StartedAt}, nil
}

// launch starts a supervisor on a plan and waits for its answer. The slot is
// handed over to it, or removed.
func (c *Context) launch(ctx context.Context, at *slot, p *plan) (report, error) {
	data, err := p.encode()
	if err != nil {
		at.discard()
		return report{Op: "write the plan"}, err
	}
	started, err := c.startSupervisor(at)
	if err != nil {
		at.discard()
		return report{Op: "start its supervisor"}, err
	}
	c.opts.step("forked")
	answer, err := started.instruct(ctx, data, c.opts.step)
	if err != nil {
		c.abort(started, at, p)
		return report{Op: "have its supervisor start it"}, err
	}
	at.release()
	c.adopt(started.child)
	if answer.Op != "" {
		return answer, &remoteError{answer.Error, syscall.Errno(answer.Errno)}
	}
	return answer, nil
}

// starting is a supervisor that has not answered.
type starting struct {
	*child
	plan   *os.File // write
	answer *os.File // read
}

// startSupervisor starts the process in a session of its own, with nothing of
// ours but the lock and two pipes.
func (c *Context) startSupervisor(at *slot) (_ *starting, err error) {
	program, err := c.program()
	if err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	planRead, planWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer planRead.Close()
	answerRead, answerWrite, err := os.Pipe()
	if err != nil {
		planWrite.Close()
		return nil, err
	}
	defer answerWrite.Close()
	supervisor, err := startChild(program, append(c.opts.Supervisor[:len(c.opts.Supervisor):len(c.opts.Supervisor)], at.dir), &syscall.ProcAttr{
		Dir: "/", Env: append([]string{supervisorMark + "=1", "GOMAXPROCS=1"}, c.opts.supervisorEnv...),
		Files: []uintptr{planRead.Fd(), null.Fd(), null.Fd(), at.lock.Fd(), answerWrite.Fd()},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		planWrite.Close()
		answerRead.Close()
		return nil, &os.PathError{Op: "exec", Path: program, Err: err}
	}
	return &starting{supervisor, planWrite, answerRead}, nil
}

// program is what to execute. This program itself is reached by a name that
// holds when its file is replaced.
func (c *Context) program() (string, error) {
	name := c.opts.Supervisor[0]
	if self, err := os.Executable(); err == nil && self == name && exists(selfLink) {
		return selfLink, nil
	}
	if strings.ContainsRune(name, '/') {
		return filepath.Abs(name)
	}
	return exec.LookPath(name)
}

const selfLink = "/proc/self/exe"

// instruct writes the plan and reads the answer.
func (s *starting) instruct(ctx context.Context, data []byte, step func(string)) (report, error) {
	defer s.answer.Close()
	limit := time.Now().Add(startPatience)
	_ = s.plan.SetDeadline(limit)
	_ = s.answer.SetDeadline(limit)
	stop := context.AfterFunc(ctx, func() {
		past := time.Unix(1, 0)
		_ = s.plan.SetDeadline(past)
		_ = s.answer.SetDeadline(past)
	})
	defer stop()
	_, err := s.plan.Write(data)
	if closed := s.plan.Close(); err == nil {
		err = closed
	}
	step("sent")
	var text []byte
	if err == nil || errors.Is(err, syscall.EPIPE) {
		text, err = io.ReadAll(s.answer)
	}
	if ctx.Err() != nil {
		return report{}, context.Cause(ctx)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return report{}, fmt.Errorf("no answer within %v", startPatience)
	}
	var answer report
	if err == nil && (json.Unmarshal(text, &answer) != nil || answer.PID == 0 && answer.Op == "") {
		err = errNoAnswer
	}
	return answer, err
}

// abort ends a supervisor that did not answer, and what it may have started, and
// removes every trace. The slot's lock is held meanwhile: nobody sees a task.
func (c *Context) abort(s *starting, at *slot, p *plan) {
	s.kill()
	t := &task{n: at.n, dir: at.dir}
	begun := readRecord(filepath.Join(at.dir, fileLaunch), &t.launchRecord) == nil
	if begun {
		left, _ := c.store.sweep(context.Background(), t, min(c.opts.KillGrace, time.Second))
		if len(left) > 0 {
			c.opts.Warn(fmt.Errorf("supervised: %s, of a launch that failed, did not end under SIGKILL", proc.Names(left)))
		}
	}
	if info, err := os.Lstat(p.record.OutputPath); err == nil && (begun || info.Size() == 0) {
		_ = os.Remove(p.record.OutputPath)
	}
	at.discard()
}

// adopt sees to it that a supervisor is reaped when it ends.
func (c *Context) adopt(supervisor *child) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		supervisor.letGo()
	}
	c.children[supervisor] = true
	c.reapers.Go(func() {
		supervisor.reap()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.children, supervisor)
	})
}
