package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// side is one policy, with what it would have made of the session so far.
type side struct {
	judge *policy.Judge
	state evidence.State
	ended []evidence.Event // session ends that its passing stops wrote
	stops []Stop
}

// player replays one transcript under one or two policies.
type player struct {
	opts    Options
	sides   []*side
	session Session
	walked  transcript.Walked
	ledgers map[string]*ledger
	ledger  *ledger
	beside  string // a case's ledger

	uuids                []string // of the final rows that are reported
	untimed, cut, judged int
}

// play judges every stop of a file. What goes wrong is in the session.
func play(ctx context.Context, f file, opts Options, judges []*policy.Judge, progress func(int64)) *player {
	p := &player{opts: opts, ledgers: map[string]*ledger{}, beside: f.ledger,
		session: Session{Path: f.path, ID: nameID(f.path), Size: f.size, Stops: []Stop{}, Evidence: EvidenceNone, Notes: []string{}}}
	for _, j := range judges {
		p.sides = append(p.sides, &side{judge: j, stops: []Stop{}})
	}
	err := f.err
	if err == nil {
		err = p.run(ctx, progress)
	}
	if err != nil {
		p.session.Error = err.Error()
	}
	p.session.Stops = p.sides[0].stops
	p.notes()
	p.ledgers, p.ledger = nil, nil // many sessions are played, and a ledger may be large
	return p
}

// nameID is the session id in a file name of the host's form, else empty.
func nameID(path string) string {
	if name := strings.TrimSuffix(filepath.Base(path), ".jsonl"); len(name) == 36 && strings.Count(name, "-") == 4 {
		return name
	}
	return ""
}

// run walks the file. A panic costs this file and not the others.
func (p *player) run(ctx context.Context, progress func(int64)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("internal error: %v; please report it, with\n%s", v, debug.Stack())
		}
	}()
	file, err := os.Open(p.session.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	window := int64(0)
	for _, s := range p.sides {
		window = max(window, s.judge.SessionOptions(&hookio.Event{}, time.Time{}).Window)
	}
	p.walked, err = transcript.Walk(ctx, file, p.session.Size, p.session.Path,
		transcript.WalkOptions{Window: window, Since: p.opts.Since, Progress: progress},
		func(s *transcript.Stop, m *transcript.Moment) error { return p.stop(ctx, s, m) })
	return err
}

// payload is what the host would have sent, as far as the transcript tells it.
type payload struct {
	SessionID      string  `json:"session_id"`
	TranscriptPath string  `json:"transcript_path"`
	CWD            string  `json:"cwd,omitempty"`
	PromptID       string  `json:"prompt_id,omitempty"`
	HookEventName  string  `json:"hook_event_name"`
	StopHookActive bool    `json:"stop_hook_active"`
	LastMessage    *string `json:"last_assistant_message,omitempty"`
}

func (p *player) event(s *transcript.Stop) (*hookio.Event, error) {
	doc := payload{SessionID: s.SessionID, TranscriptPath: p.session.Path, CWD: s.CWD, PromptID: s.PromptID,
		HookEventName: string(hookio.Stop), StopHookActive: s.Active}
	if s.FinalText != "" {
		doc.LastMessage = &s.FinalText
	}
	raw, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return hookio.Decode(raw, hookio.HostClaudeCode)
}

// stop judges one stop.
func (p *player) stop(ctx context.Context, s *transcript.Stop, m *transcript.Moment) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ev, err := p.event(s)
	if err != nil {
		return fmt.Errorf("line %d: %w", s.Line, err)
	}
	now := s.Time
	if now.IsZero() {
		now = time.Unix(0, 0).UTC() // never the present: the result must not depend on it
		p.untimed++
	}
	log, evidenceErr := p.evidenceOf(s, m, now)
	var session *transcript.Session
	var asked transcript.Options
	var sessionErr error
	for _, side := range p.sides {
		opts := side.judge.SessionOptions(ev, now)
		if session == nil || opts != asked {
			session, sessionErr = m.Session(opts)
			asked = opts
		}
		one := policy.Moment{Event: ev, Now: now, Session: session, SessionErr: sessionErr, State: side.state,
			Ledger: log, EvidenceErr: evidenceErr}
		one.Ledger.Events = append(log.Events[:len(log.Events):len(log.Events)], side.ended...)
		p.judge(ctx, side, one, s)
	}
	if s.UUID != "" && !s.Time.Before(p.opts.Since) {
		p.uuids = append(p.uuids, s.UUID)
	}
	if slices.Contains(session.Blind, transcript.BlindWindowCut) {
		p.cut++
	}
	p.judged++
	return ctx.Err()
}

func (p *player) judge(ctx context.Context, side *side, m policy.Moment, s *transcript.Stop) {
	o := side.judge.Decide(ctx, m)
	var written evidence.Log
	d := o.CarryInto(&side.state, &written)
	side.ended = append(side.ended, written.Events...)
	if s.Time.Before(p.opts.Since) {
		return
	}
	side.stops = append(side.stops, Stop{Offset: s.Offset, Line: s.Line, Time: s.Time, Verdict: d.Verdict, Code: d.Code,
		Reason: d.Reason, Demands: d.Demands, Deferrals: d.Deferrals, SystemMessage: d.SystemMessage, Blocks: o.Blocks(),
		Recorded: string(s.Answer), RecordedReason: s.Reason})
}

// evidenceOf is the evidence that existed at a stop.
func (p *player) evidenceOf(s *transcript.Stop, m *transcript.Moment, now time.Time) (evidence.Log, error) {
	p.session.ID = cmp.Or(s.SessionID, p.session.ID)
	l := p.ledgers[s.SessionID]
	if l == nil {
		l = openLedger(p.opts.Store, s.SessionID, p.beside)
		p.ledgers[s.SessionID] = l
	}
	p.ledger = l
	return l.at(now, m)
}

// notes says what is special about this session.
func (p *player) notes() {
	note := func(n int, one, many string) {
		switch {
		case n == 1:
			p.session.Notes = append(p.session.Notes, one)
		case n > 1:
			p.session.Notes = append(p.session.Notes, fmt.Sprintf(many, n))
		}
	}
	if p.ledger != nil {
		p.session.Evidence = p.ledger.source
		if p.ledger.err != nil {
			p.session.Notes = append(p.session.Notes, fmt.Sprintf("the ledger cannot be read: %v", p.ledger.err))
		}
		if p.ledger.log.Offset > 0 {
			p.session.Notes = append(p.session.Notes, "the ledger is longer than 4 MiB: its older events are not seen, as in the hook")
		}
	}
	note(p.untimed, "one stop has no time: ages are not told there", "%d stops have no time: ages are not told there")
	note(p.cut, "at one stop the window did not reach the turn's start", "at %d stops the window did not reach the turn's start")
	note(p.walked.Copied, "one stop was copied from another session and is left out", "%d stops were copied from another session and are left out")
}
