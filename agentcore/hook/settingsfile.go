package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/jsonedit"
	"github.com/stophook/stophook/policy/hookio"
)

// maxSettings bounds a settings file, in bytes.
const maxSettings = 16 << 20

// reader takes the hooks out of one file.
type reader struct {
	file   string
	doc    *jsonedit.Document
	into   *Settings
	faults []error
}

func (r *reader) read() {
	text, err := readSettings(r.file)
	switch {
	case err != nil:
		r.fault(0, "it cannot be read: "+err.Error(), "make it a readable file, or move it away", err)
		return
	case strings.TrimSpace(strings.TrimPrefix(string(text), "\uFEFF")) == "":
		return
	}
	r.doc, err = jsonedit.Parse(text)
	var at *jsonedit.SyntaxError
	switch {
	case errors.As(err, &at):
		r.fault(at.Line, fmt.Sprintf("no JSON at column %d: %s", at.Column, at.What), "correct the line; none of the file's hooks run", err)
		return
	case err != nil:
		r.fault(0, err.Error(), "correct the file; none of its hooks run", err)
		return
	case r.doc.Root.Kind != jsonedit.Object:
		r.wrong(r.doc.Root, "the file's content", "an object")
		return
	}
	if off := r.doc.Get("disableAllHooks"); off != nil {
		r.disable(off)
	}
	hooks := r.doc.Get("hooks")
	if hooks == nil || hooks.Kind == jsonedit.Null {
		return
	}
	if hooks.Kind != jsonedit.Object {
		r.wrong(hooks, "hooks", "an object with a list for each event")
		return
	}
	for _, event := range hooks.Children {
		r.event(event)
	}
}

// readSettings reads a file that may be missing. Only regular files are opened: a
// pipe would wait for ever.
func readSettings(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, pathless(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > maxSettings:
		return nil, fmt.Errorf("it is %d bytes long, which is no settings file", info.Size())
	}
	text, err := os.ReadFile(path)
	return text, pathless(err)
}

