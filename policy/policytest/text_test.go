package policytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/internal/term"
)

func TestDedent(t *testing.T) {
	for _, tt := range []struct{ reason, in, want string }{
		{"what all lines share", "\t\ta\n\t\t  b\n\t\tc\n", "a\n  b\nc"},
		{"blank lines do not count", "  a\n\n  b", "a\n\nb"},
		{"nothing to take away", "a\n  b", "a\n  b"},
		{"nothing", "", ""},
	} {
		if got := dedent(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for in, want := range map[float64]string{0: "0 ms", 0.0004: "0 ms", 0.0126: "12 ms", 0.9999: "999 ms", 1: "1.0 s", 61.24: "61.2 s"} {
		if got := seconds(in); got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
}

// A zero Style writes no escapes, whatever failed; the command decides about colours.
func TestWriteText_NoColours(t *testing.T) {
	var b strings.Builder
	if err := report(t, Options{Cover: true}, "testdata/bad").WriteText(&b, TextOptions{Style: term.Style{}, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("an escape without a terminal")
	}
}

// A row that the transcript does not have is told, and no other is shown for it.
func TestRowFinder(t *testing.T) {
	dir := write(t, map[string]string{"t.jsonl": "{\"type\":\"mode\"}\n{\"type\":\"user\",\"message\":{\"content\":\"go\"}}\n"})
	f := newRowFinder(dir + "/t.jsonl")
	for offset, want := range map[int64]struct {
		line int
		text string
	}{0: {1, "mode"}, 16: {2, "go"}, 3: {0, "no row begins"}, -1: {0, "no row begins"}, 999: {0, "no row begins"}} {
		if got := f.at(offset); got.Line != want.line || !strings.Contains(got.Text, want.text) {
			t.Errorf("offset %d: %+v, want line %d and %q", offset, got, want.line, want.text)
		}
	}
	if got := newRowFinder(dir + "/none").at(0); got.Line != 0 {
		t.Errorf("a file that is not there: %+v", got)
	}
}

// Names that are no texts are those of OPA's tester, so that each finds its trace.
func TestRun_NamesOfAnyType(t *testing.T) {
	dir := write(t, map[string]string{"n_test.rego": "package n_test\n\ntest_x[n] if {\n\tsome n in [1, {\"a\": 2}, [3], null]\n\tn == 0\n}\n\n" +
		"test_y[a][b] if {\n\tsome a in [\"p\", \"q\"]\n\tsome b in [\"r\", \"s\"]\n\tb == \"r\"\n}\n"})
	r := report(t, Options{}, dir)
	for name, text := range map[string]string{"test_x[1]": "n == 0\n|\n1", `test_x[{"a":2}]`: "n == 0\n|\n{\"a\": 2}", "test_x[[3]]": "n == 0\n|\n[3]",
		"test_x[null]": "n == 0\n|\nnull", "test_y[p][s]": "b == \"r\"\n|\n\"s\"", "test_y[q][s]": "b == \"r\"\n|\n\"s\""} {
		got := find(t, r, "data.n_test."+name)
		if got.Result != Fail || got.FailedAt == nil || got.FailedAt.Text != text {
			t.Errorf("%s: %+v", name, got.FailedAt)
		}
	}
	if r.Totals.Passed != 2 || r.Totals.Failed != 6 {
		t.Errorf("%+v", r.Totals)
	}
}

// Tests of the same name, in one file and in several, keep their names from run to
// run, and each its own trace.
func TestRun_SameNames(t *testing.T) {
	dir := write(t, map[string]string{
		"a_test.rego": "package n_test\n\ntest_x if 1 == 2\n\ntest_x if 3 == 4\n",
		"b_test.rego": "package n_test\n\ntest_x if 5 == 6\n", "c_test.rego": "package n_test\n\ntest_x if 7 == 7\n",
	})
	for range 20 {
		r := report(t, Options{}, dir)
		for name, want := range map[string]struct {
			file, text string
		}{"test_x": {"a_test.rego", "1 == 2"}, "test_x#01": {"a_test.rego", "3 == 4"}, "test_x#02": {"b_test.rego", "5 == 6"}, "test_x#03": {"c_test.rego", ""}} {
			got := find(t, r, "data.n_test."+name)
			if filepath.Base(got.File) != want.file || got.FailedAt != nil && !strings.Contains(got.FailedAt.Text, want.text) || (got.Result == Pass) != (want.text == "") {
				t.Fatalf("%s: %+v", name, got)
			}
		}
	}
}

// Without a trace the rule itself is shown, and of a long one its beginning.
func TestRun_FailureWithoutATrace(t *testing.T) {
	long := strings.Repeat("\t# more\n", 40)
	dir := write(t, map[string]string{"n_test.rego": "package n_test\n\ntest_x if {\n" + long + "\tdata.n_test.nothing\n}\n"})
	got := find(t, report(t, Options{}, dir), "data.n_test.test_x")
	if got.Result != Fail || !strings.HasPrefix(got.FailedAt.Text, "test_x if {") || strings.Count(got.FailedAt.Text, "\n") > 12 {
		t.Errorf("%+v", got.FailedAt)
	}
}

// What an author needs to see why: handoffs, tasks, what could not be seen, and how
// often the turn was blocked before. The fixtures are the incident that stophook
// exists for.
func TestWriteText_EvidenceOfACase(t *testing.T) {
	dir := t.TempDir()
	for _, c := range fixtures.Load(t, fixtures.Stop) {
		c.Claim()
		if c.Name != "incident-deferred" && c.Name != "headless-debt" {
			continue
		}
		c.Want.Verdict, c.Want.Code, c.Want.ReasonMustMention = "allow", "acme.never", []string{"bcommit01"}
		writeCase(t, filepath.Join(dir, "cases", c.Name), c)
		if c.Name == "headless-debt" {
			put(t, filepath.Join(dir, "cases", c.Name), map[string]string{ConfigFile: "remediation_cap: 3\nrules:\n  nobody: {severity: off}\n"})
			if err := appendTo(filepath.Join(dir, "cases", c.Name, TranscriptFile), "{broken\n"); err != nil {
				t.Fatal(err)
			}
		}
	}
	var b strings.Builder
	if err := report(t, Options{}, dir).WriteText(&b, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"- verdict  allow", "+ verdict  defer", "- code     acme.never", "+ code     stop-hook.background_handoff_deferred",
		"        reason   mentions \"bcommit01\"\n", // holds, so it is in the diff without a sign
		"stop-hook.status_check_missing  block, deferred, of rule status_check",
		"handoff bcommit01 (open)  git commit", "task bcommit01 (shell running)  git commit", "evidence: task_declared, session_named",
		"stop-hook.background_debt  block, of rule background_debt", "unreadable: 1 line of transcript.jsonl",
		"warning: config: rules.nobody: there is no rule or deferral of that name",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if t.Failed() {
		t.Log(b.String())
	}
}

func appendTo(name, text string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Close()
}

func TestSpan_String(t *testing.T) {
	if got := (Span{3, 3}).String() + " " + (Span{3, 7}).String(); got != "3 3-7" {
		t.Error(got)
	}
}
