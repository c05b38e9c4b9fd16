package agentcore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

// waits is a tool that waits until its call is cancelled.
func waits(opts ...tool.Option) tool.Tool {
	return tool.MustNew("wait", "waits for its end", func(ctx context.Context, _ *tool.Call, _ struct{}) (*tool.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}, opts...)
}

// order notes what happens, from any goroutine.
type order struct {
	mu    sync.Mutex
	lines []string
}

func (o *order) add(line string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, line)
}

func (o *order) all() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.lines)
}

// watched is a mock context and a bus that note the order of an agent's end.
func watched(o *order) (*execctx.Mock, *hook.Bus) {
	bus := hook.NewBus(nil)
	hook.On(bus, hook.ToolAfter, func(context.Context, *hook.ToolAfterPayload) error { o.add("call ended"); return nil })
	hook.On(bus, hook.AgentDone, func(context.Context, *hook.AgentDonePayload) error { o.add("run ended"); return nil })
	hook.On(bus, hook.SessionEnd, func(context.Context, *hook.SessionEndPayload) error { o.add("session ended"); return nil })
	return execctx.NewMock(execctx.MockOptions{OnCall: func(_ context.Context, c execctx.MockCall) error {
		o.add(string(c.Seam))
		return nil
	}}), bus
}

func TestDestroy_order_AC100_RT13(t *testing.T) {
	var o order
	exec, bus := watched(&o)
	s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec, c.Bus = []tool.Tool{waits()}, exec, bus },
		scripted.Step{Tools: []scripted.Tool{use("wait", obj{})}})
	destroyed := make(chan error, 1)
	res := s.run("go", func(e agentcore.Event) {
		if e.Kind != agentcore.EventToolStart {
			return
		}
		if err := s.agent.FollowUp("too late"); err != nil {
			t.Error(err)
		}
		go func() { destroyed <- s.agent.Destroy(context.Background()) }()
	})
	if err := <-destroyed; err != nil {
		t.Error(err)
	}
	if res.End != agentcore.EndAborted || res.Queued != 0 || !errors.Is(res.Err, agentcore.ErrAborted) {
		t.Errorf("result %+v", res)
	}
	if diff := cmp.Diff([]string{"spawn", "call ended", "run ended", "session ended", "destroy"}, o.all()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if len(s.agent.Queued()) > 0 || !errors.Is(s.agent.Steer("x"), agentcore.ErrDestroyed) || !errors.Is(s.agent.FollowUp("x"), agentcore.ErrDestroyed) {
		t.Errorf("a destroyed agent takes messages: %q", s.agent.Queued())
	}
	if _, err := agentcore.Final(s.agent.Run(t.Context(), agentcore.RunOptions{Prompt: "x"})); !errors.Is(err, agentcore.ErrDestroyed) {
		t.Errorf("a destroyed agent runs: %v", err)
	}
}

// A step that takes longer than its bound is left behind, and the next ones come.
func TestDestroy_bounds_AC101_D30(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		exec := execctx.NewMock(execctx.MockOptions{OnCall: func(_ context.Context, c execctx.MockCall) error {
			if c.Seam == execctx.MockSeamDestroy {
				<-let // and the context's end does not matter to it
			}
			return nil
		}})
		s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec = []tool.Tool{echo()}, exec },
			scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "Done."})
		t.Cleanup(func() { close(let) })
		s.run("go", nil)
		began := time.Now()
		err := s.agent.Destroy(context.Background())
		if err == nil || !strings.Contains(err.Error(), "destroy the handle: it took longer than 10s") {
			t.Errorf("destroy: %v", err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
		if !errors.Is(s.agent.Steer("x"), agentcore.ErrDestroyed) {
			t.Error("the last step was not taken")
		}
		s.expectDestroy(err)
	})
}

// A run whose events nobody reads does not end; the handle is destroyed all the same,
// and one that is made later does not stay.
func TestDestroy_runThatHangs_AC101_AC103(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var o order
		exec, bus := watched(&o)
		s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec, c.Bus = []tool.Tool{echo()}, exec, bus },
			scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "Done."})
		var err error
		s.run("go", func(e agentcore.Event) {
			if e.Kind == agentcore.EventToolResult { // the reader itself destroys, and so does not read
				err = s.agent.Destroy(context.Background())
			}
		})
		if err == nil || !strings.Contains(err.Error(), "end the run (does nobody read its events?): it took longer than 10s") {
			t.Errorf("destroy: %v", err)
		}
		if diff := cmp.Diff([]string{"spawn", "call ended", "destroy", "run ended"}, o.all()); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		s.expectDestroy(err)
	})
}

// lateContext makes its handle when it is let, whatever became of the caller.
type lateContext struct {
	*execctx.Mock
	let chan struct{}
}

func (c lateContext) Spawn(ctx context.Context, cfg execctx.SpawnConfig) (execctx.Handle, error) {
	<-c.let
	return c.Mock.Spawn(context.WithoutCancel(ctx), cfg)
}

