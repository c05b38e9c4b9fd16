package task

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stophook/stophook/execctx"
)

// Notice is one block that was read: an end, or a stall.
type Notice struct {
	Exit  *Exit
	Stall *Stall
}

// Parse reads the first block of a text, of this runtime or of Claude Code (D-01). It
// needs nothing but a task's id; what is missing is zero, what is unknown is passed over,
// and a block that is never closed runs to the end of the text. False: there is no block
// with an id.
//
// Of Claude Code's block the status is mapped: completed and failed are exited (with the
// code that its summary names, if it does), killed and stopped are killed.
func Parse(text string) (Notice, bool) {
	n, _, ok := next(text)
	return n, ok
}

// ParseAll reads all blocks of a text, in order.
func ParseAll(text string) []Notice {
	var all []Notice
	for {
		n, rest, ok := next(text)
		if ok {
			all = append(all, n)
		}
		if rest == "" {
			return all
		}
		text = rest
	}
}

// next reads the first block; rest is what stands behind it, empty at the end.
func next(text string) (n Notice, rest string, ok bool) {
	at, tag := len(text), ""
	for _, t := range []string{exitTag, stallTag} {
		if i := strings.Index(text, "<"+t+">"); i >= 0 && i < at {
			at, tag = i, t
		}
	}
	if tag == "" {
		return Notice{}, "", false
	}
	body := text[at+len(tag)+2:]
	body, rest, _ = strings.Cut(body, "</"+tag+">")
	fields := elements(body)
	if fields["task-id"] == "" {
		return Notice{}, rest, false
	}
	if tag == stallTag {
		return Notice{Stall: stallOf(fields)}, rest, true
	}
	return Notice{Exit: exitOf(fields)}, rest, true
}

// elements reads the direct elements of a body, the first of each name.
func elements(body string) map[string]string {
	fields := map[string]string{}
	for {
		_, after, ok := strings.Cut(body, "<")
		if !ok {
			return fields
		}
		name, after, ok := strings.Cut(after, ">")
		if !ok {
			return fields
		}
		text, rest, ok := strings.Cut(after, "</"+name+">")
		if !ok { // an end tag, or an element that is never closed
			body = after
			continue
		}
		if _, seen := fields[name]; !seen {
			fields[name] = unescape(text)
		}
		body = rest
	}
}

// unescape undoes escape, and reads character references of any kind.
func unescape(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, rest, closed := strings.Cut(after, ";")
		r, known := entity(name)
		if !closed || !known {
			b.WriteByte('&')
			text = after
			continue
		}
		b.WriteRune(r)
		text = rest
	}
}

func entity(name string) (rune, bool) {
	switch name {
	case "lt":
		return '<', true
	case "gt":
		return '>', true
	case "amp":
		return '&', true
	case "quot":
		return '"', true
	case "apos":
		return '\'', true
	}
	digits, ok := strings.CutPrefix(name, "#")
	if !ok {
		return 0, false
	}
	base := 10
	if hex, isHex := strings.CutPrefix(strings.ToLower(digits), "x"); isHex {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !legal(rune(n)) || !utf8.ValidRune(rune(n)) {
		return 0, false
	}
	return rune(n), true
}

func exitOf(f map[string]string) *Exit {
	e := &Exit{TaskID: f["task-id"], Status: status(f["status"]), Signal: f["signal"], Command: f["command"], OutputPath: f["output-file"],
		Duration: milliseconds(f["duration-ms"])}
	if code, err := strconv.Atoi(f["exit-code"]); err == nil {
		e.ExitCode = &code
	} else if code, ok := summaryCode(f["summary"]); ok {
		e.ExitCode = &code
	}
	return e
}

// status reads the words of both dialects; an unknown one is kept.
func status(word string) execctx.TaskStatus {
	switch word {
	case "completed", "failed":
		return execctx.StatusExited
	case "stopped":
		return execctx.StatusKilled
	}
	return execctx.TaskStatus(word)
}

// summaryCode finds the code that Claude Code names in words: (exit code 0).
func summaryCode(summary string) (int, bool) {
	_, after, ok := strings.Cut(summary, "exit code ")
	if !ok {
		return 0, false
	}
	end := strings.IndexFunc(after, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(after)
	}
	code, err := strconv.Atoi(after[:end])
	return code, err == nil
}

func stallOf(f map[string]string) *Stall {
	n, _ := strconv.ParseInt(f["bytes-written"], 10, 64)
	return &Stall{TaskID: f["task-id"], Command: f["command"], OutputPath: f["output-file"], StalledFor: milliseconds(f["stalled-for-ms"]), BytesWritten: max(n, 0)}
}

// milliseconds reads a time; what is none, or negative, or too long, is zero.
func milliseconds(text string) time.Duration {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > int64(1<<63-1)/int64(time.Millisecond) {
		return 0
	}
	return time.Duration(n) * time.Millisecond
}
