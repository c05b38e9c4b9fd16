package openai_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/modeltest"
	"github.com/stophook/stophook/agentcore/model/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance_RT20_RT23(t *testing.T) {
	for _, api := range []struct {
		api  openai.API
		test modeltest.API
	}{{openai.Responses, modeltest.Responses}, {openai.Chat, modeltest.Chat}} {
		t.Run(string(api.api), func(t *testing.T) {
			idle := func(baseURL string, d time.Duration) model.Model {
				return newClient(t, openai.Options{
					API: api.api, APIKey: modeltest.APIKey, BaseURL: baseURL, Model: "test-model", IdleTimeout: d,
				})
			}
			modeltest.Run(t, modeltest.Adapter{
				Name: "openai",
				API:  api.test,
				New:  func(baseURL string) model.Model { return idle(baseURL, 0) },
				Idle: idle,
			})
		})
	}
}

// newClient makes a client that lets its connections go at the end of the test.
func newClient(t testing.TB, o openai.Options) *openai.Client {
	t.Helper()
	c, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
