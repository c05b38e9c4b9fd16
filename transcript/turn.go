package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/transcript/shell"
	"github.com/tidwall/gjson"
)

// maxRemediation is how many remediation prompts the walk to the turn's start
// passes over (D-52).
const maxRemediation = 16

// MaxTools bounds Turn.Tools; the latest calls are kept.
const MaxTools = 64

// start is what a user row begins.
type start uint8

const (
	startNone         start = iota // nothing: tool results, meta rows, echoes of local commands
	startHuman                     // a person's prompt
	startNotification              // a completion notice that began a turn
	startRemediation               // a Stop hook's own reason, handed to the model
	startOther                     // the host began a turn for another reason (origin.kind tells)
)

// startOf classifies a user row (DESIGN section 3, Turn). Rows without origin
// (older hosts, print mode) are told apart by their content.
func startOf(r row) start {
	if r.class != classUser || r.sidechain() || len(r.results()) > 0 || r.Get("toolUseResult").Exists() {
		return startNone
	}
	text := r.text()
	if isTrue(r.Get("isMeta")) {
		if strings.HasPrefix(text, "Stop hook feedback:") {
			return startRemediation
		}
		return startNone
	}
	if isTrue(r.Get("isCompactSummary")) || isTrue(r.Get("isVisibleInTranscriptOnly")) {
		return startNone
	}
	switch kind := r.str("origin.kind"); kind {
	case "human":
		return startHuman
	case "task-notification":
		return startNotification
	case "":
	default:
		return startOther
	}
	if _, ok := blockStart(strings.TrimLeft(text, " \t\r\n")); ok {
		return startNotification
	}
	for _, echo := range []string{"<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>",
		"<bash-input>", "[Request interrupted by user"} {
		if strings.HasPrefix(text, echo) {
			return startNone
		}
	}
	if len(r.blocks()) == 0 && text == "" {
		return startNone
	}
	return startHuman
}

// startOf is what a row begins, from the memo when windows share one.
func (w *window) startOf(r row) start {
	if w.memo != nil {
		return w.memo.startOf(r)
	}
	return startOf(r)
}

// walk goes back from the end to the turn's start, and on to the latest human
// prompt, and returns the indexes where they stand (-1 when not in the window).
func (f *fold) walk() (t Turn, turnAt, humanAt int) {
	turnAt, humanAt = -1, -1
	t.Origin, t.Tools, t.Boxes = "unknown", []ToolCall{}, []Box{}
	for i := len(f.entries) - 1; i >= 0; i-- {
		e := f.entries[i]
		if e.side || e.shape == shapeResult || (e.class != classUser && e.class != classUnknown) {
			continue
		}
		r, ok := f.decode(e)
		if !ok {
			continue
		}
		s := f.startOf(r)
		if s == startNone {
			continue
		}
		if s == startRemediation && (t.Remediation < maxRemediation || turnAt >= 0) {
			if turnAt < 0 {
				t.Remediation++
			}
			continue
		}
		if turnAt < 0 {
			turnAt, t.StartedAt, t.Complete, t.Origin = i, r.pos, true, originOf(r, s)
			if s == startNotification {
				t.Notified = noticeIDs(r.text())
			}
		}
		if s == startHuman {
			humanAt, t.PromptUUID, t.PromptAt = i, r.pos.UUID, r.pos.Time
			break
		}
	}
	if turnAt < 0 && f.start == 0 && !f.dropped {
		t.Complete = true // the whole file was seen
	}
	return t, turnAt, humanAt
}

// noticeIDs lists the tasks that the envelopes of a text name.
func noticeIDs(text string) (ids []string) {
	for _, n := range Notices(text) {
		for _, id := range n.TaskIDs {
			ids = append(ids, strings.Clone(id))
		}
	}
	return ids
}

func originOf(r row, s start) string {
	switch s {
	case startHuman:
		return "human"
	case startNotification:
		if sub := r.str("origin.subkind"); sub != "" {
			return strings.Clone(sub)
		}
		return "notification"
	case startRemediation:
		return "remediation"
	}
	return strings.Clone(r.str("origin.kind"))
}

