package modeltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

// onRequest changes the context or a copy of the request.
func onRequest(change func(ctx context.Context, req *model.Request) context.Context) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
			other := *req
			return m.Stream(change(ctx, &other), &other)
		})
	}
}

// Each adapter here breaks one rule, and the check of
// that name must see it.
func TestRun_seesBrokenAdapters_RT23(t *testing.T) {
	sleepless := func(context.Context, time.Duration) error { return nil }
	plain := func(text string) func(*model.Error) error {
		return func(*model.Error) error { return errors.New(text) }
	}
	for _, tc := range []struct {
		broken, check, says string
		wrap                func(m model.Model) model.Model
	}{
		{"loses a part of the deltas", "text", "the deltas say", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Text != "!" })
		}},
		{"loses a part of the thinking", "thinking", "the deltas think", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Thinking == "" })
		}},
		{"begins no call", "tool", "begins as the call \"\"", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.ToolUse == nil })
		}},
		{"loses a part of the input", "tool", "the input in pieces", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Input != "}" })
		}},
		{"counts blocks from one", "text", "belongs to block 1, and there are 1", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { e.Block++; return e, err, true })
		}},
		{"sends no message at the end", "text", "neither a message nor an error", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) { return e, err, e.Message == nil })
		}},
		{"counts other tokens", "text", "the message differs", onFinal(func(m *model.Message) { m.Usage.OutputTokens++ })},
		{"loses cache counts", "cache", "the message differs", onFinal(func(m *model.Message) { m.Usage.CacheReadInputTokens = 0 })},
		{"says another reason", "stop-unknown", "the message differs", onFinal(func(m *model.Message) { m.StopReason = model.StopEndTurn })},
		{"answers as a user", "text", "role is \"user\"", onFinal(func(m *model.Message) { m.Role = model.RoleUser })},
		{"loses signatures", "thinking", "the message differs", onFinal(func(m *model.Message) { m.Content[0].Signature = "" })},
		{"drops unknown blocks", "unknown-block", "the message differs", onFinal(func(m *model.Message) { m.Content = m.Content[len(m.Content)-1:] })},
		{"mends a bad input", "tool-bad-input", "the message differs", onFinal(func(m *model.Message) { m.Content[0].Input = []byte(`{}`) })},
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
		{"leaves the system prompt out", "text", "request.system", onRequest(func(ctx context.Context, req *model.Request) context.Context {
			req.System = ""
			return ctx
		})},
		{"asks for no cache", "cache", "cache_control", onRequest(func(ctx context.Context, req *model.Request) context.Context {
			req.Cache = false
			return ctx
		})},
		{"sends another key", "text", "the key is not sent", func(model.Model) model.Model { return nil }},
		{"tries again by itself", "error-429", "was asked 2 times", func(m model.Model) model.Model {
			return model.Retry(m, model.RetryOptions{MaxAttempts: 2, MaxRetryAfter: time.Minute, Sleep: sleepless})
		}},
		{"ignores how long to wait", "error-429", "RetryAfter is 0s, want 7s", onError(func(e *model.Error) error { e.RetryAfter = 0; return e })},
		{"takes a used-up allowance for haste", "error-usage-limit", "kind is rate_limited", onError(func(e *model.Error) error { e.Kind = model.KindRateLimited; return e })},
		{"loses when the allowance is back", "error-usage-limit", "ResetAt is", onError(func(e *model.Error) error { e.ResetAt = time.Time{}; return e })},
		{"loses the request id", "error-529", "request id", onError(func(e *model.Error) error { e.RequestID = ""; return e })},
		{"loses the status", "error-529", "status is 0", onError(func(e *model.Error) error { e.Status = 0; return e })},
		{"loses the text", "error-529", "says", onError(func(e *model.Error) error { e.Message = ""; return e })},
		{"gives plain errors", "error-500", "no *model.Error", onError(plain("boom"))},
		{"shows the key", "error-401", "shows the API key", onError(func(e *model.Error) error { e.Message += APIKey; return e })},
		{"takes a cut stream for an answer", "cut-before-stop", "want an error of kind incomplete", func(m model.Model) model.Model {
			return each(m, func(e model.Event, err error) (model.Event, error, bool) {
				if p := model.PartialOf(err); p != nil {
					return model.Event{Message: p}, nil, true
				}
				return e, err, true
			})
		}},
		{"loses what had come", "cut-in-text", "the error has no Partial", onError(func(e *model.Error) error { e.Partial = nil; return e })},
		{"says why a cut answer stopped", "cut-in-text", "has the stop reason", onError(func(e *model.Error) error {
			p := *e.Partial
			p.StopReason = model.StopEndTurn
			e.Partial = &p
			return e
		})},
		{"keeps half a call", "cut-in-tool", "Partial differs", onError(func(e *model.Error) error {
			p := *e.Partial
			p.Content = append(p.Content, model.Block{Type: model.BlockToolUse})
			e.Partial = &p
			return e
		})},
		{"hides why the connection failed", "refused connection", "keeps its cause", onError(func(e *model.Error) error { e.Err = nil; return e })},
		{"asks before anybody listens", "nothing is sent before the range", "1 requests before", func(m model.Model) model.Model {
			return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
				msg, err := model.Collect(m.Stream(ctx, req))
				return func(yield func(model.Event, error) bool) { yield(model.Event{Message: msg}, err) }
			})
		}},
		{"does not see an ended context", "ended context sends nothing", "want an error of kind aborted", withoutCancel},
		{"loses the cause", "ended context sends nothing", "the cause is lost", onError(func(e *model.Error) error { e.Err = nil; return e })},
		{"does not hear an abort", "abort in the middle", "", withoutCancel},
		{"takes an abort for a failure", "abort in the middle", "kind is network, want aborted", onError(func(e *model.Error) error { e.Kind = model.KindNetwork; return e })},
		{"does not hear an abort while it waits", "abort before the answer", "", withoutCancel},
		{"does not hear a deadline", "deadline", "", withoutCancel},
		{"reads on after a break", "early break", "", func(m model.Model) model.Model {
			return streamFunc(func(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
				return func(yield func(model.Event, error) bool) {
					next, stop := iter.Pull2(m.Stream(ctx, req))
					t.Cleanup(stop) // long after the break
					for e, err, ok := next(); ok && yield(e, err); e, err, ok = next() {
					}
				}
			})
		}},
		{"mixes calls up", "calls at once", "calls at once", func(m model.Model) model.Model {
			var once sync.Once
			return each(m, func(e model.Event, err error) (model.Event, error, bool) {
				once.Do(func() { err = errors.New("mixed up") })
				return e, err, true
			})
		}},
	} {
		t.Run(tc.broken, func(t *testing.T) {
			a := Adapter{Name: "broken", API: Anthropic, New: func(baseURL string) model.Model {
				if m := tc.wrap(good(baseURL)); m != nil {
					return m
				}
				return made(anthropic.Options{BaseURL: baseURL, APIKey: "sk-another-key"})
			}}
			if tc.says == "" { // it hangs
				a.patience = 300 * time.Millisecond
			}
			found := failuresOf(t, tc.check, a)
			if len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), tc.says) {
				t.Errorf("the check %q says %q, want %q", tc.check, found, tc.says)
			}
		})
	}
}

// withoutCancel does not hear its caller, but ends with the server.
func withoutCancel(m model.Model) model.Model {
	return onRequest(func(ctx context.Context, _ *model.Request) context.Context { return context.WithoutCancel(ctx) })(m)
}

func TestRun_good(t *testing.T) {
	Run(t, Adapter{Name: "good", API: Anthropic, New: good, Idle: func(baseURL string, d time.Duration) model.Model {
		return made(anthropic.Options{BaseURL: baseURL, APIKey: APIKey, IdleTimeout: d})
	}})
}

func TestRun_silence(t *testing.T) {
	a := Adapter{Name: "broken", API: Anthropic, New: good, patience: 300 * time.Millisecond, Idle: func(baseURL string, _ time.Duration) model.Model { return good(baseURL) }}
	if found := failuresOf(t, "silence", a); len(found) == 0 {
		t.Error("an adapter that waits forever passes")
	}
}
