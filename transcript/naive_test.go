package transcript

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file and naive_rules_test.go are the reading of DESIGN section 3 in the
// plainest form: every row is decoded into maps, every rule looks at all rows.
// It knows nothing of heads, needles, windows of lookups or lazy decoding, and
// is what the fast reader is compared with.

type naiveRow struct {
	m
	off, end int
	typ      string
	side     bool
}

type naiveTask struct {
	Task
	row     int
	handoff bool
	native  string // the output file that our own runtime's receipt names
	quoted  int    // row that closes it in mode any_text, or -1
	ends    []naiveEnd
}

type naiveEnd struct {
	row    int
	queued string
	Notice
	runID string
	text  bool // a notice, no recorded end
}

type naive struct {
	data  []byte
	opts  Options
	path  string
	start int
	rows  []naiveRow
	count int
	bad   int
	tasks []*naiveTask
}

// naiveRead is the model's [Read].
func naiveRead(data []byte, path string, opts Options) *Session {
	n := &naive{data: data, opts: opts.withDefaults(), path: path}
	n.split()
	s := &Session{Path: path, Size: int64(len(data)), WindowOffset: int64(n.start), Now: n.opts.Now, Blind: []string{}}
	latest := n.latest(s)
	s.SessionID = first(opts.SessionID, fileSession(path), latest)
	n.openTasks(latest)
	n.closeTasks()
	turnAt, humanAt := n.turnStart(&s.Turn)
	n.turnFacts(&s.Turn, turnAt)
	s.Debt = n.debts(humanAt)
	s.Tasks, s.Handoffs = n.result()
	s.Rows, s.BadLines = n.count, n.bad
	if n.start > 0 && !s.Turn.Complete {
		s.Blind = append(s.Blind, BlindWindowCut)
	}
	if n.count > 0 && !slices.ContainsFunc(n.rows, func(r naiveRow) bool {
		return slices.Contains([]string{"user", "assistant", "attachment", "queue-operation", "system"}, r.typ) ||
			strings.HasPrefix(r.typ, "api-request")
	}) {
		s.Blind = append(s.Blind, BlindUnknownShape)
	}
	return s
}

func first(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return ""
}

// split cuts the window into lines and decodes all of them.
func (n *naive) split() {
	n.start = max(0, len(n.data)-int(n.opts.Window))
	if n.start > 0 && n.data[n.start-1] != '\n' {
		i := bytes.IndexByte(n.data[n.start:], '\n')
		if i < 0 {
			n.start = len(n.data)
		} else {
			n.start += i + 1
		}
	}
	off := n.start
	for _, line := range bytes.Split(n.data[n.start:], []byte("\n")) {
		begin := off
		off += len(line) + 1
		body := bytes.Trim(line, "\x00 \t\r")
		for bytes.HasPrefix(body, []byte("\xef\xbb\xbf")) {
			body = bytes.Trim(body[3:], "\x00 \t\r")
		}
		if len(body) == 0 {
			if bytes.IndexByte(line, 0) >= 0 {
				n.bad++
			}
			continue
		}
		var v any
		if json.Unmarshal(body, &v) != nil {
			n.bad++
			continue
		}
		n.count++
		if o, ok := v.(m); ok {
			r := naiveRow{m: o, off: begin, end: begin + len(line)}
			r.typ, r.side = r.str("type"), r.m["isSidechain"] == true
			n.rows = append(n.rows, r)
		}
	}
}

func (r naiveRow) str(path ...string) string { s, _ := r.get(path...).(string); return s }

func (r naiveRow) get(path ...string) any {
	var v any = r.m
	for _, k := range path {
		o, _ := v.(m)
		v = o[k]
	}
	return v
}

func (r naiveRow) pos() Position {
	t, err := time.Parse(time.RFC3339Nano, r.str("timestamp"))
	if err != nil {
		t = time.Time{}
	}
	return Position{Offset: int64(r.off), UUID: r.str("uuid"), Time: t.UTC()}
}

func (r naiveRow) blocks(typ string) []m {
	var out []m
	list, _ := r.get("message", "content").([]any)
	for _, b := range list {
		if o, ok := b.(m); ok && o["type"] == typ {
			out = append(out, o)
		}
	}
	return out
}

