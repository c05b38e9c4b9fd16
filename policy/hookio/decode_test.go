package hookio_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/policy/hookio"
)

// Every recorded payload decodes, to exactly the event of its golden file, and
// is recognised as its folder's host.
func TestDecode_Golden(t *testing.T) {
	names := map[string]bool{}
	for name, data := range payloads(t) {
		names[name] = true
		t.Run(name, func(t *testing.T) {
			ev, err := hookio.Decode(data, hookio.HostAuto)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Dir(name); string(ev.Host) != want {
				t.Errorf("host = %q, want %q: the payload's folder", ev.Host, want)
			}
			if !json.Valid(ev.Raw) {
				t.Error("Raw is no JSON")
			}
			ev.Raw = nil // the payload file itself
			got, err := json.MarshalIndent(ev, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "decode/"+name, append(got, '\n'))
		})
	}
	claimed(t, "decode", names)
}

const plain = `{"hook_event_name":"Stop","session_id":"s1"}`

func TestDecode_Wrapping(t *testing.T) {
	crlf := strings.ReplaceAll(plain, ",", ",\r\n")
	tests := []struct {
		name, reason string
		data         []byte
	}{
		{"plain", "the ordinary case", []byte(plain)},
		{"one mark", "Windows hosts write one", []byte("\ufeff" + plain)},
		{"two marks", "a host's and a wrapper's", []byte("\ufeff\ufeff" + plain)},
		{"marks between space", "PowerShell pipes put a line end between them", []byte("\ufeff\r\n\ufeff " + plain)},
		{"CRLF", "CR is space between tokens", []byte(crlf + "\r\n")},
		{"NUL padding", "a torn pipe buffer pads with NUL on both ends", []byte("\x00\x00" + plain + "\n\x00\x00\x00")},
		{"UTF-16 LE", "Windows PowerShell 5 redirects write it", utf16le(plain)},
		{"UTF-16 BE", "the other order", utf16be(plain)},
		{"UTF-16 two marks", "a wrapper added a second", utf16le("\ufeff" + plain + "\r\n")},
		{"UTF-16 behind a UTF-8 mark", "a wrapper that believes in UTF-8", append([]byte("\ufeff"), utf16le(plain)...)},
		{"UTF-16 and one newline byte", "echo added it, and it is no half of a character", append(utf16le(plain), '\n')},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := hookio.Decode(tt.data, hookio.HostAuto)
			if err != nil {
				t.Fatalf("%v; want it decoded: %s", err, tt.reason)
			}
			if ev.Name != hookio.Stop || ev.SessionID != "s1" {
				t.Errorf("got event %q of session %q: %s", ev.Name, ev.SessionID, tt.reason)
			}
			if raw := strings.ReplaceAll(string(ev.Raw), "\r\n", ""); raw != plain {
				t.Errorf("Raw = %q, want the object alone: %s", ev.Raw, tt.reason)
			}
		})
	}
}

