package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/policy/decisionlog"
)

// --follow shows what is there, then what comes, across a rotation, and ends with
// Ctrl-C and exit 0.
func TestLog_Follow(t *testing.T) {
	dir := t.TempDir()
	w := &decisionlog.Writer{Path: logPath(dir), MaxBytes: 400}
	n := 0
	write := func() {
		n++
		err := w.Append(decisionlog.Event{DecisionID: "d" + string(rune('0'+n)), Timestamp: scriptStart().Add(time.Duration(n) * time.Second),
			Result: map[string]any{"verdict": "block", "code": "stop-hook.c" + string(rune('0'+n))}, Custom: map[string]any{"session_id": "s1"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		write()
	}
	p, stdout, stderr := testProgram(dir, nil, nil)
	ctx, interrupt := context.WithCancel(context.Background())
	p.interrupted = func() (context.Context, func()) { return ctx, interrupt }
	ticks := make(chan time.Time)
	p.ticking = func(time.Duration) (<-chan time.Time, func()) { return ticks, func() {} }
	code := make(chan int)
	go func() { code <- p.run([]string{"stophook", "log", "--follow", "-n", "1", "--state-dir", dir}) }()
	ticks <- time.Time{} // it is received when the first look is over
	for range 4 {
		write()
		write()
		ticks <- time.Time{}
		ticks <- time.Time{} // the look that the one before began is over
	}
	interrupt()
	if got := <-code; got != 0 {
		t.Errorf("exit %d: %s", got, stderr)
	}
	var codes []string
	for _, line := range strings.Split(strings.TrimSpace(stdout.String()), "\n") {
		codes = append(codes, strings.Fields(line)[4])
	}
	if got := strings.Join(codes, " "); got != "c3 c4 c5 c6 c7 c8 c9 c: c;" {
		t.Errorf("%s\n%s", got, stderr)
	}
	if rotated, _ := filepath.Glob(filepath.Join(dir, "decisions.jsonl.*")); len(rotated) == 0 {
		t.Error("the log never rotated, so nothing was proved")
	}
}

// A log that cannot be read ends --follow with a message, not silently.
func TestLog_FollowFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(logPath(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	p, _, stderr := testProgram(dir, nil, nil)
	p.interrupted = func() (context.Context, func()) { return context.Background(), func() {} }
	p.ticking = func(time.Duration) (<-chan time.Time, func()) { return nil, func() {} }
	if code := p.run([]string{"stophook", "log", "--follow", "--state-dir", dir}); code != 1 || !strings.Contains(stderr.String(), "decisions.jsonl") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
