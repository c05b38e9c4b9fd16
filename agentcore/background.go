package agentcore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// background is an agent's tasks: what it launched, what has ended and was not told,
// and what the model knows. Ends come from goroutines of the execution context, so it
// has a lock; nothing of others is called with it.
//
// It lives as long as the agent: a run's abort leaves it alone (AC-38, AC-39).
type background struct {
	a *Agent

	mu      sync.Mutex
	pending task.Queue  // ends and stalls that the model was not told, in order of arrival
	banner  *task.Latch // ends that a host was told
	latch   *task.Latch // ends that the model knows, by whatever way (AC-34)
	tasks   []known     // in order
	prompt  int         // how many of them are older than the latest prompt of a person
	movable []movable
	heir    *background // of a subagent that is over: what comes now is its parent's
	wake    bool        // an end may wake the agent: the latest run completed (D-05)
	due     chan struct{}
}

// known is a task that this agent launched or took over.
type known struct {
	id, path, command string
	handle            string    // its owner
	started           time.Time // as the context said, and lists it
}

func (k known) key() task.Key {
	return task.Exit{TaskID: k.id, OutputPath: k.path, HandleID: k.handle, StartedAt: k.started}.Key()
}

func newBackground(a *Agent, notified []string) *background {
	return &background{a: a, latch: task.FromBlocks(notified), banner: task.NewLatch(), due: make(chan struct{}, 1), wake: true}
}

// lent is what an agent's tools get of it: the handle of the moment with it.
type lent struct {
	*background
	handle execctx.Handle
}

// Launch starts a task (tool.Tasks). The hook is told before the end can be.
func (l lent) Launch(ctx context.Context, callID, command string, env map[string]string) (execctx.Launched, error) {
	cfg := l.a.cfg
	told := make(chan struct{})
	made, err := execctx.Launch(ctx, cfg.Exec, l.handle, execctx.LaunchRequest{Command: command, Env: env, OutputDir: cfg.Session.TasksDir(),
		MaxOutputBytes: cfg.Behavior.BackgroundOutputCap, StallTimeout: max(cfg.Behavior.StallAfter, 0),
		OnExit: func(e execctx.ExitInfo) {
			<-told
			l.exited(l.handle, e)
		},
		OnStall: func(s execctx.StallInfo) {
			<-told
			l.stalled(l.handle, s)
		}})
	defer close(told)
	if err != nil {
		return made, unsupported(err, "running a command in the background")
	}
	l.started(ctx, l.handle, made, callID, command)
	return made, nil
}

// started makes a task known and tells the bus.
func (b *background) started(ctx context.Context, h execctx.Handle, made execctx.Launched, callID, command string) {
	b.mu.Lock()
	b.tasks = append(b.tasks, known{id: made.TaskID, path: made.OutputPath, command: command, handle: h.ID, started: made.StartedAt})
	b.mu.Unlock()
	ids := b.a.ids()
	ids.CallID = callID
	hook.Emit(context.WithoutCancel(ctx), b.a.bus, hook.BackgroundStart, &hook.BackgroundStartPayload{IDs: ids, TaskID: made.TaskID, PID: made.PID,
		Command: command, OutputPath: made.OutputPath})
}

// unsupported words what a context cannot do for tools.
func unsupported(err error, what string) error {
	var no *execctx.UnsupportedError
	if errors.As(err, &no) || errors.Is(err, execctx.ErrBackgroundUnsupported) {
		return &tool.NotSupportedError{What: what}
	}
	return err
}

// exited is told by the context, once a task: first the hook, then the queue (AC-30).
func (b *background) exited(h execctx.Handle, e execctx.ExitInfo) {
	b.mu.Lock()
	heir := b.heir
	b.mu.Unlock()
	if heir != nil {
		heir.exited(h, e)
		return
	}
	exit := b.exit(h, e)
	hook.Emit(context.Background(), b.a.bus, hook.BackgroundExit, exitPayload(b.a.ids(), exit))
	if tell := b.a.cfg.OnTask; tell != nil && b.show(exit) {
		tell(task.EventOf(exit))
	}
	b.receive(exit)
}

