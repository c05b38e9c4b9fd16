package agentcore_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/tool"
)

// RT-1: one run at a time; a second one does not disturb the first.
func TestRun_oneAtATime_RT1(t *testing.T) {
	s := setup(t, nil, scripted.Step{Text: "one"}, scripted.Step{Text: "two"})
	tried := false
	res := s.run("go", func(e agentcore.Event) {
		if e.Kind != agentcore.EventText {
			return
		}
		tried = true
		if !s.agent.Running() {
			t.Error("the agent does not run")
		}
		for _, err := range s.agent.Run(t.Context(), agentcore.RunOptions{Prompt: "me too"}) {
			if !errors.Is(err, agentcore.ErrRunning) {
				t.Errorf("a second run: %v, want ErrRunning", err)
			}
		}
	})
	if !tried || res.Text != "one" {
		t.Errorf("result %+v", res)
	}
	if s.agent.Running() || s.agent.Abort(agentcore.Now, "") || s.agent.CancelTool("x") {
		t.Error("something runs after the result")
	}
	if res := s.run("again", nil); res.Text != "two" {
		t.Errorf("result %+v", res)
	}
	if got := s.agent.Stats(); got.Runs != 2 || got.Turns != 2 || got.Usage.Total() != 240 {
		t.Errorf("stats %+v", got)
	}
}

// RT-11: when a prompt, a message, a result or a reason of a stop hook is shown, the
// file has it.
func TestRun_writtenBeforeShown_RT11(t *testing.T) {
	s := setup(t, func(c *agentcore.Config) { c.Tools = []tool.Tool{echo()} },
		scripted.Step{Text: "first answer", Tools: []scripted.Tool{use("echo", obj{"text": "said by a tool"})}},
		scripted.Step{Text: "second answer"})
	shown := 0
	s.run("the prompt", func(e agentcore.Event) {
		text := e.Text
		switch e.Kind {
		case agentcore.EventMessage:
			text = e.Message.FinalText()
		case agentcore.EventPrompt, agentcore.EventToolResult:
		case agentcore.EventResult:
			text = `"stopReason":"completed"`
		default:
			return
		}
		file, err := os.ReadFile(s.sess.Path())
		if err != nil {
			t.Fatal(err)
		}
		shown++
		if !bytes.Contains(file, []byte(text)) || !bytes.HasSuffix(file, []byte("\n")) {
			t.Errorf("%s was shown before %q was in the file", e.Kind, text)
		}
	})
	if shown != 5 {
		t.Errorf("%d events were looked at, want 5", shown)
	}
}

// What cannot work is said when the agent is made.
func TestNew_configuration(t *testing.T) {
	_, sess := newSession(t)
	m := scripted.Play()
	for want, cfg := range map[string]agentcore.Config{
		"Config.Model is missing":   {Session: sess},
		"Config.Session is missing": {Model: m},
		"is empty or there twice":   {Model: m, Session: sess, Subagents: []agentcore.Subagent{{Name: "a"}, {Name: "a"}}},
		"echo":                      {Model: m, Session: sess, Tools: []tool.Tool{echo(), echo()}},
	} {
		if _, err := agentcore.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// RT-6, RT-12: what a run is asked for holds for its subagents, but for their own limit
// on turns.
func TestRun_behaviorReachesSubagents_RT6_RT12(t *testing.T) {
	var asked []int
	spawn := func(kind string) scripted.Step {
		return scripted.Step{Tools: []scripted.Tool{use("spawn", obj{"prompt": "part", "type": kind})}}
	}
	s := setup(t, func(c *agentcore.Config) {
		c.Subagents = []agentcore.Subagent{agentcore.GeneralSubagent(), {Name: "short", MaxTurns: 1}}
		c.Tools = []tool.Tool{echo()}
	}, spawn("general"),
		scripted.Step{Text: "the part"},
		spawn("short"),
		scripted.Step{Tools: []scripted.Tool{use("echo", obj{"text": "x"})}},
		scripted.Step{Text: "done"})
	s.runWith(t.Context(), agentcore.RunOptions{Prompt: "go", Behavior: &agentcore.Behavior{MaxTokens: 77}}, nil)
	for _, call := range s.model.Requests() {
		asked = append(asked, call.Request.MaxTokens)
	}
	if diff := cmp.Diff([]int{77, 77, 77, 77, 77}, asked); diff != "" {
		t.Errorf("limits of answers (-want +got):\n%s", diff)
	}
	if got := s.results()[len(s.results())-1]; !strings.Contains(got.Text, "max_turns") {
		t.Errorf("the short one: %q", got.Text)
	}
}
