//go:build unix

package evidence

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAppend_FillsAndStamps(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	given := start.Add(-time.Hour)
	mustAppend(t, s, Event{Kind: SessionStarted}, Event{V: 7, ID: "mine", TS: given, Kind: "other"})
	want := []Event{
		{V: 1, ID: "e1", TS: start, Kind: SessionStarted},
		{V: 7, ID: "mine", TS: given, Kind: "other"},
	}
	if diff := cmp.Diff(want, mustEvents(t, s).Events); diff != "" {
		t.Error(diff)
	}
	if got := mustRead(t, filepath.Join(s.Path(), ledgerName)); strings.Count(got, "\n") != 2 || !strings.HasSuffix(got, "}\n") {
		t.Errorf("ledger %q", got)
	}
}

func TestAppend_AllOrNothing(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	if err := s.Append(context.Background(), Event{Kind: SessionStarted}, Event{}); !errors.Is(err, ErrNoKind) {
		t.Errorf("got %v", err)
	}
	if log := mustEvents(t, s); len(log.Events) != 0 {
		t.Errorf("a part was written: %v", log.Events)
	}
	if err := s.Append(context.Background()); err != nil {
		t.Errorf("nothing to append is fine: %v", err)
	}
}

// A crash may cut the last line anywhere. Whatever was whole stays, the torn
// bytes stay and are counted, and the next event is never swallowed.
func TestLedger_TornTailAtEveryByte(t *testing.T) {
	first, err := Event{V: 1, ID: "a", TS: start, Kind: TaskDeclared, Text: "first"}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	torn, err := Event{V: 1, ID: "b", TS: start, Kind: TaskDeclared, Text: `to"rn ü`}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for cut := 0; cut <= len(torn); cut++ {
		s := testSession(t, dir, fmt.Sprint("s", cut))
		if err := os.MkdirAll(s.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(s.Path(), ledgerName)
		crashed := string(first) + "\n" + string(torn[:cut])
		mustWrite(t, path, crashed)

		want, bad := []string{"first"}, 0
		switch cut {
		case 0:
		case len(torn): // only the newline is missing: the event is whole
			want = append(want, `to"rn ü`)
		default:
			bad = 1
		}
		log := mustEvents(t, s)
		if diff := cmp.Diff(want, texts(log)); diff != "" || log.Bad != bad {
			t.Fatalf("cut at %d: bad %d, want %d: %s", cut, log.Bad, bad, diff)
		}
		mustAppend(t, s, Event{Kind: TaskDeclared, Text: "next"})
		log = mustEvents(t, s)
		if diff := cmp.Diff(append(want, "next"), texts(log)); diff != "" || log.Bad != bad {
			t.Fatalf("cut at %d, after append: bad %d, want %d: %s", cut, log.Bad, bad, diff)
		}
		if !strings.HasPrefix(mustRead(t, path), crashed) {
			t.Fatalf("cut at %d: the torn bytes are gone", cut)
		}
	}
}

func TestEvents_SkipsAndCountsBadLines(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: TaskDeclared, Text: "a"})
	path := filepath.Join(s.Path(), ledgerName)
	mustWrite(t, path, mustRead(t, path)+"\n\nnot json\n\x00\x00\n{\"kind\":\"k\"}\n")
	mustAppend(t, s, Event{Kind: TaskDeclared, Text: "b"})
	log := mustEvents(t, s)
	if diff := cmp.Diff([]string{"a", "b"}, texts(log)); diff != "" || log.Bad != 3 {
		t.Errorf("bad %d (blank lines are not bad): %s", log.Bad, diff)
	}
}

func TestEvents_ReadsTheTailOfALargeLedger(t *testing.T) {
	line := func(n int) string {
		return fmt.Sprintf(`{"v":1,"ts":"2026-10-05T09:00:07Z","kind":"k","text":"%06d"}`, n) + "\n"
	}
	size := len(line(0))
	lines := ledgerWindow/size + 10
	var all strings.Builder
	for n := range lines {
		all.WriteString(line(n))
	}
	for _, c := range []struct {
		reason string
		shift  int // bytes the file is shortened by, from the front
	}{
		{"the window begins inside a line", 0},
		{"the window begins exactly with a line", (lines*size - ledgerWindow) % size},
		{"the window begins with a line's newline", (lines*size-ledgerWindow)%size + 1},
	} {
		s := testSession(t, t.TempDir(), "s")
		mustAppend(t, s, Event{Kind: SessionStarted})
		// The front is cut and padded by a first line of another length, so that
		// the window's edge moves relative to the lines.
		data := strings.Repeat("x", size-1-c.shift%size) + "\n" + all.String()
		mustWrite(t, filepath.Join(s.Path(), ledgerName), data)
		edge := len(data) - ledgerWindow
		if data[edge-1] != '\n' {
			edge += strings.IndexByte(data[edge:], '\n') + 1
		}
		log := mustEvents(t, s)
		if log.Offset != int64(edge) || log.Bad != 0 || log.Size != int64(len(data)) || len(log.Events) != (len(data)-edge)/size {
			t.Errorf("%s: offset %d (want %d), bad %d, %d events", c.reason, log.Offset, edge, log.Bad, len(log.Events))
		}
		if last, _ := log.Last("k", time.Time{}); last.Text != fmt.Sprintf("%06d", lines-1) {
			t.Errorf("%s: last is %q", c.reason, last.Text)
		}
	}
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: SessionStarted})
	mustWrite(t, filepath.Join(s.Path(), ledgerName), strings.Repeat("x", ledgerWindow+5))
	if log := mustEvents(t, s); log.Bad != 1 || len(log.Events) != 0 {
		t.Errorf("one endless line: %+v", log)
	}
}

