package policy

import (
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
	f := &Facts{Now: now, Event: ev, Mode: g.Mode, Entrypoint: g.Entry, Command: g.Command, Bypass: g.Bypass,
		Shadow: g.Shadow, Config: g.Config}
	switch ev.Name {
	case hookio.Stop, hookio.StopFailure:
		f.Session = g.readSession(f, now)
		g.readEvidence(f)
	default:
		// Other events are decided without the transcript: it costs more than
		// they may take, and nothing in them depends on it.
		f.Session = transcript.Unread(transcript.Options{Now: now, SessionID: ev.SessionID})
		f.Session.Path = ev.TranscriptPath
	}
	if ev.Name == hookio.PreToolUse {
		f.Tool = toolFacts(ev)
	}
	return f
}

// readSession reads the transcript. When it cannot be read, the turn cannot be
// judged, and that counts as evidence that is not available: no deferral, no
// block, and somebody is told (TR-12, CL-2, D-37).
func (g *Gate) readSession(f *Facts, now time.Time) *transcript.Session {
	path := hookio.ExpandHome(f.Event.TranscriptPath, g.Home)
	s, err := transcript.Read(path, transcript.Options{Now: now, Window: g.Config.WindowBytes,
		BoxWindow: g.Config.BoxWindowBytes, HandoffLimit: g.Config.DeferFor(), SessionID: f.Event.SessionID,
		LastAssistantMessage: f.Event.LastAssistantMessage, Validate: g.Validate})
	switch {
	case err != nil:
		f.EvidenceError = err.Error() + unreadHint(err)
	case slices.Contains(s.Blind, transcript.BlindUnknownShape):
		// Without a row that is understood the turn looks like prose, and prose
		// passes: the gate would be lost in silence.
		f.EvidenceError = path + ": no row of this transcript has a type that is known; is stophook older than the host?"
	case slices.Contains(s.Blind, transcript.BlindWindowCut) && s.Turn.ToolCalls == 0:
		// The same for a turn of which nothing but its last rows is in sight.
		f.EvidenceError = fmt.Sprintf("%s: the turn began before the last %d bytes and no tool call is in them; raise window_bytes",
			path, g.Config.WindowBytes)
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
	return s
}

// unreadHint says what to do about a transcript that cannot be read; the error of
// what is no regular file says it already.
func unreadHint(err error) string {
	switch {
	case errors.Is(err, transcript.ErrNoPath):
		return "; the hook's payload needs transcript_path"
	case errors.Is(err, fs.ErrNotExist):
		return "; the host named it in transcript_path: run the hook where the host writes, not in another container or home"
	case errors.Is(err, fs.ErrPermission):
		return "; run the hook as the user who may read it"
	}
	return ""
}

// readEvidence reads the ledger and the state of the session.
func (g *Gate) readEvidence(f *Facts) {
	session, err := g.Store.Session(sessionID(f))
	if err == nil {
		f.Ledger, err = session.Events()
	}
	if err == nil {
		f.State, err = session.Load()
		f.stateUnknown = errors.Is(err, evidence.ErrStateUnknown)
	}
	if err != nil && f.EvidenceError == "" {
		f.EvidenceError = fmt.Sprintf("the session's evidence cannot be read: %v", err)
	}
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