// turn derives the turn's facts. The counts are of the whole turn; details are
// decoded for the latest MaxTools calls only.
func (f *fold) turn() (t Turn, humanAt int) {
	t, turnAt, humanAt := f.walk()
	earliest := len(f.entries) // of the rows with detailed calls
	room := textsLimit
	for i := len(f.entries) - 1; i > turnAt; i-- {
		e := f.entries[i]
		if !e.assistant() || e.tools == 0 {
			continue
		}
		if len(t.Tools) >= MaxTools && e.class == classAssistant {
			t.ToolCalls += int(e.tools)
			continue
		}
		if r, ok := f.decode(e); ok && r.assistant() {
			var calls []ToolCall
			eachCall(r, func(c ToolCall, in inputTexts) {
				room -= c.keepTexts(in, room)
				calls = append(calls, c)
			})
			t.ToolCalls += len(calls)
			slices.Reverse(calls)
			t.Tools = append(t.Tools, calls...)
			earliest = i
		}
	}
	t.IsToolTurn = t.ToolCalls > 0
	slices.Reverse(t.Tools)
	once := onlyOnce(t.Tools)
	t.ToolCalls -= len(t.Tools) - len(once)
	t.Tools = once[max(0, len(once)-MaxTools):]
	f.pair(t.Tools, earliest)
	for _, c := range t.Tools {
		at := c.At.Time
		if c.ResultTime.After(at) {
			at = c.ResultTime
		}
		if at.After(t.LastToolAt) {
			t.LastToolAt = at
		}
		if c.Evidence == "" && at.After(t.LastOtherToolAt) {
			t.LastOtherToolAt = at
		}
	}
	f.finalText(&t, turnAt)
	return t, humanAt
}

// onlyOnce drops the calls that a resumed host appended a second time.
func onlyOnce(calls []ToolCall) []ToolCall {
	seen := make(map[string]bool, len(calls))
	return slices.DeleteFunc(calls, func(c ToolCall) bool {
		again := c.ID != "" && seen[c.ID]
		seen[c.ID] = true
		return again
	})
}

// commandLimit bounds the command text kept of a call.
const commandLimit = 2000

// toolCalls reads the tool_use blocks of an assistant row.
func toolCalls(r row) (out []ToolCall) {
	eachCall(r, func(c ToolCall, _ inputTexts) { out = append(out, c) })
	return out
}

// eachCall visits the tool_use blocks of an assistant row. The texts are good as
// long as the row. Every block and every input is walked once: this is
// done for the latest calls of every turn.
func eachCall(r row, visit func(ToolCall, inputTexts)) {
	r.Get("message.content").ForEach(func(_, block gjson.Result) bool {
		var typ, input gjson.Result
		c := ToolCall{At: r.pos}
		block.ForEach(func(k, v gjson.Result) bool {
			switch k.Str {
			case "type":
				typ = v
			case "id":
				c.ID = strings.Clone(str(v))
			case "name":
				c.Name = strings.Clone(str(v))
			case "input":
				input = v
			}
			return true
		})
		if str(typ) == "tool_use" {
			in := c.readInput(input)
			visit(c, in)
		}
		return true
	})
}

// readInput takes what rules ask about out of a call's input, which may be an
// object or a JSON string that holds one.
func (c *ToolCall) readInput(input gjson.Result) (in inputTexts) {
	if input.Type == gjson.String && gjson.Valid(input.Str) {
		input = gjson.Parse(input.Str)
	}
	var command string
	var paths [3]string
	input.ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "command":
			command = str(v)
		case "file_path":
			paths[0] = str(v)
		case "notebook_path":
			paths[1] = str(v)
		case "path":
			paths[2] = str(v)
		case "run_in_background":
			c.Background = isTrue(v)
		default:
			in.read(k.Str, v)
		}
		return true
	})
	c.Command, c.Cut = strings.Clone(cut(command, commandLimit)), len(command) > commandLimit
	c.FilePath = strings.Clone(cmp.Or(paths[:]...))
	if command != "" && shellTool(c.Name) && shell.MayBeEvidence(command) {
		c.Evidence = shell.ParseLiteral(c.Name, command, shell.Options{}).EvidenceCall()
	}
	return in
}

