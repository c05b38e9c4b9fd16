package hookio_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/hookio"
)

// What the real client was seen to make of an answer (claude-code section 4), and
// what was read of it (hosts section 1.2).
func TestDecodeAnswer_table(t *testing.T) {
	const (
		stop   = hookio.Stop
		before = hookio.PreToolUse
	)
	block := hookio.Reply{Block: true, Reason: "Run x."}
	tests := []struct {
		name           string
		event          hookio.EventName
		stdout, stderr string
		exit           int
		want           hookio.Reply
	}{
		{"silence", stop, "", "", 0, hookio.Reply{}},
		{"silence with noise on stderr", stop, "", "warning", 0, hookio.Reply{}},
		{"a block", stop, `{"decision":"block","reason":"Run x."}`, "", 0, block},
		{"a block with exit 1", stop, `{"decision":"block","reason":"Run x."}`, "boom", 1, block},
		{"a block with exit 2: the JSON wins over stderr", stop, `{"decision":"block","reason":"Run x."}`, "boom", 2, block},
		{"a block between marks and space", stop, "\ufeff\n {\"decision\":\"block\",\"reason\":\"Run x.\"} \r\n", "", 0, block},
		{"a block without a reason", stop, `{"decision":"block"}`, "", 0, hookio.Reply{Block: true, Reason: "Blocked by hook"}},
		{"a block with a message", stop, `{"decision":"block","reason":"Run x.","systemMessage":"held"}`, "", 0,
			hookio.Reply{Block: true, Reason: "Run x.", SystemMessage: "held"}},
		{"a block with an unknown key", stop, `{"decision":"block","reason":"Run x.","mood":1,"hookSpecificOutput":{"hookEventName":"Stop","x":0}}`, "", 0,
			hookio.Reply{Block: true, Reason: "Run x.", Ignored: []string{"hookSpecificOutput.x", "mood"}}},
		{"exit 2", stop, "", "Run x.\n", 2, hookio.Reply{Block: true, Reason: "Run x.", ByExit: true}},
		{"exit 2 without a word", stop, "", " \n", 2, hookio.Reply{Block: true, Reason: "No stderr output", ByExit: true}},
		{"exit 2 with text", stop, "I say no", "Run x.", 2, hookio.Reply{Block: true, Reason: "Run x.", ByExit: true}},
		{"exit 2 with an allow", stop, `{"systemMessage":"m"}`, "Run x.", 2, hookio.Reply{Block: true, Reason: "Run x.", ByExit: true, SystemMessage: "m"}},
		{"exit 2 with broken JSON", stop, `{"decision":block}`, "Run x.", 2, hookio.Reply{Block: true, Reason: "Run x.", ByExit: true,
			Ignored: []string{"its output looks like a JSON object and is none (invalid character 'b' looking for beginning of value at byte 13): print it with a JSON encoder, and nothing else"}}},
		{"a script that is not there", stop, "", "python3: can't open file '/x.py': [Errno 2] No such file or directory", 2,
			hookio.Reply{Fault: "its script seems to be missing, which is no block: python3: can't open file '/x.py': [Errno 2] No such file or directory"}},
		{"exit 1", stop, "", "boom\nat line 3", 1, hookio.Reply{Fault: "it ended with exit code 1: boom"}},
		{"exit 127", stop, "", "sh: stophok: not found", 127, hookio.Reply{Fault: "it ended with exit code 127: sh: stophok: not found"}},
		{"broken JSON", stop, `{"decision":"block",}`, "", 0,
			hookio.Reply{Fault: "its output looks like a JSON object and is none (invalid character '}' looking for beginning of object key string at byte 21): print it with a JSON encoder, and nothing else"}},
		{"words before the JSON", stop, `hello {"decision":"block"}`, "", 0, hookio.Reply{}},
		{"a brace that nothing closes", stop, `{ said the hook`, "", 0, hookio.Reply{}},
		{"a log in JSON", stop, "{\"level\":\"info\"}\n{\"level\":\"warn\"}", "", 0, hookio.Reply{}},
		{"a wrong decision", stop, `{"decision":"deny","reason":"x"}`, "", 0,
			hookio.Reply{Fault: `its output has a wrong decision: want one of approve, block, got "deny"`}},
		{"a wrong type", stop, `{"decision":"block","reason":5}`, "", 0, hookio.Reply{Fault: "its output has a wrong reason: want a string, got 5"}},
		{"null is no string", stop, `{"decision":"block","reason":null}`, "", 0, hookio.Reply{Fault: "its output has a wrong reason: want a string, got null"}},
		{"of another event", stop, `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`, "", 0,
			hookio.Reply{Fault: `its hookSpecificOutput is of "PreToolUse", and the event is Stop`}},
		{"of another event, but a block", stop, `{"decision":"block","reason":"Run x.","hookSpecificOutput":{"hookEventName":"PreToolUse"}}`, "", 0,
			hookio.Reply{Block: true, Reason: "Run x.", Ignored: []string{"hookSpecificOutput, which is of PreToolUse"}}},
		{"of no event", stop, `{"hookSpecificOutput":{"additionalContext":"x"}}`, "", 0, hookio.Reply{Fault: "its hookSpecificOutput has no hookEventName"}},
		{"feedback", stop, `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"Run x."}}`, "", 0,
			hookio.Reply{Block: true, Feedback: true, Reason: "Run x."}},
		{"the end", stop, `{"continue":false,"stopReason":"enough"}`, "", 0, hookio.Reply{End: true, StopReason: "enough"}},
		{"the end, beside a block", stop, `{"continue":false,"decision":"block","reason":"Run x."}`, "", 0, hookio.Reply{End: true, Block: true, Reason: "Run x."}},
		{"going on", stop, `{"continue":true,"stopReason":"unused","suppressOutput":true}`, "", 0, hookio.Reply{SuppressOutput: true}},
		{"in the background", stop, `{"async":true}`, "", 0,
			hookio.Reply{Fault: "it wants to go on in the background, which this host does not do: what it said was not heard"}},

		{"deny", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "", 0,
			hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: "no"}},
		{"deny of before", before, `{"decision":"block","reason":"no"}`, "", 0, hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: "no"}},
		{"deny by exit 2", before, "", "no", 2, hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: "no", ByExit: true}},
		{"an allow with exit 2 is none", before, `{"decision":"approve","reason":"fine"}`, "no", 2,
			hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: "no", ByExit: true}},
		{"allow of before", before, `{"decision":"approve","reason":"fine"}`, "", 0, hookio.Reply{Permission: hookio.PermitAllow, PermissionReason: "fine"}},
		{"ask", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`, "", 0, hookio.Reply{Permission: hookio.PermitAsk}},
		{"defer asks", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}`, "", 0, hookio.Reply{Permission: hookio.PermitAsk}},
		{"maybe", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"maybe"}}`, "", 0,
			hookio.Reply{Fault: `its output has a wrong hookSpecificOutput.permissionDecision: want one of allow, deny, ask, defer, got "maybe"`}},
		{"another input", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"},"additionalContext":"c"}}`, "", 0,
			hookio.Reply{Permission: hookio.PermitAllow, UpdatedInput: json.RawMessage(`{"command":"ls"}`), Context: "c"}},
		{"no input beside a deny", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":{"command":"ls"}}}`, "", 0,
			hookio.Reply{Permission: hookio.PermitDeny, PermissionReason: "Blocked by hook"}},
		{"an input that is none", before, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"ls"}}`, "", 0,
			hookio.Reply{Fault: `its output has a wrong hookSpecificOutput.updatedInput: want an object, got "ls"`}},

		{"after a tool", hookio.PostToolUse, `{"decision":"block","reason":"lint"}`, "", 0, hookio.Reply{Block: true, Reason: "lint"}},
		{"a subagent", hookio.SubagentStop, "", "go on", 2, hookio.Reply{Block: true, Reason: "go on", ByExit: true}},
		{"context of a prompt", hookio.UserPromptSubmit, "Today is Tuesday.\n", "", 0, hookio.Reply{Context: "Today is Tuesday."}},
		{"context of a start", hookio.SessionStart, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"hi"}}`, "", 0, hookio.Reply{Context: "hi"}},
		{"a prompt held", hookio.UserPromptSubmit, `{"decision":"block","reason":"no secrets"}`, "", 0, hookio.Reply{Block: true, Reason: "no secrets"}},
		{"a start cannot be held", hookio.SessionStart, "", "no", 2,
			hookio.Reply{Fault: "it ended with exit code 2, and nothing can be blocked here: no"}},
		{"nor by words", hookio.SessionEnd, `{"decision":"block"}`, "", 0, hookio.Reply{Ignored: []string{"decision"}}},
		{"text nobody hears", hookio.PreToolUse, "all well", "", 0, hookio.Reply{}},
		{"a terminal", stop, "", "\x1b[31mno\x1b[0m\x07", 2, hookio.Reply{Block: true, Reason: "[31mno[0m", ByExit: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := hookio.DecodeAnswer(tt.event, []byte(tt.stdout), []byte(tt.stderr), tt.exit)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Both ends of the contract: what this project's hook writes for a decision is that
// decision to a host, at whatever event and in either style.
func TestDecodeAnswer_propertyReadsWhatEncodeWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		ev := &hookio.Event{Host: hookio.HostClaudeCode, Name: rapid.SampledFrom(events).Draw(t, "event")}
		a := rapid.SampledFrom([]hookio.Answer{hookio.Allow(), hookio.Block(text), hookio.Deny(text), hookio.Context(text)}).Draw(t, "answer")
		if rapid.Bool().Draw(t, "with a message") {
			a = a.WithMessage(anyText().Draw(t, "message"))
		}
		style := rapid.SampledFrom([]hookio.BlockStyle{hookio.StyleDecision, hookio.StyleFeedback}).Draw(t, "style")
		out, err := hookio.Encode(ev, a, style)
		if err != nil {
			return // the event cannot carry it, and nothing is written
		}
		want := hookio.Reply{SystemMessage: a.Message()}
		switch a.Kind() {
		case hookio.KindBlock:
			want.Block, want.Reason, want.Feedback = true, a.Text(), style == hookio.StyleFeedback
		case hookio.KindDeny:
			want.Permission, want.PermissionReason = hookio.PermitDeny, a.Text()
		case hookio.KindContext:
			want.Context = a.Text()
		}
		if diff := cmp.Diff(want, hookio.DecodeAnswer(ev.Name, out, nil, hookio.ExitCode)); diff != "" {
			t.Fatalf("%s at %s, as %q (-meant +read):\n%s", a.Kind(), ev.Name, out, diff)
		}
	})
}

