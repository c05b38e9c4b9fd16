package hookio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/policy/hookio"
	"pgregory.net/rapid"
)

var hosts = []hookio.Host{
	hookio.HostClaudeCode, hookio.HostCodex, hookio.HostCopilot, hookio.HostCursor,
	hookio.HostGemini, hookio.HostQwen, hookio.HostDroid, hookio.HostWindsurf,
}

var events = []hookio.EventName{
	hookio.Stop, hookio.SubagentStop, hookio.StopFailure, hookio.SessionStart, hookio.SessionEnd, hookio.PreToolUse,
	hookio.PostToolUse, hookio.UserPromptSubmit, "AfterAgent", "agentStop", "stop", "TeammateIdle", "",
}

// calls are the events of one host as the golden file shows them: each canonical
// name, and what the host's recorded payloads decode to.
func calls(t *testing.T, h hookio.Host) (list []call) {
	for _, name := range events {
		list = append(list, call{fmt.Sprintf("%q", name), &hookio.Event{Host: h, Name: name, HostEvent: string(name)}})
	}
	all := payloads(t)
	for _, file := range slices.Sorted(maps.Keys(all)) {
		if h == hookio.HostClaudeCode || !strings.HasPrefix(file, string(h)+"/") {
			continue
		}
		ev, err := hookio.Decode(all[file], h)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, call{fmt.Sprintf("%s: %q, on the host %q", file, ev.Name, ev.HostEvent), ev})
	}
	return list
}

type call struct {
	title string
	ev    *hookio.Event
}

// Every answer at every event of every host, byte for byte: the contract table
// of this package (claude-code section 4, hosts sections 0 and 8).
func TestEncode_CL1_Golden(t *testing.T) {
	answers := []struct {
		name  string
		a     hookio.Answer
		style hookio.BlockStyle
	}{
		{"allow", hookio.Allow(), ""},
		{"allow+message", hookio.Allow().WithMessage("cap reached"), ""},
		{"block", hookio.Block("Run `x` & <y>\nthen \"z\"."), hookio.StyleDecision},
		{"block feedback", hookio.Block("Run x."), hookio.StyleFeedback},
		{"block+message", hookio.Block("Run x.").WithMessage("blocked"), hookio.StyleDecision},
		{"block feedback+message", hookio.Block("Run x.").WithMessage("blocked"), hookio.StyleFeedback},
		{"deny", hookio.Deny("No sleep loops."), ""},
		{"deny+message", hookio.Deny("No sleep loops.").WithMessage("denied"), ""},
		{"context", hookio.Context("stophook watches."), ""},
		{"context+message", hookio.Context("stophook watches.").WithMessage("on"), ""},
	}
	names := map[string]bool{}
	for _, h := range hosts {
		var b strings.Builder
		for _, c := range calls(t, h) {
			fmt.Fprintf(&b, "## %s\n", c.title)
			for _, a := range answers {
				out, err := hookio.Encode(c.ev, a.a, a.style)
				switch {
				case err != nil:
					fmt.Fprintf(&b, "%-22s error: %v\n", a.name, err)
				case len(out) == 0:
					fmt.Fprintf(&b, "%-22s no bytes\n", a.name)
				default:
					fmt.Fprintf(&b, "%-22s %s", a.name, out)
				}
			}
		}
		names[string(h)+".txt"] = true
		golden(t, "encode/"+string(h)+".txt", []byte(b.String()))
	}
	claimed(t, "encode", names)
}

