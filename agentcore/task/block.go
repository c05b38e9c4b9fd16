package task

import (
	"strconv"
	"strings"
)

// Tags of the two blocks.
const (
	exitTag  = "task-notification"
	stallTag = "task-stall"
)

// Block is the text that tells the model of the end (AC-70): one element a line,
// always in the same order, every text escaped (AC-72, D-26).
//
//	<task-notification>
//	<task-id>bash_1</task-id>
//	<status>exited</status>
//	<exit-code>0</exit-code>
//	<command>npm run build</command>
//	<output-file>/…/tasks/bash_1.20260523-024147-123.log</output-file>
//	<duration-ms>4200</duration-ms>
//	<summary>npm run build (4.2s) — exited 0</summary>
//	</task-notification>
//
// A <signal> follows the code when a signal ended the task (D-25). What is not
// known has no element. In place of an output file that a task does not have
// stand <handle-id> and <started-at-ms>, by which it is known again (D-22).
func (e Exit) Block() string {
	w := openBlock(exitTag)
	w.token("task-id", e.TaskID)
	w.token("status", string(e.status()))
	if code, known := e.Code(); known {
		w.number("exit-code", int64(code))
	}
	if e.Signal != "" {
		w.token("signal", e.Signal)
	}
	w.text("command", e.Command)
	if e.OutputPath != "" {
		w.text("output-file", e.OutputPath)
	} else {
		if e.HandleID != "" {
			w.token("handle-id", e.HandleID)
		}
		if !e.StartedAt.IsZero() {
			w.number("started-at-ms", e.StartedAt.UnixMilli())
		}
	}
	w.number("duration-ms", wholeMS(e.Duration))
	w.text("summary", e.Summary())
	return w.close(exitTag)
}

// blockWriter writes the elements of a block.
type blockWriter struct{ strings.Builder }

func openBlock(tag string) *blockWriter {
	w := new(blockWriter)
	w.WriteString("<" + tag + ">\n")
	return w
}

func (w *blockWriter) close(tag string) string {
	w.WriteString("</" + tag + ">")
	return w.String()
}

func (w *blockWriter) element(tag, escaped string) {
	w.WriteString("<" + tag + ">" + escaped + "</" + tag + ">\n")
}

// text writes what may contain anything.
func (w *blockWriter) text(tag, value string) { w.element(tag, escape(value)) }

// token writes what readers trim.
func (w *blockWriter) token(tag, value string) { w.element(tag, escapeToken(value)) }

func (w *blockWriter) number(tag string, n int64) { w.element(tag, strconv.FormatInt(n, 10)) }
