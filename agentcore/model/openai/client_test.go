package openai_test

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
	"github.com/stophook/stophook/agentcore/model/modeltest"
	"github.com/stophook/stophook/agentcore/model/openai"
)

func hello() *model.Request {
	return &model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}}}
}

func answer() modeltest.Reply {
	return modeltest.Answer(&model.Message{Content: []model.Block{model.Text("Hi")}})
}

func TestNew_refuses(t *testing.T) {
	for _, tt := range []struct {
		options openai.Options
		want    string
	}{
		{openai.Options{}, "no key"},
		{openai.Options{APIKey: "k", API: "assistants"}, `"assistants"`},
		{openai.Options{APIKey: "k", BaseURL: "api.invalid"}, "no address"},
		{openai.Options{APIKey: "k", BaseURL: "ftp://api.invalid"}, "no address"},
	} {
		if c, err := openai.New(tt.options); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, %v", tt.options, c, err)
		}
	}
}

// The SDK's own client reads keys, addresses and headers from the environment.
// Nothing of that reaches the API.
func TestClient_readsNoEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-from-the-environment", "OPENAI_ADMIN_KEY": "admin-from-the-environment", "OPENAI_ORG_ID": "org-environment",
		"OPENAI_PROJECT_ID": "project-environment", "OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_CUSTOM_HEADERS": "X-Env: yes",
	} {
		t.Setenv(name, value)
	}
	s := modeltest.NewServer(t, modeltest.Responses, answer(), answer())
	for _, o := range []openai.Options{
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

func TestClient_headersAndPaths(t *testing.T) {
	for api, test := range map[openai.API]modeltest.API{openai.Responses: modeltest.Responses, openai.Chat: modeltest.Chat} {
		s := modeltest.NewServer(t, test, answer())
		c := newClient(t, openai.Options{
			API: api, APIKey: modeltest.APIKey, BaseURL: s.BaseURL + "/", Organization: "org-1", Project: "proj-1",
			Headers: http.Header{"Api-Key": {"another"}, "User-Agent": {"stophook/1"}, "X-Two": {"1", "2"}},
		})
		if _, err := model.Collect(c.Stream(t.Context(), hello())); err != nil {
			t.Fatal(err)
		}
		r := s.Requests()[0]
		for name, want := range map[string]string{
			"Authorization": "Bearer " + modeltest.APIKey, "Api-Key": "another", "Openai-Organization": "org-1", "Openai-Project": "proj-1",
			"User-Agent": "stophook/1", "X-Two": "1,2", "Content-Type": "application/json", "Accept": "text/event-stream",
		} {
			if got := strings.Join(r.Header.Values(name), ","); got != want {
				t.Errorf("%s: %s is %q, want %q", api, name, got, want)
			}
		}
		if want := map[openai.API]string{openai.Responses: "/v1/responses", openai.Chat: "/v1/chat/completions"}[api]; r.Path != want {
			t.Errorf("path %q, want %q", r.Path, want)
		}
	}
}

// The path of a server that is not at the root, as of gateways.
func TestClient_pathBelowARoot(t *testing.T) {
	var asked string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		http.Error(w, "no", http.StatusTeapot)
	}))
	defer gateway.Close()
	c := newClient(t, openai.Options{API: openai.Chat, BaseURL: gateway.URL + "/openai/deployments/x", APIKey: "key"})
	if _, err := model.Collect(c.Stream(t.Context(), hello())); err == nil || asked != "/openai/deployments/x/chat/completions" {
		t.Errorf("asked %s, %v", asked, err)
	}
}

// The key is in no error, whoever quotes it, and neither is it in what an error
// is made of.
func TestClient_keyInNoError_RT24(t *testing.T) {
	const key = "very-secret-key-of-no-known-form"
	quoting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", r.Header.Get("X-Other"))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","message":"bad key ` + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + `"}}`))
	}))
	defer quoting.Close()
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/"+key, http.StatusTemporaryRedirect)
	}))
	defer redirecting.Close()
	for name, base := range map[string]string{"quoted": quoting.URL, "redirect": redirecting.URL, "refused": "http://user:" + key + "@127.0.0.1:1/" + key} {
		c := newClient(t, openai.Options{APIKey: key, BaseURL: base, Headers: http.Header{"X-Other": {"another-" + key}}})
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
	for _, status := range []int{408, 409, 429, 500, 503} {
		s := modeltest.NewServer(t, modeltest.Chat, modeltest.Fail(status, "x", "y"))
		_, err := model.Collect(newClient(t, openai.Options{API: openai.Chat, APIKey: modeltest.APIKey, BaseURL: s.BaseURL}).Stream(t.Context(), hello()))
		var e *model.Error
		if !errors.As(err, &e) || e.Status != status || len(s.Requests()) != 1 {
			t.Errorf("%d: %d requests, %v", status, len(s.Requests()), err)
		}
	}
}

func TestClient_silence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, openai.Options{APIKey: "key", HTTPClient: &http.Client{Transport: mute{}}})
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
