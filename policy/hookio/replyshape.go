package hookio

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// objectOf reads stdout as the one JSON object of an answer. Neither an object nor a
// complaint: it is text. Text, too, are a brace that nothing closes, and several
// objects below each other, as a program prints that logs in JSON.
func objectOf(text string) (object map[string]json.RawMessage, malformed string) {
	if !strings.HasPrefix(text, "{") {
		return nil, ""
	}
	err := json.Unmarshal([]byte(text), &object)
	switch {
	case err == nil:
		return object, ""
	case !strings.HasSuffix(text, "}") || jsonLines(text):
		return nil, ""
	}
	what := err.Error()
	var at *json.SyntaxError
	if errors.As(err, &at) {
		what = fmt.Sprintf("%s at byte %d", what, at.Offset)
	}
	return nil, "its output looks like a JSON object and is none (" + what + "): print it with a JSON encoder, and nothing else"
}

// jsonLines tells whether every line is JSON of its own, and there are several.
func jsonLines(text string) bool {
	n := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if n++; !json.Valid([]byte(line)) {
			return false
		}
	}
	return n > 1
}

// shape takes from an object what has a meaning at this event. malformed says which
// key is of the wrong kind: the host then drops the whole answer.
func shape(event EventName, object map[string]json.RawMessage) (r Reply, malformed string) {
	f := &members{object: object}
	if f.flag("async") {
		return Reply{}, "it wants to go on in the background, which this host does not do: what it said was not heard"
	}
	goOn := f.optionalFlag("continue")
	stopReason := f.text("stopReason")
	r.SuppressOutput = f.flag("suppressOutput")
	r.SystemMessage = f.text("systemMessage")
	reason := f.text("reason")
	decision := f.choice("decision", "approve", "block")
	special := f.member("hookSpecificOutput")
	if goOn != nil && !*goOn {
		r.End, r.StopReason = true, stopReason
	}
	r.decide(event, decision, reason, f)
	if special != nil {
		r.special(event, decision, reason, special, f)
	}
	f.rest("")
	if f.fault != "" {
		return Reply{}, f.fault
	}
	r.Ignored = f.ignored
	return r, ""
}

// decide applies the decision at the top.
func (r *Reply) decide(event EventName, decision, reason string, f *members) {
	switch {
	case decision == "":
	case event == PreToolUse:
		r.PermissionReason = reason
		if r.Permission = PermitAllow; decision == "block" {
			r.Permission, r.PermissionReason = PermitDeny, otherwise(reason, blockedByHook)
		}
	case decision == "approve":
	case event == SessionStart || event == SessionEnd || event == Notification:
		f.ignore("decision")
	default:
		r.Block, r.Reason = true, otherwise(reason, blockedByHook)
	}
}

// special applies hookSpecificOutput.
func (r *Reply) special(event EventName, decision, reason string, object map[string]json.RawMessage, top *members) {
	f := &members{object: object, prefix: "hookSpecificOutput."}
	name := f.text("hookEventName")
	switch {
	case f.fault != "":
	case name == "":
		f.fault = "its hookSpecificOutput has no hookEventName"
	case name != string(event) && decision == "block":
		top.ignore("hookSpecificOutput, which is of " + name)
		return
	case name != string(event):
		f.fault = fmt.Sprintf("its hookSpecificOutput is of %q, and the event is %s", oneLine(plain(name), "?"), event)
	default:
		r.own(event, reason, f)
	}
	if top.fault == "" {
		top.fault = f.fault
	}
	f.rest(f.prefix)
	top.ignored = append(top.ignored, f.ignored...)
}

// own reads the members that belong to the event.
func (r *Reply) own(event EventName, reason string, f *members) {
	switch event {
	case PreToolUse:
		r.permission(reason, f)
		r.Context = f.text("additionalContext")
	case SessionStart, UserPromptSubmit, PostToolUse:
		r.Context = f.text("additionalContext")
	case Stop, SubagentStop:
		text := f.text("additionalContext")
		if text == "" {
			return
		}
		r.Feedback = !r.Block
		if r.Block {
			text = r.Reason + "\n\n" + text
		}
		r.Block, r.Reason = true, bounded(text)
	}
}

func (r *Reply) permission(reason string, f *members) {
	// defer ends a headless client, to be resumed with an answer. Asking is what
	// comes nearest, and never weaker.
	decision := f.choice("permissionDecision", "allow", "deny", "ask", "defer")
	why := f.text("permissionDecisionReason")
	input := f.member("updatedInput")
	switch decision {
	case "allow":
		r.Permission, r.PermissionReason = PermitAllow, otherwise(why, reason)
	case "ask", "defer":
		r.Permission, r.PermissionReason = PermitAsk, otherwise(why, reason)
	case "deny":
		r.Permission, r.PermissionReason = PermitDeny, otherwise(why, otherwise(reason, blockedByHook))
	}
	if input != nil && r.Permission != PermitDeny {
		r.UpdatedInput = slices.Clone(f.object["updatedInput"])
	}
}

func otherwise(s, other string) string {
	if blank(s) {
		return other
	}
	return s
}

// members reads the members of one object and remembers the first that is wrong.
type members struct {
	object  map[string]json.RawMessage
	prefix  string
	fault   string
	seen    []string
	ignored []string
}

func (f *members) take(key string, into any, want string) (there bool) {
	f.seen = append(f.seen, key)
	raw, ok := f.object[key]
	if !ok {
		return false
	}
	// null is no string and no flag here: the client refuses it.
	if string(raw) == "null" || json.Unmarshal(raw, into) != nil {
		f.wrong(key, "want "+want+", got "+oneLine(plain(string(raw)), "nothing"))
		return false
	}
	return true
}

func (f *members) wrong(key, what string) {
	if f.fault == "" {
		f.fault = "its output has a wrong " + f.prefix + key + ": " + what
	}
}

func (f *members) text(key string) string {
	var s string
	f.take(key, &s, "a string")
	return bounded(s)
}

func (f *members) optionalFlag(key string) *bool {
	var b bool
	if !f.take(key, &b, "true or false") {
		return nil
	}
	return &b
}

func (f *members) flag(key string) bool {
	b := f.optionalFlag(key)
	return b != nil && *b
}

func (f *members) choice(key string, words ...string) string {
	var s string
	if f.take(key, &s, "a string") && !slices.Contains(words, s) {
		f.wrong(key, fmt.Sprintf("want one of %s, got %q", strings.Join(words, ", "), oneLine(plain(s), "")))
	}
	return s
}

func (f *members) member(key string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	f.take(key, &m, "an object")
	return m
}

func (f *members) ignore(what string) { f.ignored = append(f.ignored, what) }

// rest notes the keys that nobody asked for.
func (f *members) rest(prefix string) {
	for _, key := range slices.Sorted(maps.Keys(f.object)) {
		if !slices.Contains(f.seen, key) {
			f.ignore(prefix + oneLine(plain(key), "a blank key"))
		}
	}
}
