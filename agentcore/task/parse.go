package task

import (
	"strconv"
	"strings"

	"github.com/stophook/stophook/execctx"
)

// Notice is one block that was read. Both Exit and Stall are nil for a block that
// names a task and tells neither: Claude Code writes such ones, without a status, for
// a silence and for the events of a monitor.
type Notice struct {
	TaskID    string
	ToolUseID string // of Claude Code: the call that launched the task
	Status    string // as it stands in the block
	Summary   string // as it stands in the block

	Exit  *Exit
	Stall *Stall
}

// Parse reads the first block of a text; false when the text does not begin with
// one that names a task. See [ParseAll].
func Parse(text string) (Notice, bool) {
	all := ParseAll(text)
	if len(all) == 0 {
		return Notice{}, false
	}
	return all[0], true
}

// ParseAll reads the blocks that a text begins with, of this runtime and of Claude
// Code (D-01). A text that merely contains one yields none, nor does one that is
// quoted inside of another.
//
// It is tolerant: nothing but a task's id is required, what is missing is zero (as
// the command and the duration in blocks of old sessions, D-25), elements
// that are not known are passed over, and a block that is never closed runs to the
// end of the text. Of the other dialect completed, failed and error are read as
// exited, with the code that the summary names; stopped, cancelled and timeout as
// killed.
func ParseAll(text string) []Notice {
	notices, _ := split(text)
	return notices
}

// split is ParseAll, with what follows the blocks.
func split(text string) (notices []Notice, rest string) {
	for {
		tag, body, after, ok := cutBlock(text)
		if !ok {
			return notices, text
		}
		if n, named := read(tag, body); named {
			notices = append(notices, n)
		}
		text = after
	}
}

// cutBlock takes a block off the front of a text. Claude Code quotes other blocks in
// free text unescaped, so the end is the closing tag that balances.
func cutBlock(text string) (tag, body, rest string, ok bool) {
	text = strings.TrimLeft(text, blanks)
	for _, tag = range []string{exitTag, stallTag} {
		if body, ok = cutOpen(text, tag); ok {
			break
		}
	}
	if !ok {
		return "", "", "", false
	}
	begin, end := "<"+tag, "</"+tag+">"
	depth, at := 1, 0
	for {
		n := strings.Index(body[at:], end)
		if n < 0 {
			return tag, body, "", true
		}
		depth += strings.Count(body[at:at+n], begin) - 1
		if depth == 0 {
			return tag, body[:at+n], body[at+n+len(end):], true
		}
		at += n + len(end)
	}
}

// cutOpen takes an opening tag off, which may have attributes.
func cutOpen(text, tag string) (string, bool) {
	after, ok := strings.CutPrefix(text, "<"+tag)
	if !ok || after == "" || !strings.ContainsRune(">"+blanks, rune(after[0])) {
		return "", false
	}
	_, body, ok := strings.Cut(after, ">")
	return body, ok
}

// read makes a notice of a block; false when it names no task.
func read(tag, body string) (Notice, bool) {
	f := elements(body)
	n := Notice{TaskID: f.token("task-id"), ToolUseID: f.token("tool-use-id"), Status: f.token("status"), Summary: f.text("summary")}
	if n.TaskID == "" {
		return Notice{}, false
	}
	if tag == stallTag {
		n.Stall = &Stall{
			TaskID:       n.TaskID,
			Command:      f.text("command"),
			OutputPath:   f.text("output-file"),
			StalledFor:   milliseconds(f.number("stalled-for-ms")),
			BytesWritten: max(f.number("bytes-written"), 0),
		}
		return n, true
	}
	if status, ok := f.ending(n.Status); ok {
		n.Exit = exitOf(f, n, status)
	}
	return n, true
}

// ending tells whether a block tells an end and which, in the words of both
// dialects. A word that is not known is one in our own form only, where a host put it.
func (f fields) ending(status string) (execctx.TaskStatus, bool) {
	switch strings.ToLower(status) {
	case "exited", "completed", "failed", "error":
		return execctx.StatusExited, true
	case "killed", "stopped", "cancelled", "canceled", "timeout", "timed_out":
		return execctx.StatusKilled, true
	case "lost":
		return execctx.StatusLost, true
	}
	_, own := f["duration-ms"]
	return execctx.TaskStatus(status), own && status != ""
}

// exitOf reads an end.
func exitOf(f fields, n Notice, status execctx.TaskStatus) *Exit {
	e := &Exit{
		TaskID:     n.TaskID,
		HandleID:   f.token("handle-id"),
		Status:     status,
		Signal:     f.token("signal"),
		Command:    f.text("command"),
		OutputPath: f.text("output-file"),
		Duration:   milliseconds(f.number("duration-ms")),
	}
	if _, ok := f["started-at-ms"]; ok {
		e.StartedAt = atMilli(f.number("started-at-ms"))
	}
	if code, err := strconv.Atoi(f.token("exit-code")); err == nil {
		e.ExitCode = &code
	} else if n.Status != string(status) { // a word of the other dialect
		e.ExitCode = summaryCode(n.Summary)
	}
	return e
}

// summaryCode finds the code in Claude Code's own words, as in "(exit code 0)". The
// last mention counts, since a description that may say anything stands in front.
func summaryCode(summary string) *int {
	const words = "exit code "
	i := strings.LastIndex(summary, words)
	if i < 0 {
		return nil
	}
	digits := summary[i+len(words):]
	end := 0
	for end < len(digits) && (digits[end] >= '0' && digits[end] <= '9' || end == 0 && digits[end] == '-') {
		end++
	}
	code, err := strconv.Atoi(digits[:end])
	if err != nil {
		return nil
	}
	return &code
}
