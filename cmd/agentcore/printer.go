package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/internal/nearest"
	"github.com/stophook/stophook/internal/term"
)

// resultSchema names the version of the object that --output json prints.
const resultSchema = "agentcore.result/v1"

// printer shows a run. An error of it ends the run: nobody reads any more.
type printer interface {
	event(e agentcore.Event) error
	// between comes after a run that another one follows.
	between(res *agentcore.Result) error
	// waiting says that nothing happens until one of so many tasks ends.
	waiting(tasks int)
	warn(format string, args ...any)
	result(res *agentcore.Result, sess *session.Session) error
}

func (p *program) printer(form string, verbose bool) (printer, error) {
	people := newPeople(p, verbose)
	switch form {
	case "text":
		return &textPrinter{out: p.stdout, people: people}, nil
	case "json":
		return &jsonPrinter{p: p, people: people}, nil
	case "stream-json":
		enc := json.NewEncoder(p.stdout)
		enc.SetEscapeHTML(false)
		return &streamPrinter{enc: enc, people: people}, nil
	}
	forms := []string{"text", "json", "stream-json"}
	hint := ""
	if meant := nearest.Word(form, forms); meant != "" {
		hint = "; did you mean " + meant + "?"
	}
	return nil, fmt.Errorf("--output %s: there are text, json and stream-json%s", form, hint)
}

// textPrinter prints the last message when the run is over, so that what comes out of
// a pipe is the answer and nothing else.
type textPrinter struct {
	out    io.Writer
	people *people
}

func (t *textPrinter) event(e agentcore.Event) error { return t.people.event(e) }

func (t *textPrinter) between(res *agentcore.Result) error {
	t.people.line.clear()
	return t.text(res)
}

func (t *textPrinter) waiting(tasks int)               { t.people.line.waiting(tasks) }
func (t *textPrinter) warn(format string, args ...any) { t.people.warn(format, args...) }

func (t *textPrinter) text(res *agentcore.Result) error {
	if res.Text == "" {
		return nil
	}
	_, err := io.WriteString(t.out, strings.TrimRight(term.Visible(res.Text), "\n")+"\n")
	return err
}

func (t *textPrinter) result(res *agentcore.Result, sess *session.Session) error {
	t.people.close()
	if err := t.text(res); err != nil {
		return err
	}
	t.people.sum(res, sess)
	return nil
}

// jsonResult is what --output json prints.
type jsonResult struct {
	Schema     string        `json:"schema"`
	SessionID  string        `json:"session_id"`
	Transcript string        `json:"transcript_path"`
	End        agentcore.End `json:"end"`
	Reason     string        `json:"reason,omitempty"`
	Text       string        `json:"text"`
	Model      string        `json:"model,omitempty"`
	Turns      int           `json:"turns"`
	ToolCalls  int           `json:"tool_calls"`
	StopBlocks int           `json:"stop_blocks"`
	Usage      model.Usage   `json:"usage"`
	CostUSD    float64       `json:"cost_usd,omitempty"`
	ElapsedMS  int64         `json:"elapsed_ms"`
	Warnings   []string      `json:"warnings"`
}

type jsonPrinter struct {
	p        *program
	people   *people
	warnings []string
}

func (j *jsonPrinter) event(e agentcore.Event) error {
	if e.Kind == agentcore.EventWarning {
		j.warnings = append(j.warnings, e.Text)
	}
	return j.people.event(e)
}

func (j *jsonPrinter) between(*agentcore.Result) error { return nil }
func (j *jsonPrinter) waiting(tasks int)               { j.people.line.waiting(tasks) }

func (j *jsonPrinter) warn(format string, args ...any) {
	j.warnings = append(j.warnings, fmt.Sprintf(format, args...))
	j.people.warn(format, args...)
}

func (j *jsonPrinter) result(res *agentcore.Result, sess *session.Session) error {
	j.people.close()
	if j.warnings == nil {
		j.warnings = []string{}
	}
	return j.p.printJSON(jsonResult{Schema: resultSchema, SessionID: sess.ID(), Transcript: sess.Path(), End: res.End, Reason: res.Reason, Text: res.Text,
		Model: sess.Meta().Model, Turns: res.Turns, ToolCalls: res.Calls, StopBlocks: res.Blocks, Usage: res.Usage, CostUSD: res.CostUSD,
		ElapsedMS: res.Elapsed.Milliseconds(), Warnings: j.warnings})
}