// A broken answer never allows in a policy's name, and no text is too long or drives
// a terminal.
func checkReply(t *testing.T, event hookio.EventName, exit int, r hookio.Reply) {
	t.Helper()
	if r.Fault != "" {
		if diff := cmp.Diff(hookio.Reply{Fault: r.Fault}, r); diff != "" {
			t.Fatalf("a fault beside an answer:\n%s", diff)
		}
	}
	guards := event != hookio.SessionStart && event != hookio.SessionEnd && event != hookio.Notification
	if exit == 2 && guards && !r.Block && r.Permission != hookio.PermitDeny && r.Fault == "" {
		t.Fatalf("exit 2 did not block: %+v", r)
	}
	if r.Block && r.Reason == "" || r.Permission == hookio.PermitDeny && (r.PermissionReason == "" || r.UpdatedInput != nil) {
		t.Fatalf("a block without a reason, or with an input: %+v", r)
	}
	for _, s := range []string{r.Reason, r.Context, r.SystemMessage, r.StopReason, r.PermissionReason} {
		if n := len(utf16.Encode([]rune(s))); n > hookio.ReplyLimit {
			t.Fatalf("%d units", n)
		}
		if strings.ContainsFunc(s, func(c rune) bool { return c != '\n' && c != '\t' && (c < ' ' || c >= 0x7f && c < 0xa0) }) {
			t.Fatalf("control character in %q", s)
		}
	}
	if r.UpdatedInput != nil && !json.Valid(r.UpdatedInput) {
		t.Fatalf("input %q", r.UpdatedInput)
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	for _, out := range []string{"", `{}`, `{"decision":"block","reason":"x"}`, `{"continue":false}`, "{\n", "{}\n{}", "\ufeff{\"async\":true}",
		`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":{}}}`, `{"decision":"block","decision":1}`} {
		f.Add(byte(0), []byte(out), []byte("err"), byte(0))
		f.Add(byte(4), []byte(out), []byte{}, byte(2))
	}
	f.Fuzz(func(t *testing.T, which byte, stdout, stderr []byte, exit byte) {
		event := events[int(which)%len(events)]
		checkReply(t, event, int(exit), hookio.DecodeAnswer(event, stdout, stderr, int(exit)))
	})
}

func TestDecodeAnswer_longTexts(t *testing.T) {
	long := strings.Repeat("🚀x", 8000)
	r := hookio.DecodeAnswer(hookio.Stop, nil, []byte(long), 2)
	checkReply(t, hookio.Stop, 2, r)
	if !strings.HasPrefix(r.Reason, "🚀x") || !strings.HasSuffix(r.Reason, "🚀x") || !strings.Contains(r.Reason, "characters of the hook left out ...]") {
		t.Errorf("head, tail or mark is missing: %.30q", r.Reason)
	}
	exact := strings.Repeat("x", hookio.ReplyLimit)
	if r := hookio.DecodeAnswer(hookio.SessionStart, []byte(exact), nil, 0); r.Context != exact {
		t.Error("a text of exactly the limit was cut")
	}
	r = hookio.DecodeAnswer(hookio.Stop, nil, []byte(strings.Repeat("y", 5000)), 1)
	if len(r.Fault) > 400 {
		t.Errorf("a fault is one sentence, not %d bytes", len(r.Fault))
	}
}

func ExampleDecodeAnswer() {
	event := &hookio.Event{Host: hookio.HostClaudeCode, Name: hookio.Stop}
	stdout, _ := hookio.Encode(event, hookio.Block("Run the tests."), hookio.StyleDecision)

	reply := hookio.DecodeAnswer(hookio.Stop, stdout, nil, hookio.ExitCode)
	fmt.Println(reply.Block, reply.Reason)
	// Output: true Run the tests.
}
