package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// errNoEvent is a payload that does not say what happened.
var errNoEvent = errors.New(`stdin: the payload has no hook_event_name; check that the host's own JSON reaches this program unchanged`)

// hookDeadline bounds the whole run, far below the host's own timeout, at which
// the turn would end without anybody being told.
const hookDeadline = 20 * time.Second

func (p *program) hookCommand() *cli.Command {
	return &cli.Command{
		Name: "hook", Usage: "decide one hook event of the host",
		UsageText: `stophook hook [flags] < payload

  echo '{"hook_event_name":"Stop","session_id":"s1","transcript_path":"s1.jsonl"}' | stophook hook --shadow`,
		Description: `Reads the event as JSON from stdin. The turn may end: exit 0, nothing on stdout
(or one object with a systemMessage for the person). The turn is held: exit 0 and
one JSON object with decision and reason. A deferred stop is an allowed one.
Whatever fails on our side lets the turn end, says so on stderr, and never blocks.`,
		Flags:        gateFlags(),
		OnUsageError: func(c *cli.Context, err error, _ bool) error { return p.hookFailed(c, nil, setupFailure(err)) },
		Action:       p.hook,
	}
}

// hook answers one event. It always exits 0: for the host, every other code is
// either a block of its own or a gate that is lost in silence (claude-code
// section 4).
func (p *program) hook(c *cli.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = p.hookFailed(c, nil, setupFailure(fmt.Errorf("internal error: %v; please report it\n%s", v, debug.Stack())))
		}
	}()
	if c.Args().Present() {
		return p.hookFailed(c, nil, setupFailure(fmt.Errorf("hook takes no arguments, got %q; the event comes on stdin", c.Args().First())))
	}
	if err := p.setClock(c); err != nil {
		return p.hookFailed(c, nil, setupFailure(err))
	}
	ev, err := p.event(c)
	if err == nil && ev.Name == "" {
		err = errNoEvent
	}
	if err != nil {
		return p.hookFailed(c, ev, policy.Failure{Kind: policy.FailureEvidence, Message: err.Error()})
	}
	ctx, cancel := context.WithTimeout(context.Background(), hookDeadline)
	defer cancel()
	g := p.gate(c, ev)
	for _, w := range g.Warnings {
		p.log.Warn(w)
	}
	switch ev.Name {
	case hookio.SessionStart:
		return p.sessionStart(ctx, c, g, ev)
	case hookio.UserPromptSubmit:
		if !policy.AskedByPerson(ev) {
			return nil
		}
		p.note(ctx, g, ev, evidence.Event{Kind: evidence.PromptSubmitted, PromptID: ev.PromptID, Cwd: ev.CWD})
		return nil
	}
	return p.decide(ctx, g, ev)
}

// event reads and decodes stdin.
func (p *program) event(c *cli.Context) (*hookio.Event, error) {
	host, err := hookio.ParseHost(c.String("host"))
	if err != nil {
		return nil, err
	}
	data, err := hookio.Read(p.stdin, 0)
	if err != nil {
		return nil, err
	}
	return hookio.Decode(data, host)
}

// decide is the main job: facts, verdict, effects, answer, log.
func (p *program) decide(ctx context.Context, g *policy.Gate, ev *hookio.Event) error {
	for _, odd := range ev.Odd {
		p.log.Warnf("stdin: %s", odd)
	}
	o := g.Evaluate(ctx, ev)
	d := g.Carry(ctx, o)
	if o.Failure != nil {
		p.log.Error(o.Failure.String())
	}
	if o.Facts.EvidenceError != "" {
		p.log.Error(o.Facts.EvidenceError)
	}
	for _, problem := range o.Problems {
		p.log.Warn(problem)
	}
	out, err := hookio.Encode(ev, d.Answer(ev, g.Shadow), o.BlockStyle())
	if err != nil {
		// A verdict that this event or host cannot carry is said, not lost.
		p.log.Errorf("the answer cannot be given to this host: %v", err)
		out, _ = hookio.Encode(ev, hookio.Allow().WithMessage(d.Reason), hookio.StyleDecision)
	}
	if len(out) > 0 {
		if _, err := p.stdout.Write(out); err != nil {
			p.log.Errorf("stdout: %v", err)
		}
	}
	if g.Log != nil {
		if err := g.Log.Append(o.Record(newID(), version)); err != nil {
			p.log.Warn(err.Error()) // it says which log
		}
	}
	return nil
}

// setupFailure is a failure of how the hook was set up, as opposed to what it
// was given to judge.
func setupFailure(err error) policy.Failure {
	return policy.Failure{Kind: policy.FailurePolicy, Message: err.Error()}
}

// hookFailed says what went wrong before anything could be decided, and logs it.
// The host shows the message, and the turn may end. An empty stdin is no host:
// somebody tries the command out, and reads stderr.
func (p *program) hookFailed(c *cli.Context, ev *hookio.Event, f policy.Failure) error {
	p.log.Error(f.String())
	if f.Message != hookio.ErrEmpty.Error() {
		if out, err := hookio.Encode(ev, hookio.Allow().WithMessage("stophook could not check this stop: "+term.FirstLine(f.String())),
			hookio.StyleDecision); err == nil {
			p.stdout.Write(out)
		}
	}
	if ev == nil {
		ev = &hookio.Event{}
	}
	defer func() { _ = recover() }() // the last resort must not fail in its turn
	if g := p.gate(c, ev); g.Log != nil {
		if err := g.Log.Append(g.Failed(ev, f).Record(newID(), version)); err != nil {
			p.log.Warn(err.Error()) // it says which log
		}
	}
	return nil
}

// note files one ledger event; a failure is only worth a warning here.
func (p *program) note(ctx context.Context, g *policy.Gate, ev *hookio.Event, e evidence.Event) {
	if g.Shadow {
		return
	}
	session, err := g.Store.Session(ev.SessionID)
	if err == nil {
		err = session.Append(ctx, e)
	}
	if err != nil {
		p.log.Warnf("the session's ledger could not be written: %v", err)
	}
}

// sessionStart tells later commands which session they belong to, and tells the
// agent the ritual before it can be held by it.
func (p *program) sessionStart(ctx context.Context, c *cli.Context, g *policy.Gate, ev *hookio.Event) error {
	p.note(ctx, g, ev, evidence.Event{Kind: evidence.SessionStarted, Text: ev.Source, Cwd: ev.CWD})
	if file := p.getenv("CLAUDE_ENV_FILE"); file != "" && ev.SessionID != "" {
		if err := hookio.AppendEnvFile(file, hookio.EnvVar{Name: "STOPHOOK_SESSION_ID", Value: ev.SessionID}); err != nil {
			p.log.Warnf("the session id could not be exported: %v", err)
		}
	}
	brief, err := g.Briefing(ctx, ev)
	if err != nil {
		return p.hookFailed(c, ev, policy.FailureOf(err))
	}
	if brief == "" || g.Shadow {
		return nil
	}
	out, err := hookio.Encode(ev, hookio.Context(brief), hookio.StyleDecision)
	if err != nil {
		p.log.Errorf("the briefing cannot be given to this host: %v", err)
		return nil
	}
	if _, err := p.stdout.Write(out); err != nil {
		p.log.Errorf("stdout: %v", err)
	}
	return nil
}

// newID is a random decision id in the form of a UUID.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
