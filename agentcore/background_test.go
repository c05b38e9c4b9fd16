package agentcore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
)

// worked is a stage with a mock context and the built-in tools.
type worked struct {
	*stage
	mock  *execctx.Mock
	heard *hook.Bus
}

// atWork plays a test in a bubble, so that waits take no time.
func atWork(t *testing.T, opts execctx.MockOptions, change func(*agentcore.Config), steps []scripted.Step, play func(t *testing.T, w *worked)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opts.CWD = "/work"
		w := &worked{mock: execctx.NewMock(opts), heard: hook.NewBus(func(e *hook.HandlerError) { t.Log(e) })}
		w.stage = setup(t, func(c *agentcore.Config) {
			c.Exec, c.Tools, c.Interactive, c.Bus = w.mock, builtin.All(builtin.Options{}), true, w.heard
			if change != nil {
				change(c)
			}
		}, steps...)
		play(t, w)
	})
}

// launch is a step that starts commands in the background.
func launch(commands ...string) scripted.Step {
	s := scripted.Step{}
	for _, c := range commands {
		s.Tools = append(s.Tools, use("shell", obj{"command": c, "run_in_background": true}))
	}
	return s
}

func say(text string) scripted.Step { return scripted.Step{Text: text} }

// exit ends a task and lets its end come in.
func (w *worked) exit(id string, code int) {
	w.t.Helper()
	pass(time.Second) // of the bubble: no two ends at one instant
	if !w.mock.Exit(id, execctx.MockExit{Code: code}) {
		w.t.Fatalf("task %s does not run", id)
	}
	synctest.Wait()
}

// told are the ids of the ends that the latest run told, in order.
func (w *worked) told() []string {
	var ids []string
	for _, e := range w.events {
		if e.Kind == agentcore.EventTask {
			ids = append(ids, e.Task.TaskID)
		}
	}
	return ids
}

func (w *worked) wantTold(ids ...string) {
	w.t.Helper()
	if diff := cmp.Diff(ids, w.told()); diff != "" {
		w.t.Errorf("told (-want +got):\n%s", diff)
	}
}

// AC-30, AC-32, AC-33, AC-36, AC-42: ends are told at the next run's start, a text block
// each, before the prompt, in the order in which they happened.
func TestBackground_told_AC30_AC32_AC33_AC36_AC42(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one", "two", "three"), say("On their way."), say("I see.")},
		func(t *testing.T, w *worked) {
			var heard []string
			hook.On(w.heard, hook.BackgroundExit, func(_ context.Context, p *hook.BackgroundExitPayload) error {
				heard = append(heard, p.TaskID)
				return nil
			})
			w.run("go", nil)
			w.exit("bash_2", 0)
			w.exit("bash_3", 7)
			w.exit("bash_1", 0)
			w.run("and now?", nil)
			w.done()
			w.wantTold("bash_2", "bash_3", "bash_1")
			if diff := cmp.Diff([]string{"bash_2", "bash_3", "bash_1"}, heard); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
			messages := w.sess.Messages()
			last := messages[len(messages)-2]
			if len(last.Content) != 4 || last.Role != model.RoleUser || last.Content[3].Text != "and now?" {
				t.Fatalf("the user's message: %+v", last)
			}
			for i, id := range []string{"bash_2", "bash_3", "bash_1"} {
				if n, ok := task.Parse(last.Content[i].Text); !ok || n.Exit.TaskID != id {
					t.Errorf("block %d is not of %s: %s", i, id, last.Content[i].Text)
				}
			}
		})
}

// AC-37, AC-38, AC-39: an end that comes in a run waits for the next one; an abort leaves
// tasks alone.
func TestBackground_midRunAndAbort_AC37_AC38_AC39(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one", "two"), say("On their way."), say("Aborted."), say("I see.")},
		func(t *testing.T, w *worked) {
			w.run("go", func(e agentcore.Event) {
				if e.Kind == agentcore.EventMessage && e.Message.FinalText() != "" {
					w.exit("bash_1", 0)
				}
			})
			w.wantTold()
			w.run("stop that", func(e agentcore.Event) {
				if e.Kind == agentcore.EventText {
					w.agent.Abort(agentcore.Now, "")
				}
			})
			w.wantTold("bash_1")
			if got := w.mock.Running(); !slices.Equal(got, []string{"bash_2"}) {
				t.Errorf("running after the abort: %v", got)
			}
			w.exit("bash_2", 0)
			w.run("go on", nil)
			w.wantTold("bash_2")
		})
}

