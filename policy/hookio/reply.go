package hookio

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Permission is what a PreToolUse hook decides about a call. Empty: nothing.
type Permission string

// The decisions, from the weakest to the strongest.
const (
	PermitAllow Permission = "allow"
	PermitAsk   Permission = "ask"
	PermitDeny  Permission = "deny"
)

// ReplyLimit is the longest text of a [Reply], in UTF-16 units (hosts section 1.2).
// A longer one keeps its head and its tail around a visible mark.
const ReplyLimit = 10000

// Reply is what a host makes of a hook's answer: [Encode] read from the other side.
// Every text in it is valid UTF-8 without control characters (but LF and TAB), and at
// most [ReplyLimit] long.
type Reply struct {
	// Block holds what the event guards: the end of a turn or a subagent goes on
	// with Reason, a prompt is not sent, a PostToolUse gives the model Reason
	// beside the result. A refused PreToolUse is Permission deny instead.
	Block  bool
	Reason string
	// Feedback: the block is shown as feedback, not as an error.
	Feedback bool
	// ByExit: the reason, of Block or Permission, is the stderr of an exit code 2,
	// which a host shows as "[command]: reason".
	ByExit bool

	// End ends the whole run (continue: false); it beats Block. StopReason is for
	// the person.
	End        bool
	StopReason string

	SystemMessage  string // for the person
	SuppressOutput bool

	Permission       Permission // PreToolUse
	PermissionReason string
	UpdatedInput     json.RawMessage // PreToolUse: the call's new input, an object; never beside a deny

	// Context is for the model: the text that hookSpecificOutput names or, at
	// SessionStart and UserPromptSubmit, a stdout that is no JSON.
	Context string

	// Fault says in one sentence why there is no answer, or none to obey; then
	// nothing else is set, and what the event guards happens. Empty: the hook did
	// its duty. A host has to show it: a gate that is lost in silence looks like
	// one that allows.
	Fault string
	// Ignored are keys without a meaning at this event, for a log.
	Ignored []string
}

// What a host says for a hook that gives no words of its own.
const (
	blockedByHook  = "Blocked by hook"
	noStderrOutput = "No stderr output"
)

// DecodeAnswer reads what a hook printed and how it ended, by the rules of Claude
// Code (claude-code section 4, hosts section 1.2):
//
//   - JSON counts at any exit code, when stdout begins with a brace and is one
//     object of the known shape; keys that nobody knows are ignored.
//   - Exit code 2 blocks whatever the JSON says, or whether it is any. Its reason is
//     the JSON's, else stderr.
//   - Stdout that is no JSON is text: the model's at SessionStart and
//     UserPromptSubmit, nobody's elsewhere.
//   - JSON of a wrong shape, and any other exit code without JSON, are a Fault.
//
// At events that guard nothing (SessionStart, SessionEnd, Notification) an exit code
// 2 is a Fault, too. exitCode is 0 to 255; a hook that a signal ended, that ran out
// of time or was never started has no answer to decode.
func DecodeAnswer(event EventName, stdout, stderr []byte, exitCode int) Reply {
	text := strings.TrimFunc(strings.ToValidUTF8(string(stdout), "\uFFFD"), outer)
	complaint := bounded(string(stderr))
	object, malformed := objectOf(text)
	var r Reply
	if object != nil {
		r, malformed = shape(event, object)
	}
	switch {
	case exitCode == 2:
		return exit2(event, r, malformed, text, complaint)
	case malformed != "":
		return Reply{Fault: malformed + exitWords(exitCode, complaint)}
	case object != nil:
		return r
	case exitCode != 0:
		return Reply{Fault: fmt.Sprintf("it ended with exit code %d: %s", exitCode, oneLine(complaint, noStderrOutput))}
	case event == SessionStart || event == UserPromptSubmit:
		return Reply{Context: bounded(text)}
	}
	return Reply{}
}

// exit2 adds the block of the exit code to what the JSON said.
func exit2(event EventName, r Reply, malformed, text, complaint string) Reply {
	switch event {
	case SessionStart, SessionEnd, Notification:
		return Reply{Fault: "it ended with exit code 2, and nothing can be blocked here: " + oneLine(complaint, noStderrOutput)}
	case Stop, SubagentStop:
		if text == "" && missingScript(complaint) {
			return Reply{Fault: "its script seems to be missing, which is no block: " + oneLine(complaint, "")}
		}
	}
	if malformed != "" {
		r = Reply{Ignored: []string{malformed}}
	}
	if complaint == "" {
		complaint = noStderrOutput
	}
	switch {
	case r.Block || r.Permission == PermitDeny:
	case event == PreToolUse:
		r.Permission, r.PermissionReason, r.UpdatedInput, r.ByExit = PermitDeny, complaint, nil, true
	default:
		r.Block, r.Reason, r.ByExit = true, complaint, true
	}
	return r
}

// missingScript knows what interpreters say of a file that is not there; some of
// them end with 2.
func missingScript(complaint string) bool {
	lower := strings.ToLower(complaint)
	return strings.Contains(lower, "no such file") || strings.Contains(lower, "can't open")
}

// outer is what stands around an answer: space, and the mark that some editors and
// shells write in front.
func outer(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

func bounded(s string) string {
	return bound(plain(s), ReplyLimit, "%d characters of the hook left out")
}

func exitWords(exitCode int, complaint string) string {
	if exitCode == 0 || complaint == "" {
		return ""
	}
	return fmt.Sprintf(" (exit code %d: %s)", exitCode, oneLine(complaint, ""))
}

// oneLine is the first line that says something, for a sentence.
func oneLine(s, otherwise string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			const most = 300
			if runes := []rune(line); len(runes) > most {
				line = string(runes[:most]) + "…"
			}
			return line
		}
	}
	return otherwise
}
