package task

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// By end, start and number, in whatever order they came (AC-42, D-23).
func TestOrder_AC42_D23(t *testing.T) {
	at := morning
	want := []Exit{
		{TaskID: "unseen"},
		{TaskID: "bash_10", EndedAt: at, StartedAt: at},
		{TaskID: "bash_2", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "bash_3", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "bash_11", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "a", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "b", EndedAt: at.Add(1), StartedAt: at},
		{TaskID: "bash_1", EndedAt: at.Add(1), StartedAt: at.Add(1)},
		{TaskID: "x", EndedAt: at.Add(2)},
	}
	for range 50 {
		got := slices.Clone(want)
		rand.Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
		Order(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// Several tasks, several blocks, in the order in which the tasks ended (AC-42).
func TestQueue_multipleCompletedTasksInCompletionOrder_AC42(t *testing.T) {
	var q Queue
	q.AddExit(dev())
	q.AddExit(build())
	if !q.Pending() || !q.Has(build().Key()) {
		t.Error("nothing is pending")
	}
	exits, stalls := q.Drain()
	if diff := cmp.Diff([]Exit{build(), dev()}, exits); diff != "" || len(stalls) != 0 {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if q.Pending() {
		t.Error("drained and still pending")
	}
}

// shell_kill between the exit and the next run: nothing is left to tell (AC-35, AC-63).
func TestQueue_killBetweenExitAndRunWins_AC35_AC60_AC63_D24(t *testing.T) {
	var q Queue
	l := NewLatch()
	q.AddExit(build())
	l.Add(build().Key()) // first
	q.Remove(build().Key())
	if exits, _ := q.Drain(); len(exits) != 0 || !l.Has(build().Key()) {
		t.Errorf("%+v", exits)
	}
	if q.Remove(build().Key()) {
		t.Error("removed twice")
	}
}

// A task has one stall at most, none once it has ended, and a stall wakes nobody (D-27).
func TestQueue_stalls_D27_AC50_AC73(t *testing.T) {
	var q Queue
	s := Stall{TaskID: "bash_1", OutputPath: build().OutputPath, StalledFor: 90 * time.Second}
	later := s
	later.StalledFor *= 2
	other := s
	other.OutputPath = logDir + "bash_1.20261005-100000-000.log" // a task of another context
	q.AddStall(s)
	q.AddStall(other)
	q.AddStall(later)
	if diff := cmp.Diff([]Stall{later, other}, q.stalls); diff != "" || q.Pending() {
		t.Errorf("pending %v (-want +got):\n%s", q.Pending(), diff)
	}
	q.AddExit(build())
	if q.AddStall(s) {
		t.Error("a stall of a task that has ended")
	}
	if diff := cmp.Diff([]Stall{other}, q.TakeStalls()); diff != "" || !q.Pending() {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if q.Stalls() != 0 {
		t.Errorf("%d stalls are left", q.Stalls())
	}
	q.Clear()
	if exits, _ := q.Drain(); len(exits) != 0 {
		t.Error("not cleared")
	}
}

// An exit that was pushed and is found in the list stays one, with the end that the list
// knows.
func TestQueue_pushedAndListedIsOne_AC30_AC32(t *testing.T) {
	var q Queue
	pushed := build()
	pushed.EndedAt = time.Time{}
	if !q.AddExit(pushed) || q.AddExit(build()) || q.AddExit(build()) {
		t.Error("told twice")
	}
	if diff := cmp.Diff([]Exit{build()}, q.Exits()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// naiveQueue is a queue as one would write it first: a list of what happened.
type naiveQueue struct {
	exits  map[string]Exit // by id and path
	stalls map[string]Stall
	asked  []string // stalls in order
}

func name(id, path string) string { return id + "|" + path }

func (n *naiveQueue) dropStall(k string) {
	delete(n.stalls, k)
	n.asked = slices.DeleteFunc(n.asked, func(s string) bool { return s == k })
}

// The queue does what the naive one does, in every order of events.
func TestQueue_likeTheNaiveModel_AC42_D23_D27(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		n := naiveQueue{map[string]Exit{}, map[string]Stall{}, nil}
		ids := rapid.SampledFrom([]string{"bash_1", "bash_2", "bash_10"})
		paths := rapid.SampledFrom([]string{"/a", "/b"})
		seconds := rapid.IntRange(0, 2)
		t.Repeat(map[string]func(*rapid.T){
			"exit": func(t *rapid.T) {
				e := Exit{TaskID: ids.Draw(t, "id"), OutputPath: paths.Draw(t, "path"), EndedAt: morning.Add(time.Duration(seconds.Draw(t, "end")) * time.Second)}
				k := name(e.TaskID, e.OutputPath)
				_, have := n.exits[k]
				if q.AddExit(e) == have {
					t.Fatalf("added: %v, was there: %v", !have, have)
				}
				if !have {
					n.exits[k] = e
				}
				n.dropStall(k)
			},
			"stall": func(t *rapid.T) {
				s := Stall{TaskID: ids.Draw(t, "id"), OutputPath: paths.Draw(t, "path"), StalledFor: time.Duration(seconds.Draw(t, "for"))}
				k := name(s.TaskID, s.OutputPath)
				_, ended := n.exits[k]
				if q.AddStall(s) == ended {
					t.Fatal("a stall beside an exit")
				}
				if ended {
					return
				}
				if _, have := n.stalls[k]; !have {
					n.asked = append(n.asked, k)
				}
				n.stalls[k] = s
			},
			"remove": func(t *rapid.T) {
				e := Exit{TaskID: ids.Draw(t, "id"), OutputPath: paths.Draw(t, "path")}
				k := name(e.TaskID, e.OutputPath)
				_, exit := n.exits[k]
				_, stall := n.stalls[k]
				if q.Remove(e.Key()) != (exit || stall) {
					t.Fatal("removed something else")
				}
				delete(n.exits, k)
				n.dropStall(k)
			},
			"drain": func(t *rapid.T) {
				q.Drain()
				n = naiveQueue{map[string]Exit{}, map[string]Stall{}, nil}
			},
			"clone": func(*rapid.T) {
				own := q.Clone()
				q.Clear()
				q = own
			},
			"": func(t *rapid.T) { n.compare(t, &q) },
		})
	})
}

func (n *naiveQueue) compare(t *rapid.T, q *Queue) {
	exits := q.Exits()
	for i, e := range exits {
		if n.exits[name(e.TaskID, e.OutputPath)].EndedAt != e.EndedAt {
			t.Fatalf("another exit: %+v", e)
		}
		if i > 0 && e.EndedAt.Before(exits[i-1].EndedAt) {
			t.Fatalf("out of order: %+v", exits)
		}
	}
	var stalls []Stall
	for _, k := range n.asked {
		stalls = append(stalls, n.stalls[k])
	}
	if !slices.Equal(stalls, q.stalls) || len(exits) != len(n.exits) || q.Pending() != (len(exits) > 0) {
		t.Fatalf("%d exits, want %d; stalls %+v, want %+v", len(exits), len(n.exits), q.stalls, stalls)
	}
}
