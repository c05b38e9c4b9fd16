package hookio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// DefaultLimit is the payload size, in bytes, that [Read] takes when the caller
// names none. A tool call that writes a file carries the whole file.
const DefaultLimit int64 = 64 << 20

// Read takes stdin to its end. A limit of 0 or less means [DefaultLimit] bytes;
// more than the limit is [ErrTooLarge]. It waits as long as the writer does.
func Read(r io.Reader, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	// One byte more than allowed tells too large from exactly full.
	ask := limit
	if ask+1 > ask {
		ask++
	}
	data, err := io.ReadAll(io.LimitReader(r, ask))
	if err != nil {
		return nil, fmt.Errorf("stdin: read failed after %d bytes: %w", len(data), err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("stdin: %w: more than %d bytes", ErrTooLarge, limit)
	}
	return data, nil
}

// field is one top-level member of the payload.
type field struct {
	key   string
	value gjson.Result
}

// Decode reads one hook payload. host is [HostAuto] to recognise the host from
// the payload, or the host that the user named.
//
// Marks, NUL bytes and space around the payload are dropped, UTF-16 behind its
// mark is decoded, and bytes that are no UTF-8 become U+FFFD. What remains must be
// one JSON object by the letter: errors are [ErrEmpty] or a *[DecodeError]. Of a
// name that stands twice the last counts. Nesting deeper than 10,000 is an error.
func Decode(data []byte, host Host) (*Event, error) {
	c, fault := clean(data)
	if fault != nil {
		return nil, fault
	}
	text := c.text()
	if len(text) == 0 {
		return nil, ErrEmpty
	}
	if !json.Valid(text) {
		return nil, diagnose(&c)
	}
	if text[0] != '{' {
		return nil, c.fault(0, "a JSON value, but no object")
	}
	raw := bytes.Clone(text) // the caller may reuse data
	if !utf8.Valid(raw) {
		raw = bytes.ToValidUTF8(raw, []byte("\uFFFD"))
	}
	payload := gjson.Parse(string(raw))

	fields := make([]field, 0, 24)
	payload.ForEach(func(key, value gjson.Result) bool {
		fields = append(fields, field{key.Str, value})
		return true
	})
	if host == HostAuto {
		host = detect(fields)
	}
	ev := &Event{Host: host, Raw: raw}
	wire := codecFor(host)
	for _, f := range fields {
		ev.set(wire.field(f.key), f.key, f.value)
	}
	ev.HostEvent = string(ev.Name)
	wire.name(ev, fields)
	return ev, nil
}

// set fills the Event's field called name from the payload's member key.
func (e *Event) set(name, key string, v gjson.Result) {
	switch name {
	case "hook_event_name":
		e.Name = EventName(e.str(key, v))
	case "session_id":
		e.SessionID = e.str(key, v)
	case "transcript_path":
		e.TranscriptPath = e.str(key, v)
	case "cwd":
		e.CWD = e.str(key, v)
	case "prompt_id":
		e.PromptID = e.str(key, v)
	case "permission_mode":
		e.PermissionMode = e.str(key, v)
	case "agent_id":
		e.AgentID = e.str(key, v)
	case "agent_type":
		e.AgentType = e.str(key, v)
	case "agent_transcript_path":
		e.AgentTranscriptPath = e.str(key, v)
	case "tool_name":
		e.ToolName = e.str(key, v)
	case "tool_use_id":
		e.ToolUseID = e.str(key, v)
	case "prompt":
		e.Prompt = e.str(key, v)
	case "source":
		e.Source = e.str(key, v)
	case "error":
		e.Error = e.str(key, v)
	case "status":
		e.Status = e.str(key, v)
	case "loop_count":
		e.LoopCount = nil
		if v.Type == gjson.Number {
			n := int(v.Int())
			e.LoopCount = &n
		} else {
			e.odd(key, "a number", v)
		}
	case "timestamp":
		e.Timestamp = e.instant(key, v)
	case "stop_hook_active":
		e.StopHookActive = e.boolean(key, v)
	case "last_assistant_message":
		e.LastAssistantMessage = nil
		if v.Type == gjson.String {
			s := unquote(v)
			e.LastAssistantMessage = &s
		} else {
			e.odd(key, "a string", v)
		}
	case "tool_input":
		e.ToolInput = nil
		if v.Type != gjson.Null {
			e.ToolInput = json.RawMessage(v.Raw)
		}
	case "session_crons":
		e.SessionCrons = nil
		if v.IsArray() {
			e.SessionCrons = json.RawMessage(v.Raw)
		} else {
			e.odd(key, "a list", v)
		}
	case "background_tasks":
		e.tasks(key, v)
	}
}

func (e *Event) str(key string, v gjson.Result) string {
	if v.Type == gjson.String {
		return unquote(v)
	}
	e.odd(key, "a string", v)
	return ""
}

// instant reads an RFC 3339 time, or milliseconds since 1970.
func (e *Event) instant(key string, v gjson.Result) time.Time {
	if v.Type == gjson.Number {
		return time.UnixMilli(v.Int()).UTC()
	}
	if v.Type == gjson.String {
		if t, err := time.Parse(time.RFC3339Nano, v.Str); err == nil {
			return t.UTC()
		}
	}
	e.odd(key, "a time", v)
	return time.Time{}
}

func (e *Event) boolean(key string, v gjson.Result) *bool {
	if v.IsBool() {
		b := v.Bool()
		return &b
	}
	e.odd(key, "true or false", v)
	return nil
}

// odd notes a field of an unexpected type. null is the host's other way to leave
// a field out (Codex does so), so it is not odd.
func (e *Event) odd(key, want string, v gjson.Result) {
	if v.Type == gjson.Null {
		return
	}
	got := "a number"
	switch {
	case v.Type == gjson.String:
		got = "a string"
	case v.IsBool():
		got = "a boolean"
	case v.IsArray():
		got = "a list"
	case v.IsObject():
		got = "an object"
	}
	e.note(key + ": want " + want + ", got " + got)
}

// unquote is the string's value. A host cuts long texts by UTF-16 units, which can
// leave half of a surrogate pair as an escape; gjson then swallows the escape
// behind it, encoding/json does not.
func unquote(v gjson.Result) string {
	if strings.Contains(v.Raw, `\ud`) || strings.Contains(v.Raw, `\uD`) {
		var s string
		if json.Unmarshal([]byte(v.Raw), &s) == nil {
			return s
		}
	}
	return v.Str
}

// note adds to Odd, up to a number that a person would still read: a list of a
// million broken entries must not become a million sentences.
func (e *Event) note(sentence string) {
	const most = 32
	if len(e.Odd) < most {
		e.Odd = append(e.Odd, sentence)
	}
}
