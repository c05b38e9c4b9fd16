package anthropic_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
	"github.com/stophook/stophook/agentcore/model/modeltest"
)

func hello() *model.Request {
	return &model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}}}
}

func answer() modeltest.Reply {
	return modeltest.Answer(&model.Message{Content: []model.Block{model.Text("Hi")}})
}

func TestNew_refuses(t *testing.T) {
	for _, tt := range []struct {
		options anthropic.Options
		want    string
	}{
		{anthropic.Options{}, "no key"},
		{anthropic.Options{APIKey: "k", BaseURL: "api.invalid"}, "no address"},
		{anthropic.Options{APIKey: "k", BaseURL: "ftp://api.invalid"}, "no address"},
		{anthropic.Options{APIKey: "k", BaseURL: "http://a b"}, "no address"},
		{anthropic.Options{APIKey: "k", Thinking: "deep"}, `"deep"`},
		{anthropic.Options{APIKey: "k", CacheTTL: "2h"}, `"2h"`},
	} {
		if c, err := anthropic.New(tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, %v", tt.options, c, err)
		}
	}
}

// The SDK by itself reads keys, addresses, headers and profiles from the
// environment and the disk. Nothing of that reaches the API.
func TestClient_readsNoEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "sk-from-the-environment", "ANTHROPIC_AUTH_TOKEN": "token-from-the-environment",
		"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_CUSTOM_HEADERS": "X-Env: yes",
		"ANTHROPIC_PROFILE": "missing", "ANTHROPIC_CONFIG_DIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	s := modeltest.NewServer(t, modeltest.Anthropic, answer(), answer())
	for _, o := range []anthropic.Options{
		{APIKey: modeltest.APIKey, BaseURL: s.BaseURL},
		{BaseURL: s.BaseURL}, // a server that wants no key
	} {
		if _, err := model.Collect(newClient(t, o).Stream(t.Context(), hello())); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range s.Requests() {
		for name, values := range r.Header {
			if v := strings.Join(values, " "); strings.Contains(v, "environment") || name == "X-Env" {
				t.Errorf("request %d has %s: %s", i, name, v)
			}
		}
	}
	if got := s.Requests()[1].Header.Get("Authorization"); got != "" {
		t.Errorf("without a key, Authorization is %q", got)
	}
}

func TestClient_headers(t *testing.T) {
	s := modeltest.NewServer(t, modeltest.Anthropic, answer())
	c := newClient(t, anthropic.Options{
		APIKey: modeltest.APIKey, BaseURL: s.BaseURL + "/", Betas: []string{"a-1", "b-2"},
		Headers: http.Header{"X-Api-Key": {modeltest.APIKey}, "User-Agent": {"stophook/1"}, "X-Two": {"1", "2"}},
	})
	if _, err := model.Collect(c.Stream(t.Context(), hello())); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	for name, want := range map[string]string{
		"Anthropic-Beta": "a-1,b-2", "X-Api-Key": modeltest.APIKey, "Authorization": "Bearer " + modeltest.APIKey,
		"User-Agent": "stophook/1", "X-Two": "1,2", "Content-Type": "application/json", "Accept": "text/event-stream",
	} {
		if got := strings.Join(r.Header.Values(name), ","); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if r.Header.Get("Anthropic-Version") == "" || r.Path != "/v1/messages" {
		t.Errorf("version %q, path %q", r.Header.Get("Anthropic-Version"), r.Path)
	}
}

// The key is in no error, whoever quotes it, and neither is it in what an error
// is made of.
func TestClient_keyInNoError_RT24(t *testing.T) {
	const key = "very-secret-key-of-no-known-form"
	quoting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Request-Id", r.Header.Get("X-Other"))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"bad key ` + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + `"}}`))
	}))
	defer quoting.Close()
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/"+key, http.StatusTemporaryRedirect)
	}))
	defer redirecting.Close()
	for name, base := range map[string]string{"quoted": quoting.URL, "redirect": redirecting.URL, "refused": "http://user:" + key + "@127.0.0.1:1/" + key} {
		c := newClient(t, anthropic.Options{APIKey: key, BaseURL: base, Headers: http.Header{"X-Other": {"another-" + key}}})
		_, err := model.Collect(c.Stream(t.Context(), hello()))
		var e *model.Error
		if !errors.As(err, &e) {
			t.Fatalf("%s: %v", name, err)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), key) {
				t.Errorf("%s: the key is in %T: %v", name, err, err)
			}
		}
		if strings.Contains(e.RequestID, key) || strings.Contains(e.Message, key) {
			t.Errorf("%s: the key is in %+v", name, e)
		}
	}
}

// One attempt each, whatever the answer: trying again is model.Retry's.
func TestClient_oneAttempt(t *testing.T) {
	for _, status := range []int{408, 409, 429, 500, 529} {
		s := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Fail(status, "x", "y"))
		_, err := model.Collect(newClient(t, anthropic.Options{APIKey: modeltest.APIKey, BaseURL: s.BaseURL}).Stream(t.Context(), hello()))
		var e *model.Error
		if !errors.As(err, &e) || e.Status != status || len(s.Requests()) != 1 {
			t.Errorf("%d: %d requests, %v", status, len(s.Requests()), err)
		}
	}
}

func TestClient_silence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, anthropic.Options{APIKey: "key", HTTPClient: &http.Client{Transport: mute{}}})
		start := time.Now()
		_, err := model.Collect(c.Stream(t.Context(), hello()))
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.KindNetwork || time.Since(start) != 5*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// mute is a transport that gets no answer.
type mute struct{}

func (mute) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}

// Dates of the API count from the clock that was given.
func TestClient_clock(t *testing.T) {
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	s := modeltest.NewServer(t, modeltest.Anthropic, modeltest.Raw("429\nRetry-After: "+now.Add(90*time.Second).Format(http.TimeFormat)+
		"\nContent-Type: application/json\n\n"+`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`))
	c := newClient(t, anthropic.Options{APIKey: modeltest.APIKey, BaseURL: s.BaseURL, Now: func() time.Time { return now }})
	_, err := model.Collect(c.Stream(t.Context(), hello()))
	var e *model.Error
	if !errors.As(err, &e) || e.RetryAfter != 90*time.Second {
		t.Errorf("got %+v", err)
	}
}
