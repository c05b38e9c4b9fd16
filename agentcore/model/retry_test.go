package model_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

func prompt() *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("go")}}}}
}

// sleeper notes the waits and takes no time.
type sleeper struct{ waits []time.Duration }

func (s *sleeper) sleep(_ context.Context, d time.Duration) error {
	s.waits = append(s.waits, d)
	return nil
}

func failing(kind model.Kind) scripted.Step {
	return scripted.Step{Error: &scripted.Failure{Kind: kind, Message: "no"}}
}

// most is the upper bound of the jitter.
func most() float64 { return 1 }

// The waits double up to their bound, times what the jitter says.
func TestRetry_backoff_RT21(t *testing.T) {
	for _, tc := range []struct {
		reason string
		opts   model.RetryOptions
		fails  int
		want   []time.Duration
	}{
		{"as documented", model.RetryOptions{}, 4, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}},
		{"bounded", model.RetryOptions{Base: time.Second, MaxBackoff: 3 * time.Second}, 4, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}},
		{"base over bound", model.RetryOptions{Base: time.Hour, MaxBackoff: time.Minute}, 2, []time.Duration{time.Minute, time.Minute}},
		{"half", model.RetryOptions{Jitter: func() float64 { return 0.5 }}, 2, []time.Duration{time.Second / 2, time.Second}},
		{"none", model.RetryOptions{Jitter: func() float64 { return 0 }}, 2, []time.Duration{0, 0}},
		{"no failure", model.RetryOptions{}, 0, nil},
		{"very often", model.RetryOptions{MaxAttempts: 100, MaxBackoff: time.Second}, 99, nil},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var steps []scripted.Step
			for range tc.fails {
				steps = append(steps, failing(model.KindServer))
			}
			s := &sleeper{}
			tc.opts.Sleep = s.sleep
			if tc.opts.Jitter == nil {
				tc.opts.Jitter = most
			}
			msg, err := model.Collect(model.Retry(scripted.Play(append(steps, scripted.Step{Text: "ok"})...), tc.opts).Stream(t.Context(), prompt()))
			if err != nil || msg.FinalText() != "ok" {
				t.Fatalf("%v, %v", msg, err)
			}
			if tc.want != nil || tc.fails == 0 {
				if diff := cmp.Diff(tc.want, s.waits); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
			if len(s.waits) != tc.fails {
				t.Errorf("%d waits for %d failures", len(s.waits), tc.fails)
			}
		})
	}
}

func TestRetry_givesUp(t *testing.T) {
	s := &sleeper{}
	m := scripted.Play(failing(model.KindServer), failing(model.KindOverloaded), failing(model.KindNetwork), scripted.Step{Text: "too late"})
	_, err := model.Collect(model.Retry(m, model.RetryOptions{MaxAttempts: 3, Sleep: s.sleep}).Stream(t.Context(), prompt()))
	var e *model.Error
	if !errors.As(err, &e) || e.Kind != model.KindNetwork || e.Attempts != 3 || len(s.waits) != 2 {
		t.Errorf("got %+v after %v", err, s.waits)
	}
	if want := "model: network: no (tried 3 times)"; e.Error() != want {
		t.Errorf("says %q, want %q", e, want)
	}
	m = scripted.Play(failing(model.KindServer), scripted.Step{Text: "too late"})
	if _, err := model.Collect(model.Retry(m, model.RetryOptions{MaxAttempts: 1, Sleep: s.sleep}).Stream(t.Context(), prompt())); err == nil || len(s.waits) != 2 {
		t.Errorf("one attempt is one: %v, %v", err, s.waits)
	}
}

func TestRetry_onlyWhatCanHelp_RT21(t *testing.T) {
	for kind, again := range map[model.Kind]bool{
		model.KindRateLimited: true, model.KindOverloaded: true, model.KindServer: true, model.KindNetwork: true, model.KindIncomplete: true,
		model.KindUsageLimit: false, model.KindAuth: false, model.KindInvalid: false, model.KindContextTooLong: false,
	} {
		s := &sleeper{}
		m := scripted.Play(failing(kind), scripted.Step{Text: "ok"})
		_, err := model.Collect(model.Retry(m, model.RetryOptions{Sleep: s.sleep}).Stream(t.Context(), prompt()))
		if (err == nil) != again || (len(s.waits) == 1) != again {
			t.Errorf("%s: %v, waited %v", kind, err, s.waits)
		}
		if !again && len(m.Requests()) != 1 {
			t.Errorf("%s: asked %d times", kind, len(m.Requests()))
		}
	}
}

