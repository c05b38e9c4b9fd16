package agentcore

import (
	"context"
	"fmt"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// runCommands runs the command hooks of an event and gives what the person has to
// see: messages as notices, failures as warnings (RT-52). It touches nothing that
// the run's goroutine owns, but for the thread's fixed names.
func (a *Agent) runCommands(ctx context.Context, p hookio.Payload) (hook.Outcome, []Event) {
	if !a.cfg.Commands.Has(p.Event) {
		return hook.Outcome{}, nil
	}
	p.SessionID, p.TranscriptPath = a.thread.ID(), a.cfg.Session.Path()
	p.CWD, p.PermissionMode = a.thread.CWD(), a.cfg.PermissionMode
	if p.PromptID == "" {
		p.PromptID = a.promptID
	}
	p.AgentID, p.AgentType = a.id, a.kind
	out, err := a.cfg.Commands.Run(ctx, p)
	var seen []Event
	for _, text := range out.SystemMessages {
		seen = append(seen, Event{Kind: EventNotice, Text: text})
	}
	for _, f := range out.Failures {
		seen = append(seen, Event{Kind: EventWarning, Text: f.Error()})
	}
	if err != nil && ctx.Err() == nil {
		seen = append(seen, Event{Kind: EventWarning, Text: fmt.Sprintf("%s hooks were not run: %v", p.Event, err)})
	}
	return out, seen
}
