package execctx_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
)

func reassign(t *testing.T, c *execctx.ProcessContext, req execctx.ReassignRequest) []string {
	t.Helper()
	entries, err := c.ReassignBackground(t.Context(), req)
	if err != nil {
		t.Fatalf("reassign: %v", err)
	}
	var got []string
	for _, entry := range entries {
		if entry.HandleID != req.To.ID || entry.Status != execctx.StatusRunning {
			t.Errorf("moved %+v", entry)
		}
		got = append(got, entry.TaskID)
	}
	return got
}

func TestProcessList_EX6(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	other := spawn(t, c)
	if got := ids(t, c, h); got != nil {
		t.Errorf("a new handle has %v", got)
	}
	for n := range 12 {
		launch(t, c, []execctx.Handle{h, other}[n%2], "x")
	}
	fs.nth(3).exit(0, 0)
	fs.nth(4).exit(1, 0)
	for handle, want := range map[execctx.Handle][]string{
		h:     {"bash_1", "bash_3", "bash_5", "bash_7", "bash_9", "bash_11"},
		other: {"bash_2", "bash_4", "bash_6", "bash_8", "bash_10", "bash_12"},
		{}:    nil,
	} {
		if diff := cmp.Diff(want, ids(t, c, handle)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", handle, diff)
		}
	}
	if entry := list(t, c, h)[1]; entry.Status != execctx.StatusExited || entry.EndedAt.IsZero() {
		t.Errorf("an ended task is listed as %+v", entry)
	}
	destroy(t, c, h)
	if got := ids(t, c, h); got != nil {
		t.Errorf("a destroyed handle has %v", got)
	}
}

func TestProcessReassign_EX8_D12(t *testing.T) {
	c, fs, from := newFakes(t, execctx.ProcessOptions{})
	to := spawn(t, c)
	var mu sync.Mutex
	told := map[string]string{}
	tell := func(who string) func(execctx.ExitInfo) {
		return func(info execctx.ExitInfo) {
			mu.Lock()
			defer mu.Unlock()
			told[info.TaskID] += who
		}
	}
	for n := range 5 {
		launch(t, c, []execctx.Handle{from, to}[n%2], "x", onExit(tell("old")))
	}
	fs.nth(3).exit(0, 0)
	if diff := cmp.Diff([]string{"bash_1", "bash_5"}, reassign(t, c, execctx.ReassignRequest{From: from, To: to, OnExit: tell("new")})); diff != "" {
		t.Errorf("moved (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bash_1", "bash_2", "bash_4", "bash_5"}, ids(t, c, to)); diff != "" {
		t.Errorf("the new owner's (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bash_3"}, ids(t, c, from)); diff != "" {
		t.Errorf("ended tasks stay (-want +got):\n%s", diff)
	}
	t.Run("EX-8: moved tasks outlive the old handle", func(t *testing.T) {
		destroy(t, c, from)
		if entry := list(t, c, to)[0]; entry.Status != execctx.StatusRunning {
			t.Errorf("listed as %+v", entry)
		}
	})
	fs.nth(1).exit(0, 0)
	fs.nth(2).exit(0, 0)
	kill(t, c, to, "bash_5")
	if got := reassign(t, c, execctx.ReassignRequest{From: to, To: to, OnExit: tell("same")}); len(got) != 1 || got[0] != "bash_4" {
		t.Errorf("to itself: %v", got)
	}
	fs.nth(4).exit(0, 0)
	mu.Lock()
	defer mu.Unlock()
	want := map[string]string{"bash_1": "new", "bash_2": "old", "bash_3": "old", "bash_4": "same", "bash_5": "new"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestProcessReassign_unknown(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	gone := spawn(t, c)
	destroy(t, c, gone)
	exits := 0
	launch(t, c, h, "x", onExit(func(execctx.ExitInfo) { exits++ }))
	for _, req := range []execctx.ReassignRequest{{From: h, To: gone}, {From: gone, To: h}, {From: h}, {}} {
		if moved, err := c.ReassignBackground(t.Context(), req); !errors.Is(err, execctx.ErrUnknownHandle) || moved != nil {
			t.Errorf("%+v: %v, %v", req, moved, err)
		}
	}
	fs.nth(1).exit(0, 0)
	if exits != 1 {
		t.Errorf("the owner who kept it was told %d times", exits)
	}
}

// AC-97: whoever has the task when the exit is decided is told, and nobody else.
func TestProcessReassign_race_AC97(t *testing.T) {
	for range 200 {
		c, fs, from := newFakes(t, execctx.ProcessOptions{})
		to := spawn(t, c)
		var old, now atomic.Int32
		launch(t, c, from, "x", onExit(func(execctx.ExitInfo) { old.Add(1) }))
		var wg sync.WaitGroup
		wg.Go(func() { fs.nth(1).exit(0, 0) })
		moved := reassign(t, c, execctx.ReassignRequest{From: from, To: to, OnExit: func(execctx.ExitInfo) { now.Add(1) }})
		wg.Wait()
		if want := int32(len(moved)); now.Load() != want || old.Load() != 1-want {
			t.Fatalf("moved %v: the old owner was told %d times, the new one %d", moved, old.Load(), now.Load())
		}
		if len(ids(t, c, to)) != len(moved) {
			t.Fatalf("moved %v, and the new owner has %v", moved, ids(t, c, to))
		}
	}
}
