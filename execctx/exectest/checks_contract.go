package exectest

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/stophook/stophook/execctx"
)

func contractChecks() []check {
	return []check{
		{"EX-1: a launch in a context that cannot is an error, and nothing runs", nil, checkNoLaunch},
		{"EX-1: an ability that is not there is said by name", nil, checkNoAbility},
		{"EX-13: launching works without anything beside the context", []need{needLaunch}, checkDirect},
		{"EX-20, EX-21, EX-22: the capability is one of three and fits the abilities", nil, checkCapability},
		{"EX-80: a durable context does not push", []need{needDurable}, checkDurableNoPush},
		{"EX-50: a new context starts empty", []need{needList}, checkEmpty},
		{"EX-81: a handle has the id that was asked for, and a folder", nil, checkSpawn},
		{"EX-47: a destroyed or unknown handle is refused", nil, checkUnknownHandle},
	}
}

// without is a context that lacks the abilities named.
type without struct {
	execctx.ExecutionContext
	hidden func(ability any) bool
}

func (w without) Hides(ability any) bool           { return w.hidden(ability) }
func (w without) Unwrap() execctx.ExecutionContext { return w.ExecutionContext }

func checkNoLaunch(e *env) {
	h := e.spawn()
	c := e.Context
	if e.lacks(needLaunch) == "" {
		c = without{c, func(ability any) bool { return ability == (*execctx.BackgroundExecutor)(nil) }}
	}
	_, err := execctx.Launch(e.ctx, c, h, e.request(printHello))
	if !errors.Is(err, execctx.ErrBackgroundUnsupported) {
		e.Errorf("launch: %v, want %v", err, execctx.ErrBackgroundUnsupported)
	}
	if infos, err := e.Context.ListFiles(e.ctx, h, e.outputDir()); err == nil && len(infos) > 0 {
		e.Errorf("the refused launch left %v", infos)
	}
}

func checkNoAbility(e *env) {
	h := e.spawn()
	c := without{e.Context, func(any) bool { return true }}
	ctx := e.ctx
	_, kill := execctx.Kill(ctx, c, h, "bash_1")
	_, list := execctx.List(ctx, c, h)
	_, wait := execctx.Wait(ctx, c, h, "bash_1", 0)
	_, reassign := execctx.Reassign(ctx, c, execctx.ReassignRequest{From: h, To: h})
	_, start := execctx.StartExec(ctx, c, h, execctx.ExecRequest{Command: printHello})
	for _, err := range []error{kill, list, wait, reassign, start} {
		var unsupported *execctx.UnsupportedError
		if !errors.As(err, &unsupported) {
			e.Errorf("%v, want an UnsupportedError", err)
		}
	}
}

func checkDirect(e *env) {
	launcher, _ := execctx.As[execctx.BackgroundExecutor](e.Context)
	h := e.spawn()
	launched, err := launcher.ExecBackground(e.ctx, h, e.request(printHello))
	e.must(err, "launch")
	e.awaitLog(h, launched.OutputPath, "hello\n")
}

func checkCapability(e *env) {
	stated := e.Context.Capabilities().DetachedTasks
	resolved := execctx.ResolveDetachedTasks(e.Context)
	switch stated {
	case "", execctx.DetachedNone, execctx.DetachedProcessLifetime, execctx.DetachedDurable:
	default:
		e.Errorf("the capability is %q", stated)
	}
	if launches := has[execctx.BackgroundExecutor](e.Subject); !launches && resolved != execctx.DetachedNone {
		e.Errorf("the capability is %s and nothing can be launched", resolved)
	}
	e.same("capabilities, asked again", e.Context.Capabilities(), e.Context.Capabilities())
}

func checkDurableNoPush(e *env) {
	if e.Context.Capabilities().Push {
		e.Error("a durable context says that it pushes")
	}
}

func checkEmpty(e *env) {
	h := e.spawn()
	if entries := e.list(h); len(entries) > 0 {
		e.Errorf("a new handle has %v", entries)
	}
}

func checkSpawn(e *env) {
	dir := filepath.Join(e.Dir, "not", "yet")
	h, err := e.Context.Spawn(e.ctx, execctx.SpawnConfig{HandleID: "exectest-1", CWD: dir})
	e.must(err, "spawn")
	e.destroyAtEnd(e.Context, h)
	if h.ID != "exectest-1" || h.Type == "" {
		e.Errorf("handle %+v, want the id exectest-1 and a type", h)
	}
	if _, err := e.Context.ListFiles(e.ctx, h, "."); err != nil {
		e.Errorf("the working directory: %v", err)
	}
	a, b := e.spawn(), e.spawn()
	if a.ID == b.ID || a.ID == "" {
		e.Errorf("two handles have the ids %q and %q", a.ID, b.ID)
	}
	ended, cancel := context.WithCancel(e.ctx)
	cancel()
	if h, err := e.Context.Spawn(ended, execctx.SpawnConfig{CWD: dir}); err == nil {
		e.destroyAtEnd(e.Context, h) // allowed: nothing has to wait
	}
}

func checkUnknownHandle(e *env) {
	gone := e.spawn()
	e.destroy(gone)
	for _, h := range []execctx.Handle{gone, {ID: "exectest-never", Type: gone.Type, CWD: gone.CWD}} {
		ctx := e.ctx
		errs := map[string]error{}
		_, errs["exec"] = e.Context.Exec(ctx, h, execctx.ExecRequest{Command: succeed})
		_, errs["read"] = e.Context.ReadFile(ctx, h, "x")
		_, errs["list files"] = e.Context.ListFiles(ctx, h, ".")
		errs["write"] = e.Context.WriteFile(ctx, h, "x", nil)
		if e.lacks(needLaunch) == "" {
			_, errs["launch"] = execctx.Launch(ctx, e.Context, h, e.request(succeed))
		}
		if e.lacks(needMove) == "" {
			_, errs["start"] = execctx.StartExec(ctx, e.Context, h, execctx.ExecRequest{Command: succeed})
		}
		for what, err := range errs {
			if !errors.Is(err, execctx.ErrUnknownHandle) {
				e.Errorf("%s with the handle %s: %v, want %v", what, h.ID, err, execctx.ErrUnknownHandle)
			}
		}
		checkNothingFor(e, h)
	}
}

// checkNothingFor asks for tasks of a handle that has none.
func checkNothingFor(e *env, h execctx.Handle) {
	ctx := e.ctx
	if e.lacks(needList) == "" {
		if entries, err := execctx.List(ctx, e.Context, h); err != nil || len(entries) > 0 {
			e.Errorf("list of %s: %v, %v, want nothing", h.ID, entries, err)
		}
	}
	if e.lacks(needKill) == "" {
		if info, err := execctx.Kill(ctx, e.Context, h, "bash_1"); err != nil || info != nil {
			e.Errorf("kill in %s: %v, %v, want nothing", h.ID, info, err)
		}
	}
	if e.lacks(needWait) == "" {
		if info, err := execctx.Wait(ctx, e.Context, h, "bash_1", 0); err != nil || info != nil {
			e.Errorf("wait in %s: %v, %v, want nothing", h.ID, info, err)
		}
	}
	e.must(e.Context.Destroy(ctx, h), "destroy "+h.ID)
}
