package execctx_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// step is one thing that happens to a context.
type step struct {
	Do       string
	Task     int
	Handle   int
	To       int
	Stubborn bool
}

// rounds is a plan: the steps of a round race with each other. A round of one
// step is held against a model, other rounds against what holds in any order.
func rounds() *rapid.Generator[[][]step] {
	one := rapid.Custom(func(t *rapid.T) step {
		return step{
			Do: rapid.SampledFrom([]string{
				"launch", "launch", "launch", "fail", "print", "exit", "exit", "kill", "wait", "wait", "list", "reassign", "reassign", "destroy",
			}).Draw(t, "do"),
			Task: rapid.IntRange(0, 20).Draw(t, "task"), Handle: rapid.IntRange(0, 2).Draw(t, "handle"),
			To: rapid.IntRange(0, 2).Draw(t, "to"), Stubborn: rapid.IntRange(0, 5).Draw(t, "stubborn") == 0,
		}
	})
	alone, racing := rapid.SliceOfN(one, 1, 1), rapid.SliceOfN(one, 2, 6)
	return rapid.SliceOfN(rapid.OneOf(alone, racing), 1, 30)
}

// race runs a plan and checks what must hold in every order of events.
type race struct {
	c       *execctx.ProcessContext
	fs      *fakes
	dir     string
	handles []execctx.Handle
	pending sync.WaitGroup // waits, which outlive their round

	mu      sync.Mutex
	faults  []string
	told    map[string][]told // by task
	printed map[string]string
	ended   map[string]execctx.ExitInfo // what waits and kills answered
}

// told is a callback: who was told what.
type told struct {
	who  string
	info execctx.ExitInfo
}

func (r *race) faultf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// tell is the callback of a handle. It uses the context, which must not have
// anything locked, and looks whether the log is complete.
func (r *race) tell(h execctx.Handle) func(execctx.ExitInfo) {
	return func(info execctx.ExitInfo) {
		log, err := os.ReadFile(info.OutputPath)
		r.mu.Lock()
		want := r.printed[info.OutputPath]
		r.told[info.TaskID] = append(r.told[info.TaskID], told{h.ID, info})
		r.mu.Unlock()
		if string(log) != want || err != nil {
			r.faultf("%s: log %q at the exit, want %q; %v", info.TaskID, log, want, err)
		}
		entries, _ := r.c.ListBackground(context.Background(), h)
		for _, entry := range entries {
			if entry.TaskID == info.TaskID && entry.Status != info.Status {
				r.faultf("%s: listed as %s when told %s", info.TaskID, entry.Status, info.Status)
			}
		}
	}
}

// answered checks what a wait or kill said: the callback came first, and all say
// the same.
func (r *race) answered(info *execctx.ExitInfo) {
	if info == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.told[info.TaskID]) != 1 {
		r.faults = append(r.faults, fmt.Sprintf("%s: told %v before a wait or kill answers", info.TaskID, r.told[info.TaskID]))
	}
	if info.ExitCode == nil {
		r.faults = append(r.faults, fmt.Sprintf("%s: a wait or kill answers %+v", info.TaskID, info))
		return
	}
	if before, ok := r.ended[info.TaskID]; ok && (before.Status != info.Status || *before.ExitCode != *info.ExitCode) {
		r.faults = append(r.faults, fmt.Sprintf("%s: %+v, then %+v", info.TaskID, before, info))
	}
	r.ended[info.TaskID] = *info
}

// aim lets a step hit a task that there is, and mostly by its owner.
func (r *race) aim(s step) step {
	n := len(r.fs.list())
	if n == 0 {
		return s
	}
	s.Task %= n
	if s.Do != "kill" && s.Do != "wait" || s.To == 0 {
		return s
	}
	for i, h := range r.handles {
		entries, _ := r.c.ListBackground(context.Background(), h)
		for _, entry := range entries {
			if entry.TaskID == execctx.TaskID(1+s.Task) {
				s.Handle = i
			}
		}
	}
	return s
}

// run does one step.
func (r *race) run(s step) {
	ctx := context.Background()
	h, to := r.handles[s.Handle], r.handles[s.To]
	id := execctx.TaskID(1 + s.Task)
	switch s.Do {
	case "launch", "fail":
		command := s.Do
		if s.Stubborn {
			command = "stubborn"
		}
		_, err := r.c.ExecBackground(ctx, h, execctx.LaunchRequest{Command: command, OutputDir: r.dir, OnExit: r.tell(h)})
		if err != nil && !errors.Is(err, execctx.ErrUnknownHandle) && !errors.Is(err, errFakeStart) {
			r.faultf("launch: %v", err)
		}
	case "print":
		r.process(s.Task, func(f *fakeProcess, path string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.over {
				return
			}
			r.mu.Lock()
			r.printed[path] += "x\n"
			r.mu.Unlock()
			_, _ = f.cfg.Output.Write([]byte("x\n"))
		})
	case "exit":
		r.process(s.Task, func(f *fakeProcess, _ string) { f.exit(s.To, 0) })
	case "kill":
		info, err := r.c.KillBackground(ctx, h, id)
		if err != nil {
			r.faultf("kill: %v", err)
		}
		r.answered(info)
	case "wait":
		r.pending.Go(func() {
			info, err := r.c.WaitBackground(ctx, h, id, time.Duration(s.To)*time.Hour)
			if err != nil {
				r.faultf("wait: %v", err)
			}
			r.answered(info)
		})
	case "list":
		if _, err := r.c.ListBackground(ctx, h); err != nil {
			r.faultf("list: %v", err)
		}
	case "reassign":
		req := execctx.ReassignRequest{From: h, To: to, OnExit: r.tell(to)}
		if _, err := r.c.ReassignBackground(ctx, req); err != nil && !errors.Is(err, execctx.ErrUnknownHandle) {
			r.faultf("reassign: %v", err)
		}
	case "destroy":
		if err := r.c.Destroy(ctx, h); err != nil {
			r.faultf("destroy: %v", err)
		}
	}
}

