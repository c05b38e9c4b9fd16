package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/supervised"
	"github.com/stophook/stophook/internal/nearest"
)

// Contexts that --context names.
const (
	contextProcess    = "process"
	contextSupervised = "supervised"
)

// place is where the commands of a run go, and its tasks.
type place struct {
	exec  execctx.ExecutionContext
	known *handles // of a process context, whose tasks end with us

	store  *supervised.Context // of a supervised one, whose tasks stay
	handle execctx.Handle
}

func checkContext(name string) error {
	names := []string{contextProcess, contextSupervised}
	if slices.Contains(names, name) {
		return nil
	}
	hint := ""
	if meant := nearest.Word(name, names); meant != "" {
		hint = "; did you mean " + meant + "?"
	}
	return fmt.Errorf("--context %s: there are process and supervised%s", name, hint)
}

// storeDir is the store of a session's supervised tasks.
func storeDir(transcript string) string {
	return filepath.Join(filepath.Dir(transcript), contextSupervised)
}

// place makes the execution context of a session. One that has a store of supervised
// tasks gets it again unasked: else nobody would tell the agent of their ends.
func (p *program) place(c *cli.Context, sess *session.Session) (*place, error) {
	warn := func(err error) { p.log.Warn(err) }
	kind := c.String("context")
	if _, err := os.Stat(storeDir(sess.Path())); err == nil && !c.IsSet("context") {
		kind = contextSupervised
	}
	if kind != contextSupervised {
		known := &handles{ProcessContext: execctx.NewProcess(execctx.ProcessOptions{CWD: sess.CWD(), Env: p.childEnv(), Warn: warn})}
		return &place{exec: known, known: known}, nil
	}
	store, err := supervised.New(supervised.Options{Dir: storeDir(sess.Path()), CWD: sess.CWD(), Env: p.childEnv(), Warn: warn})
	if err != nil {
		return nil, fmt.Errorf("--context supervised: %w", err)
	}
	return &place{exec: store, store: store}, nil
}

// bind makes the place that of an agent. A supervised handle is ours, so that the
// agent's end leaves its tasks alone (D-31), and its id is the session's, so that the
// next program finds them. It is bound again before each call of the model: what
// SessionStart hooks leave for commands is not there at first.
func (pl *place) bind(ctx context.Context, cfg *agentcore.Config) error {
	cfg.Exec = pl.exec
	if pl.store == nil {
		return nil
	}
	spawn := execctx.SpawnConfig{HandleID: cfg.Session.ID(), CWD: cfg.Session.CWD()}
	h, err := pl.store.Spawn(ctx, spawn)
	if err != nil {
		return fmt.Errorf("find the tasks of the session: %w", err)
	}
	pl.handle, cfg.Handle = h, &h
	env, bound := cfg.Env, sync.Once{}
	hook.On(cfg.Bus, hook.TurnBefore, func(ctx context.Context, _ *hook.TurnBeforePayload) error {
		var err error
		bound.Do(func() {
			if spawn.Env, err = env(); err == nil {
				_, err = pl.store.Spawn(ctx, spawn)
			}
		})
		return err
	})
	return nil
}

// running are the tasks that run now.
func (pl *place) running(ctx context.Context) []execctx.TaskEntry {
	var tasks []execctx.TaskEntry
	for _, h := range pl.handles() {
		entries, err := execctx.List(ctx, pl.exec, h)
		if err != nil {
			continue // of a subagent that is over
		}
		tasks = append(tasks, entries...)
	}
	return slices.DeleteFunc(tasks, func(e execctx.TaskEntry) bool { return e.Ended() })
}

func (pl *place) handles() []execctx.Handle {
	if pl.store != nil {
		return []execctx.Handle{pl.handle}
	}
	return pl.known.all()
}

// close lets go of tasks that outlive us. Others ended with the agent.
func (pl *place) close() error {
	if pl.store == nil {
		return nil
	}
	return pl.store.Close()
}

// handles is a process context that remembers its handles, so that its tasks can be
// counted. Who makes them is the agent.
type handles struct {
	*execctx.ProcessContext

	mu   sync.Mutex
	made []execctx.Handle
}

// Spawn implements execctx.Lifecycle.
func (h *handles) Spawn(ctx context.Context, cfg execctx.SpawnConfig) (execctx.Handle, error) {
	made, err := h.ProcessContext.Spawn(ctx, cfg)
	if err == nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.made = append(h.made, made)
	}
	return made, err
}

func (h *handles) all() []execctx.Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.made)
}
