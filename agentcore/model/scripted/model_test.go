package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// user is a request that ends with a prompt.
func user(texts ...string) *model.Request {
	req := &model.Request{}
	for _, text := range texts {
		req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Content: []model.Block{model.Text(text)}})
	}
	return req
}

func ask(t *testing.T, m model.Model, req *model.Request) *model.Message {
	t.Helper()
	msg, err := model.Collect(m.Stream(t.Context(), req))
	if err != nil {
		t.Fatal(err)
	}
	return msg
}

// refused gives the error of a request that fails.
func refused(t *testing.T, m model.Model, req *model.Request) *model.Error {
	t.Helper()
	msg, err := model.Collect(m.Stream(t.Context(), req))
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("want an error, got %+v, %v", msg, err)
	}
	return e
}

func TestModel_answers(t *testing.T) {
	m := scripted.Play(
		scripted.Step{
			Thinking: "hm", Text: "Let me look.", Usage: &scripted.Usage{Input: 1, Output: 2, CacheWrite: 3, CacheRead: 4},
			Tools: []scripted.Tool{{Name: "shell", Input: scripted.Object(map[string]string{"command": "ls"})}, {Name: "list", ID: "own"}},
		},
		scripted.Step{Content: []scripted.Part{
			{Redacted: "secret"}, {Tool: &scripted.Tool{Name: "bad", InputText: `{"a":`}}, {Text: "after"}, {Raw: scripted.Value(`{"type":"later","x":1}`)},
		}, StopReason: model.StopMaxTokens},
	)
	want := &model.Message{
		ID: "msg_0001", Role: model.RoleAssistant, Model: "scripted", StopReason: model.StopToolUse,
		Usage: &model.Usage{InputTokens: 1, OutputTokens: 2, CacheCreationInputTokens: 3, CacheReadInputTokens: 4},
		Content: []model.Block{
			{Type: model.BlockThinking, Thinking: "hm", Signature: "scripted-signature"}, model.Text("Let me look."),
			{Type: model.BlockToolUse, ID: "toolu_0001_1", Name: "shell", Input: json.RawMessage(`{"command":"ls"}`)},
			{Type: model.BlockToolUse, ID: "own", Name: "list", Input: json.RawMessage(`{}`)},
		},
	}
	if diff := cmp.Diff(want, ask(t, m, user("go"))); diff != "" {
		t.Errorf("step 1 (-want +got):\n%s", diff)
	}
	want = &model.Message{
		ID: "msg_0002", Role: model.RoleAssistant, Model: "asked-for", StopReason: model.StopMaxTokens, Usage: &model.Usage{InputTokens: 100, OutputTokens: 20},
		Content: []model.Block{
			{Type: model.BlockRedactedThinking, Data: "secret"}, {Type: model.BlockToolUse, ID: "toolu_0002_1", Name: "bad", Input: json.RawMessage(`{"a":`)},
			model.Text("after"), {Type: "later", Raw: json.RawMessage(`{"type":"later","x":1}`)},
		},
	}
	req := user("go")
	req.Model = "asked-for"
	if diff := cmp.Diff(want, ask(t, m, req)); diff != "" {
		t.Errorf("step 2 (-want +got):\n%s", diff)
	}
	if err := m.Done(); err != nil {
		t.Error(err)
	}
}

// A script that is over says so. It is never an empty answer.
func TestModel_over_RT20(t *testing.T) {
	m := scripted.Play(scripted.Step{Text: "one"}, scripted.Step{Name: "later", When: &scripted.Match{Text: "never"}, Text: "two"})
	ask(t, m, user("a"))
	e := refused(t, m, user("b", "what now?"))
	if !errors.Is(e, scripted.ErrOver) || e.Retryable() || !strings.Contains(e.Error(), `with 2 messages, of which the last says "what now?"`) {
		t.Errorf("got %v", e)
	}
	if err := m.Err(); !errors.Is(err, scripted.ErrOver) {
		t.Errorf("Err is %v", err)
	}
	if err := m.Done(); !errors.Is(err, scripted.ErrOver) {
		t.Errorf("Done is %v", err)
	}
	left := scripted.Play(scripted.Step{Text: "one"}, scripted.Step{Name: "later", Text: "two"})
	ask(t, left, user("a"))
	if err := left.Done(); err == nil || err.Error() != "scripted: never played: step 2 (later)" {
		t.Errorf("Done is %v", err)
	}
}

