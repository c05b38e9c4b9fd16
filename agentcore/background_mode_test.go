package agentcore_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/transcript"
)

// headless is a run that nobody wakes.
func headless(c *agentcore.Config) { c.Interactive = false }

// D-04, AC-159 to AC-162, AC-165: a headless agent is told to collect its tasks, asked
// once when it ends without, and what it leaves is said.
func TestHeadless_nudge_AC159to162_AC165_D04(t *testing.T) {
	atWork(t, execctx.MockOptions{}, headless, []scripted.Step{launch("make"), say("I will wait for it."),
		{Expect: &scripted.Match{Text: "bash_1"}, Text: "Still waiting."}}, func(t *testing.T, w *worked) {
		res := w.run("build it", nil)
		w.done()
		if res.End != agentcore.EndCompleted || count(w.events, agentcore.EventNudge) != 1 || res.Warnings != 1 {
			t.Errorf("%+v, %d nudges", res, count(w.events, agentcore.EventNudge))
		}
		system := w.model.Requests()[0].Request.System
		if !strings.Contains(system, "background") || !strings.Contains(system, "wait_task") {
			t.Errorf("the system prompt says nothing of it: %q", system)
		}
	})
}

// AC-161: where tasks outlive the program, what is left is told of as that.
func TestHeadless_durable_AC161(t *testing.T) {
	atWork(t, execctx.MockOptions{DetachedTasks: execctx.DetachedDurable, Pull: true}, headless, []scripted.Step{launch("make"), say("I will wait for it."), say("Still.")},
		func(t *testing.T, w *worked) {
			w.run("build it", nil)
			last := w.events[len(w.events)-2]
			if last.Kind != agentcore.EventWarning || !strings.Contains(last.Text, "bash_1") || strings.Contains(last.Text, "nothing will pick") {
				t.Errorf("the notice: %+v", last)
			}
		})
}

// AC-150, D-08, D-09: what was collected is not asked for: a wait that told the end pays.
func TestHeadless_collected_AC150_D08(t *testing.T) {
	atWork(t, execctx.MockOptions{OnLaunch: func(execctx.MockRun) execctx.MockScript {
		return execctx.MockScript{Exit: &execctx.MockExit{After: time.Minute}}
	}}, headless, []scripted.Step{launch("make"), {Tools: []scripted.Tool{use("wait_task", obj{"task_id": "bash_1"})}}, say("Built.")},
		func(t *testing.T, w *worked) {
			if res := w.run("build it", nil); count(w.events, agentcore.EventNudge) != 0 || res.Warnings != 0 {
				t.Errorf("asked for what it has: %+v", w.kinds())
			}
			w.done()
		})
}

// D-04: in an interactive session nobody is asked and nothing counts as left.
func TestInteractive_noNudge_D04(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("make"), say("You will hear of it.")}, func(t *testing.T, w *worked) {
		if res := w.run("build it", nil); count(w.events, agentcore.EventNudge) != 0 || res.Warnings != 0 {
			t.Errorf("asked in an interactive session: %+v", w.kinds())
		}
	})
}

// AC-183, D-03: a message that cannot wait moves the running command to the background;
// its row says so, the calls behind it are skipped, the model reads the message, and the
// transcript shows a handoff that its notification closes.
func TestDeliverNow_AC183_D03(t *testing.T) {
	steps := []scripted.Step{
		{Tools: []scripted.Tool{use("shell", obj{"command": "touch began; while ! test -e go; do sleep 0.01; done; echo pushed"}), use("shell", obj{"command": "echo later"})}},
		{Expect: &scripted.Match{Text: "what did you change?", ToolResult: "bash_1"}, Text: "One word."},
		{Expect: &scripted.Match{Text: "<task-notification>"}, Text: "It is through."}}
	c := execctx.NewProcess(execctx.ProcessOptions{})
	s := setup(t, func(cfg *agentcore.Config) {
		cfg.Exec, cfg.Tools, cfg.Interactive, cfg.Behavior.Handoff = c, builtin.All(builtin.Options{}), true, true
	}, steps...)
	moved, started := make(chan error, 1), false
	s.run("push it", func(e agentcore.Event) {
		if e.Kind != agentcore.EventToolStart || started {
			return
		}
		started = true
		go func() { moved <- deliver(s, "what did you change?") }()
	})
	if err := <-moved; err != nil {
		t.Fatal(err)
	}
	facts, err := transcript.Read(s.sess.Path(), transcript.Options{SessionID: s.sess.ID()})
	if err != nil || len(facts.Handoffs) != 1 || facts.Handoffs[0].State.AnyText != transcript.HandoffOpen || facts.Handoffs[0].TaskID != "bash_1" {
		t.Fatalf("handoffs while it runs: %+v, %v", facts.Handoffs, err)
	}
	if err := os.WriteFile(filepath.Join(s.sess.CWD(), "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if wake, err := s.agent.WaitTasks(t.Context()); !wake || err != nil {
		t.Fatalf("wake: %v, %v", wake, err)
	}
	s.runWith(t.Context(), agentcore.RunOptions{}, nil)
	s.done()
	facts, err = transcript.Read(s.sess.Path(), transcript.Options{SessionID: s.sess.ID()})
	if err != nil || facts.Handoffs[0].State.AnyText != transcript.HandoffClosed {
		t.Errorf("handoffs afterwards: %+v, %v", facts.Handoffs, err)
	}
	if len(facts.Tasks) != 1 || facts.Tasks[0].Entrance != transcript.EntranceDeliveredMessage {
		t.Errorf("tasks: %+v", facts.Tasks)
	}
}

// AC-183: it is off unless it is switched on, and then the message is not taken.
func TestDeliverNow_off_AC183(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{say("Done.")}, func(t *testing.T, w *worked) {
		if _, err := w.agent.DeliverNow("hello"); !errors.Is(err, agentcore.ErrNoHandoff) || len(w.agent.Queued()) != 0 {
			t.Errorf("error %v, queued %v", err, w.agent.Queued())
		}
		w.run("go", nil)
	})
}

// deliver sends a message that cannot wait, as soon as the command runs.
func deliver(s *stage, text string) error {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for range ticker.C {
		if _, err := os.Stat(filepath.Join(s.sess.CWD(), "began")); err != nil {
			continue
		}
		if tasks, err := s.agent.DeliverNow(text); err != nil || len(tasks) > 0 {
			return err
		}
	}
	return nil
}
