package e2e

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// Verify holds three accounts of a session's stops against each other, and against want
// ("VERDICT CODE" each, the code without its prefix): our decision log; what `stophook
// replay` makes of the transcript afterwards; and what the client recorded that it did,
// a block being the only answer after which a turn goes on. Then the transcript is read
// with `stophook scan`, whose facts are returned. flags are for replay.
func (s *Stage) Verify(session string, flags []string, want ...string) gjson.Result {
	s.t.Helper()
	var logged []string
	shadow := false
	for _, d := range s.Stops() {
		if d.Session == session {
			logged = append(logged, verdictLine(d.Verdict, d.Code))
			shadow = shadow || d.Shadow
		}
	}
	if !equalLines(logged, want) {
		s.Fatalf("the decision log has the stops\n  %s\nwant\n  %s", strings.Join(logged, "\n  "), strings.Join(want, "\n  "))
	}
	replayed, recorded := s.replay(session, flags)
	s.compare("replay", replayed, logged)
	// The transcript alone tells the same: it shows the evidence commands and their results.
	alone, _ := s.replay(session, append([]string{"--state-dir", filepath.Join(s.Home, "tmp", "no-state")}, flags...))
	s.compare("replay without the ledger", alone, logged)
	for i, line := range logged {
		did := "passed"
		if strings.HasPrefix(line, "block ") && !shadow {
			did = "blocked"
		}
		if i < len(recorded) && recorded[i] != did {
			s.t.Errorf("stop %d (%s): the client recorded %q, want %q", i+1, line, recorded[i], did)
		}
	}
	facts := gjson.Parse(s.Must("scan", "--json", s.Transcript(session)))
	if bad := facts.Get("transcript.bad_lines").Int(); bad != 0 || facts.Get("session.id").String() != session {
		s.t.Errorf("scan: %d broken lines, session %q: %s", bad, facts.Get("session.id"), facts.Raw)
	}
	return facts
}

func (s *Stage) compare(what string, replayed, logged []string) {
	s.t.Helper()
	if !equalLines(replayed, logged) {
		s.t.Errorf("%s judges the stops\n  %s\nthe hook judged them\n  %s", what, strings.Join(replayed, "\n  "), strings.Join(logged, "\n  "))
	}
}

// replay judges the session again; recorded is what the client says of each stop.
func (s *Stage) replay(session string, flags []string) (judged, recorded []string) {
	s.t.Helper()
	args := append([]string{"replay", "--json"}, flags...)
	doc := gjson.Parse(s.Must(append(args, s.Transcript(session))...))
	if n := doc.Get("sessions.#").Int(); n != 1 {
		s.t.Errorf("replay found %d sessions: %s", n, doc.Raw)
	}
	if text := doc.Get("sessions.0.error").String(); text != "" {
		s.t.Errorf("replay: %s", text)
	}
	for _, stop := range doc.Get("sessions.0.stops").Array() {
		judged = append(judged, verdictLine(stop.Get("verdict").String(), stop.Get("code").String()))
		recorded = append(recorded, stop.Get("recorded").String())
	}
	return judged, recorded
}

func verdictLine(verdict, code string) string {
	return fmt.Sprintf("%s %s", verdict, strings.TrimPrefix(code, "stop-hook."))
}

func equalLines(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }
