package tool

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// hit is whether a rule holds.
type hit int

const (
	no hit = iota
	maybe
	yes
)

// subject is what a call is about, prepared for rules.
type subject struct {
	tool    Tool
	text    string
	command *commandLine // of a command
	paths   []string     // of a path: as named, and where it leads; slashes
	real    bool         // where it leads is known
	cwd     string
}

func newSubject(req Request) *subject {
	s := &subject{tool: req.Tool}
	if req.Tool.Subject == nil || req.Call == nil {
		return s
	}
	s.text = req.Tool.Subject(req.Call.Input)
	env := req.Call.Env
	if env == nil {
		env = &Env{}
	}
	s.cwd = env.Handle.CWD
	switch req.Tool.SubjectKind {
	case SubjectCommand:
		s.command = readCommand(s.text)
	case SubjectPath:
		s.readPath(env)
	}
	return s
}

func (s *subject) readPath(env *Env) {
	p := env.Paths
	if p == nil {
		p = &Paths{}
	}
	abs, err := p.absolute(s.cwd, s.text)
	if err != nil {
		s.paths = []string{filepath.ToSlash(s.text)}
		return
	}
	s.paths = []string{filepath.ToSlash(filepath.Clean(abs))}
	if !env.Local() {
		s.real = true // what its links are is not known here, and there is no better
		return
	}
	if real, _, err := realPath(abs); err == nil {
		s.real = true
		s.paths = append(s.paths, filepath.ToSlash(real))
	}
}

// unreadable tells whether the subject is a command that cannot be parsed.
func (s *subject) unreadable() bool { return s.command != nil && s.command.broken }

// hit tells whether a rule that denies or asks holds for the call.
func (s *subject) hit(r rule) hit {
	switch {
	case !r.names(s.tool.Name):
		return no
	case r.any:
		return yes
	case s.tool.Subject == nil:
		return no
	}
	switch s.tool.SubjectKind {
	case SubjectCommand:
		return s.command.hit(r.command)
	case SubjectPath:
		for _, path := range s.paths {
			if s.underPattern(r, path) {
				return yes
			}
		}
		return no
	}
	if wildcard(r.subject, s.text) {
		return yes
	}
	return no
}

// allowedBy gives the rule that allows the call, or the first of those that do
// together; empty if they do not.
func (s *subject) allowedBy(rules []rule) string {
	var mine []rule
	for _, r := range rules {
		if !r.names(s.tool.Name) {
			continue
		}
		if r.any {
			return r.text
		}
		mine = append(mine, r)
	}
	if len(mine) == 0 || s.tool.Subject == nil {
		return ""
	}
	if s.command != nil {
		return s.command.allowedBy(mine)
	}
	if s.tool.SubjectKind == SubjectPath {
		return s.pathAllowedBy(mine)
	}
	for _, r := range mine {
		if wildcard(r.subject, s.text) {
			return r.text
		}
	}
	return ""
}

// pathAllowedBy gives the rule that allows the path as named, if one allows where
// it leads as well.
func (s *subject) pathAllowedBy(rules []rule) string {
	if !s.real {
		return ""
	}
	first := ""
	for _, path := range s.paths {
		i := slices.IndexFunc(rules, func(r rule) bool { return s.matches(r, path) })
		if i < 0 {
			return ""
		}
		first = cmpOr(first, rules[i].text)
	}
	return first
}

// patterns gives the forms of a rule's path: as named, and, where the working
// directory is reached through a link, from its real place.
func (s *subject) patterns(r rule) []string {
	p := &Paths{home: r.home}
	var out []string
	for _, cwd := range s.bases() {
		if abs, err := p.absolute(cwd, r.subject); err == nil {
			out = append(out, filepath.ToSlash(filepath.Clean(abs)))
		}
	}
	if strings.HasPrefix(r.subject, "**/") {
		out = append(out, r.subject)
	}
	return out
}

func (s *subject) bases() []string {
	bases := []string{s.cwd}
	if real, err := filepath.EvalSymlinks(s.cwd); err == nil && real != s.cwd {
		bases = append(bases, real)
	}
	return bases
}

// matches tells whether a rule that allows holds for a path.
func (s *subject) matches(r rule, path string) bool {
	for _, pattern := range s.patterns(r) {
		if !strings.ContainsAny(r.subject, "*?[{") {
			if inside(filepath.FromSlash(pattern), filepath.FromSlash(path)) {
				return true
			}
			continue
		}
		if strings.HasPrefix(pattern, "**/") {
			continue // allowing everywhere is not what a relative rule means
		}
		if ok, err := doublestar.Match(pattern, path); ok && err == nil {
			return true
		}
	}
	return false
}

// underPattern tells whether a rule that denies holds for a path or for a folder
// above it.
func (s *subject) underPattern(r rule, path string) bool {
	var d denyList
	for _, pattern := range s.patterns(r) {
		if strings.ContainsAny(r.subject, "*?[{") {
			d.patterns = append(d.patterns, foldCase(pattern))
		} else {
			d.paths = append(d.paths, foldCase(filepath.FromSlash(pattern)))
		}
	}
	return d.holds(filepath.FromSlash(path))
}

// wildcard matches a text against a pattern in which * stands for anything.
func wildcard(pattern, text string) bool {
	pieces := strings.Split(pattern, "*")
	if len(pieces) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, pieces[0])
	if !ok {
		return false
	}
	last := pieces[len(pieces)-1]
	for _, piece := range pieces[1 : len(pieces)-1] {
		i := strings.Index(text, piece)
		if i < 0 {
			return false
		}
		text = text[i+len(piece):]
	}
	return strings.HasSuffix(text, last)
}
