package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
	"github.com/stophook/stophook/policy/hookio"
)

// Plan works out an installation. Nothing is written. A Change that has nothing to
// do says so with [Change.Changes]. The error is [ErrUnreadable] when the file
// cannot be used as it is, and else says which option is wrong.
func Plan(opts Options) (*Change, error) {
	opts.fill()
	s, err := opts.settings()
	if err != nil {
		return nil, err
	}
	if !slices.Contains(Profiles(), opts.Profile) {
		return nil, fmt.Errorf("there is no profile %q; use one of %s", opts.Profile, join(Profiles()))
	}
	if !filepath.IsAbs(opts.Command) && !windowsPath(opts.Command) && opts.Command != "stophook" {
		return nil, fmt.Errorf("the command %q is neither an absolute path nor the name stophook, so the host would not find it everywhere", opts.Command)
	}
	if !ours(opts.Command) {
		return nil, fmt.Errorf("the command %q is not named stophook, so it could not be found again; rename it", opts.Command)
	}
	if opts.Exec && !s.host.exec {
		return nil, fmt.Errorf("%s has no form without a shell; leave --exec out", s.host.title)
	}
	e := &editor{settings: s, doc: s.doc, pristine: readPristine(s)}
	if e.doc == nil {
		mark := ""
		if strings.HasPrefix(string(s.text), bom) {
			mark = bom
		}
		if e.doc, err = jsonedit.Parse([]byte(mark + "{}\n")); err != nil {
			return nil, err
		}
	}
	if err := e.install(opts); err != nil {
		return nil, err
	}
	c := e.change(opts)
	c.Profile, c.After = opts.Profile, e.doc.Bytes()
	c.Notes = append(s.host.notes(opts), opts.twice()...)
	if len(e.summary) == 0 {
		c.After = s.text
		return c, nil
	}
	if s.exists {
		c.Backup = s.path + backupSuffix
		if len(s.hooks()) > 0 {
			c.Backup = s.path + previousSuffix
		}
	}
	return c, nil
}

// notes are what a person should know of this host.
func (h host) notes(opts Options) []string {
	var notes []string
	if h.note != "" {
		notes = append(notes, h.note)
	}
	if opts.Profile == ProfileBackground && h.name != hookio.HostClaudeCode {
		what := "this profile only keeps commands from waiting for it."
		if !h.guards() {
			what = "this profile has nothing to hold there."
		}
		notes = append(notes, h.title+" does not tell what runs in the background: "+what)
	}
	if h.rule == nil && len(evidence(opts.Profile)) > 0 {
		notes = append(notes, h.title+" may ask before it runs stophook status; allow it there.")
	}
	if opts.Scope == ScopeProject && opts.Command != "stophook" {
		notes = append(notes, "This file goes to everybody who has the project, and with it the path "+opts.Command+
			". Where the program lies elsewhere, --command stophook lets PATH find it.")
	}
	return notes
}

// twice says where else the same sessions find us: hosts run what all of their files
// say, and two calls that differ are two hooks.
func (o *Options) twice() []string {
	var notes []string
	for _, f := range Files(o.Env) {
		reads := f.Host == o.Host && f.Scope != o.Scope ||
			f.Host == hookio.HostClaudeCode && f.Scope != ScopeUser && (o.Host == hookio.HostCursor || o.Host == hookio.HostCopilot)
		if !reads {
			continue
		}
		if entries, err := InFile(f); err == nil && len(entries) > 0 {
			notes = append(notes, fmt.Sprintf("%s:%d calls stophook as well, and %s reads both files; one of them is enough (stophook doctor looks for such).",
				f.Path, entries[0].Line, Title(o.Host)))
		}
	}
	return notes
}

// a puts the article before a kind of value.
func a(kind jsonedit.Kind) string {
	switch kind {
	case jsonedit.Object:
		return "an " + string(kind)
	case jsonedit.Null:
		return string(kind)
	}
	return "a " + string(kind)
}

// fill puts the defaults in.
func (o *Options) fill() {
	if o.Host == hookio.HostAuto {
		o.Host = hookio.HostClaudeCode
	}
	if o.Scope == "" {
		o.Scope = ScopeUser
	}
	if o.Profile == "" {
		o.Profile = ProfileRitual
	}
}

// settings opens the file that is meant.
func (o *Options) settings() (*settings, error) {
	path, err := o.Env.path(o.Host, o.Scope)
	if err != nil {
		return nil, err
	}
	h, _ := findHost(o.Host)
	return open(h, path)
}

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