func pathless(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (r *reader) disable(off *jsonedit.Node) {
	switch text := string(r.doc.Bytes()[off.Start:off.End]); text {
	case "true":
		r.into.Disabled = true
		r.warn(off, "disableAllHooks is set: no hook of any file runs")
	case "false", "null":
	default:
		r.wrong(off, "disableAllHooks", "true or false")
	}
}

// event reads the list of one event.
func (r *reader) event(list *jsonedit.Node) {
	name := hookio.EventName(list.Key)
	if !known(name) {
		text := fmt.Sprintf("this host has no event %q: its hooks never run", name)
		if meant := spelled(name); meant != "" {
			text += fmt.Sprintf("; did you mean %s?", meant)
		}
		r.warn(list, text)
		return
	}
	if list.Kind != jsonedit.Array {
		r.wrong(list, list.Path(), "a list")
		return
	}
	for _, group := range list.Children {
		r.group(name, group)
	}
}

func (r *reader) group(event hookio.EventName, group *jsonedit.Node) {
	if group.Kind != jsonedit.Object {
		r.wrong(group, group.Path(), `an object such as {"matcher": "Bash", "hooks": [...]}`)
		return
	}
	var m matcher
	if text := group.Member("matcher"); text != nil && text.Kind != jsonedit.Null {
		if text.Kind != jsonedit.String {
			r.wrong(text, text.Path(), "a string")
			return
		}
		var note string
		if m, note = newMatcher(text.Text); note != "" {
			r.warn(text, note)
		}
	}
	hooks := group.Member("hooks")
	if hooks == nil {
		r.fault(r.line(group), group.Path()+" has no list of hooks", `put {"type": "command", "command": "..."} into a list "hooks" there`, nil)
		return
	}
	if hooks.Kind != jsonedit.Array {
		r.wrong(hooks, hooks.Path(), "a list")
		return
	}
	for _, node := range hooks.Children {
		if h, ok := r.hook(node); ok {
			h.event, h.matcher = event, m
			r.into.add(h)
		}
	}
}

// hook reads one hook.
func (r *reader) hook(node *jsonedit.Node) (h configured, ok bool) {
	if node.Kind != jsonedit.Object {
		r.wrong(node, node.Path(), `an object such as {"type": "command", "command": "..."}`)
		return h, false
	}
	if kind := node.Member("type"); kind.StringValue() != "command" {
		if kind == nil || kind.Kind != jsonedit.String {
			r.fault(r.line(node), node.Path()+" has no type", `write "type": "command"`, nil)
		} else {
			r.warn(kind, fmt.Sprintf("hooks of type %q are not supported here, only command: it never runs", kind.Text))
		}
		return h, false
	}
	command := node.Member("command")
	if command == nil || command.Kind != jsonedit.String || strings.TrimSpace(command.Text) == "" {
		r.fault(r.line(node), node.Path()+" has no command", `write the command line as "command": "..."`, nil)
		return h, false
	}
	h = configured{command: command.Text, file: r.file, line: r.line(command), shell: node.Member("shell").StringValue()}
	for _, name := range []string{"async", "asyncRewake"} {
		if m := node.Member(name); m != nil && string(r.doc.Bytes()[m.Start:m.End]) == "true" {
			r.warn(m, name+" hooks are not supported here: it never runs; without "+name+" the agent waits for it")
			return h, false
		}
	}
	if m := node.Member("if"); m != nil {
		r.warn(m, `the condition "if" is not supported here: the hook runs for every call that its matcher fits`)
	}
	if m := node.Member("once"); m != nil && string(r.doc.Bytes()[m.Start:m.End]) == "true" {
		r.warn(m, `"once" is not supported here: the hook runs every time`)
	}
	h.block = node.Member("onFailure").StringValue() == "block"
	return h, r.arguments(node, &h) && r.timeout(node, &h)
}

func (r *reader) arguments(node *jsonedit.Node, h *configured) bool {
	args := node.Member("args")
	if args == nil || args.Kind == jsonedit.Null {
		return true
	}
	h.args = []string{}
	for _, a := range args.Elements() {
		if a.Kind != jsonedit.String {
			r.wrong(a, a.Path(), "a string")
			return false
		}
		h.args = append(h.args, a.Text)
	}
	if args.Kind != jsonedit.Array {
		r.wrong(args, args.Path(), "a list of strings")
		return false
	}
	return true
}

// timeout reads seconds, which may have a fraction.
func (r *reader) timeout(node *jsonedit.Node, h *configured) bool {
	t := node.Member("timeout")
	if t == nil || t.Kind == jsonedit.Null {
		return true
	}
	seconds, err := strconv.ParseFloat(string(r.doc.Bytes()[t.Start:t.End]), 64)
	if t.Kind != jsonedit.Number || err != nil || seconds <= 0 {
		r.wrong(t, t.Path(), "a number of seconds above 0")
		return false
	}
	const most = 24 * 60 * 60
	h.timeout = max(time.Millisecond, time.Duration(min(seconds, most)*float64(time.Second)))
	return true
}

func (r *reader) line(n *jsonedit.Node) int { return r.doc.Line(n.Start) }

func (r *reader) wrong(n *jsonedit.Node, what, want string) {
	article := "a"
	if n.Kind == jsonedit.Object {
		article = "an"
	}
	r.fault(r.line(n), fmt.Sprintf("%s is %s %s and should be %s", what, article, n.Kind, want), "correct it; what stands there is not used", nil)
}

func (r *reader) fault(line int, problem, advice string, err error) {
	r.faults = append(r.faults, &SettingsError{File: r.file, Line: line, Problem: problem, Advice: advice, Err: err})
}

func (r *reader) warn(n *jsonedit.Node, text string) {
	r.into.Warnings = append(r.into.Warnings, place(r.file, r.doc.Line(n.KeyStart))+": "+text)
}
