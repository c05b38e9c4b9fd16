package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/transcript"
)

// every case of every area goes through the real binary, once as scan and once
// as hook. What a case demands stands in its want.json, with the reason.

func TestFixtures_Captures(t *testing.T)   { playAll(t, fixtures.Load(t, fixtures.Captures)) }
func TestFixtures_Cases(t *testing.T)      { playAll(t, fixtures.Load(t, fixtures.Cases)) }
func TestFixtures_Transcript(t *testing.T) { playAll(t, fixtures.Load(t, fixtures.Transcript)) }
func TestFixtures_Stop(t *testing.T)       { playAll(t, fixtures.Load(t, fixtures.Stop)) }
func TestFixtures_Generated(t *testing.T)  { playAll(t, fixtures.Generated(t)) }
func TestFixtures_FX2_Ritual(t *testing.T) { playAll(t, fixtures.Ritual(t)) }

func playAll(t *testing.T, cases []fixtures.Case) {
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			d := c.Materialise(t)
			if c.Want.Facts != nil {
				checkScan(t, c, d)
			}
			checkHook(t, c, d)
		})
	}
}

func stampOf(at time.Time) string { return at.Format(time.RFC3339Nano) }

// scanFacts are the facts of scan. A case with a configuration is about facts in
// its light, which scan does not know: there explain tells them.
func scanFacts(t *testing.T, c fixtures.Case, d fixtures.Dir) (f transcript.Facts) {
	t.Helper()
	call := child{dir: d.Path, env: d.Env, args: []string{"scan", "--now", stampOf(c.Want.Now), "--json", d.Transcript}}
	if d.Config != "" {
		call.stdin = d.Stdin
		call.args = []string{"explain", "--now", stampOf(c.Want.Now), "--config", d.Config, "--json"}
	}
	r := call.run(t)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("%s: exit %d, stderr %q", call.args[0], r.code, r.stderr)
	}
	var err error
	if d.Config != "" {
		doc := struct{ Facts *transcript.Facts }{&f}
		err = json.Unmarshal([]byte(r.stdout), &doc)
	} else {
		err = json.Unmarshal([]byte(r.stdout), &f)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", call.args[0], err, r.stdout)
	}
	return f
}

func checkScan(t *testing.T, c fixtures.Case, d fixtures.Dir) {
	t.Helper()
	f := scanFacts(t, c, d)
	want := c.Want
	got := fixtures.Facts{OpenHandoffs: fixtures.OpenHandoffs{AnyText: []string{}, Ended: []string{}}, HandoffsSeen: []string{},
		Debt: slices.Sorted(slices.Values(f.Debt.Paired)), Entrances: map[string]string{}, HostRegistryRunning: want.Facts.HostRegistryRunning}
	if got.Debt == nil {
		got.Debt = []string{}
	}
	states := map[string]fixtures.HandoffState{}
	for _, h := range f.Handoffs {
		states[h.TaskID] = fixtures.HandoffState{AnyText: string(h.State.AnyText), Ended: string(h.State.Ended)}
	}
	for id, st := range states {
		got.HandoffsSeen = append(got.HandoffsSeen, id)
		if st.AnyText == "open" {
			got.OpenHandoffs.AnyText = append(got.OpenHandoffs.AnyText, id)
		}
		if st.Ended == "open" {
			got.OpenHandoffs.Ended = append(got.OpenHandoffs.Ended, id)
		}
	}
	for _, ids := range [][]string{got.HandoffsSeen, got.OpenHandoffs.AnyText, got.OpenHandoffs.Ended} {
		slices.Sort(ids)
	}
	for _, task := range f.Tasks {
		if task.Kind == transcript.KindShell && task.Entrance != transcript.EntranceShellSyntax {
			got.Entrances[task.ID] = string(task.Entrance)
		}
	}
	if diff := cmp.Diff(*want.Facts, got); diff != "" {
		t.Errorf("%s\nfacts (-want +got):\n%s", want.Reason, diff)
	}
	if want.DebtCalls != nil && f.Debt.Calls != *want.DebtCalls {
		t.Errorf("%s\ndebt by calls %d, want %d", want.Reason, f.Debt.Calls, *want.DebtCalls)
	}
	if want.HandoffStates != nil {
		if diff := cmp.Diff(want.HandoffStates, states); diff != "" {
			t.Errorf("%s\nhandoff states (-want +got):\n%s", want.Reason, diff)
		}
	}
	if want.Blind != nil && !slices.Equal(f.Transcript.Blind, want.Blind) {
		t.Errorf("%s\nblind %q, want %q", want.Reason, f.Transcript.Blind, want.Blind)
	}
}

