package replay

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
)

const box = "┌─ stophook check k3m9x2a7 ─┐\n│ session  s │\n└───────────┘"

const caseEvents = `{"v":1,"id":"1","ts":"2026-10-05T09:00:02Z","kind":"task_declared","text":"fix it"}
{"v":1,"id":"2","ts":"2026-10-05T09:00:03Z","kind":"session_named","text":"fixer"}
{"v":1,"id":"3","ts":"2026-10-05T09:00:04Z","kind":"end_turn_checked","check_id":"k3m9x2a7"}
`

// worked is a session in which the agent did the whole ritual; change may alter a
// command or what it printed.
func worked(change func(command, output string) (string, string)) []byte {
	s := fixtures.NewScript(sessionID, start)
	s.Prompt("fix it")
	for i, c := range [][2]string{{"make", "ok"}, {`stophook task "fix it"`, "task: fix it\n"}, {`stophook name "fixer"`, "name: fixer\n"},
		{"stophook status --end-turn", box + "\nShow this box in your answer; it counts until your next tool call.\n"}} {
		s.At(time.Duration(i+1) * time.Second)
		s.Shell(change(c[0], c[1]))
	}
	s.At(10 * time.Second)
	s.Say("Fixed.\n" + box)
	return s.Bytes()
}

func unchanged(command, output string) (string, string) { return command, output }

// together declares the task and names the session in one call.
func together(end string) func(string, string) (string, string) {
	return func(c, o string) (string, string) {
		switch {
		case strings.Contains(c, "task"):
			return `stophook task "fix it" && '/opt/my bin/stophook' name fixer` + end, "task: fix it\nname: fixer\n"
		case strings.Contains(c, "name"):
			return "true", ""
		}
		return c, o
	}
}

// replaced changes the output of the commands that hold a word.
func replaced(word, output string) func(string, string) (string, string) {
	return func(c, o string) (string, string) {
		if strings.Contains(c, word) {
			return c, output
		}
		return c, o
	}
}

func TestRun_evidence(t *testing.T) {
	ledger := caseEvents
	for _, tt := range []struct {
		reason string
		data   []byte
		ledger string
		source string
		code   string
	}{
		{"the ledger that was written then", worked(unchanged), ledger, EvidenceLedger, "pass"},
		{"what is written later does not count", worked(unchanged), strings.ReplaceAll(ledger, "T09:00:04Z", "T09:00:11Z"), EvidenceLedger, "status_check_missing"},
		{"a ledger that is there decides, whatever the transcript shows", worked(unchanged), ledger[:strings.Index(ledger, "\n")+1], EvidenceLedger, "status_check_missing"},
		{"without a ledger the commands count that the transcript shows", worked(unchanged), "", EvidenceTranscript, "pass"},
		{"two evidence commands in one call both count", worked(together("")), "", EvidenceTranscript, "pass"},
		{"and when something else ends that call", worked(together(" && ls")), "", EvidenceTranscript, "pass"},
		{"a status check without its box proves nothing", worked(replaced("status", "ok")), "", EvidenceTranscript, "status_check_missing"},
		{"nor does a task whose words went elsewhere", worked(replaced("task", "")), "", EvidenceTranscript, "task_undeclared"},
		{"looking is no check", worked(func(c, o string) (string, string) { return strings.TrimSuffix(c, " --end-turn"), o }), "", EvidenceTranscript, "status_check_missing"},
		{"the output of another command is no evidence", worked(func(c, o string) (string, string) { return strings.ReplaceAll(c, "stophook", "cat"), o }), "", EvidenceNone, "status_check_missing"},
	} {
		x := newTree(t)
		x.write(t, "a.jsonl", tt.data)
		if tt.ledger != "" {
			x.ledger(t, sessionID, []byte(tt.ledger))
		}
		r := run(t, x.opts(), x.dir)
		s := r.Sessions[0]
		if s.Evidence != tt.source || s.Stops[0].Code != "stop-hook."+tt.code {
			t.Errorf("%s: %s from %s, want %s from %s", tt.reason, s.Stops[0].Code, s.Evidence, tt.code, tt.source)
		}
		said := strings.Join(r.Limits, "\n")
		if strings.Contains(said, "no ledger and no evidence command") != (tt.source == EvidenceNone) ||
			strings.Contains(said, "commands that worked") != (tt.source == EvidenceTranscript) {
			t.Errorf("%s: the limits say\n%s", tt.reason, said)
		}
	}
}

