package exectest

import (
	"errors"
	"slices"

	"github.com/stophook/stophook/execctx"
)

func reassignChecks() []check {
	reassign := []need{needLaunch, needReassign, needList}
	push := append(slices.Clone(reassign), needPush)
	return []check{
		{"EX-8, D-12: running tasks move, terminated ones stay", reassign, checkReassignMoves},
		{"EX-8: a moved task is the new handle's, under its id", append(slices.Clone(reassign), needKill), checkReassignOwner},
		{"EX-8, D-12: the exit is told to the new owner", push, checkReassignExit},
		{"EX-8: without a callback nobody is told", push, checkReassignSilent},
		{"EX-8: with nothing to move, nothing moves", reassign, checkReassignNothing},
		{"EX-8: unknown handles are refused, and nothing moves", reassign, checkReassignUnknown},
		{"EX-8: destroying the old handle leaves moved tasks alone", reassign, checkReassignThenDestroy},
		{"EX-8: who waits for a task gets its exit across a move", append(slices.Clone(reassign), needWait), checkReassignWait},
	}
}

func (e *env) reassign(from, to execctx.Handle, told *told) []execctx.TaskEntry {
	e.Helper()
	req := execctx.ReassignRequest{From: from, To: to}
	if told != nil {
		req.OnExit, req.OnStall = told.exit, told.stall
	}
	moved, err := execctx.Reassign(e.ctx, e.Context, req)
	e.must(err, "reassign")
	return moved
}

func checkReassignMoves(e *env) {
	a, b := e.spawn(), e.spawn()
	over := e.launch(a, failWith3)
	e.ended(over)
	one, two := e.launch(a, sleepLong), e.launch(a, sleepLong)
	var ids []string
	for _, entry := range e.reassign(a, b, nil) {
		ids = append(ids, entry.TaskID)
		if entry.HandleID != b.ID || entry.Status != execctx.StatusRunning {
			e.Errorf("moved %+v, want it running and of %s", entry, b.ID)
		}
	}
	e.same("moved", ids, []string{one.TaskID, two.TaskID})
	e.same("listed by the old handle", e.ids(a), []string{over.TaskID})
	e.same("listed by the new handle", e.ids(b), []string{one.TaskID, two.TaskID})
	if entry, _ := e.entry(b, one.TaskID); entry.PID != one.PID || entry.OutputPath != one.OutputPath || entry.HandleID != b.ID {
		e.Errorf("moved as %+v, launched as %+v", entry, one.Launched)
	}
}

func checkReassignOwner(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, sleepLong)
	e.reassign(a, b, nil)
	info, err := execctx.Kill(e.ctx, e.Context, a, t.TaskID)
	e.wantNothing("a kill by the old handle", info, err)
	t.handle = b
	e.wantEnd(e.kill(t), execctx.StatusKilled, 143, "SIGTERM")
}

func checkReassignExit(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGo)
	now := &told{}
	e.reassign(a, b, now)
	e.touch(a, goFile)
	e.until("the exit is told to the new owner", func() bool { return len(now.exitList()) > 0 })
	e.destroy(b)
	e.pause(checkPause)
	if n := len(now.exitList()); n != 1 {
		e.Errorf("the new owner was told %d times", n)
	}
	if exits := t.told.exitList(); len(exits) > 0 {
		e.Errorf("the old owner was told %v", exits)
	}
}

func checkReassignSilent(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGo)
	e.reassign(a, b, nil)
	e.touch(a, goFile)
	e.until("the exit in the list", func() bool {
		entry, ok := e.entry(b, t.TaskID)
		return ok && entry.Ended()
	})
	e.destroy(b)
	if exits := t.told.exitList(); len(exits) > 0 {
		e.Errorf("the old owner was told %v", exits)
	}
}

func checkReassignNothing(e *env) {
	a, b := e.spawn(), e.spawn()
	e.ended(e.launch(a, succeed))
	if moved := e.reassign(a, b, nil); len(moved) > 0 {
		e.Errorf("moved %v", moved)
	}
}

func checkReassignUnknown(e *env) {
	h, gone := e.spawn(), e.spawn()
	e.destroy(gone)
	t := e.launch(h, sleepLong)
	for _, req := range []execctx.ReassignRequest{{From: h, To: gone}, {From: gone, To: h}} {
		moved, err := execctx.Reassign(e.ctx, e.Context, req)
		if !errors.Is(err, execctx.ErrUnknownHandle) || len(moved) > 0 {
			e.Errorf("from %s to %s: %v, %v, want %v", req.From.ID, req.To.ID, moved, err, execctx.ErrUnknownHandle)
		}
	}
	e.same("listed", e.ids(h), []string{t.TaskID})
}

func checkReassignThenDestroy(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGo)
	e.reassign(a, b, nil)
	e.touch(a, "other")
	e.destroy(a)
	entry, ok := e.entry(b, t.TaskID)
	if !ok || entry.Status != execctx.StatusRunning {
		e.Errorf("listed: %v, as %s", ok, entry.Status)
	}
	e.touch(b, goFile) // both have the same folder
	e.until("the end", func() bool {
		entry, _ := e.entry(b, t.TaskID)
		return entry.Ended()
	})
}

func checkReassignWait(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGo)
	got := make(chan *execctx.ExitInfo, 1)
	go func() {
		info, _ := execctx.Wait(e.ctx, e.Context, a, t.TaskID, 0)
		got <- info
	}()
	e.pause(checkPause) // the wait has most likely begun; if not, it gives nothing
	e.reassign(a, b, nil)
	e.touch(a, goFile)
	if info := receive(e, "the wait", got); info != nil {
		e.wantEnd(*info, execctx.StatusExited, 0, "")
	}
}
