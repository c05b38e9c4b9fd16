package agentcore

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/policy/hookio"
)

// admit holds the call against the schema, the bus, the permission gate and the
// PreToolUse hooks, in this order: nobody is asked about a call that cannot be. It
// gives the result of a call that must not run.
func (c *call) admit() *tool.Result {
	a := c.agent()
	tl, known := a.tools.Get(c.block.Name)
	tc := &tool.Call{ID: c.block.ID, Name: c.block.Name, Input: c.block.Input, Env: c.env}
	if bad := a.tools.Validate(tc); bad != nil {
		c.state = hook.CallInvalid
		if !known {
			c.state = hook.CallUnknown
		}
		return bad
	}
	c.state = hook.CallRefused
	gate := &hook.ToolGatePayload{IDs: c.ids, Name: c.block.Name, Input: c.input}
	hook.Emit(c.ctx, a.bus, hook.ToolGate, gate)
	if refused, reason := gate.Refused(); refused {
		return tool.Errorf("Refused: %s", cmp.Or(reason, "a hook does not allow this call."))
	}
	req := tool.Request{Tool: tl, Call: tc, Subagent: a.depth > 0}
	decision, err := tool.Check(c.ctx, a.cfg.Gate, req)
	c.warn(err)
	if decision.Permission == tool.Deny {
		return denied(decision.Reason)
	}
	out := c.hooks(hookio.Payload{Event: hookio.PreToolUse, ToolName: c.block.Name, ToolInput: c.input, ToolUseID: c.block.ID})
	if c.hookEnd != nil {
		return tool.Errorf("Not run: a hook ended the run. %s", c.hookEnd.reason)
	}
	switch out.Permission {
	case hookio.PermitDeny:
		return denied(cmp.Or(out.PermissionReason, out.Reason))
	case hookio.PermitAsk:
		decision = tool.Decision{Permission: tool.Ask, Reason: cmp.Or(out.PermissionReason, decision.Reason)}
	}
	if out.UpdatedInput != nil {
		if refusal := c.rewritten(tc, out.UpdatedInput, req, &decision); refusal != nil {
			return refusal
		}
	}
	return c.settle(req, decision)
}

// rewritten takes a hook's input in place of the model's: it has to be valid, and
// the gate is asked about what will really run.
func (c *call) rewritten(tc *tool.Call, input json.RawMessage, req tool.Request, decision *tool.Decision) *tool.Result {
	a := c.agent()
	tc.Input, c.input = input, input
	if bad := a.tools.Validate(tc); bad != nil {
		return tool.Errorf("Refused: a hook replaced the input by one that does not fit. %s", bad.Text)
	}
	d, err := tool.Check(c.ctx, a.cfg.Gate, req)
	c.warn(err)
	if d.Permission == tool.Deny {
		return denied(d.Reason)
	}
	if d.Permission == tool.Ask {
		*decision = d
	}
	return nil
}

// settle has a question answered.
func (c *call) settle(req tool.Request, d tool.Decision) *tool.Result {
	if d.Permission != tool.Ask {
		return nil
	}
	asking := tool.Asking(tool.GateFunc(func(context.Context, tool.Request) (tool.Decision, error) { return d, nil }), c.agent().cfg.Ask)
	d, err := tool.Check(c.ctx, asking, req)
	c.warn(err)
	if d.Permission == tool.Allow {
		return nil
	}
	return denied(d.Reason)
}

func denied(reason string) *tool.Result {
	return tool.Errorf("Permission denied: %s", cmp.Or(reason, "this call is not allowed."))
}
