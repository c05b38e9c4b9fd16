package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
)

// editor is a document on its way from before to after.
type editor struct {
	*settings
	doc      *jsonedit.Document
	pristine *settings // the file before the first installation; nil when that is not known
	summary  []string
}

func (e *editor) say(format string, args ...any) {
	e.summary = append(e.summary, fmt.Sprintf(format, args...))
}

// sayAbout adds an event to the sentence that is the same for it as for the one
// before, or begins a new one.
func (e *editor) sayAbout(event, what string) {
	if n := len(e.summary); n > 0 {
		if events, ok := strings.CutSuffix(e.summary[n-1], ": "+what); ok {
			e.summary[n-1] = events + ", " + event + ": " + what
			return
		}
	}
	e.say("hooks: %s: %s", event, what)
}

// change is what the caller gets to see of the result.
func (e *editor) change(opts Options) *Change {
	c := &Change{Host: opts.Host, Scope: opts.Scope, Path: e.path, Target: e.target, Before: e.text, Exists: e.exists, Summary: e.summary}
	now := &settings{host: e.host, path: e.path, doc: e.doc}
	for _, h := range now.hooks() {
		name := h.event
		if h.matcher != "" {
			name += " (" + h.matcher + ")"
		}
		if !slices.Contains(c.Events, name) {
			c.Events = append(c.Events, name)
		}
	}
	for _, r := range e.rules() {
		c.Rules = append(c.Rules, r.Text)
	}
	return c
}

// step takes the next state of the document.
func (e *editor) step(next *jsonedit.Document, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w; please report it", e.path, err)
	}
	e.doc = next
	return nil
}

// container finds or makes an object or list below the root. What stands there and
// is something else is refused.
func (e *editor) container(kind jsonedit.Kind, path ...string) (*jsonedit.Node, error) {
	n := e.doc.Root
	for i, name := range path {
		want := jsonedit.Object
		var empty any = jsonedit.Obj{}
		if i == len(path)-1 && kind == jsonedit.Array {
			want, empty = jsonedit.Array, jsonedit.Arr{}
		}
		next := n.Member(name)
		if next == nil {
			if err := e.step(e.doc.Insert(n, name, empty)); err != nil {
				return nil, err
			}
			next = e.doc.Get(path[:i+1]...)
		}
		if next.Kind != want {
			return nil, e.unusable(e.doc.Line(next.Start), fmt.Sprintf("%s is %s and should be %s", next.Path(), a(next.Kind), a(want)), "correct it, or remove it")
		}
		n = next
	}
	return n, nil
}

// rewrite changes the command of a hook.
func (e *editor) rewrite(h hook, next call, exec bool) error {
	command, where := h.command.Path(), h.node.Path()
	text := next.commandLine()
	if exec {
		text = next.program
	}
	if err := e.step(e.doc.Replace(e.at(command), text)); err != nil {
		return err
	}
	args := jsonedit.Arr{}
	for _, a := range next.args {
		args = append(args, a)
	}
	switch old := e.at(where).Member("args"); {
	case exec && old != nil:
		return e.step(e.doc.Replace(old, args))
	case exec:
		return e.step(e.doc.Insert(e.at(where), "args", args))
	case old != nil:
		return e.step(e.doc.Remove(old))
	}
	return nil
}

// at finds the value of a path as [jsonedit.Node.Path] writes it.
func (e *editor) at(path string) *jsonedit.Node {
	var walk func(n *jsonedit.Node) *jsonedit.Node
	walk = func(n *jsonedit.Node) *jsonedit.Node {
		if n.Path() == path {
			return n
		}
		for _, c := range n.Children {
			if found := walk(c); found != nil {
				return found
			}
		}
		return nil
	}
	return walk(e.doc.Root)
}
