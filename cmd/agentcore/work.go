package main

import (
	"cmp"
	"context"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/internal/command"
)

// work runs the agent, as often as its tasks wake it, and tells how it ended by the
// exit code.
func (p *program) work(cfg agentcore.Config, place *place, text string, print printer) error {
	sess := cfg.Session
	cfg.Commands = hook.NewCommands(p.settings, p.hookOptions(sess))
	cfg.Spawn = execctx.SpawnConfig{CWD: sess.CWD()}
	cfg.Env = func() (map[string]string, error) { return p.sessionEnv(sess) }
	cfg.Bus = hook.NewBus(func(err *hook.HandlerError) { p.log.Warn(err) })
	ctx, listen := p.interrupted()
	defer listen()
	if err := place.bind(ctx, &cfg); err != nil {
		return err
	}
	agent, err := agentcore.New(cfg)
	if err != nil {
		return err
	}
	go func() { // from the first Ctrl-C on, the next one ends the program at once
		<-ctx.Done()
		listen()
	}()
	res, err := p.runs(ctx, agent, place, text, print)
	after := context.WithoutCancel(ctx)
	if err == nil {
		p.left(place, place.running(after), sess, print)
	}
	if derr := agent.Destroy(after); derr != nil {
		p.log.Warn(derr)
	}
	if err != nil {
		return err
	}
	if err := print.result(res, sess); err != nil {
		return err
	}
	return p.exit(res)
}

// runs is a run, and with --wake one more for each time that a task's end wakes the
// agent. The result is the last one's, with the sums of all.
func (p *program) runs(ctx context.Context, agent *agentcore.Agent, place *place, text string, print printer) (*agentcore.Result, error) {
	var all *agentcore.Result
	for {
		res, err := once(ctx, agent, text, print)
		if err != nil {
			return nil, err
		}
		all = sum(all, res)
		if !p.wake {
			return all, nil
		}
		print.waiting(len(place.running(ctx)))
		wake, err := agent.WaitTasks(ctx)
		if err != nil { // Ctrl-C while nothing ran but tasks
			all.End, all.Reason, all.Err = agentcore.EndAborted, "interrupted while tasks ran", err
			return all, nil
		}
		if !wake {
			return all, nil
		}
		if err := print.between(res); err != nil {
			return nil, err
		}
		text = ""
	}
}

// once ranges over one run.
func once(ctx context.Context, agent *agentcore.Agent, text string, print printer) (*agentcore.Result, error) {
	var res *agentcore.Result
	for e, err := range agent.Run(ctx, agentcore.RunOptions{Prompt: text}) {
		if err != nil {
			return nil, err
		}
		if e.Kind == agentcore.EventResult && e.Agent == "" {
			res = e.Result
		}
		if err := print.event(e); err != nil {
			return nil, err // the range ends, and with it the run
		}
	}
	return res, nil
}

// sum adds what earlier runs took to a result.
func sum(before, res *agentcore.Result) *agentcore.Result {
	all := *res
	if before != nil {
		all.Usage, all.Unpriced = before.Usage.Add(res.Usage), before.Unpriced.Add(res.Unpriced)
		all.CostUSD += before.CostUSD
		all.Turns += before.Turns
		all.Calls += before.Calls
		all.Blocks += before.Blocks
		all.Elapsed += before.Elapsed
		all.Warnings += before.Warnings
	}
	return &all
}

// left says what becomes of tasks that run on when the agent is done.
func (p *program) left(place *place, tasks []execctx.TaskEntry, sess *session.Session, print printer) {
	if len(tasks) == 0 {
		return
	}
	if place.store == nil {
		for _, t := range tasks {
			print.warn("%s ends now, with this program: %s; --wake waits for tasks, --context supervised lets them go on", t.TaskID, t.Command)
		}
		return
	}
	for _, t := range tasks {
		print.warn("%s goes on: %s; `agentcore tasks wait %s %s` waits for it, `agentcore tasks logs` shows its output, and the next `agentcore resume` tells the agent of its end",
			t.TaskID, t.Command, short(sess.ID()), t.TaskID)
	}
}

// exit is the exit code of a run.
func (p *program) exit(res *agentcore.Result) error {
	switch {
	case res.End == agentcore.EndCompleted || res.End == agentcore.EndTool:
		return nil
	case res.End == agentcore.EndAborted:
		return command.Exit(exitInterrupted, "interrupted; `agentcore resume` goes on")
	case res.End.Limit():
		return command.Exit(exitLimit, "%s", cmp.Or(res.Reason, string(res.End)))
	case res.End == agentcore.EndRefusal:
		return command.Exit(exitRefused, "the model refused")
	case res.End == agentcore.EndHook || res.End == agentcore.EndPrompt:
		return command.Exit(exitStopped, "a hook ended the run: %s", cmp.Or(res.Reason, "it gave no reason"))
	}
	return command.Exit(exitFailed, "%s", cmp.Or(res.Reason, string(res.End)))
}
