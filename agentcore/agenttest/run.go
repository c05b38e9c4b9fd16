package agenttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Run plays every scenario of a folder as a subtest that is named after its file. A
// folder without one is a failure.
func Run(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no scenarios (%v)", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	s, err := load(file)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	root := t.TempDir()
	// In a bubble limits and waits pass at once, and goroutines that stay are found.
	synctest.Test(t, func(t *testing.T) { compare(t, s, root) })
}

// compare plays a scenario and holds what came against what is wanted.
func compare(t *testing.T, s *scenario, root string) {
	st := newStage(t, s, root)
	st.play()
	events, messages := st.finish(), st.messages()
	st.close()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		s.put(partEvents, events)
		if _, ok := s.want(partMessages); ok {
			s.put(partMessages, messages)
		}
		if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, _ := s.want(partEvents)
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got), UPDATE_GOLDEN=1 rewrites them:\n%s", diff)
	}
	if want, ok := s.want(partMessages); ok {
		if diff := cmp.Diff(want, messages); diff != "" {
			t.Errorf("messages (-want +got), UPDATE_GOLDEN=1 rewrites them:\n%s", diff)
		}
	}
}
