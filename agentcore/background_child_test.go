package agentcore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
)

// childSteps are a parent that sends a subagent, which launches commands and ends.
func childSteps(commands ...string) []scripted.Step {
	inside := launch(commands...)
	inside.When = &scripted.Match{Text: "the part"}
	return []scripted.Step{inside,
		{When: &scripted.Match{ToolResult: "Started bash_1"}, Text: "bash_1 runs."},
		{Expect: &scripted.Match{Text: "go"}, Tools: []scripted.Tool{use("spawn", obj{"prompt": "the part"})}},
		say("It runs."), say("I see."), say("Nothing new.")}
}

func subagents(share bool) func(*agentcore.Config) {
	return func(c *agentcore.Config) {
		sub := agentcore.GeneralSubagent()
		sub.ShareHandle = share
		c.Subagents = []agentcore.Subagent{sub}
	}
}

// hear writes down what is told on a bus of background work.
func (w *worked) hear() *[]string {
	heard := &[]string{}
	note := func(format string, args ...any) { *heard = append(*heard, fmt.Sprintf(format, args...)) }
	hook.On(w.heard, hook.BackgroundExit, func(_ context.Context, p *hook.BackgroundExitPayload) error {
		note("exit %s %s", p.TaskID, p.Status)
		return nil
	})
	hook.On(w.heard, hook.BackgroundReassign, func(_ context.Context, p *hook.BackgroundReassignPayload) error {
		note("reassign %s", p.TaskID)
		if p.ChildID == "" || p.FromHandleID == p.ToHandleID {
			w.t.Errorf("reassigned: %+v", p)
		}
		return nil
	})
	hook.On(w.heard, hook.ChildOf(hook.BackgroundStart), func(_ context.Context, c *hook.Child[hook.BackgroundStartPayload]) error {
		note("child %d start %s", c.Depth, c.Payload.TaskID)
		return nil
	})
	hook.On(w.heard, hook.ChildOf(hook.BackgroundExit), func(_ context.Context, c *hook.Child[hook.BackgroundExitPayload]) error {
		note("child %d exit %s", c.Depth, c.Payload.TaskID)
		return nil
	})
	return heard
}

// AC-90 to AC-94, AC-20, AC-22: what a subagent leaves running is handed to its parent
// before it is destroyed; the end is told on the parent's bus and to the parent's model,
// and what happened inside was heard above as well.
func TestSubagent_handsOver_AC90to94_AC20_AC22(t *testing.T) {
	atWork(t, execctx.MockOptions{}, subagents(false), childSteps("one"), func(t *testing.T, w *worked) {
		heard := w.hear()
		w.run("go", nil)
		if got := w.mock.Running(); !slices.Equal(got, []string{"bash_1"}) {
			t.Fatalf("running behind the subagent: %v", got)
		}
		if !w.agent.KillBackgroundTask(t.Context(), "bash_1") { // AC-93: the parent finds it
			t.Error("the parent cannot end it")
		}
		synctest.Wait()
		w.run("and?", nil)
		w.wantTold("bash_1")
		if diff := cmp.Diff([]string{"child 1 start bash_1", "reassign bash_1", "exit bash_1 killed"}, *heard); diff != "" {
			t.Errorf("heard (-want +got):\n%s", diff)
		}
	})
}

// D-12, AC-95: an end that the subagent was not told of is its parent's to tell, also
// when the subagent is aborted.
func TestSubagent_forwardsEnds_D12_AC95(t *testing.T) {
	for _, abort := range []bool{false, true} {
		atWork(t, execctx.MockOptions{}, subagents(false), childSteps("one"), func(t *testing.T, w *worked) {
			w.run("go", func(e agentcore.Event) {
				if e.Depth == 1 && e.Kind == agentcore.EventMessage && e.Message.FinalText() != "" {
					w.exit("bash_1", 3)
				}
				if abort && e.Depth == 1 && e.Kind == agentcore.EventText {
					w.agent.Abort(agentcore.AfterTools, "")
				}
			})
			w.run("and?", nil)
			if !abort {
				w.wantTold("bash_1")
			}
			w.run("more?", nil)
			w.wantTold()
		})
	}
}

// AC-94: where tasks cannot be handed over they end with the subagent, and that is told.
func TestSubagent_cannotHandOver_AC94(t *testing.T) {
	atWork(t, execctx.MockOptions{Hide: []any{(*execctx.BackgroundReassigner)(nil)}}, subagents(false), childSteps("one"), func(t *testing.T, w *worked) {
		w.run("go", nil)
		synctest.Wait()
		if got := w.mock.Running(); len(got) > 0 {
			t.Errorf("running behind the subagent: %v", got)
		}
		w.run("and?", nil)
		w.wantTold("bash_1")
	})
}

