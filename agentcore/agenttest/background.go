package agenttest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/transcript"
)

// Background is what a scenario with tasks has. Commands run in the mock context: in
// the background they run until the scenario ends them, in the foreground until they are
// moved or the run is over.
type Background struct {
	Interactive bool          `yaml:"interactive"` // somebody wakes the agent
	Durable     bool          `yaml:"durable"`     // tasks outlive the program, and no end is pushed
	NoReassign  bool          `yaml:"no_reassign"` // tasks cannot be handed over
	Disable     string        `yaml:"disable"`     // all or non-durable
	StallAfter  time.Duration `yaml:"stall_after"`
	Handoff     bool          `yaml:"handoff"`
}

// mock is the execution context of the scenario.
func (b Background) mock() *execctx.Mock {
	opts := execctx.MockOptions{CWD: "/mock", Pull: b.Durable,
		OnExec: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Exit: &execctx.MockExit{After: time.Hour}}
		}}
	if b.Durable {
		opts.DetachedTasks = execctx.DetachedDurable
	}
	if b.NoReassign {
		opts.Hide = []any{(*execctx.BackgroundReassigner)(nil)}
	}
	return execctx.NewMock(opts)
}

// configure gives an agent the built-in tools and what background work needs.
func (b Background) configure(cfg *agentcore.Config) {
	cfg.Tools = append(cfg.Tools, builtin.All(builtin.Options{})...)
	cfg.Interactive = b.Interactive
	cfg.Behavior.DisableBackground = agentcore.DisableBackground(b.Disable)
	cfg.Behavior.StallAfter, cfg.Behavior.Handoff = b.StallAfter, b.Handoff
	if b.Durable {
		cfg.Spawn.HandleID = "durable"
	}
}

// tasks carries out what a step or an action says of tasks.
func (st *stage) tasks(exit, kill string, wait bool, deliver string, pass time.Duration) {
	st.t.Helper()
	if pass > 0 {
		<-time.After(pass)
		synctest.Wait()
		st.out.line("-- %s pass", pass)
	}
	if exit != "" {
		id, code, _ := strings.Cut(exit, " ")
		n, err := strconv.Atoi(code)
		if err != nil || !st.exec.Exit(id, execctx.MockExit{Code: n}) {
			st.t.Fatalf("play.yaml: exit %q: write the id of a running task and its code", exit)
		}
		<-time.After(time.Millisecond) // no two ends at one instant
		synctest.Wait()
		st.out.line("-- %s exits with %d", id, n)
	}
	if kill != "" {
		st.out.line("-- the host kills %s: %v", kill, st.agent.KillBackgroundTask(st.t.Context(), kill))
		synctest.Wait()
	}
	if deliver != "" {
		made, err := st.agent.DeliverNow(deliver)
		text := ""
		for _, m := range made {
			text += " " + m.TaskID
		}
		st.out.line("-- delivered now: %q, moved%s (%v)", deliver, text, err)
	}
	if wait {
		wake, err := st.agent.WaitTasks(st.t.Context())
		st.out.line("-- woken: %v (%v)", wake, err)
	}
}

// describeTask is an event of tasks in one line; false for others.
func describeTask(e agentcore.Event) (string, bool) {
	switch e.Kind {
	case agentcore.EventTask:
		return fmt.Sprintf("%s %s", e.Kind, e.Task.Summary), true
	case agentcore.EventStall:
		return fmt.Sprintf("%s %s after %s", e.Kind, e.Stall.TaskID, e.Stall.StalledFor), true
	case agentcore.EventNudge:
		first, _, _ := strings.Cut(e.Text, "\n")
		return fmt.Sprintf("%s %q", e.Kind, first), true
	}
	return "", false
}

// oracle holds the tasks that package transcript finds in the session against those that
// the context ran (AC-182): it finds every one that the agent launched itself, and none
// that it says has ended runs.
func (st *stage) oracle() {
	st.t.Helper()
	facts, err := transcript.Read(st.sess.Path(), transcript.Options{SessionID: st.sess.ID()})
	if err != nil || facts.BadLines > 0 || len(facts.Blind) > 0 {
		st.t.Errorf("the transcript: %v, %d bad lines, blind %v", err, facts.BadLines, facts.Blind)
	}
	var found, made []string
	running := st.exec.Running()
	for _, t := range facts.Tasks {
		found = append(found, t.ID)
		if t.EndedAt != nil && slices.Contains(running, t.ID) {
			st.t.Errorf("the transcript says that %s has ended, and it runs", t.ID)
		}
	}
	for _, c := range st.exec.Calls(execctx.MockSeamLaunch, execctx.MockSeamMove) {
		made = append(made, c.TaskID)
	}
	if len(st.s.setup.Subagents) == 0 && len(found) != len(made) {
		st.t.Errorf("the transcript shows the tasks %v of %d that were made", found, len(made))
	}
}
