package hook_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/task"
)

// AC-21, D-20: handlers drop, reorder, edit and add; one that fails leaves the list as it
// was before it.
func TestBackgroundReconcile_AC21_D20(t *testing.T) {
	b := hook.NewBus(nil)
	hook.On(b, hook.BackgroundReconcile, func(_ context.Context, p *hook.BackgroundReconcilePayload) error {
		p.Exits = []task.Exit{p.Exits[1], {TaskID: "added"}}
		p.Exits[0].Command = "edited"
		return nil
	})
	hook.On(b, hook.BackgroundReconcile, func(_ context.Context, p *hook.BackgroundReconcilePayload) error {
		p.Exits[0].Command = "lost"
		p.Exits = nil
		return errors.New("failed half way")
	})
	hook.On(b, hook.BackgroundReconcile, func(_ context.Context, p *hook.BackgroundReconcilePayload) error {
		p.Exits = nil
		panic("failed as well")
	})
	p := &hook.BackgroundReconcilePayload{Exits: []task.Exit{{TaskID: "first"}, {TaskID: "second"}}}
	hook.Emit(t.Context(), b, hook.BackgroundReconcile, p)
	if diff := cmp.Diff([]task.Exit{{TaskID: "second", Command: "edited"}, {TaskID: "added"}}, p.Exits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// AC-20: what happens to a subagent's tasks is heard above it, with its id and depth.
func TestBackground_bubbles_AC20(t *testing.T) {
	b := hook.NewBus(nil)
	var heard []string
	hook.On(b, hook.ChildOf(hook.BackgroundExit), func(_ context.Context, c *hook.Child[hook.BackgroundExitPayload]) error {
		heard = append(heard, c.ChildID+" "+c.Payload.TaskID)
		return nil
	})
	hook.Emit(t.Context(), b.Child("kid"), hook.BackgroundExit, &hook.BackgroundExitPayload{TaskID: "bash_1"})
	hook.Emit(t.Context(), b, hook.BackgroundExit, &hook.BackgroundExitPayload{TaskID: "bash_2"})
	if diff := cmp.Diff([]string{"kid bash_1"}, heard); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
