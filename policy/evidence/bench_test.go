//go:build unix

package evidence

import (
	"context"
	"strconv"
	"testing"
	"time"
)

func benchSession(b *testing.B, events int) *Session {
	b.Helper()
	s, err := Store{Dir: b.TempDir()}.Session("3f2a9c1e-8b7d-4c65-9a01-0123456789ab")
	if err != nil {
		b.Fatal(err)
	}
	kinds := []Kind{PromptSubmitted, EndTurnChecked, TaskDeclared}
	all := make([]Event, events)
	for i := range all {
		all[i] = Event{Kind: kinds[i%len(kinds)], CheckID: "7k2m9x4a", Text: "what the session works on", Cwd: "/home/user/project",
			PromptID: "0c9d7d2e-5a1b-4a53-b7c1-1d1f3f1a2b3c"}
	}
	if err := s.Append(context.Background(), all...); err != nil {
		b.Fatal(err)
	}
	if err := s.Update(context.Background(), func(st *State) error { st.LastAt = time.Now(); return nil }); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkLoad(b *testing.B) {
	s := benchSession(b, 1)
	for b.Loop() {
		if _, err := s.Load(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := benchSession(b, 1)
	n := 0
	for b.Loop() {
		n++
		if err := s.Update(context.Background(), func(st *State) error { st.Nudged = strconv.Itoa(n); return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	s := benchSession(b, 1)
	for b.Loop() {
		if err := s.Append(context.Background(), Event{Kind: PromptSubmitted, PromptID: "0c9d7d2e-5a1b-4a53-b7c1-1d1f3f1a2b3c"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{10, 300, 3000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := benchSession(b, n)
			for b.Loop() {
				if log, err := s.Events(); err != nil || len(log.Events) != n {
					b.Fatal(err)
				}
			}
		})
	}
}
