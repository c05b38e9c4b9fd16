package session

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/agentcore/model"
)

func TestList(t *testing.T) {
	store := newStore(t)
	first := record(t, store)
	must(t, first.Close())
	second := create(t, store)
	prompt(t, second.Thread, "  a long\nquestion "+strings.Repeat("é", 200))
	must(t, os.MkdirAll(store.Dir("empty"), 0o700))
	place(t, store, "broken", []byte("no row\n{\"type\":"))
	must(t, os.MkdirAll(store.Path("folder"), 0o700))
	must(t, os.WriteFile(store.Dir("file"), nil, 0o600))
	must(t, os.MkdirAll(store.Dir("no id"), 0o700))
	list := got[[]Info](t)(store.List())
	byID := map[string]Info{}
	for _, i := range list {
		byID[i.ID] = i
		if i.Path != store.Path(i.ID) || i.Last.IsZero() {
			t.Errorf("%+v", i)
		}
	}
	if len(list) != 5 {
		t.Fatalf("%d sessions are listed, want 5: %+v", len(list), list)
	}
	want := Info{ID: first.ID(), Title: "A title", CWD: "/work", Model: "m-1", Turns: 1, CostUSD: 0.25, Created: begin.Add(time.Second)}
	if diff := cmp.Diff(want, byID[first.ID()], cmpopts.IgnoreFields(Info{}, "Path", "Last", "Size")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if i := byID[second.ID()]; !i.InUse || i.Turns != 1 || !strings.HasPrefix(i.Title, "a long question éé") || !strings.HasSuffix(i.Title, "…") || len([]rune(i.Title)) != 120 {
		t.Errorf("%+v", i)
	}
	for id, problem := range map[string]string{"empty": "no transcript", "broken": "no row", "folder": "no regular file"} {
		if !strings.Contains(byID[id].Problem, problem) {
			t.Errorf("%s: problem %q, want %q", id, byID[id].Problem, problem)
		}
	}
	if list[0].Last.Before(list[4].Last) {
		t.Error("the latest is not the first")
	}
}

// Turns are right whatever part of the file is read: the row of a run carries
// what came before it.
func TestList_longFiles(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for _, c := range []struct {
		name string
		runs bool
		turn int
	}{{"with runs", true, 40}, {"without", false, 40}, {"one run", true, 1}} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t)
			s := create(t, store)
			must(t, s.Title("early"))
			for range c.turn {
				if c.runs {
					must(t, s.RunStart(Run{ID: "r"}))
				}
				prompt(t, s.Thread, "question")
				answer(t, s.Thread, "", model.StopEndTurn, model.Text(long), model.Text(long))
			}
			for range 30 {
				answer(t, s.Thread, "", model.StopEndTurn, model.Text(long))
			}
			i := got[[]Info](t)(store.List())[0]
			if i.Turns != c.turn || i.Title != "early" || i.CWD != "/work" || i.Size < 300_000 {
				t.Errorf("%+v", i)
			}
		})
	}
}