// The host drops, in silence, what these cases would print if they printed
// anything; an error and no byte is the only safe answer.
func TestEncode_Refused(t *testing.T) {
	tests := []struct {
		name   string
		ev     *hookio.Event
		a      hookio.Answer
		want   error
		reason string
	}{
		{"subagent", &hookio.Event{Name: hookio.SubagentStop}, hookio.Block("x"), hookio.ErrCannotBlock, "the host would, but a subagent's end is not ours to hold"},
		{"API failure", &hookio.Event{Name: hookio.StopFailure}, hookio.Block("x"), hookio.ErrCannotBlock, "the host reads no answer"},
		{"session end", &hookio.Event{Name: hookio.SessionEnd}, hookio.Block("x"), hookio.ErrCannotBlock, "nothing can be held"},
		{"unknown event", &hookio.Event{Name: "TeammateIdle"}, hookio.Block("x"), hookio.ErrCannotBlock, "no known shape"},
		{"no event name", &hookio.Event{}, hookio.Block("x"), hookio.ErrCannotBlock, "no known shape"},
		{"broken stdin", nil, hookio.Block("x"), hookio.ErrCannotBlock, "nobody knows what would be blocked"},
		{"block of a tool call", &hookio.Event{Name: hookio.PreToolUse}, hookio.Block("x"), hookio.ErrCannotBlock, "that is Deny's"},
		{"deny of a stop", &hookio.Event{Name: hookio.Stop}, hookio.Deny("x"), hookio.ErrCannotBlock, "that is Block's"},
		{"context at a stop", &hookio.Event{Name: hookio.Stop}, hookio.Context("x"), hookio.ErrNoContext, "it would continue the turn: a block in disguise"},
		{"cursor, broken off", &hookio.Event{Host: hookio.HostCursor, Name: hookio.Stop, Status: "aborted"}, hookio.Block("x"), hookio.ErrCannotBlock, "the person stopped it"},
		{"cursor, died", &hookio.Event{Host: hookio.HostCursor, Name: hookio.Stop, Status: "error"}, hookio.Block("x"), hookio.ErrCannotBlock, "the next prompt would die as well"},
		{"cursor, context at a prompt", &hookio.Event{Host: hookio.HostCursor, Name: hookio.UserPromptSubmit}, hookio.Context("x"), hookio.ErrNoContext, "it has no key for it"},
		{"windsurf", &hookio.Event{Host: hookio.HostWindsurf, Name: hookio.Stop}, hookio.Block("x"), hookio.ErrCannotBlock, "its hooks run after the fact"},
		{"copilot nameless", &hookio.Event{Host: hookio.HostCopilot}, hookio.Block("x"), hookio.ErrCannotBlock, "a payload without a name may be any event"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, style := range []hookio.BlockStyle{hookio.StyleDecision, hookio.StyleFeedback} {
				out, err := hookio.Encode(tt.ev, tt.a, style)
				if !errors.Is(err, tt.want) || out != nil {
					t.Errorf("%q, %v; want no byte and %v: %s", out, err, tt.want, tt.reason)
				}
			}
		})
	}
}

func TestEncode_CL2_UnreadablePayloadStillTellsThePerson(t *testing.T) {
	out, err := hookio.Encode(nil, hookio.Allow().WithMessage("stophook could not read stdin"), "")
	if err != nil || string(out) != "{\"systemMessage\":\"stophook could not read stdin\"}\n" {
		t.Errorf("%q, %v: a failure must not look like an allow by policy", out, err)
	}
}

func TestEncode_UnknownStyleStillBlocks(t *testing.T) {
	out, err := hookio.Encode(&hookio.Event{Name: hookio.Stop}, hookio.Block("x"), "fedback")
	if err != nil || string(out) != "{\"decision\":\"block\",\"reason\":\"x\"}\n" {
		t.Errorf("%q, %v: a typo in the config must not cost the gate", out, err)
	}
}

// strings of every sort of trouble: any bytes, controls, halves, length, blank.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringOf(rapid.SampledFrom([]rune(" \t\r\n\x00\u00a0\u200b\ufeff\u2028\x1b\x7f\u0085\uFFFD\"\\<>&"))),
		rapid.Custom(func(t *rapid.T) string {
			unit := rapid.SampledFrom([]string{"a", "é", "🚀", "\n", " ", "\xff", "\u2028"}).Draw(t, "unit")
			return strings.Repeat(unit, rapid.IntRange(9000, 30000).Draw(t, "n")) + rapid.String().Draw(t, "end")
		}),
	)
}

// one decodes exactly one JSON value and the newline behind it, without unknown
// keys.
func one(t *rapid.T, out []byte, into any) {
	if !utf8.Valid(out) || bytes.Count(out, []byte("\n")) != 1 || out[len(out)-1] != '\n' {
		t.Fatalf("not one line of UTF-8: %q", out)
	}
	d := json.NewDecoder(bytes.NewReader(out))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something follows the object: %q", out)
	}
}

func checkText(t *rapid.T, in, got string) {
	if strings.TrimSpace(got) == "" {
		t.Fatalf("blank text from %q", in)
	}
	if n := len(utf16.Encode([]rune(got))); n > hookio.MaxText {
		t.Fatalf("%d units, more than MaxText", n)
	}
	for _, r := range got {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			t.Fatalf("control character %U in %q", r, got)
		}
	}
}

// Any string at all as a reason: the block is one legal object with a reason that
// a person can see (claude-code section 4).
func TestEncode_PropertyAnyReasonBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reason, message := anyText().Draw(t, "reason"), anyText().Draw(t, "message")
		a := hookio.Block(reason).WithMessage(message)
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		ev := &hookio.Event{Host: host, Name: rapid.SampledFrom(events).Draw(t, "event")}

		out, err := hookio.Encode(ev, a, hookio.StyleDecision)
		if (err == nil) != ev.CanBlock() {
			t.Fatalf("error %v, CanBlock %v", err, ev.CanBlock())
		}
		if err != nil {
			if out != nil {
				t.Fatalf("bytes beside an error: %q", out)
			}
			return
		}
		keys := map[hookio.Host]string{hookio.HostCursor: "followup_message"}
		if keys[host] == "" {
			keys[host] = "reason"
		}
		var got map[string]any
		one(t, out, &got)
		text, _ := got[keys[host]].(string)
		if text != a.Text() || got["decision"] != "block" && host != hookio.HostCursor {
			t.Fatalf("got %v, want the answer's own text", got)
		}
		checkText(t, reason, text)
		want := a.Message()
		if host == hookio.HostCursor || host == hookio.HostCopilot {
			want = "" // nobody would see it
		}
		if shown, _ := got["systemMessage"].(string); shown != want {
			t.Fatalf("message %q of %q on %s", shown, a.Message(), host)
		}
	})
}

