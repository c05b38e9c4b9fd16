package modeltest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Server is a fake API on the loopback. It is safe for concurrent use.
type Server struct {
	// BaseURL is what an adapter is given; it contains /v1 where the API's SDK
	// wants that.
	BaseURL string

	api    API
	http   *httptest.Server
	ending chan struct{}
	close  func()

	answer func(n int, req Request) (Reply, bool)

	mu       sync.Mutex
	requests []Request
	gone     int
	changed  chan struct{} // closed and replaced whenever a request comes or a client goes
}

// Request is one request that a Server got.
type Request struct {
	Method, Path string
	Header       http.Header
	Body         []byte
}

// NewServer starts a server that gives the replies in order, and ends it with
// the test. A request that comes when no reply is left is answered with 500 and
// fails the test.
func NewServer(t testing.TB, api API, replies ...Reply) *Server {
	t.Helper()
	s := newServer(api, replies...)
	t.Cleanup(func() {
		s.Close()
		if n := len(s.Requests()); n > len(replies) {
			t.Errorf("the fake API was asked %d times and had %d replies", n, len(replies))
		}
	})
	return s
}

// NewServerFunc starts a server that asks answer for each reply, and ends it with
// the test: for requests that come in any order. answer may be called from
// several goroutines.
func NewServerFunc(t testing.TB, api API, answer func(req Request) Reply) *Server {
	t.Helper()
	s := open(api, func(_ int, req Request) (Reply, bool) { return answer(req), true })
	t.Cleanup(s.Close)
	return s
}

func newServer(api API, replies ...Reply) *Server {
	return open(api, func(n int, _ Request) (Reply, bool) {
		if n >= len(replies) {
			return Reply{}, false
		}
		return replies[n], true
	})
}

func open(api API, answer func(n int, req Request) (Reply, bool)) *Server {
	s := &Server{api: api, answer: answer, ending: make(chan struct{}), changed: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.BaseURL = api.base(s.http.URL)
	s.close = sync.OnceFunc(func() {
		close(s.ending)
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Close ends the server and waits for its goroutines. It may be called twice.
func (s *Server) Close() { s.close() }

// Requests gives the requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Gone counts the clients that left before their reply was over.
func (s *Server) Gone() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// Changed gives a channel that is closed at the next request, or when a client
// has left. Take it before looking at [Server.Requests] or [Server.Gone].
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

func (s *Server) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone already
	}
	if r.Method != http.MethodPost || r.URL.Path != s.api.path() {
		http.Error(w, fmt.Sprintf("modeltest: the %s API is asked with POST %s, not %s %s", s.api, s.api.path(), r.Method, r.URL.Path), http.StatusNotFound)
		return
	}
	n, req := 0, Request{r.Method, r.URL.Path, r.Header.Clone(), body}
	s.change(func() {
		n = len(s.requests)
		s.requests = append(s.requests, req)
	})
	reply, ok := s.answer(n, req)
	if !ok {
		reply = Fail(http.StatusInternalServerError, "api_error", fmt.Sprintf("modeltest: no reply is left for request %d", n+1))
	}
	if !reply.play(w, r, s.api, s.ending) {
		s.change(func() { s.gone++ })
	}
}