// exit is an end that the context reported. The report has no times: the start is what
// the launch said, so that a task without a file has the key that it has in lists
// (D-22), and the end is now.
func (b *background) exit(h execctx.Handle, e execctx.ExitInfo) task.Exit {
	exit := task.FromExit(h, e, b.a.cfg.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.tasks {
		if k.id == e.TaskID && k.path == e.OutputPath && !k.started.IsZero() {
			exit.StartedAt = k.started
		}
	}
	return exit
}

func exitPayload(ids hook.IDs, e task.Exit) *hook.BackgroundExitPayload {
	return &hook.BackgroundExitPayload{IDs: ids, TaskID: e.TaskID, Status: string(e.Status), ExitCode: e.ExitCode, Signal: e.Signal,
		Command: e.Command, OutputPath: e.OutputPath, DurationMS: e.Duration.Milliseconds()}
}

// receive queues an end, unless the model knows it.
func (b *background) receive(exit task.Exit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.latch.Has(exit.Key()) {
		b.pending.AddExit(exit)
	}
	b.signal()
}

// signal says that something changed. It is called with the lock.
func (b *background) signal() {
	select {
	case b.due <- struct{}{}:
	default:
	}
}

func (b *background) stalled(h execctx.Handle, s execctx.StallInfo) {
	b.mu.Lock()
	heir := b.heir
	b.mu.Unlock()
	if heir != nil {
		heir.stalled(h, s)
		return
	}
	stall := task.FromStall(h, s)
	if entries, err := execctx.List(context.Background(), b.a.cfg.Exec, h); err == nil {
		for _, e := range entries {
			if e.TaskID == s.TaskID {
				stall.BytesWritten = e.BytesWritten
			}
		}
	}
	hook.Emit(context.Background(), b.a.bus, hook.BackgroundStall, &hook.BackgroundStallPayload{IDs: b.a.ids(), TaskID: s.TaskID, Command: s.Command,
		OutputPath: s.OutputPath, StalledForMS: s.StalledForMS})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending.AddStall(stall)
	b.signal()
}

// Kill ends a task (tool.Tasks). What it tells of the end is known from then on
// (AC-60, AC-63).
func (l lent) Kill(ctx context.Context, id string) (*execctx.ExitInfo, error) {
	info, err := execctx.Kill(ctx, l.a.cfg.Exec, l.handle, id)
	if err != nil {
		return nil, unsupported(err, "ending a task")
	}
	if info == nil {
		return nil, l.unknown(ctx, id)
	}
	l.learned(l.exit(l.handle, *info))
	return info, nil
}

// learned latches first and deletes then (D-24).
func (b *background) learned(exit task.Exit) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.latch.Add(exit.Key())
	b.pending.Remove(exit.Key())
	b.signal()
}

// Wait waits for a task (tool.Tasks); nil without an error is a time that is up.
func (l lent) Wait(ctx context.Context, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
	entries, listErr := execctx.List(ctx, l.a.cfg.Exec, l.handle)
	if listErr == nil && !slices.ContainsFunc(entries, func(e execctx.TaskEntry) bool { return e.TaskID == id }) {
		return nil, l.unknown(ctx, id) // unknown, aborted and timed out are three answers (D-19)
	}
	var info *execctx.ExitInfo
	var err error
	if _, waits := execctx.As[execctx.BackgroundWaiter](l.a.cfg.Exec); waits || listErr != nil {
		info, err = execctx.Wait(ctx, l.a.cfg.Exec, l.handle, id, timeout)
	} else {
		info, err = l.watch(ctx, id, timeout)
	}
	if err != nil || info == nil {
		return nil, unsupported(err, "waiting for a task")
	}
	l.learned(l.exit(l.handle, *info))
	return info, nil
}

// watch looks at the list until a task has ended, where a context cannot wait (D-19).
func (l lent) watch(ctx context.Context, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ticker := time.NewTicker(wakePoll)
	defer ticker.Stop()
	for {
		entries, err := execctx.List(ctx, l.a.cfg.Exec, l.handle)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		for _, e := range entries {
			if e.TaskID == id && e.Ended() {
				return &e.ExitInfo, nil
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, nil
			}
			return nil, context.Cause(ctx)
		}
	}
}

// unknown is the error for an id that nobody knows.
func (l lent) unknown(ctx context.Context, id string) error {
	err := &tool.UnknownTaskError{TaskID: id}
	entries, lerr := execctx.List(ctx, l.a.cfg.Exec, l.handle)
	if lerr == nil {
		for _, e := range entries {
			err.Known = append(err.Known, e.TaskID)
		}
	}
	return err
}