func TestLog_Last(t *testing.T) {
	at := func(sec int) time.Time { return start.Add(time.Duration(sec) * time.Second) }
	log := Log{Events: []Event{{ID: "1", Kind: "a", TS: at(1)}, {ID: "2", Kind: "b", TS: at(2)}, {ID: "3", Kind: "a", TS: at(3)}, {ID: "4", Kind: "a", TS: at(2)}}}
	for _, c := range []struct {
		reason string
		kind   Kind
		since  time.Time
		want   string
	}{
		{"latest by position, whatever the clock did", "a", time.Time{}, "4"},
		{"exactly at since counts", "a", at(3), "3"},
		{"all older", "a", at(4), ""},
		{"no such kind", "c", time.Time{}, ""},
	} {
		if e, ok := log.Last(c.kind, c.since); e.ID != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", c.reason, e.ID, ok)
		}
	}
}

func TestLock_WaitIsBounded(t *testing.T) {
	st := Store{Dir: t.TempDir(), LockWait: 5 * time.Millisecond}
	s, err := st.Session("s")
	if err != nil {
		t.Fatal(err)
	}
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- s.locked(context.Background(), func(folder) error { close(held); <-release; return nil })
	}()
	<-held
	if err := s.Append(context.Background(), Event{Kind: "k"}); !errors.Is(err, ErrLockTimeout) || !strings.Contains(err.Error(), "lock") {
		t.Errorf("a held lock: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	st.LockWait = time.Hour
	patient, _ := st.Session("s")
	if err := patient.Update(ctx, func(*State) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the context ends the wait: %v", err)
	}
	if _, err := s.Events(); err != nil {
		t.Errorf("reading needs no lock: %v", err)
	}
	if _, err := s.Load(); err != nil {
		t.Errorf("loading needs no lock: %v", err)
	}
	waiting := make(chan error)
	go func() { waiting <- patient.Append(context.Background(), Event{Kind: "k"}) }()
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-waiting; err != nil {
		t.Errorf("a waiter gets the lock: %v", err)
	}
	cancelled, stop := context.WithCancel(context.Background())
	stop()
	if err := s.Append(cancelled, Event{Kind: "k"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that is over: %v", err)
	}
}

// The ledger against a naive model: appends, crashes that leave bytes, and readers.
func TestLedger_Model(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := testSession(t, root, fmt.Sprint("m", n))
		path := filepath.Join(s.Path(), ledgerName)
		var want []Event
		bad, tornOpen := 0, false
		rt.Repeat(map[string]func(*rapid.T){
			"append": func(rt *rapid.T) {
				var events []Event
				for _, text := range rapid.SliceOfN(rapid.StringN(0, 5, -1), 1, 3).Draw(rt, "texts") {
					n++
					events = append(events, Event{V: 1, ID: fmt.Sprint(n), TS: start, Kind: TaskDeclared, Text: text})
				}
				if err := s.Append(context.Background(), events...); err != nil {
					rt.Fatal(err)
				}
				want, tornOpen = append(want, events...), false
			},
			"crash": func(rt *rapid.T) {
				if len(want) == 0 {
					rt.Skip("no file yet")
				}
				// No closing brace and no newline: never a whole object.
				junk := rapid.StringMatching(`[{"a-z:, \x00-\x09]{1,20}`).Draw(rt, "junk")
				f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					rt.Fatal(err)
				}
				if _, err := f.WriteString(junk); err != nil {
					rt.Fatal(err)
				}
				f.Close()
				if !tornOpen { // else the same line grows
					bad++
				}
				tornOpen = true
			},
			"": func(rt *rapid.T) {
				log, err := s.Events()
				if err != nil {
					rt.Fatal(err)
				}
				if !reflect.DeepEqual(want, log.Events) && len(want)+len(log.Events) > 0 || log.Bad != bad {
					rt.Fatalf("bad %d, want %d: %s", log.Bad, bad, cmp.Diff(want, log.Events))
				}
			},
		})
	})
}

// A ledger and a state that an editor of Windows saved are what they were before.
func TestSession_ReadsWhatAnEditorOfWindowsSaved(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: SessionNamed, Text: "a"}, Event{Kind: TaskDeclared, Text: "b"})
	if err := s.Update(context.Background(), func(st *State) error { st.Remediation.Add("p", 5); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ledgerName, stateName} {
		path := filepath.Join(s.Path(), name)
		mustWrite(t, path, "\ufeff"+strings.ReplaceAll(mustRead(t, path), "\n", "\r\n")+"\r\n")
	}
	log := mustEvents(t, s)
	if diff := cmp.Diff([]string{"a", "b"}, texts(log)); diff != "" || log.Bad != 0 {
		t.Errorf("bad %d: %s", log.Bad, diff)
	}
	if st, err := s.Load(); err != nil || st.Remediation.Count != 1 {
		t.Errorf("state %+v, %v", st, err)
	}
	mustAppend(t, s, Event{Kind: TaskDeclared, Text: "c"})
	if diff := cmp.Diff([]string{"a", "b", "c"}, texts(mustEvents(t, s))); diff != "" {
		t.Errorf("with an event of ours behind it: %s", diff)
	}
}
