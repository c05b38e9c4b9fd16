package task

import (
	"strconv"
	"time"

	"github.com/stophook/stophook/execctx"
)

// summaryRunes is how much of a command a summary shows (D-26).
const summaryRunes = 200

// Summary is the end in one sentence (AC-71, D-25):
//
//	npm run build (4.2s) — exited 0
//	npm run dev (61.0s) — killed (SIGTERM)
//
// A task that exited with a code of its own after our kill is "killed (exited 3)",
// one without a known code plainly "exited", "killed" or "lost". Of a command of
// more than 200 characters the first 200 are shown and then "…"; a task
// without a known command is called by its id.
func (e Exit) Summary() string {
	name := clean(e.Command)
	if name == "" {
		name = clean(e.TaskID)
	}
	return firstRunes(name, summaryRunes) + " (" + seconds(e.Duration) + ") — " + e.outcome()
}

// outcome is the last part of a summary.
func (e Exit) outcome() string {
	status := clean(string(e.status()))
	code, known := e.Code()
	switch {
	case status == string(execctx.StatusExited) && known:
		return status + " " + strconv.Itoa(code)
	case e.Signal != "":
		return status + " (" + clean(e.Signal) + ")"
	case status == string(execctx.StatusKilled) && known:
		return status + " (exited " + strconv.Itoa(code) + ")"
	}
	return status
}

// Banner is the line that a screen shows for the end of a task (AC-113):
//
//	⌁ bash_1 exited (0) 4.2s /path/of/bash_1.20260523-024147-123.log
//	⌁ bash_2 killed 61.0s /path/of/bash_2.20260523-024147-123.log
//
// It is one line whatever the names contain: control characters are replaced.
func (e Exit) Banner() string {
	line := "⌁ " + e.TaskID + " " + string(e.status())
	if code, known := e.Code(); known && e.status() == execctx.StatusExited {
		line += " (" + strconv.Itoa(code) + ")"
	}
	line += " " + seconds(e.Duration)
	if e.OutputPath != "" {
		line += " " + e.OutputPath
	}
	return oneLine(line)
}

// seconds is a duration in seconds with one decimal (D-25), from whole
// milliseconds, so that it is the same before and after it was written.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(wholeMS(d))/1000, 'f', 1, 64) + "s"
}
