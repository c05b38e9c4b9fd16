//go:build unix

package execctx_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// TestProcessRace_real does what TestProcessRace does with real short processes,
// whose ends nobody can time: they race with whatever happens to them.
func TestProcessRace_real_EX43_AC97(t *testing.T) {
	commands := []string{"true", "exit 3", "sleep 0.01", "sleep 0.02; exit 1", "exec sleep 1000", "trap '' TERM; sleep 0.05 & wait; wait"}
	plan := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			Do:     rapid.SampledFrom([]string{"launch", "launch", "launch", "kill", "wait", "list", "reassign", "reassign", "destroy"}).Draw(t, "do"),
			Task:   rapid.IntRange(0, len(commands)-1).Draw(t, "task"),
			Handle: rapid.IntRange(0, 2).Draw(t, "handle"), To: rapid.IntRange(0, 2).Draw(t, "to"),
		}
	}), 1, 30)
	base := t.TempDir()
	for seed := range 10 {
		r := &race{
			dir: base, fs: &fakes{}, told: map[string][]told{}, printed: map[string]string{}, ended: map[string]execctx.ExitInfo{},
			c: execctx.NewProcess(execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit, KillGrace: 50 * time.Millisecond}),
		}
		r.bind()
		launched := r.playReal(plan.Example(seed), commands)
		for _, h := range r.handles {
			destroy(t, r.c, h)
		}
		r.pending.Wait()
		for _, id := range launched {
			if calls := r.told[id]; len(calls) != 1 {
				r.faultf("%s: its exit was told %d times", id, len(calls))
			}
		}
		for _, fault := range r.faults {
			t.Error(fault)
		}
	}
}

// playReal runs all steps at once, one a millisecond, and gives the tasks that
// were launched.
func (r *race) playReal(steps []step, commands []string) (launched []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for n, s := range steps {
		<-pace.C
		all.Go(func() {
			if s.Do != "launch" {
				s.Task = n / 2
				r.run(s)
				return
			}
			h := r.handles[s.Handle]
			got, err := r.c.ExecBackground(context.Background(), h, execctx.LaunchRequest{
				Command: commands[s.Task], OutputDir: r.dir, OnExit: r.tell(h),
			})
			if err != nil && !errors.Is(err, execctx.ErrUnknownHandle) {
				r.faultf("launch: %v", err)
			}
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				launched = append(launched, got.TaskID)
			}
		})
	}
	all.Wait()
	for _, h := range r.handles {
		entries, _ := r.c.ListBackground(context.Background(), h)
		for _, entry := range entries {
			if entry.Ended() { // then a wait comes back when that was told
				_, _ = r.c.WaitBackground(context.Background(), h, entry.TaskID, 0)
				r.toldOwner(entry)
			}
		}
	}
	return launched
}
