package exectest

import (
	"context"
	"reflect"
	"time"

	"github.com/stophook/stophook/execctx"
)

func listChecks() []check {
	list := []need{needLaunch, needList}
	return []check{
		{"EX-6: terminated tasks stay listed until the handle is destroyed", list, checkListStays},
		{"EX-6: tasks are listed in the order of their ids", list, checkListOrder},
		{"EX-6: a handle lists its own tasks only", list, checkListOwn},
		{"EX-6, EX-52: the list shows each change", list, checkListChanges},
		{"EX-11: a running task has neither code, signal nor end", list, checkRunningEntry},
		{"EX-11: a terminated task has all, and when it ended", list, checkEndedEntry},
		{"EX-12: a snapshot is the caller's own", list, checkSnapshot},
	}
}

func checkListStays(e *env) {
	h := e.spawn()
	t := e.launch(h, failWith3)
	e.ended(t)
	for range 2 {
		e.same("listed", e.ids(h), []string{t.TaskID})
	}
	e.launch(h, succeed)
	e.destroy(h)
	e.same("listed after destroying", e.ids(h), []string{})
}

func checkListOrder(e *env) {
	h := e.spawn()
	var want []string
	for range 12 { // so that bash_10 comes after bash_9
		t := e.launch(h, succeed)
		e.ended(t)
		want = append(want, t.TaskID)
	}
	e.same("listed", e.ids(h), want)
}

func checkListOwn(e *env) {
	a, b := e.spawn(), e.spawn()
	ta, tb := e.launch(a, sleepLong), e.launch(b, succeed)
	e.ended(tb)
	e.same("listed by the first", e.ids(a), []string{ta.TaskID})
	e.same("listed by the second", e.ids(b), []string{tb.TaskID})
	e.destroy(a)
	e.same("listed by the second, with the first destroyed", e.ids(b), []string{tb.TaskID})
}

func checkListChanges(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo)
	if entry, ok := e.entry(h, t.TaskID); !ok || entry.Status != execctx.StatusRunning {
		e.Errorf("listed as %v %+v when it runs", ok, entry)
	}
	e.touch(h, goFile)
	e.ended(t)
	if entry, ok := e.entry(h, t.TaskID); !ok || entry.Status != execctx.StatusExited {
		e.Errorf("listed as %v %+v when it has exited", ok, entry)
	}
}

func checkRunningEntry(e *env) {
	h := e.spawn()
	t := e.launch(h, helloSleep)
	e.awaitLog(h, t.OutputPath, "begun\n")
	e.until("the output is counted", func() bool {
		entry, _ := e.entry(h, t.TaskID)
		return entry.BytesWritten == 6
	})
	entry, _ := e.entry(h, t.TaskID)
	want := execctx.TaskEntry{
		ExitInfo: execctx.ExitInfo{
			TaskID: t.TaskID, Status: execctx.StatusRunning, OutputPath: t.OutputPath, Command: helloSleep, Warnings: entry.Warnings,
		},
		HandleID: h.ID, PID: t.PID, CWD: h.CWD, StartedAt: entry.StartedAt, BytesWritten: 6,
	}
	e.same("entry", entry, want)
	if !entry.StartedAt.Equal(t.StartedAt) {
		e.Errorf("started at %v, the launch said %v", entry.StartedAt, t.StartedAt)
	}
}

// clockSlack is how far two readings of the machine's clocks may be apart: those
// of files are coarser.
const clockSlack = 100 * time.Millisecond

func checkEndedEntry(e *env) {
	h := e.spawn()
	t := e.launch(h, printHello)
	info := e.ended(t)
	noticed := time.Now()
	entry, _ := e.entry(h, t.TaskID)
	e.same("exit", entry.ExitInfo, info)
	e.same("bytes written", entry.BytesWritten, int64(6))
	e.same("process", entry.PID, t.PID)
	if entry.EndedAt.Before(entry.StartedAt.Add(-clockSlack)) || entry.EndedAt.After(noticed.Add(clockSlack)) {
		e.Errorf("ended at %v, started at %v, noticed at %v", entry.EndedAt, entry.StartedAt, noticed)
	}
	// When it ended does not depend on when it was looked at.
	e.pause(checkPause)
	again, _ := e.entry(h, t.TaskID)
	e.same("entry, looked at later", again, entry)
}

