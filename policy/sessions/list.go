package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// Options say what to list. Store, Log and Now are required.
type Options struct {
	Store evidence.Store
	Log   string    // the decision log
	Now   time.Time // for the age of handoffs
	Since time.Time // only sessions that were active then or later; zero: all
	Last  int       // only so many, the latest; 0: all
	Home  string    // for ~/ in paths of transcripts
	// Config is the configuration in force in a project, which bounds handoffs and
	// says what closes them; nil: the defaults.
	Config func(project string) policy.Config
}

// List finds the sessions, the one that was active last first. The errors are those
// of a store or a log that is there and cannot be read.
func List(opts Options) (*Report, error) {
	l := lister{opts: opts, byFolder: map[string]*Session{}}
	folders, err := opts.Store.Folders()
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		l.byFolder[f.Name] = &Session{ID: f.ID, Folder: f.Name, Active: f.Changed}
	}
	bad, err := l.readLog()
	if err != nil {
		return nil, err
	}
	var all []*Session
	for _, s := range l.byFolder {
		if !s.Active.Before(opts.Since) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *Session) int {
		if c := b.Active.Compare(a.Active); c != 0 {
			return c
		}
		return strings.Compare(a.ID+a.Folder, b.ID+b.Folder)
	})
	r := &Report{Schema: Schema, StateDir: opts.Store.Dir, Sessions: []Session{}, Found: len(all), BadLines: bad}
	if opts.Last > 0 && len(all) > opts.Last {
		all = all[:opts.Last]
	}
	for _, s := range all { // ledgers and transcripts only of what is shown
		l.complete(s)
		r.Sessions = append(r.Sessions, *s)
	}
	return r, nil
}

type lister struct {
	opts     Options
	byFolder map[string]*Session
}

// readLog takes the last verdict of every session from the decision log, and counts
// its bad lines.
func (l *lister) readLog() (bad int, err error) {
	stats, err := decisionlog.ReadLines(l.opts.Log, decisionlog.Filter{Since: l.opts.Since}, func(line decisionlog.Line) error {
		id := line.SessionID()
		session, err := l.opts.Store.Session(id)
		if err != nil {
			return nil // a failure before the session was known
		}
		name := filepath.Base(session.Path())
		s := l.byFolder[name]
		if s == nil {
			s = &Session{} // in shadow mode nothing is filed
			l.byFolder[name] = s
		}
		s.ID = id
		if line.Time.After(s.Active) {
			s.Active = line.Time
		}
		if cwd := line.Get("input.session.cwd").Str; cwd != "" {
			s.Project = cwd
		}
		if path := line.Get("input.hook.transcript_path").Str; path != "" {
			s.TranscriptPath = path
		}
		switch hookio.EventName(line.Get("input.host.event").Str) {
		case hookio.Stop, "":
			s.Verdict, s.Code, s.VerdictAt = line.Get("result.verdict").Str, line.Get("result.code").Str, line.Time
			s.Shadow = line.Get("custom.shadow").Bool()
		}
		return nil
	})
	return stats.Bad, err
}

// complete reads what is to be read for one session alone.
func (l *lister) complete(s *Session) {
	s.Handoffs, s.Debt, s.Notes = []Handoff{}, []string{}, []string{}
	if s.Folder != "" && s.ID == "" {
		s.Notes = append(s.Notes, "the folder's name does not tell the session's id, and no decision of it is logged any more")
	} else if s.Folder != "" {
		l.evidence(s)
	}
	l.background(s)
}

// evidence reads ledger and state.
func (l *lister) evidence(s *Session) {
	session, err := l.opts.Store.Session(s.ID)
	if err != nil {
		s.Notes = append(s.Notes, err.Error())
		return
	}
	log, err := session.Events()
	if err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("the ledger cannot be read: %v", err))
	}
	if log.Bad > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("lines of the ledger that are no events: %d", log.Bad))
	}
	var ended, asked time.Time
	for _, e := range log.Events {
		switch e.Kind {
		case evidence.SessionNamed:
			s.Name = e.Text
		case evidence.TaskDeclared:
			s.Task = e.Text
		case evidence.SessionEnded:
			ended = e.TS
		case evidence.SessionStarted, evidence.PromptSubmitted:
			asked = e.TS
		}
		if s.Started.IsZero() {
			s.Started = e.TS
		}
		if s.Project == "" && e.Cwd != "" {
			s.Project = e.Cwd
		}
	}
	s.Ended = !ended.IsZero() && !asked.After(ended)
	state, err := session.Load()
	if err != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("the state cannot be read: %v", err))
		return
	}
	s.Blocks = state.Remediation.Count
}

// background asks the transcript for what still runs.
func (l *lister) background(s *Session) {
	if s.Transcript = TranscriptUnknown; s.TranscriptPath == "" {
		return
	}
	config := policy.DefaultConfig()
	if l.opts.Config != nil {
		config = l.opts.Config(s.Project)
	}
	t, err := transcript.Read(hookio.ExpandHome(s.TranscriptPath, l.opts.Home), transcript.Options{Now: l.opts.Now,
		Window: config.WindowBytes, BoxWindow: config.BoxWindowBytes, HandoffLimit: config.DeferFor(), SessionID: s.ID})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Transcript = TranscriptMissing
		return
	case err != nil:
		s.Transcript = TranscriptUnread
		s.Notes = append(s.Notes, fmt.Sprintf("the transcript cannot be read: %v", err))
		return
	case slices.Contains(t.Blind, transcript.BlindUnknownShape):
		s.Transcript = TranscriptUnread
		s.Notes = append(s.Notes, "no row of the transcript has a type that is known")
		return
	}
	s.Transcript = TranscriptRead
	s.Debt = append(s.Debt, t.Debt.Paired...)
	for _, h := range t.Handoffs {
		state := h.State.AnyText
		if config.Closing == policy.ClosingEnded {
			state = h.State.Ended
		}
		if state != transcript.HandoffOpen {
			continue
		}
		open := Handoff{TaskID: h.TaskID, Command: h.Command}
		if h.ExpiresAt != nil {
			open.Expires = *h.ExpiresAt
		}
		s.Handoffs = append(s.Handoffs, open)
	}
}
