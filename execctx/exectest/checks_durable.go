package exectest

import (
	"github.com/stophook/stophook/execctx"
)

func durableChecks() []check {
	reopen := []need{needDurable, needReopen, needLaunch, needList}
	with := func(more ...need) []need { return append(append([]need(nil), reopen...), more...) }
	return []check{
		{"EX-81: a new context finds running and terminated tasks of a handle", reopen, checkReopenLists},
		{"EX-81: a new context waits for a task of the old one", with(needWait), checkReopenWaits},
		{"EX-81: a new context kills a task of the old one", with(needKill), checkReopenKills},
		{"EX-81: a new context destroys tasks of the old one", reopen, checkReopenDestroys},
		{"EX-81: a new context reassigns a task of the old one", with(needReassign), checkReopenReassigns},
		{"EX-81, EX-33: a new context repeats no id of the handle", reopen, checkReopenIDs},
		{"EX-81: both contexts see the same exit", with(needWait), checkReopenAgree},
	}
}

// reopened is the suite with a new context on the subject's store.
func (e *env) reopened() *env {
	e.Helper()
	later := *e
	later.Context = e.Reopen()
	later.Subject.Context = later.Context
	if later.Context == nil {
		e.Fatal("Reopen gave no context")
	}
	return &later
}

// bind gives a known handle in this context.
func (e *env) bind(h execctx.Handle) execctx.Handle {
	e.Helper()
	bound, err := e.Context.Spawn(e.ctx, execctx.SpawnConfig{HandleID: h.ID, CWD: h.CWD})
	e.must(err, "bind to the handle "+h.ID)
	if bound.ID != h.ID {
		e.Fatalf("asked for the handle %s and got %s", h.ID, bound.ID)
	}
	e.destroyAtEnd(e.Context, bound)
	return bound
}

// at is the task as seen from a handle.
func (t task) at(h execctx.Handle) task {
	t.handle = h
	return t
}

func checkReopenLists(e *env) {
	h := e.spawn()
	over := e.launch(h, failWith3)
	want := e.ended(over)
	runs := e.launch(h, sleepLong)
	later := e.reopened()
	bound := later.bind(h)
	e.same("listed", later.ids(bound), []string{over.TaskID, runs.TaskID})
	entry, _ := later.entry(bound, over.TaskID)
	e.same("exit", entry.ExitInfo, want)
	entry, _ = later.entry(bound, runs.TaskID)
	if entry.Status != execctx.StatusRunning || entry.PID != runs.PID || entry.OutputPath != runs.OutputPath || entry.HandleID != h.ID {
		e.Errorf("listed as %+v, launched as %+v", entry, runs.Launched)
	}
}

func checkReopenWaits(e *env) {
	h := e.spawn()
	t := e.launch(h, aroundGo)
	later := e.reopened()
	bound := later.bind(h)
	later.touch(bound, goFile)
	e.wantEnd(later.ended(t.at(bound)), execctx.StatusExited, 0, "")
	e.same("log", later.read(bound, t.OutputPath), "before\nafter\n")
}

func checkReopenKills(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	later := e.reopened()
	bound := later.bind(h)
	e.wantEnd(later.kill(t.at(bound)), execctx.StatusKilled, 5, "")
	e.same("log", later.read(bound, t.OutputPath), "ready\nbye\n")
	e.until("the old context sees the end", func() bool {
		entry, ok := e.entry(h, t.TaskID)
		return ok && entry.Status == execctx.StatusKilled
	})
}

func checkReopenDestroys(e *env) {
	h, reader := e.spawn(), e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	later := e.reopened()
	later.destroy(later.bind(h))
	e.same("log", e.read(reader, t.OutputPath), "ready\nbye\n")
}

func checkReopenReassigns(e *env) {
	a, b := e.spawn(), e.spawn()
	t := e.launch(a, awaitGo)
	later := e.reopened()
	from, to := later.bind(a), later.bind(b)
	later.reassign(from, to, nil)
	e.same("listed by the old handle", later.ids(from), []string{})
	e.same("listed by the new handle", later.ids(to), []string{t.TaskID})
	later.touch(from, goFile)
	later.until("the end", func() bool {
		entry, _ := later.entry(to, t.TaskID)
		return entry.Ended()
	})
}

func checkReopenIDs(e *env) {
	h := e.spawn()
	first := e.launch(h, succeed)
	e.ended(first)
	later := e.reopened()
	bound := later.bind(h)
	second := later.launch(bound, succeed)
	later.ended(second)
	if first.TaskID == second.TaskID {
		e.Errorf("both tasks are %s", first.TaskID)
	}
	e.same("listed", later.ids(bound), []string{first.TaskID, second.TaskID})
}

func checkReopenAgree(e *env) {
	h := e.spawn()
	later := e.reopened()
	bound := later.bind(h)
	t := e.launch(h, awaitGo)
	got := make(chan *execctx.ExitInfo, 2)
	go func() {
		info, _ := execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0)
		got <- info
	}()
	go func() {
		info, _ := execctx.Wait(e.ctx, later.Context, bound, t.TaskID, 0)
		got <- info
	}()
	e.touch(h, goFile)
	first, second := receive(e, "a wait", got), receive(e, "a wait", got)
	if first == nil || second == nil {
		e.Fatalf("the waits gave %v and %v", first, second)
	}
	e.same("second answer", *second, *first)
}