// The ledger of a case lies beside its transcript, and is no transcript.
func TestRun_evidenceOfACase(t *testing.T) {
	x := newTree(t)
	data := worked(replaced("stophook", ""))
	x.write(t, "case/transcript.jsonl", data)
	x.write(t, "case/ledger.jsonl", []byte(caseEvents+"torn"))
	x.write(t, "other/session.jsonl", data)
	x.write(t, "other/ledger.jsonl", []byte(caseEvents))
	r := run(t, x.opts(), x.dir)
	if len(r.Sessions) != 2 || r.Totals.Files != 3 {
		t.Fatalf("%d sessions in %d files", len(r.Sessions), r.Totals.Files)
	}
	if s := r.Sessions[0]; s.Evidence != EvidenceLedger || s.Stops[0].Code != "stop-hook.pass" {
		t.Errorf("case: %s from %s", s.Stops[0].Code, s.Evidence)
	}
	if s := r.Sessions[1]; s.Evidence != EvidenceNone {
		t.Errorf("a session that is no case has evidence: %s", s.Evidence)
	}
	x.ledger(t, sessionID, []byte(caseEvents[:strings.Index(caseEvents, "\n")+1]))
	if s := run(t, x.opts(), filepath.Join(x.dir, "case", "transcript.jsonl")).Sessions[0]; s.Stops[0].Code != "stop-hook.status_check_missing" {
		t.Errorf("the store's ledger comes first, got %s", s.Stops[0].Code)
	}
}

// A failed call is no evidence, and one whose result is still to come neither.
func TestRun_evidenceOfFailedCalls(t *testing.T) {
	x := newTree(t)
	x.write(t, "a.jsonl", []byte(strings.ReplaceAll(string(worked(unchanged)), `"is_error":false`, `"is_error":true`)))
	if s := run(t, x.opts(), x.dir).Sessions[0]; s.Evidence != EvidenceNone {
		t.Errorf("evidence %s from calls that failed", s.Evidence)
	}
}

// Evidence of the transcript lasts as long as that of a ledger: a task that was
// declared before the window still counts.
func TestRun_evidenceBeforeTheWindow(t *testing.T) {
	s := fixtures.NewScript(sessionID, start)
	s.Raw(worked(unchanged))
	s.RequestCopy(strings.Repeat("x", 2*policy.MinWindowBytes))
	x := newTree(t)
	data := s.Bytes()
	next := fixtures.NewScript(sessionID, start.Add(time.Hour))
	next.Prompt("more")
	next.Shell("stophook status --end-turn", strings.ReplaceAll(box, "k3m9x2a7", "zzzzzzz1"))
	next.Say("Done.\n" + strings.ReplaceAll(box, "k3m9x2a7", "zzzzzzz1"))
	x.write(t, "a.jsonl", append(data, strings.ReplaceAll(string(next.Bytes()), "a0000000-", "a0000001-")...))
	o := x.opts()
	o.Config.WindowBytes = policy.MinWindowBytes
	stops := run(t, o, x.dir).Sessions[0].Stops
	if len(stops) != 2 || stops[1].Code != "stop-hook.pass" {
		t.Errorf("%+v", stops)
	}
}

func TestRun_ledgerThatCannotBeRead(t *testing.T) {
	x := newTree(t)
	x.write(t, "a.jsonl", worked(unchanged))
	o := x.opts()
	o.Store.Dir = x.write(t, "a.txt", []byte("a file where a folder should be"))
	s := run(t, o, x.dir).Sessions[0]
	if s.Stops[0].Code != "stop-hook.evidence_unavailable" || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "ledger cannot be read") {
		t.Errorf("%s, notes %q", s.Stops[0].Code, s.Notes)
	}
}