func TestDestroy_handleThatComesLate_AC101_AC103(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		exec := lateContext{execctx.NewMock(execctx.MockOptions{}), let}
		s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec = []tool.Tool{echo()}, exec },
			scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}})
		destroyed := make(chan error, 1)
		go func() {
			synctest.Wait() // the run waits for its handle
			destroyed <- s.agent.Destroy(context.Background())
			close(let)
		}()
		res := s.run("go", nil)
		err := <-destroyed
		if err == nil || res.End != agentcore.EndAborted {
			t.Errorf("destroy: %v; result %+v", err, res)
		}
		if n, m := len(exec.Calls(execctx.MockSeamSpawn)), len(exec.Calls(execctx.MockSeamDestroy)); n != 1 || m != 1 {
			t.Errorf("%d handles made, %d destroyed", n, m)
		}
		s.expectDestroy(err)
	})
}

// All calls get the first one's answer; the work is done once.
func TestDestroy_again_AC102(t *testing.T) {
	broken := errors.New("the place does not answer")
	exec := execctx.NewMock(execctx.MockOptions{})
	s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec = []tool.Tool{echo()}, exec },
		scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "Done."})
	s.run("go", nil)
	exec.Fail(execctx.MockSeamDestroy, broken)
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = s.agent.Destroy(context.Background()) })
	}
	wg.Wait()
	for _, err := range errs {
		if !errors.Is(err, broken) {
			t.Errorf("destroy: %v", err)
		}
	}
	if n := len(exec.Calls(execctx.MockSeamDestroy)); n != 1 {
		t.Errorf("the handle was destroyed %d times", n)
	}
	s.expectDestroy(errs[0])
}

// Whoever does not want to wait gets an answer; the work goes on.
func TestDestroy_callerLeaves_AC101(t *testing.T) {
	exec := execctx.NewMock(execctx.MockOptions{})
	s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec = []tool.Tool{echo()}, exec },
		scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "Done."})
	s.run("go", nil)
	hang := exec.Hang(execctx.MockSeamDestroy)
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("no time")
	go func() { <-hang.Reached(); cancel(cause) }()
	if err := s.agent.Destroy(ctx); !errors.Is(err, cause) {
		t.Errorf("destroy: %v", err)
	}
	hang.Release()
	if err := s.agent.Destroy(context.Background()); err != nil {
		t.Errorf("destroy: %v", err)
	}
}

func TestDestroy_injectedHandle_D31_AC100(t *testing.T) {
	exec := execctx.NewMock(execctx.MockOptions{})
	h, err := exec.Spawn(context.Background(), execctx.SpawnConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec, c.Handle = []tool.Tool{echo()}, exec, &h },
		scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}}, scripted.Step{Text: "Done."})
	s.run("go", nil)
	if err := s.agent.Destroy(context.Background()); err != nil {
		t.Error(err)
	}
	if n, m := len(exec.Calls(execctx.MockSeamSpawn)), len(exec.Calls(execctx.MockSeamDestroy)); n != 1 || m != 0 {
		t.Errorf("%d handles made, %d destroyed: the host's is the host's", n, m)
	}
}

// An agent that never ran has nothing to end, and tells no session's end.
func TestDestroy_unused_AC100(t *testing.T) {
	var o order
	exec, bus := watched(&o)
	s := setup(t, func(c *agentcore.Config) { c.Exec, c.Bus = exec, bus })
	if err := s.agent.Destroy(context.Background()); err != nil || len(o.all()) > 0 {
		t.Errorf("%v, %q", err, o.all())
	}
}

// 200 agents in one process, all at work, all destroyed: goleak looks for what stays.
func TestDestroy_200agents_RT1_RT13(t *testing.T) {
	exec := execctx.NewMock(execctx.MockOptions{})
	var wg sync.WaitGroup
	for range 200 {
		s := setup(t, func(c *agentcore.Config) { c.Tools, c.Exec = []tool.Tool{waits(tool.Parallel())}, exec },
			scripted.Step{Tools: []scripted.Tool{use("wait", obj{}), use("wait", obj{})}})
		started := make(chan struct{})
		begun := started
		wg.Go(func() {
			res, err := agentcore.Final(func(yield func(agentcore.Event, error) bool) {
				for e, err := range s.agent.Run(context.Background(), agentcore.RunOptions{Prompt: "go"}) {
					if e.Kind == agentcore.EventToolStart && started != nil {
						close(started)
						started = nil
					}
					if !yield(e, err) {
						return
					}
				}
			})
			if err != nil || res.End != agentcore.EndAborted || res.Calls != 2 {
				t.Errorf("%+v, %v", res, err)
			}
		})
		wg.Go(func() {
			<-begun
			if err := s.agent.Destroy(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, m := len(exec.Calls(execctx.MockSeamSpawn)), len(exec.Calls(execctx.MockSeamDestroy)); n != 200 || m != 200 {
		t.Errorf("%d handles made, %d destroyed", n, m)
	}
}
