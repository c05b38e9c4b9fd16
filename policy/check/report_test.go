package check

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/internal/term"
)

// sample is a report with one finding of each sort of place.
func sample() *Report {
	r := &Report{Schema: ReportSchema, Files: 2, Rules: 1, checked: []string{"p/a.rego", "p/b c.rego"}, Findings: []Finding{
		{File: "p/b c.rego", Severity: SeverityError, Kind: "unreadable", Message: "cannot be read: permission denied", Hint: "make it readable, or remove it"},
		{File: "p/a.rego", Line: 3, Col: 6, Severity: SeverityError, Kind: KindInputField, Message: "the input document has no field input.handofs", Text: "\té := input.handofs", Hint: "did you mean handoffs?"},
		{File: "p/a.rego", Line: 2, Col: 1, Severity: SeverityWarning, Kind: KindLint, Message: "hostile \x1b[31m & <x>", Text: "x\x1b[2J"},
		{File: "p/a.rego", Line: 2, Col: 1, Severity: SeverityWarning, Kind: KindLint, Message: "hostile \x1b[31m & <x>", Text: "x\x1b[2J"},
	}}
	r.finish()
	return r
}

func TestReport_WriteText(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteText(&b, term.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `p/a.rego:2:1: warning: hostile [31m & <x> [unused-or-shadowed]
     2 | x [2J
       | ^
p/a.rego:3:6: error: the input document has no field input.handofs [unknown-input-field]
     3 |     é := input.handofs
       |        ^
  hint: did you mean handoffs?
p/b c.rego: error: cannot be read: permission denied [unreadable]
  hint: make it readable, or remove it

2 files with 1 rule: 2 errors, 1 warning
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestReport_summary(t *testing.T) {
	for _, tc := range []struct {
		reason string
		report Report
		want   string
	}{
		{"nothing", Report{Files: 1, Rules: 1}, "1 file with 1 rule: nothing found"},
		{"warnings", Report{Files: 2, Warnings: 2}, "2 files with 0 rules: 2 warnings"},
		{"errors", Report{Files: 2, Rules: 3, Errors: 1}, "2 files with 3 rules: 1 error"},
	} {
		if got := tc.report.summary(term.Style{}); got != tc.want {
			t.Errorf("%s: %q", tc.reason, got)
		}
	}
}

func TestReport_WriteSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := sample().WriteSARIF(&b, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	fixtures.Golden(t, "testdata/report.sarif", b.Bytes())
}

func TestReport_WriteJUnit(t *testing.T) {
	for name, strict := range map[string]bool{"report": false, "report-strict": true} {
		var b bytes.Buffer
		if err := sample().WriteJUnit(&b, strict); err != nil {
			t.Fatal(err)
		}
		fixtures.Golden(t, "testdata/"+name+".xml", b.Bytes())
	}
}

// Who reads a report elsewhere has its words only: no kind is without a sentence.
func TestKindWords(t *testing.T) {
	kinds := map[string]bool{}
	for _, name := range []string{"finding.go", "../policyerror.go"} {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\tKind[A-Z]\w+ += "([a-z0-9-]+)"`).FindAllSubmatch(source, -1) {
			kinds[string(m[1])] = true
		}
	}
	if len(kinds) < 30 {
		t.Fatalf("only %d kinds found", len(kinds))
	}
	words := kindWords()
	for kind := range kinds {
		if w := words[kind]; !strings.HasSuffix(w, ".") {
			t.Errorf("%s is explained as %q, want a sentence", kind, w)
		}
	}
	if len(words) != len(kinds) {
		t.Errorf("%d kinds are explained, and there are %d", len(words), len(kinds))
	}
}

// A finding that points behind its line has no column.
func TestFinding_Column(t *testing.T) {
	for _, tc := range []struct {
		reason string
		f      Finding
		want   int
	}{
		{"unknown", Finding{Text: "abc"}, 0},
		{"characters, not bytes", Finding{Text: "éa", Col: 3}, 2},
		{"the end of the line", Finding{Text: "ab", Col: 3}, 3},
		{"behind the end", Finding{Text: "ab", Col: 4}, 0},
	} {
		if got := tc.f.Column(); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.reason, got, tc.want)
		}
	}
}

func TestReport_JSON(t *testing.T) {
	text, err := json.Marshal(&Report{Schema: ReportSchema, Findings: []Finding{}})
	if err != nil || string(text) != `{"schema":"stophook.check/v1","files":0,"rules":0,"errors":0,"warnings":0,"findings":[]}` {
		t.Errorf("%s, %v", text, err)
	}
}
