package agentcore

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// env is what tools are lent. The handle is made when the first tool is called, and
// kept until the agent is destroyed.
func (a *Agent) env(ctx context.Context) (*tool.Env, error) {
	env := &tool.Env{SessionID: a.thread.ID(), Exec: a.cfg.Exec, Paths: a.cfg.Paths, TasksDir: a.cfg.Session.TasksDir(),
		Handle: execctx.Handle{CWD: a.thread.CWD()}}
	if a.cfg.Exec == nil {
		return env, nil
	}
	handle := a.keptHandle()
	if handle == nil {
		cfg := a.cfg.Spawn
		if cfg.CWD == "" {
			cfg.CWD = a.thread.CWD()
		}
		if err := a.addEnv(&cfg); err != nil {
			return nil, err
		}
		h, err := a.cfg.Exec.Spawn(ctx, cfg)
		if err != nil {
			return nil, fmt.Errorf("agentcore: make the place where commands run: %w", err)
		}
		if !a.keepHandle(h) { // nobody else will destroy it
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.cfg.Behavior.DestroyTimeout)
			defer cancel()
			return nil, errors.Join(ErrDestroyed, a.cfg.Exec.Destroy(ctx, h))
		}
		handle = &h
	}
	env.Handle = *handle
	if a.offer.Background {
		env.Tasks = lent{a.background, *handle}
	}
	return env, nil
}

func (a *Agent) keptHandle() *execctx.Handle {
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	return a.edge.handle
}

// keepHandle keeps a new handle, unless the agent was destroyed meanwhile.
func (a *Agent) keepHandle(h execctx.Handle) bool {
	a.edge.mu.Lock()
	defer a.edge.mu.Unlock()
	if a.edge.destroyed != nil {
		return false
	}
	a.edge.handle = &h
	return true
}

func (a *Agent) addEnv(cfg *execctx.SpawnConfig) error {
	if a.cfg.Env == nil {
		return nil
	}
	more, err := a.cfg.Env()
	if err != nil {
		return fmt.Errorf("agentcore: environment of commands: %w", err)
	}
	env := maps.Clone(cfg.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, more)
	cfg.Env = env
	return nil
}
