package report

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

var at0 = time.Date(2026, 11, 30, 8, 12, 0, 0, time.UTC)

const sampleID = "5f3c9a00-1b2c-4d5e-8f60-718293a4b5c6"

type object = map[string]any

func secs(n int) time.Duration { return time.Duration(n) * time.Second }

// sample writes a session of days turns and more, with everything that a page
// can show.
func sample(rounds int) *fixtures.Script {
	s := fixtures.NewScript(sampleID, at0)
	at := time.Duration(0)
	tick := func(d time.Duration) { at += d; s.At(at) }
	prompts := []string{"Add a --json flag to the export command, with tests.", "The CI job fails on main, please look at why.",
		"Rename Store to Ledger everywhere and keep the old name as an alias for one release.",
		"Why does the importer hang on large files?\nI attached a stack trace below:\n\ngoroutine 1 [running]:\nmain.main()"}
	commands := []string{"go test ./...", "rg -n 'func Export' --type go", "git diff --stat", "make lint", "go build ./cmd/... && ./bin/export --json testdata/small.db | jq .", "sed -n 1,80p internal/export/json.go"}
	for i := range rounds {
		switch {
		case i%11 == 10:
			tick(9 * time.Hour)
		case i%4 == 3:
			tick(25 * time.Minute)
		default:
			tick(3 * time.Minute)
		}
		s.Prompt(prompts[i%len(prompts)])
		for j := range 4 + i*7%9 {
			tick(time.Duration(2+j*3%7) * time.Second)
			if j%3 == 0 {
				s.Say(fmt.Sprintf("I look at part %d of the exporter first: the flag is parsed in two places.", j+1))
			}
			tick(time.Second)
			call := s.Call("Bash", object{"command": commands[(i+j)%len(commands)], "description": "Run it"})
			tick(time.Duration(1+(i+j)*5%40) * time.Second)
			if (i*5+j)%13 == 4 {
				s.Raw(fmt.Appendf(nil, `{"type":"user","uuid":"f-%d-%d","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"exit status 1: --- FAIL: TestExport (0.02s)"}]}}`+"\n",
					i, j, s.Now().Format("2006-01-02T15:04:05.000Z"), call))
			} else {
				s.Result(call, "ok", object{"stdout": "ok", "stderr": ""})
			}
		}
		tick(4 * time.Second)
		s.Call("Edit", object{"file_path": "/home/dev/proj/internal/export/json.go", "old_string": "a", "new_string": "b"})
		if i%3 == 1 {
			tick(2 * time.Second)
			id := fmt.Sprintf("bg%03d", i)
			call := s.Launch("npm run build -- --watch", id)
			if i%2 == 1 {
				tick(30 * time.Second)
				s.Queue("enqueue", s.Envelope(id, call, "killed"))
			}
		}
		if i%5 == 2 {
			tick(20 * time.Second)
			id := fmt.Sprintf("h%03d", i)
			call := s.Handoff("make integration-test", id)
			tick(5 * time.Second)
			s.Say("The integration tests run in the background; I report when they are through.")
			if i%10 == 2 {
				tick(12 * time.Minute)
				s.Wake(id, call, "completed")
			} else {
				tick(40 * time.Minute)
				s.Wake(id, call, "failed")
			}
			tick(8 * time.Second)
			s.Shell("tail -n 40 "+s.Output(id), "PASS")
		}
		tick(6 * time.Second)
		s.Say("Done: the flag is there, with three tests, and the README mentions it.")
		if i%6 == 4 {
			tick(time.Second)
			s.Feedback("Run `stophook status --end-turn` before you stop.")
			tick(9 * time.Second)
			s.Shell("stophook status --end-turn", "┌─ stophook check ab12cd34")
			tick(3 * time.Second)
			s.Say("┌─ stophook check ab12cd34\n│ Export flag added\n└─")
		}
	}
	tick(time.Second)
	s.Raw(fmt.Appendf(nil, `{"type":"system","subtype":"compact_boundary","uuid":"c1","timestamp":%q,"content":"Conversation compacted"}`+"\n", s.Now().Format("2006-01-02T15:04:05.000Z")))
	return s
}

// stopsOf makes a decision at the last reply of every turn.
func stopsOf(h *transcript.History) *replay.Session {
	out := &replay.Session{Path: h.Path, ID: h.SessionID, Size: h.Size, Evidence: "transcript",
		Notes: []string{"The Git state of that time cannot be rebuilt; rules that ask for it see none."}}
	last := map[int]transcript.HistoryText{}
	for _, r := range h.Replies {
		last[r.Turn] = r
	}
	for i := range h.Turns {
		r, ok := last[i]
		if !ok {
			continue
		}
		s := replay.Stop{Offset: r.Offset + 10, Line: r.Line, Time: r.Time.Add(30 * time.Millisecond), Verdict: "allow", Code: "stop-hook.pass",
			Demands: []policy.Demand{}, Deferrals: []policy.Deferral{}, Recorded: "passed"}
		demand := policy.Demand{Rule: "status_check", Code: "stop-hook.status_check_missing", Severity: "block", Deferrable: true,
			Text: "Run `stophook status --end-turn` and put the box that it prints into your answer.", Evidence: []int64{h.Turns[i].Offset, 3}}
		switch {
		case i%7 == 3:
			s.Verdict, s.Code, s.Reason, s.Blocks = "block", demand.Code, demand.Text, i%3
			s.Demands = []policy.Demand{demand, {Rule: "status_box", Code: "stop-hook.status_box_missing", Severity: "block", Text: "Show the status box of this turn's check."}}
		case i%7 == 5 && len(h.Handoffs) > 0:
			demand.Deferred = true
			s.Verdict, s.Code, s.Demands = "defer", "stop-hook.background_handoff_deferred", []policy.Demand{demand}
			s.Deferrals = []policy.Deferral{{Rule: "background_handoff", Code: s.Code, TaskID: h.Handoffs[0].TaskID, Until: s.Time.Add(21 * time.Minute).Format(time.RFC3339)}}
		case i%17 == 8:
			s.Code, s.SystemMessage, s.Recorded = "stop-hook.policy_error", "stophook: policies/docs.rego:12: rego_type_error", ""
		}
		out.Stops = append(out.Stops, s)
	}
	return out
}

func history(tb testing.TB, s *fixtures.Script) *transcript.History {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), sampleID+".jsonl")
	if err := os.WriteFile(path, s.Bytes(), 0o600); err != nil {
		tb.Fatal(err)
	}
	h, err := transcript.ReadHistory(path, transcript.HistoryOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return h
}
