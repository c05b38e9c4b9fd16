package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at0 is the instant of the tests; rows are stamped relative to it.
var at0 = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

// kv and obj are a JSON object whose keys keep their order, because the reader
// looks at heads and must not depend on where a writer puts a key.
type (
	kv struct {
		key string
		val any
	}
	obj []kv
	m   = map[string]any
)

// with returns o with a key set in its place, or added at the end.
func (o obj) with(key string, val any) obj {
	out := slices.Clone(o)
	for i := range out {
		if out[i].key == key {
			out[i].val = val
			return out
		}
	}
	return append(out, kv{key, val})
}

// without returns o less some keys.
func (o obj) without(keys ...string) obj {
	return slices.DeleteFunc(slices.Clone(o), func(f kv) bool { return slices.Contains(keys, f.key) })
}

// style is how a writer spells the same row.
type style struct {
	spaced     bool // ": " and ", " between tokens
	escapeHTML bool // < as \u003c, what Go's encoder does by default
}

func (s style) line(v any) string {
	var b bytes.Buffer
	s.write(&b, v)
	return b.String()
}

func (s style) write(b *bytes.Buffer, v any) {
	colon, comma := ":", ","
	if s.spaced {
		colon, comma = ": ", ", "
	}
	switch v := v.(type) {
	case obj:
		b.WriteByte('{')
		for i, f := range v {
			if i > 0 {
				b.WriteString(comma)
			}
			s.write(b, f.key)
			b.WriteString(colon)
			s.write(b, f.val)
		}
		b.WriteByte('}')
	case m:
		o := make(obj, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			o = append(o, kv{k, v[k]})
		}
		s.write(b, o)
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteString(comma)
			}
			s.write(b, x)
		}
		b.WriteByte(']')
	default:
		e := json.NewEncoder(b)
		e.SetEscapeHTML(s.escapeHTML)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
	}
}

// lines joins rows, given as objects or as raw text, to a transcript.
func lines(rows ...any) []byte {
	var b bytes.Buffer
	for _, r := range rows {
		if raw, ok := r.(string); ok {
			b.WriteString(raw)
		} else {
			b.WriteString(style{}.line(r))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// sec is an instant as many seconds after at0, as the host writes it.
func sec(n int) string { return stamp(at0.Add(time.Duration(n) * time.Second)) }

// userRow, assistantRow and the rest build rows in the host's key order.
func userRow(uuid, parent string, content any, extra ...kv) obj {
	o := obj{{"parentUuid", orNull(parent)}, {"isSidechain", false}, {"sessionId", "s-1"}, {"version", "2.1.332"},
		{"type", "user"}}
	for _, f := range extra {
		if f.key != "toolUseResult" && f.key != "timestamp" {
			o = append(o, f)
		}
	}
	o = append(o, kv{"message", obj{{"role", "user"}, {"content", content}}}, kv{"uuid", uuid}, kv{"timestamp", sec(0)})
	for _, f := range extra {
		if f.key == "toolUseResult" || f.key == "timestamp" {
			o = o.with(f.key, f.val)
		}
	}
	return o
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// human is a prompt of a person.
func human(uuid, parent, text string, extra ...kv) obj {
	return userRow(uuid, parent, text, append([]kv{{"origin", obj{{"kind", "human"}}}}, extra...)...)
}

// assistantRow has its message before its type, as the host writes it.
func assistantRow(uuid, parent string, blocks []any, extra ...kv) obj {
	o := obj{{"parentUuid", orNull(parent)}, {"isSidechain", false}, {"sessionId", "s-1"}, {"version", "2.1.332"},
		{"message", obj{{"model", "m"}, {"id", "msg"}, {"type", "message"}, {"role", "assistant"}, {"content", blocks},
			{"stop_reason", nil}}},
		{"requestId", "req_1"}, {"type", "assistant"}, {"uuid", uuid}, {"timestamp", sec(0)}}
	for _, f := range extra {
		o = o.with(f.key, f.val)
	}
	return o
}

func text(s string) obj { return obj{{"type", "text"}, {"text", s}} }

func toolUse(id, name string, input any) obj {
	return obj{{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", input}}
}

func toolResult(id, content string, failed ...bool) obj {
	o := obj{{"tool_use_id", id}, {"type", "tool_result"}, {"content", content}}
	if len(failed) > 0 {
		o = append(o, kv{"is_error", failed[0]})
	}
	return o
}

// receipt is the result row of a shell that went into the background.
func receipt(uuid, parent, toolUseID, taskID string, extra ...kv) obj {
	res := obj{{"stdout", ""}, {"stderr", ""}, {"interrupted", false}, {"backgroundTaskId", taskID}}
	var row []kv
	for _, f := range extra {
		if f.key == "timestamp" || f.key == "forkedFrom" || f.key == "sessionId" || f.key == "isSidechain" {
			row = append(row, f)
		} else {
			res = res.with(f.key, f.val)
		}
	}
	o := userRow(uuid, parent, []any{toolResult(toolUseID, "Command running in background with ID: "+taskID)},
		kv{"toolUseResult", res})
	for _, f := range row {
		o = o.with(f.key, f.val)
	}
	return o
}

// handoffRow is a receipt whose entrance defers.
func handoffRow(uuid, parent, toolUseID, taskID string, extra ...kv) obj {
	return receipt(uuid, parent, toolUseID, taskID, append([]kv{{"backgroundedToDeliverMessage", true}}, extra...)...)
}

// notification is the host's envelope.
func notification(taskID, status string) string {
	s := "<task-notification>\n<task-id>" + taskID + "</task-id>\n"
	if status != "" {
		s += "<status>" + status + "</status>\n"
	}
	return s + "<summary>Background command \"x\" completed (exit code 0)</summary>\n</task-notification>"
}

// read reads bytes as a transcript, with the clock at at0 when none is set.
func read(t testing.TB, data []byte, o Options) *Session {
	t.Helper()
	if o.Now.IsZero() {
		o.Now = at0.Add(20 * time.Second)
	}
	s, err := ReadFrom(bytes.NewReader(data), int64(len(data)), "t.jsonl", o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// open lists the ids of the handoffs that are open in a mode.
func open(s *Session, mode string) []string {
	out := []string{}
	for _, h := range s.Handoffs {
		state := h.State.AnyText
		if mode == "ended" {
			state = h.State.Ended
		}
		if state == HandoffOpen {
			out = append(out, h.TaskID)
		}
	}
	slices.Sort(out)
	return out
}

// shortReader answers every read with at most what next allows, as a network
// file system may; io.ReaderAt demands an error then.
type shortReader struct {
	data []byte
	next func(want int) int
}

var errShort = errors.New("short read")

func (r shortReader) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(r.data)) {
		return 0, io.EOF
	}
	want := min(len(p), len(r.data)-int(off))
	n := copy(p[:min(want, max(1, r.next(want)))], r.data[off:])
	switch {
	case n == len(p):
		return n, nil
	case int(off)+n == len(r.data):
		return n, io.EOF
	}
	return n, errShort
}
