package agentcore_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
)

// A call that was given up may end while a later run goes on. It touches nothing of
// that run, and neither the bus nor a hook hears of its result. Under -race this also
// proves that its goroutine reads nothing that the later run writes.
func TestRun_givenUpCallIsSilent_RT1_RT5(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "settings.json")
	err := os.WriteFile(settings, []byte(`{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	hooks, err := hook.LoadSettings(settings)
	if err != nil {
		t.Fatal(err)
	}
	entered, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	deaf := tool.MustNew("deaf", "does not listen", func(context.Context, *tool.Call, struct{}) (*tool.Result, error) {
		close(entered)
		<-release
		defer close(ended)
		return &tool.Result{Text: "late"}, nil
	})
	var told atomic.Int32
	bus := hook.NewBus(nil)
	hook.On(bus, hook.ToolTransform, func(context.Context, *hook.ToolTransformPayload) error { told.Add(1); return nil })
	s := setup(t, func(c *agentcore.Config) {
		c.Tools, c.Bus, c.Commands = []tool.Tool{deaf}, bus, hook.NewCommands(hooks, hook.Options{})
		c.Behavior.CancelGrace = time.Millisecond
	}, scripted.Step{Tools: []scripted.Tool{use("deaf", obj{})}}, scripted.Step{Text: "on"}, scripted.Step{Text: "two"})
	s.run("go", func(e agentcore.Event) {
		if e.Kind == agentcore.EventToolStart {
			<-entered // else the tool may never be called
			s.agent.CancelTool(e.CallID)
		}
	})
	close(release)
	s.run("again", nil)
	<-ended
	s.done()
	if err := s.agent.Destroy(context.Background()); err != nil {
		t.Error(err)
	}
	if n := told.Load(); n > 0 {
		t.Errorf("the bus was told of %d results of a call that was given up", n)
	}
}

// A subagent whose parent's time is up has no limit of its own to name.
func TestRun_timeInSubagentIsNamed_RT6_RT12(t *testing.T) {
	within(t, func(t *testing.T) {
		s := setup(t, func(c *agentcore.Config) {
			c.Behavior.MaxDuration = time.Minute
			c.Tools, c.Subagents = []tool.Tool{waits()}, []agentcore.Subagent{agentcore.GeneralSubagent()}
		}, scripted.Step{Tools: []scripted.Tool{use("spawn", obj{"prompt": "a part"})}},
			scripted.Step{Tools: []scripted.Tool{use("wait", obj{})}})
		s.run("go", nil)
		got := s.results()
		if text := got[len(got)-1].Text; strings.Contains(text, "0s") || !strings.Contains(text, "the run that it is a part of") {
			t.Errorf("the parent's model reads %q", text)
		}
	})
}
