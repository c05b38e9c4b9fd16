package policytest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
)

// The stop events that the hook itself is tested with are cases as well, and have
// to come out alike: a case is decided as the hook decides.
func TestRun_DecidesFixturesAsTheHookDoes(t *testing.T) {
	all := t.TempDir() // those without policies, as cases of the built-in rules
	want, broken := 0, 0
	for _, c := range append(fixtures.Load(t, fixtures.Stop), fixtures.Ritual(t)...) {
		c.Claim()
		rules := filepath.Join(c.Dir, fixtures.PolicyDir)
		if _, err := os.Stat(rules); err != nil {
			writeCase(t, filepath.Join(all, "cases", c.Name), c)
			want++
			continue
		}
		own := t.TempDir()
		if err := os.CopyFS(own, os.DirFS(rules)); err != nil {
			t.Fatal(err)
		}
		writeCase(t, filepath.Join(own, "cases", c.Name), c)
		r := report(t, Options{}, own)
		if c.Want.Code == "stop-hook.policy_error" { // the hook lets the turn end; a test run says what is wrong
			broken++
			if r.ExitCode() != 2 {
				t.Errorf("%s: exit %d: %+v", c, r.ExitCode(), r)
			}
			continue
		}
		if r.ExitCode() != 0 || r.Totals.Cases != 1 {
			t.Errorf("%s: %+v", c, r)
		}
	}
	r := report(t, Options{}, all)
	if r.Totals.Passed != want || want < 200 || broken == 0 {
		t.Errorf("%d of %d cases passed, %d broken policies", r.Totals.Passed, want, broken)
	}
	for _, f := range r.Folders {
		for _, test := range f.Tests {
			if !test.Passed() {
				t.Errorf("%s: %s", test.Name, test.Message)
			}
		}
	}
}

// writeCase writes a fixture in the form that authors use.
func writeCase(t *testing.T, dir string, c fixtures.Case) {
	t.Helper()
	w := c.Want
	want := map[string]any{"reason": w.Reason, "now": w.Now.Format(time.RFC3339Nano), "verdict": w.Verdict, "code": w.Code}
	if len(w.Env) > 0 {
		want["env"] = w.Env
	}
	if len(w.ReasonMustMention) > 0 {
		want["reason_must_mention"] = w.ReasonMustMention
	}
	if len(w.ReasonMustNotMention) > 0 {
		want["reason_must_not_mention"] = w.ReasonMustNotMention
	}
	doc, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{WantFile: string(doc)}
	for _, name := range []string{StdinFile, TranscriptFile, LedgerFile, ConfigFile} {
		if data, err := os.ReadFile(filepath.Join(c.Dir, name)); err == nil {
			files[name] = string(data)
		}
	}
	put(t, dir, files)
}
