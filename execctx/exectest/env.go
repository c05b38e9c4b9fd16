package exectest

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
)

// env is what one check works with. Its methods fail the test, from the test's
// own goroutine only.
type env struct {
	testing.TB
	Subject
	Context execctx.ExecutionContext // the subject's; testing.TB has one as well
	ctx     context.Context          // ends with the check, and when patience does
}

func newEnv(tb testing.TB, s Subject) *env {
	ctx, cancel := context.WithTimeoutCause(context.Background(), s.Patience, errPatience{s.Patience})
	tb.Cleanup(cancel)
	return &env{TB: tb, Subject: s, Context: s.Context, ctx: ctx}
}

// checkPause is how long a check waits for what must not happen. A context that
// is wrong is seldom late with it.
const checkPause = 30 * time.Millisecond

type errPatience struct{ after time.Duration }

func (e errPatience) Error() string { return "exectest: no answer after " + e.after.String() }

// until polls for a condition.
func (e *env) until(what string, met func() bool) {
	e.Helper()
	for !met() {
		e.pause(2 * time.Millisecond)
		if e.ctx.Err() != nil {
			e.Fatalf("%s: not within %v", what, e.Patience)
		}
	}
}

// pause lets d pass: what must not happen had its chance. With zero it arms no
// timer: in a bubble of testing/synctest such a timer runs at once in the
// goroutine that made it, and two of them at a time crash the race detector
// (go.dev/issue/78156).
func (e *env) pause(d time.Duration) {
	if d > 0 {
		<-time.After(d)
	}
}

// must ends the test on an error.
func (e *env) must(err error, what string) {
	e.Helper()
	if err != nil {
		e.Fatalf("%s: %v", what, err)
	}
}

// spawn gives a handle with a folder of its own, destroyed at the end.
func (e *env) spawn() execctx.Handle {
	e.Helper()
	h, err := e.Context.Spawn(e.ctx, execctx.SpawnConfig{CWD: path.Join(filepath.ToSlash(e.Dir), "cwd")})
	e.must(err, "spawn a handle")
	e.destroyAtEnd(e.Context, h)
	return h
}

func (e *env) destroyAtEnd(c execctx.ExecutionContext, h execctx.Handle) {
	e.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), e.Patience)
		defer cancel()
		if err := c.Destroy(ctx, h); err != nil {
			e.Errorf("destroy the handle at the end: %v", err)
		}
	})
}

// destroy destroys a handle.
func (e *env) destroy(h execctx.Handle) {
	e.Helper()
	e.must(e.Context.Destroy(e.ctx, h), "destroy")
}

func (e *env) outputDir() string { return filepath.Join(e.Dir, "tasks") }

// task is a task that was launched, and what was told of it.
type task struct {
	execctx.Launched
	handle execctx.Handle
	told   *told
}

// told collects exits and stalls that a context tells.
type told struct {
	mu     sync.Mutex
	exits  []execctx.ExitInfo
	stalls []execctx.StallInfo
	onExit func(execctx.ExitInfo) // called with each, if set
}

func (t *told) exit(info execctx.ExitInfo) {
	if t.onExit != nil {
		t.onExit(info)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exits = append(t.exits, info)
}

func (t *told) stall(info execctx.StallInfo) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stalls = append(t.stalls, info)
}

func (t *told) exitList() []execctx.ExitInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]execctx.ExitInfo(nil), t.exits...)
}

func (t *told) stallList() []execctx.StallInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]execctx.StallInfo(nil), t.stalls...)
}

// request is a launch of command into the suite's output folder.
func (e *env) request(command string) execctx.LaunchRequest {
	return execctx.LaunchRequest{Command: command, OutputDir: e.outputDir()}
}

// launch starts a task whose exit and stalls are collected.
func (e *env) launch(h execctx.Handle, command string, change ...func(*execctx.LaunchRequest)) task {
	e.Helper()
	t := task{handle: h, told: &told{}}
	req := e.request(command)
	req.OnExit, req.OnStall = t.told.exit, t.told.stall
	for _, c := range change {
		c(&req)
	}
	var err error
	t.Launched, err = execctx.Launch(e.ctx, e.Context, h, req)
	e.must(err, "launch "+command)
	return t
}

