package exectest

import (
	"context"
	"strconv"
	"strings"

	"github.com/stophook/stophook/execctx"
)

func destroyChecks() []check {
	launch := []need{needLaunch}
	return []check{
		{"EX-47: destroying ends every task, with its output complete", launch, checkDestroyEnds},
		{"EX-47: exits of destroyed tasks are told before destroying is over", []need{needLaunch, needPush}, checkDestroyTells},
		{"EX-47: destroying ends groups, survivors of ended tasks too", []need{needLaunch, needProcesses}, checkDestroyGroups},
		{"EX-47, D-15: destroying ends what ignores SIGTERM", []need{needLaunch, needGrace}, checkDestroyStubborn},
		{"EX-47: destroying one handle leaves others alone", []need{needLaunch, needList}, checkDestroyOthers},
		{"EX-47: destroying whose context has ended kills all the same", []need{needLaunch, needPush}, checkDestroyContext},
		{"EX-48: destroying is safe with nothing to end, and to repeat", nil, checkDestroyAgain},
		{"EX-48: destroying several times at once", launch, checkDestroyTogether},
		{"EX-49: files stay", launch, checkDestroyFiles},
		{"EX-14: foreground commands are no tasks, and are destroyed as well", nil, checkDestroyExec},
	}
}

func checkDestroyEnds(e *env) {
	h, reader := e.spawn(), e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	e.destroy(h)
	e.same("output", e.read(reader, t.OutputPath), "ready\nbye\n")
}

func checkDestroyTells(e *env) {
	h := e.spawn()
	t, over := e.launch(h, sleepLong), e.launch(h, succeed)
	e.ended(over)
	e.destroy(h)
	for _, t := range []task{t, over} {
		if n := len(t.told.exitList()); n != 1 {
			e.Errorf("the exit of %s was told %d times when destroying was over", t.TaskID, n)
		}
	}
	if exits := t.told.exitList(); len(exits) == 1 {
		e.wantEnd(exits[0], execctx.StatusKilled, 143, "SIGTERM")
	}
}

func checkDestroyGroups(e *env) {
	h := e.spawn()
	tree := e.launch(h, treeOfThree)
	e.awaitLog(h, tree.OutputPath, "ready\n")
	group := e.groupOf(tree.PID)
	left := e.launch(h, leaveChild)
	e.ended(left)
	child, err := strconv.Atoi(strings.TrimSpace(e.read(h, left.OutputPath)))
	e.must(err, "read the child's id")
	if !e.alive(child) {
		e.Error("the child did not survive its parent's exit")
	}
	e.destroy(h)
	if members := e.groupMembers(group); len(members) > 0 {
		e.Errorf("alive: %v", members)
	}
	if e.alive(child) {
		e.Errorf("the child %d of an ended task is alive", child)
	}
}

func checkDestroyStubborn(e *env) {
	h := e.spawn()
	t := e.launch(h, ignoreTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	e.destroy(h)
	if exits := t.told.exitList(); e.Context.Capabilities().Push && len(exits) == 1 {
		e.wantEnd(exits[0], execctx.StatusKilled, 137, "SIGKILL")
	}
}

func checkDestroyOthers(e *env) {
	a, b := e.spawn(), e.spawn()
	e.launch(a, sleepLong)
	t := e.launch(b, awaitGo)
	e.destroy(a)
	if entry, _ := e.entry(b, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the other handle's task is %s", entry.Status)
	}
	e.touch(b, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkDestroyContext(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	_ = e.Context.Destroy(ctx, h) // the reason, or nil when it was fast enough
	e.until("the exit is told", func() bool { return len(t.told.exitList()) == 1 })
	e.destroy(h)
}

func checkDestroyAgain(e *env) {
	h := e.spawn()
	for range 3 {
		e.destroy(h)
	}
	e.destroy(execctx.Handle{ID: "exectest-never", Type: h.Type})
}

func checkDestroyTogether(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() { errs <- e.Context.Destroy(e.ctx, h) }()
	}
	for range cap(errs) {
		e.must(receive(e, "a destroy", errs), "destroy")
	}
	e.same("output", e.read(e.spawn(), t.OutputPath), "ready\nbye\n")
}

func checkDestroyFiles(e *env) {
	h, reader := e.spawn(), e.spawn()
	t := e.launch(h, printHello)
	e.ended(t)
	e.touch(h, "mine")
	e.destroy(h)
	e.same("log", e.read(reader, t.OutputPath), "hello\n")
	e.same("file", e.read(reader, "mine"), "x")
}

func checkDestroyExec(e *env) {
	h := e.spawn()
	done := make(chan execctx.ExecResult, 1)
	go func() {
		result, _ := e.Context.Exec(e.ctx, h, execctx.ExecRequest{Command: sleepLong})
		done <- result
	}()
	e.pause(checkPause)
	if e.lacks(needList) == "" {
		e.same("listed", e.ids(h), []string{})
	}
	e.destroy(h)
	// When the command had not begun by then, the handle was unknown: no code.
	if result := receive(e, "the foreground command", done); result.ExitCode != nil {
		e.same("exit code", *result.ExitCode, 143)
	}
}
