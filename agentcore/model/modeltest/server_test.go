package modeltest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
	"github.com/stophook/stophook/agentcore/model/openai"
)

// clientOf makes the adapter for an API.
func clientOf(t *testing.T, s *Server, api API) model.Model {
	t.Helper()
	if api == Anthropic {
		c, err := anthropic.New(anthropic.Options{BaseURL: s.BaseURL, APIKey: APIKey, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	c, err := openai.New(openai.Options{BaseURL: s.BaseURL, APIKey: APIKey, Model: "m", API: openai.API(api)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// What the server is given to answer is what an adapter reads from it.
func TestServer_answers(t *testing.T) {
	call := model.Block{Type: model.BlockToolUse, ID: "call_1", Name: "shell", Input: []byte(`{"command":"ls <a> 😀"}`)}
	messages := []*model.Message{
		{Role: model.RoleAssistant, Content: []model.Block{model.Text("Hello, größere Welt!")}, StopReason: model.StopEndTurn},
		{Role: model.RoleAssistant, Content: []model.Block{model.Text("a"), call, {Type: model.BlockToolUse, ID: "call_2", Name: "now", Input: []byte(`{}`)}}, StopReason: model.StopToolUse},
		{Role: model.RoleAssistant, Content: []model.Block{model.Text("It was a dark and")}, StopReason: model.StopMaxTokens},
		{Role: model.RoleAssistant, Content: []model.Block{model.Text("I will not")}, StopReason: model.StopRefusal, Usage: &model.Usage{InputTokens: 3, OutputTokens: 4, CacheReadInputTokens: 5}},
	}
	for _, api := range []API{Anthropic, Chat, Responses} {
		t.Run(string(api), func(t *testing.T) {
			var replies []Reply
			for _, m := range messages {
				replies = append(replies, Answer(m))
			}
			s := NewServer(t, api, replies...)
			client := clientOf(t, s, api)
			for i, m := range messages {
				got, err := model.Collect(client.Stream(t.Context(), hello()))
				if err != nil {
					t.Fatal(err)
				}
				want := *m
				want.ID, want.Model = "msg_fake", "fake-model"
				if want.Usage == nil {
					want.Usage = &model.Usage{InputTokens: 10, OutputTokens: 5}
				}
				if diff := cmp.Diff(&want, got); diff != "" {
					t.Errorf("message %d (-want +got):\n%s", i+1, diff)
				}
			}
			if n := len(s.Requests()); n != len(messages) {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestServer_thinking(t *testing.T) {
	m := &model.Message{ID: "msg_9", Role: model.RoleAssistant, Model: "m", Content: []model.Block{
		{Type: model.BlockThinking, Thinking: "Hm, hm.", Signature: "sig"}, {Type: model.BlockRedactedThinking, Data: "data"}, {Type: "later", Raw: []byte(`{"type":"later","x":1}`)},
	}, StopReason: model.StopPauseTurn, Usage: &model.Usage{}}
	s := NewServer(t, Anthropic, Answer(m))
	got, err := model.Collect(clientOf(t, s, Anthropic).Stream(t.Context(), hello()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestServer_fails(t *testing.T) {
	for _, api := range []API{Anthropic, Chat, Responses} {
		s := NewServer(t, api, Fail(429, "rate_limit_exceeded", "slow down").After(2500*time.Millisecond), Fail(401, "invalid_api_key", "who?"), Raw("503\n\nno"))
		client := clientOf(t, s, api)
		for _, want := range []model.Error{
			{Kind: model.KindRateLimited, Status: 429, RetryAfter: 2500 * time.Millisecond, Message: "slow down"},
			{Kind: model.KindAuth, Status: 401, Message: "who?"},
			{Kind: model.KindOverloaded, Status: 503, Message: "no"},
		} {
			_, err := model.Collect(client.Stream(t.Context(), hello()))
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != want.Kind || e.Status != want.Status || e.RetryAfter != want.RetryAfter || !strings.Contains(e.Message, want.Message) {
				t.Errorf("%s: got %+v, want %+v", api, err, want)
			}
		}
	}
}

// Retry and an adapter do together what each does alone.
func TestServer_retry(t *testing.T) {
	s := NewServer(t, Anthropic, Fail(529, "overloaded_error", "Overloaded"), begunAndCut(Anthropic), Answer(&model.Message{Content: []model.Block{model.Text("at last")}}))
	var waits []time.Duration
	m := model.Retry(clientOf(t, s, Anthropic), model.RetryOptions{Jitter: func() float64 { return 1 }, Sleep: sleepNoting(&waits)})
	var restarts, shown []string
	var text string
	for event, err := range m.Stream(t.Context(), hello()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case event.Restart != nil:
			restarts = append(restarts, string(event.Restart.Err.Kind))
			if p := event.Restart.Err.Partial; p != nil {
				shown = append(shown, p.FinalText())
			}
		case event.Message != nil:
			text = event.Message.FinalText()
		}
	}
	if diff := cmp.Diff([]string{"overloaded", "incomplete"}, restarts); diff != "" || text != "at last" {
		t.Errorf("got %q (-want +got):\n%s", text, diff)
	}
	if diff := cmp.Diff([]string{pieces(greeting)[0]}, shown); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second}, waits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func begunAndCut(api API) Reply {
	r := begun(api)
	r.raw = strings.TrimSuffix(r.raw, "@hang\n") + "@cut\n"
	return r
}

func sleepNoting(waits *[]time.Duration) func(context.Context, time.Duration) error {
	return func(_ context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return nil
	}
}

func TestServerFunc(t *testing.T) {
	s := NewServerFunc(t, Chat, func(req Request) Reply {
		text := "to nobody"
		if strings.Contains(string(req.Body), "Hello") {
			text = "to the one who greets"
		}
		return Answer(&model.Message{Content: []model.Block{model.Text(text)}})
	})
	client := clientOf(t, s, Chat)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			msg, err := model.Collect(client.Stream(t.Context(), hello()))
			if err != nil || msg.FinalText() != "to the one who greets" {
				t.Errorf("%v, %v", msg, err)
			}
		})
	}
	all.Wait()
	if got := s.Requests(); len(got) != 3 || got[0].Method != "POST" || got[0].Path != "/v1/chat/completions" || got[0].Header.Get("Authorization") != "Bearer "+APIKey {
		t.Errorf("%+v", got)
	}
}

// post asks without an adapter.
func post(t *testing.T, url string) (int, string) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestServer_tellsWhatIsWrong(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s := newServer(Responses)
	t.Cleanup(s.Close)
	if code, body := post(t, s.BaseURL+"/messages"); code != 404 || !strings.Contains(body, "the responses API is asked with POST /v1/responses, not POST /v1/messages") {
		t.Errorf("%d %s", code, body)
	}
	if code, body := post(t, s.BaseURL+"/responses"); code != 500 || !strings.Contains(body, "no reply is left for request 1") {
		t.Errorf("%d %s", code, body)
	}
}

func TestRaw_directives(t *testing.T) {
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	s := newServer(Anthropic, Raw("HTTP/1.1 201 Created\nX-Own: yes\nContent-Type: text/plain\n\na {{pad 3}}\n@bytes 2\nb\n@wait 1ms\n@crlf\nc\n\nd"))
	t.Cleanup(s.Close)
	res, err := http.Post(s.BaseURL+"/v1/messages", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || string(body) != "a xxx\nb\nc\r\n\r\nd\r\n" || res.StatusCode != 201 || res.Header.Get("X-Own") != "yes" || res.Header.Get("Content-Type") != "text/plain" {
		t.Errorf("%v %q %v", res.Status, body, err)
	}
}
