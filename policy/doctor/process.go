package doctor

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

const (
	maxOutput = 1 << 20         // bytes that are kept of what a process prints
	afterKill = 2 * time.Second // how long what it left behind may hold its output
)

// Start runs a call as hosts do: a line through sh -c, or a program with its
// arguments. It is what [Options.Start] usually is. The process is killed when the
// context ends.
func Start(ctx context.Context, c Call) Result {
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	if c.Shell != "" {
		cmd = exec.CommandContext(ctx, "sh", "-c", c.Shell)
	}
	var stdout, stderr bounded
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, bytes.NewReader(c.Stdin), &stdout, &stderr
	cmd.WaitDelay = afterKill
	began := time.Now()
	err := cmd.Run()
	r := Result{Stdout: stdout.buf.String(), Stderr: stderr.buf.String(), Took: time.Since(began)}
	if ctx.Err() != nil {
		r.Err = ctx.Err()
		return r
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.Code = exit.ExitCode()
		return r
	}
	r.Err = err
	return r
}

// bounded keeps the beginning of what is written to it.
type bounded struct{ buf bytes.Buffer }

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.buf.Len(); room > 0 {
		b.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
