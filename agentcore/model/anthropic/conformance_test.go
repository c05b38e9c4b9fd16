package anthropic_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
	"github.com/stophook/stophook/agentcore/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance_RT20_RT23(t *testing.T) {
	idle := func(baseURL string, d time.Duration) model.Model {
		return newClient(t, anthropic.Options{
			APIKey: modeltest.APIKey, BaseURL: baseURL, Model: "test-model", Thinking: anthropic.ThinkingBudget, IdleTimeout: d,
		})
	}
	modeltest.Run(t, modeltest.Adapter{
		Name: "anthropic",
		API:  modeltest.Anthropic,
		New:  func(baseURL string) model.Model { return idle(baseURL, 0) },
		Idle: idle,
	})
}

// newClient makes a client that lets its connections go at the end of the test.
func newClient(t testing.TB, o anthropic.Options) *anthropic.Client {
	t.Helper()
	c, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
