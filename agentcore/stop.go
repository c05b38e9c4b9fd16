package agentcore

import (
	"strings"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/policy/hookio"
)

// stopped is the end of a turn in which the model called no tool: messages that
// wait, answers that were cut, and the stop hooks can each make the run go on.
func (r *run) stopped(m *model.Message) (goOn bool, end *ending) {
	if end := r.interrupted(AfterTools); end != nil {
		return false, end
	}
	if delivered, end := r.deliverAll(); end != nil || delivered {
		return delivered, end
	}
	if m.StopReason == model.StopMaxTokens {
		return r.goOnAfterCut()
	}
	blocked, end := r.askStop()
	if end != nil || blocked {
		return blocked, end
	}
	if delivered, end := r.deliverAll(); end != nil || delivered { // what came while the hooks were asked
		return delivered, end
	}
	return r.nudge()
}

// deliverAll makes prompts of the messages that wait.
func (r *run) deliverAll() (delivered bool, end *ending) {
	waiting := r.a.box.take(true)
	for i := range waiting {
		end := r.deliver(&waiting[i])
		switch {
		case end == nil:
			delivered = true
		case end.end == EndPrompt:
			r.warn("a queued message was refused by a hook and dropped: %s", end.reason)
		default:
			r.a.box.back(waiting[i:])
			return false, end
		}
	}
	return delivered, nil
}

// goOnAfterCut asks the model for the rest of an answer that was cut.
func (r *run) goOnAfterCut() (bool, *ending) {
	_, err := r.a.thread.UserRow(session.UserRow{Meta: true,
		Text: "Your message was cut at the limit on output. Go on exactly where it ended, without repeating anything, and in smaller pieces."})
	if err != nil {
		return false, failed(err)
	}
	r.warn("the model's answer was cut at the limit on output; it was asked to go on")
	return true, nil
}

// askStop asks the bus and the stop hooks whether the run may end (RT-51).
func (r *run) askStop() (blocked bool, end *ending) {
	p := &hook.StopPayload{IDs: r.ids(""), Active: r.active, Blocks: r.blocks, Text: r.text}
	hook.Emit(r.ctx, r.a.bus, hook.Stop, p)
	refused, reason := p.Refused()
	feedback := session.Feedback{Event: string(r.stopEvent())}
	var reasons []string
	if refused {
		reasons = append(reasons, reason)
	}
	out, end := r.stopCommands()
	if end != nil {
		if end.end == EndHook {
			if e := r.summary(out); e != nil {
				return false, e
			}
		}
		return false, end
	}
	if end := r.interrupted(Now); end != nil { // who was asked may not have answered
		return false, end
	}
	if out.Block {
		reasons = append(reasons, out.Reason)
		feedback.Hooks = blockers(out)
	}
	if len(reasons) == 0 {
		return false, r.summary(out)
	}
	if r.behavior.StopBlockCap >= 0 && r.blocks >= r.behavior.StopBlockCap {
		r.warn("stop hooks held the agent %d times in a row, which is the limit: this stop passes. They wanted: %s", r.blocks, reasons[0])
		return false, r.summary(out)
	}
	feedback.Reason = strings.Join(reasons, "\n\n")
	if _, err := r.a.thread.Feedback(feedback); err != nil {
		return false, failed(err)
	}
	if end := r.summary(out); end != nil {
		return false, end
	}
	r.active = true
	r.blocks++
	r.total.Blocks++
	r.emit(Event{Kind: EventBlocked, Text: feedback.Reason, Blocks: r.blocks})
	return true, nil
}

func (r *run) stopEvent() hookio.EventName {
	if r.a.depth > 0 {
		return hookio.SubagentStop
	}
	return hookio.Stop
}

func (r *run) stopCommands() (hook.Outcome, *ending) {
	text := r.text
	p := hookio.Payload{Event: r.stopEvent(), StopHookActive: r.active, LastAssistantMessage: &text,
		BackgroundTasks: r.a.runningTasks(r.ctx)}
	if r.a.depth > 0 {
		p.AgentTranscriptPath = r.a.thread.Path()
	}
	return r.commands(p)
}

// blockers are the hooks that held the agent.
func blockers(out hook.Outcome) []session.HookError {
	var hooks []session.HookError
	for _, res := range out.Results {
		if res.Failure == nil && res.Reply.Block {
			hooks = append(hooks, session.HookError{Command: res.Command, Text: res.Reply.Reason})
		}
	}
	return hooks
}

// summary records what the stop hooks said, as the client does whenever some ran.
func (r *run) summary(out hook.Outcome) *ending {
	if len(out.Results) == 0 {
		return nil
	}
	s := session.StopHookSummary{Prevented: out.Stopped(), StopReason: out.StopReason}
	for _, res := range out.Results {
		s.Hooks = append(s.Hooks, session.HookInfo{Command: res.Command, Duration: res.Duration})
		s.HasOutput = s.HasOutput || res.Stdout != "" || res.Stderr != ""
		switch {
		case res.Failure != nil:
			s.Errors = append(s.Errors, res.Failure.Problem)
		case res.Reply.Block:
			s.Errors = append(s.Errors, res.Reply.Reason)
		}
	}
	return orFailed(r.a.thread.StopHookSummary(s))
}

// commands runs the command hooks of an event. A hook that ends the run is an
// ending; what hooks say to the person is shown.
func (r *run) commands(p hookio.Payload) (hook.Outcome, *ending) {
	out, notices := r.a.runCommands(r.ctx, p)
	for _, e := range notices {
		if e.Kind == EventNotice {
			if err := r.a.thread.HookMessage(string(p.Event), e.Text); err != nil {
				return out, failed(err)
			}
		}
		r.emit(e)
	}
	if out.Stopped() {
		return out, &ending{end: EndHook, reason: out.StopReason}
	}
	return out, nil
}
