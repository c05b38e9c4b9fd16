package builtin

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

type namedOffer struct {
	name  string
	offer tool.Offer
}

// offers is every kind of offer that the texts tell apart.
func offers() []namedOffer {
	return []namedOffer{
		{"none", tool.Offer{}},
		{"none_but_abilities", tool.Offer{Kill: true, Wait: true, Headless: true, Subagent: true}},
		{"interactive", tool.Offer{Background: true, Kill: true, Wait: true}},
		{"headless", tool.Offer{Background: true, Kill: true, Wait: true, Headless: true}},
		{"subagent", tool.Offer{Background: true, Kill: true, Wait: true, Subagent: true}},
		{"subagent_headless", tool.Offer{Background: true, Kill: true, Wait: true, Headless: true, Subagent: true}},
		{"interactive_launch_only", tool.Offer{Background: true}},
		{"headless_launch_only", tool.Offer{Background: true, Headless: true}},
		{"subagent_launch_only", tool.Offer{Background: true, Subagent: true}},
		{"headless_no_kill", tool.Offer{Background: true, Wait: true, Headless: true}},
	}
}

var interactive = tool.Offer{Background: true, Kill: true, Wait: true, Handoff: true}

// lender is the smallest agent that lends its tools a context's background work.
type lender struct {
	env  *tool.Env
	fail error // of every method that has one

	mu       sync.Mutex
	launched []string // call ids
	timeouts []time.Duration
	forgot   int
	running  chan foreground // each foreground call that can be moved
}

type foreground struct {
	callID, command string
	call            execctx.ForegroundCall
	moved           chan execctx.Launched
}

func lend(w *workspace, o tool.Offer) *lender {
	w.t.Helper()
	l := &lender{env: w.env, running: make(chan foreground, 100)}
	w.env.Tasks, w.env.TasksDir = l, w.dir+"/tasks"
	w.offer(Options{}, o)
	return l
}

// offer makes the tools of an agent with that offer.
func (w *workspace) offer(opts Options, o tool.Offer) {
	w.t.Helper()
	reg, err := tool.NewRegistry(tool.AdaptAll(All(opts), o)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.reg = reg
}

func (l *lender) Launch(ctx context.Context, callID, command string, env map[string]string) (execctx.Launched, error) {
	l.mu.Lock()
	l.launched = append(l.launched, callID)
	l.mu.Unlock()
	if l.fail != nil {
		return execctx.Launched{}, l.fail
	}
	return execctx.Launch(ctx, l.env.Exec, l.env.Handle, execctx.LaunchRequest{Command: command, Env: env, OutputDir: l.env.TasksDir})
}

func (l *lender) known(ctx context.Context, id string) error {
	entries, err := execctx.List(ctx, l.env.Exec, l.env.Handle)
	if err != nil {
		return err
	}
	unknown := &tool.UnknownTaskError{TaskID: id}
	for _, e := range entries {
		if e.TaskID == id {
			return nil
		}
		unknown.Known = append(unknown.Known, e.TaskID)
	}
	return unknown
}

func (l *lender) Kill(ctx context.Context, id string) (*execctx.ExitInfo, error) {
	if err := errors.Join(l.fail, l.known(ctx, id)); err != nil {
		return nil, err
	}
	return execctx.Kill(ctx, l.env.Exec, l.env.Handle, id)
}

func (l *lender) Wait(ctx context.Context, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
	l.mu.Lock()
	l.timeouts = append(l.timeouts, timeout)
	l.mu.Unlock()
	if err := errors.Join(l.fail, l.known(ctx, id)); err != nil {
		return nil, err
	}
	return execctx.Wait(ctx, l.env.Exec, l.env.Handle, id, timeout)
}

func (l *lender) Foreground(callID, command string, call execctx.ForegroundCall) (<-chan execctx.Launched, func()) {
	f := foreground{callID, command, call, make(chan execctx.Launched, 1)}
	l.running <- f
	return f.moved, func() {
		l.mu.Lock()
		l.forgot++
		l.mu.Unlock()
	}
}

// move hands a command to the background as a host does, and says whether it was
// in time.
func (f foreground) move(t testing.TB) (execctx.Launched, bool) {
	t.Helper()
	task, err := f.call.Move(execctx.MoveRequest{})
	if errors.Is(err, execctx.ErrEnded) {
		close(f.moved)
		return task, false
	}
	if err != nil {
		t.Error(err)
	}
	f.moved <- task
	return task, err == nil
}

// process gives the tools in a context of real processes.
func process(t *testing.T, opts execctx.ProcessOptions) *workspace {
	t.Helper()
	skipWithoutCommands(t)
	w := newWorkspace(t, nil)
	opts.KillGrace = 200 * time.Millisecond
	c := execctx.NewProcess(opts)
	h, err := c.Spawn(t.Context(), execctx.SpawnConfig{CWD: w.dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Destroy(context.Background(), h) })
	w.env.Exec, w.env.Handle = c, h
	return w
}

// pass lets the time of a bubble go on.
func pass(d time.Duration) { <-time.After(d) }
