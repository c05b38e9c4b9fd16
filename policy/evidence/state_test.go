//go:build unix

package evidence

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func TestUpdate_ReadsModifiesWrites(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	want := State{V: 1, Remediation: Remediation{Cycle: "p\"1", Count: 2}, Nudged: "p", LastVerdict: "block",
		LastCode: "stop-hook.task_undeclared", LastAt: start.Add(7 * time.Nanosecond), Ended: true,
		Extra: map[string]json.RawMessage{"new": json.RawMessage(`{"a":[1]}`)}}
	if err := s.Update(context.Background(), func(st *State) error { *st = want; return nil }); err != nil {
		t.Fatal(err)
	}
	got, err := s.Load()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	fail := errors.New("no")
	if err := s.Update(context.Background(), func(st *State) error { st.Nudged = "other"; return fail }); !errors.Is(err, fail) {
		t.Errorf("got %v", err)
	}
	if got, _ = s.Load(); got.Nudged != "p" {
		t.Error("a failed update was written")
	}
}

func TestUpdate_UnchangedIsNotWritten(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	set := func(st *State) error { st.Nudged = "p"; return nil }
	path := filepath.Join(s.Path(), stateName)
	var infos [3]os.FileInfo
	for i, fn := range []func(*State) error{set, set, func(st *State) error { st.Nudged = "q"; return nil }} {
		if err := s.Update(context.Background(), fn); err != nil {
			t.Fatal(err)
		}
		infos[i], _ = os.Stat(path)
	}
	if !os.SameFile(infos[0], infos[1]) {
		t.Error("an update without a change replaced the file")
	}
	if os.SameFile(infos[1], infos[2]) {
		t.Error("a change must replace the file, not rewrite it in place")
	}
}

func TestUpdate_PanicReleasesTheLock(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	func() {
		defer func() { recover() }()
		s.Update(context.Background(), func(*State) error { panic("bug") })
	}()
	if err := s.Append(context.Background(), Event{Kind: "k"}); err != nil {
		t.Errorf("the lock is still held: %v", err)
	}
}

// What two hooks of one stop tell each other survives the file, and a state that has
// none of it is written as older versions did.
func TestState_StopGoesThroughTheFile(t *testing.T) {
	for _, tt := range []struct {
		reason string
		st     State
		want   string
	}{
		{"no stop yet", State{V: 1}, `{"v":1,"remediation":{"cycle":"","count":0}}`},
		{"all of it", State{V: 1, Remediation: Remediation{"p", 2}, Stop: Stop{Key: "k", By: []string{"a", "b"}, At: start, Counted: true,
			Remediation: Remediation{"p", 1}, Nudged: "n"}}, `{"v":1,"remediation":{"cycle":"p","count":2},"stop":{"key":"k","by":["a","b"],` +
			`"at":"2026-10-05T09:00:07.000000000Z","counted":true,"remediation":{"cycle":"p","count":1},"nudged":"n"}}`},
	} {
		data, err := tt.st.MarshalJSON()
		if err != nil || string(data) != tt.want {
			t.Errorf("%s: %s, %v", tt.reason, data, err)
		}
		var back State
		if err := back.UnmarshalJSON(data); err != nil || cmp.Diff(tt.st, back) != "" {
			t.Errorf("%s: %v\n%s", tt.reason, err, cmp.Diff(tt.st, back))
		}
	}
}

// D-38: whoever cannot know the count must not block, and nothing is lost.
func TestState_D38CorruptIsUnknownAndMovedAside(t *testing.T) {
	for _, c := range []struct{ reason, data string }{
		{"empty, as after a power loss", ""},
		{"torn", `{"v":1,"remediation":{"cycle":"p","cou`},
		{"another document", `[]`},
		{"no count", `{"v":1,"remediation":{"cycle":"p"}}`},
		{"no remediation", `{"v":1}`},
		{"negative count would extend the cap", `{"v":1,"remediation":{"cycle":"p","count":-9}}`},
		{"negative count before the latest stop", `{"v":1,"remediation":{"cycle":"p","count":1},"stop":{"key":"k","remediation":{"count":-9}}}`},
		{"count of another type", `{"v":1,"remediation":{"cycle":"p","count":"3"}}`},
		{"no version", `{"remediation":{"cycle":"p","count":1}}`},
		{"bad time", `{"v":1,"remediation":{"count":1},"last_at":"x"}`},
		{"too large", `{"v":1,"remediation":{"count":1},"x":"` + strings.Repeat("x", maxState) + `"}`},
	} {
		s := testSession(t, t.TempDir(), "s")
		mustAppend(t, s, Event{Kind: SessionStarted})
		path := filepath.Join(s.Path(), stateName)
		mustWrite(t, path, c.data)
		var corrupt *CorruptStateError
		if _, err := s.Load(); !errors.Is(err, ErrStateUnknown) || !errors.As(err, &corrupt) || corrupt.MovedTo != "" {
			t.Errorf("%s: load gives %v", c.reason, err)
		}
		if mustRead(t, path) != c.data {
			t.Errorf("%s: loading changed the file", c.reason)
		}
		called := false
		err := s.Update(context.Background(), func(*State) error { called = true; return nil })
		if !errors.Is(err, ErrStateUnknown) || !errors.As(err, &corrupt) || corrupt.MovedTo != path+".corrupt" || called {
			t.Errorf("%s: update gives %v, called %v", c.reason, err, called)
		}
		if mustRead(t, path+".corrupt") != c.data {
			t.Errorf("%s: the old bytes are lost", c.reason)
		}
		if st, err := s.Load(); err != nil || st.Remediation.Count != 0 {
			t.Errorf("%s: afterwards %+v, %v", c.reason, st, err)
		}
		if err := s.Update(context.Background(), func(st *State) error { st.Remediation.Add("p", 5); return nil }); err != nil {
			t.Errorf("%s: the next update: %v", c.reason, err)
		}
	}
}

