package agentcore_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
)

// deaf is a tool that does not hear its cancel, and ends so much later.
func deaf(after time.Duration) tool.Tool {
	return tool.MustNew("deaf", "does not listen", func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		<-time.After(after)
		return &tool.Result{Text: "late"}, nil
	}, tool.Parallel())
}

// within runs a test in a bubble with a clock of its own.
func within(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// The time ends the run wherever it is: while the model thinks, and what had come of
// its answer is kept and counted.
func TestRun_timeInAnswer_RT6_RT8(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) { c.Behavior.MaxDuration = time.Minute },
			scripted.Step{Text: "one two three", Chunk: 4, Pause: 25 * time.Second, Usage: &scripted.Usage{Input: 7, Output: 3}})
		res := s.run("go", nil)
		if res.End != agentcore.EndMaxDuration || res.Elapsed != time.Minute || !res.End.Limit() {
			t.Errorf("result %+v", res)
		}
		if !strings.HasPrefix(res.Text, "one two") || res.Text == "one two three" || res.Usage.InputTokens != 7 {
			t.Errorf("kept were %q, %+v", res.Text, res.Usage)
		}
	})
}

// A parent's time is its subagents' as well; every call on every level is answered.
func TestRun_timeInSubagent_RT6_RT12_RT3(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) {
			c.Behavior.MaxDuration = time.Minute
			c.Tools, c.Subagents = []tool.Tool{waits()}, []agentcore.Subagent{agentcore.GeneralSubagent()}
		}, scripted.Step{Tools: []scripted.Tool{use("spawn", obj{"prompt": "a part"})}},
			scripted.Step{Tools: []scripted.Tool{use("wait", obj{})}})
		res := s.run("go", nil)
		if res.End != agentcore.EndMaxDuration || res.Elapsed != time.Minute || res.Usage != (model.Usage{InputTokens: 200, OutputTokens: 40}) {
			t.Errorf("result %+v", res)
		}
		if got := s.results(); len(got) != 2 || !got[0].IsError || !got[1].IsError {
			t.Errorf("results %+v", got)
		}
	})
}

// Calls that do not hear their cancel are given up together, in order, and once; what
// they bring later is dropped.
func TestRun_grace_RT5_RT2_RT3_AC181(t *testing.T) {
	within(t, func(t *testing.T) {
		ends := map[string]int{}
		bus := hook.NewBus(nil)
		hook.On(bus, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error {
			ends[p.Name+" "+string(p.State)]++
			return nil
		})
		s := setup(t, func(c *agentcore.Config) {
			c.Tools, c.Bus, c.Behavior.CancelGrace = []tool.Tool{deaf(time.Hour), echo(tool.Parallel())}, bus, 3*time.Second
		}, scripted.Step{Tools: []scripted.Tool{use("deaf", obj{}), use("echo", obj{"text": "quick"}), use("deaf", obj{})}}, scripted.Step{Text: "On."})
		starts := 0
		res := s.run("go", func(e agentcore.Event) {
			if e.Kind != agentcore.EventToolStart {
				return
			}
			if starts++; starts == 3 {
				synctest.Wait()
				s.agent.Abort(agentcore.Now, "enough")
			}
		})
		if res.End != agentcore.EndAborted || res.Elapsed != 3*time.Second || res.Warnings != 2 {
			t.Errorf("result %+v", res)
		}
		var got []string
		for _, e := range s.results() {
			got = append(got, e.Tool+": "+e.Text)
		}
		lost := "deaf: The call was cancelled and did not end in time; it may still be at work."
		if diff := cmp.Diff([]string{lost, "echo: quick", lost}, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]int{"deaf cancelled": 2, "echo ran": 1}, ends); diff != "" {
			t.Errorf("ends (-want +got):\n%s", diff)
		}
		if res := s.run("more", nil); res.Text != "On." { // while they are still at work
			t.Errorf("result %+v", res)
		}
		<-time.After(2 * time.Hour)
		if n := len(s.sess.Messages()); n != 4 {
			t.Errorf("%d messages: what came late was recorded", n)
		}
	})
}

// A call that ends within its grace keeps what it says.
func TestRun_graceKept_RT5(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) { c.Tools = []tool.Tool{deaf(5 * time.Second)} },
			scripted.Step{Tools: []scripted.Tool{use("deaf", obj{})}}, scripted.Step{Text: "On."})
		res := s.run("go", func(e agentcore.Event) {
			if e.Kind == agentcore.EventToolStart && !s.agent.CancelTool(e.CallID) {
				t.Error("the call does not run")
			}
		})
		got := s.results()
		if res.End != agentcore.EndCompleted || res.Warnings != 0 || len(got) != 1 {
			t.Fatalf("result %+v, %+v", res, got)
		}
		if res.Elapsed > 0 && (got[0].Text != "late" || got[0].Elapsed != 5*time.Second) { // else it was cancelled before it began
			t.Errorf("result %+v", got[0])
		}
	})
}

// A subagent whose tool does not end gives it up before it is given up itself: what it
// cost is not lost.
func TestRun_graceOfSubagent_RT8_RT12(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) {
			c.Tools, c.Subagents = []tool.Tool{deaf(time.Hour)}, []agentcore.Subagent{agentcore.GeneralSubagent()}
			c.Behavior.CancelGrace = 8 * time.Second
		}, scripted.Step{Tools: []scripted.Tool{use("spawn", obj{"prompt": "a part"})}},
			scripted.Step{Tools: []scripted.Tool{use("deaf", obj{})}})
		res := s.run("go", func(e agentcore.Event) {
			if e.Kind == agentcore.EventToolStart && e.Depth == 1 {
				synctest.Wait()
				s.agent.Abort(agentcore.Now, "")
			}
		})
		if res.End != agentcore.EndAborted || res.Elapsed != 6*time.Second || res.Usage != (model.Usage{InputTokens: 200, OutputTokens: 40}) {
			t.Errorf("result %+v", res)
		}
		<-time.After(2 * time.Hour) // the tool ends by itself
	})
}

// Late answers of a model do not make a run wait: its wait for a retry ends with it.
func TestRun_abortInBackoff_RT5_RT21(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) {
			c.Model = model.Retry(scripted.Play(scripted.Step{Error: &scripted.Failure{Kind: model.KindOverloaded}}),
				model.RetryOptions{Base: time.Hour, MaxBackoff: time.Hour, Jitter: func() float64 { return 0.5 }})
		})
		res := s.run("go", func(e agentcore.Event) {
			if e.Kind == agentcore.EventRestart {
				if e.Wait != 30*time.Minute {
					t.Errorf("the wait is %s", e.Wait)
				}
				time.AfterFunc(time.Minute, func() { s.agent.Abort(agentcore.Now, "enough") })
			}
		})
		if res.End != agentcore.EndAborted || res.Elapsed != time.Minute || res.Reason != "enough" {
			t.Errorf("result %+v", res)
		}
	})
}
