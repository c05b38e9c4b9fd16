package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// legal says what is wrong with the stdout of a hook: it holds nothing, or
// exactly one JSON object in a form that the host understands. Anything else is a
// gate that is lost in silence (claude-code section 4).
func legal(stdout string) error {
	if stdout == "" {
		return nil
	}
	dec := json.NewDecoder(strings.NewReader(stdout))
	var o map[string]json.RawMessage
	if err := dec.Decode(&o); err != nil || o == nil {
		return fmt.Errorf("no JSON object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	if stdout[0] != '{' || strings.Count(stdout, "\n") != 1 || !strings.HasSuffix(stdout, "}\n") {
		return errors.New("not one line that begins with the object")
	}
	for key := range o {
		if !slices.Contains([]string{"decision", "reason", "systemMessage", "hookSpecificOutput"}, key) {
			return fmt.Errorf("unknown key %q", key)
		}
	}
	for _, key := range []string{"reason", "systemMessage"} {
		if raw, ok := o[key]; ok && blankText(raw) {
			return fmt.Errorf("%s is no text: %s", key, raw)
		}
	}
	if raw, ok := o["decision"]; ok && (string(raw) != `"block"` || o["reason"] == nil) {
		return fmt.Errorf("decision %s, reason %s", raw, o["reason"])
	}
	if o["reason"] != nil && o["decision"] == nil {
		return errors.New("a reason without a decision")
	}
	if raw, ok := o["hookSpecificOutput"]; ok {
		if o["decision"] != nil {
			return errors.New("two answers at once")
		}
		return legalSpecific(raw)
	}
	return nil
}

func legalSpecific(raw json.RawMessage) error {
	var s map[string]json.RawMessage
	if err := json.Unmarshal(raw, &s); err != nil {
		return fmt.Errorf("hookSpecificOutput: %w", err)
	}
	var event string
	if err := json.Unmarshal(s["hookEventName"], &event); err != nil {
		return fmt.Errorf("hookEventName: %w", err)
	}
	want := []string{"additionalContext", "hookEventName"}
	if event == "PreToolUse" {
		want = []string{"hookEventName", "permissionDecision", "permissionDecisionReason"}
		if string(s["permissionDecision"]) != `"deny"` {
			return fmt.Errorf("permissionDecision %s: we only ever deny", s["permissionDecision"])
		}
	}
	for key, v := range s {
		if !slices.Contains(want, key) {
			return fmt.Errorf("hookSpecificOutput of %s has the key %q", event, key)
		}
		if blankText(v) {
			return fmt.Errorf("hookSpecificOutput.%s is no text: %s", key, v)
		}
	}
	if len(s) != len(want) {
		return fmt.Errorf("hookSpecificOutput of %s has %d keys, want %v", event, len(s), want)
	}
	return nil
}

func blankText(raw json.RawMessage) bool {
	var s string
	return json.Unmarshal(raw, &s) != nil || strings.TrimSpace(s) == ""
}

// blocks tells whether the host goes on with the turn.
func blocks(stdout string) bool {
	var o struct {
		Decision string
		Specific struct{ AdditionalContext string } `json:"hookSpecificOutput"`
	}
	return json.Unmarshal([]byte(stdout), &o) == nil && (o.Decision == "block" || o.Specific.AdditionalContext != "")
}

func TestWire_LegalKnowsTheMeasuredShapes(t *testing.T) {
	for _, tt := range []struct {
		reason, stdout string
		ok             bool
	}{
		{"nothing is an allow", "", true},
		{"a block", `{"decision":"block","reason":"r"}` + "\n", true},
		{"a message beside a block", `{"decision":"block","reason":"r","systemMessage":"m"}` + "\n", true},
		{"an allow with a message", `{"systemMessage":"m"}` + "\n", true},
		{"feedback", `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"c"}}` + "\n", true},
		{"a denied call", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"r"}}` + "\n", true},
		{"text before the object", "hello\n{}\n", false},
		{"two objects", "{}{}\n", false},
		{"an approval is no word of ours", `{"decision":"approve","reason":"r"}` + "\n", false},
		{"a block without reason", `{"decision":"block"}` + "\n", false},
		{"a blank reason", `{"decision":"block","reason":" "}` + "\n", false},
		{"an unknown key", `{"verdict":"allow"}` + "\n", false},
		{"a list", "[]\n", false},
		{"no newline", `{"systemMessage":"m"}`, false},
	} {
		if err := legal(tt.stdout); (err == nil) != tt.ok {
			t.Errorf("%s: %q: %v", tt.reason, tt.stdout, err)
		}
	}
}
