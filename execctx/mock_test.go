package execctx_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

// mocked is a mock with one handle.
type mocked struct {
	*execctx.Mock
	t *testing.T
	h execctx.Handle
}

func newMocked(t *testing.T, opts execctx.MockOptions) mocked {
	t.Helper()
	m := mocked{Mock: execctx.NewMock(opts), t: t}
	m.h = m.spawn("")
	return m
}

func (m mocked) spawn(id string) execctx.Handle {
	m.t.Helper()
	h, err := m.Spawn(m.t.Context(), execctx.SpawnConfig{HandleID: id})
	if err != nil {
		m.t.Fatal(err)
	}
	return h
}

func (m mocked) launch(command string, change ...func(*execctx.LaunchRequest)) execctx.Launched {
	m.t.Helper()
	req := execctx.LaunchRequest{Command: command, OutputDir: "/tasks"}
	for _, c := range change {
		c(&req)
	}
	launched, err := m.ExecBackground(m.t.Context(), m.h, req)
	if err != nil {
		m.t.Fatal(err)
	}
	return launched
}

func (m mocked) list() []execctx.TaskEntry {
	m.t.Helper()
	entries, err := m.ListBackground(m.t.Context(), m.h)
	if err != nil {
		m.t.Fatal(err)
	}
	return entries
}

func (m mocked) read(name string) string {
	m.t.Helper()
	data, err := m.ReadFile(m.t.Context(), m.h, name)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// events is what happened, in order, each with its time since the start.
type events struct {
	mu    sync.Mutex
	clock execctx.Clock
	start time.Time
	list  []string
}

func newEvents(clock execctx.Clock) *events { return &events{clock: clock, start: clock.Now()} }

func (e *events) add(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, fmt.Sprintf("%v ", e.clock.Now().Sub(e.start))+fmt.Sprintf(format, args...))
}

func (e *events) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.list)
}

func (e *events) exit(info execctx.ExitInfo) {
	code, _ := info.Code()
	e.add("%s %s %d", info.TaskID, info.Status, code)
}

func (e *events) stall(info execctx.StallInfo) {
	e.add("%s stalled for %d ms", info.TaskID, info.StalledForMS)
}

func (e *events) onExit(r *execctx.LaunchRequest) { r.OnExit = e.exit }

// elapse lets time pass in a bubble.
func elapse(d time.Duration) { <-time.After(d) }

func TestMock_manualExit_EX70(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{})
	var told []execctx.ExitInfo
	task := m.launch("make test", func(r *execctx.LaunchRequest) {
		r.OnExit = func(info execctx.ExitInfo) { told = append(told, info) }
	})
	if !m.Print(task.TaskID, "ok\n") || m.Print("bash_2", "") {
		t.Error("only the running task prints")
	}
	if got := m.Running(); !cmp.Equal(got, []string{"bash_1"}) {
		t.Errorf("running %v", got)
	}
	if !m.Exit(task.TaskID, execctx.MockExit{Code: 2, Print: "FAIL\n", Warnings: []string{"w"}}) {
		t.Error("the task had ended")
	}
	if m.Exit(task.TaskID, execctx.MockExit{}) || m.Exit("bash_2", execctx.MockExit{}) || m.Print(task.TaskID, "x") || m.Stall(task.TaskID) {
		t.Error("a task that has ended does something")
	}
	code := 2
	want := execctx.ExitInfo{
		TaskID: "bash_1", Status: execctx.StatusExited, ExitCode: &code, OutputPath: task.OutputPath,
		Command: "make test", Warnings: []string{"w"}, DurationMS: told[0].DurationMS,
	}
	if diff := cmp.Diff([]execctx.ExitInfo{want}, told); diff != "" {
		t.Errorf("told when Exit returned (-want +got):\n%s", diff)
	}
	if got := m.read(task.OutputPath); got != "ok\nFAIL\n" {
		t.Errorf("log %q", got)
	}
	if got := m.Running(); len(got) > 0 {
		t.Errorf("running %v", got)
	}
}

func TestMock_pull_EX70(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, opts := range []execctx.MockOptions{{Pull: true}, {DetachedTasks: execctx.DetachedDurable}} {
			m := newMocked(t, opts)
			if m.Capabilities().Push {
				t.Error("it says that it pushes")
			}
			log := newEvents(execctx.SystemClock{})
			task := m.launch("x", log.onExit, func(r *execctx.LaunchRequest) { r.OnStall, r.StallTimeout = log.stall, time.Second })
			if m.Stall(task.TaskID) {
				t.Error("a stall was told")
			}
			elapse(time.Minute)
			m.Exit(task.TaskID, execctx.MockExit{Code: 1})
			synctest.Wait()
			if len(log.all()) > 0 {
				t.Errorf("told %v", log.all())
			}
			entry := m.list()[0]
			if code, _ := entry.Code(); entry.Status != execctx.StatusExited || code != 1 || entry.DurationMS != 60_000 {
				t.Errorf("listed %+v", entry)
			}
		}
	})
}

