package policy

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
	"github.com/stophook/stophook/transcript/shell"
)

// facts reads everything the input needs. What cannot be read is a fact, too.
func (g *Gate) facts(ev *hookio.Event) *Facts {
	now := g.Now()
	switch ev.Name {
	case hookio.Stop, hookio.StopFailure:
		return g.factsOf(g.read(ev, now))
	}
	// Other events are decided without the transcript: it costs more than they may
	// take, and nothing in them depends on it.
	f := g.bareFacts(ev, now)
	f.Session = transcript.Unread(transcript.Options{Now: now, SessionID: ev.SessionID})
	f.Session.Path = ev.TranscriptPath
	if ev.Name == hookio.PreToolUse {
		f.Tool = toolFacts(ev)
	}
	return f
}

func (g *Gate) bareFacts(ev *hookio.Event, now time.Time) *Facts {
	f := &Facts{Now: now, Event: ev, Mode: g.Mode, Entrypoint: g.Entry, Command: g.Command, Source: g.Source, Bypass: g.Bypass,
		Shadow: g.Shadow, Config: g.Config}
	if !ours(ev.Host) {
		// Only Claude Code says so in these variables, and a host that runs inside of
		// its session inherits them.
		f.Mode, f.Entrypoint = hookio.ModeUnknown, ""
	}
	return f
}

// read gathers what the gate judges a stop by: the transcript, the ledger and the
// state of the session.
func (g *Gate) read(ev *hookio.Event, now time.Time) Moment {
	m := Moment{Event: ev, Now: now}
	g.await(ev)
	m.Session, m.SessionErr = transcript.Read(hookio.ExpandHome(ev.TranscriptPath, g.Home), g.sessionOptions(ev, now))
	session, err := g.Store.Session(cmp.Or(ev.SessionID, m.Session.SessionID))
	if err == nil {
		m.Ledger, err = session.Events()
	}
	if err == nil {
		m.State, err = session.Load()
	}
	m.EvidenceErr = err
	return m
}

// sessionOptions are how the transcript of an event is read.
func (g *Gate) sessionOptions(ev *hookio.Event, now time.Time) transcript.Options {
	return transcript.Options{Now: now, Window: g.Config.WindowBytes, BoxWindow: g.Config.BoxWindowBytes,
		HandoffLimit: g.Config.DeferFor(), SessionID: ev.SessionID, LastAssistantMessage: ev.LastAssistantMessage,
		Validate: g.Validate}
}

// factsOf puts the facts of a stop together. When the transcript cannot be read,
// the turn cannot be judged, and that counts as evidence that is not available:
// no deferral, no block, and somebody is told (TR-12, CL-2, D-37).
func (g *Gate) factsOf(m Moment) *Facts {
	f := g.bareFacts(m.Event, m.Now)
	f.Session, f.Ledger, f.State = m.Session, m.Ledger, m.State
	f.beforeStop()
	f.stateUnknown = errors.Is(m.EvidenceErr, evidence.ErrStateUnknown)
	path, s := hookio.ExpandHome(m.Event.TranscriptPath, g.Home), m.Session
	switch {
	case m.SessionErr != nil:
		f.EvidenceError = m.SessionErr.Error() + unreadHint(m.SessionErr, m.Event.Host)
	case slices.Contains(s.Blind, transcript.BlindUnknownShape):
		// Without a row that is understood the turn looks like prose, and prose
		// passes: the gate would be lost in silence.
		f.EvidenceError = path + ": no row of this transcript has a type that is known; is stophook older than the host?"
	case slices.Contains(s.Blind, transcript.BlindWindowCut) && s.Turn.ToolCalls == 0:
		// The same for a turn of which nothing but its last rows is in sight.
		f.EvidenceError = fmt.Sprintf("%s: the turn began before the last %d bytes and no tool call is in them; raise window_bytes",
			path, g.Config.WindowBytes)
	case !ours(m.Event.Host) && notFiled(&s.Turn):
		f.EvidenceError = fmt.Sprintf("the agent's own check could not be filed, because its shell may not write below %s; "+
			"let the host's sandbox write there (docs/hosts.md)", g.Store.Dir)
	case m.EvidenceErr != nil:
		f.EvidenceError = fmt.Sprintf("the session's evidence cannot be read: %v", m.EvidenceErr)
	}
	if f.Entrypoint == "" {
		f.Entrypoint = s.Entrypoint
		if f.Mode == hookio.ModeUnknown { // replay, or a host that sets no variables
			f.Mode, _ = hookio.Mode(func(name string) string {
				if name == "CLAUDE_CODE_ENTRYPOINT" {
					return s.Entrypoint
				}
				return ""
			})
		}
	}
	return f
}

// unreadHint says what to do about a transcript that cannot be read; the error of
// what is no regular file says it already.
func unreadHint(err error, host hookio.Host) string {
	switch {
	case errors.Is(err, transcript.ErrNoPath) && !ours(host):
		return "; without one a turn with tools cannot be told from prose here, so nothing is demanded"
	case errors.Is(err, transcript.ErrNoPath):
		return "; the hook's payload needs transcript_path"
	case errors.Is(err, fs.ErrNotExist):
		return "; the host named it in transcript_path: run the hook where the host writes, not in another container or home"
	case errors.Is(err, fs.ErrPermission):
		return "; run the hook as the user who may read it"
	}
	return ""
}

// toolFacts describes the tool call of a PreToolUse event.
func toolFacts(ev *hookio.Event) map[string]any {
	input := rawObject(ev.ToolInput)
	doc := map[string]any{"name": ev.ToolName, "id": ev.ToolUseID, "input": input}
	command, ok := input["command"].(string)
	if !ok {
		command, ok = input["cmd"].(string)
	}
	if !ok {
		return doc
	}
	script := shell.ParseFor(ev.ToolName, command, shell.Options{})
	facts := map[string]any{"parsed": script.Parsed, "waits": findings(script.Waits()),
		"background": findings(script.Background())}
	put(facts, "error", script.Reason)
	doc["shell"] = facts
	return doc
}

func findings(found []shell.Finding) []any {
	return list(found, func(f shell.Finding) any {
		return map[string]any{"kind": string(f.Kind), "text": f.Text, "line": f.Line}
	})
}
