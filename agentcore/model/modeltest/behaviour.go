package modeltest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// behaviours are the rules that are about the caller's side.
func behaviours() []check {
	return []check{
		{name: "refused connection", run: checkRefused},
		{name: "nothing is sent before the range", run: checkLazy},
		{name: "early break", run: checkBreak},
		{name: "ended context sends nothing", run: checkEnded},
		{name: "abort before the answer", run: checkAbortMute},
		{name: "abort in the middle", run: checkAbort},
		{name: "deadline", run: checkDeadline},
		{name: "silence", run: checkSilence, idle: true},
		{name: "calls at once", run: checkConcurrent},
	}
}

func hello() *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: []model.Block{model.Text("Hello")}}}}
}

const greeting = "Hello there, dear reader."

// begun is a stream that stops after the first piece of the greeting.
func begun(api API) Reply {
	var text strings.Builder
	text.WriteString("200\n\n")
	for _, event := range encode(api, &model.Message{Content: []model.Block{model.Text(greeting)}}) {
		text.WriteString(event)
		if strings.Contains(event, pieces(greeting)[0]) {
			break
		}
	}
	return Raw(text.String() + "@hang\n")
}

func (h *heard) expect(t tester, kind model.Kind) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(h.err, &e) {
		t.Fatalf("want an error of kind %s, got %+v, %v", kind, h.final, h.err)
	}
	if e.Kind != kind {
		t.Errorf("the error's kind is %s, want %s: %v", e.Kind, kind, e)
	}
	return e
}

func checkRefused(t tester, a Adapter) {
	s, m, ctx := start(t, a)
	s.Close()
	e := listen(t, m.Stream(ctx, hello())).expect(t, model.KindNetwork)
	if e.Err == nil || !e.Retryable() {
		t.Errorf("a refused connection keeps its cause and may be tried again: %+v", e)
	}
}

func checkLazy(t tester, a Adapter) {
	s, m, ctx := start(t, a, Answer(&model.Message{Content: []model.Block{model.Text("x")}}))
	stream := m.Stream(ctx, hello())
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests before anybody listens", n)
	}
	if h := listen(t, stream); h.err != nil || len(s.Requests()) != 1 {
		t.Errorf("%d requests, %v", len(s.Requests()), h.err)
	}
}

func checkBreak(t tester, a Adapter) {
	s, m, ctx := start(t, a, begun(a.API))
	for event, err := range m.Stream(ctx, hello()) {
		if err != nil {
			t.Fatalf("%v", err)
		}
		if event.Text != "" {
			break
		}
	}
	s.waitGone(ctx, t)
}

func checkEnded(t tester, a Adapter) {
	s, m, ctx := start(t, a, Answer(&model.Message{Content: []model.Block{model.Text("x")}}))
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	e := listen(t, m.Stream(ended, hello())).expect(t, model.KindAborted)
	if !errors.Is(e, cause) {
		t.Errorf("the cause is lost: %v", e)
	}
	if n := len(s.Requests()); n != 0 {
		t.Errorf("%d requests with a context that had ended", n)
	}
}

func checkAbortMute(t tester, a Adapter) {
	s, m, ctx := start(t, a, Mute())
	cause := errors.New("enough")
	running, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	asked := s.Changed()
	watch.Go(func() {
		select {
		case <-asked:
		case <-ctx.Done():
		}
		cancel(cause)
	})
	e := listen(t, m.Stream(running, hello())).expect(t, model.KindAborted)
	if !errors.Is(e, cause) {
		t.Errorf("the cause is lost: %v", e)
	}
	if e.Partial != nil {
		t.Errorf("nothing had come, but Partial is %+v", e.Partial)
	}
	s.waitGone(ctx, t)
}

func checkAbort(t tester, a Adapter) {
	s, m, ctx := start(t, a, begun(a.API))
	cause := errors.New("enough")
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stream := m.Stream(running, hello())
	e := listen(t, func(yield func(model.Event, error) bool) {
		for event, err := range stream {
			if event.Text != "" {
				cancel(cause)
			}
			if !yield(event, err) {
				return
			}
		}
	}).expect(t, model.KindAborted)
	if !errors.Is(e, cause) {
		t.Errorf("the cause is lost: %v", e)
	}
	if e.Retryable() {
		t.Errorf("an aborted call is not tried again")
	}
	s.waitGone(ctx, t)
}

func checkDeadline(t tester, a Adapter) {
	_, m, ctx := start(t, a, begun(a.API))
	running, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	e := listen(t, m.Stream(running, hello())).expect(t, model.KindAborted)
	if !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("the cause is lost: %v", e)
	}
}

// checkSilence lets an answer begin and then nothing come, not even a ping.
func checkSilence(t tester, a Adapter) {
	s, _, ctx := start(t, a, begun(a.API))
	e := listen(t, a.Idle(s.BaseURL, 50*time.Millisecond).Stream(ctx, hello())).expect(t, model.KindIncomplete)
	if ctx.Err() != nil || e.Partial == nil || !e.Retryable() {
		t.Errorf("silence may be tried again, and keeps what had come: %+v", e)
	}
	s.waitGone(ctx, t)
}

func checkConcurrent(t tester, a Adapter) {
	const calls = 4
	var replies []Reply
	for range calls {
		replies = append(replies, Answer(&model.Message{Content: []model.Block{model.Text(greeting)}}))
	}
	_, m, ctx := start(t, a, replies...)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			msg, err := model.Collect(m.Stream(ctx, hello()))
			if err != nil || msg.FinalText() != greeting {
				t.Errorf("one of %d calls at once: %+v, %v", calls, msg, err)
			}
		})
	}
	all.Wait()
}

// waitGone waits until the server has seen the client leave by itself.
func (s *Server) waitGone(ctx context.Context, t tester) {
	t.Helper()
	for {
		changed := s.Changed()
		if s.Gone() > 0 && ctx.Err() == nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatalf("the connection is still open: the request has to end with the range or its context")
		}
	}
}