func TestModel_repeat(t *testing.T) {
	m, err := scripted.New(scripted.Script{Repeat: true, Prefix: "b", Steps: []scripted.Step{
		{Text: "one", Tools: []scripted.Tool{{Name: "x"}}}, {Text: "two"}, {When: &scripted.Match{Text: "ping"}, Text: "pong", Always: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, text := range []string{"a", "ping", "b", "c", "ping", "d"} {
		msg := ask(t, m, user(text))
		got = append(got, msg.ID+" "+msg.FinalText())
		for _, call := range msg.ToolUses() {
			got = append(got, call.ID)
		}
	}
	want := []string{
		"msg_b0001 one", "toolu_b0001_1", "msg_b0003 pong", "msg_b0002 two", "msg_b0001x2 one", "toolu_b0001x2_1", "msg_b0003x2 pong", "msg_b0002x2 two",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A session that is resumed with its script from the start gets ids of its own.
func TestModel_resumed(t *testing.T) {
	step := scripted.Step{Tools: []scripted.Tool{{Name: "x"}, {Name: "y"}}}
	conversation := user("a")
	var got []string
	for range 3 {
		msg := ask(t, scripted.Play(step), conversation)
		for _, call := range msg.ToolUses() {
			got = append(got, call.ID)
		}
		conversation.Messages = append(conversation.Messages, *msg)
	}
	want := []string{"toolu_0001_1", "toolu_0001_2", "toolu_0001x2_1", "toolu_0001x2_2", "toolu_0001x3_1", "toolu_0001x3_2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestModel_expect(t *testing.T) {
	yes, no := true, false
	two := 2
	result := user("do it")
	result.System = "You are the explorer.\nBe brief."
	result.Model = "m"
	result.Tools = []model.ToolSpec{{Name: "shell"}, {Name: "edit"}}
	result.Messages = append(result.Messages, model.Message{Role: model.RoleUser, Content: []model.Block{
		model.ToolResult("t1", "exit code 3", true), model.Text("also this"),
	}})
	for _, tc := range []struct {
		expect scripted.Match
		says   string // empty: it holds
	}{
		{scripted.Match{}, ""},
		{scripted.Match{
			System: "explorer", SystemMatches: `^You are the \w+\.`, Text: "also", TextMatches: "this$", ToolResult: "code 3", ToolResultMatches: `code \d`, ToolError: &yes,
			Conversation: "do it", Without: "later", Messages: &two, Tools: []string{"edit", "shell"}, WithoutTools: []string{"spawn"}, Model: "m",
		}, ""},
		{scripted.Match{System: "coder"}, `expects the system prompt with "coder", got "You are the explorer.\nBe brief."`},
		{scripted.Match{SystemMatches: "^Be"}, `expects the system prompt like "^Be", got`},
		{scripted.Match{Text: "do it"}, `expects the text of the last message with "do it", got "also this"`},
		{scripted.Match{TextMatches: "^this"}, `like "^this", got "also this"`},
		{scripted.Match{ToolResult: "code 4"}, `expects the tool results of the last message with "code 4", got "exit code 3"`},
		{scripted.Match{ToolError: &no}, `expects an error among the tool results false, got true`},
		{scripted.Match{Conversation: "nowhere"}, `expects the conversation with "nowhere", got "do it\nexit code 3\nalso this"`},
		{scripted.Match{Without: "code 3"}, `expects the conversation without "code 3", got with it`},
		{scripted.Match{Messages: new(int)}, `expects the number of messages 0, got 2`},
		{scripted.Match{Tools: []string{"spawn"}}, `expects the tools with spawn, got [shell edit]`},
		{scripted.Match{WithoutTools: []string{"edit"}}, `expects the tools without edit, got [shell edit]`},
		{scripted.Match{Model: "n"}, `expects the model "n", got "m"`},
	} {
		m := scripted.Play(scripted.Step{Name: "look", Expect: &tc.expect, Text: "ok"})
		if tc.says == "" {
			ask(t, m, result)
			continue
		}
		e := refused(t, m, result)
		var expected *scripted.ExpectError
		if !errors.As(e, &expected) || e.Retryable() || !strings.HasPrefix(expected.Error(), "step 1 (look) expects") || !strings.Contains(e.Error(), tc.says) {
			t.Errorf("got %v\nwant %s", e, tc.says)
		}
		if m.Err() == nil {
			t.Errorf("%s is not in Err", tc.says)
		}
	}
}

// Whose request comes first does not matter when the steps say whom they are for.
func TestModel_when(t *testing.T) {
	m := scripted.Play(
		scripted.Step{Text: "main 1"},
		scripted.Step{When: &scripted.Match{System: "explorer"}, Text: "sub 1"},
		scripted.Step{Text: "main 2"},
		scripted.Step{When: &scripted.Match{System: "explorer"}, Text: "sub 2"},
	)
	sub := user("x")
	sub.System = "You are the explorer."
	var got []string
	for _, req := range []*model.Request{sub, user("a"), sub, user("b")} {
		got = append(got, ask(t, m, req).FinalText())
	}
	if diff := cmp.Diff([]string{"sub 1", "main 1", "sub 2", "main 2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a request says can be said back, as with the id of a background task.
func TestModel_remembers(t *testing.T) {
	m := scripted.Play(
		scripted.Step{Expect: &scripted.Match{TextMatches: `task (?P<task>\S+)`}, Text: "started {{ task }} and {{other}}, {{"},
		scripted.Step{Tools: []scripted.Tool{{Name: "kill", Input: scripted.Object(map[string]string{"id": "{{task}}"})}}},
	)
	if got := ask(t, m, user(`task b"1`)).FinalText(); got != `started b"1 and {{other}}, {{` {
		t.Errorf("got %q", got)
	}
	if got := string(ask(t, m, user("go on")).ToolUses()[0].Input); got != `{"id":"b\"1"}` {
		t.Errorf("got %s", got)
	}
}

func TestModel_answerFunc(t *testing.T) {
	var m *scripted.Model
	m = scripted.Play(scripted.Step{Always: true, Answer: func(req *model.Request) scripted.Step {
		if len(req.Messages) > 1 {
			return scripted.Step{}
		}
		return scripted.Step{Text: fmt.Sprint(len(m.Requests()), " requests")}
	}})
	if got := ask(t, m, user("a")).FinalText(); got != "1 requests" {
		t.Errorf("got %q", got)
	}
	if e := refused(t, m, user("a", "b")); !strings.Contains(e.Error(), "step 1: the step answers nothing") {
		t.Errorf("got %v", e)
	}
}

// Requests are copies: what happens to the caller's own afterwards does not show.
func TestModel_requests(t *testing.T) {
	m := scripted.Play(scripted.Step{Name: "first", Text: "ok"})
	req := user("as it was")
	req.Tools = []model.ToolSpec{{Name: "a", InputSchema: json.RawMessage(`{"x":1}`)}}
	req.Messages[0].Content = append(req.Messages[0].Content, model.ToolResult("t", "as it was", false), model.Block{Type: model.BlockImage, Source: &model.ImageSource{Data: "d"}})
	before, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, m, req)
	req.Messages[0].Content[0].Text = "changed"
	req.Messages[0].Content[1].Content[0].Text = "changed"
	req.Messages[0].Content[2].Source.Data = "changed"
	req.Tools[0].InputSchema[2] = 'y'
	calls := m.Requests()
	after, err := json.Marshal(calls[0].Request)
	if err != nil || string(after) != string(before) || calls[0].Step != 1 || calls[0].Name != "first" {
		t.Errorf("kept %+v\n%s, %v\nwant %s", calls[0], after, err, before)
	}
	forgetful, err := scripted.New(scripted.Script{Forget: true, Steps: []scripted.Step{{Text: "ok"}}})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, forgetful, req)
	if n := len(forgetful.Requests()); n != 0 {
		t.Errorf("%d requests kept", n)
	}
}

// deltas gives what was shown, a word of each kind first.
func deltas(m model.Model, ctx context.Context, req *model.Request) (shown []string, final *model.Message, err error) {
	for event, e := range m.Stream(ctx, req) {
		switch {
		case e != nil:
			err = e
		case event.Message != nil:
			final = event.Message
		case event.ToolUse != nil:
			shown = append(shown, fmt.Sprintf("%d tool %s %s", event.Block, event.ToolUse.ID, event.ToolUse.Name))
		case event.Thinking != "":
			shown = append(shown, fmt.Sprintf("%d thinking %s", event.Block, event.Thinking))
		case event.Input != "":
			shown = append(shown, fmt.Sprintf("%d input %s", event.Block, event.Input))
		default:
			shown = append(shown, fmt.Sprintf("%d text %s", event.Block, event.Text))
		}
	}
	return shown, final, err
}

func TestModel_deltas(t *testing.T) {
	step := scripted.Step{Thinking: "héé", Text: "größer", Tools: []scripted.Tool{{Name: "ls", Input: scripted.Object(map[string]int{"a": 1})}}, Chunk: 4}
	shown, final, err := deltas(scripted.Play(step), t.Context(), user("a"))
	want := []string{"0 thinking héé", "1 text größ", "1 text er", "2 tool toolu_0001_1 ls", `2 input {"a"`, "2 input :1}"}
	if diff := cmp.Diff(want, shown); diff != "" || final == nil || err != nil {
		t.Errorf("%v, %v (-want +got):\n%s", final, err, diff)
	}
}

// Failures carry what had come, and only blocks that are whole (see model.Error).
func TestModel_failures_RT8(t *testing.T) {
	zero, three := 0, 3
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	begun := func(blocks ...model.Block) *model.Message {
		return &model.Message{ID: "msg_0001", Role: model.RoleAssistant, Model: "scripted", Content: blocks, Usage: &model.Usage{InputTokens: 100, OutputTokens: 1}}
	}
	thinking := model.Block{Type: model.BlockThinking, Thinking: "hm", Signature: "scripted-signature"}
	for _, tc := range []struct {
		reason string
		step   scripted.Step
		want   *model.Error
	}{
		{"at once", scripted.Step{Error: &scripted.Failure{}}, &model.Error{Kind: model.KindServer, Message: "as the script says"}},
		{
			"as said",
			scripted.Step{Error: &scripted.Failure{Kind: model.KindUsageLimit, Status: 429, Type: "t", Message: "m", RetryAfter: time.Second, ResetAt: at}},
			&model.Error{Kind: model.KindUsageLimit, Status: 429, Type: "t", Message: "m", RetryAfter: time.Second, ResetAt: at},
		},
		{
			"after pieces", scripted.Step{Thinking: "hm", Text: "abcdef", Chunk: 2, Error: &scripted.Failure{Kind: model.KindOverloaded, After: 3}},
			&model.Error{Kind: model.KindOverloaded, Message: "as the script says", Partial: begun(thinking, model.Text("abcd"))},
		},
		{
			"after all", scripted.Step{Text: "abc", Error: &scripted.Failure{After: 9}},
			&model.Error{Kind: model.KindServer, Message: "as the script says", Partial: begun(model.Text("abc"))},
		},
		{"cut before anything", scripted.Step{Text: "abc", Cut: &zero}, &model.Error{Kind: model.KindNetwork}},
		{
			"cut in a call", scripted.Step{Text: "ab", Tools: []scripted.Tool{{Name: "ls"}}, Chunk: 1, Cut: &three},
			&model.Error{Kind: model.KindIncomplete, Message: "the stream ended before its final event", Partial: begun(model.Text("ab"))},
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, final, err := deltas(scripted.Play(tc.step), t.Context(), user("a"))
			var got *model.Error
			if final != nil || !errors.As(err, &got) {
				t.Fatalf("%v, %v", final, err)
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestModel_timing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		m := scripted.Play(scripted.Step{Text: "abc", Chunk: 1, Delay: time.Second, Pause: time.Minute})
		if got := ask(t, m, user("a")).FinalText(); got != "abc" {
			t.Errorf("got %q", got)
		}
		if took := time.Since(start); took != time.Second+2*time.Minute {
			t.Errorf("took %v", took)
		}
	})
}

func TestModel_aborts(t *testing.T) {
	cause := errors.New("enough")
	for _, tc := range []struct {
		reason  string
		step    scripted.Step
		at      string // delta at which the context ends; empty: while waiting
		partial string
	}{
		{"in the delay", scripted.Step{Text: "abc", Delay: time.Hour}, "", "none"},
		{"at the gate", scripted.Step{Text: "abc", Wait: &scripted.Wait{Name: "g"}}, "", "none"},
		{"at the gate in the middle", scripted.Step{Text: "abc", Chunk: 1, Wait: &scripted.Wait{Name: "g", After: 2}}, "", "ab"},
		{"in a pause", scripted.Step{Text: "abc", Chunk: 1, Pause: time.Hour}, "", "a"},
		{"between pieces", scripted.Step{Text: "abc", Chunk: 1}, "0 text b", "ab"},
		{"at the last piece", scripted.Step{Text: "abc", Chunk: 1}, "0 text c", "abc"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.at == "" {
					go func() {
						synctest.Wait()
						cancel(cause)
					}()
				}
				var err error
				for event, e := range scripted.Play(tc.step).Stream(ctx, user("a")) {
					if err = e; tc.at == "0 text "+event.Text && err == nil {
						cancel(cause)
					}
				}
				var e *model.Error
				if !errors.As(err, &e) || e.Kind != model.KindAborted || !errors.Is(err, cause) {
					t.Fatalf("got %v", err)
				}
				partial := "none"
				if e.Partial != nil {
					partial = e.Partial.FinalText()
				}
				if partial != tc.partial {
					t.Errorf("partial is %q, want %q", partial, tc.partial)
				}
			})
		})
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	m := scripted.Play(scripted.Step{Text: "a"})
	if _, err := model.Collect(m.Stream(ctx, user("a"))); !errors.Is(err, cause) || len(m.Requests()) != 0 {
		t.Errorf("got %v, %d requests", err, len(m.Requests()))
	}
}

func TestModel_gates(t *testing.T) {
	m := scripted.Play(
		scripted.Step{When: &scripted.Match{Text: "a"}, Text: "A", Wait: &scripted.Wait{Name: "go"}},
		scripted.Step{When: &scripted.Match{Text: "b"}, Text: "B", Wait: &scripted.Wait{Name: "go"}},
	)
	var all sync.WaitGroup
	all.Go(func() {
		if msg, err := model.Collect(m.Stream(t.Context(), user("a"))); err != nil || msg.FinalText() != "A" {
			t.Errorf("%v, %v", msg, err)
		}
	})
	<-m.Reached("go")
	m.Release("go")
	m.Release("go")
	all.Wait()
	if got := ask(t, m, user("b")).FinalText(); got != "B" { // later ones pass
		t.Errorf("got %q", got)
	}
}

func TestModel_concurrent(t *testing.T) {
	const n = 50
	var steps []scripted.Step
	for range n {
		steps = append(steps, scripted.Step{Text: "ok", Expect: &scripted.Match{TextMatches: `(?P<who>\d+)`}})
	}
	m := scripted.Play(steps...)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if _, err := model.Collect(m.Stream(t.Context(), user(fmt.Sprint(i)))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := m.Done(); err != nil || len(m.Requests()) != n {
		t.Errorf("%d requests, %v", len(m.Requests()), err)
	}
}

func TestModel_leaves(t *testing.T) {
	m := scripted.Play(scripted.Step{Text: "abc", Chunk: 1, Tools: []scripted.Tool{{Name: "x"}}})
	for range m.Stream(t.Context(), user("a")) {
		break
	}
	if err := m.Done(); err != nil {
		t.Error(err)
	}
}
