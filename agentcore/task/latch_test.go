package task

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// Ids begin anew with every context: the file tells a new bash_1 from the one that was
// told before the restart (D-22).
func TestLatch_aNewTaskWithAnOldID_D22_AC34(t *testing.T) {
	old := build()
	fresh := old
	fresh.OutputPath = logDir + "bash_1.20261005-100000-000.log"
	l := FromBlocks([]string{"words", old.Block() + "\n\nthe prompt"})
	if !l.Has(old.Key()) || l.Has(fresh.Key()) || l.Len() != 1 {
		t.Error("the latch does not tell two tasks of one id apart")
	}
	if old.Key().TaskID() != "bash_1" || old.Key().OutputPath() != old.OutputPath {
		t.Errorf("key %+v", old.Key())
	}
}

// A task without a file is known by owner, id and start, and stays so in the history
// (D-22).
func TestLatch_withoutAFile_D22(t *testing.T) {
	remote := build()
	remote.OutputPath = ""
	l := FromBlocks([]string{remote.Block()})
	if !l.Has(remote.Key()) {
		t.Error("forgotten in the history")
	}
	later, other := remote, remote
	later.StartedAt = morning.Add(1e9)
	other.HandleID = "h2"
	if l.Has(later.Key()) || l.Has(other.Key()) {
		t.Error("two tasks have one key")
	}
	// A block of an old session without a file says only an id, which no task that is
	// listed has as its key.
	if FromBlocks([]string{"<task-notification><task-id>bash_1</task-id><status>exited</status></task-notification>"}).Has(remote.Key()) {
		t.Error("latched by the id alone")
	}
}

// AC-74, D-27: neither a stall nor a notice without an end latches.
func TestLatch_onlyEnds_AC74_D27(t *testing.T) {
	l := FromBlocks([]string{
		Stall{TaskID: "bash_1", OutputPath: build().OutputPath}.Block(),
		"<task-notification><task-id>b12345678</task-id><summary>a silence</summary></task-notification>",
		"he said " + build().Block(),
	})
	if l.Len() != 0 {
		t.Errorf("%d latched", l.Len())
	}
}

// The latch of a history is that of the live agent, for any exits (AC-34).
func TestLatch_ofHistoryIsTheLiveOne_AC34(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := NewLatch()
		var texts []string
		for _, e := range rapid.SliceOf(anyExit()).Draw(t, "exits") {
			if had := live.Has(e.Key()); live.Add(e.Key()) == had || !live.Has(e.Key()) {
				t.Fatalf("%+v was latched: %v", e.Key(), had)
			}
			texts = append(texts, e.Block())
		}
		again := FromBlocks(texts)
		if again.Len() != live.Len() {
			t.Fatalf("%d in the history, %d live", again.Len(), live.Len())
		}
		for k := range live.known {
			if !again.Has(k) || again.Add(k) {
				t.Fatalf("%+v is not in the history", k)
			}
		}
	})
}

func TestLatch_clonesAndJoins_AC40(t *testing.T) {
	l := FromBlocks([]string{build().Block()})
	c := l.Clone()
	c.Add(dev().Key())
	if l.Has(dev().Key()) || !c.Has(dev().Key()) || !c.Has(build().Key()) {
		t.Error("a clone is not its own")
	}
	l.Join(c)
	if !l.Has(dev().Key()) {
		t.Error("joined without effect")
	}
}

// What a context reports comes over whole; a task that runs is no exit.
func TestFromEntry_AC31_D41(t *testing.T) {
	h := execctx.Handle{ID: "h1"}
	info := execctx.ExitInfo{TaskID: "bash_1", Status: execctx.StatusKilled, ExitCode: code(143), Signal: "SIGTERM", OutputPath: "/l", DurationMS: 1500, Command: "sleep 9"}
	pushed := FromExit(h, info, morning)
	listed, ok := FromEntry(h, execctx.TaskEntry{ExitInfo: info, HandleID: "h1", StartedAt: morning.Add(-pushed.Duration), EndedAt: morning})
	*info.ExitCode = 0 // of the context, not of the exit
	if !ok || pushed.Key() != listed.Key() || EventOf(pushed).Summary != EventOf(listed).Summary || *pushed.ExitCode != 143 ||
		!pushed.StartedAt.Equal(listed.StartedAt) || !pushed.EndedAt.Equal(listed.EndedAt) || pushed.HandleID != "h1" {
		t.Errorf("pushed %+v\nlisted %+v", pushed, listed)
	}
	if moved, _ := FromEntry(h, execctx.TaskEntry{ExitInfo: info, HandleID: "h2"}); moved.HandleID != "h2" {
		t.Errorf("owner %q", moved.HandleID)
	}
	if _, ok := FromEntry(h, execctx.TaskEntry{ExitInfo: execctx.ExitInfo{TaskID: "bash_1", Status: execctx.StatusRunning}}); ok {
		t.Error("a task that runs has ended")
	}
	if e := FromExit(h, info, pushed.EndedAt.AddDate(-5000, 0, 0)); e.Duration < 0 {
		t.Error(e)
	}
	if s := FromStall(h, execctx.StallInfo{TaskID: "bash_1", Command: "c", OutputPath: "/l", StalledForMS: 45000}); s != (Stall{TaskID: "bash_1", HandleID: "h1", Command: "c", OutputPath: "/l", StalledFor: 45e9}) {
		t.Errorf("%+v", s)
	}
}
