package continuation_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/continuation"
)

// at is an instant, in seconds.
func at(s int) time.Time { return time.Unix(int64(1000+s), 0) }

func bash(n int) continuation.Task {
	return continuation.Task{ID: fmt.Sprintf("bash_%d", n), Command: "make", OutputPath: fmt.Sprintf("/s/tasks/bash_%d-0192.output", n)}
}

func TestLedger_D08_D09_paidOnlyByAnOutcome(t *testing.T) {
	t.Parallel()
	one, two := bash(1), bash(2)
	type ledger = *continuation.Ledger
	tests := []struct {
		reason string
		do     func(ledger)
		want   int
	}{
		{"a launch is owed", func(l ledger) {}, 2},
		{"its end alone pays nothing", func(l ledger) { l.Exit(one.ID, one.OutputPath, at(5)) }, 2},
		{"a wait or kill that told the exit, or a delivered notification", func(l ledger) { l.Outcome(one.ID, one.OutputPath) }, 1},
		{"by the id alone", func(l ledger) { l.Outcome(one.ID, "") }, 1},
		{"twice for one task pays once", func(l ledger) { l.Outcome(one.ID, ""); l.Outcome(one.ID, one.OutputPath) }, 1},
		{"each by its id", func(l ledger) { l.Outcome(one.ID, ""); l.Outcome(two.ID, "") }, 0},
		{"of a task that nobody launched", func(l ledger) { l.Outcome("bash_9", "") }, 2},
		{"of another task with that id", func(l ledger) { l.Outcome(one.ID, "/old/bash_1-0001.output") }, 2},
		{"a read while it runs", func(l ledger) { l.Read(one.OutputPath, at(3)) }, 2},
		{"a read that began before the end", func(l ledger) { l.Exit(one.ID, "", at(5)); l.Read(one.OutputPath, at(3)) }, 2},
		{"AC-62: a read at the instant of the end", func(l ledger) { l.Exit(one.ID, "", at(5)); l.Read(one.OutputPath, at(5)) }, 2},
		{"a read after the end", func(l ledger) { l.Exit(one.ID, "", at(5)); l.Read(one.OutputPath, at(6)) }, 1},
		{"D-24: an end that is noticed after the read", func(l ledger) { l.Read(one.OutputPath, at(6)); l.Exit(one.ID, "", at(5)) }, 1},
		{"D-24: the latest read counts", func(l ledger) {
			l.Read(one.OutputPath, at(6))
			l.Read(one.OutputPath, at(2))
			l.Exit(one.ID, "", at(5))
		}, 1},
		{"the first end counts", func(l ledger) {
			l.Exit(one.ID, "", at(5))
			l.Exit(one.ID, "", at(1))
			l.Read(one.OutputPath, at(3))
		}, 2},
		{"a read of another file", func(l ledger) { l.Exit(one.ID, "", at(5)); l.Read("/s/tasks/bash_7-0192.output", at(6)) }, 2},
		{"a read of the other task's file", func(l ledger) { l.Exit(one.ID, "", at(5)); l.Read(two.OutputPath, at(6)) }, 2},
		{"a read of nothing", func(l ledger) { l.Read("", at(6)) }, 2},
		{"AC-156: a surplus is not kept for a launch that follows", func(l ledger) {
			l.Outcome("bash_3", "")
			l.Read(bash(3).OutputPath, at(6))
			l.Launch(bash(3))
		}, 3},
		{"a launch that is told twice", func(l ledger) { l.Launch(one) }, 2},
		{"also when it is paid", func(l ledger) { l.Outcome(one.ID, ""); l.Launch(one) }, 1},
		{"D-22: an id begins anew with another file", func(l ledger) {
			l.Outcome(one.ID, "")
			l.Launch(continuation.Task{ID: one.ID, OutputPath: "/s/tasks/bash_1-0193.output"})
		}, 2},
		{"D-22: without a file, when the first is paid", func(l ledger) {
			l.Launch(continuation.Task{ID: "r"})
			l.Outcome("r", "")
			l.Launch(continuation.Task{ID: "r"})
		}, 3},
		{"a launch without an id can never be paid, so it is not taken", func(l ledger) { l.Launch(continuation.Task{OutputPath: "/x"}) }, 2},
		{"a task that another agent took over", func(l ledger) { l.Hand(two.ID, two.OutputPath) }, 1},
	}
	for _, tt := range tests {
		var l continuation.Ledger
		l.Launch(one)
		l.Launch(two)
		tt.do(&l)
		if got := l.Outstanding(); got != tt.want {
			t.Errorf("%s: owes %d, want %d: %v", tt.reason, got, tt.want, l.Owed())
		}
	}
}

