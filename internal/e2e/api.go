package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody bounds one request; the client's are a few hundred KiB at most.
const maxBody = 64 << 20

// API plays the Messages API on 127.0.0.1, following a script. It is safe for
// concurrent use.
type API struct {
	// URL is what ANTHROPIC_BASE_URL has to say.
	URL string

	server *http.Server
	cancel context.CancelFunc // ends answers that are held
	done   chan struct{}      // closed when the server's goroutine has ended

	mu       sync.Mutex
	script   []*line
	requests []*Request
	faults   []string
	other    []string // requests that are none for a message
	changed  chan struct{}
}

// NewAPI starts a server on a free port. Whoever starts it calls Close.
func NewAPI(script ...Reply) (*API, error) {
	a := &API{done: make(chan struct{}), changed: make(chan struct{})}
	if err := a.Add(script...); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the fake API cannot listen: %w", err)
	}
	a.URL = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	a.server = &http.Server{Handler: a, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(a.done)
		if err := a.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.fault("the fake API ended: %v", err)
		}
	}()
	return a, nil
}

// closeWait is how long a connection may take to end by itself.
const closeWait = 2 * time.Second

// Close ends the server, its connections, and answers that are held, and waits for
// them.
func (a *API) Close() error {
	a.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	err := a.server.Shutdown(ctx)
	if err != nil {
		err = a.server.Close() // a connection on which nothing was ever asked
	}
	<-a.done
	return err
}

// Add puts more replies at the end of the script.
func (a *API) Add(script ...Reply) error {
	for _, r := range script {
		l, err := compile(r)
		if err != nil {
			return err
		}
		a.mu.Lock()
		a.script = append(a.script, l)
		a.mu.Unlock()
	}
	return nil
}

// Requests are the requests for a message so far, those on the side left out.
func (a *API) Requests() []*Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	var main []*Request
	for _, r := range a.requests {
		if r.Main {
			main = append(main, r)
		}
	}
	return main
}

// Other lists requests to other places, as "METHOD PATH".
func (a *API) Other() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.other...)
}

// Faults are what did not go by the script: requests that no reply fits, requests that
// cannot be read, and replies that nothing asked for.
func (a *API) Faults() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	faults := append([]string(nil), a.faults...)
	for _, l := range a.script {
		if !l.Repeat && l.given == 0 {
			faults = append(faults, l.name()+" was never asked for")
		}
	}
	return faults
}

// Await returns the first request of an agent that ok accepts, and waits for it as
// long as ctx allows.
func (a *API) Await(ctx context.Context, ok func(*Request) bool) (*Request, error) {
	for {
		a.mu.Lock()
		changed, all := a.changed, a.requests
		a.mu.Unlock()
		for _, r := range all {
			if r.Main && ok(r) {
				return r, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("no such request came: %w", context.Cause(ctx))
		}
	}
}

func (a *API) fault(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// take files a request and finds its reply; nil when none fits.
func (a *API) take(req *Request) *line {
	a.mu.Lock()
	defer a.mu.Unlock()
	req.N, req.At = len(a.requests)+1, time.Now()
	a.requests = append(a.requests, req)
	close(a.changed)
	a.changed = make(chan struct{})
	if !req.Main {
		return &line{Reply: Says("", Text("side"))}
	}
	for _, l := range a.script {
		if l.fits(req) {
			l.given++
			return l
		}
	}
	a.faults = append(a.faults, fmt.Sprintf("request %d: no reply fits the newest text %.400q", req.N, req.Newest))
	return nil
}

// ServeHTTP answers one request of the client.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	messages := r.Method == http.MethodPost && !r.URL.IsAbs() && strings.TrimSuffix(r.URL.Path, "/") == "/v1/messages"
	if !messages {
		a.mu.Lock()
		a.other = append(a.other, r.Method+" "+r.URL.Path)
		a.mu.Unlock()
	}
	switch {
	case r.URL.IsAbs() || r.Method == http.MethodConnect: // asked as a proxy, see Stage.environ
		a.fault("the client wants to leave this machine: %s %s", r.Method, r.Host)
		w.WriteHeader(http.StatusBadGateway)
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case messages:
		a.message(w, r)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/count_tokens"):
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 100})
	case r.Method == http.MethodGet:
		writeJSON(w, http.StatusOK, map[string]any{"data": []any{}, "has_more": false})
	default:
		writeJSON(w, http.StatusOK, map[string]any{})
	}
}

func (a *API) message(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var req *Request
	if err == nil {
		req, err = parseRequest(r.Header, body)
	}
	if err != nil {
		a.fault("a request cannot be read: %v", err)
		writeError(w, err.Error())
		return
	}
	l := a.take(req)
	if l == nil {
		// Words, not an error: the client would try an error again and again.
		l = &line{Reply: Says("", Text("The script has no reply to this."))}
	}
	if !pause(r.Context(), l.Delay) {
		return
	}
	m := newMessage(req, l.blocks(req))
	if !req.Stream {
		if hold(r.Context(), l.Hold) {
			writeJSON(w, http.StatusOK, m.document())
		}
		return
	}
	m.stream(r.Context(), w, l.Hold)
}

// pause waits; it tells whether the client is still there.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// hold waits for a channel, if there is one; it tells whether the client is still there.
func hold(ctx context.Context, until <-chan struct{}) bool {
	if until == nil {
		return ctx.Err() == nil
	}
	select {
	case <-until:
		return true
	case <-ctx.Done():
		return false
	}
}

func writeJSON(w http.ResponseWriter, status int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(doc) // the client may be gone
}

func writeError(w http.ResponseWriter, message string) {
	writeJSON(w, http.StatusBadRequest, map[string]any{"type": "error",
		"error": map[string]any{"type": "invalid_request_error", "message": message}})
}
