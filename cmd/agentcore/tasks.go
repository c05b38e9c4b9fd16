package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/supervised"
	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
)

// tasksSchema names the version of `agentcore tasks list --json`.
const tasksSchema = "agentcore.tasks/v1"

// logPoll is how often a log that is followed is looked at.
const (
	logPoll = 100 * time.Millisecond
)

func (p *program) tasksCommand() *cli.Command {
	where := []cli.Flag{command.Switch("last", "the session that was used last in this directory, in place of SESSION"), stateDirFlag()}
	sub := func(name, what, text, description string, action func(*cli.Context, *owner, []string) error, flags ...cli.Flag) *cli.Command {
		return &cli.Command{Name: name, Usage: what, UsageText: text, Description: description, Flags: append(flags, where...),
			Action: func(c *cli.Context) error { return p.withOwner(c, action) },
			OnUsageError: func(c *cli.Context, err error, _ bool) error {
				return usage(fmt.Errorf("%w; `agentcore tasks %s --help` lists the flags", err, name))
			}}
	}
	return &cli.Command{
		Name: "tasks", Usage: "the background tasks of a session: list, logs, wait, kill",
		UsageText: `agentcore tasks list|logs|wait|kill SESSION [TASK] [flags]

  agentcore tasks list --last
  agentcore tasks logs 3f2a bash_1 --follow
  agentcore tasks wait 3f2a bash_1 --timeout 10m && echo passed
  agentcore tasks kill --last bash_1`,
		Description: `SESSION is the beginning of an id, or --last. Tasks of --context supervised can be waited
for and killed from here, whether their agent lives or not. Of others the log and what the
session was told are shown; they end with their agent.`,
		Subcommands: []*cli.Command{
			sub("list", "what runs and what ran", "agentcore tasks list SESSION [--json]\n\n  agentcore tasks list --last --json | jq -r '.tasks[] | select(.status==\"running\").task_id'",
				"Status is running, exited, killed or lost; gone: its program is over, and its end was\nnot recorded; unknown: only the agent that runs now knows it.", p.listTasks, command.Switch("json", "print one JSON object")),
			sub("logs", "the output of a task", "agentcore tasks logs SESSION TASK [flags]\n\n  agentcore tasks logs --last bash_1 --tail 2000\n  agentcore tasks logs 3f2a bash_1 --follow",
				"Prints the log as it is. --follow goes on until the task has ended.", p.taskLogs,
				command.Switch("follow", "go on until the task has ended", "f"), &cli.Int64Flag{Name: "tail", Usage: "only the last `N` bytes", DefaultText: "all"}),
			sub("wait", "wait for a task, and exit with its code", "agentcore tasks wait SESSION TASK [flags]\n\n  agentcore tasks wait --last bash_1 --timeout 10m && echo passed",
				"The exit code is that of the task; 1 when it is not known; 124 when the time is up.", p.waitTask,
				&cli.DurationFlag{Name: "timeout", Usage: "give up after a time, as in 10m, with exit code 124", DefaultText: "never"}),
			sub("kill", "end a task that runs", "agentcore tasks kill SESSION TASK\n\n  agentcore tasks kill --last bash_1",
				"Sends SIGTERM to the task's process group, and SIGKILL after 5 s. The agent is told\nat its next run.", p.killTask),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usage(fmt.Errorf("tasks has list, logs, wait and kill, not %q", term.OneLine(c.Args().First(), 60)))
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

// owner is a session whose tasks are looked at. Nothing of it is written, so it may be
// in use.
type owner struct {
	info   session.Info
	dir    string              // of logs
	store  *supervised.Context // nil: it has no supervised tasks
	handle execctx.Handle
}

// withOwner opens the session that the arguments name.
func (p *program) withOwner(c *cli.Context, action func(*cli.Context, *owner, []string) error) error {
	id, args := c.Args().First(), c.Args().Tail()
	if c.Bool("last") {
		id, args = "", c.Args().Slice()
	} else if id == "" {
		return usage(errors.New("which session? give the beginning of its id, or --last; `agentcore sessions` lists them"))
	}
	store, err := p.store(c)
	if err != nil {
		return usage(err)
	}
	cwd, err := p.workdir()
	if err != nil {
		return err
	}
	if id, err = p.pick(store, id, cwd); err != nil {
		return usage(err)
	}
	o, err := p.owner(c.Context, store, id)
	if err != nil {
		return err
	}
	defer o.close()
	return action(c, o, args)
}

// owner finds a session by its whole id. It makes no store where there is none.
func (p *program) owner(ctx context.Context, store *session.Store, id string) (*owner, error) {
	o := &owner{dir: store.TasksDir(id)}
	infos, err := store.List()
	if err != nil {
		return nil, err
	}
	for _, i := range infos {
		if i.ID == id {
			o.info = i
		}
	}
	dir := storeDir(o.info.Path)
	if _, err := os.Stat(dir); err != nil {
		return o, nil
	}
	o.store, err = supervised.New(supervised.Options{Dir: dir, Env: p.childEnv(), Warn: func(err error) { p.log.Warn(err) }})
	if err != nil {
		return nil, err
	}
	o.handle, err = o.store.Spawn(ctx, execctx.SpawnConfig{HandleID: id})
	if err != nil {
		return nil, errors.Join(err, o.store.Close())
	}
	return o, nil
}

func (o *owner) close() {
	if o.store != nil {
		_ = o.store.Close() // it was read from alone
	}
}

// quiet fails when supervised tasks of a session run: their logs must not go.
func (p *program) quiet(ctx context.Context, store *session.Store, id string) error {
	o, err := p.owner(ctx, store, id)
	if err != nil {
		return err
	}
	defer o.close()
	if o.store == nil {
		return nil
	}
	entries, err := execctx.List(ctx, o.store, o.handle)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Ended() {
			return fmt.Errorf("%s of session %s runs; `agentcore tasks kill %[2]s %[1]s` ends it", e.TaskID, short(id))
		}
	}
	return nil
}

func (p *program) listTasks(c *cli.Context, o *owner, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Errorf("tasks list takes a session alone; `agentcore tasks logs` shows the output of %q", term.OneLine(args[0], 60)))
	}
	rows, err := o.rows(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(map[string]any{"schema": tasksSchema, "session_id": o.info.ID, "tasks": rows})
	}
	if len(rows) == 0 {
		fmt.Fprintf(p.stderr, "agentcore: session %s has no background tasks\n", term.Word(short(o.info.ID)))
		return nil
	}
	tw := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "TASK\tSTATUS\tCODE\tTIME\tOUTPUT\tCOMMAND")
	for _, r := range rows {
		code, took := "-", "-"
		if r.ExitCode != nil {
			code = strconv.Itoa(*r.ExitCode)
		}
		switch {
		case r.DurationMS > 0:
			took = (time.Duration(r.DurationMS) * time.Millisecond).Round(100 * time.Millisecond).String()
		case r.Status == string(execctx.StatusRunning) && !r.Started.IsZero():
			took = p.now().Sub(r.Started).Truncate(time.Second).String()
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", term.Word(r.ID), r.Status, code, took, term.Size(r.Bytes), term.OneLine(term.OrDash(r.Command), 60))
	}
	return tw.Flush()
}

