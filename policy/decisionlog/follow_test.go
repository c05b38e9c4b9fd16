package decisionlog

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// poll gives the ids of what is new, and the count of bad lines.
func poll(t testing.TB, f *Follower) (ids string, bad int) {
	t.Helper()
	var got []string
	stats, err := f.Poll(func(l Line) error {
		got = append(got, l.Get("decision_id").Str)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Events != len(got) {
		t.Errorf("%d events are counted, %d came", stats.Events, len(got))
	}
	return strings.Join(got, " "), stats.Bad
}

func TestFollower_Steps(t *testing.T) {
	path := writeLog(t, map[string]string{"decisions.jsonl.1": entry("a", 1, ""), "decisions.jsonl": entry("b", 2, "")})
	add := func(name, text string) func() error {
		return func() error {
			file, err := os.OpenFile(strings.TrimSuffix(path, "decisions.jsonl")+name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.WriteString(text)
			return err
		}
	}
	rotate := func() error { return (&Writer{Path: path}).rotate() }
	half := entry("half", 6, "")
	f := &Follower{Path: path}
	defer f.Close()
	for _, step := range []struct {
		reason string
		do     []func() error
		want   string
		bad    int
	}{
		{"the first call gives all there is", nil, "a b", 0},
		{"nothing is new", nil, "", 0},
		{"an event", []func() error{add("decisions.jsonl", entry("c", 3, ""))}, "c", 0},
		{"what was written before a rotation and behind it", []func() error{add("decisions.jsonl", entry("d", 4, "")), rotate,
			add("decisions.jsonl", entry("e", 5, ""))}, "d e", 0},
		{"half of a line waits", []func() error{add("decisions.jsonl", half[:20])}, "", 0},
		{"for its other half", []func() error{add("decisions.jsonl", half[20:])}, "half", 0},
		{"a torn line is counted when the next writer ends it", []func() error{add("decisions.jsonl", `{"decis`+"\n"+entry("f", 7, ""))}, "f", 1},
		{"side files merge by time", []func() error{add("decisions.42.jsonl", entry("g", 8, "")+entry("i", 10, "")),
			add("decisions.jsonl", entry("h", 9, ""))}, "g h i", 0},
		{"three rotations at once, past the oldest file that is kept", []func() error{add("decisions.jsonl", entry("j", 11, "")), rotate,
			add("decisions.jsonl", entry("k", 12, "")), rotate, add("decisions.jsonl", entry("l", 13, "")), rotate,
			add("decisions.jsonl", entry("m", 14, "")+entry("m2", 14, ""))}, "j k l m m2", 0},
		{"a log that somebody emptied begins anew", []func() error{func() error { return os.Truncate(path, 0) },
			add("decisions.jsonl", entry("n", 15, ""))}, "n", 0},
		{"the log is removed", []func() error{func() error { return os.Remove(path) }}, "", 0},
		{"and is back", []func() error{add("decisions.jsonl", entry("o", 16, ""))}, "o", 0},
	} {
		for _, do := range step.do {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		if got, bad := poll(t, f); got != step.want || bad != step.bad {
			t.Errorf("%s: %q and %d bad, want %q and %d", step.reason, got, bad, step.want, step.bad)
		}
	}
}

func TestFollower_MissingAndFiltered(t *testing.T) {
	path := t.TempDir() + "/decisions.jsonl"
	f := &Follower{Path: path, Filter: Filter{SessionID: "s1"}}
	defer f.Close()
	if got, bad := poll(t, f); got != "" || bad != 0 {
		t.Errorf("no log yet: %q, %d", got, bad)
	}
	text := entry("a", 1, `,"custom":{"session_id":"s1"}`) + entry("b", 2, `,"custom":{"session_id":"s2"}`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := poll(t, f); got != "a" {
		t.Errorf("the events of one session: %q", got)
	}
	os.Remove(path)
	if err := os.Symlink("/dev/null", path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Poll(nil); err == nil {
		t.Error("a symbolic link was followed")
	}
}

// Whatever writers and rotations do between two looks, every event is told once
// and in order, as long as no look comes later than the oldest kept file.
func TestFollower_Properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "follow-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := &Writer{Path: dir + "/decisions.jsonl", MaxBytes: 600}
		f := &Follower{Path: w.Path}
		defer f.Close()
		written, told := 0, 0
		for range rapid.IntRange(1, 12).Draw(t, "rounds") {
			for range rapid.IntRange(0, 4).Draw(t, "events") { // two fit one file, so at most two rotations
				written++
				if err := w.Append(Event{DecisionID: fmt.Sprint(written), Timestamp: testTime, Result: strings.Repeat("x", 100)}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := f.Poll(func(l Line) error {
				told++
				if got := l.Get("decision_id").Str; got != fmt.Sprint(told) {
					t.Fatalf("event %s came as number %d", got, told)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if told != written {
			t.Errorf("%d of %d events were told", told, written)
		}
	})
}
