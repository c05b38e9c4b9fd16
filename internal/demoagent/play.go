package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/internal/term"
)

const (
	errand   = "fix the typo in README.md, commit and push" // what the person asks for
	question = "what did you change?"                       // and while the push runs
)

// story is what the gate has to say, Stop by Stop.
func story() []verdict {
	return []verdict{
		{"defer", "stop-hook.background_handoff_deferred"},
		{"block", "stop-hook.status_check_missing"},
		{"allow", "stop-hook.pass"},
	}
}

// played is what the session showed.
type played struct {
	transcript string
	stops      int
	stats      agentcore.Stats
	elapsed    time.Duration
}

// player tells a session as it goes on.
type player struct {
	*host
	played
	message *delivery // that is on its way
	call    string    // that runs the push
}

// play lets the agent work until nothing is left that could wake it, and holds what
// the gate says against the story.
func play(ctx context.Context, s *stage) (_ *played, err error) {
	h, err := newHost(s)
	if err != nil {
		return nil, err
	}
	p := &player{host: h}
	defer func() {
		if p.message != nil { // it failed in between
			p.message.outcome()
		}
		err = errors.Join(err, h.end(ctx))
	}()
	began := time.Now()
	s.event("person", errand)
	if err := p.run(ctx, errand); err != nil {
		return nil, err
	}
	if err := s.land(); err != nil {
		return nil, err
	}
	for {
		wake, err := h.agent.WaitTasks(ctx)
		if err != nil {
			return nil, err
		}
		if !wake {
			break
		}
		if err := p.run(ctx, ""); err != nil {
			return nil, err
		}
	}
	if want := len(story()); p.stops != want {
		return nil, fmt.Errorf("the agent wanted to stop %d times; the story wants %d", p.stops, want)
	}
	p.transcript, p.stats, p.elapsed = h.session.Path(), h.agent.Stats(), time.Since(began)
	return &p.played, h.model.Done()
}

// run is one run of the agent; without a prompt, one that a task's end begins.
func (p *player) run(ctx context.Context, prompt string) error {
	for e, err := range p.agent.Run(ctx, agentcore.RunOptions{Prompt: prompt}) {
		if err == nil {
			err = p.tell(ctx, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell prints one event of the session, and does what a host does then.
func (p *player) tell(ctx context.Context, e agentcore.Event) error {
	switch e.Kind {
	case agentcore.EventMessage:
		if text := e.Message.FinalText(); text != "" {
			p.event("agent", term.FirstLine(text))
			if _, rest, more := strings.Cut(strings.TrimSpace(text), "\n"); more {
				p.quote(strings.Trim(rest, "\n"))
			}
		}
	case agentcore.EventToolStart:
		input := inputOf(e)
		note := ""
		if strings.Contains(input, "git push") {
			p.message, p.call = p.deliver(ctx, question), e.CallID
			note = "   (a pre-push hook takes its time)"
		}
		p.event("", p.code("36", e.Tool)+" "+term.OneLine(p.short(input), 90)+note)
	case agentcore.EventToolResult:
		return p.result(ctx, e)
	case agentcore.EventTask:
		p.event("host", fmt.Sprintf("the push lands: task %s %s (%s); the notification wakes the agent", e.Task.TaskID, e.Task.Status, ended(e.Task)))
	case agentcore.EventBlocked:
		return p.stop(ctx, true)
	case agentcore.EventWarning, agentcore.EventNotice:
		p.event("hook", e.Text)
	case agentcore.EventResult:
		if e.Result.End != agentcore.EndCompleted {
			return fmt.Errorf("the session ended as %s: %s", e.Result.End, e.Result.Reason)
		}
		return p.stop(ctx, false)
	}
	return nil
}

// result is the end of a call, or of its waiting for a command that was moved.
func (p *player) result(ctx context.Context, e agentcore.Event) error {
	if e.IsError {
		p.quote(e.Text)
	}
	if p.message == nil || e.CallID != p.call {
		return nil
	}
	moved, err := p.message.outcome()
	if err != nil {
		return err
	}
	p.message = nil
	p.event("person", question)
	p.event("host", fmt.Sprintf("moves the running command to the background (task %s) to deliver the message", moved))
	if p.early {
		return p.landed(ctx)
	}
	return nil
}

// stop is the agent's wish to end its turn, and what the gate said to it.
func (p *player) stop(ctx context.Context, blocked bool) error {
	d, err := p.decision(p.session.ID(), p.stops)
	if err != nil {
		return err
	}
	if p.stops >= len(story()) {
		return fmt.Errorf("a stop that the story does not have: stophook says %s", d.verdict)
	}
	want := story()[p.stops]
	p.stops++
	p.event("Stop", d.verdict.paint(p.stage))
	p.quote(d.reason)
	if d.verdict != want {
		return fmt.Errorf("stop %d: the story wants %s, stophook says %s", p.stops, want, d.verdict)
	}
	if blocked != (want.verdict == "block") {
		return fmt.Errorf("stop %d: stophook says %s, and that is not what the agent was told", p.stops, want)
	}
	if want.verdict == "defer" {
		return p.without(ctx, d)
	}
	return nil
}