func (p *program) waitTask(c *cli.Context, o *owner, args []string) error {
	row, err := o.one(c.Context, args)
	if err != nil {
		return usage(err)
	}
	timeout := c.Duration("timeout")
	if timeout < 0 {
		return usage(fmt.Errorf("--timeout %s: a time is not below 0", timeout))
	}
	if row.Durable && row.Status == string(execctx.StatusRunning) {
		if row, err = p.awaited(c, o, row, timeout); err != nil {
			return err
		}
	}
	switch {
	case row.ExitCode != nil && *row.ExitCode != 0:
		return command.Exit(*row.ExitCode, "%s %s with code %d", row.ID, row.Status, *row.ExitCode)
	case row.ExitCode != nil:
		return nil
	case row.Status == statusUnknown:
		return command.Exit(exitFailed, "%s is a task of the agent that runs now, which alone can wait for it", row.ID)
	}
	return command.Exit(exitFailed, "%s is %s: its exit code is not known", row.ID, row.Status)
}

// awaited waits for a task that runs; Ctrl-C ends the wait and not the task.
func (p *program) awaited(c *cli.Context, o *owner, row taskRow, timeout time.Duration) (taskRow, error) {
	ctx, stop := p.interrupted()
	defer stop()
	if timeout == 0 {
		timeout = forever
	}
	info, err := execctx.Wait(ctx, o.store, o.handle, row.ID, timeout)
	switch {
	case ctx.Err() != nil:
		return row, command.Exit(exitInterrupted, "interrupted; %s goes on", row.ID)
	case err != nil:
		return row, err
	case info == nil:
		return row, command.Exit(exitTimeout, "%s runs still after %s", row.ID, timeout)
	}
	row.Status, row.ExitCode = string(info.Status), info.ExitCode
	return row, nil
}

// forever is a wait without a limit: ten years.
const forever = 10 * 365 * 24 * time.Hour

func (p *program) killTask(c *cli.Context, o *owner, args []string) error {
	row, err := o.one(c.Context, args)
	if err != nil {
		return usage(err)
	}
	if !row.Durable {
		return command.Exit(exitFailed, "%s is %s, and no task of --context supervised: nobody but its agent can end it", row.ID, row.Status)
	}
	info, err := execctx.Kill(context.WithoutCancel(c.Context), o.store, o.handle, row.ID)
	if err != nil {
		return err
	}
	if info == nil {
		return command.Exit(exitFailed, "%s is not there any more", row.ID)
	}
	if row.Status != string(execctx.StatusRunning) {
		fmt.Fprintf(p.stderr, "agentcore: %s had ended before: %s\n", term.Word(row.ID), row.Status)
		return nil
	}
	fmt.Fprintf(p.stderr, "agentcore: %s: %s\n", term.Word(row.ID), info.Status)
	return nil
}
