package stophook_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy/check"
	"github.com/stophook/stophook/policy/policytest"
)

// The deferral of docs/policies.md does what the text around it says, together with
// the first rule of that page.
func TestDocs_deferralWorks(t *testing.T) {
	dir := t.TempDir()
	named := regexp.MustCompile(`(?m)^package stophook\.(?:rules|deferrals)\.(tests_ran|release_running)$`)
	found := 0
	for _, block := range between(readFile(t, "docs/policies.md"), "```rego\n", "```") {
		if m := named.FindStringSubmatch(block); m != nil {
			writeFile(t, filepath.Join(dir, m[1], m[1]+".rego"), []byte(block))
			found++
		}
	}
	if found != 2 {
		t.Fatalf("docs/policies.md shows %d of the rule tests_ran and the deferral release_running, want both", found)
	}
	start := time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)
	type object = map[string]any
	for name, tt := range map[string]struct {
		command string
		after   time.Duration
		want    object
	}{
		"put-off": {"make release", 30 * time.Minute, object{"only": true, "verdict": "defer", "code": "acme.release_running", "demands": []string{"acme.tests_missing"},
			"reason": "the release job runs, for half an hour by now"}},
		"too-long": {"make release", 31 * time.Minute, object{"only": true, "verdict": "block", "code": "acme.tests_missing",
			"reason": "for more than half an hour nothing is put off"}},
		"another-job": {"make docs", time.Minute, object{"only": true, "verdict": "block", "code": "acme.tests_missing",
			"reason": "only the release job runs the tests"}},
		"built-in": {"make release", time.Minute, object{"verdict": "block", "code": "stop-hook.status_check_missing", "demands": []string{"acme.tests_missing"},
			"reason_must_not_mention": []string{"ran no tests"}, "reason": "the built-in demands are a layer above and stay"}},
	} {
		s := fixtures.NewScript("5f0e1a2b-0000-4000-8000-000000000001", start)
		s.Prompt("release it")
		s.Launch(tt.command, "b1")
		s.Result(s.Call("Edit", object{"file_path": "/home/dev/proj/a.go", "old_string": "a", "new_string": "b"}), "done", object{"filePath": "/home/dev/proj/a.go"})
		s.At(tt.after).Say("The job runs.")
		tt.want["now"] = s.Now().Format(time.RFC3339)
		tt.want["env"] = object{"CLAUDE_CODE_ENTRYPOINT": "cli"}
		want, err := json.Marshal(tt.want)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, "cases", name)
		writeFile(t, filepath.Join(at, "want.json"), want)
		writeFile(t, filepath.Join(at, "stdin.json"), s.Payload("b1"))
		writeFile(t, filepath.Join(at, "transcript.jsonl"), s.Bytes())
	}
	report, err := policytest.Run(t.Context(), policytest.Options{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.WriteText(&text, policytest.TextOptions{}); err != nil || report.ExitCode() != 0 || report.Totals.Passed != 4 {
		t.Errorf("want four cases that pass: %v\n%s", err, text.String())
	}
	for limit, want := range map[string]string{"30 * 60": "", "45 * 60": check.KindThreshold} {
		name := filepath.Join(dir, "release_running", "release_running.rego")
		source := strings.Replace(readFile(t, name), "30 * 60", limit, 1)
		writeFile(t, name, []byte(source))
		targets, err := check.Targets([]string{dir})
		if err != nil {
			t.Fatal(err)
		}
		checked, err := check.Check(targets, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range checked.Findings {
			got += f.Kind
		}
		if got != want {
			t.Errorf("stophook check finds %q with a limit of %s seconds, want %q", got, limit, want)
		}
		writeFile(t, name, []byte(strings.Replace(source, limit, "30 * 60", 1)))
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