// AC-50 to AC-53: an end wakes the agent for a run without a prompt, which tells it and
// echoes nothing; without one such a run does not begin.
func TestBackground_wake_AC50to53(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one"), say("On its way."), say("Done.")}, func(t *testing.T, w *worked) {
		w.run("go", nil)
		for _, err := range w.agent.Run(t.Context(), agentcore.RunOptions{}) {
			if !errors.Is(err, agentcore.ErrNoPrompt) {
				t.Errorf("a run with nothing to tell: %v", err)
			}
		}
		time.AfterFunc(time.Minute, func() { w.mock.Exit("bash_1", execctx.MockExit{}) })
		if wake, err := w.agent.WaitTasks(t.Context()); !wake || err != nil || !w.agent.HasPendingTaskNotifications() {
			t.Fatalf("wake: %v, %v", wake, err)
		}
		w.runWith(t.Context(), agentcore.RunOptions{}, nil)
		w.done()
		w.wantTold("bash_1")
		for _, e := range w.events {
			if e.Kind == agentcore.EventPrompt {
				t.Errorf("a wake run echoed a prompt: %+v", e)
			}
		}
		if wake, err := w.agent.WaitTasks(t.Context()); wake || err != nil {
			t.Errorf("nothing runs, and it waits or wakes: %v, %v", wake, err)
		}
	})
}

// AC-53, AC-54, D-05: after a run that did not complete nothing wakes the agent until a
// prompt has been answered; the end is told then.
func TestBackground_noWakeAfterFailure_AC53_AC54_D05(t *testing.T) {
	limit := &model.Error{Kind: model.KindUsageLimit}
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one", "two"), {Error: &scripted.Failure{Kind: limit.Kind}}, say("Here.")},
		func(t *testing.T, w *worked) {
			if res := w.run("go", nil); res.End != agentcore.EndModelError {
				t.Fatalf("ended %s", res.End)
			}
			w.exit("bash_1", 0)
			if wake, err := w.agent.WaitTasks(t.Context()); wake || err != nil {
				t.Errorf("woken after a failure: %v, %v", wake, err)
			}
			w.run("again", nil)
			w.wantTold("bash_1")
			w.exit("bash_2", 0)
			if wake, _ := w.agent.WaitTasks(t.Context()); !wake {
				t.Error("not woken after a run that completed")
			}
		})
}

// AC-60 to AC-63, D-24, AC-35: what the model learned by a kill, a wait or a read after
// the end is told no more; a wait that timed out and a read before the end teach nothing.
func TestBackground_suppression_AC60to63_AC35_D24(t *testing.T) {
	for name, test := range map[string]struct {
		call  func(path string) scripted.Tool
		ended bool // before the call
		told  []string
	}{
		"kill":                {func(string) scripted.Tool { return use("shell_kill", obj{"task_id": "bash_1"}) }, false, nil},
		"kill of an ended":    {func(string) scripted.Tool { return use("shell_kill", obj{"task_id": "bash_1"}) }, true, nil},
		"wait":                {func(string) scripted.Tool { return use("wait_task", obj{"task_id": "bash_1"}) }, true, nil},
		"wait, timed out":     {func(string) scripted.Tool { return use("wait_task", obj{"task_id": "bash_1", "timeout_ms": 5}) }, false, []string{"bash_1"}},
		"read after the end":  {func(p string) scripted.Tool { return use("read_file", obj{"path": p}) }, true, nil},
		"read before the end": {func(p string) scripted.Tool { return use("read_file", obj{"path": p}) }, false, []string{"bash_1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var path string
			steps := []scripted.Step{launch("one"), say("On its way."),
				{Answer: func(*model.Request) scripted.Step { return scripted.Step{Tools: []scripted.Tool{test.call(path)}} }}, say("Looked."), say("Fine.")}
			atWork(t, execctx.MockOptions{}, nil, steps, func(t *testing.T, w *worked) {
				w.run("go", nil)
				entries, err := execctx.List(t.Context(), w.mock, w.mock.Calls(execctx.MockSeamLaunch)[0].Handle)
				if err != nil || len(entries) != 1 {
					t.Fatalf("list: %v, %v", entries, err)
				}
				path = entries[0].OutputPath
				ended := func(e agentcore.Event) {
					if test.ended && e.Kind == agentcore.EventTurnStart && e.Turn == 1 {
						w.exit("bash_1", 0)
						pass(time.Millisecond)
					}
				}
				w.run("look", ended)
				if slices.Contains(w.mock.Running(), "bash_1") {
					w.exit("bash_1", 0)
				}
				w.run("and?", nil)
				w.wantTold(test.told...)
			})
		})
	}
}

