//go:build unix

package transcript

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A pipe in the place of the transcript would hold whoever opens it for as long
// as nobody writes; it is refused like every other file that is no regular one.
func TestRead_PipeIsRefused(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "session.jsonl")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Read(pipe, Options{})
	if err == nil || !strings.Contains(err.Error(), "no regular file") || len(s.Blind) != 1 || s.Blind[0] != BlindUnreadable {
		t.Errorf("Read: %v, blind %q", err, s.Blind)
	}
	if _, err := ReadHistory(pipe, HistoryOptions{}); err == nil {
		t.Error("ReadHistory takes it")
	}
	if _, err := Excerpts(pipe, []int64{0}); err == nil {
		t.Error("Excerpts takes it")
	}
	if _, err := Stops(pipe); err == nil {
		t.Error("Stops takes it")
	}
}
