package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
)

// wants tells whether a decision is to be shown.
func (v *logView) wants(l decisionlog.Line) bool {
	return (v.session == "" || strings.HasPrefix(l.SessionID(), v.session)) &&
		(len(v.verdicts) == 0 || slices.Contains(v.verdicts, l.Get("result.verdict").Str))
}

func (v *logView) print(l decisionlog.Line) error {
	if v.json {
		v.out.Write(l.Raw)
		return v.out.WriteByte('\n')
	}
	verdict := l.Get("result.verdict").Str
	line := fmt.Sprintf("%s  %-8s  %s%s  %-26s", stampWords(l.Time), shortSession(l.SessionID()), v.style.Verdict(term.Word(verdict)),
		strings.Repeat(" ", max(0, 5-len(verdict))), term.Word(strings.TrimPrefix(l.Get("result.code").Str, "stop-hook.")))
	for _, m := range logMarks(l) {
		line += "  " + v.style.Warn("["+m+"]")
	}
	line += "  " + term.OneLine(logWords(l), 90)
	_, err := fmt.Fprintln(v.out, strings.TrimRight(line, " "))
	if v.verbose {
		v.printRest(l)
	}
	return err
}

// printRest is what --verbose adds below a decision.
func (v *logView) printRest(l decisionlog.Line) {
	part := func(what, text string) {
		if text != "" {
			fmt.Fprintf(v.out, "    %s %s\n", v.style.Dim(fmt.Sprintf("%-10s", what)), strings.ReplaceAll(term.Visible(strings.TrimRight(text, "\n")), "\n", "\n               "))
		}
	}
	part("session", l.SessionID())
	part("project", l.Get("input.session.cwd").Str)
	part("reason", l.Get("result.reason").Str)
	part("the person", l.Get("result.system_message").Str)
	part("failure", l.Get("error.message").Str)
	for _, w := range l.Get("result.warnings").Array() {
		part("warning", w.Str)
	}
	part("decision", l.Get("decision_id").Str)
}

// logMarks are the few things that change how a decision is read.
func logMarks(l decisionlog.Line) []string {
	var marks []string
	if event := l.Get("input.hook.hook_event_name").Str; event != "" && event != "Stop" {
		marks = append(marks, term.Word(event))
	}
	if l.Get("custom.shadow").Bool() {
		marks = append(marks, "shadow")
	}
	if l.Get("error").Exists() {
		marks = append(marks, "failure")
	}
	if l.Get("custom." + decisionlog.CustomTruncated).Bool() {
		marks = append(marks, "cut")
	}
	return marks
}

// logWords says in a few words what the decision rests on: the failure, what was
// missing, what is waited for, or what the person was told.
func logWords(l decisionlog.Line) string {
	if msg := l.Get("error.message").Str; msg != "" {
		return msg
	}
	result := l.Get("result")
	switch result.Get("verdict").Str {
	case policy.VerdictBlock:
		return demandWords(result.Get("demands").Array())
	case policy.VerdictDefer:
		d := result.Get("deferrals.0")
		if id := d.Get("task_id").Str; id != "" {
			words := "waits for background task " + id
			if until, err := time.Parse(time.RFC3339Nano, d.Get("until").Str); err == nil {
				words += ", until " + term.Clock(until) + " at most"
			}
			return words
		}
		return result.Get("reason").Str
	}
	return result.Get("system_message").Str
}

// demandWords is the demand that held the turn, and how many more there were.
func demandWords(demands []gjson.Result) string {
	first, more := "", 0
	for _, d := range demands {
		switch {
		case d.Get("severity").Str != policy.SeverityBlock || d.Get("deferred").Bool():
		case first == "":
			first = term.OneLine(d.Get("text").Str, 66)
		default:
			more++
		}
	}
	if more > 0 {
		first += fmt.Sprintf(" (+%d more)", more)
	}
	return first
}

// stampWords is an instant with its day.
func stampWords(t time.Time) string {
	if t.IsZero() {
		return fmt.Sprintf("%-20s", "no time")
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// shortSession is as much of a session's id as tells it from others.
func shortSession(id string) string {
	if runes := []rune(term.Word(id)); len(runes) > 8 {
		return string(runes[:8])
	}
	return term.OrDash(term.Word(id))
}