// When a pull finds an exit says nothing about when it was.
func TestMock_scriptedEnds_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, execctx.MockOptions{Pull: true})
		at := time.Now().Add(90 * time.Second)
		for _, exit := range []execctx.MockExit{{EndedAt: at}, {Lost: true, Code: 7, Signal: "SIGKILL"}, {Signal: "SIGSEGV"}, {Signal: "SIGSTKFLT", Code: 144}} {
			m.Exit(m.launch("x").TaskID, exit)
		}
		entries := m.list()
		if got := entries[0]; !got.EndedAt.Equal(at) || got.DurationMS != 90_000 {
			t.Errorf("ended at a time of the test's: %+v", got)
		}
		if got := entries[1]; got.Status != execctx.StatusLost || got.ExitCode != nil || got.Signal != "" {
			t.Errorf("lost: %+v", got)
		}
		for i, want := range map[int]int{2: 139, 3: 144} {
			if code, _ := entries[i].Code(); entries[i].Status != execctx.StatusKilled || code != want {
				t.Errorf("by a signal: %+v, want the code %d", entries[i], want)
			}
		}
	})
}

// A scenario that is declared ahead plays the same each time, also where its
// events fall on one instant.
func TestMock_scripts_EX71(t *testing.T) {
	play := func(t *testing.T) (list []string) {
		synctest.Test(t, func(t *testing.T) {
			log := newEvents(execctx.SystemClock{})
			m := newMocked(t, execctx.MockOptions{OnLaunch: func(run execctx.MockRun) execctx.MockScript {
				return execctx.MockScript{
					Steps: []execctx.MockStep{{Print: "first "}, {After: time.Second, Print: run.Command}},
					Exit:  &execctx.MockExit{After: 2 * time.Second, Code: run.PID - 10000},
				}
			}})
			tasks := []execctx.Launched{m.launch("a", log.onExit), m.launch("b", log.onExit), m.launch("c", log.onExit)}
			if got := m.read(tasks[0].OutputPath); got != "first " {
				t.Errorf("printed at once: %q", got)
			}
			elapse(4 * time.Second)
			for i, task := range tasks {
				if want := "first " + string(rune('a'+i)); m.read(task.OutputPath) != want {
					t.Errorf("log %q, want %q", m.read(task.OutputPath), want)
				}
			}
			list = log.all()
		})
		return list
	}
	want := []string{"3.000000002s bash_1 exited 1", "3.000000003s bash_2 exited 2", "3.000000004s bash_3 exited 3"}
	for range 20 {
		if diff := cmp.Diff(want, play(t)); diff != "" {
			t.Fatalf("what happened (-want +got):\n%s", diff)
		}
	}
}

// On a clock of the test's, Advance by the time reaches the event.
func TestMock_fakeClock_EX71(t *testing.T) {
	clock := exectest.NewClock(time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC))
	log := newEvents(clock)
	m := newMocked(t, execctx.MockOptions{Clock: clock, OnLaunch: func(run execctx.MockRun) execctx.MockScript {
		if run.Command != "server" {
			return execctx.MockScript{Exit: &execctx.MockExit{After: time.Minute}}
		}
		return execctx.MockScript{Steps: []execctx.MockStep{{After: 25 * time.Second, Print: "up"}}}
	}})
	task := m.launch("x", log.onExit)
	if want := "/tasks/bash_1.20260102-030405-006.log"; task.OutputPath != want {
		t.Errorf("log %s, want %s", task.OutputPath, want)
	}
	m.launch("server", func(r *execctx.LaunchRequest) { r.OnStall, r.StallTimeout = log.stall, 20*time.Second })
	clock.Advance(time.Minute)
	waited := make(chan *execctx.ExitInfo)
	go func() {
		info, _ := m.WaitBackground(t.Context(), m.h, "bash_2", time.Hour)
		waited <- info
	}()
	if !clock.AwaitPending(1, t.Context().Done()) {
		t.Fatal("the wait has no timer")
	}
	clock.Advance(time.Hour)
	if info := <-waited; info != nil {
		t.Errorf("a wait that timed out gave %v", info)
	}
	want := []string{"20s bash_2 stalled for 20000 ms", "45s bash_2 stalled for 20000 ms", "1m0s bash_1 exited 0"}
	if diff := cmp.Diff(want, log.all()); diff != "" {
		t.Errorf("what happened (-want +got):\n%s", diff)
	}
}

