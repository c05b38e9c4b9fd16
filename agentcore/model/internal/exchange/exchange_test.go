package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// words is an answer whose events are words; "end" is the last one.
type words struct{ text string }

func (w *words) Take(_ string, data []byte, emit func(model.Event) bool) (*model.Message, error) {
	switch word := string(data); word {
	case "end":
		return w.Partial(), nil
	case "bad":
		return nil, &model.Error{Kind: model.KindOverloaded, Message: "no room for key-123456"}
	default:
		w.text += word
		emit(model.Event{Text: word})
		return nil, nil
	}
}

func (w *words) Partial() *model.Message {
	if w.text == "" {
		return nil
	}
	return &model.Message{Content: []model.Block{model.Text(w.text)}}
}

// lines is a source with one event a line.
type lines struct {
	*bufio.Scanner
	io.Closer
}

func (l lines) Next() bool              { return l.Scan() }
func (l lines) Event() (string, []byte) { return "", l.Bytes() }

// transport answers requests with a function.
type transport func(*http.Request) (*http.Response, error)

// send makes the request as an SDK does: the middleware around the transport.
func (tr transport) send(ctx context.Context, around Middleware) (Source, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://api.invalid/", nil)
	if err != nil {
		return nil, err
	}
	res, err := around(req, tr)
	if err != nil || res == nil {
		return nil, err
	}
	return lines{bufio.NewScanner(res.Body), res.Body}, nil
}

// stream answers with a body that ends with the request, as those of net/http do.
func stream(body func(w io.Writer) error) transport {
	return func(req *http.Request) (*http.Response, error) {
		r, w := io.Pipe()
		stop := context.AfterFunc(req.Context(), func() { w.CloseWithError(req.Context().Err()) })
		go func() {
			w.CloseWithError(body(w))
			stop()
		}()
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: r, Request: req}, nil
	}
}

func write(texts ...string) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, s := range texts {
			if _, err := fmt.Fprintln(w, s); err != nil {
				return err
			}
		}
		return nil
	}
}

func refuse(status int, contentType, body string) transport {
	return func(req *http.Request) (*http.Response, error) {
		h := http.Header{}
		h.Set("Content-Type", contentType)
		h.Set("Location", "http://elsewhere.invalid/")
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	}
}

func (tr transport) exchange() Exchange {
	return Exchange{
		Send:    tr.send,
		Answer:  &words{},
		Secrets: []string{"key-123456", "short"},
		Explain: func(status int, body []byte, _ http.Header, _ time.Time) *model.Error {
			return &model.Error{Kind: model.KindServer, Status: status, Message: string(body)}
		},
	}
}

// run collects what an exchange yields.
func run(ctx context.Context, x Exchange) (texts []string, final *model.Message, err error) {
	for e, failed := range func(yield func(model.Event, error) bool) { x.Run(ctx, yield) } {
		if failed != nil {
			return texts, final, failed
		}
		if e.Message != nil {
			final = e.Message
		} else {
			texts = append(texts, e.Text)
		}
	}
	return texts, final, nil
}

func TestRun(t *testing.T) {
	refused := errors.New("connection refused for key-123456")
	for _, tt := range []struct {
		name      string
		transport transport
		kind      model.Kind // empty: a message
		message   string     // in the error
		partial   string
	}{
		{name: "whole", transport: stream(write("a", "b", "end", "c"))},
		{name: "cut", transport: stream(write("a", "b")), kind: model.KindIncomplete, partial: "ab"},
		{name: "nothing", transport: stream(write()), kind: model.KindNetwork, message: "before it began"},
		{name: "error inside", transport: stream(write("a", "bad")), kind: model.KindOverloaded, message: "no room for ***", partial: "a"},
		{name: "no connection", transport: func(*http.Request) (*http.Response, error) { return nil, refused }, kind: model.KindNetwork, message: "refused for ***"},
		{name: "no response", transport: func(*http.Request) (*http.Response, error) { return nil, nil }, kind: model.KindNetwork, message: "no body"},
		{name: "refused", transport: refuse(500, "", "short: key-123456 is broken"), kind: model.KindServer, message: "(HTTP 500): short: *** is broken"},
		{name: "an object in place of a stream", transport: refuse(200, "application/json; charset=utf-8", "{}"), kind: model.KindServer, message: "{}"},
		{name: "a page in place of a stream", transport: refuse(200, "text/html", "<html>"), kind: model.KindServer, message: "<html>"},
		{name: "redirect", transport: refuse(307, "", ""), kind: model.KindInvalid, message: "elsewhere"},
		{name: "no content", transport: refuse(204, "", ""), kind: model.KindServer},
		{name: "huge refusal", transport: refuse(500, "", strings.Repeat("x", 2*maxRefusal)), kind: model.KindServer},
	} {
		t.Run(tt.name, func(t *testing.T) {
			texts, final, err := run(t.Context(), tt.transport.exchange())
			if tt.kind == "" {
				if err != nil || final.FinalText() != "ab" || len(texts) != 2 {
					t.Fatalf("got %v, %v, %v", texts, final, err)
				}
				return
			}
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || final != nil {
				t.Fatalf("got %v and %v, want an error of kind %s", final, err, tt.kind)
			}
			if !strings.Contains(err.Error(), tt.message) || strings.Contains(err.Error(), "key-123456") {
				t.Errorf("the error says %q, want %q in it and no secret", err, tt.message)
			}
			if len(e.Message) > maxRefusal {
				t.Errorf("%d bytes of a refusal were read", len(e.Message))
			}
			if got := textOf(e.Partial); got != tt.partial {
				t.Errorf("what had come is %q, want %q", got, tt.partial)
			}
		})
	}
}

