package agentcore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

// Words that are none begin no run: an API refuses a request without a message, or one
// that ends with the model's own.
func TestRun_blankPrompt_RT1(t *testing.T) {
	for _, prompt := range []string{" ", "\n\t"} {
		s := setup(t, nil, scripted.Step{Text: "hello"})
		_, err := agentcore.Final(s.agent.Run(context.Background(), agentcore.RunOptions{Prompt: prompt}))
		if !errors.Is(err, agentcore.ErrNoPrompt) {
			t.Errorf("a run on %q: %v", prompt, err)
		}
		s.run("hi", nil)
		if _, err = agentcore.Final(s.agent.Run(context.Background(), agentcore.RunOptions{Prompt: prompt, Blocks: []model.Block{model.Text("")}})); !errors.Is(err, agentcore.ErrNoPrompt) {
			t.Errorf("a second run on %q: %v", prompt, err)
		}
	}
}

func TestSteer_blank_RT4(t *testing.T) {
	s := setup(t, nil, scripted.Step{Text: "hello"})
	for _, send := range []func(string) error{s.agent.Steer, s.agent.FollowUp} {
		if err := send(" \n"); !errors.Is(err, agentcore.ErrBlank) {
			t.Errorf("a blank message: %v", err)
		}
	}
	if q := s.agent.Queued(); len(q) > 0 {
		t.Errorf("queued: %q", q)
	}
}

// A handler that changes the conversation changes this request, and neither the
// session nor the requests after it, which share its blocks.
func TestRun_contextTransform_RT30_D20(t *testing.T) {
	bus := hook.NewBus(nil)
	hook.On(bus, hook.ContextTransform, func(_ context.Context, p *hook.ContextTransformPayload) error {
		p.Messages[0].Content[0].Text = "changed"
		p.Messages[0].Role = model.RoleAssistant
		p.Messages = append(p.Messages, model.Message{Role: model.RoleUser, Content: []model.Block{model.Text("more")}})
		return nil
	})
	s := setup(t, func(c *agentcore.Config) { c.Bus = bus }, scripted.Step{Text: "one"}, scripted.Step{Text: "two"})
	s.run("first", nil)
	s.run("second", nil)
	for i, call := range s.model.Requests() {
		req := call.Request
		if n := len(req.Messages); n != 2*i+2 || req.Messages[0].Content[0].Text != "changed" || req.Messages[n-1].Content[0].Text != "more" {
			t.Errorf("request %d: %+v", i, req.Messages)
		}
	}
	if m := s.sess.Messages(); len(m) != 4 || m[0].Content[0].Text != "first" || m[0].Role != model.RoleUser {
		t.Errorf("the session: %+v", m)
	}
}