// streamPrinter prints events as they come, one JSON object a line, the result last.
// What is left is said on stderr: it is known after the last event only.
type streamPrinter struct {
	enc    *json.Encoder
	people *people
}

func (s *streamPrinter) event(e agentcore.Event) error { return s.enc.Encode(e) }

func (s *streamPrinter) between(*agentcore.Result) error { return nil }
func (s *streamPrinter) waiting(int)                     {}
func (s *streamPrinter) warn(format string, args ...any) { s.people.warn(format, args...) }

func (s *streamPrinter) result(*agentcore.Result, *session.Session) error {
	s.people.close()
	return nil
}

// people is what a person sees on stderr: on a terminal one line that moves; with
// --verbose every call; always what went wrong.
type people struct {
	err     io.Writer
	style   term.Style
	line    *liveLine
	verbose bool
}

func newPeople(p *program, verbose bool) *people {
	return &people{err: p.stderr, style: p.style(), verbose: verbose, line: newLiveLine(p.stderr, p.getenv, p.now)}
}

func (w *people) event(e agentcore.Event) error {
	indent := strings.Repeat("  ", e.Depth)
	switch e.Kind {
	case agentcore.EventWarning:
		w.say("%s%s", indent, w.style.Warn("agentcore: warning: "+term.Visible(e.Text)))
	case agentcore.EventNotice:
		w.say("%s%s", indent, term.Visible(e.Text))
	case agentcore.EventTask:
		w.say("%s%s", indent, w.style.Dim("agentcore: "+term.OneLine(e.Task.TaskID+": "+e.Task.Summary, 120)))
	case agentcore.EventBlocked:
		w.say("%s%s", indent, w.style.Warn("agentcore: the Stop hook sent the agent back: "+term.OneLine(e.Text, 100)))
	case agentcore.EventRestart:
		w.say("%s%s", indent, w.style.Warn(fmt.Sprintf("agentcore: trying again in %s: %s", e.Wait.Round(time.Millisecond), term.OneLine(e.Text, 100))))
	}
	if w.verbose {
		w.detail(indent, e)
	}
	w.line.event(e)
	return nil
}

// detail is what --verbose adds.
func (w *people) detail(indent string, e agentcore.Event) {
	switch e.Kind {
	case agentcore.EventMessage:
		if text := e.Message.FinalText(); text != "" {
			w.say("%s%s", indent, term.Wrap(term.Visible(text), 100, indent))
		}
	case agentcore.EventToolStart:
		w.say("%s%s %s", indent, w.style.Bold(e.Tool), w.style.Dim(term.OneLine(subject(e.Input), 100)))
	case agentcore.EventToolResult:
		text := w.style.Dim(term.OneLine(e.Text, 100))
		if e.IsError {
			text = w.style.Bad(term.OneLine(e.Text, 100))
		}
		w.say("%s  %s", indent, text)
	}
}

func (w *people) warn(format string, args ...any) {
	w.say("%s", w.style.Warn("agentcore: warning: "+term.Visible(fmt.Sprintf(format, args...))))
}

// say prints a line above the one that moves.
func (w *people) say(format string, args ...any) {
	w.line.clear()
	fmt.Fprintf(w.err, format+"\n", args...)
}

func (w *people) close() { w.line.close() }

// sum is the last line on a terminal: what it took, and how to go on.
func (w *people) sum(res *agentcore.Result, sess *session.Session) {
	if w.line == nil && !w.verbose {
		return
	}
	cost := ""
	if res.CostUSD > 0 {
		cost = fmt.Sprintf(", %.4f USD", res.CostUSD)
	}
	fmt.Fprintln(w.err, w.style.Dim(fmt.Sprintf("%s, %s, %s tokens%s, %s; agentcore resume %s", term.Plural(res.Turns, "turn"),
		term.Plural(res.Calls, "call"), term.Count(int(res.Usage.Total())), cost, res.Elapsed.Round(100*time.Millisecond), short(sess.ID()))))
}
