package task

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The elements that hold a block.
const (
	exitTag  = "task-notification"
	stallTag = "task-stall"
)

// stallHint is what a stall's block suggests. A stall is not an end, and asks for
// nothing.
const stallHint = "No output for a while. The task still runs; it may wait for input, or just be at work. " +
	"Read its output file if you have to know, and end the task if it is stuck."

// Block is the text that tells the model of an end: the elements in a fixed order, each
// on a line (AC-70). The signal stands behind the exit code (D-25).
func (e Exit) Block() string {
	var b blockWriter
	b.open(exitTag)
	b.field("task-id", e.TaskID)
	b.field("status", string(e.Status))
	if e.ExitCode != nil {
		b.field("exit-code", strconv.Itoa(*e.ExitCode))
	}
	if e.Signal != "" {
		b.field("signal", e.Signal)
	}
	b.field("command", e.Command)
	b.field("output-file", e.OutputPath)
	b.field("duration-ms", strconv.FormatInt(e.Duration.Milliseconds(), 10))
	b.field("summary", e.Summary())
	return b.close(exitTag)
}

// Block is the text that tells the model of a quiet task (AC-73).
func (s Stall) Block() string {
	var b blockWriter
	b.open(stallTag)
	b.field("task-id", s.TaskID)
	b.field("command", s.Command)
	b.field("output-file", s.OutputPath)
	b.field("stalled-for-ms", strconv.FormatInt(s.StalledFor.Milliseconds(), 10))
	b.field("bytes-written", strconv.FormatInt(s.BytesWritten, 10))
	b.field("hint", stallHint)
	return b.close(stallTag)
}

type blockWriter struct{ strings.Builder }

func (b *blockWriter) open(tag string) { b.WriteString("<" + tag + ">\n") }

func (b *blockWriter) close(tag string) string {
	b.WriteString("</" + tag + ">")
	return b.String()
}

func (b *blockWriter) field(name, text string) {
	b.WriteString("<" + name + ">")
	b.escape(text)
	b.WriteString("</" + name + ">\n")
}

// escape writes a text so that no part of it looks like an element, and so that the
// reader gets the same text again: markup and quotes as entities, carriage returns as
// one too, since readers of XML make line feeds of them, and what XML forbids as U+FFFD
// (AC-72, D-26).
func (b *blockWriter) escape(text string) {
	for _, r := range text { // invalid UTF-8 comes as U+FFFD
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\'':
			b.WriteString("&apos;")
		case r == '\r':
			b.WriteString("&#13;")
		case !legal(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
}

// legal tells the characters that XML allows.
func legal(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= 0x10FFFF
}
