package modeltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/anthropic"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// good is an adapter that is right. The broken ones are wrapped around it.
func good(baseURL string) model.Model {
	return made(anthropic.Options{BaseURL: baseURL, APIKey: APIKey})
}

func made(o anthropic.Options) model.Model {
	o.Model, o.Thinking = "claude-test-1", anthropic.ThinkingBudget
	client, err := anthropic.New(o)
	if err != nil {
		panic(err)
	}
	return client
}

// recorder is a tester that only notes what fails.
type recorder struct {
	ctx      context.Context
	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.ctx }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failuresOf runs one check and gives what it found wrong.
func failuresOf(t *testing.T, name string, a Adapter) []string {
	t.Helper()
	checks, err := checksOf(a.API)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if c.name != name {
			continue
		}
		r := &recorder{ctx: t.Context()}
		var done sync.WaitGroup
		done.Go(func() {
			defer func() {
				for i := len(r.cleanups) - 1; i >= 0; i-- {
					r.cleanups[i]()
				}
			}()
			c.run(r, a)
		})
		done.Wait()
		return r.failures
	}
	t.Fatalf("there is no check %q", name)
	return nil
}

type streamFunc func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error]

func (f streamFunc) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return f(ctx, req)
}

// each passes events through change, which gives what to yield in their place.
func each(m model.Model, change func(model.Event, error) (model.Event, error, bool)) model.Model {
	return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
		return func(yield func(model.Event, error) bool) {
			for event, err := range m.Stream(ctx, req) {
				event, err, ok := change(event, err)
				if ok && !yield(event, err) {
					return
				}
			}
		}
	})
}

// onError changes errors only.
func onError(change func(e *model.Error) error) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return each(m, func(event model.Event, err error) (model.Event, error, bool) {
			var e *model.Error
			if errors.As(err, &e) {
				copied := *e
				return event, change(&copied), true
			}
			return event, err, true
		})
	}
}

// onFinal changes final messages only.
func onFinal(change func(m *model.Message)) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return each(m, func(event model.Event, err error) (model.Event, error, bool) {
			if event.Message != nil {
				change(event.Message)
			}
			return event, err, true
		})
	}
}

func wrongKey(baseURL string) model.Model {
	return made(anthropic.Options{BaseURL: baseURL, APIKey: "sk-other"})
}

// Each adapter here breaks one rule, and the check of that name must see it.
func TestRun_seesBrokenAdapters(t *testing.T) {
	for _, tc := range []struct {
		broken, check, says string
		wrap                func(m model.Model) model.Model
	}{
		{"loses a part of the deltas", "text", "the deltas say", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Text != "!" })
		}},
		{"sends no message at the end", "text", "neither a message nor an error", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Message == nil })
		}},
		{"counts other tokens", "text", "the message differs", onFinal(func(m *model.Message) { m.Usage.OutputTokens++ })},
		{"says another reason", "text", "the message differs", onFinal(func(m *model.Message) { m.StopReason = "stop" })},
		{"goes on after the end", "text", "goes on after its end", func(m model.Model) model.Model {
			return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
				return func(yield func(model.Event, error) bool) {
					for e, err := range m.Stream(ctx, req) {
						if !yield(e, err) || e.Message != nil && !yield(e, err) {
							return
						}
					}
				}
			})
		}},
		{"changes the request", "text", "changed the request", func(m model.Model) model.Model {
			return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
				stream := m.Stream(ctx, req)
				return func(yield func(model.Event, error) bool) {
					stream(yield)
					req.System = "changed"
				}
			})
		}},
		{"leaves the system prompt out", "text", "request.system", func(m model.Model) model.Model {
			return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
				other := *req
				other.System = ""
				return m.Stream(ctx, &other)
			})
		}},
		{"tries again by itself", "error-429", "was asked 2 times", func(m model.Model) model.Model {
			return model.Retry(m, model.RetryOptions{MaxAttempts: 2, Sleep: func(context.Context, time.Duration) error { return nil }})
		}},
	} {
		t.Run(tc.broken, func(t *testing.T) {
			a := Adapter{Name: "broken", API: Anthropic, New: func(baseURL string) model.Model { return tc.wrap(good(baseURL)) }}
			found := strings.Join(failuresOf(t, tc.check, a), "\n")
			if !strings.Contains(found, tc.says) {
				t.Errorf("the check %q says %q, want %q", tc.check, found, tc.says)
			}
		})
	}
}

func TestRun_good(t *testing.T) {
	Run(t, Adapter{Name: "good", API: Anthropic, New: good})
}

var _ = http.StatusOK
