package exectest

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/execctx"
)

func launchChecks() []check {
	launch := []need{needLaunch}
	return []check{
		{"EX-2: a launch answers while the command runs", launch, checkLaunchAnswers},
		{"EX-2: the context of a launch bounds the start, not the task", []need{needLaunch, needList}, checkLaunchContext},
		{"EX-2: a launch with a context that has ended starts nothing", []need{needLaunch, needList}, checkLaunchEnded},
		{"EX-2: working directory and environment of the request count", launch, checkLaunchWhere},
		{"EX-3, EX-52: a launch is settled within 100 ms", launch, checkLaunchFast},
		{"EX-4: the exit callback is optional, the list finds the exit", []need{needLaunch, needList}, checkNoCallback},
		{"EX-4, EX-80: a context that does not push never calls back", []need{needLaunch, needList, needPull}, checkPullSilent},
		{"EX-30: commands are for the shell", launch, checkShell},
		{"EX-30: a task has a process group of its own", []need{needLaunch, needProcesses}, checkOwnGroup},
		{"EX-31: there is no input", launch, checkNoInput},
		{"EX-38: the output directory is created", launch, checkOutputDir},
		{"EX-38: a launch that fails is a LaunchError and leaves nothing", []need{needLaunch, needList}, checkLaunchFails},
		{"EX-38: a working directory that is not there fails the launch", []need{needLaunch, needList, needDisk}, checkLaunchNowhere},
		{"EX-45, D-14: running tasks are limited", []need{needLaunch, needLimit}, checkLimit},
	}
}

