package check

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Version != "1.2.3" || len(run.Results) != 3 || len(run.Tool.Driver.Rules) != 3 {
		t.Errorf("%+v", log)
	}
	second := run.Results[1]
	want := sarifResult{RuleID: KindInputField, Level: "error", Message: sarifText{"the input document has no field input.handofs. did you mean handoffs?"},
		Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{"p/a.rego"}, Region: &sarifRegion{StartLine: 3, StartColumn: 5, Snippet: &sarifText{"\té := input.handofs"}}}}}}
	if diff := cmp.Diff(want, second); diff != "" {
		t.Error(diff)
	}
	if whole := run.Results[2].Locations[0].Physical; whole.Region != nil || whole.Artifact.URI != "p/b%20c.rego" {
		t.Errorf("%+v", whole)
	}
}

func TestReport_WriteJUnit(t *testing.T) {
	for _, strict := range []bool{false, true} {
		var b bytes.Buffer
		if err := sample().WriteJUnit(&b, strict); err != nil {
			t.Fatal(err)
		}
		var doc junitSuites
		if err := xml.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		s := doc.Suites[0]
		failures := map[bool]int{false: 1, true: 2}[strict]
		if s.Tests != 2 || s.Failures != 2 || len(s.Cases[0].Failures) != failures || s.Cases[0].Name != "p/a.rego" {
			t.Errorf("strict %v: %+v", strict, s)
		}
		if strings.Contains(b.String(), "\x1b") {
			t.Error("a control character is no XML")
		}
	}
}

func TestReport_JSON(t *testing.T) {
	text, err := json.Marshal(&Report{Schema: ReportSchema, Findings: []Finding{}})
	if err != nil || string(text) != `{"schema":"stophook.check/v1","files":0,"rules":0,"errors":0,"warnings":0,"findings":[]}` {
		t.Errorf("%s, %v", text, err)
	}
}