// install puts everything in place, one edit after the other.
func (e *editor) install(opts Options) error {
	if e.host.version > 0 && e.doc.Get("version") == nil {
		if err := e.step(e.doc.Insert(e.doc.Root, "version", e.host.version)); err != nil {
			return err
		}
		e.say("version: %d, which %s asks for", e.host.version, e.host.title)
	}
	want := call{program: opts.Command, args: hookArgs(e.host, opts.Profile)}
	if err := e.installHooks(want, opts.Exec); err != nil {
		return err
	}
	if err := e.update(want, opts.Exec); err != nil {
		return err
	}
	return e.installRules(opts)
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

// installHooks adds a hook to every event that has none of ours.
func (e *editor) installHooks(want call, exec bool) error {
	have := map[string]bool{}
	for _, h := range e.hooks() {
		have[h.event] = true
	}
	var missing []event
	for _, ev := range e.host.events {
		if !have[ev.name] {
			missing = append(missing, ev)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var names []string
	if _, err := e.container(jsonedit.Object, "hooks"); err != nil {
		return err
	}
	for _, ev := range missing {
		list, err := e.container(jsonedit.Array, "hooks", ev.name)
		if err != nil {
			return err
		}
		if err := e.step(e.doc.Insert(list, "", e.host.item(ev, want, exec))); err != nil {
			return err
		}
		name := ev.name
		if ev.matcher != "" {
			name += " (" + ev.matcher + ")"
		}
		names = append(names, name)
	}
	e.say("hooks: %s added, each calls %s", strings.Join(names, ", "), want.commandLine())
	return nil
}

// item is what is added to the list of an event.
func (h host) item(ev event, want call, exec bool) jsonedit.Obj {
	hook := slices.Clone(h.before)
	if exec {
		args := jsonedit.Arr{}
		for _, a := range want.args {
			args = append(args, a)
		}
		hook = append(hook, jsonedit.Member{Key: "command", Value: want.program}, jsonedit.Member{Key: "args", Value: args})
	} else {
		hook = append(hook, jsonedit.Member{Key: "command", Value: want.commandLine()})
	}
	hook = append(hook, h.after...)
	if strings.EqualFold(ev.name, "stop") {
		hook = append(hook, h.stop...)
	}
	if !h.groups {
		return hook
	}
	group := jsonedit.Obj{{Key: "hooks", Value: jsonedit.Arr{hook}}}
	if ev.matcher != "" {
		group = append(jsonedit.Obj{{Key: "matcher", Value: ev.matcher}}, group...)
	}
	return group
}

// hooks are those of the document as it is now.
func (e *editor) hooks() []hook {
	return (&settings{host: e.host, path: e.path, doc: e.doc}).hooks()
}

// update makes every hook of ours say what is wanted, and removes the second of two
// for one event and matcher. Flags that somebody added stay.
func (e *editor) update(want call, exec bool) error {
	for i := 0; i < len(e.hooks()); i++ {
		all := e.hooks()
		h := all[i]
		if slices.ContainsFunc(all[:i], func(other hook) bool { return other.event == h.event && other.matcher == h.matcher }) {
			e.sayAbout(h.event, fmt.Sprintf("a second call of stophook removed (%s)", h.call.commandLine()))
			if err := e.removeHook(h); err != nil {
				return err
			}
			i--
			continue
		}
		next := call{program: want.program, args: slices.Concat(want.args, extraArgs(h.call.args))}
		if next.program == h.call.program && slices.Equal(next.args, h.call.args) && exec == (h.args != nil) {
			continue
		}
		if exec == (h.args != nil) && slices.Equal(sorted(next.args), sorted(h.call.args)) && next.program == h.call.program {
			continue // the same in another order
		}
		e.sayAbout(h.event, fmt.Sprintf("now calls %s, before it was %s", next.commandLine(), h.call.commandLine()))
		if err := e.rewrite(h, next, exec); err != nil {
			return err
		}
	}
	return nil
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// extraArgs are the arguments that an installation does not set.
func extraArgs(args []string) []string {
	var extra []string
	for i := 1; i < len(args); i++ {
		name, _, joined := strings.Cut(args[i], "=")
		if name != "--profile" && name != "--host" {
			extra = append(extra, args[i])
		} else if !joined {
			i++
		}
	}
	return extra
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

// What is kept beside a settings file. Neither name ends in
// .json, so no host takes one for settings.
const (
	backupSuffix   = ".stophook-backup"   // the file before stophook was first in it
	previousSuffix = ".stophook-previous" // the file before the latest change of an installation
)

// readPristine reads the file as it was before the first installation; nil when
// there is none that can be trusted.
func readPristine(s *settings) *settings {
	p, err := open(s.host, s.path+backupSuffix)
	if err != nil || !p.exists || len(p.hooks()) > 0 {
		return nil
	}
	return p
}
