package execctx

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// task is one background task of a [ProcessContext].
type task struct {
	c       *ProcessContext
	n       int // its id is TaskID(n)
	command string
	cwd     string
	log     *outputLog
	started time.Time

	// ready is closed when the task is in the registry and proc is set: a command
	// can be over before its start has returned.
	ready chan struct{}
	proc  process

	// The context's lock guards these.
	owner   *owner
	exit    ExitInfo // running until the end
	endedAt time.Time
	onExit  func(ExitInfo)
	stall   watchdog

	done chan struct{} // closed when it has ended and the callback has returned (D-24)
}

// spec is what a launch and a move have in common.
type spec struct {
	command, cwd string
	started      time.Time
	MoveRequest
}

func (c *ProcessContext) newTask(n int, s spec, log *outputLog) *task {
	t := &task{
		c: c, n: n, command: s.command, cwd: s.cwd, log: log, started: s.started, onExit: s.OnExit,
		ready: make(chan struct{}), done: make(chan struct{}),
		exit: ExitInfo{TaskID: TaskID(n), Status: StatusRunning, OutputPath: log.path, Command: s.command},
	}
	t.stall = watchdog{window: s.StallTimeout, tell: s.OnStall}
	return t
}

// register makes a started process a task of o. It must be called between
// enter and leave, and with launching held.
func (c *ProcessContext) register(o *owner, t *task, p process) Launched {
	t.proc = p
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID = t.n
	c.running++
	t.owner = o
	o.insert(t)
	t.watch()
	close(t.ready)
	return Launched{TaskID: t.exit.TaskID, OutputPath: t.log.path, PID: p.PID(), StartedAt: t.started}
}

// insert keeps the order of ids.
func (o *owner) insert(t *task) {
	at, _ := o.search(t.n)
	o.tasks = slices.Insert(o.tasks, at, t)
}

func (o *owner) search(n int) (at int, found bool) {
	return slices.BinarySearchFunc(o.tasks, n, func(t *task, n int) int { return t.n - n })
}

// find gives a task of a live handle, or nil. An id that is not of our form has
// no task (EX-34).
func (c *ProcessContext) find(h Handle, taskID string) *task {
	n, err := ParseTaskID(taskID)
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.owners[h.ID]
	if o == nil || o.gone {
		return nil
	}
	at, found := o.search(n)
	if !found {
		return nil
	}
	return o.tasks[at]
}

// settle is the one way in which a task ends, whatever ended it (EX-42): the log
// is complete and closed, the status flips, the callback runs, those who wait go
// on (EX-41, D-24). The process calls it once, with all output delivered.
func (t *task) settle(end proc.End) {
	<-t.ready
	defer close(t.done)
	warnings := slices.Concat(end.Warnings(), t.log.close())

	c := t.c
	c.mu.Lock()
	t.stall.stop()
	c.running--
	t.exit.Status, t.exit.ExitCode, t.exit.Signal = outcome(end)
	t.exit.DurationMS = max(end.Elapsed, 0).Milliseconds()
	t.exit.Warnings = warnings
	t.endedAt = end.At
	// Who owns the task now is told; a reassign comes before or finds it ended.
	tell, info := t.onExit, copyExit(t.exit)
	t.onExit = nil
	c.mu.Unlock()
	if tell != nil {
		c.call("OnExit of "+info.TaskID, func() { tell(info) })
	}
}

// outcome translates the end of a process (EX-10, D-41). A code is not invented.
func outcome(end proc.End) (TaskStatus, *int, string) {
	if end.Lost {
		return StatusLost, nil, ""
	}
	status := StatusExited
	if end.Signal != 0 || end.Asked {
		status = StatusKilled
	}
	signal := ""
	if end.Signal != 0 {
		signal = signalName(end.Signal)
	}
	code := end.Code
	return status, &code, signal
}

// call runs a callback of the caller's with nothing locked. In a goroutine of
// its own, because it may panic, or leave by runtime.Goexit as a failed test
// does: nobody hangs by that.
func (c *ProcessContext) call(what string, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if cause := recover(); cause != nil {
				c.opts.Warn(fmt.Errorf("execctx: %s panicked: %v\n%s", what, cause, debug.Stack()))
			} else if !returned {
				c.opts.Warn(errors.New("execctx: " + what + " ended its goroutine"))
			}
		}()
		f()
		returned = true
	}()
	<-done
}

// release ends what an ended task left behind in its group.
func (t *task) release() { t.c.release(t.proc, t.exit.TaskID) }

// release ends what an ended command left behind in its group.
func (c *ProcessContext) release(p process, what string) {
	if left := p.Release(); len(left) > 0 {
		c.opts.Warn(fmt.Errorf("execctx: processes %v, left behind by %s, did not end under SIGKILL", left, what))
	}
}

// info is a copy of the exit as known now; the context's lock is not held.
func (t *task) info() *ExitInfo {
	t.c.mu.Lock()
	defer t.c.mu.Unlock()
	info := copyExit(t.exit)
	return &info
}