func TestRetry_retryAfter_RT21(t *testing.T) {
	after := func(d time.Duration) scripted.Step {
		return scripted.Step{Error: &scripted.Failure{Kind: model.KindRateLimited, Message: "too fast", RetryAfter: d}}
	}
	s := &sleeper{}
	m := scripted.Play(after(20*time.Second), after(time.Millisecond), scripted.Step{Text: "ok"})
	if _, err := model.Collect(model.Retry(m, model.RetryOptions{Sleep: s.sleep, Jitter: most}).Stream(t.Context(), prompt())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]time.Duration{20 * time.Second, 2 * time.Second}, s.waits); diff != "" {
		t.Errorf("never shorter than asked (-want +got):\n%s", diff)
	}

	m = scripted.Play(after(time.Hour), scripted.Step{Text: "too late"})
	_, err := model.Collect(model.Retry(m, model.RetryOptions{Sleep: s.sleep}).Stream(t.Context(), prompt()))
	var wait *model.WaitError
	if !errors.As(err, &wait) || *wait != (model.WaitError{Asked: time.Hour, Max: model.DefaultMaxRetryAfter}) || len(s.waits) != 2 {
		t.Errorf("got %v, waited %v", err, s.waits)
	}
	var e *model.Error
	if !errors.As(err, &e) || e.RetryAfter != time.Hour || !strings.Contains(e.Error(), "too fast: the API asks to wait 1h0m0s, more than the 2m0s allowed") {
		t.Errorf("got %v", err)
	}
}

// What was shown of a broken answer is void, and says so, with what it cost.
func TestRetry_restarts_RT8(t *testing.T) {
	three := 3
	m := scripted.Play(scripted.Step{Text: "abcdef", Chunk: 1, Cut: &three}, failing(model.KindOverloaded), scripted.Step{Text: "whole", Chunk: 2})
	var got []string
	var usage model.Usage
	for event, err := range model.Retry(m, model.RetryOptions{Sleep: (&sleeper{}).sleep, Jitter: most}).Stream(t.Context(), prompt()) {
		switch {
		case err != nil:
			t.Fatal(err)
		case event.Restart != nil:
			r := event.Restart
			got = append(got, "restart "+r.Wait.String()+" "+string(r.Err.Kind))
			if r.Attempt == 2 && r.Err.Partial.FinalText() != "abc" {
				t.Errorf("partial is %+v", r.Err.Partial)
			}
			if r.Err.Partial != nil {
				usage = usage.Add(*r.Err.Partial.Usage)
			}
		case event.Message != nil:
			got = append(got, "final "+event.Message.FinalText())
			usage = usage.Add(*event.Message.Usage)
		default:
			got = append(got, event.Text)
		}
	}
	want := []string{"a", "b", "c", "restart 1s incomplete", "restart 2s overloaded", "wh", "ol", "e", "final whole"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if usage != (model.Usage{InputTokens: 200, OutputTokens: 21}) {
		t.Errorf("usage of all attempts is %+v", usage)
	}
}

func TestRetry_aborts(t *testing.T) {
	cause := errors.New("enough")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		m := scripted.Play(failing(model.KindServer), scripted.Step{Text: "too late"})
		time.AfterFunc(time.Second/2, func() { cancel(cause) })
		start := time.Now()
		_, err := model.Collect(model.Retry(m, model.RetryOptions{Jitter: most}).Stream(ctx, prompt()))
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.KindAborted || !errors.Is(err, cause) || e.Attempts != 1 || time.Since(start) != time.Second/2 {
			t.Errorf("in the wait: %v after %v", err, time.Since(start))
		}
		if len(m.Requests()) != 1 {
			t.Errorf("asked %d times", len(m.Requests()))
		}

		_, err = model.Collect(model.Retry(m, model.RetryOptions{}).Stream(ctx, prompt()))
		if !errors.Is(err, cause) || len(m.Requests()) != 1 {
			t.Errorf("ended before: %v, asked %d times", err, len(m.Requests()))
		}

		// A call that fails because its context ended is not tried again.
		ctx, cancel = context.WithCancelCause(t.Context())
		m = scripted.Play(scripted.Step{Text: "abc", Chunk: 1, Pause: time.Hour}, scripted.Step{Text: "too late"})
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		_, err = model.Collect(model.Retry(m, model.RetryOptions{}).Stream(ctx, prompt()))
		if !errors.Is(err, cause) || model.PartialOf(err).FinalText() != "a" {
			t.Errorf("in the answer: %v", err)
		}
	})
	// A Sleep of the caller's may end for its own reason.
	own := errors.New("shutting down")
	_, err := model.Collect(model.Retry(scripted.Play(failing(model.KindServer)), model.RetryOptions{
		Sleep: func(context.Context, time.Duration) error { return own },
	}).Stream(t.Context(), prompt()))
	if !errors.Is(err, own) {
		t.Errorf("got %v", err)
	}
}

