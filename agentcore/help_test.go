package agentcore_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/tool"
)

// stage is an agent over a script, with a session of its own.
type stage struct {
	t      *testing.T
	model  *scripted.Model
	agent  *agentcore.Agent
	store  *session.Store
	sess   *session.Session
	events []agentcore.Event
	result *agentcore.Result

	destroyErr error
}

// expectDestroy says what Destroy will answer at the end, again.
func (s *stage) expectDestroy(err error) { s.destroyErr = err }

// ids gives ids that are short and rise.
func ids() func() string {
	var n atomic.Int64
	return func() string { return fmt.Sprintf("id-%04d", n.Add(1)) }
}

func newSession(t *testing.T) (*session.Store, *session.Session) {
	t.Helper()
	store, err := session.NewStore(session.Options{Root: t.TempDir(), NewID: ids()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Create(session.Meta{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return store, s
}

// setup makes a stage; change may set anything of the configuration.
func setup(t *testing.T, change func(*agentcore.Config), steps ...scripted.Step) *stage {
	t.Helper()
	s := &stage{t: t, model: scripted.Play(steps...)}
	s.store, s.sess = newSession(t)
	cfg := agentcore.Config{Model: s.model, ModelName: "m", Session: s.sess, NewID: ids(),
		Warn: func(text string) { t.Log("warn:", text) }}
	if change != nil {
		change(&cfg)
	}
	agent, err := agentcore.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	s.agent = agent
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := agent.Destroy(ctx); err != nil && !errors.Is(err, s.destroyErr) {
			t.Errorf("destroy: %v", err)
		}
	})
	return s
}

// run plays one run to its end; seen, which may be nil, gets every event.
func (s *stage) run(prompt string, seen func(agentcore.Event)) *agentcore.Result {
	s.t.Helper()
	return s.runWith(context.Background(), agentcore.RunOptions{Prompt: prompt}, seen)
}

func (s *stage) runWith(ctx context.Context, opts agentcore.RunOptions, seen func(agentcore.Event)) *agentcore.Result {
	s.t.Helper()
	s.events, s.result = nil, nil
	for e, err := range s.agent.Run(ctx, opts) {
		if err != nil {
			s.t.Fatalf("run: %v", err)
		}
		if s.result != nil && e.Depth == 0 {
			s.t.Errorf("event %s after the result", e.Kind)
		}
		s.events = append(s.events, e)
		if e.Kind == agentcore.EventResult && e.Depth == 0 {
			s.result = e.Result
		}
		if seen != nil {
			seen(e)
		}
	}
	if s.result == nil {
		s.t.Fatal("the run gave no result")
	}
	checkMessages(s.t, s.sess.Messages())
	return s.result
}

// kinds are the kinds of the events, deltas left out.
func (s *stage) kinds() []agentcore.EventKind {
	var kinds []agentcore.EventKind
	for _, e := range s.events {
		switch e.Kind {
		case agentcore.EventText, agentcore.EventThinking, agentcore.EventToolHead, agentcore.EventToolMore:
		default:
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// results are the results of tools, in the order in which they were shown.
func (s *stage) results() []agentcore.Event {
	var found []agentcore.Event
	for _, e := range s.events {
		if e.Kind == agentcore.EventToolResult {
			found = append(found, e)
		}
	}
	return found
}

// done fails when a step of the script was not played, or a request was not as it
// expected.
func (s *stage) done() {
	s.t.Helper()
	if err := s.model.Done(); err != nil {
		s.t.Error(err)
	}
}

// checkMessages holds a conversation against what an API takes (RT-3, RT-42).
func checkMessages(t *testing.T, messages []model.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range messages {
		want := model.RoleUser
		if i%2 == 1 {
			want = model.RoleAssistant
		}
		if m.Role != want {
			t.Fatalf("message %d is %s, want %s", i, m.Role, want)
		}
		if len(m.Content) == 0 {
			t.Errorf("message %d is empty", i)
		}
		for _, b := range m.Content {
			switch b.Type {
			case model.BlockToolUse:
				if open[b.ID] {
					t.Errorf("tool use %s is there twice", b.ID)
				}
				open[b.ID] = true
			case model.BlockToolResult:
				if !open[b.ToolUseID] {
					t.Errorf("result for %s, which is not open", b.ToolUseID)
				}
				delete(open, b.ToolUseID)
			}
		}
		if m.Role == model.RoleUser && len(open) > 0 {
			t.Errorf("message %d leaves tool uses open: %v", i, open)
		}
	}
	if len(open) > 0 {
		t.Errorf("tool uses without a result: %v", open)
	}
}

// echo is a tool that gives its text back.
func echo(opts ...tool.Option) tool.Tool {
	type input struct {
		Text string `json:"text"`
	}
	t, err := tool.New("echo", "gives the text back", func(_ context.Context, _ *tool.Call, in input) (*tool.Result, error) {
		return &tool.Result{Text: in.Text}, nil
	}, opts...)
	if err != nil {
		panic(err)
	}
	return t
}

// use is a call in a script.
func use(name string, input any) scripted.Tool {
	return scripted.Tool{Name: name, Input: scripted.Object(input)}
}

type obj = map[string]any

// silent is a model that says nothing at all.
type silent struct{}

func (silent) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return func(func(model.Event, error) bool) {}
}
