package policytest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"
)

func TestRun_BuiltinRulesHaveAsManyTestsAsGoTestRuns(t *testing.T) {
	dir := filepath.Join("..", "..", "rego")
	modules := map[string]*ast.Module{}
	for _, p := range glob(t, filepath.Join(dir, "*", "*.rego")) {
		src, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		modules[p] = ast.MustParseModuleWithOpts(string(src), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	}
	results, err := tester.NewRunner().SetModules(modules).RunTests(t.Context(), nil) // as rego/embed_test.go does
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for range results {
		want++
	}
	r := report(t, Options{Cover: true, CoverMin: 100}, dir)
	if r.ExitCode() != 0 || r.Totals.Passed != want || r.Totals.Tests != want || want < 40 {
		t.Errorf("exit %d, %d of %d passed, go test runs %d: %+v", r.ExitCode(), r.Totals.Passed, r.Totals.Tests, want, r.Problems)
	}
	// One rule of them alone is no layer of its own.
	one := report(t, Options{}, filepath.Join(dir, "status_box"))
	if one.ExitCode() != 0 || len(one.Folders) != 1 || one.Totals.Tests == 0 {
		t.Errorf("%+v", one)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	return paths
}

func TestRun_SelectsByName(t *testing.T) {
	for _, tt := range []struct {
		run         string
		rego, cases int
		code        int
	}{
		{"", 8, 6, 0},
		{"tests_ran", 7, 3, 0},
		{"edit-then", 0, 1, 0},
		{`calls_test\.test_a_`, 1, 0, 0},
		{"^good/cases/", 0, 2, 0},
		{"nothing is called so", 0, 0, 1},
	} {
		opts := Options{}
		if tt.run != "" {
			opts.Run = regexp.MustCompile(tt.run)
		}
		r := report(t, opts, filepath.Join("testdata", "good"))
		if r.ExitCode() != tt.code || r.Totals.Rego != tt.rego || r.Totals.Cases != tt.cases {
			t.Errorf("--run %q: exit %d, %d tests, %d cases: %+v", tt.run, r.ExitCode(), r.Totals.Rego, r.Totals.Cases, r.Problems)
		}
		if tt.code == 1 && !strings.Contains(r.Problems[0].Message, `--run "nothing is called so" selects none of 1`) {
			t.Errorf("%+v", r.Problems)
		}
	}
}

func TestRun_EveryDirNeedsTests(t *testing.T) {
	good, empty := filepath.Join("testdata", "good"), filepath.Join("testdata", "empty")
	r := report(t, Options{}, good, empty)
	if r.ExitCode() != 1 || len(r.Problems) != 1 || r.Problems[0].Kind != ProblemNoTests || r.Problems[0].Dir != empty {
		t.Errorf("exit %d: %+v", r.ExitCode(), r.Problems)
	}
	if r.Totals.Passed == 0 {
		t.Error("the other DIR did not run")
	}
	// With --run, a DIR without a match is fine while another has one.
	r = report(t, Options{Run: regexp.MustCompile("no_sleep")}, filepath.Join(good, "tests_ran"), filepath.Join(good, "no_sleep"))
	if r.ExitCode() != 0 || r.Totals.Tests != 1 {
		t.Errorf("exit %d: %+v", r.ExitCode(), r)
	}
}

func TestRun_OneBrokenDirDoesNotHideTheOthers(t *testing.T) {
	r := report(t, Options{}, filepath.Join("testdata", "broken", "policy"), filepath.Join("testdata", "good"))
	if r.ExitCode() != 2 || r.Totals.Passed == 0 || r.Problems[0].Line != 5 {
		t.Errorf("exit %d: %+v", r.ExitCode(), r)
	}
}

func TestRun_SlowTestsAreStopped(t *testing.T) {
	r := report(t, Options{Timeout: 20 * time.Millisecond}, filepath.Join("testdata", "slow"))
	slow := find(t, r, "data.slow_test.test_slow")
	if slow.Result != Error || !strings.Contains(slow.Message, "it took longer than 20ms and was stopped") {
		t.Errorf("%+v", slow)
	}
	if quick := find(t, r, "data.slow_test.test_quick"); quick.Result != Pass {
		t.Errorf("%+v", quick)
	}
}

func TestRun_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, Options{Dirs: []string{filepath.Join("testdata", "good"), filepath.Join("testdata", "slow")}})
	if err != nil || r.ExitCode() != 2 || r.Totals.Tests != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Workers change nothing about a report.
func TestRun_OrderIsStable(t *testing.T) {
	var first []byte
	for _, workers := range []int{1, 2, 7} {
		var b bytes.Buffer
		if err := still(report(t, Options{Workers: workers, Cover: true, Output: true}, filepath.Join("testdata", "bad"), filepath.Join("testdata", "good"))).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		}
		if !bytes.Equal(first, b.Bytes()) {
			t.Errorf("with %d workers the report is another", workers)
		}
	}
}

