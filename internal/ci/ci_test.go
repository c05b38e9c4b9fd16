package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWriteJUnit(t *testing.T) {
	var out bytes.Buffer
	err := WriteJUnit(&out, "stophook test", []Suite{{Name: "rules/a", Cases: []Case{
		{Class: "a", Name: "test_ok", File: "a_test.rego", Line: 3, Time: 12 * time.Millisecond, Output: "note"},
		{Class: "a", Name: "test_bad", Failure: &Problem{Message: "want <allow>", Kind: "verdict", Detail: "a & b\n"}},
		{Class: "a", Name: "test_broken", Error: &Problem{Message: "no file"}},
		{Class: "a", Name: "test_off", Skipped: "no chromium"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := xml.Header + `<testsuites name="stophook test" tests="4" failures="1" errors="1" time="0.012">
  <testsuite name="rules/a" tests="4" failures="1" errors="1" skipped="1" time="0.012">
    <testcase name="test_ok" classname="a" file="a_test.rego" line="3" time="0.012">
      <system-out>note</system-out>
    </testcase>
    <testcase name="test_bad" classname="a" time="0.000">
      <failure message="want &lt;allow&gt;" type="verdict">a &amp; b&#xA;</failure>
    </testcase>
    <testcase name="test_broken" classname="a" time="0.000">
      <error message="no file"></error>
    </testcase>
    <testcase name="test_off" classname="a" time="0.000">
      <skipped message="no chromium"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Whatever a session or a policy says, the document parses and carries the text.
func TestWriteJUnit_AnyTextIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		var out bytes.Buffer
		err := WriteJUnit(&out, text, []Suite{{Name: text, Cases: []Case{{Class: text, Name: text, File: text, Output: text,
			Failure: &Problem{Message: text, Kind: text, Detail: text}}, {Name: "s", Skipped: text + "!"}}}})
		if err != nil {
			t.Fatal(err)
		}
		dec := xml.NewDecoder(bytes.NewReader(out.Bytes()))
		for {
			_, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, out.String())
			}
		}
	})
}

func TestWriteSARIF(t *testing.T) {
	var out bytes.Buffer
	err := WriteSARIF(&out, Tool{Name: "stophook", Version: "v1", Rules: map[string]string{"parse-error": "The file does not parse."}}, []Finding{
		{Rule: "type-error", Level: "error", Message: "undefined ref <x>", File: "rules/a b/a.rego", Line: 4, Col: 2},
		{Rule: "parse-error", Level: "warning", Message: "odd"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var doc sarifDoc
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	if doc.Version != "2.1.0" || len(run.Tool.Driver.Rules) != 2 || run.Tool.Driver.Rules[0].ID != "parse-error" {
		t.Errorf("%s", out.String())
	}
	want := []sarifResult{
		{RuleID: "type-error", RuleIndex: 1, Level: "error", Message: sarifText{"undefined ref <x>"}, Locations: []sarifLocation{{sarifPhysical{
			sarifArtifact{"rules/a%20b/a.rego"}, &sarifRegion{4, 2}}}}},
		{RuleID: "parse-error", RuleIndex: 0, Level: "warning", Message: sarifText{"odd"}},
	}
	if diff := cmp.Diff(want, run.Results); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// No finding is an empty list, not null: viewers take null for a broken file.
func TestWriteSARIF_Empty(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSARIF(&out, Tool{Name: "stophook"}, nil); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.Contains(s, `"results": []`) || !strings.Contains(s, `"rules": []`) {
		t.Error(s)
	}
}

func TestURI(t *testing.T) {
	for path, want := range map[string]string{"a/b.jsonl": "a/b.jsonl", "/x y.jsonl": "file:///x%20y.jsonl", "ü#": "%C3%BC%23"} {
		if got := uri(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
