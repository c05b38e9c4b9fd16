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
	if dir := opts.Env.state(); h.sandbox != "" && len(evidence(opts.Profile)) > 0 && dir != "" {
		notes = append(notes, fmt.Sprintf(h.sandbox, dir))
	}
	if opts.Scope == ScopeProject && opts.Command != "stophook" {
		notes = append(notes, "This file goes to everybody who has the project, and with it the path "+opts.Command+
			". Where the program lies elsewhere, --command stophook lets PATH find it.")
	}
	return notes
}

// state is where the agent's evidence commands write, empty when it is not known.
func (e Env) state() string {
	dir := ""
	if e.Getenv != nil {
		dir = e.Getenv("XDG_STATE_HOME")
	}
	if !filepath.IsAbs(dir) {
		if e.Home == "" {
			return ""
		}
		dir = filepath.Join(e.Home, ".local", "state")
	}
	return filepath.Join(dir, "stophook")
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
