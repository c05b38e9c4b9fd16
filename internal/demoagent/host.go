package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
)

// host is the program around the agent, as a chat with a screen would be: it brings
// messages at once, and wakes the agent when a task has ended.
type host struct {
	*stage
	model   *scripted.Model
	session *session.Session
	agent   *agentcore.Agent
}

func newHost(s *stage) (*host, error) {
	h := &host{stage: s}
	var err error
	if h.model, err = scripted.Parse("script.yaml", script); err != nil {
		return nil, err
	}
	settings, err := hook.LoadSettings(s.settings())
	if err != nil {
		return nil, err
	}
	store, err := session.NewStore(session.Options{Root: filepath.Join(s.dir, "state", "agentcore")})
	if err != nil {
		return nil, err
	}
	if h.session, err = store.Create(session.Meta{CWD: s.project(), Model: "scripted", Entrypoint: "cli", PermissionMode: "bypassPermissions"}); err != nil {
		return nil, err
	}
	h.agent, err = agentcore.New(agentcore.Config{
		Model: h.model, ModelName: "scripted", Session: h.session, Tools: builtin.All(builtin.Options{}), PermissionMode: "bypassPermissions",
		Exec:  execctx.NewProcess(execctx.ProcessOptions{CWD: s.project(), Env: s.env()}),
		Spawn: execctx.SpawnConfig{CWD: s.project()}, Env: h.sessionEnv,
		Commands:    hook.NewCommands(settings, h.hookOptions()),
		Interactive: true, Behavior: agentcore.Behavior{Handoff: s.handoff},
	})
	if err != nil {
		return nil, errors.Join(err, h.session.Close())
	}
	return h, nil
}

// hookOptions tell the gate that somebody wakes this session, so that it may let a
// turn end while a task runs.
func (h *host) hookOptions() hook.Options {
	return hook.Options{ProjectDir: h.project(), Env: h.env(), Entrypoint: "cli", Attended: true,
		EnvFile: func(string) string { return h.envFile() }}
}

func (h *host) envFile() string { return filepath.Join(filepath.Dir(h.session.Path()), "env.sh") }

// sessionEnv is what the agent's commands know their session by: `stophook status`
// files its evidence under it.
func (h *host) sessionEnv() (map[string]string, error) {
	left, _, err := hook.ReadEnvFile(h.envFile())
	if err != nil {
		return nil, err
	}
	env := map[string]string{}
	for _, kv := range append(left, hook.SessionEnv(h.hookOptions(), h.session.ID(), "agentcore")...) {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	return env, nil
}

// delivery is a message that cannot wait for a command.
type delivery struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
	task   string // that the command became
	err    error
}

// deliver brings a message as soon as the push hangs. Without the handoff the push
// goes on, so that nobody waits for what never comes.
func (h *host) deliver(ctx context.Context, text string) *delivery {
	ctx, cancel := context.WithCancelCause(ctx)
	d := &delivery{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(d.done)
		if d.err = h.pushing(ctx); d.err != nil {
			return
		}
		tasks, err := h.agent.DeliverNow(text)
		if err == nil && len(tasks) != 1 {
			err = fmt.Errorf("the message moved %d commands to the background; the story wants one", len(tasks))
		}
		if err != nil {
			d.err = errors.Join(err, h.land())
			return
		}
		d.task = tasks[0].TaskID
	}()
	return d
}

// outcome is what came of it, once the command has its result.
func (d *delivery) outcome() (task string, err error) {
	d.cancel(errors.New("the push was over before the message could be delivered"))
	<-d.done
	return d.task, d.err
}

// landed lets the push go on and waits until its end has come in.
func (h *host) landed(ctx context.Context) error {
	if err := h.land(); err != nil {
		return err
	}
	return until(ctx, h.agent.HasPendingTaskNotifications)
}

func (h *host) end(ctx context.Context) error {
	return errors.Join(h.agent.Destroy(context.WithoutCancel(ctx)), h.session.Close())
}