func (r naiveRow) text() string {
	if s, ok := r.get("message").(string); ok {
		return s
	}
	if s, ok := r.get("message", "content").(string); ok {
		return s
	}
	var parts []string
	for _, b := range r.blocks("text") {
		s, _ := b["text"].(string)
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

func (r naiveRow) mainAssistant() bool { return r.typ == "assistant" && !r.side }

// latest finds what the newest conversation row of the main thread tells.
func (n *naive) latest(s *Session) string {
	for _, r := range slices.Backward(n.rows) {
		if !r.side && (r.typ == "user" || r.typ == "assistant") {
			s.Version, s.Entrypoint = r.str("version"), r.str("entrypoint")
			return r.str("sessionId")
		}
	}
	return ""
}

// strings lists every string value below v.
func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			out = append(out, stringsOf(x)...)
		}
		return out
	case m:
		var out []string
		for _, x := range v {
			out = append(out, stringsOf(x)...)
		}
		return out
	}
	return nil
}

var (
	reBlock  = regexp.MustCompile(`(?s)<task-notification(?:[ \t\r\n][^>]*)?>(.*?)(?:</task-notification>|\z)`)
	reOpen   = regexp.MustCompile(`^<task-notification(?:[ \t\r\n][^>]*)?>`)
	reTags   = regexp.MustCompile(`<task-notification|</task-notification>`)
	reFree   = regexp.MustCompile(`<summary>|<result>|<event>|<note>`)
	reExit   = regexp.MustCompile(`(?s).*exit code (-?\d+)`)
	reNative = regexp.MustCompile(`^Started (\S+) \(pid \d+\)\. Output: (\S+\.log)\n`)
	reOutput = regexp.MustCompile(`/tasks/([A-Za-z0-9_-]+)\.output$`)
)

func unescaped(s string) string {
	for from, to := range map[string]string{`\u003c`: "<", `\u003C`: "<", `\u003e`: ">", `\u003E`: ">"} {
		s = strings.ReplaceAll(s, from, to)
	}
	return s
}

// naiveQuotes is the any_text rule (D-42).
func naiveQuotes(s string, ids ...string) bool {
	for _, b := range reBlock.FindAllStringSubmatch(unescaped(s), -1) {
		for _, id := range ids {
			if id != "" && regexp.MustCompile(`(^|[^A-Za-z0-9_-])`+regexp.QuoteMeta(id)+`($|[^A-Za-z0-9_-])`).MatchString(b[1]) {
				return true
			}
		}
	}
	return false
}

// naiveNotices reads the envelopes that begin a text.
func naiveNotices(s string) []Notice {
	var out []Notice
	s = unescaped(s)
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		opening := reOpen.FindString(s)
		if opening == "" {
			return out
		}
		s = s[len(opening):]
		body, rest, depth := s, "", 1
		for _, tag := range reTags.FindAllStringIndex(s, -1) {
			if s[tag[0]+1] != '/' {
				depth++
			} else if depth--; depth == 0 {
				body, rest = s[:tag[0]], s[tag[1]:]
				break
			}
		}
		out = append(out, naiveNotice(body))
		s = rest
	}
}

func naiveNotice(body string) Notice {
	header := body
	if i := reFree.FindStringIndex(body); i != nil {
		header = body[:i[0]]
	}
	all := func(s, tag string) []string {
		var out []string
		for _, x := range regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(s, -1) {
			out = append(out, strings.TrimSpace(x[1]))
		}
		return out
	}
	one := func(s, tag string) string { return first(append(all(s, tag), "")[0]) }
	n := Notice{TaskIDs: all(header, "task-id"), ToolUseID: one(header, "tool-use-id"), Status: one(header, "status"),
		OutputFile: one(header, "output-file"), Summary: one(body, "summary")}
	if code := all(header, "exit-code"); len(code) > 0 {
		n.ExitCode = atoi(code[0])
	} else if x := reExit.FindStringSubmatch(n.Summary); x != nil {
		n.ExitCode = atoi(x[1])
	}
	return n
}
