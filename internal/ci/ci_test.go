package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWriteJUnit(t *testing.T) {
	long := strings.Repeat("word ", 120) + "end"
	var out bytes.Buffer
	err := WriteJUnit(&out, Run{Name: "stophook test", Suites: []Suite{{Name: "rules/a", Cases: []Case{
		{Class: "a", Name: "test_ok", File: "a_test.rego", Line: 3, Time: 12 * time.Millisecond, Output: "note\n\tof a \x1b[31mtest"},
		{Class: "a", Name: "test\nbad", Failure: &Problem{Message: "want <allow>\nhere", Kind: "verdict", Detail: "a & b\n]]>"}},
		{Class: "a", Name: "test_broken", Error: &Problem{Message: "no file"}},
		{Class: "a", Name: "test_long", Error: &Problem{Message: long}},
		{Class: "a", Name: "test_off", Skipped: "no chromium"},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	want := xml.Header + `<testsuites name="stophook test" tests="5" failures="1" errors="2" time="0.012">
  <testsuite name="rules/a" tests="5" failures="1" errors="2" skipped="1" time="0.012">
    <testcase name="test_ok" classname="a" time="0.012" file="a_test.rego" line="3">
      <system-out><![CDATA[note
    of a  [31mtest]]></system-out>
    </testcase>
    <testcase name="test bad" classname="a" time="0.000">
      <failure message="want &lt;allow&gt; here" type="verdict"><![CDATA[a & b
]]]]><![CDATA[>]]></failure>
    </testcase>
    <testcase name="test_broken" classname="a" time="0.000">
      <error message="no file"></error>
    </testcase>
    <testcase name="test_long" classname="a" time="0.000">
      <error message="` + long[:499] + `…"><![CDATA[` + long + `]]></error>
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

// What is wrong with a run as a whole is in error, also when nobody says how, and
// what the caller gave is not changed.
func TestWriteJUnit_Problems(t *testing.T) {
	suites := make([]Suite, 1, 4)
	suites[0] = Suite{Name: "s", Cases: []Case{{Class: "c", Name: "ok"}}}
	run := Run{Name: "stophook test", Started: time.Date(2026, 10, 5, 12, 0, 0, 0, time.FixedZone("", 7200)), Took: 1500 * time.Millisecond, Suites: suites,
		Problems: []Case{{Class: "c", Name: "policy x", File: "x.rego", Line: 2, Error: &Problem{Message: "no Rego"}}, {Class: "c", Name: "stopped", Skipped: "?"}}}
	want := xml.Header + `<testsuites name="stophook test" tests="3" failures="0" errors="2" time="1.500">
  <testsuite name="s" tests="1" failures="0" errors="0" skipped="0" time="0.000" timestamp="2026-10-05T10:00:00">
    <testcase name="ok" classname="c" time="0.000"></testcase>
  </testsuite>
  <testsuite name="stophook test" tests="2" failures="0" errors="2" skipped="0" time="0.000" timestamp="2026-10-05T10:00:00">
    <testcase name="policy x" classname="c" time="0.000" file="x.rego" line="2">
      <error message="no Rego"></error>
    </testcase>
    <testcase name="stopped" classname="c" time="0.000">
      <error message="stopped"></error>
    </testcase>
  </testsuite>
</testsuites>
`
	for range 2 {
		var out bytes.Buffer
		if err := WriteJUnit(&out, run); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if spare := suites[:2][1]; spare.Name != "" || run.Problems[1].Error != nil {
		t.Errorf("the caller's lists were written to: %+v, %+v", spare, run.Problems[1])
	}
}

// Whatever a session or a policy says, the document parses, and nothing in it
// steers a terminal.
func TestWriteJUnit_AnyTextIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }), rapid.String(),
			rapid.SampledFrom([]string{"]]>", "]]]]>>", "<!--", "\x00\x1b[2J", "\ufffe\uffff", "&#0;", "\u2028\u202e", "a\r\nb"})).Draw(t, "text")
		var out bytes.Buffer
		err := WriteJUnit(&out, Run{Name: text, Suites: []Suite{{Name: text, Cases: []Case{{Class: text, Name: text, File: text, Output: text,
			Failure: &Problem{Message: text, Kind: text, Detail: text}}, {Name: "s", Skipped: text + "!"}}}}, Problems: []Case{{Name: text}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%U reaches the terminal", r)
			}
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
		{Rule: "type-error", Level: "error", Message: "undefined ref <x>", File: "rules/a b/a.rego", Line: 4, Col: 2, Snippet: "\tx\u202e := y"},
		{Rule: "parse-error", Level: "warning", Message: "odd\x1b[31m\nin two lines"},
		{Rule: "type-error", Level: "note", Message: "all of it", File: "/b.rego", Snippet: "of no line"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var doc sarifDoc
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	wantTool := sarifTool{sarifDriver{Name: "stophook", Version: "v1", URL: Home, Rules: []sarifRule{
		{ID: "parse-error", ShortDescription: &sarifText{"The file does not parse."}}, {ID: "type-error"}}}}
	if diff := cmp.Diff(wantTool, run.Tool); diff != "" || doc.Version != "2.1.0" {
		t.Errorf("version %s, -want +got:\n%s", doc.Version, diff)
	}
	if strings.Contains(out.String(), `\u003c`) {
		t.Error("< is escaped as if a browser would read it")
	}
	want := []sarifResult{
		{RuleID: "type-error", RuleIndex: 1, Level: "error", Message: sarifText{"undefined ref <x>"}, Locations: []sarifLocation{{sarifPhysical{
			sarifArtifact{"rules/a%20b/a.rego"}, &sarifRegion{4, 2, &sarifText{"\tx  := y"}}}}}},
		{RuleID: "parse-error", RuleIndex: 0, Level: "warning", Message: sarifText{"odd [31m\nin two lines"}},
		{RuleID: "type-error", RuleIndex: 1, Level: "note", Message: sarifText{"all of it"}, Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{"file:///b.rego"}}}}},
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
