package agentcore_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// A reader whose code panics leaves nothing behind: the agent can be run again, and
// the calls that were open are answered.
func TestRun_readerPanics_RT1_RT3(t *testing.T) {
	s := setup(t, func(c *agentcore.Config) { c.Tools = []tool.Tool{waits(tool.Parallel())} },
		scripted.Step{Tools: []scripted.Tool{use("wait", obj{}), use("wait", obj{})}}, scripted.Step{Expect: &scripted.Match{Text: "again"}, Text: "Yes."})
	func() {
		defer func() {
			if v := recover(); v != "a bug" {
				t.Errorf("recovered %v", v)
			}
		}()
		for e := range s.agent.Run(t.Context(), agentcore.RunOptions{Prompt: "go"}) {
			if e.Kind == agentcore.EventToolStart {
				panic("a bug")
			}
		}
	}()
	if s.agent.Running() {
		t.Error("it still runs")
	}
	if res := s.run("again", nil); res.End != agentcore.EndCompleted || res.Text != "Yes." {
		t.Errorf("result %+v", res)
	}
	s.done()
}

// A session that cannot be written ends the run; it is said, and calls that go on are
// cancelled.
func TestRun_sessionFails_RT9_RT11(t *testing.T) {
	for name, at := range map[string]agentcore.EventKind{"before a turn": agentcore.EventPrompt, "before the answer": agentcore.EventTurnStart,
		"before the results": agentcore.EventToolStart, "before the last answer": agentcore.EventToolResult} {
		t.Run(name, func(t *testing.T) {
			calls := []scripted.Tool{use("echo", obj{"text": "x"}), use("wait", obj{})}
			if at == agentcore.EventToolResult {
				calls = calls[:1] // nobody would end the other one
			}
			s := setup(t, func(c *agentcore.Config) { c.Tools = []tool.Tool{echo(tool.Parallel()), waits(tool.Parallel())} },
				scripted.Step{Tools: calls}, scripted.Step{Text: "Done."})
			var last agentcore.Event
			for e, err := range s.agent.Run(t.Context(), agentcore.RunOptions{Prompt: "go"}) {
				if err != nil {
					t.Fatal(err)
				}
				if e.Kind == at {
					s.sess.Close()
				}
				if e.Kind == agentcore.EventToolResult && at != agentcore.EventToolResult {
					t.Errorf("%q was shown and is not written", e.Text)
				}
				last = e
			}
			if last.Kind != agentcore.EventResult || last.Result.End != agentcore.EndFailed || last.Result.Err == nil {
				t.Errorf("the last event is %+v", last)
			}
		})
	}
}

// A call is cancelled while a person is asked about it: it counts as cancelled, and
// nobody is warned of a question that ended with it.
func TestRun_cancelledQuestion_RT5_RT33(t *testing.T) {
	var s *stage
	var state hook.CallState
	bus := hook.NewBus(nil)
	hook.On(bus, hook.ToolAfter, func(_ context.Context, p *hook.ToolAfterPayload) error { state = p.State; return nil })
	s = setup(t, func(c *agentcore.Config) {
		c.Tools, c.Bus = []tool.Tool{echo()}, bus
		c.Gate = tool.GateFunc(func(context.Context, tool.Request) (tool.Decision, error) {
			return tool.Decision{Permission: tool.Ask, Reason: "may I"}, nil
		})
		c.Ask = func(ctx context.Context, req tool.Request, _ string) (bool, error) {
			if !s.agent.CancelTool(req.Call.ID) {
				t.Error("the call does not run")
			}
			<-ctx.Done()
			return false, ctx.Err()
		}
	}, scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "On."})
	res := s.run("go", nil)
	if got := s.results(); res.End != agentcore.EndCompleted || res.Warnings != 0 || len(got) != 1 || !strings.HasPrefix(got[0].Text, "The user cancelled this call") {
		t.Errorf("result %+v, %+v", res, got)
	}
	if state != hook.CallCancelled {
		t.Errorf("the state is %s", state)
	}
}

// A tool that ends its goroutine is a failed call.
func TestRun_goexit_RT10(t *testing.T) {
	s := setup(t, func(c *agentcore.Config) {
		c.Tools = []tool.Tool{tool.MustNew("exit", "ends its goroutine", func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
			runtime.Goexit()
			return nil, nil
		})}
	}, scripted.Step{Tools: []scripted.Tool{use("exit", obj{})}}, scripted.Step{Text: "On."})
	res := s.run("go", nil)
	if got := s.results(); res.End != agentcore.EndCompleted || len(got) != 1 || !got[0].IsError {
		t.Errorf("result %+v, %+v", res, got)
	}
}

// A place for commands that cannot be made ends the run, its calls answered; the
// variables that hooks left are part of it.
func TestRun_handle_RT3(t *testing.T) {
	calls := []scripted.Tool{use("echo", obj{"text": "x"}), use("echo", obj{"text": "y"})}
	broken := errors.New("no such place")
	for name, change := range map[string]func(*agentcore.Config, *execctx.Mock){
		"spawn fails": func(_ *agentcore.Config, m *execctx.Mock) { m.FailAlways(execctx.MockSeamSpawn, broken) },
		"environment fails": func(c *agentcore.Config, _ *execctx.Mock) {
			c.Env = func() (map[string]string, error) { return nil, broken }
		},
	} {
		t.Run(name, func(t *testing.T) {
			exec := execctx.NewMock(execctx.MockOptions{})
			s := setup(t, func(c *agentcore.Config) {
				c.Tools, c.Exec = []tool.Tool{echo()}, exec
				change(c, exec)
			}, scripted.Step{Tools: calls})
			res := s.run("go", nil)
			if got := s.results(); res.End != agentcore.EndFailed || !errors.Is(res.Err, broken) || len(got) != 2 || !got[0].IsError || !got[1].IsError {
				t.Errorf("result %+v, %+v", res, got)
			}
		})
	}
	t.Run("environment", func(t *testing.T) {
		exec := execctx.NewMock(execctx.MockOptions{})
		given := map[string]string{"A": "1", "B": "1"}
		s := setup(t, func(c *agentcore.Config) {
			c.Tools, c.Exec, c.Spawn.Env = []tool.Tool{echo()}, exec, given
			c.Env = func() (map[string]string, error) { return map[string]string{"B": "2"}, nil }
		}, scripted.Step{Tools: calls}, scripted.Step{Text: "Done."})
		s.run("go", nil)
		got := exec.Calls(execctx.MockSeamSpawn)
		if len(got) != 1 || !maps.Equal(got[0].Request.(execctx.SpawnConfig).Env, map[string]string{"A": "1", "B": "2"}) || given["B"] != "1" {
			t.Errorf("spawned with %+v, given was %v", got, given)
		}
	})
}

// A stream that ends without a word is a failure of the model's, not an empty answer.
func TestRun_silentModel_RT20(t *testing.T) {
	s := setup(t, func(c *agentcore.Config) { c.Model = silent{} })
	res := s.run("go", nil)
	if e := model.AsError(t.Context(), res.Err); res.End != agentcore.EndModelError || e.Kind != model.KindIncomplete {
		t.Errorf("result %+v", res)
	}
}

// What counts as a limit.
func TestEnd_Limit_RT6(t *testing.T) {
	for end, want := range map[agentcore.End]bool{agentcore.EndMaxCost: true, agentcore.EndOutputLimit: true, agentcore.EndContextFull: true,
		agentcore.EndCompleted: false, agentcore.EndAborted: false, agentcore.EndRefusal: false} {
		if end.Limit() != want {
			t.Errorf("%s.Limit() is %v", end, !want)
		}
	}
}
