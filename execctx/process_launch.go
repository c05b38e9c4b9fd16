package execctx

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/stophook/stophook/execctx/internal/proc"
)

var errNoOutputDir = errors.New("no output directory is given")

// ExecBackground implements [BackgroundExecutor]. A relative OutputDir starts at
// the handle's working directory.
func (c *ProcessContext) ExecBackground(ctx context.Context, h Handle, req LaunchRequest) (Launched, error) {
	if c.Capabilities().DetachedTasks == DetachedNone {
		return Launched{}, ErrBackgroundUnsupported
	}
	o, at, leave, err := c.enter(h)
	if err != nil {
		return Launched{}, err
	}
	defer leave()
	fail := func(op string, err error) (Launched, error) {
		return Launched{}, &LaunchError{Command: req.Command, Op: op, Err: err}
	}
	cwd, env, err := at.resolve(req.CWD, req.Env)
	if err != nil {
		return fail("set up the environment", err)
	}
	if req.OutputDir == "" {
		return fail("create the output directory", errNoOutputDir)
	}
	dir := inDir(at.dir, req.OutputDir)
	if err := os.MkdirAll(dir, logDirMode); err != nil {
		return fail("create the output directory", err)
	}
	unlock, err := c.lockLaunch(ctx)
	if err != nil {
		return fail("wait for an earlier launch", err)
	}
	defer unlock()
	if err := c.room(o); err != nil {
		return Launched{}, err
	}
	var log *outputLog
	n, err := c.firstFree(ctx, func(n int) (err error) {
		log, err = createLog(c.logPath(dir, n), req.MaxOutputBytes, c.opts.Clock.Now)
		return err
	})
	if err != nil {
		return fail("create the output file", err)
	}
	t := c.newTask(n, spec{
		command: req.Command, cwd: cwd, started: c.opts.Clock.Now(),
		MoveRequest: MoveRequest{OnExit: req.OnExit, StallTimeout: req.StallTimeout, OnStall: req.OnStall},
	}, log)
	p, err := c.start(proc.Config{
		Command: req.Command, Dir: cwd, Env: env, Output: log, OnEnd: t.settle,
		Grace: c.opts.KillGrace, Now: c.opts.Clock.Now,
	})
	if err != nil {
		if undo := log.discard(); undo != nil {
			c.opts.Warn(undo)
		}
		return fail("start the command", err)
	}
	return c.register(o, t, p), nil
}

// adopt makes a running foreground command a task of o: its log gets a name in
// dir, its end must be given to the task's settle from then on. It must be
// called between enter and leave. Errors: [*TooManyTasksError],
// [ErrUnknownHandle], or what kept the log from being named.
func (c *ProcessContext) adopt(o *owner, s spec, dir string, log *outputLog, p process) (*task, Launched, error) {
	unlock, err := c.lockLaunch(context.Background())
	if err != nil {
		return nil, Launched{}, err
	}
	defer unlock()
	if err := c.room(o); err != nil {
		return nil, Launched{}, err
	}
	n, err := c.firstFree(context.Background(), func(n int) error {
		return log.move(c.logPath(dir, n), s.MaxOutputBytes)
	})
	if err != nil {
		return nil, Launched{}, err
	}
	t := c.newTask(n, s, log)
	return t, c.register(o, t, p), nil
}

// lockLaunch takes launching.
func (c *ProcessContext) lockLaunch(ctx context.Context) (unlock func(), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case c.launching <- struct{}{}:
		return func() { <-c.launching }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// room tells why a task more cannot be: its owner is being destroyed, or too
// many run (EX-45). Launching is held, so that nobody else takes the room.
func (c *ProcessContext) room(o *owner) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o.gone {
		return ErrUnknownHandle
	}
	limit := c.opts.MaxBackgroundTasks
	if limit < 0 || c.running < limit {
		return nil
	}
	var numbers []int
	for _, o := range c.owners {
		for _, t := range o.tasks {
			if t.exit.Status == StatusRunning {
				numbers = append(numbers, t.n)
			}
		}
	}
	slices.Sort(numbers)
	err := &TooManyTasksError{Limit: limit}
	for _, n := range numbers {
		err.Running = append(err.Running, TaskID(n))
	}
	return err
}

// firstFree gives the first number after the newest task's for which take makes
// a file. A name that is taken belongs to a context of the same millisecond, and
// the number is skipped: no two contexts share a file (EX-36). Launching is held.
func (c *ProcessContext) firstFree(ctx context.Context, take func(n int) error) (int, error) {
	c.mu.Lock()
	n := c.lastID
	c.mu.Unlock()
	for {
		n++
		if err := take(n); !errors.Is(err, fs.ErrExist) {
			return n, err
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
}
