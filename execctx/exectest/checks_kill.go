package exectest

import (
	"context"
	"strings"
	"time"

	"github.com/stophook/stophook/execctx"
)

func killChecks() []check {
	kill := []need{needLaunch, needKill}
	return []check{
		{"EX-5: a kill answers when the task has ended and its log is complete", kill, checkKillAnswers},
		{"EX-5: a kill shows in the list at once", []need{needLaunch, needKill, needList}, checkKillListed},
		{"EX-5: an unknown id gives nothing and no error", kill, checkKillUnknown},
		{"EX-5: a repeated kill does nothing", kill, checkKillAgain},
		{"EX-5: a kill of an ended task gives its exit", kill, checkKillEnded},
		{"EX-5: nobody kills a task of another handle", []need{needLaunch, needKill, needList}, checkKillForeign},
		{"EX-5: several kills of one task get the same answer", kill, checkKillTogether},
		{"EX-5, EX-52: a kill ends the whole group", []need{needLaunch, needKill, needProcesses}, checkKillGroup},
		{"EX-5: the context of a kill bounds the waiting only", []need{needLaunch, needKill, needList}, checkKillContext},
		{"EX-54, D-15: a task that ignores SIGTERM gets SIGKILL after the grace", []need{needLaunch, needKill, needGrace}, checkKillGrace},
		{"EX-44: a kill after the end is no error, however late", kill, checkKillLate},
	}
}

func checkKillAnswers(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	info := e.kill(t)
	e.same("output when the kill answered", e.read(h, t.OutputPath), "ready\nbye\n")
	e.same("id", info.TaskID, t.TaskID)
	e.same("command", info.Command, slowTerm)
	if !info.Ended() || info.OutputPath != t.OutputPath {
		e.Errorf("the kill gave %+v", info)
	}
}

func checkKillListed(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	info := e.kill(t)
	entry, ok := e.entry(h, t.TaskID)
	if !ok {
		e.Fatal("the killed task is not listed")
	}
	e.same("listed exit", entry.ExitInfo, info)
}

func checkKillUnknown(e *env) {
	h := e.spawn()
	e.launch(h, sleepLong)
	if info, err := execctx.Kill(e.ctx, e.Context, h, "bash_99"); err != nil || info != nil {
		e.Errorf("kill of bash_99: %v, %v, want nothing", info, err)
	}
}

func checkKillAgain(e *env) {
	h := e.spawn()
	t := e.launch(h, sleepLong)
	first := e.kill(t)
	e.same("second kill", e.kill(t), first)
	e.same("third kill", e.kill(t), first)
}

func checkKillEnded(e *env) {
	h := e.spawn()
	t := e.launch(h, failWith3)
	e.ended(t)
	e.wantEnd(e.kill(t), execctx.StatusExited, 3, "")
}

func checkKillForeign(e *env) {
	h, other := e.spawn(), e.spawn()
	t := e.launch(h, sleepLong)
	if info, err := execctx.Kill(e.ctx, e.Context, other, t.TaskID); err != nil || info != nil {
		e.Errorf("kill by another handle: %v, %v, want nothing", info, err)
	}
	if entry, _ := e.entry(h, t.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the task is %s", entry.Status)
	}
}

func checkKillTogether(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	const n = 8
	answers := make(chan *execctx.ExitInfo, n)
	for range n {
		go func() {
			info, _ := execctx.Kill(e.ctx, e.Context, h, t.TaskID)
			answers <- info
		}()
	}
	first := receive(e, "a kill", answers)
	for range n - 1 {
		e.same("answers of two kills", receive(e, "a kill", answers), first)
	}
	e.same("output", e.read(h, t.OutputPath), "ready\nbye\n")
}

func checkKillGroup(e *env) {
	h := e.spawn()
	t := e.launch(h, treeOfThree)
	e.awaitLog(h, t.OutputPath, "ready\n")
	group := e.groupOf(t.PID)
	e.until("three sleepers", func() bool { return strings.Count(strings.Join(e.groupMembers(group), "\n"), "sleep") >= 3 })
	e.wantEnd(e.kill(t), execctx.StatusKilled, 143, "SIGTERM")
	if left := e.groupMembers(group); len(left) > 0 {
		e.Errorf("alive after the kill: %v", left)
	}
}

func checkKillContext(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	// Nothing and no error would mean that there is no such task.
	if info, err := execctx.Kill(ctx, e.Context, h, t.TaskID); info == nil && err == nil {
		e.Error("a kill that could not wait gave neither exit nor error")
	}
	e.until("the end all the same", func() bool {
		entry, _ := e.entry(h, t.TaskID)
		return entry.Ended()
	})
}

func checkKillGrace(e *env) {
	h := e.spawn()
	t := e.launch(h, ignoreTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	start := time.Now()
	info := e.kill(t)
	e.wantEnd(info, execctx.StatusKilled, 137, "SIGKILL")
	if took := time.Since(start); took < e.Grace/2 {
		e.Errorf("SIGKILL after %v, the grace is %v", took, e.Grace)
	}
}

func checkKillLate(e *env) {
	h := e.spawn()
	for range 5 {
		t := e.launch(h, succeed)
		e.wantOneOf(e.kill(t)) // it may be over or not
		e.wantOneOf(e.kill(t))
	}
}

// wantOneOf checks the end of a task that was killed as it exited with 0.
func (e *env) wantOneOf(info execctx.ExitInfo) {
	e.Helper()
	code, known := info.Code()
	switch {
	case known && info.Status == execctx.StatusExited && code == 0 && info.Signal == "":
	case known && info.Status == execctx.StatusKilled && code == 0 && info.Signal == "": // D-41
	case known && info.Status == execctx.StatusKilled && code == 143 && info.Signal == "SIGTERM":
	default:
		e.Errorf("ended as %+v", info)
	}
}
