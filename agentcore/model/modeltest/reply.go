package modeltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// Reply is one answer of a [Server].
type Reply struct {
	mute    bool
	raw     string
	message *model.Message
	fail    *failure
}

type failure struct {
	status           int
	apiType, message string
	retryAfter       string
}

// Answer streams a message in the API's own events, every block in small pieces.
func Answer(m *model.Message) Reply { return Reply{message: m} }

// Fail answers with a failure as the API writes one. apiType is the API's word,
// as in overloaded_error or insufficient_quota.
func Fail(status int, apiType, message string) Reply {
	return Reply{fail: &failure{status: status, apiType: apiType, message: message}}
}

// After sets the header Retry-After of a [Fail].
func (r Reply) After(d time.Duration) Reply {
	if r.fail != nil {
		f := *r.fail
		f.retryAfter = strconv.FormatFloat(d.Seconds(), 'f', -1, 64)
		r.fail = &f
	}
	return r
}

// Mute answers nothing, not even a header, until the client leaves.
func Mute() Reply { return Reply{mute: true} }

// Raw answers with text: a status line ("200", or "HTTP/1.1 200 OK"), headers,
// an empty line and the body. Without a Content-Type it is an event stream. The
// body is sent event by event. Lines of it that begin with an @ are directives:
//
//	@crlf      line ends from here on are CRLF
//	@bytes N   from here on, pieces of N bytes
//	@wait D    a pause, as in 20ms
//	@cut       the connection breaks here
//	@hang      nothing more comes until the client leaves
//
// and {{pad N}} anywhere stands for N times the letter x.
func Raw(text string) Reply { return Reply{raw: expand(text)} }

// play writes the reply. It tells false when the client left before its end.
func (r Reply) play(w http.ResponseWriter, req *http.Request, api API, ending <-chan struct{}) bool {
	text := r.raw
	switch {
	case r.mute:
		select {
		case <-req.Context().Done():
		case <-ending:
		}
		return false
	case r.message != nil:
		text = "200\n\n" + strings.Join(encode(api, r.message), "")
	case r.fail != nil:
		text = r.fail.text(api)
	}
	head, body, _ := strings.Cut(strings.ReplaceAll(text, "\r\n", "\n"), "\n\n")
	lines := strings.Split(head, "\n")
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ":")
		w.Header().Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	w.WriteHeader(status(lines[0]))
	p := &player{w: w, out: http.NewResponseController(w), gone: req.Context().Done(), ending: ending, end: "\n"}
	return p.play(body)
}

func (f *failure) text(api API) string {
	var body []byte
	if api == Anthropic {
		body, _ = json.Marshal(map[string]any{"type": "error", "error": map[string]string{"type": f.apiType, "message": f.message}})
	} else {
		body, _ = json.Marshal(map[string]any{"error": map[string]any{"message": f.message, "type": f.apiType, "param": nil, "code": f.apiType}})
	}
	head := fmt.Sprintf("%d\nContent-Type: application/json\n", f.status)
	if f.retryAfter != "" {
		head += "Retry-After: " + f.retryAfter + "\n"
	}
	return head + "\n" + string(body) + "\n"
}

// status reads the first number of a status line.
func status(line string) int {
	for _, word := range strings.Fields(line) {
		if n, err := strconv.Atoi(word); err == nil {
			return n
		}
	}
	return http.StatusOK
}

// player sends one body.
type player struct {
	w            http.ResponseWriter
	out          *http.ResponseController
	gone, ending <-chan struct{}
	end          string
	piece        int // bytes at once; 0: an event
	pending      bytes.Buffer
}

func (p *player) play(body string) bool {
	for line := range strings.Lines(body) {
		line = strings.TrimSuffix(line, "\n")
		word, arg, _ := strings.Cut(line, " ")
		ok := true
		switch word {
		case "@crlf":
			p.end = "\r\n"
		case "@bytes":
			ok = p.flush()
			p.piece, _ = strconv.Atoi(arg)
		case "@wait":
			d, _ := time.ParseDuration(arg)
			ok = p.flush() && p.pause(d)
		case "@cut":
			p.flush()
			panic(http.ErrAbortHandler)
		case "@hang":
			p.flush()
			select {
			case <-p.gone:
			case <-p.ending:
			}
			return false
		default:
			p.pending.WriteString(line + p.end)
			if line == "" {
				ok = p.flush()
			}
		}
		if !ok {
			return false
		}
	}
	return p.flush()
}

func (p *player) flush() bool {
	for p.pending.Len() > 0 {
		n := p.pending.Len()
		if p.piece > 0 {
			n = min(n, p.piece)
		}
		if _, err := p.w.Write(p.pending.Next(n)); err != nil {
			return false
		}
		if p.out.Flush() != nil {
			return false
		}
	}
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

func (p *player) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-p.gone:
	case <-p.ending:
	}
	return false
}

// expand writes out {{pad N}}.
func expand(text string) string {
	const open, shut = "{{pad ", "}}"
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		digits, after, _ := strings.Cut(rest, shut)
		n, _ := strconv.Atoi(digits)
		out.WriteString(strings.Repeat("x", n))
		text = after
	}
}
