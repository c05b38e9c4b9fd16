package execctx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// processCall is a foreground command of a [ProcessContext]. It takes the
// command's output and its end, and after a move hands both to the task.
type processCall struct {
	c       *ProcessContext
	owner   *owner
	command string
	cwd     string
	dir     string     // for the log of a task; empty: the call cannot be moved
	log     *outputLog // all output, for that; nil: the call cannot be moved
	started time.Time

	// ready is closed when the call is in the registry and the fields below it
	// are set: a command can be over before its start has returned.
	ready   chan struct{}
	proc    process
	unwatch func() bool // stops watching the caller's context
	timeout Timer       // nil: none

	asked atomic.Bool // its end was asked for: it cannot be moved any more

	// output guards captured. A lock of its own: output goes on while a move
	// waits for its turn.
	output   sync.Mutex
	captured *capture // nil once moved

	// mu decides between an end in the foreground and a move. The context's lock
	// may be taken under it, not the other way round.
	mu       sync.Mutex
	over     bool  // ended or moved
	task     *task // what it was moved to
	timedOut bool
	canceled error // the cause of the caller's context

	done   chan struct{} // closed when result and err are set
	result ExecResult
	err    error
}

// begin registers a started call, and watches the caller's context and the
// timeout. It must be called between enter and leave.
func (f *processCall) begin(ctx context.Context, p process, timeout time.Duration) {
	f.proc = p
	f.c.mu.Lock()
	f.owner.calls[f] = struct{}{}
	f.c.mu.Unlock()
	if timeout > 0 {
		f.timeout = f.c.opts.Clock.AfterFunc(timeout, func() { f.stop(func() { f.timedOut = true }) })
	}
	f.unwatch = context.AfterFunc(ctx, func() { f.stop(func() { f.canceled = context.Cause(ctx) }) })
	close(f.ready)
}

// stop ends the command and notes why, unless it is over or moved.
func (f *processCall) stop(note func()) {
	f.mu.Lock()
	if f.over {
		f.mu.Unlock()
		return
	}
	note()
	f.mu.Unlock()
	f.terminate()
}

// terminate implements foreground.
func (f *processCall) terminate() {
	f.asked.Store(true)
	f.proc.Terminate()
}

// ended implements foreground.
func (f *processCall) ended() <-chan struct{} { return f.done }

// PID implements [ForegroundCall].
func (f *processCall) PID() int { return f.proc.PID() }

// Done implements [ForegroundCall].
func (f *processCall) Done() <-chan struct{} { return f.done }

// Result implements [ForegroundCall].
func (f *processCall) Result() (ExecResult, error) {
	<-f.done
	return f.result, f.err
}

// Write takes the command's output.
func (f *processCall) Write(p []byte) (int, error) {
	f.output.Lock()
	defer f.output.Unlock()
	if f.captured != nil {
		_, _ = f.captured.Write(p)
	}
	if f.log != nil {
		_, _ = f.log.Write(p)
	}
	return len(p), nil
}

// soFar is a result with the output until now.
func (f *processCall) soFar() ExecResult {
	f.output.Lock()
	defer f.output.Unlock()
	data, dropped := f.captured.output()
	return ExecResult{Output: data, DroppedBytes: dropped}
}

// settle is the end of the command, told by its process once, with all output
// delivered. It is the end of the call, or of the task that it was moved to.
func (f *processCall) settle(end proc.End) {
	<-f.ready
	f.mu.Lock()
	task := f.task
	f.over = true
	f.mu.Unlock()
	if task != nil {
		task.settle(end)
		return
	}
	defer close(f.done)
	f.unwatchAll()
	f.result = f.soFar()
	_, f.result.ExitCode, f.result.Signal = outcome(end)
	f.result.TimedOut, f.err = f.timedOut, f.canceled
	if end.Lost && f.err == nil {
		f.err = errors.New("execctx: " + proc.LostEnd)
	}
	f.result.DurationMS = max(end.Elapsed, 0).Milliseconds()
	f.result.Warnings = slices.Concat(end.Warnings(), f.discardLog())
	f.c.finish(f, len(end.Survivors) > 0)
}

// finish takes a call out of its registry, and notes its process when that left
// something running. What others left and has ended since is forgotten.
func (c *ProcessContext) finish(f *processCall, left bool) {
	o := f.owner
	var vacant []process
	if left {
		c.mu.Lock()
		kept := slices.Clone(o.kept)
		c.mu.Unlock()
		vacant = slices.DeleteFunc(kept, func(p process) bool { return !p.Vacant() })
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(o.calls, f)
	if left {
		o.kept = slices.DeleteFunc(o.kept, func(p process) bool { return slices.Contains(vacant, p) })
		o.kept = append(o.kept, f.proc)
	}
}

func (f *processCall) unwatchAll() {
	f.unwatch()
	if f.timeout != nil {
		f.timeout.Stop()
	}
}

// discardLog removes the file that a move would have needed.
func (f *processCall) discardLog() (warnings []string) {
	if f.log == nil {
		return nil
	}
	if err := f.log.discard(); err != nil {
		warnings = append(warnings, fmt.Sprintf("the temporary output file could not be removed: %v", err))
	}
	return warnings
}

// Move implements [ForegroundCall].
func (f *processCall) Move(req MoveRequest) (Launched, error) {
	// Destroy waits until the task is registered, or finds the call.
	o, _, leave, err := f.c.enter(f.owner.Handle)
	if err != nil {
		return Launched{}, errors.Join(ErrEnded, err)
	}
	defer leave()
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.over || f.asked.Load():
		return Launched{}, ErrEnded
	case o != f.owner: // destroyed, and its id spawned again
		return Launched{}, errors.Join(ErrEnded, ErrUnknownHandle)
	case f.log == nil:
		return Launched{}, ErrNotMovable
	}
	task, launched, err := f.c.adopt(o, spec{command: f.command, cwd: f.cwd, started: f.started, MoveRequest: req}, f.dir, f.log, f.proc)
	var full *TooManyTasksError
	switch {
	case errors.As(err, &full):
		return Launched{}, err
	case errors.Is(err, ErrUnknownHandle):
		return Launched{}, errors.Join(ErrEnded, err)
	case err != nil:
		return Launched{}, fmt.Errorf("execctx: move the command to the background: %w", err)
	}
	f.leave(task, launched)
	return launched, nil
}

// leave ends the call in favour of a task; f.mu is held.
func (f *processCall) leave(task *task, launched Launched) {
	defer close(f.done)
	f.task, f.over = task, true
	f.c.mu.Lock()
	delete(f.owner.calls, f)
	f.c.mu.Unlock()
	f.unwatchAll()
	f.result = f.soFar()
	f.result.DurationMS = max(f.c.opts.Clock.Now().Sub(f.started), 0).Milliseconds()
	f.result.Moved = &launched
	f.output.Lock()
	f.captured = nil
	f.output.Unlock()
}