// AC-96: on a shared handle nothing moves, and the end is the parent's.
func TestSubagent_sharedHandle_AC96_D12(t *testing.T) {
	atWork(t, execctx.MockOptions{}, subagents(true), childSteps("one"), func(t *testing.T, w *worked) {
		heard := w.hear()
		w.run("go", nil)
		w.exit("bash_1", 0)
		w.run("and?", nil)
		w.wantTold("bash_1")
		if diff := cmp.Diff([]string{"child 1 start bash_1", "exit bash_1 exited"}, *heard); diff != "" {
			t.Errorf("heard (-want +got):\n%s", diff)
		}
		if calls := w.mock.Calls(execctx.MockSeamReassign); len(calls) > 0 {
			t.Errorf("reassigned: %v", calls)
		}
	})
}

// AC-97: with real processes that end around the moment in which their subagent does,
// every end reaches the parent exactly once.
func TestSubagent_endsRaceTheHandover_AC97(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var commands []string
		for range rapid.IntRange(1, 4).Draw(rt, "tasks") {
			commands = append(commands, fmt.Sprintf("sleep 0.0%d", rapid.IntRange(0, 3).Draw(rt, "centiseconds")))
		}
		c := execctx.NewProcess(execctx.ProcessOptions{KillGrace: time.Second})
		s := setup(t, func(cfg *agentcore.Config) {
			cfg.Exec, cfg.Tools, cfg.Interactive = c, builtin.All(builtin.Options{}), true
			cfg.Subagents = []agentcore.Subagent{agentcore.GeneralSubagent()}
		}, append(childSteps(commands...), scripted.Step{Always: true, Text: "I see."})...)
		told := map[string]int{}
		seen := func(e agentcore.Event) {
			if e.Kind == agentcore.EventTask && e.Depth == 0 {
				told[e.Task.OutputPath]++
			}
		}
		s.run("go", seen)
		for {
			wake, err := s.agent.WaitTasks(t.Context())
			if err != nil {
				rt.Fatal(err)
			}
			if !wake {
				break
			}
			s.runWith(t.Context(), agentcore.RunOptions{}, seen)
		}
		for path, n := range told {
			if n != 1 {
				rt.Errorf("%s was told %d times", path, n)
			}
		}
		if len(told) != len(commands) {
			rt.Errorf("%d of %d ends were told", len(told), len(commands))
		}
		if err := s.agent.Destroy(t.Context()); err != nil {
			rt.Error(err)
		}
	})
}

// AC-104, AC-103: when destroy returns, the last words of killed tasks are in their logs.
// D-31: a handle of the host's keeps its tasks.
func TestDestroy_logsAreWhole_AC103_AC104_D31(t *testing.T) {
	c := execctx.NewProcess(execctx.ProcessOptions{KillGrace: 5 * time.Second})
	s := setup(t, func(cfg *agentcore.Config) {
		cfg.Exec, cfg.Tools, cfg.Interactive = c, builtin.All(builtin.Options{}), true
	}, launch("trap 'echo last words; exit 0' TERM; echo ready; while :; do sleep 0.01; done"), say("It runs."))
	var path string
	s.run("go", nil)
	h := s.agent
	for _, e := range listed(t, s) {
		path = e
	}
	waitForText(t, path, "ready")
	if err := h.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitForText(t, path, "last words")

	handle, err := c.Spawn(t.Context(), execctx.SpawnConfig{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	kept := setup(t, func(cfg *agentcore.Config) {
		cfg.Exec, cfg.Handle, cfg.Tools, cfg.Interactive = c, &handle, builtin.All(builtin.Options{}), true
	}, launch("sleep 60"), say("It runs."))
	kept.run("go", nil)
	if err := kept.agent.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	entries, err := execctx.List(t.Context(), c, handle)
	if err != nil || len(entries) != 1 || entries[0].Ended() {
		t.Errorf("tasks of the host's handle: %+v, %v", entries, err)
	}
	if err := c.Destroy(t.Context(), handle); err != nil {
		t.Error(err)
	}
}

// listed are the logs of a session's tasks.
func listed(t *testing.T, s *stage) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.sess.TasksDir(), "*.log"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no log in %s: %v", s.sess.TasksDir(), err)
	}
	return paths
}

// waitForText waits until a file holds a text; a file that never does fails the test.
func waitForText(t *testing.T, path, text string) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), text) {
			return
		}
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("%s never held %q: %q, %v", path, text, data, err)
		}
	}
}