// hookArgs are the hook's flags for a case, with its ledger put in place.
func hookArgs(t *testing.T, c fixtures.Case, d fixtures.Dir) (args []string, state string) {
	t.Helper()
	state = filepath.Join(d.Path, "state")
	args = []string{"--now", stampOf(c.Want.Now), "--state-dir", state}
	if d.Config != "" {
		args = append(args, "--config", d.Config)
	}
	if rego := filepath.Join(d.Path, "policy.rego"); exists(rego) {
		dir := filepath.Join(d.Path, fixtures.PolicyDir)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(rego, filepath.Join(dir, "policy.rego")); err != nil {
			t.Fatal(err)
		}
	}
	if dir := policyOf(d); dir != "" {
		args = append(args, "--policy", dir)
	}
	if d.Ledger != "" {
		var payload struct {
			ID string `json:"session_id"`
		}
		if err := json.Unmarshal(bytes.TrimLeft(d.Stdin, "\ufeff"), &payload); err != nil {
			t.Fatal(err)
		}
		session, err := evidence.Store{Dir: state}.Session(payload.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(session.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(d.Ledger, filepath.Join(session.Path(), "ledger.jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	return args, state
}

// policyOf is the case's policy folder, empty when it has none.
func policyOf(d fixtures.Dir) string {
	if dir := filepath.Join(d.Path, fixtures.PolicyDir); exists(dir) {
		return dir
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func checkHook(t *testing.T, c fixtures.Case, d fixtures.Dir) {
	t.Helper()
	args, state := hookArgs(t, c, d)
	r := child{dir: d.Path, stdin: d.Stdin, env: d.Env, args: append([]string{"hook"}, args...)}.run(t)
	want := c.Want
	if r.code != want.ExitCode {
		t.Errorf("%s\nexit code %d, want %d; stderr %q", want.Reason, r.code, want.ExitCode, r.stderr)
	}
	if err := legal(r.stdout); err != nil {
		t.Errorf("%s\nillegal stdout %q: %v", want.Reason, r.stdout, err)
	}
	for _, s := range want.StderrMustMention {
		if !strings.Contains(r.stderr, s) {
			t.Errorf("%s\nstderr does not mention %q: %q", want.Reason, s, r.stderr)
		}
	}
	if len(want.Extra.StdoutOneOf) > 0 && !slices.Contains(want.Extra.StdoutOneOf, r.stdout) {
		t.Errorf("%s\nstdout %q is none of %q", want.Reason, r.stdout, want.Extra.StdoutOneOf)
	}
	for _, s := range want.Extra.StdoutMustNotContain {
		if strings.Contains(r.stdout, s) {
			t.Errorf("%s\nstdout %q contains %q", want.Reason, r.stdout, s)
		}
	}
	logged := events(t, state)
	if len(logged) == 1 {
		checkReplay(t, logged[0], policyOf(d))
	}
	if want.Verdict == "" {
		return
	}
	if len(logged) != 1 {
		t.Fatalf("%s\nthe decision log holds %d events, want 1", want.Reason, len(logged))
	}
	e := logged[0]
	got := resultOf(t, e)
	if got.Verdict != want.Verdict || got.Code != want.Code {
		t.Errorf("%s\n%s %s, want %s %s: %s", want.Reason, got.Verdict, got.Code, want.Verdict, want.Code, got.Reason)
	}
	if blocks(r.stdout) != (want.Verdict == "block") {
		t.Errorf("%s\nthe wire does not carry %s: %q", want.Reason, want.Verdict, r.stdout)
	}
	for _, s := range want.ReasonMustMention {
		if !strings.Contains(got.Reason, s) {
			t.Errorf("%s\nthe reason does not mention %q: %q", want.Reason, s, got.Reason)
		}
	}
	for _, s := range want.ReasonMustNotMention {
		if strings.Contains(got.Reason, s) {
			t.Errorf("%s\nthe reason mentions %q: %q", want.Reason, s, got.Reason)
		}
	}
}

// logged is the part of a decision log result that tests look at.
type logged struct {
	Verdict       string `json:"verdict"`
	Code          string `json:"code"`
	Reason        string `json:"reason"`
	SystemMessage string `json:"system_message"`
}

func resultOf(tb testing.TB, e decisionlog.Event) logged {
	tb.Helper()
	var l logged
	b, err := json.Marshal(e.Result)
	if err == nil {
		err = json.Unmarshal(b, &l)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

// events reads the whole decision log of a state folder; a line that is no event
// fails the test.
func events(tb testing.TB, state string) (list []decisionlog.Event) {
	tb.Helper()
	stats, err := decisionlog.Read(filepath.Join(state, "decisions.jsonl"), decisionlog.Filter{}, func(e decisionlog.Event) error {
		list = append(list, e)
		return nil
	})
	if err != nil || stats.Bad > 0 {
		tb.Fatalf("decision log: %d bad lines, %v", stats.Bad, err)
	}
	return list
}