func TestState_EveryCorruptCopyIsKept(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: SessionStarted})
	path := filepath.Join(s.Path(), stateName)
	for i := range maxCorrupt + 1 {
		mustWrite(t, path, fmt.Sprint("garbage ", i))
		err := s.Update(context.Background(), func(*State) error { return nil })
		if !errors.Is(err, ErrStateUnknown) {
			t.Fatalf("%d: %v", i, err)
		}
		if i == maxCorrupt && (!strings.Contains(err.Error(), "remove them") || mustRead(t, path) != fmt.Sprint("garbage ", i)) {
			t.Errorf("too many copies: %v", err)
		}
	}
	if got := mustRead(t, path+".corrupt") + mustRead(t, path+".corrupt.2") + mustRead(t, path+".corrupt.100"); got != "garbage 0garbage 1garbage 99" {
		t.Errorf("got %q", got)
	}
}

func TestRemediation_PO11CL3(t *testing.T) {
	var r Remediation
	var got []bool
	for range 7 {
		got = append(got, r.Add("p1", 5))
	}
	if diff := cmp.Diff([]bool{true, true, true, true, true, false, false}, got); diff != "" || r.Count != 5 {
		t.Errorf("five may block and the sixth passes: %s", diff)
	}
	if !r.Add("p2", 5) || r != (Remediation{Cycle: "p2", Count: 1}) {
		t.Errorf("a new cycle starts at 1: %+v", r)
	}
	if r = (Remediation{}); r.Add("p", 0) {
		t.Error("a limit of 0 never blocks")
	}
}

// The state against a naive model, with corruption and crashes before the rename.
func TestState_Model(t *testing.T) {
	root := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := testSession(t, root, fmt.Sprint("m", n))
		want, corrupt := State{V: 1}, false
		path := filepath.Join(s.Path(), stateName)
		update := func(fn func(*State)) {
			err := s.Update(context.Background(), func(st *State) error { fn(st); return nil })
			if corrupt != errors.Is(err, ErrStateUnknown) || !corrupt && err != nil {
				rt.Fatalf("corrupt %v: %v", corrupt, err)
			}
			if corrupt {
				want, corrupt = State{V: 1}, false
				return
			}
			fn(&want)
		}
		rt.Repeat(map[string]func(*rapid.T){
			"count": func(rt *rapid.T) {
				cycle := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "cycle")
				update(func(st *State) { st.Remediation.Add(cycle, 3) })
			},
			"set": func(rt *rapid.T) {
				text, sec := rapid.String().Draw(rt, "text"), rapid.Int64Range(0, 1e9).Draw(rt, "sec")
				update(func(st *State) {
					st.Nudged, st.LastCode, st.LastAt, st.Ended = text, text, time.Unix(sec, 5).UTC(), sec%2 == 0
				})
			},
			"damage": func(rt *rapid.T) {
				if err := os.MkdirAll(s.Path(), 0o700); err != nil {
					rt.Fatal(err)
				}
				mustWrite(t, path, rapid.StringMatching(`[{}a-z":]{0,9}`).Draw(rt, "junk"))
				corrupt = true
			},
			"crash before rename": func(rt *rapid.T) {
				if os.MkdirAll(s.Path(), 0o700) == nil {
					mustWrite(t, filepath.Join(s.Path(), stateTemp), `{"v":1,"remed`)
				}
			},
			"": func(rt *rapid.T) {
				got, err := s.Load()
				if corrupt != errors.Is(err, ErrStateUnknown) {
					rt.Fatalf("corrupt %v: %v", corrupt, err)
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); !corrupt && diff != "" {
					rt.Fatal(diff)
				}
			},
		})
	})
}