// AC-21, AC-41, D-20: handlers decide what is told; a list that fails loses nothing that
// was pushed.
func TestBackground_reconcile_AC21_AC41_D20(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one", "two"), say("On their way."), say("I see."), say("Nothing new.")},
		func(t *testing.T, w *worked) {
			hook.On(w.heard, hook.BackgroundReconcile, func(_ context.Context, p *hook.BackgroundReconcilePayload) error {
				p.Exits = p.Exits[1:]
				return nil
			})
			w.run("go", nil)
			w.exit("bash_1", 0)
			w.exit("bash_2", 0)
			w.mock.Fail(execctx.MockSeamList, errors.New("the list is broken"))
			res := w.run("and now?", nil)
			w.wantTold("bash_2")
			if res.Warnings != 1 {
				t.Errorf("%d warnings, want one of the list", res.Warnings)
			}
			w.run("more?", nil)
			w.wantTold() // dropped is dropped
		})
}

// AC-34, D-22: a new process knows from the session what was told, and tells the rest.
func TestBackground_afterRestart_AC34_D21_D22(t *testing.T) {
	atWork(t, execctx.MockOptions{DetachedTasks: execctx.DetachedDurable, Pull: true}, func(c *agentcore.Config) {
		c.Spawn.HandleID = "durable"
	}, []scripted.Step{launch("one", "two"), say("On their way."), say("One is done."), say("Both.")}, func(t *testing.T, w *worked) {
		w.run("go", nil)
		w.exit("bash_1", 0)
		if w.agent.HasPendingTaskNotifications() {
			t.Error("a context that does not push has a pending end (AC-50)")
		}
		w.run("and?", nil)
		w.wantTold("bash_1")
		w.exit("bash_2", 3)
		later, err := agentcore.New(agentcore.Config{Model: w.model, Session: w.sess, Exec: w.mock.Reopen(), Spawn: execctx.SpawnConfig{HandleID: "durable"},
			Tools: builtin.All(builtin.Options{}), Interactive: true})
		if err != nil {
			t.Fatal(err)
		}
		w.agent = later
		w.run("and now?", nil)
		w.wantTold("bash_2")
		if err := later.Destroy(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// AC-73, AC-74, D-27: a stall is told once, wakes nobody and is no end.
func TestBackground_stall_AC73_AC74_D27(t *testing.T) {
	atWork(t, execctx.MockOptions{}, func(c *agentcore.Config) { c.Behavior.StallAfter = time.Minute },
		[]scripted.Step{launch("one"), say("On its way."), say("Quiet."), say("Done.")}, func(t *testing.T, w *worked) {
			w.run("go", nil)
			pass(2 * time.Minute)
			synctest.Wait()
			if w.agent.HasPendingTaskNotifications() {
				t.Error("a stall counts as an end")
			}
			w.run("how is it?", nil)
			if n := count(w.events, agentcore.EventStall); n != 1 {
				t.Errorf("%d stalls told", n)
			}
			w.exit("bash_1", 0)
			w.run("and?", nil)
			w.wantTold("bash_1")
		})
}

func count(events []agentcore.Event, kind agentcore.EventKind) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// AC-2, AC-3, AC-4: where there is no background work the model is not told of any, and a
// call that asks for it all the same is refused and starts nothing.
func TestBackground_gating_AC1_AC2_AC3_AC4(t *testing.T) {
	for name, change := range map[string]func(*agentcore.Config, *execctx.MockOptions){
		"all disabled": func(c *agentcore.Config, _ *execctx.MockOptions) { c.Behavior.DisableBackground = agentcore.DisableAll },
		"durable only": func(c *agentcore.Config, _ *execctx.MockOptions) {
			c.Behavior.DisableBackground = agentcore.DisableNonDurable
		},
		"no ability": func(_ *agentcore.Config, o *execctx.MockOptions) { o.DetachedTasks = execctx.DetachedNone },
	} {
		t.Run(name, func(t *testing.T) {
			var opts execctx.MockOptions
			change(&agentcore.Config{}, &opts)
			atWork(t, opts, func(c *agentcore.Config) {
				change(c, &opts)
				own := tool.MustNew("own_shell", "a host's own, about run_in_background", func(context.Context, *tool.Call, struct{}) (*tool.Result, error) { return nil, nil })
				c.Tools = append(c.Tools, own)
			}, []scripted.Step{launch("forged"), say("Pity.")}, func(t *testing.T, w *worked) {
				w.run("go", nil)
				if got := w.results(); len(got) != 1 || !got[0].IsError || len(w.mock.Calls(execctx.MockSeamLaunch, execctx.MockSeamExec)) != 0 {
					t.Errorf("the forged call: %+v, calls %v", got, w.mock.Calls())
				}
				for _, spec := range w.model.Requests()[0].Request.Tools {
					said := strings.Contains(spec.Description+string(spec.InputSchema), "run_in_background")
					if said != (spec.Name == "own_shell") || spec.Name == "wait_task" || spec.Name == "shell_kill" {
						t.Errorf("the model is told of tasks by %s", spec.Name)
					}
				}
			})
		})
	}
}

// AC-17, AC-103, AC-40: hosts can end a task; destroying the agent ends all of them, and
// another agent on the session starts with nothing queued.
func TestBackground_killAndDestroy_AC17_AC40_AC103(t *testing.T) {
	atWork(t, execctx.MockOptions{}, nil, []scripted.Step{launch("one", "two", "three"), say("On their way."), say("New here.")}, func(t *testing.T, w *worked) {
		if w.agent.KillBackgroundTask(t.Context(), "bash_1") {
			t.Error("killed before a handle was bound")
		}
		w.run("go", nil)
		if !w.agent.KillBackgroundTask(t.Context(), "bash_1") || w.agent.KillBackgroundTask(t.Context(), "bash_9") {
			t.Error("kill by the host")
		}
		w.exit("bash_2", 0)
		if err := w.agent.Destroy(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if left := w.mock.Running(); len(left) > 0 {
			t.Errorf("running after destroy: %v", left)
		}
		if w.agent.HasPendingTaskNotifications() {
			t.Error("a destroyed agent has something to tell")
		}
		next, err := agentcore.New(agentcore.Config{Model: w.model, Session: w.sess, Exec: w.mock, Tools: builtin.All(builtin.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		w.agent = next
		w.run("hello", nil)
		w.wantTold()
		if err := next.Destroy(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// EX-82: the sweep is one side effect that a host can journal.
func TestBackground_journal_EX82(t *testing.T) {
	swept := 0
	atWork(t, execctx.MockOptions{}, func(c *agentcore.Config) {
		c.Sweep = func(ctx context.Context, list func(context.Context) ([]execctx.TaskEntry, error)) ([]execctx.TaskEntry, error) {
			swept++
			return list(ctx)
		}
	}, []scripted.Step{launch("one"), say("On its way."), say("I see.")}, func(t *testing.T, w *worked) {
		w.run("go", nil)
		w.exit("bash_1", 0)
		w.run("and?", nil)
		w.wantTold("bash_1")
		if swept != 1 {
			t.Errorf("%d sweeps, want one at the second run's start", swept)
		}
	})
}

// pass lets the bubble's time pass.
func pass(d time.Duration) { <-time.After(d) }
