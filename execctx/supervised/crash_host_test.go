//go:build unix

package supervised

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stophook/stophook/execctx"
)

const awaitGo = "echo begun; until [ -e go ]; do sleep 0.01; done; echo went; exit 3"

// EX-81: the host is killed in every phase of a launch. Another one on the same
// handle then finds one task that goes its way, or none.
func TestHostKilled_launch_EX81(t *testing.T) {
	for _, tt := range []struct {
		step string
		task bool // there is one in the end
	}{
		{"allocated", false}, // an id, and no supervisor
		{"forked", false},    // a supervisor that is not told everything
		{"sent", true},       // one that is
		{"planned", true},
		{"recorded", true}, // on record, the command not begun
		{"started", true},  // begun, without its number on record
		{"noted", true},    // on record, and the host not told
		{"told", true},
	} {
		t.Run(tt.step, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			victim := l.host(theHandle, tt.step)
			victim.order(order{Op: "launch", Command: awaitGo})
			l.at(tt.step)
			victim.sigkill()
			l.goOn(tt.step)

			c, h := l.open(theHandle)
			if !tt.task {
				l.wantNothing(c, h)
				return
			}
			l.eventually("the task is listed", func() bool { return len(l.list(c, h)) == 1 })
			entry := l.list(c, h)[0]
			if entry.Status != execctx.StatusRunning || entry.TaskID != "bash_1" || !runs(entry.PID) {
				t.Errorf("listed as %+v", entry)
			}
			l.touch("go")
			l.wantCode(l.ended(c, h, "bash_1"), execctx.StatusExited, 3)
			l.wantLog(entry.OutputPath, "begun\nwent\n")
			if entries := l.list(c, h); len(entries) != 1 || entries[0].Status != execctx.StatusExited {
				t.Errorf("listed afterwards: %+v", entries)
			}
		})
	}
}

// wantNothing: no task, no file, no process; the id was never given.
func (l *lab) wantNothing(c *Context, h execctx.Handle) {
	l.Helper()
	if entries := l.list(c, h); len(entries) > 0 {
		l.Errorf("listed %+v", entries)
	}
	if logs, _ := filepath.Glob(filepath.Join(l.dir, "logs", "*")); len(logs) > 0 {
		l.Errorf("files %v", logs)
	}
	// A supervisor that was started inherits the lock and ends on its own.
	l.eventually("the lock of what was begun is free", func() bool {
		busy, _ := held(filepath.Join(l.dir, "store", "bash_1", fileLock))
		return !busy
	})
	if got := l.launch(c, h, "exit 4"); got.TaskID != "bash_1" {
		l.Errorf("the next task is %s", got.TaskID)
	}
	l.wantCode(l.ended(c, h, "bash_1"), execctx.StatusExited, 4)
}

func (l *lab) wantLog(name, want string) {
	l.Helper()
	data, err := os.ReadFile(name)
	if err != nil || string(data) != want {
		l.Errorf("log %q, %v, want %q", data, err, want)
	}
}

// EX-81: the host is killed while the task runs, ends, or is over; another one
// waits, and gets the true end.
func TestHostKilled_later_EX81(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop string // where the supervisor stops
		kill func(l *lab)
	}{
		{"while it runs", "", func(l *lab) {}},
		{"between the end and its record", "ended", func(l *lab) { l.touch("go"); l.at("ended") }},
		{"between the record and the lock", "written", func(l *lab) { l.touch("go"); l.at("written") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			victim := l.host(theHandle, tt.stop)
			launched := victim.launch(awaitGo)
			tt.kill(l)
			victim.sigkill()

			c, h := l.open(theHandle)
			if entries := l.list(c, h); len(entries) != 1 || entries[0].PID != launched.PID || !entries[0].StartedAt.Equal(launched.StartedAt) {
				t.Fatalf("listed %+v, launched %+v", entries, launched)
			}
			got := make(chan execctx.ExitInfo, 1)
			go func() {
				info, _ := c.WaitBackground(t.Context(), h, launched.TaskID, 0)
				if info != nil {
					got <- *info
				}
				close(got)
			}()
			l.touch("go")
			if tt.stop != "" {
				l.goOn(tt.stop)
			}
			l.wantCode(<-got, execctx.StatusExited, 3)
			l.wantLog(launched.OutputPath, "begun\nwent\n")
		})
	}
}

// EX-5, EX-81: the task of a host that was killed is ended as a group, by another.
func TestHostKilled_thenKill_EX5_EX81(t *testing.T) {
	l := newLab(t)
	victim := l.host(theHandle)
	victim.launch("(trap '' TERM; echo $$ > leader; sh -c 'echo $$ > child; while :; do sleep 0.01; done') & wait")
	leader, child := l.number("leader"), l.number("child")
	victim.sigkill()
	c, h := l.open(theHandle)
	info, err := c.KillBackground(t.Context(), h, "bash_1")
	if err != nil || info == nil {
		t.Fatal(info, err)
	}
	l.wantCode(*info, execctx.StatusKilled, 143)
	if runs(leader) || runs(child) {
		t.Error("somebody of the group lives on")
	}
}

// Destroying ends tasks of a dead host, and forgets them for everybody; files
// stay (EX-47, EX-49).
func TestHostKilled_thenDestroy_EX47(t *testing.T) {
	l := newLab(t)
	victim := l.host(theHandle)
	running := victim.launch("echo here; exec sleep 1000")
	ended := victim.launch("exit 3")
	victim.do(order{Op: "wait", Task: ended.TaskID})
	victim.sigkill()
	c, h := l.open(theHandle)
	l.eventually("its output", func() bool { return l.list(c, h)[0].BytesWritten == 5 })
	if err := c.Destroy(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if runs(running.PID) {
		t.Error("the task lives on")
	}
	l.wantLog(running.OutputPath, "here\n")
	again, h := l.open(theHandle)
	if entries := l.list(again, h); len(entries) > 0 {
		t.Errorf("listed afterwards: %+v", entries)
	}
	if next := l.launch(again, h, "true"); next.TaskID != "bash_3" {
		t.Errorf("the next id is %s", next.TaskID)
	}
}