// process finds the nth started process, and the path of its log.
func (r *race) process(n int, do func(*fakeProcess, string)) {
	all := r.fs.list()
	if n < len(all) {
		do(all[n], all[n].path())
	}
}

// bind makes the handles usable, again after they were destroyed.
func (r *race) bind() {
	r.handles = r.handles[:0]
	for _, id := range []string{"a", "b", "c"} {
		h, err := r.c.Spawn(context.Background(), execctx.SpawnConfig{HandleID: id, CWD: r.dir})
		if err != nil {
			r.faultf("spawn: %v", err)
		}
		r.handles = append(r.handles, h)
	}
}

// settled checks what must hold whenever nothing happens.
func (r *race) settled() {
	owners := map[string]string{}
	for _, h := range r.handles {
		entries, _ := r.c.ListBackground(context.Background(), h)
		for i, entry := range entries {
			if other, ok := owners[entry.TaskID]; ok || entry.HandleID != h.ID {
				r.faultf("%s: listed for %s and %q, says %s", entry.TaskID, h.ID, other, entry.HandleID)
			}
			owners[entry.TaskID] = h.ID
			if i > 0 && !idLess(entries[i-1].TaskID, entry.TaskID) {
				r.faultf("listed %s before %s", entries[i-1].TaskID, entry.TaskID)
			}
			r.check(entry)
		}
	}
}

// check compares a listed task with what was told of it.
func (r *race) check(entry execctx.TaskEntry) {
	r.mu.Lock()
	calls := len(r.told[entry.TaskID])
	want := int64(len(r.printed[entry.OutputPath]))
	r.mu.Unlock()
	switch {
	case entry.BytesWritten != want:
		r.faultf("%s: %d bytes written, want %d", entry.TaskID, entry.BytesWritten, want)
	case entry.Ended():
		r.toldOwner(entry)
	case calls > 0:
		r.faultf("%s: runs, and its exit was told", entry.TaskID)
	}
}

// toldOwner checks that whoever has an ended task was told its end, and nobody
// else.
func (r *race) toldOwner(entry execctx.TaskEntry) {
	r.mu.Lock()
	calls := r.told[entry.TaskID]
	r.mu.Unlock()
	switch {
	case len(calls) != 1:
		r.faultf("%s: its exit was told %d times", entry.TaskID, len(calls))
	case calls[0].who != entry.HandleID || calls[0].info.Status != entry.Status:
		r.faultf("%s: %s was told %s; %s has it as %s", entry.TaskID, calls[0].who, calls[0].info.Status, entry.HandleID, entry.Status)
	}
}

func idLess(a, b string) bool {
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// finish ends everything and checks that nothing was lost or kept.
func (r *race) finish() {
	for _, h := range r.handles {
		if err := r.c.Destroy(context.Background(), h); err != nil {
			r.faultf("destroy: %v", err)
		}
	}
	r.pending.Wait()
	for n, f := range r.fs.list() {
		id := execctx.TaskID(n + 1)
		f.mu.Lock()
		over, released := f.over, f.released
		f.mu.Unlock()
		if !over || released == 0 {
			r.faultf("EX-47: %s: over %v, released %d times", id, over, released)
		}
		if calls := r.told[id]; len(calls) != 1 {
			r.faultf("EX-43: %s: its exit was told %d times", id, len(calls))
		}
		if log, err := os.ReadFile(f.path()); err != nil || string(log) != r.printed[f.path()] {
			r.faultf("EX-49: %s: log %q, %v, want %q", id, log, err, r.printed[f.path()])
		}
	}
	if files, _ := filepath.Glob(filepath.Join(r.dir, "*.log")); len(files) != len(r.fs.list()) {
		r.faultf("%d files of %d tasks", len(files), len(r.fs.list()))
	}
}

// TestProcessRace lets exits race with kills, waits, reassigns, destroys and
// lists, in bubbles of fake time: a deadlock is a failure, and so is a goroutine
// that stays.
func TestProcessRace_EX43_EX48_AC97(t *testing.T) {
	base := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		plan := rounds().Draw(rt, "rounds")
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		r := &race{dir: dir, told: map[string][]told{}, printed: map[string]string{}, ended: map[string]execctx.ExitInfo{}}
		synctest.Test(t, func(t *testing.T) { r.play(plan) })
		if len(r.faults) > 0 {
			rt.Fatal(strings.Join(r.faults, "\n"))
		}
	})
}

func (r *race) play(plan [][]step) {
	r.fs = &fakes{start: obey}
	r.c = execctx.NewTestProcess(execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit}, r.fs.open)
	naive := &model{}
	for _, steps := range plan {
		r.bind()
		for i := range steps {
			steps[i] = r.aim(steps[i])
		}
		var all sync.WaitGroup
		for _, s := range steps {
			all.Go(func() { r.run(s) })
		}
		all.Wait()
		synctest.Wait()
		r.settled()
		if len(steps) == 1 {
			naive.apply(steps[0], r.handles)
			naive.compare(r, steps[0])
		} else {
			naive.follow(r)
		}
	}
	r.finish()
}

// obey makes a process that ends late under a kill, when its command says so, as
// by SIGKILL after the grace.
func obey(f *fakeProcess, _ int) {
	f.slow = f.cfg.Command == "stubborn"
}
