package model_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

func noon() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func TestClassify_RT21(t *testing.T) {
	type header = map[string]string
	for _, tc := range []struct {
		reason        string
		status        int
		apiType, text string
		header        header
		kind          model.Kind
		after         time.Duration
		reset         time.Time
	}{
		{"rate limit", 429, "rate_limit_error", "too fast", header{"Retry-After": "7"}, model.KindRateLimited, 7 * time.Second, time.Time{}},
		{"rate limit, fractions", 429, "", "", header{"Retry-After": "0.5"}, model.KindRateLimited, time.Second / 2, time.Time{}},
		{"rate limit, milliseconds win", 429, "", "", header{"Retry-After": "7", "Retry-After-Ms": "250"}, model.KindRateLimited, time.Second / 4, time.Time{}},
		{"rate limit, date", 429, "", "", header{"Retry-After": "Tue, 01 Dec 2026 12:01:30 GMT"}, model.KindRateLimited, 90 * time.Second, time.Time{}},
		{"rate limit, date that has passed", 429, "", "", header{"Retry-After": "Tue, 01 Dec 2026 11:00:00 GMT"}, model.KindRateLimited, 0, time.Time{}},
		{"rate limit, nonsense", 429, "", "", header{"Retry-After": "soon"}, model.KindRateLimited, 0, time.Time{}},
		{"rate limit, negative", 429, "", "", header{"Retry-After": "-3"}, model.KindRateLimited, 0, time.Time{}},
		{"rate limit, not a number", 429, "", "", header{"Retry-After": "NaN"}, model.KindRateLimited, 0, time.Time{}},
		{"rate limit, forever", 429, "", "", header{"Retry-After": "1e300"}, model.KindRateLimited, 87600 * time.Hour, time.Time{}},
		{
			"rate limit, window of Anthropic", 429, "rate_limit_error", "",
			header{"Anthropic-Ratelimit-Requests-Remaining": "0", "Anthropic-Ratelimit-Requests-Reset": "2026-12-01T12:00:20Z", "Anthropic-Ratelimit-Tokens-Remaining": "9", "Anthropic-Ratelimit-Tokens-Reset": "2026-12-01T13:00:00Z"},
			model.KindRateLimited, 20 * time.Second, time.Time{},
		},
		{"rate limit, window of OpenAI", 429, "requests rate_limit_exceeded", "", header{"X-Ratelimit-Remaining-Tokens": "0", "X-Ratelimit-Reset-Tokens": "1m2s"}, model.KindRateLimited, 62 * time.Second, time.Time{}},
		{"overload under 429", 429, "overloaded_error", "Overloaded", nil, model.KindOverloaded, 0, time.Time{}},
		{"more tokens than a minute has", 429, "tokens rate_limit_exceeded", "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 40000", nil, model.KindContextTooLong, 0, time.Time{}},

		{"allowance, with time", 429, "", "Claude AI usage limit reached|1796083200", nil, model.KindUsageLimit, 0, time.Unix(1796083200, 0)},
		{"allowance, milliseconds", 429, "", "usage limit reached|1796083200000 (more)", nil, model.KindUsageLimit, 0, time.Unix(1796083200, 0)},
		{"allowance, no number", 429, "", "usage limit reached|soon", nil, model.KindUsageLimit, 0, time.Time{}},
		{"allowance, in the header", 429, "rate_limit_error", "This request would exceed your account's rate limit.", header{"Anthropic-Ratelimit-Unified-Status": "rejected", "Anthropic-Ratelimit-Unified-Reset": "1796083200", "Retry-After": "9000"}, model.KindUsageLimit, 9000 * time.Second, time.Unix(1796083200, 0)},
		{"header of an account that is allowed", 429, "rate_limit_error", "", header{"Anthropic-Ratelimit-Unified-Status": "allowed", "Anthropic-Ratelimit-Unified-Reset": "1796083200"}, model.KindRateLimited, 0, time.Time{}},
		{"allowance, waiting time only", 429, "usage_limit_reached", "", header{"Retry-After": "3600"}, model.KindUsageLimit, time.Hour, noon().Add(time.Hour)},
		{"own limit of spending", 400, "invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-24 at 00:00 UTC.", nil, model.KindUsageLimit, 0, time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC)},
		{"own limit, other date", 400, "invalid_request_error", "You have reached your specified API usage limits. You will regain access on next Monday, early.", nil, model.KindUsageLimit, 0, time.Time{}},
		{"no money, Anthropic", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", nil, model.KindUsageLimit, 0, time.Time{}},
		{"no money, OpenAI", 429, "insufficient_quota insufficient_quota", "You exceeded your current quota, please check your plan", nil, model.KindUsageLimit, 0, time.Time{}},
		{"payment required", 402, "billing_error", "", nil, model.KindUsageLimit, 0, time.Time{}},
		{"subscription", 429, "", "You've hit your limit · resets 3pm", nil, model.KindUsageLimit, 0, time.Time{}},
		{"limit in a stream", 0, "error", "Claude AI usage limit reached|1796083200", nil, model.KindUsageLimit, 0, time.Unix(1796083200, 0)},

		{"529", 529, "overloaded_error", "Overloaded", nil, model.KindOverloaded, 0, time.Time{}},
		{"503", 503, "", "", header{"Retry-After": "2"}, model.KindOverloaded, 2 * time.Second, time.Time{}},
		{"overload in a stream", 0, "overloaded_error", "Overloaded", nil, model.KindOverloaded, 0, time.Time{}},
		{"500", 500, "api_error", "", nil, model.KindServer, 0, time.Time{}},
		{"502 of a proxy that quotes", 502, "", "upstream said: prompt is too long", nil, model.KindServer, 0, time.Time{}},
		{"408", 408, "", "", nil, model.KindServer, 0, time.Time{}},
		{"409", 409, "", "", nil, model.KindServer, 0, time.Time{}},
		{"error in a stream", 0, "api_error", "Internal server error", nil, model.KindServer, 0, time.Time{}},
		{"error in a stream, OpenAI", 0, "server_error", "", nil, model.KindServer, 0, time.Time{}},
		{"unknown error in a stream", 0, "new_error", "", nil, model.KindServer, 0, time.Time{}},
		{"rate limit in a stream", 0, "rate_limit_exceeded", "", nil, model.KindRateLimited, 0, time.Time{}},

		{"401", 401, "authentication_error", "invalid x-api-key", nil, model.KindAuth, 0, time.Time{}},
		{"403", 403, "permission_error", "", nil, model.KindAuth, 0, time.Time{}},
		{"bad key in a stream", 0, "invalid_api_key", "", nil, model.KindAuth, 0, time.Time{}},
		{"too long, Anthropic", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", nil, model.KindContextTooLong, 0, time.Time{}},
		{"too long with the answer", 400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", nil, model.KindContextTooLong, 0, time.Time{}},
		{"too long, OpenAI", 400, "invalid_request_error context_length_exceeded", "This model's maximum context length is 128000 tokens.", nil, model.KindContextTooLong, 0, time.Time{}},
		{"too long, by its text only", 400, "", "Your input exceeds the context window of this model.", nil, model.KindContextTooLong, 0, time.Time{}},
		{"too long in a stream", 0, "context_length_exceeded", "", nil, model.KindContextTooLong, 0, time.Time{}},
		{"too many bytes", 413, "request_too_large", "Request exceeds the maximum size", nil, model.KindContextTooLong, 0, time.Time{}},
		{"400", 400, "invalid_request_error", "messages.0.content: Field required", nil, model.KindInvalid, 0, time.Time{}},
		{"404", 404, "not_found_error", "model: x", nil, model.KindInvalid, 0, time.Time{}},
		{"bad request in a stream", 0, "invalid_request_error", "", nil, model.KindInvalid, 0, time.Time{}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			h := http.Header{}
			for name, value := range tc.header {
				h.Set(name, value)
			}
			h.Set("Request-Id", "req_1")
			e := model.Classify(tc.status, tc.apiType, tc.text, h.Get, noon())
			want := &model.Error{Kind: tc.kind, Status: tc.status, Type: tc.apiType, Message: tc.text, RequestID: "req_1", RetryAfter: tc.after, ResetAt: tc.reset.UTC()}
			if tc.reset.IsZero() {
				want.ResetAt = time.Time{}
			}
			if diff := cmp.Diff(want, e); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClassify_text_RT24(t *testing.T) {
	long := strings.Repeat("é", 3000)
	for _, tc := range []struct{ reason, text, want string }{
		{"trimmed", "  a\n", "a"},
		{"a page", "<!DOCTYPE html>\n<html><head><title>502\n Bad Gateway</title></head></html>", "an HTML page in place of an API's answer (502 Bad Gateway): is a proxy or a login page in between?"},
		{"a page without title", "<html><body>x</body></html>", "an HTML page in place of an API's answer: is a proxy or a login page in between?"},
		{"a page that ends", "<html><title>x", "an HTML page in place of an API's answer: is a proxy or a login page in between?"},
		{"a key", "Incorrect API key provided: sk-proj-abcd***wxyz. You can find", "Incorrect API key provided: sk-…. You can find"},
		{"keys", `"sk-ant-api03-AAAA-bbbb_cc" and sk-0123456789`, `"sk-…" and sk-…`},
		{"no keys", "task-1234567 disk-usage risk-averse sk-1 sk-", "task-1234567 disk-usage risk-averse sk-1 sk-"},
		{"long", long, long[:2048] + " … (shortened)"},
		{"long, cut in a letter", "x" + long, "x" + long[:2046] + " … (shortened)"},
	} {
		if got := model.Classify(400, "", tc.text, nil, noon()).Message; got != tc.want {
			t.Errorf("%s: got %q\nwant %q", tc.reason, got, tc.want)
		}
	}
	get := func(name string) string { return map[string]string{"X-Request-Id": "req_o"}[name] }
	if e := model.Classify(400, "", "", get, noon()); e.RequestID != "req_o" {
		t.Errorf("request id is %q", e.RequestID)
	}
}

func TestError_says(t *testing.T) {
	for _, tc := range []struct {
		e    *model.Error
		want string
	}{
		{&model.Error{Kind: model.KindServer}, "model: server"},
		{&model.Error{Kind: model.KindServer, Status: 500, Message: "m", RequestID: "r", Err: io.EOF}, "model: server (HTTP 500): m [request r]"},
		{&model.Error{Kind: model.KindNetwork, Err: io.EOF, Attempts: 5}, "model: network: EOF (tried 5 times)"},
		{&model.Error{Kind: model.KindServer, Attempts: 1}, "model: server"},
	} {
		if got := tc.e.Error(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

func TestBroken(t *testing.T) {
	live := t.Context()
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(live)
	cancel(cause)
	partial := &model.Message{Role: model.RoleAssistant}
	for _, tc := range []struct {
		reason string
		got    *model.Error
		kind   model.Kind
		is     error
		keeps  *model.Message
	}{
		{"before an answer", model.Broken(live, io.ErrUnexpectedEOF, nil), model.KindNetwork, io.ErrUnexpectedEOF, nil},
		{"in an answer", model.Broken(live, io.ErrUnexpectedEOF, partial), model.KindIncomplete, io.ErrUnexpectedEOF, partial},
		{"context ended", model.Broken(ended, io.ErrUnexpectedEOF, partial), model.KindAborted, cause, partial},
		{"aborted", model.Aborted(ended, nil), model.KindAborted, cause, nil},
		{"an error as it is", model.AsError(ended, &model.Error{Kind: model.KindAuth, Err: io.EOF}), model.KindAuth, io.EOF, nil},
		{"another error", model.AsError(live, io.EOF), model.KindNetwork, io.EOF, nil},
		{"another error, context ended", model.AsError(ended, io.EOF), model.KindAborted, cause, nil},
	} {
		if tc.got.Kind != tc.kind || !errors.Is(tc.got, tc.is) || tc.got.Partial != tc.keeps || model.PartialOf(tc.got) != tc.keeps {
			t.Errorf("%s: %+v", tc.reason, tc.got)
		}
	}
	if model.PartialOf(io.EOF) != nil || model.PartialOf(nil) != nil {
		t.Error("other errors have no Partial")
	}
}

// Whatever a server says, the text that is shown is bounded and shows no key.
func FuzzClassify(f *testing.F) {
	f.Add(429, "rate_limit_error", "usage limit reached|1796083200", "7")
	f.Add(400, "", "<html><title>K\u212a</title>", "Tue, 01 Dec 2026 12:01:30 GMT")
	f.Add(401, "", "key sk-ant-0123456789abcdef", "1e999")
	f.Fuzz(func(t *testing.T, status int, apiType, text, after string) {
		e := model.Classify(status, apiType, text, func(string) string { return after }, noon())
		if e.Kind == "" || e.RetryAfter < 0 || len(e.Message) > 2300 {
			t.Fatalf("%+v", e)
		}
		if again := model.Classify(status, apiType, e.Message, nil, noon()); strings.Contains(e.Message, "sk-0123456789") || len(again.Message) > 2400 {
			t.Fatalf("%q, then %q", e.Message, again.Message)
		}
		_ = e.Error()
	})
}
