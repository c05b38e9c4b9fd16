package hookio_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stophook/stophook/policy/hookio"
)

// codexOutput is what codex-cli 0.171.0 takes at an event, by the JSON Schemas that
// it carries: every object of them forbids keys that are not named. The schemas
// themselves are not ours to copy; these are their names and rules.
type codexOutput struct {
	decision bool // "block", and then a reason that is not blank
	specific []string
}

var codexOutputs = map[hookio.EventName]codexOutput{
	hookio.Stop:             {decision: true},
	hookio.SubagentStop:     {decision: true},
	hookio.PostToolUse:      {decision: true, specific: []string{"additionalContext"}},
	hookio.UserPromptSubmit: {decision: true, specific: []string{"additionalContext"}},
	hookio.SessionStart:     {specific: []string{"additionalContext"}},
	hookio.PreToolUse:       {specific: []string{"permissionDecision", "permissionDecisionReason", "additionalContext"}},
}

// check holds one answer to the rules, and returns what is wrong with it.
func (c codexOutput) check(event hookio.EventName, out []byte) string {
	var doc map[string]any
	if err := json.Unmarshal(out, &doc); err != nil {
		return err.Error()
	}
	for key, value := range doc {
		text, isText := value.(string)
		switch {
		case key == "systemMessage" && isText:
		case key == "reason" && c.decision && isText && strings.TrimSpace(text) != "" && doc["decision"] == "block":
		case key == "decision" && c.decision && text == "block" && doc["reason"] != nil:
		case key == "hookSpecificOutput" && len(c.specific) > 0:
			inner, _ := value.(map[string]any)
			if inner["hookEventName"] != string(event) {
				return "hookEventName is not the event's"
			}
			for k, v := range inner {
				if s, ok := v.(string); k != "hookEventName" && (!slices.Contains(c.specific, k) || !ok || strings.TrimSpace(s) == "") {
					return "hookSpecificOutput." + k
				}
			}
			if inner["permissionDecision"] != nil && (inner["permissionDecision"] != "deny" || inner["permissionDecisionReason"] == nil) {
				return "a permissionDecision that is dropped"
			}
		default:
			return key
		}
	}
	return ""
}

// Whatever is asked for, Codex gets what its own schemas allow, or nothing: one key
// too many, and it drops the answer and with it the gate.
func TestCodex_CL1_NothingIllegalCanBeEncoded(t *testing.T) {
	answers := []hookio.Answer{hookio.Allow(), hookio.Block("x"), hookio.Block(""), hookio.Deny("x"), hookio.Deny("\x00"), hookio.Context("x")}
	encoded := 0
	for _, name := range events {
		for _, a := range answers {
			for _, a := range []hookio.Answer{a, a.WithMessage("m")} {
				for _, style := range []hookio.BlockStyle{hookio.StyleDecision, hookio.StyleFeedback} {
					out, err := hookio.Encode(&hookio.Event{Host: hookio.HostCodex, Name: name, HostEvent: string(name)}, a, style)
					if err != nil || len(out) == 0 {
						continue
					}
					encoded++
					rules, known := codexOutputs[name]
					if !known {
						t.Errorf("%q: %s is written to an event whose schema nobody has seen", name, out)
					} else if wrong := rules.check(name, out); wrong != "" {
						t.Errorf("%q: %s would be dropped for %s", name, out, wrong)
					}
				}
			}
		}
	}
	if encoded < 20 {
		t.Errorf("only %d answers had a form: the test looked at nothing", encoded)
	}
}

// The rules above are no rubber stamp.
func TestCodex_RulesRefuse(t *testing.T) {
	for name, out := range map[string]string{
		"an unknown key":          `{"decision":"block","reason":"x","extra":"y"}`,
		"a decision of Claude's":  `{"decision":"approve","reason":"x"}`,
		"a blank reason":          `{"decision":"block","reason":" "}`,
		"no reason":               `{"decision":"block"}`,
		"the feedback form":       `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"x"}}`,
		"the form of other hosts": `{"followup_message":"x"}`,
	} {
		if codexOutputs[hookio.Stop].check(hookio.Stop, []byte(out)) == "" {
			t.Errorf("%s passes: %s", name, out)
		}
	}
}
