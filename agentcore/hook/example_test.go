package hook_test

import (
	"context"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
)

func ExampleOn() {
	bus := hook.NewBus(func(e *hook.HandlerError) { fmt.Println(e) })
	hook.On(bus, hook.ToolGate, func(_ context.Context, p *hook.ToolGatePayload) error {
		if p.Name == "shell" {
			p.Refuse("No shell today.")
		}
		return nil
	})
	// A gate on the person's bus judges the calls of subagents as well.
	call := hook.ToolGatePayload{Name: "shell"}
	hook.Emit(context.Background(), bus.Child("a1"), hook.ToolGate, &call)
	fmt.Println(call.Block, call.Reason)
	// Output: true No shell today.
}

func ExampleChildOf() {
	bus := hook.NewBus(nil)
	hook.On(bus, hook.ChildOf(hook.ToolAfter), func(_ context.Context, c *hook.Child[hook.ToolAfterPayload]) error {
		fmt.Println(c.ChildID, c.Depth, c.Payload.Name)
		return nil
	})
	hook.Emit(context.Background(), bus.Child("a1"), hook.ToolAfter, &hook.ToolAfterPayload{Name: "glob"})
	// Output: a1 1 glob
}
