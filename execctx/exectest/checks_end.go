package exectest

import (
	"time"

	"github.com/stophook/stophook/execctx"
)

func endChecks() []check {
	launch := []need{needLaunch}
	return []check{
		{"EX-9: an exit says what ended and how", launch, checkExitFields},
		{"EX-9: every way to learn an exit tells the same", []need{needLaunch, needKill, needList, needWait}, checkSameExit},
		{"EX-10: a signal's exit code is 128 and its number", launch, checkSignalCode},
		{"EX-10, D-41: a signal from anywhere is killed, a code like a signal's is not", launch, checkOutsideSignal},
		{"EX-42: no descriptor is left", []need{needLaunch, needKill, needProcesses, needLinux}, checkDescriptors},
		{"EX-43, EX-52: every exit is told exactly once", []need{needLaunch, needPush, needKill}, checkToldOnce},
		{"D-24: a wait answers after the callback has returned", []need{needLaunch, needPush, needWait}, checkWaitAfterCallback},
		{"D-24: a kill answers after the callback has returned", []need{needLaunch, needPush, needKill}, checkKillAfterCallback},
		{"D-24: a callback may ask the context about its task", []need{needLaunch, needPush, needList}, checkCallbackAsks},
		{"D-41: a task that ends by itself under our kill is killed and has its code", []need{needLaunch, needKill}, checkOwnCode},
	}
}

func checkExitFields(e *env) {
	h := e.spawn()
	start := time.Now()
	t := e.launch(h, failWith3)
	info := e.ended(t)
	e.wantEnd(info, execctx.StatusExited, 3, "")
	e.same("id", info.TaskID, t.TaskID)
	e.same("output path", info.OutputPath, t.OutputPath)
	e.same("command", info.Command, failWith3)
	if info.DurationMS < 0 || info.DurationMS > time.Since(start).Milliseconds()+1 {
		e.Errorf("it took %d ms, the whole test %v", info.DurationMS, time.Since(start))
	}
}

// learned collects what the ways to learn of an exit say.
func (e *env) learned(t task) map[string]execctx.ExitInfo {
	e.Helper()
	all := map[string]execctx.ExitInfo{"wait": e.ended(t), "kill": e.kill(t), "list": {}}
	if e.Context.Capabilities().Push {
		all["callback"] = execctx.ExitInfo{}
	}
	if exits := t.told.exitList(); len(exits) > 0 {
		all["callback"] = exits[0]
	}
	if entry, ok := e.entry(t.handle, t.TaskID); ok {
		all["list"] = entry.ExitInfo
	}
	return all
}

func checkSameExit(e *env) {
	h := e.spawn()
	for _, command := range []string{failWith3, killItself, printTenKB} {
		all := e.learned(e.launch(h, command))
		for way, info := range all {
			e.same(command+": exit by "+way, info, all["wait"])
		}
	}
	t := e.launch(h, sleepLong)
	e.kill(t)
	all := e.learned(t)
	for way, info := range all {
		e.same("killed: exit by "+way, info, all["wait"])
	}
}

func checkSignalCode(e *env) {
	h := e.spawn()
	e.wantEnd(e.ended(e.launch(h, killItself)), execctx.StatusKilled, 137, "SIGKILL")
	e.wantEnd(e.ended(e.launch(h, termItself)), execctx.StatusKilled, 143, "SIGTERM")
	if e.lacks(needKill) == "" {
		e.wantEnd(e.kill(e.launch(h, sleepLong)), execctx.StatusKilled, 143, "SIGTERM")
	}
}

func checkOutsideSignal(e *env) {
	h := e.spawn()
	e.wantEnd(e.ended(e.launch(h, termItself)), execctx.StatusKilled, 143, "SIGTERM")
	e.wantEnd(e.ended(e.launch(h, failWith143)), execctx.StatusExited, 143, "")
}

func checkToldOnce(e *env) {
	h := e.spawn()
	var tasks []task
	for range 5 {
		for _, command := range []string{succeed, termItself} {
			t := e.launch(h, command)
			e.ended(t)
			tasks = append(tasks, t)
		}
		t := e.launch(h, sleepLong)
		e.kill(t)
		e.kill(t)
		tasks = append(tasks, t, e.launch(h, ticks))
	}
	e.destroy(h)
	e.pause(checkPause)
	for _, t := range tasks {
		if exits := t.told.exitList(); len(exits) != 1 {
			e.Errorf("the exit of %s was told %d times: %v", t.TaskID, len(exits), exits)
		}
	}
}

// gated launches a task whose callback does not return before release is closed.
func (e *env) gated(h execctx.Handle, command string) (t task, entered, release chan struct{}) {
	e.Helper()
	entered, release = make(chan struct{}), make(chan struct{})
	t = e.launch(h, command, func(r *execctx.LaunchRequest) {
		tell := r.OnExit
		r.OnExit = func(info execctx.ExitInfo) {
			tell(info)
			close(entered)
			select {
			case <-release:
			case <-e.ctx.Done():
			}
		}
	})
	return t, entered, release
}

// answersAfter checks that ask answers only once the callback has returned.
func (e *env) answersAfter(entered, release chan struct{}, what string, ask func() (*execctx.ExitInfo, error)) {
	e.Helper()
	answered := make(chan *execctx.ExitInfo, 1)
	go func() {
		info, _ := ask()
		answered <- info
	}()
	receive(e, "the callback", entered)
	e.pause(checkPause)
	select {
	case info := <-answered:
		e.Errorf("%s gave %+v while the callback ran", what, info)
		close(release)
		return
	default:
	}
	close(release)
	if info := receive(e, what, answered); info == nil {
		e.Errorf("%s gave nothing", what)
	}
}

func checkWaitAfterCallback(e *env) {
	h := e.spawn()
	t, entered, release := e.gated(h, awaitGo)
	e.touch(h, goFile)
	e.answersAfter(entered, release, "a wait", func() (*execctx.ExitInfo, error) {
		return execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0)
	})
	// A wait that begins while the callback runs is held as well.
	t, entered, release = e.gated(h, succeed)
	receive(e, "the callback", entered)
	e.answersAfter(entered, release, "a late wait", func() (*execctx.ExitInfo, error) {
		return execctx.Wait(e.ctx, e.Context, h, t.TaskID, 0)
	})
}

func checkKillAfterCallback(e *env) {
	h := e.spawn()
	for _, command := range []string{sleepLong, succeed} {
		t, entered, release := e.gated(h, command)
		e.answersAfter(entered, release, "a kill", func() (*execctx.ExitInfo, error) {
			return execctx.Kill(e.ctx, e.Context, h, t.TaskID)
		})
	}
}

func checkCallbackAsks(e *env) {
	h := e.spawn()
	asked := make(chan error, 1)
	e.launch(h, printHello, func(r *execctx.LaunchRequest) {
		r.OnExit = func(info execctx.ExitInfo) {
			_, err := execctx.List(e.ctx, e.Context, h)
			if err == nil {
				_, err = e.Context.ReadFile(e.ctx, h, info.OutputPath)
			}
			if err == nil {
				_, err = execctx.Launch(e.ctx, e.Context, h, e.request(succeed))
			}
			asked <- err
		}
	})
	e.must(receive(e, "a callback that asks", asked), "asked in the callback")
}

func checkOwnCode(e *env) {
	h := e.spawn()
	t := e.launch(h, slowTerm)
	e.awaitLog(h, t.OutputPath, "ready\n")
	e.wantEnd(e.kill(t), execctx.StatusKilled, 5, "")
}
