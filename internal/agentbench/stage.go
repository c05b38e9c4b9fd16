package main

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
)

// words are what an answer and a result hold, so that rows have a likely size.
func words() string { return strings.Repeat("some words of an answer ", 20) }

// caller is a model that calls the tool so many times and then answers, again and
// again. It reads nothing of its requests, so that a turn's cost is the loop's alone: the
// scripted model looks through the whole conversation for ids that were used.
type caller struct{ calls, n int }

// Stream implements [model.Model].
func (c *caller) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		m := &model.Message{Role: model.RoleAssistant, Usage: &model.Usage{InputTokens: 100, OutputTokens: 20}}
		if c.n++; c.n > c.calls {
			c.n = 0
			m.StopReason, m.Content = model.StopEndTurn, []model.Block{model.Text("Done.")}
		} else {
			m.StopReason, m.Content = model.StopToolUse, []model.Block{model.Text("I call it."),
				{Type: model.BlockToolUse, ID: fmt.Sprintf("call-%d", c.n), Name: "echo", Input: []byte(`{"text":"hello"}`)}}
		}
		for _, b := range m.Content {
			if b.Type == model.BlockText && !yield(model.Event{Text: b.Text}, nil) {
				return
			}
		}
		yield(model.Event{Message: m}, nil)
	}
}

func echo() (tool.Tool, error) {
	type input struct {
		Text string `json:"text"`
	}
	return tool.New("echo", "gives the text back", func(_ context.Context, _ *tool.Call, in input) (*tool.Result, error) {
		return &tool.Result{Text: in.Text}, nil
	})
}

func (s setup) store(name string) (*session.Store, error) {
	return session.NewStore(session.Options{Root: filepath.Join(s.dir, name)})
}

// agent makes an agent that will call so many times.
func (s setup) agent(sess *session.Session, calls int) (*agentcore.Agent, error) {
	t, err := echo()
	if err != nil {
		return nil, err
	}
	return agentcore.New(agentcore.Config{Model: &caller{calls: calls}, Session: sess, Tools: []tool.Tool{t}, Behavior: agentcore.Behavior{MaxTurns: -1}})
}

// finish runs an agent to its end.
func finish(a *agentcore.Agent) error {
	res, err := agentcore.Final(a.Run(context.Background(), agentcore.RunOptions{Prompt: "go"}))
	if err != nil {
		return err
	}
	if res.End != agentcore.EndCompleted {
		return fmt.Errorf("the run ended as %s: %s", res.End, res.Reason)
	}
	return a.Destroy(context.Background())
}

// fill writes a session with so many turns, each with a call and two answers.
func fill(s *session.Session, turns int) error {
	usage := &model.Usage{InputTokens: 9, OutputTokens: 9}
	for i := range turns {
		id := fmt.Sprintf("filled-%d", i)
		call := &model.Message{Role: model.RoleAssistant, StopReason: model.StopToolUse, Usage: usage, Content: []model.Block{
			model.Text(words()), {Type: model.BlockToolUse, ID: id, Name: "echo", Input: []byte(`{"text":"hello"}`)}}}
		answer := &model.Message{Role: model.RoleAssistant, StopReason: model.StopEndTurn, Usage: usage, Content: []model.Block{model.Text(words())}}
		if _, err := s.UserPrompt(session.Prompt{Text: fmt.Sprintf("prompt %d", i)}); err != nil {
			return err
		}
		if _, err := s.Assistant(call, ""); err != nil {
			return err
		}
		if err := s.ToolResults(session.ToolResult{CallID: id, Text: words()}); err != nil {
			return err
		}
		if _, err := s.Assistant(answer, ""); err != nil {
			return err
		}
	}
	return nil
}
