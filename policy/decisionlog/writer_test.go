package decisionlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// childEnv makes the test binary append events instead of running tests, so that
// processes and not only goroutines compete: PATH|COUNT|NAME|MAXBYTES.
const childEnv = "DECISIONLOG_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(job string) error {
	parts := strings.Split(job, "|")
	count, _ := strconv.Atoi(parts[1])
	maxBytes, _ := strconv.ParseInt(parts[3], 10, 64)
	n := 0
	w := Writer{Path: parts[0], MaxBytes: maxBytes, LockWait: 30 * time.Second, NewID: func() string { n++; return fmt.Sprintf("%s-%d", parts[2], n) }}
	for range count {
		if err := w.Append(Event{Input: map[string]any{"pad": strings.Repeat("x", 500)}}); err != nil {
			return err
		}
	}
	return nil
}

// readIDs reads the log back as decision ids.
func readIDs(t interface {
	Helper()
	Fatalf(string, ...any)
}, path string) (ids []string, stats Stats) {
	t.Helper()
	stats, err := Read(path, Filter{}, func(e Event) error {
		ids = append(ids, e.DecisionID)
		return nil
	})
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return ids, stats
}

func TestAppend_MakesAPrivateLog(t *testing.T) {
	w := fixedWriter(t)
	for range 3 {
		if err := w.Append(Event{}); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]fs.FileMode{w.Path: 0o600, filepath.Dir(w.Path): 0o700 | fs.ModeDir} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s: mode %v, want %v", path, info.Mode(), want)
		}
	}
	ids, stats := readIDs(t, w.Path)
	if diff := cmp.Diff([]string{"id-0001", "id-0002", "id-0003"}, ids); diff != "" || stats.Bad != 0 || stats.Files != 1 {
		t.Errorf("%s %+v", diff, stats)
	}
}

func TestAppend_Defaults(t *testing.T) {
	w := Writer{Path: filepath.Join(t.TempDir(), "d.jsonl")}
	before := time.Now()
	if err := w.Append(Event{}); err != nil {
		t.Fatal(err)
	}
	_, err := Read(w.Path, Filter{}, func(e Event) error {
		if len(e.DecisionID) != 36 || e.DecisionID[14] != '4' || e.Timestamp.Before(before.Truncate(time.Nanosecond)) || e.Path != Path {
			t.Errorf("bad defaults: %+v", e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAppend_RefusesWhatIsNoPlainFile(t *testing.T) {
	tests := []struct {
		name   string
		make   func(path string) error
		reason string
	}{
		{"symlink", func(p string) error { return os.Symlink(filepath.Join(filepath.Dir(p), "target"), p) }, "a link could lead anywhere"},
		{"directory", func(p string) error { return os.Mkdir(p, 0o700) }, "cannot be written"},
		{"fifo", mkfifo, "would block the hook"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := Writer{Path: filepath.Join(t.TempDir(), "d.jsonl")}
			if err := tt.make(w.Path); err != nil {
				t.Fatal(err)
			}
			err := w.Append(Event{})
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), w.Path) {
				t.Errorf("%s: got %v", tt.reason, err)
			}
			if _, err := os.Lstat(filepath.Join(filepath.Dir(w.Path), "target")); err == nil {
				t.Error("the link's target was written")
			}
		})
	}
}

func TestAppend_RepairsWhatACrashLeft(t *testing.T) {
	tests := []struct {
		name, before string
		bad          int
		reason       string
	}{
		{"torn line", `{"decision_id":"old"}` + "\n" + `{"decision_id":"to`, 1, "the torn line ends, the next event stands on its own"},
		{"whole line without newline", `{"decision_id":"old"}`, 0, "it lacks only its end"},
		{"zeros", `{"decision_id":"old"}` + "\n\x00\x00\x00", 1, "what some file systems leave behind"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := fixedWriter(t)
			w.Path = filepath.Join(t.TempDir(), "d.jsonl")
			if err := os.WriteFile(w.Path, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := w.Append(Event{}); err != nil {
				t.Fatal(err)
			}
			ids, stats := readIDs(t, w.Path)
			if diff := cmp.Diff([]string{"old", "id-0001"}, ids); diff != "" || stats.Bad != tt.bad {
				t.Errorf("%s: bad %d\n%s", tt.reason, stats.Bad, diff)
			}
			if info, _ := os.Stat(w.Path); info.Mode().Perm() != 0o600 {
				t.Errorf("a log that others could read stays open: %v", info.Mode())
			}
		})
	}
}

func TestAppend_LockedLogGoesToTheSideFile(t *testing.T) {
	w := fixedWriter(t)
	w.LockWait, w.PID = time.Millisecond, 4711
	appendOne := func() {
		t.Helper()
		if err := w.Append(Event{}); err != nil {
			t.Fatal(err)
		}
	}
	appendOne()
	f, err := os.OpenFile(w.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := tryLock(f); err != nil {
		t.Fatal(err)
	}
	appendOne()
	appendOne()
	f.Close()
	appendOne()
	side := filepath.Join(filepath.Dir(w.Path), "decisions.4711.jsonl")
	data, err := os.ReadFile(side)
	if err != nil || bytes.Count(data, []byte{'\n'}) != 2 {
		t.Fatalf("side file: %v\n%s", err, data)
	}
	ids, stats := readIDs(t, w.Path)
	if diff := cmp.Diff([]string{"id-0001", "id-0002", "id-0003", "id-0004"}, ids); diff != "" || stats.Files != 2 {
		t.Errorf("side events come in by their time: %+v\n%s", stats, diff)
	}
}

func TestAppend_RotationLosesNoLine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		n := 0
		w := Writer{
			Path: filepath.Join(dir, "decisions.jsonl"), MaxBytes: int64(rapid.IntRange(1, 3000).Draw(rt, "max")),
			NewID: func() string { n++; return strconv.Itoa(n) }, Now: func() time.Time { return testTime },
		}
		count := rapid.IntRange(1, 30).Draw(rt, "events")
		var size int64
		for range count {
			pad := strings.Repeat("x", rapid.IntRange(0, 800).Draw(rt, "pad"))
			if err := w.Append(Event{Input: pad}); err != nil {
				rt.Fatal(err)
			}
			info, err := os.Stat(w.Path)
			if err != nil {
				rt.Fatal(err)
			}
			if size = info.Size(); size > max(w.MaxBytes, 1100) {
				rt.Fatalf("log of %d bytes with a limit of %d", size, w.MaxBytes)
			}
		}
		ids, stats := readIDs(rt, w.Path)
		// What is left is the newest events, in order, with none missing.
		for i, id := range ids {
			if want := strconv.Itoa(count - len(ids) + 1 + i); id != want {
				rt.Fatalf("event %d of %d is %s, want %s", i, len(ids), id, want)
			}
		}
		if stats.Bad != 0 || len(ids) == 0 || stats.Files <= keepRotated && len(ids) != count {
			rt.Fatalf("lost events before the third rotation: %d of %d, %+v", len(ids), count, stats)
		}
	})
}