func checkSnapshot(e *env) {
	h := e.spawn()
	t := e.launch(h, failWith3)
	info := e.ended(t)
	for range 2 {
		entries := e.list(h)
		if len(entries) != 1 || entries[0].ExitCode == nil {
			e.Fatalf("listed %+v", entries)
		}
		*entries[0].ExitCode = 77
		entries[0].Command = "changed"
		if info.ExitCode != nil {
			*info.ExitCode = 78
		}
	}
	entry, _ := e.entry(h, t.TaskID)
	e.wantEnd(entry.ExitInfo, execctx.StatusExited, 3, "")
	e.same("command", entry.Command, failWith3)
	for _, forbidden := range []string{"Process", "Cmd"} {
		if _, found := reflect.TypeFor[execctx.TaskEntry]().FieldByName(forbidden); found {
			e.Errorf("an entry has a %s", forbidden)
		}
	}
}

func waitChecks() []check {
	wait := []need{needLaunch, needWait}
	return []check{
		{"EX-7: a wait gives the exit", wait, checkWaitExit},
		{"EX-7: a wait for an ended task answers at once", wait, checkWaitEnded},
		{"EX-7, D-19: a wait gives nothing when its timeout passed", wait, checkWaitTimeout},
		{"EX-7, D-19: a wait gives nothing when its caller gave up", wait, checkWaitCanceled},
		{"EX-7, D-19: a wait gives nothing for an unknown id", wait, checkWaitUnknown},
		{"EX-7: several waits for one task all get the exit", wait, checkWaitTogether},
		{"EX-7: a wait for a task that is destroyed ends", wait, checkWaitDestroyed},
	}
}

func checkWaitExit(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo)
	got := make(chan *execctx.ExitInfo, 1)
	go func() {
		info, _ := execctx.Wait(e.ctx, e.Context, h, t.TaskID, e.Patience)
		got <- info
	}()
	e.touch(h, goFile)
	info := receive(e, "the wait", got)
	if info == nil {
		e.Fatal("the wait gave nothing")
	}
	e.wantEnd(*info, execctx.StatusExited, 0, "")
	e.same("id", info.TaskID, t.TaskID)
}

func checkWaitEnded(e *env) {
	h := e.spawn()
	t := e.launch(h, failWith3)
	first := e.ended(t)
	e.same("second wait", e.ended(t), first)
}

// wantNothing checks an answer that is none.
func (e *env) wantNothing(what string, info *execctx.ExitInfo, err error) {
	e.Helper()
	if info != nil || err != nil {
		e.Errorf("%s: %+v, %v, want nothing and no error", what, info, err)
	}
}

func checkWaitTimeout(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo)
	info, err := execctx.Wait(e.ctx, e.Context, h, t.TaskID, 10*time.Millisecond)
	e.wantNothing("a wait that timed out", info, err)
	e.touch(h, goFile) // the task was not touched
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkWaitCanceled(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo)
	ctx, cancel := context.WithTimeout(e.ctx, 10*time.Millisecond)
	defer cancel()
	info, err := execctx.Wait(ctx, e.Context, h, t.TaskID, 0)
	e.wantNothing("a wait that was given up", info, err)
	info, err = execctx.Wait(ctx, e.Context, h, t.TaskID, 0)
	e.wantNothing("a wait that was given up before it began", info, err)
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkWaitUnknown(e *env) {
	h, other := e.spawn(), e.spawn()
	t := e.launch(h, sleepLong)
	info, err := execctx.Wait(e.ctx, e.Context, h, "bash_99", 0)
	e.wantNothing("a wait for bash_99", info, err)
	info, err = execctx.Wait(e.ctx, e.Context, other, t.TaskID, 0)
	e.wantNothing("a wait by another handle", info, err)
}

func checkWaitTogether(e *env) {
	h := e.spawn()
	t := e.launch(h, awaitGo)
	const n = 8
	got := make(chan *execctx.ExitInfo, n)
	for range n {
		go func() {
			info, _ := execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0)
			got <- info
		}()
	}
	e.touch(h, goFile)
	for range n {
		info := receive(e, "a wait", got)
		if info == nil {
			e.Fatal("a wait gave nothing")
		}
		e.wantEnd(*info, execctx.StatusExited, 0, "")
	}
}

func checkWaitDestroyed(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	got := make(chan error, 1)
	go func() {
		_, err := execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0)
		got <- err
	}()
	e.destroy(h)
	e.must(receive(e, "the wait", got), "wait")
}