func TestRun_ConfigForAllCases(t *testing.T) {
	dir := filepath.Join("testdata", "good", "tests_ran")
	config := write(t, map[string]string{"c.yaml": "params:\n  acme:\n    test_command: just t\n"})
	r := report(t, Options{Config: filepath.Join(config, "c.yaml")}, dir)
	// One case names make test; the other brings its own parameter, which goes before.
	for name, result := range map[string]string{"tests_ran/cases/edit-then-tests": Fail, "tests_ran/cases/beside-the-ritual": Pass} {
		if got := find(t, r, name); got.Result != result {
			t.Errorf("%s: %s, want %s: %s", name, got.Result, result, got.Message)
		}
	}
	_, err := Run(t.Context(), Options{Dirs: []string{dir}, Config: filepath.Join(config, "none.yaml")})
	if err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("a configuration that is not there: %v", err)
	}
}

func TestRun_UnreadableFiles(t *testing.T) {
	for _, name := range []string{"lib/gone.rego", "lib/gone_test.rego"} {
		dir := copyDir(t, "good")
		if err := os.Symlink("nowhere", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		r := report(t, Options{}, dir)
		if r.ExitCode() != 2 || !strings.Contains(r.Problems[0].File, name) || !strings.Contains(r.Problems[0].Message, "cannot be read") {
			t.Errorf("exit %d: %+v", r.ExitCode(), r.Problems)
		}
	}
}

// A pass for the wrong reason: these decisions are an allow, because stophook
// itself could not answer.
func TestRun_FailuresAreNoPass(t *testing.T) {
	for _, tt := range []struct{ reason, want, transcript, result, message string }{
		{"nobody asked for the failure", `"verdict": "allow"`, `{"odd": 1}`, Error, "the case could not be judged"},
		{"the failure is what is tested", `"code": "stop-hook.evidence_unavailable"`, `{"odd": 1}`, Pass, ""},
		{"a rule that fails while it is asked", `"verdict": "allow"`, `{"type":"user","uuid":"u","origin":{"kind":"human"},"message":{"role":"user","content":"go"}}`, Error, "the policies could not decide"},
		{"and that is what is tested", `"code": "stop-hook.policy_error"`, `{"type":"user","uuid":"u","origin":{"kind":"human"},"message":{"role":"user","content":"go"}}`, Pass, ""},
	} {
		dir := write(t, map[string]string{
			"rule/rule.rego":                rule("rule", `to_number(input.hook.session_id) == 1`),
			"rule/cases/c/want.json":        `{"reason": "r", "now": "2026-10-05T09:00:00Z", ` + tt.want + `}`,
			"rule/cases/c/stdin.json":       `{"hook_event_name": "Stop", "session_id": "no number", "transcript_path": "@CASE_DIR@/transcript.jsonl"}`,
			"rule/cases/c/transcript.jsonl": tt.transcript + "\n",
		})
		got := find(t, report(t, Options{}, dir), "rule/cases/c")
		if got.Result != tt.result || !strings.Contains(got.Message, tt.message) {
			t.Errorf("%s: %s %q, want %s", tt.reason, got.Result, got.Message, tt.result)
		}
	}
}

// Tests get what the hook gives policies.
func TestRun_CapabilitiesOfTheHook(t *testing.T) {
	for _, tt := range []struct{ call, mention string }{
		{`http.send({"method": "get", "url": "http://x"})`, "undefined function http.send"},
		{`time.now_ns() > 0`, "undefined function time.now_ns"},
		{`rand.intn("a", 3) < 3`, "undefined function rand.intn"},
		{`uuid.rfc4122("a") != ""`, "undefined function uuid.rfc4122"},
		{`opa.runtime()`, "undefined function opa.runtime"},
		{`json.parse("{}")`, "undefined function json.parse"},
		{`time.parse_rfc3339_ns("2026-10-05T09:00:00Z") > 0`, ""},
	} {
		dir := write(t, map[string]string{"a_test.rego": "package a_test\n\ntest_x if {\n\t" + tt.call + "\n}\n"})
		r := report(t, Options{}, dir)
		switch {
		case tt.mention == "" && r.ExitCode() != 0:
			t.Errorf("%s: %+v", tt.call, r)
		case strings.Contains(tt.call, "now_ns") && r.Problems[0].Hint != "tests get what the hook gives policies, and time.now_ns is not there: it reads the clock; the time is input.now":
			t.Errorf("%s: %q", tt.call, r.Problems[0].Hint)
		case tt.mention != "" && (r.ExitCode() != 2 || !strings.Contains(r.Problems[0].Message, tt.mention) || r.Problems[0].Line != 4):
			t.Errorf("%s: exit %d, %+v", tt.call, r.ExitCode(), r.Problems)
		}
	}
}