func TestRotate_SideFilesGoWithTheirTime(t *testing.T) {
	w := fixedWriter(t)
	w.MaxBytes = 1 // each event rotates
	for range 3 {
		if err := w.Append(Event{}); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Dir(w.Path)
	old, young := filepath.Join(dir, "decisions.1.jsonl"), filepath.Join(dir, "decisions.2.jsonl")
	other := filepath.Join(dir, "decisions.notes.jsonl")
	for path, age := range map[string]time.Duration{old: -time.Hour, young: time.Hour, other: -time.Hour} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(Event{}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old: false, young: true, other: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: kept=%v, want %v", filepath.Base(path), err == nil, want)
		}
	}
}

func TestAppend_WritesOnWhenItCannotRotate(t *testing.T) {
	w := fixedWriter(t)
	w.MaxBytes = 1
	if err := w.Append(Event{}); err != nil {
		t.Fatal(err)
	}
	// A directory that is not empty stands where the log would go.
	if err := os.MkdirAll(w.Path+".1/x", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w.Path+".2/x", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.Append(Event{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(w.Path)
	if err != nil || bytes.Count(data, []byte{'\n'}) != 2 {
		t.Errorf("a rotation that fails must not cost an event: %v\n%s", err, data)
	}
}

func TestAppend_UnwritableDirectoryIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := Writer{Path: filepath.Join(file, "d.jsonl")}
	if err := w.Append(Event{}); err == nil || !strings.Contains(err.Error(), w.Path) || !strings.Contains(err.Error(), "writable") {
		t.Errorf("the message must name the file and what to do: %v", err)
	}
}

func TestAppend_ManyProcesses(t *testing.T) {
	const processes, each = 4, 50
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	var wg sync.WaitGroup
	for p := range processes {
		// One rotation happens on the way: about 800 bytes an event, 200 events.
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d|p%d|%d", childEnv, path, each, p, 100_000))
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("child: %v\n%s", err, out)
			}
		})
	}
	w := Writer{Path: path, MaxBytes: 100_000, LockWait: 30 * time.Second}
	for g := range 3 {
		wg.Go(func() {
			for i := range each {
				if err := w.Append(Event{DecisionID: fmt.Sprintf("g%d-%d", g, i+1), Input: strings.Repeat("y", 300)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	ids, stats := readIDs(t, path)
	seen := map[string]int{}
	for _, id := range ids {
		seen[id]++
		name, num, _ := strings.Cut(id, "-")
		// A writer's own events keep their order.
		if n, _ := strconv.Atoi(num); n != seen[name]+1 {
			t.Fatalf("%s came after %d events of %s", id, seen[name], name)
		}
		seen[name]++
	}
	if len(ids) != processes*each+3*each || stats.Bad != 0 || stats.Files != 2 {
		t.Errorf("read %d events, %+v", len(ids), stats)
	}
}
