package session

import (
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// begin is when the test's clock starts; it moves one second a call.
var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testOptions give a clock and ids that are the same in every run.
func testOptions(root string) Options {
	var ticks, ids atomic.Int64
	return Options{Root: root, Version: "9.9.9",
		Now:   func() time.Time { return begin.Add(time.Duration(ticks.Add(1)) * time.Second) },
		NewID: func() string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids.Add(1)) },
	}
}

func newStore(t testing.TB) *Store {
	t.Helper()
	s, err := NewStore(testOptions(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func create(t testing.TB, s *Store) *Session {
	t.Helper()
	session, err := s.Create(Meta{CWD: "/work", Model: "m-1", GitBranch: "main"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// reopen closes a session and opens it again.
func reopen(t testing.TB, s *Session) *Session {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := s.store.Open(s.ID())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func got[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// prompt, answer and result are the three steps of every conversation.
func prompt(t testing.TB, s *Thread, text string) string {
	t.Helper()
	return got[string](t)(s.UserPrompt(Prompt{Text: text}))
}

func answer(t testing.TB, s *Thread, id string, stop model.StopReason, blocks ...model.Block) string {
	t.Helper()
	return got[string](t)(s.Assistant(&model.Message{ID: id, Model: "m-1", Content: blocks, StopReason: stop,
		Usage: &model.Usage{InputTokens: 10, OutputTokens: 5}}, "req_1"))
}

func use(id, name, input string) model.Block {
	return model.Block{Type: model.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(input)}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

// show writes messages so that a test can compare them by eye.
func show(messages []model.Message) string {
	var out []byte
	for _, m := range messages {
		out = append(out, string(m.Role[0])...)
		out = append(out, ' ')
		for _, b := range m.Content {
			var err error
			if out, err = b.AppendJSON(out); err != nil {
				return err.Error()
			}
		}
		out = append(out, '\n')
	}
	return string(out)
}