func TestDecode_Text(t *testing.T) {
	tests := []struct{ name, reason, message, want string }{
		{"escapes", "JSON strings are decoded before anybody looks", `"a\n\u00e9 \"x\" \ud83d\ude80"`, "a\né \"x\" 🚀"},
		{"half a pair", "hosts cut by UTF-16 units; the text behind the cut must survive", `"cut \ud83d\u2026 [+9 chars]"`, "cut \uFFFD… [+9 chars]"},
		{"half a pair, upper case", "both spellings of the escape", `"cut \uD83D\u2026"`, "cut \uFFFD…"},
		{"no UTF-8", "a value must be usable in JSON that we write", "\"caf\xe9 ok\"", "caf\uFFFD ok"},
		{"empty", "empty is not absent", `""`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := hookio.Decode([]byte(`{"last_assistant_message":`+tt.message+`}`), hookio.HostAuto)
			if err != nil {
				t.Fatal(err)
			}
			if ev.LastAssistantMessage == nil {
				t.Fatalf("absent, want %q: %s", tt.want, tt.reason)
			}
			if diff := cmp.Diff(tt.want, *ev.LastAssistantMessage); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestDecode_LastOfTwoNamesCounts(t *testing.T) {
	in := `{"session_id":"a","stop_hook_active":true,"session_id":"b","stop_hook_active":7,"sess\u0069on_id":"c"}`
	ev, err := hookio.Decode([]byte(in), hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	var loose map[string]any
	if err := json.Unmarshal(ev.Raw, &loose); err != nil {
		t.Fatal(err)
	}
	if ev.SessionID != "c" || loose["session_id"] != "c" {
		t.Errorf("session %q, encoding/json says %v: the policy reads Raw, so both must agree", ev.SessionID, loose["session_id"])
	}
	if ev.StopHookActive != nil {
		t.Error("stop_hook_active survived from the first of two, want the last (unreadable) to count")
	}
}

func TestDecode_OddIsBounded(t *testing.T) {
	in := `{"background_tasks":[` + strings.Repeat(`{"id":"b","status":1},`, 500) + `null],"error":[]}`
	ev, err := hookio.Decode([]byte(in), hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	if len(*ev.BackgroundTasks) != 500 || ev.TasksSkipped != 1 {
		t.Errorf("%d tasks, %d skipped; want 500 and 1", len(*ev.BackgroundTasks), ev.TasksSkipped)
	}
	if len(ev.Odd) > 32 {
		t.Errorf("%d sentences in Odd; a log line should stay readable", len(ev.Odd))
	}
}

func TestDecode_HostGiven(t *testing.T) {
	in := []byte(`{"sessionId":"x","turn_id":"t","hook_event_name":"Stop","conversation_id":"c"}`)
	tests := []struct {
		host    hookio.Host
		session string
		reason  string
	}{
		{hookio.HostClaudeCode, "", "the user's word beats the payload, and Claude Code has no sessionId"},
		{hookio.HostCopilot, "x", "Copilot's name for it"},
		{hookio.HostCursor, "c", "the last of Cursor's names"},
		{"something-new", "x", "a host we do not know keeps its name and decodes leniently"},
	}
	for _, tt := range tests {
		ev, err := hookio.Decode(in, tt.host)
		if err != nil {
			t.Fatal(err)
		}
		if ev.Host != tt.host || ev.SessionID != tt.session {
			t.Errorf("%s: got host %q session %q, want session %q: %s", tt.host, ev.Host, ev.SessionID, tt.session, tt.reason)
		}
	}
}

func TestDecode_ClaudeKeysBeatForeignOnes(t *testing.T) {
	for _, own := range []string{`"prompt_id":"p"`, `"background_tasks":[]`, `"session_crons":[]`} {
		for _, foreign := range []string{`"turn_id":"t"`, `"loop_count":1`, `"sessionId":"s"`, `"stop_reason":"x"`, `"timestamp":1`, `"agent_action_name":"a"`} {
			ev, err := hookio.Decode([]byte(`{`+foreign+`,`+own+`}`), hookio.HostAuto)
			if err != nil {
				t.Fatal(err)
			}
			if ev.Host != hookio.HostClaudeCode {
				t.Errorf("%s beside %s: host %q; an upgrade of Claude Code would lose the gate", own, foreign, ev.Host)
			}
		}
	}
}

func TestDecode_KeepsNoReference(t *testing.T) {
	data := []byte(`{"session_id":"s1","tool_input":{"a":1},"session_crons":[1]}`)
	ev, err := hookio.Decode(data, hookio.HostAuto)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = 'x'
	}
	if ev.SessionID != "s1" || string(ev.ToolInput) != `{"a":1}` || string(ev.SessionCrons) != `[1]` || !json.Valid(ev.Raw) {
		t.Errorf("the event changed with its input: %+v", ev)
	}
}

func TestDecode_Empty(t *testing.T) {
	for _, in := range []string{"", "\n", "\ufeff", "\ufeff\ufeff\r\n", "\x00\x00", "\xff\xfe", "\xfe\xff\x00\x00"} {
		if ev, err := hookio.Decode([]byte(in), hookio.HostAuto); !errors.Is(err, hookio.ErrEmpty) || ev != nil {
			t.Errorf("Decode(%q) = %v, %v; want ErrEmpty: nobody wrote anything", in, ev, err)
		}
	}
}

func TestDecode_Broken(t *testing.T) {
	file := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join("testdata", "broken", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	deep := strings.Repeat("[", 20000)
	tests := []struct {
		name, reason string
		data         []byte
		offset       int64
		line         int
		says         string
	}{
		{"control characters", "strict JSON: a raw line end in a string", file("control-characters.json"), 303, 1, `0x0a stands unescaped`},
		{"backslashes", "a Windows path pasted into JSON", file("unescaped-backslashes.json"), 74, 1, `write a backslash as two`},
		{"raw CR in a string", "only CR between tokens is space", []byte("{\"a\":\"x\ry\"}"), 7, 1, `0x0d`},
		{"cut short", "a pipe closed early; the place is the end", []byte("{\"a\":\n[1,"), 9, 2, "cut short"},
		{"trailing garbage", "text behind the object", []byte(plain + "\n\nok"), int64(len(plain)) + 2, 3, "follows the payload's end"},
		{"two objects", "two payloads in one pipe", []byte(plain + plain), int64(len(plain)), 1, "follows"},
		{"text in front", "a wrapper that greets", []byte("hello " + plain), 0, 1, "invalid character 'h'"},
		{"list", "JSON, but no object", []byte(" [1]"), 1, 1, "no object"},
		{"string", "JSON, but no object", []byte(`"Stop"`), 0, 1, "no object"},
		{"null", "JSON, but no object", []byte("null"), 0, 1, "no object"},
		{"mark counts", "offsets are those of stdin, marks included", []byte("\ufeff\n{x}"), 5, 2, "invalid character 'x'"},
		{"UTF-16", "two bytes a unit, mark included", utf16le("{\"é\":\nx}"), 14, 2, "invalid character 'x'"},
		{"UTF-16 torn", "half a character at the end", append(utf16le(plain), 'x'), int64(2 + 2*len(plain)), 1, "middle of a character"},
		{"UTF-16 without a mark", "the hint that saves an hour", utf16le(plain)[2:], 1, 1, "byte order mark is missing"},
		{"too deep", "an error, not a dead process", []byte(`{"a":` + deep), 10004, 1, "depth"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ev, err := hookio.Decode(tt.data, hookio.HostAuto)
			var de *hookio.DecodeError
			if !errors.As(err, &de) || ev != nil {
				t.Fatalf("got %v, %v; want a DecodeError: %s", ev, err, tt.reason)
			}
			if de.Offset != tt.offset || de.Line != tt.line {
				t.Errorf("at byte %d, line %d; want byte %d, line %d: %s", de.Offset, de.Line, tt.offset, tt.line, tt.reason)
			}
			if !strings.Contains(de.Reason, tt.says) {
				t.Errorf("reason %q does not say %q: %s", de.Reason, tt.says, tt.reason)
			}
			if msg := err.Error(); !strings.HasPrefix(msg, "stdin: line ") || !strings.Contains(msg, "check what stands between") {
				t.Errorf("message %q lacks the place or the next step", msg)
			}
		})
	}
}
