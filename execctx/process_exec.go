package execctx

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/execctx/internal/proc"
)

var (
	_ ExecutionContext  = (*ProcessContext)(nil)
	_ ForegroundStarter = (*ProcessContext)(nil)
)

// Exec implements [Executor]. What the command leaves behind in its process
// group when it ends by itself, such as a server started with &, goes on until
// the handle is destroyed; a warning names it. Error: [*LaunchError],
// [ErrUnknownHandle], or the cause of ctx.
func (c *ProcessContext) Exec(ctx context.Context, h Handle, req ExecRequest) (ExecResult, error) {
	call, err := c.startExec(ctx, h, req)
	if err != nil {
		return ExecResult{}, err
	}
	return call.Result()
}

// StartExec implements [ForegroundStarter]. A relative OutputDir starts at the
// handle's working directory. Errors as of Exec.
func (c *ProcessContext) StartExec(ctx context.Context, h Handle, req ExecRequest) (ForegroundCall, error) {
	call, err := c.startExec(ctx, h, req)
	if err != nil {
		return nil, err // not call: a nil *processCall is no nil ForegroundCall
	}
	return call, nil
}

func (c *ProcessContext) startExec(ctx context.Context, h Handle, req ExecRequest) (*processCall, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	o, at, leave, err := c.enter(h)
	if err != nil {
		return nil, err
	}
	defer leave()
	fail := func(op string, err error) (*processCall, error) {
		return nil, &LaunchError{Command: req.Command, Op: op, Err: err}
	}
	cwd, env, err := at.resolve(req.CWD, req.Env)
	if err != nil {
		return fail("set up the environment", err)
	}
	call := &processCall{
		c: c, owner: o, command: req.Command, cwd: cwd,
		captured: newCapture(req.MaxOutputBytes),
		ready:    make(chan struct{}), done: make(chan struct{}),
	}
	if req.OutputDir != "" {
		call.dir = inDir(at.dir, req.OutputDir)
		if err := os.MkdirAll(call.dir, logDirMode); err != nil {
			return fail("create the output directory", err)
		}
		if call.log, err = createLog(spoolPath(call.dir), 0, c.opts.Clock.Now); err != nil {
			return fail("create the output file", err)
		}
	}
	call.started = c.opts.Clock.Now()
	p, err := c.start(proc.Config{
		Command: req.Command, Dir: cwd, Env: env, Output: call, OnEnd: call.settle,
		Grace: c.opts.KillGrace, Now: c.opts.Clock.Now,
	})
	if err != nil {
		call.discardLog()
		return fail("start the command", err)
	}
	call.begin(ctx, p, req.Timeout)
	return call, nil
}

// spoolPath is a new name for the output of a command that can be moved. A dot
// and another ending keep it from being taken for a task's log.
func spoolPath(dir string) string {
	return filepath.Join(dir, ".exec-"+strings.ToLower(rand.Text())+".tmp")
}

// ReadFile implements [Files]. What is no regular file, and might block or never
// end, is refused.
func (c *ProcessContext) ReadFile(ctx context.Context, h Handle, path string) ([]byte, error) {
	name, err := c.file(h, path)
	if err != nil {
		return nil, err
	}
	return readFile(ctx, name)
}

// WriteFile implements [Files]. What a link points to is replaced, not the link.
func (c *ProcessContext) WriteFile(ctx context.Context, h Handle, path string, data []byte) error {
	name, err := c.file(h, path)
	if err != nil {
		return err
	}
	return writeFile(ctx, name, data)
}

// ListFiles implements [Files]. A link counts as what it points to.
func (c *ProcessContext) ListFiles(ctx context.Context, h Handle, path string) ([]FileInfo, error) {
	name, err := c.file(h, path)
	if err != nil {
		return nil, err
	}
	return listFiles(ctx, name)
}

// file gives the absolute name of a file of a live handle.
func (c *ProcessContext) file(h Handle, path string) (string, error) {
	_, at, leave, err := c.enter(h)
	if err != nil {
		return "", err
	}
	leave()
	return inDir(at.dir, path), nil
}