func checkLaunchAnswers(e *env) {
	h := e.spawn()
	before := time.Now()
	t := e.launch(h, awaitGo)
	if t.TaskID == "" || !path.IsAbs(t.OutputPath) && !filepath.IsAbs(t.OutputPath) || t.PID <= 0 {
		e.Errorf("launched %+v, want an id, an absolute path and a process", t.Launched)
	}
	if t.StartedAt.Before(before.Add(-time.Second)) || t.StartedAt.After(time.Now().Add(time.Second)) {
		e.Errorf("started at %v, the launch was at %v", t.StartedAt, before)
	}
	if len(t.told.exitList()) > 0 {
		e.Error("the command had ended when the launch answered")
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
}

func checkLaunchContext(e *env) {
	h := e.spawn()
	ctx, cancel := context.WithCancel(e.ctx)
	launched, err := execctx.Launch(ctx, e.Context, h, e.request(awaitGo))
	e.must(err, "launch")
	cancel()
	e.pause(20 * time.Millisecond)
	if entry, _ := e.entry(h, launched.TaskID); entry.Status != execctx.StatusRunning {
		e.Errorf("the task is %s after the context of its launch ended", entry.Status)
	}
	e.touch(h, goFile)
	e.wantEnd(e.ended(task{Launched: launched, handle: h, told: &told{}}.pulled(e)), execctx.StatusExited, 0, "")
}

// pulled makes ended look at the list where it cannot wait: the task has no
// callback.
func (t task) pulled(e *env) task {
	if !has[execctx.BackgroundWaiter](e.Subject) {
		e.until("the end in the list", func() bool {
			entry, ok := e.entry(t.handle, t.TaskID)
			if ok && entry.Ended() {
				t.told.exit(entry.ExitInfo)
			}
			return ok && entry.Ended()
		})
	}
	return t
}

func checkLaunchEnded(e *env) {
	h := e.spawn()
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	if launched, err := execctx.Launch(ctx, e.Context, h, e.request(sleepLong)); err == nil {
		e.Errorf("launched %+v", launched)
	}
	if entries := e.list(h); len(entries) > 0 {
		e.Errorf("listed %v", entries)
	}
}

func checkLaunchWhere(e *env) {
	h, err := e.Context.Spawn(e.ctx, execctx.SpawnConfig{CWD: filepath.Join(e.Dir, "a"), Env: map[string]string{envName: "handle"}})
	e.must(err, "spawn")
	e.destroyAtEnd(e.Context, h)
	e.touch(h, filepath.Join("below", goFile))
	for _, tc := range []struct {
		command, cwd string
		env          map[string]string
		want         string
	}{
		{printEnv, "", nil, "handle\n"},
		{printEnv, "", map[string]string{envName: "request"}, "request\n"},
		{awaitGo, "below", nil, "went\n"},
		{awaitGo, filepath.Join(e.Dir, "a", "below"), nil, "went\n"},
	} {
		t := e.launch(h, tc.command, func(r *execctx.LaunchRequest) { r.CWD, r.Env = tc.cwd, tc.env })
		e.ended(t)
		e.same(tc.command+" in "+tc.cwd, e.read(h, t.OutputPath), tc.want)
	}
}

func checkLaunchFast(e *env) {
	h := e.spawn()
	fastest := time.Hour
	for range 5 {
		start := time.Now()
		t := e.launch(h, sleepLong)
		fastest = min(fastest, time.Since(start))
		if e.lacks(needKill) == "" {
			e.kill(t)
		} else if e.MaxTasks > 0 {
			break
		}
	}
	// The fastest of some: the others may have waited for a busy machine.
	if fastest > 100*time.Millisecond {
		e.Errorf("the fastest launch took %v", fastest)
	}
}

func checkNoCallback(e *env) {
	h := e.spawn()
	t := e.launch(h, failWith3, func(r *execctx.LaunchRequest) { r.OnExit = nil })
	e.until("the exit in the list", func() bool {
		entry, ok := e.entry(h, t.TaskID)
		return ok && entry.Ended()
	})
	entry, _ := e.entry(h, t.TaskID)
	e.wantEnd(entry.ExitInfo, execctx.StatusExited, 3, "")
}

func checkPullSilent(e *env) {
	h := e.spawn()
	t := e.launch(h, printHello, func(r *execctx.LaunchRequest) { r.StallTimeout = time.Millisecond })
	e.until("the exit in the list", func() bool {
		entry, ok := e.entry(h, t.TaskID)
		return ok && entry.Ended()
	})
	e.destroy(h)
	if exits := t.told.exitList(); len(exits) > 0 {
		e.Errorf("told %v", exits)
	}
}

func checkShell(e *env) {
	h := e.spawn()
	t := e.launch(h, printSum)
	e.ended(t)
	e.same("output", e.read(h, t.OutputPath), "2\n42\n")
}

func checkOwnGroup(e *env) {
	h := e.spawn()
	t := e.launch(h, treeOfThree)
	e.awaitLog(h, t.OutputPath, "ready\n")
	group, own := e.groupOf(t.PID), e.ownGroup()
	if group == 0 || group == own {
		e.Errorf("process %d is in the group %d, this test in %d", t.PID, group, own)
	}
}

func checkNoInput(e *env) {
	h := e.spawn()
	t := e.launch(h, printNothing)
	e.wantEnd(e.ended(t), execctx.StatusExited, 0, "")
	e.same("output", e.read(h, t.OutputPath), "no input\n")
}

func checkOutputDir(e *env) {
	h := e.spawn()
	dir := filepath.Join(e.Dir, "deep", "er", "tasks")
	t := e.launch(h, printHello, func(r *execctx.LaunchRequest) { r.OutputDir = dir })
	e.ended(t)
	e.same("folder of the log", filepath.ToSlash(filepath.Dir(t.OutputPath)), filepath.ToSlash(dir))
	e.same("output", e.read(h, t.OutputPath), "hello\n")
}

func checkLaunchFails(e *env) {
	h := e.spawn()
	e.touch(h, "file")
	for _, dir := range []string{"", filepath.Join(h.CWD, "file"), filepath.Join(h.CWD, "file", "below")} {
		req := e.request(sleepLong)
		req.OutputDir = dir
		launched, err := execctx.Launch(e.ctx, e.Context, h, req)
		var failed *execctx.LaunchError
		if !errors.As(err, &failed) {
			e.Errorf("output directory %q: %+v, %v, want a LaunchError", dir, launched, err)
		}
	}
	if entries := e.list(h); len(entries) > 0 {
		e.Errorf("listed %v", entries)
	}
	t := e.launch(h, printHello) // and the context goes on
	e.ended(t)
}

func checkLaunchNowhere(e *env) {
	h := e.spawn()
	req := e.request(sleepLong)
	req.CWD = "nowhere"
	_, err := execctx.Launch(e.ctx, e.Context, h, req)
	var failed *execctx.LaunchError
	if !errors.As(err, &failed) {
		e.Errorf("launch: %v, want a LaunchError", err)
	}
	if entries := e.list(h); len(entries) > 0 {
		e.Errorf("listed %v", entries)
	}
	if infos, err := e.Context.ListFiles(e.ctx, h, e.outputDir()); err == nil && len(infos) > 0 {
		e.Errorf("files are left: %v", infos)
	}
}

func checkLimit(e *env) {
	h, other := e.spawn(), e.spawn()
	var ids []string
	for i := range e.MaxTasks {
		owner := h
		if i == 0 {
			owner = other // the limit is the context's, not the handle's
		}
		ids = append(ids, e.launch(owner, awaitGo).TaskID)
	}
	_, err := execctx.Launch(e.ctx, e.Context, h, e.request(succeed))
	var many *execctx.TooManyTasksError
	if !errors.As(err, &many) {
		e.Fatalf("launch over the limit: %v, want a TooManyTasksError", err)
	}
	if many.Limit != e.MaxTasks {
		e.Errorf("the error names the limit %d, want %d", many.Limit, e.MaxTasks)
	}
	e.same("running tasks in the error", many.Running, ids)
	e.destroy(other)
	e.launch(h, succeed)
}