// shellTool tells the tools whose command is shell text (PO-14 names them).
func shellTool(name string) bool {
	switch strings.TrimPrefix(name, "functions.") {
	case "Bash", "PowerShell", "Shell", "shell", "shell_command", "exec_command":
		return true
	}
	return false
}

// cut shortens s to at most n bytes at a rune boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// pair adds the results, which stand behind index from.
func (f *fold) pair(calls []ToolCall, from int) {
	byID := make(map[string]*ToolCall, len(calls))
	for i := range calls {
		byID[calls[i].ID] = &calls[i]
	}
	for i := from + 1; i < len(f.entries); i++ {
		e := f.entries[i]
		if e.side || (e.class != classUser && e.class != classUnknown) || e.shape == shapeText {
			continue
		}
		if id, at, ok := f.result(e); ok && e.tools <= 1 {
			c := byID[id]
			if c == nil {
				continue
			}
			if e.flags&flagError == 0 {
				c.ResultTime = at
				continue
			}
		}
		r, ok := f.decode(e)
		if !ok || r.class != classUser || r.sidechain() {
			continue
		}
		for _, b := range r.results() {
			if c := byID[str(b.Get("tool_use_id"))]; c != nil {
				c.ResultTime = r.pos.Time
				if isTrue(b.Get("is_error")) {
					c.Failed = true
					if shellTool(c.Name) {
						c.ExitCode = failedExit(b)
					}
				}
			}
		}
	}
}

// finalText takes the text that ends the turn: the payload's own word first,
// because in the TUI the row is often not written yet (claude-code section 5).
func (f *fold) finalText(t *Turn, turnAt int) {
	t.FinalTextSource = "none"
	for i := len(f.entries) - 1; i > turnAt; i-- {
		e := f.entries[i]
		if !e.assistant() {
			continue
		}
		r, ok := f.decode(e)
		if !ok || !r.assistant() {
			continue
		}
		t.APIError = isTrue(r.Get("isApiErrorMessage"))
		if text := r.text(); text != "" {
			t.FinalText, t.FinalTextSource = strings.Clone(text), "transcript"
		}
		break
	}
	if f.opts.LastAssistantMessage != nil {
		t.FinalText, t.FinalTextSource = *f.opts.LastAssistantMessage, "payload"
	}
}

// result is the head of a result row, from the memo when windows share one.
func (w *window) result(e entry) (id string, at time.Time, ok bool) {
	if w.memo != nil {
		return w.memo.resultOf(e)
	}
	return resultRow(w.row(e))
}

// resultRow reads the first tool_use_id and the timestamp of a result row without
// decoding it: the host writes the timestamp behind the content, which can be
// long, so the walk skips it. ok is false when the row must be decoded to know.
func resultRow(b []byte) (id string, at time.Time, ok bool) {
	i := skipSpace(b, 0)
	if i >= len(b) || b[i] != '{' {
		return "", time.Time{}, false
	}
	for i++; id == "" || at.IsZero(); i++ {
		key, next, found := scanKey(b, i)
		if !found {
			return "", time.Time{}, false
		}
		i = next
		switch string(key) {
		case "message":
			id = messageResult(b, i)
		case "timestamp":
			if val, _, plain := scanString(b, i); plain {
				at, _ = time.Parse(time.RFC3339Nano, string(val))
			}
		}
		if i = skipValue(b, i); i < 0 {
			return "", time.Time{}, false
		}
		if i = skipSpace(b, i); i >= len(b) || b[i] != ',' {
			break
		}
	}
	return id, at.UTC(), id != "" && !at.IsZero()
}

// messageResult finds the tool_use_id of the first block of a message.
func messageResult(b []byte, i int) string {
	_, at := member(b, i, "content")
	key, at := member(b, firstBlock(b, at), "tool_use_id")
	if key == "" {
		return ""
	}
	id, _, _ := scanString(b, at)
	return string(id)
}
