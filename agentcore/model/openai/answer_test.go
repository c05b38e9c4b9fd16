package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// feed gives an answer events, written one a line as "name data" or "data", and
// returns what it made of them.
func feed(a exchange.Answer, script string) (shown []model.Event, final *model.Message, err error) {
	emit := func(e model.Event) bool { shown = append(shown, e); return true }
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, data := "", line
		if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "[") {
			name, data, _ = strings.Cut(line, " ")
		}
		if final, err = a.Take(name, []byte(data+"\n"), emit); final != nil || err != nil {
			return shown, final, err
		}
	}
	return shown, nil, nil
}

func failed(data []byte) *model.Error { return explain(0, data, http.Header{}, time.Unix(0, 0)) }

func newResponses() exchange.Answer { return &responsesAnswer{failed: failed} }

func newChat() exchange.Answer { return &chatAnswer{failed: failed} }

// show writes deltas to be compared.
func show(events []model.Event) string {
	var all []string
	for _, e := range events {
		at := string(rune('0' + e.Block))
		switch {
		case e.ToolUse != nil:
			all = append(all, "call"+at+":"+e.ToolUse.ID+"/"+e.ToolUse.Name)
		case e.Text != "":
			all = append(all, "text"+at+":"+e.Text)
		case e.Thinking != "":
			all = append(all, "thinking"+at+":"+e.Thinking)
		default:
			all = append(all, "input"+at+":"+e.Input)
		}
	}
	return strings.Join(all, " ")
}

type answerCase struct {
	name, script string
	stop         model.StopReason
	content      string // as JSON
	shown        string // deltas, joined; "-" is not compared
}

func (tt answerCase) check(t *testing.T, a exchange.Answer) {
	t.Helper()
	shown, m, err := feed(a, tt.script)
	if err != nil || m == nil {
		t.Fatalf("got %v, %v", m, err)
	}
	content := []byte{'['}
	for i, b := range m.Content {
		if i > 0 {
			content = append(content, ',')
		}
		if content, err = b.AppendJSON(content); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(tt.content, string(append(content, ']'))); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(tt.shown, show(shown)); diff != "" && tt.shown != "-" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
	if m.StopReason != tt.stop || m.Role != model.RoleAssistant {
		t.Errorf("stop %s, role %s, want %s", m.StopReason, m.Role, tt.stop)
	}
}

type failureCase struct {
	script string
	kind   model.Kind
	text   string
}

func (tt failureCase) check(t *testing.T, a exchange.Answer) {
	t.Helper()
	_, m, err := feed(a, tt.script)
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != tt.kind || !strings.Contains(err.Error(), tt.text) {
		t.Errorf("%s\ngot %v, %v, want an error of kind %s with %q", tt.script, m, err, tt.kind, tt.text)
	}
}

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		kind   model.Kind
		word   string
		text   string
	}{
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, model.KindUsageLimit, "insufficient_quota insufficient_quota", "quota"},
		{429, `{"error":{"message":"Rate limit reached","type":"tokens","code":"rate_limit_exceeded"}}`, model.KindRateLimited, "tokens rate_limit_exceeded", "Rate limit"},
		{401, `{"error":{"message":"Incorrect API key provided: sk-abcdefghij","type":"invalid_request_error","code":"invalid_api_key","param":null}}`, model.KindAuth, "invalid_request_error invalid_api_key", "sk-…"},
		{400, `{"error":{"message":"maximum context length is 8","type":"invalid_request_error","code":"context_length_exceeded"}}`, model.KindContextTooLong, "", "maximum"},
		{400, `{"error":"model not found"}`, model.KindInvalid, "", "model not found"},
		{400, `[{"error":{"code":400,"message":"from a list","status":"INVALID_ARGUMENT"}}]`, model.KindInvalid, "400", "from a list"},
		{422, `{"detail":"no such field"}`, model.KindInvalid, "", "no such field"},
		{404, `{"message":"flat","type":"not_found","code":null}`, model.KindInvalid, "not_found", "flat"},
		{502, `Bad gateway`, model.KindServer, "", "Bad gateway"},
		{503, ``, model.KindOverloaded, "", ""},
		{0, `{"code":"server_error","message":"oops"}`, model.KindServer, "server_error", "oops"},
		{0, `{"code":"bio_policy","message":"no"}`, model.KindInvalid, "bio_policy", "no"},
		{0, `{"code":"invalid_image_format","message":"no"}`, model.KindInvalid, "invalid_image_format", "no"},
		{0, `null`, model.KindServer, "", "null"},
	} {
		e := explain(tt.status, []byte(tt.body), http.Header{}, time.Unix(0, 0))
		if e.Kind != tt.kind || tt.word != "" && e.Type != tt.word || !strings.Contains(e.Message, tt.text) {
			t.Errorf("%d %s\ngot %+v, want kind %s, type %q, message %q", tt.status, tt.body, e, tt.kind, tt.word, tt.text)
		}
	}
}

// Input is what the model sent, also when that is no object, and goes back as an
// object.
func TestAnswer_inputThatIsNoObject(t *testing.T) {
	for _, sent := range []string{`{"z": "a`, `[1]`, `"x"`, `nonsense`} {
		arguments, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		for name, run := range map[string]func() (*model.Message, error){
			"responses": func() (*model.Message, error) {
				_, m, err := feed(newResponses(), `
					{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"call_1","name":"a","arguments":`+string(arguments)+`}}
					{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}`)
				return m, err
			},
			"chat": func() (*model.Message, error) {
				_, m, err := feed(newChat(), `
					{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"a","arguments":`+string(arguments)+`}}]},"finish_reason":"length"}]}
					[DONE]`)
				return m, err
			},
		} {
			m, err := run()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if b := m.Content[0]; string(b.Input) != sent || m.StopReason != model.StopMaxTokens {
				t.Errorf("%s: input %q, stop %s, want %q", name, b.Input, m.StopReason, sent)
			}
			if back := string(m.Content[0].InputObject()); !strings.Contains(back, "invalid_input") {
				t.Errorf("%s: it goes back as %s", name, back)
			}
		}
	}
}
