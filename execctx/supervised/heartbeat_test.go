//go:build unix

package supervised

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx/internal/proc"
)

// A supervisor beats until its command ends; the beats are records like others.
func TestHeartbeat_EX83(t *testing.T) {
	dir := t.TempDir()
	p, err := proc.Start(proc.Config{Command: "exec sleep 600", Dir: dir, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Release()
	s := &supervisor{plan: &plan{dir: dir}, process: p, ask: make(chan struct{})}
	lost := &task{dir: dir}
	if got := lost.lastBeat(); got != "" {
		t.Errorf("before the first beat nothing is known, got %q", got)
	}

	beats := make(chan time.Time)
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.await(beats)
	}()
	first := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	beats <- first
	beats <- first.Add(15 * time.Second)
	s.end() // a beat that was taken is written before this is looked at
	<-over
	<-p.Done()
	if got, want := lost.lastBeat(), "its supervisor was at work at 2026-01-02T03:04:20Z"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !p.End().Asked {
		t.Error("the request reached the command")
	}

	for _, text := range []string{"", "{", `{"at":"yesterday"}`} {
		if err := os.WriteFile(filepath.Join(dir, fileHeartbeat), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lost.lastBeat(); got != "" {
			t.Errorf("a record %q says nothing, got %q", text, got)
		}
	}
	if !slices.Contains(ownFiles(), fileHeartbeat) {
		t.Error("the heartbeat must go with the other records")
	}
}