// Without an injected Sleep the waits are real ones, and a wait of nothing arms
// no timer.
func TestRetry_sleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		steps := []scripted.Step{failing(model.KindServer), failing(model.KindServer), {Text: "ok"}}
		if _, err := model.Collect(model.Retry(scripted.Play(steps...), model.RetryOptions{Jitter: most}).Stream(t.Context(), prompt())); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
		if _, err := model.Collect(model.Retry(scripted.Play(steps...), model.RetryOptions{Jitter: func() float64 { return 0 }}).Stream(t.Context(), prompt())); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// bare is a model that breaks the contract.
type bare func(yield func(model.Event, error) bool)

func (b bare) Stream(context.Context, *model.Request) iter.Seq2[model.Event, error] {
	return iter.Seq2[model.Event, error](b)
}

func TestRetry_wrongModels_RT20(t *testing.T) {
	plain := errors.New("boom")
	for _, tc := range []struct {
		reason string
		m      bare
		kind   model.Kind
	}{
		{"no message", func(func(model.Event, error) bool) {}, model.KindIncomplete},
		{"a plain error", func(yield func(model.Event, error) bool) { yield(model.Event{}, plain) }, model.KindNetwork},
	} {
		_, err := model.Collect(model.Retry(tc.m, model.RetryOptions{MaxAttempts: 2, Sleep: (&sleeper{}).sleep}).Stream(t.Context(), prompt()))
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != tc.kind || e.Attempts != 2 {
			t.Errorf("%s: %v", tc.reason, err)
		}
	}
	shared := &model.Error{Kind: model.KindServer}
	m := bare(func(yield func(model.Event, error) bool) { yield(model.Event{}, shared) })
	if _, err := model.Collect(model.Retry(m, model.RetryOptions{MaxAttempts: 1}).Stream(t.Context(), prompt())); err == nil || shared.Attempts != 0 {
		t.Errorf("the model's own error was changed: %v", shared)
	}
	if _, err := model.Collect(bare(func(func(model.Event, error) bool) {}).Stream(t.Context(), nil)); err == nil {
		t.Error("Collect takes an empty stream for an answer")
	}
}

func TestRetry_leaves(t *testing.T) {
	m := scripted.Play(failing(model.KindServer), scripted.Step{Text: "abc"})
	slept := &sleeper{}
	for event := range model.Retry(m, model.RetryOptions{Sleep: slept.sleep}).Stream(t.Context(), prompt()) {
		if event.Restart != nil {
			break
		}
	}
	if len(m.Requests()) != 1 || slept.waits != nil {
		t.Errorf("asked %d times, waited %v, after nobody listened", len(m.Requests()), slept.waits)
	}
}

// For all options and failures: as many calls as allowed, waits within their
// bounds, one end.
func TestRetry_property(t *testing.T) {
	kinds := []model.Kind{model.KindRateLimited, model.KindServer, model.KindNetwork, model.KindUsageLimit, model.KindInvalid}
	rapid.Check(t, func(t *rapid.T) {
		o := model.RetryOptions{
			MaxAttempts: rapid.IntRange(1, 6).Draw(t, "attempts"), Base: time.Duration(rapid.IntRange(1, 5).Draw(t, "base")) * time.Second,
			MaxBackoff: 10 * time.Second, MaxRetryAfter: 20 * time.Second, Jitter: func() float64 { return rapid.Float64Range(0, 0.999).Draw(t, "jitter") },
		}
		s := &sleeper{}
		o.Sleep = s.sleep
		fails := rapid.IntRange(0, 7).Draw(t, "fails")
		var steps []scripted.Step
		calls, ok := 0, false // as expected
		var asked []time.Duration
		over := false
		for i := range fails + 1 {
			if i == fails {
				steps = append(steps, scripted.Step{Text: "ok"})
				if !over {
					calls, ok = calls+1, true
				}
				break
			}
			f := &scripted.Failure{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), RetryAfter: time.Duration(rapid.IntRange(0, 25).Draw(t, "after")) * time.Second}
			steps = append(steps, scripted.Step{Error: f})
			if over {
				continue
			}
			calls++
			asked = append(asked, f.RetryAfter)
			over = calls == o.MaxAttempts || !(&model.Error{Kind: f.Kind}).Retryable() || f.RetryAfter > o.MaxRetryAfter
		}
		m := scripted.Play(steps...)
		ends := 0
		var last error
		for event, err := range model.Retry(m, o).Stream(t.Context(), prompt()) {
			if last = err; err != nil || event.Message != nil {
				ends++
			}
		}
		if ends != 1 || (last == nil) != ok || len(m.Requests()) != calls || len(s.waits) != calls-1 {
			t.Fatalf("%d ends, %v, %d calls of %d, %d waits", ends, last, len(m.Requests()), calls, len(s.waits))
		}
		for i, wait := range s.waits {
			if wait < asked[i] || wait > max(asked[i], o.MaxBackoff, o.Base) {
				t.Fatalf("wait %d is %v, asked for %v", i, wait, asked[i])
			}
		}
	})
}
