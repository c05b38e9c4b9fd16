package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
)

// words are what an answer and a result hold, so that rows have a likely size.
func words() string { return strings.Repeat("some words of an answer ", 20) }

// calling is a model that calls the tool so many times, and then answers.
func calling(calls int) (*scripted.Model, error) {
	n := 0
	return scripted.New(scripted.Script{Forget: true, Steps: []scripted.Step{{Always: true, Answer: func(*model.Request) scripted.Step {
		if n++; n > calls {
			n = 0
			return scripted.Step{Text: "Done."}
		}
		return scripted.Step{Text: "I call it.", Tools: []scripted.Tool{{ID: fmt.Sprintf("call-%d", n), Name: "echo", Input: scripted.Value(`{"text":"hello"}`)}}}
	}}}})
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
	m, err := calling(calls)
	if err != nil {
		return nil, err
	}
	t, err := echo()
	if err != nil {
		return nil, err
	}
	return agentcore.New(agentcore.Config{Model: m, Session: sess, Tools: []tool.Tool{t}, Behavior: agentcore.Behavior{MaxTurns: -1}})
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