func TestMock_scriptedStall_EX71(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMocked(t, execctx.MockOptions{})
		log := newEvents(execctx.SystemClock{})
		task := m.launch("x", func(r *execctx.LaunchRequest) { r.OnStall = log.stall })
		if silent := m.launch("nobody asked"); m.Stall(silent.TaskID) {
			t.Error("a stall was told to nobody")
		}
		elapse(45 * time.Second)
		if !m.Stall(task.TaskID) || m.Stall("bash_9") {
			t.Error("the stall of the task is told, and no other")
		}
		if diff := cmp.Diff([]string{"45s bash_1 stalled for 45000 ms"}, log.all()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// Callbacks may call the mock: nothing is locked.
func TestMock_fromWithinTheFlow_EX70(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m mocked
		log := newEvents(execctx.SystemClock{})
		m = newMocked(t, execctx.MockOptions{OnLaunch: func(run execctx.MockRun) execctx.MockScript {
			if run.Command == "ends while it is launched" {
				m.Exit(run.ID, execctx.MockExit{Code: 9})
			}
			return execctx.MockScript{}
		}})
		m.launch("last", log.onExit)
		m.launch("first", func(r *execctx.LaunchRequest) {
			r.OnExit = func(info execctx.ExitInfo) {
				log.exit(info)
				if m.Exit(info.TaskID, execctx.MockExit{}) {
					t.Error("ended twice")
				}
				m.Exit("bash_1", execctx.MockExit{Code: len(m.list())})
				m.launch("ends while it is launched", log.onExit)
			}
		})
		m.Exit("bash_2", execctx.MockExit{})
		want := []string{"0s bash_2 exited 0", "0s bash_1 exited 2", "0s bash_3 exited 9"}
		if diff := cmp.Diff(want, log.all()); diff != "" {
			t.Errorf("what happened (-want +got):\n%s", diff)
		}
	})
}

func TestMock_scriptedTerm_EX54(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terms := map[string]*execctx.MockTerm{
			"obeys":   nil,
			"ignores": {Ignore: true},
			"slow":    {Print: "bye", Exit: &execctx.MockExit{After: time.Second, Code: 5}},
			"hangs":   {Exit: &execctx.MockExit{After: time.Hour}},
		}
		m := newMocked(t, execctx.MockOptions{OnLaunch: func(run execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{Term: terms[run.Command]}
		}})
		for command, want := range map[string]string{
			"obeys": "killed 143 SIGTERM 0", "ignores": "killed 137 SIGKILL 5000", "slow": "killed 5  1000", "hangs": "killed 137 SIGKILL 5000",
		} {
			task := m.launch(command)
			info, err := m.KillBackground(t.Context(), m.h, task.TaskID)
			if err != nil || info == nil {
				t.Fatalf("kill: %v, %v", info, err)
			}
			code, _ := info.Code()
			if got := fmt.Sprint(info.Status, " ", code, " ", info.Signal, " ", info.DurationMS); got != want {
				t.Errorf("%s: %s, want %s", command, got, want)
			}
			if command == "slow" && m.read(task.OutputPath) != "bye" {
				t.Errorf("log %q", m.read(task.OutputPath))
			}
		}
	})
}

func TestMock_capability_D13(t *testing.T) {
	for _, tc := range []struct {
		opts  execctx.MockOptions
		want  execctx.Capabilities
		comes execctx.DetachedTasks
	}{
		{execctx.MockOptions{}, execctx.Capabilities{Push: true}, execctx.DetachedProcessLifetime},
		{execctx.MockOptions{Hide: []any{(*execctx.BackgroundExecutor)(nil)}}, execctx.Capabilities{Push: true}, execctx.DetachedNone},
		{execctx.MockOptions{DetachedTasks: execctx.DetachedNone}, execctx.Capabilities{Push: true, DetachedTasks: "none"}, execctx.DetachedNone},
		{execctx.MockOptions{DetachedTasks: execctx.DetachedDurable}, execctx.Capabilities{DetachedTasks: "durable"}, execctx.DetachedDurable},
	} {
		m := execctx.NewMock(tc.opts)
		if got := m.Capabilities(); got != tc.want {
			t.Errorf("EX-22: %+v says %+v, want %+v", tc.opts, got, tc.want)
		}
		if got := execctx.ResolveDetachedTasks(m); got != tc.comes {
			t.Errorf("EX-21: %+v comes to %s, want %s", tc.opts, got, tc.comes)
		}
	}
	m := execctx.NewMock(execctx.MockOptions{Hide: []any{(*execctx.BackgroundKiller)(nil)}})
	if _, ok := execctx.As[execctx.BackgroundKiller](m); ok {
		t.Error("EX-71: a hidden ability is found")
	}
	if _, ok := execctx.As[execctx.BackgroundLister](m); !ok {
		t.Error("EX-71: an ability that is not hidden is not found")
	}
}

// EX-81: a new context on a durable store goes on where the old one was.
func TestMock_reopen_EX81(t *testing.T) {
	m := newMocked(t, execctx.MockOptions{DetachedTasks: execctx.DetachedDurable})
	m.launch("x")
	later := m.Reopen()
	h, err := later.Spawn(t.Context(), execctx.SpawnConfig{HandleID: m.h.ID})
	if err != nil || h.ID != m.h.ID {
		t.Fatalf("bound to %+v, %v", h, err)
	}
	m.Exit("bash_1", execctx.MockExit{Code: 3})
	info, err := later.WaitBackground(context.Background(), h, "bash_1", 0)
	if err != nil || info == nil || *info.ExitCode != 3 {
		t.Errorf("wait: %v, %v", info, err)
	}
}