// list gives the tasks of a handle.
func (e *env) list(h execctx.Handle) []execctx.TaskEntry {
	e.Helper()
	entries, err := execctx.List(e.ctx, e.Context, h)
	e.must(err, "list")
	return entries
}

// entry gives one task as listed.
func (e *env) entry(h execctx.Handle, id string) (execctx.TaskEntry, bool) {
	e.Helper()
	for _, entry := range e.list(h) {
		if entry.TaskID == id {
			return entry, true
		}
	}
	return execctx.TaskEntry{}, false
}

// ids gives the ids of a handle's tasks.
func (e *env) ids(h execctx.Handle) []string {
	e.Helper()
	ids := []string{}
	for _, entry := range e.list(h) {
		ids = append(ids, entry.TaskID)
	}
	return ids
}

// ended waits for the end of a task by the ways that the context has: a wait, the
// push, the list.
func (e *env) ended(t task) execctx.ExitInfo {
	e.Helper()
	if has[execctx.BackgroundWaiter](e.Subject) {
		info, err := execctx.Wait(e.ctx, e.Context, t.handle, t.TaskID, 0)
		e.must(err, "wait for "+t.TaskID)
		if info == nil {
			e.Fatalf("a wait for %s gave nothing", t.TaskID)
		}
		return *info
	}
	var info execctx.ExitInfo
	e.until("the end of "+t.TaskID, func() bool {
		if e.Context.Capabilities().Push {
			exits := t.told.exitList()
			if len(exits) > 0 {
				info = exits[0]
			}
			return len(exits) > 0
		}
		entry, ok := e.entry(t.handle, t.TaskID)
		info = entry.ExitInfo
		return ok && entry.Ended()
	})
	return info
}

// kill ends a task that must be there.
func (e *env) kill(t task) execctx.ExitInfo {
	e.Helper()
	info, err := execctx.Kill(e.ctx, e.Context, t.handle, t.TaskID)
	e.must(err, "kill "+t.TaskID)
	if info == nil {
		e.Fatalf("a kill of %s gave nothing", t.TaskID)
	}
	return *info
}

// read gives a file of the handle.
func (e *env) read(h execctx.Handle, name string) string {
	e.Helper()
	data, err := e.Context.ReadFile(e.ctx, h, name)
	e.must(err, "read "+name)
	return string(data)
}

// awaitLog waits for a log to begin with text.
func (e *env) awaitLog(h execctx.Handle, name, text string) {
	e.Helper()
	e.until("output "+text, func() bool {
		data, err := e.Context.ReadFile(e.ctx, h, name)
		return err == nil && len(data) >= len(text) && string(data[:len(text)]) == text
	})
}

// touch makes a file that commands wait for.
func (e *env) touch(h execctx.Handle, name string) {
	e.Helper()
	e.must(e.Context.WriteFile(e.ctx, h, name, []byte("x")), "write "+name)
}

// wantEnd checks how a task ended.
func (e *env) wantEnd(info execctx.ExitInfo, status execctx.TaskStatus, code int, signal string) {
	e.Helper()
	if got, known := info.Code(); info.Status != status || !known || got != code || info.Signal != signal {
		e.Errorf("ended as %s, code %d (known: %v), signal %q, want %s, %d, %q", info.Status, got, known, info.Signal, status, code, signal)
	}
}

// same checks two values, deeply.
func (e *env) same(what string, got, want any) {
	e.Helper()
	if !equal(got, want) {
		e.Errorf("%s: %s, want %s", what, show(got), show(want))
	}
}

// equal compares deeply. Of structures it compares what is written of them, so
// that one that came from a disk is the same as before: no list and an empty one,
// a time with and without its monotonic part.
func equal(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	ofStruct := reflect.ValueOf(a).Kind() == reflect.Struct && reflect.TypeOf(a) == reflect.TypeOf(b)
	return ofStruct && show(a) == show(b)
}

// show writes a value with what its pointers point to.
func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	return string(data)
}
