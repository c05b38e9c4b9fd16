package transcript

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRead_TR15_deepNesting: rows nested as deep as a window is large neither
// overflow the stack nor take a time that grows with the square of the depth.
func TestRead_TR15_deepNesting(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		row    func(depth int) string
	}{
		{"closed arrays around a notice", func(n int) string {
			return `{"type":"x","a":` + strings.Repeat("[", n/2) + `"<task-notification>b9</task-notification>"` + strings.Repeat("]", n/2) + `}`
		}},
		{"open arrays", func(n int) string { return `{"type":"x","t":"<task-notification>","a":` + strings.Repeat("[", n) + `}` }},
		{"closed objects", func(n int) string {
			return `{"type":"x","t":"<task-notification>","a":` + strings.Repeat(`{"k":`, n/6) + "1" + strings.Repeat("}", n/6) + `}`
		}},
		{"a receipt with a deep result", func(n int) string {
			return `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t9","type":"tool_result","content":` +
				strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + `}]},"toolUseResult":{"backgroundTaskId":"b7"},"uuid":"x"}`
		}},
		{"a line of brackets", func(n int) string { return strings.Repeat("[", n) }},
	}
	for _, tt := range tests {
		for _, depth := range []int{1 << 10, 200 << 10, 7 << 20} {
			data := lines(human("u1", "", "go"), handoffRow("r1", "u1", "t1", "b1"), tt.row(depth), assistantRow("a1", "r1", []any{text("x")}))
			began := time.Now()
			s := read(t, data, Options{})
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s, %d deep: took %v", tt.reason, depth, took)
			}
			if got := open(s, "any_text"); !slices.Equal(got, []string{"b1"}) {
				t.Errorf("%s, %d deep: open %v", tt.reason, depth, got)
			}
		}
	}
}

func TestRead_TR3_counts(t *testing.T) {
	t.Parallel()
	good := `{"type":"user","message":{"role":"user","content":"x"}}`
	tests := []struct {
		reason    string
		line      string
		rows, bad int
	}{
		{"a row", good, 1, 0},
		{"an object of no type", `{}`, 1, 0},
		{"an empty line is neither", "", 0, 0},
		{"nor are spaces", " \t\r", 0, 0},
		{"nor is a byte order mark", "\xef\xbb\xbf", 0, 0},
		{"a hole that the file system left", "\x00\x00", 0, 1},
		{"a torn row", good[:20], 0, 1},
		{"a row of NUL bytes and a row", "\x00\x00" + good, 1, 0},
		{"a row and NUL bytes", good + "\x00", 1, 0},
		{"NUL bytes in a row's middle", good[:20] + "\x00" + good[20:], 0, 1},
		{"two rows on one line", good + good, 0, 1},
		{"a byte order mark before a row", "\xef\xbb\xbf" + good, 1, 0},
		{"JSON that is no object", `["x"]`, 1, 0},
		{"words", "not JSON", 0, 1},
		{"a broken row that ends like one", `{"type":"user",}`, 0, 1},
		{"a broken copy of a request", `{"type":"api-request","x":}`, 0, 1},
		{"U+2028 ends no row", `{"type":"user","message":"a` + "\u2028" + `b"}`, 1, 0},
		{"a lone surrogate is a string", `{"type":"user","message":"\ud800"}`, 1, 0},
		{"bytes that are no UTF-8 are a string", "{\"type\":\"user\",\"message\":\"\xff\"}", 1, 0},
	}
	for _, tt := range tests {
		for _, end := range []string{"", "\n", "\r\n"} {
			for _, validate := range []bool{true, false} {
				s := read(t, []byte(good+"\n"+tt.line+end), Options{Validate: validate})
				if s.Rows != 1+tt.rows || s.BadLines != tt.bad {
					t.Errorf("%s, end %q, Validate %v: %d rows and %d bad lines, want %d and %d", tt.reason, end, validate, s.Rows-1, s.BadLines, tt.rows, tt.bad)
				}
			}
		}
		// In a large window without validation, no line is lost and none counts twice.
		big := lines(good, tt.line, `{"type":"api-request","x":"`+strings.Repeat("y", validateUpTo)+`"}`)
		for _, validate := range []bool{true, false} {
			s := read(t, big, Options{Validate: validate})
			if s.Rows+s.BadLines != 2+tt.rows+tt.bad || s.Rows < 0 || s.BadLines < 0 {
				t.Errorf("%s, large, Validate %v: %d rows and %d bad lines", tt.reason, validate, s.Rows, s.BadLines)
			}
			if validate && s.BadLines != tt.bad {
				t.Errorf("%s, large and validated: %d bad lines, want %d", tt.reason, s.BadLines, tt.bad)
			}
		}
	}
}

// A broken row that is decoded for several reasons counts once.
func TestRead_TR3_brokenRowCountsOnce(t *testing.T) {
	t.Parallel()
	broken := `{"parentUuid":null,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"x"}]},` +
		`"toolUseResult":{"backgroundTaskId":"b1","task_id":"b1"},"t":"<task-notification>",}`
	data := lines(human("u1", "", "go"), handoffRow("r1", "u1", "t1", "b1"), callRow("a1", "u1", "t1"), broken, callRow("a2", "u1", "t2"), broken,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t3"}]},}`,
		`{"type":"api-request","x":"`+strings.Repeat("y", validateUpTo)+`"}`)
	s := read(t, data, Options{})
	if s.Rows != 5 || s.BadLines != 3 {
		t.Errorf("got %d rows and %d bad lines, want 5 and 3", s.Rows, s.BadLines)
	}
}