func TestEncode_PropertyOtherShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText().Draw(t, "text")
		var got struct {
			HookSpecificOutput struct {
				HookEventName, AdditionalContext, PermissionDecision, PermissionDecisionReason string
			}
		}
		h := &got.HookSpecificOutput
		encode := func(name hookio.EventName, a hookio.Answer) bool {
			out, err := hookio.Encode(&hookio.Event{Name: name}, a, hookio.StyleFeedback)
			if err != nil {
				t.Fatal(err)
			}
			*h = struct{ HookEventName, AdditionalContext, PermissionDecision, PermissionDecisionReason string }{}
			if len(out) > 0 {
				one(t, out, &got)
				if h.HookEventName != string(name) {
					t.Fatalf("event %q in the answer to %q", h.HookEventName, name)
				}
			}
			return len(out) > 0
		}
		encode(hookio.Stop, hookio.Block(text))
		checkText(t, text, h.AdditionalContext)
		encode(hookio.PreToolUse, hookio.Deny(text))
		checkText(t, text, h.PermissionDecisionReason)
		if h.PermissionDecision != "deny" {
			t.Fatalf("decision %q", h.PermissionDecision)
		}
		for _, name := range []hookio.EventName{hookio.SessionStart, hookio.UserPromptSubmit} {
			a := hookio.Context(text)
			if encode(name, a) != (a.Kind() == hookio.KindContext) {
				t.Fatalf("kind %v of context %q", a.Kind(), text)
			}
			if a.Kind() == hookio.KindContext {
				checkText(t, text, h.AdditionalContext)
			}
		}
	})
}

func TestAnswer_Text(t *testing.T) {
	tests := []struct{ name, in, want, reason string }{
		{"as it is", "Run `stophook status`.", "Run `stophook status`.", "the ordinary case"},
		{"markup", "<b> & 'c'", "<b> & 'c'", "the model reads it, no browser does"},
		{"space", " \n x \t\n", "x", "nothing around it"},
		{"line ends", "a\r\nb\rc", "a\nb\nc", "one sort of line end"},
		{"terminal", "a\x1b[31mb\x07\u009bc", "a[31mbc", "a policy's text must not drive a terminal"},
		{"no UTF-8", "a\xff\xfeb", "a\uFFFDb", "the host would refuse the output"},
		{"empty", "", hookio.BlankReason, "a blank block is repaired, not lost"},
		{"invisible", "\u200b \ufeff\x00\u00a0", hookio.BlankReason, "nobody would see it"},
		{"leftovers", "\xff\xff", hookio.BlankReason, "bytes that were no text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, hookio.Block(tt.in).Text()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
	if a := hookio.Context(" \u200b"); a != hookio.Allow() {
		t.Errorf("blank context = %v, want an allow: there is nothing to tell", a)
	}
	if a := hookio.Allow().WithMessage("x").WithMessage(" "); a != hookio.Allow() {
		t.Errorf("blank message = %+v, want none", a)
	}
}

func TestAnswer_LongTextKeepsHeadAndTail(t *testing.T) {
	for _, unit := range []string{"x", "é", "🚀"} {
		in := "HEAD " + strings.Repeat(unit, 20000) + " TAIL"
		got := hookio.Block(in).Text()
		if !strings.HasPrefix(got, "HEAD "+unit) || !strings.HasSuffix(got, unit+" TAIL") {
			t.Errorf("%s: head or tail is lost: %.20q ... %q", unit, got, got[len(got)-20:])
		}
		var left int
		mark := got[strings.Index(got, "[..."):]
		if _, err := fmt.Sscanf(mark, "[... stophook left out %d characters here ...]", &left); err != nil {
			t.Fatalf("no mark at the cut: %v", err)
		}
		total, kept := len(utf16.Encode([]rune(in))), len(utf16.Encode([]rune(got)))
		cut := fmt.Sprintf("\n[... stophook left out %d characters here ...]\n", left)
		if total-left != kept-len(cut) {
			t.Errorf("%s: the mark says %d, but %d of %d are gone", unit, left, total-(kept-len(cut)), total)
		}
		if kept < hookio.MaxText-100 {
			t.Errorf("%s: %d units kept, more would fit", unit, kept)
		}
	}
	if exact := strings.Repeat("x", hookio.MaxText); hookio.Block(exact).Text() != exact {
		t.Error("a text of exactly MaxText was cut")
	}
}