func textOf(m *model.Message) string {
	if m == nil {
		return ""
	}
	return m.FinalText()
}

func TestRun_silence(t *testing.T) {
	for _, tt := range []struct {
		name      string
		transport transport
		kind      model.Kind
		after     time.Duration
	}{
		{"before the answer", func(req *http.Request) (*http.Response, error) {
			<-req.Context().Done()
			return nil, req.Context().Err()
		}, model.KindNetwork, time.Minute},
		{"before the first event", stream(func(io.Writer) error { pass(time.Hour); return nil }), model.KindNetwork, time.Minute},
		{"in the middle", stream(func(w io.Writer) error {
			for range 5 {
				pass(59 * time.Second)
				fmt.Fprintln(w, "a")
			}
			pass(time.Hour)
			return nil
		}), model.KindIncomplete, 5*59*time.Second + time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := tt.transport.exchange()
				x.Idle = time.Minute
				start := time.Now()
				_, _, err := run(t.Context(), x)
				var e *model.Error
				if !errors.As(err, &e) || e.Kind != tt.kind || !errors.Is(err, ErrSilent) || !e.Retryable() {
					t.Errorf("got %v, want a failure of kind %s that may be tried again", err, tt.kind)
				}
				if got := time.Since(start); got != tt.after {
					t.Errorf("it took %v, want %v", got, tt.after)
				}
				pass(2 * time.Hour) // the bodies end
			})
		})
	}
}

// The time that a consumer takes with an event is no silence of the line.
func TestRun_slowConsumer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := stream(write("a", "b", "end")).exchange()
		x.Idle = time.Second
		var final *model.Message
		x.Run(t.Context(), func(e model.Event, err error) bool {
			if err != nil {
				t.Error(err)
			}
			pass(time.Hour)
			final = e.Message
			return true
		})
		if textOf(final) != "ab" {
			t.Errorf("got %+v", final)
		}
	})
}

func TestRun_neverTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := stream(func(w io.Writer) error {
			pass(24 * time.Hour)
			return write("ab", "end")(w)
		}).exchange()
		x.Idle = -1
		if _, final, err := run(t.Context(), x); textOf(final) != "ab" {
			t.Errorf("got %v, %v", final, err)
		}
	})
}

func TestRun_abort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cause := errors.New("the user pressed escape")
		ctx, cancel := context.WithCancelCause(t.Context())
		x := stream(func(w io.Writer) error {
			defer pass(time.Hour)
			return write("a")(w)
		}).exchange()
		time.AfterFunc(time.Second, func() { cancel(cause) })
		start := time.Now()
		_, _, err := run(ctx, x)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != model.KindAborted || !errors.Is(err, cause) || textOf(e.Partial) != "a" {
			t.Errorf("got %v, want an abort with its cause and what had come", err)
		}
		if time.Since(start) != time.Second {
			t.Errorf("the abort took until %v", time.Since(start))
		}
		if _, _, err := run(ctx, Exchange{}); !errors.Is(err, cause) {
			t.Errorf("an ended context asks: %v", err)
		}
		pass(2 * time.Hour)
	})
}

// Who leaves the range ends the request, and hears nothing more.
func TestRun_leave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		x := stream(func(w io.Writer) error {
			err := write("a", "b", "c")(w)
			ended = err != nil
			return err
		}).exchange()
		heard := 0
		x.Run(t.Context(), func(model.Event, error) bool { heard++; return false })
		synctest.Wait()
		if heard != 1 || !ended {
			t.Errorf("heard %d events after leaving at the first; the body was let go: %v", heard, ended)
		}
	})
}

// pass lets time pass, that of a bubble.
func pass(d time.Duration) { <-time.After(d) }