func TestLedger_D08_pairsWhatItPays(t *testing.T) {
	t.Parallel()
	var l continuation.Ledger
	for n := range 3 {
		l.Launch(bash(n + 1))
	}
	if !l.Outcome("bash_2", "") || l.Outcome("bash_2", "") {
		t.Error("a payment counts the first time, and then no more")
	}
	if diff := cmp.Diff([]continuation.Task{bash(1), bash(3)}, l.Owed()); diff != "" {
		t.Errorf("owed, in order of launch (-want +got):\n%s", diff)
	}
}

func TestLedger_AC158_nil(t *testing.T) {
	t.Parallel()
	var l *continuation.Ledger
	l.Launch(bash(1))
	l.Exit("bash_1", "", at(1))
	if l.Outcome("bash_1", "") || l.Read("/x", at(2)) || l.Outstanding() != 0 || l.Owed() != nil {
		t.Error("nothing owes something")
	}
}

// naiveLedger keeps everything that happened and looks at it when it is asked.
type naiveLedger struct {
	launched []int
	paid     map[int]bool
	ended    map[int]int
	reads    map[int][]int
}

func (n *naiveLedger) owed() []continuation.Task {
	var owed []continuation.Task
	for _, id := range n.launched {
		paid := n.paid[id]
		if end, ok := n.ended[id]; ok {
			for _, r := range n.reads[id] {
				paid = paid || r > end
			}
		}
		if !paid {
			owed = append(owed, bash(id))
		}
	}
	return owed
}

func TestLedger_D08_likeANaiveOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var l continuation.Ledger
		n := naiveLedger{paid: map[int]bool{}, ended: map[int]int{}, reads: map[int][]int{}}
		has := func(id int) bool {
			for _, have := range n.launched {
				if have == id {
					return true
				}
			}
			return false
		}
		for range rapid.IntRange(0, 40).Draw(rt, "steps") {
			id, when := rapid.IntRange(1, 4).Draw(rt, "task"), rapid.IntRange(0, 9).Draw(rt, "at")
			task := bash(id)
			switch rapid.SampledFrom([]string{"launch", "exit", "outcome", "read"}).Draw(rt, "what") {
			case "launch":
				l.Launch(task)
				if !has(id) {
					n.launched = append(n.launched, id)
				}
			case "exit":
				l.Exit(task.ID, task.OutputPath, at(when))
				if _, ok := n.ended[id]; !ok && has(id) {
					n.ended[id] = when
				}
			case "outcome":
				l.Outcome(task.ID, rapid.SampledFrom([]string{"", task.OutputPath}).Draw(rt, "path"))
				n.paid[id] = n.paid[id] || has(id)
			case "read":
				l.Read(task.OutputPath, at(when))
				if has(id) {
					n.reads[id] = append(n.reads[id], when)
				}
			}
			if diff := cmp.Diff(n.owed(), l.Owed()); diff != "" {
				rt.Fatalf("owed (-naive +ledger):\n%s", diff)
			}
			if l.Outstanding() != len(n.owed()) {
				rt.Fatalf("outstanding is %d", l.Outstanding())
			}
		}
	})
}
