package modeltest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestCases(t *testing.T) {
	var shared []string
	for _, api := range []API{Anthropic, Chat, Responses} {
		names, err := caseNames(api)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) < 40 {
			t.Errorf("%s has %d cases only", api, len(names))
		}
		for _, name := range names {
			if _, err := loadCase(api, name); err != nil {
				t.Error(err)
			}
		}
		if api == Anthropic {
			shared = []string{
				"text", "tool", "tools-parallel", "tool-empty-input", "tool-bad-input", "stop-refusal", "stop-max-tokens", "stop-max-tokens-in-tool", "stop-unknown", "cache",
				"unknown-events", "request", "bytes-split", "bytes-crlf", "bytes-crlf-split", "bytes-long-line", "slow", "cut-at-once", "cut-in-text", "cut-in-tool", "end-empty",
				"error-in-stream", "error-in-stream-first", "bad-event", "error-429", "error-500", "error-503", "error-401", "error-403", "error-too-long", "error-400", "error-404",
				"error-html", "html-200", "json-200",
			}
		}
		for _, name := range shared {
			if api != Responses || name != "stop-unknown" { // it has no word for that
				if !slices.Contains(names, name) {
					t.Errorf("%s has no case %q", api, name)
				}
			}
		}
	}
	if _, err := caseNames("other"); err == nil {
		t.Error("an API without cases has names")
	}
}

func TestParseCase_errors(t *testing.T) {
	const answer = "-- 1.response --\n200\n\n-- 1.want.json --\n"
	for _, tc := range []struct{ text, want string }{
		{"", "say at the top what the case is for"},
		{"a\n", "no turn"},
		{"a\n-- other --\n", `section "other": sections are`},
		{"a\n-- 2.response --\n", `section "2.response": sections are`},
		{"a\n-- 1.answer --\n", "1.answer: no such section"},
		{"a\n-- setup.json --\n{\"modle\": 1}\n", "setup.json: json: unknown field"},
		{"a\n-- 1.want.json --\n{\"message\": {}}\n", "turn 1 needs a response"},
		{"a\n" + answer + "{}\n", "turn 1 needs a response, and a message or an error"},
		{"a\n" + answer + "{\"error\": {\"knd\": 1}}\n", "1.want.json: json: unknown field"},
		{"a\n" + answer + "{\"error\": {}, \"message\": {}}\n", "turn 1 needs"},
	} {
		if _, err := parseCase([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q gives %v, want %s", tc.text, err, tc.want)
		}
	}
}

func TestMissing(t *testing.T) {
	for _, tc := range []struct{ want, got, says string }{
		{`{"a":1}`, `{"a":1,"b":2}`, ""},
		{`{"a":null}`, `{"b":2}`, ""},
		{`{"a":null}`, `{"a":1}`, "r.a is 1, want not there"},
		{`{"a":{"b":[{},"*",true]}}`, `{"a":{"b":[{"x":1},"y",true]}}`, ""},
		{`{"a":"*"}`, `{"a":["x"]}`, ""},
		{`{"a":"*"}`, `{"a":""}`, `r.a is "", want "*"`},
		{`{"a":"*"}`, `{}`, `r.a is not there, want "*"`},
		{`{"b":1,"a":2}`, `{}`, "r.a is not there, want 2"},
		{`[1,2]`, `[1]`, "r is [1], want a list of 2"},
		{`[1,2]`, `[1,3]`, "r[1] is 3, want 2"},
		{`[1]`, `{}`, "r is {}, want a list of 1"},
		{`{"a":1}`, `[1]`, "r is [1], want an object"},
		{`"a"`, `"` + strings.Repeat("b", 700) + `"`, "b …, want \"a\""},
	} {
		var want, got any
		if json.Unmarshal([]byte(tc.want), &want) != nil || json.Unmarshal([]byte(tc.got), &got) != nil {
			t.Fatal(tc)
		}
		if says := missing("r", want, got); (says == "") != (tc.says == "") || !strings.Contains(says, tc.says) {
			t.Errorf("%s in %s: says %q, want %q", tc.want, tc.got, says, tc.says)
		}
	}
}
