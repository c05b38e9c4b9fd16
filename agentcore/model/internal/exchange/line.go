package exchange

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"
)

// ErrSilent is under the error of a line on which nothing came for too long.
var ErrSilent = errors.New("the line is silent")

// maxRefusal bounds what is read of an answer that is no stream, in bytes.
const maxRefusal = 1 << 20

// line is the connection of one exchange: it ends with the caller's context,
// after too long a silence, or when hung up.
type line struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	idle    time.Duration
	silence *time.Timer // runs while something is waited for; nil: wait forever

	header  http.Header // of the answer
	refusal *refusal
}

// refusal is an answer that is no stream of events.
type refusal struct {
	status int
	header http.Header
	body   []byte
}

func newLine(ctx context.Context, idle time.Duration) *line {
	l := &line{idle: idle}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	if idle > 0 {
		l.silence = time.AfterFunc(idle, func() { l.cancel(ErrSilent) })
	}
	return l
}

func (l *line) silent() bool { return errors.Is(context.Cause(l.ctx), ErrSilent) }

// hangUp ends the request. It may be called again.
func (l *line) hangUp() {
	l.stopWaiting()
	l.cancel(context.Canceled)
}

func (l *line) startWaiting() {
	if l.silence != nil {
		l.silence.Reset(l.idle)
	}
}

func (l *line) stopWaiting() {
	if l.silence != nil {
		l.silence.Stop()
	}
}

// around is the [Middleware] of the line. Answers that are no stream are kept
// whole, before the SDK makes an error of its own form out of them.
func (l *line) around(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	l.stopWaiting()
	if err != nil || res == nil {
		return res, err
	}
	l.header = res.Header
	if res.Body == nil {
		res.Body = http.NoBody
	}
	res.Body = &body{ReadCloser: res.Body, line: l}
	if isStream(res) {
		return res, nil
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	_ = res.Body.Close()
	if err != nil && len(content) == 0 && res.StatusCode < 300 {
		return nil, err
	}
	l.refusal = &refusal{res.StatusCode, res.Header, content}
	res.Body = http.NoBody
	return res, nil
}

// isStream tells whether the body is worth reading as events. Servers call
// theirs by several names; a page or an object is none.
func isStream(res *http.Response) bool {
	if res.StatusCode != http.StatusOK {
		return false
	}
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	return media != "application/json" && media != "text/html"
}

// body counts the silence while it is read, and not while the consumer works.
type body struct {
	io.ReadCloser
	line *line
}

func (b *body) Read(p []byte) (int, error) {
	b.line.startWaiting()
	defer b.line.stopWaiting()
	return b.ReadCloser.Read(p)
}
