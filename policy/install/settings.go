package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/stophook/stophook/internal/jsonedit"
	"github.com/stophook/stophook/policy/hookio"
)

// ErrUnreadable is a settings file that cannot be used as it is. Nothing was changed.
var ErrUnreadable = errors.New("the settings file cannot be used")

// bom is the byte order mark that some Windows editors write.
const bom = "\xef\xbb\xbf"

// maxSettings bounds a settings file, in bytes.
const maxSettings = 16 << 20

// settings are one settings file of a host, read.
type settings struct {
	host   host
	path   string // as the host knows it
	target string // where links lead
	text   []byte
	exists bool
	doc    *jsonedit.Document // nil for a file that is missing or blank
}

// open reads a settings file. One that is missing or has nothing but white space
// has no document, and no error.
func open(h host, path string) (*settings, error) {
	s := &settings{host: h, path: path}
	var err error
	if s.target, err = follow(path); err != nil {
		return s, s.unusable(0, err.Error(), "correct the link")
	}
	s.text, s.exists, err = readFile(s.target)
	if err != nil {
		return s, s.unusable(0, err.Error(), "make it a readable file, or move it away")
	}
	if blankText(s.text) {
		return s, nil
	}
	s.doc, err = jsonedit.Parse(s.text)
	var at *jsonedit.SyntaxError
	if errors.As(err, &at) {
		return s, s.unusable(at.Line, fmt.Sprintf("no JSON at column %d: %s", at.Column, at.What), "correct the line")
	}
	if err != nil {
		return s, s.unusable(0, err.Error(), "correct the file")
	}
	if s.doc.Root.Kind != jsonedit.Object {
		return s, s.unusable(s.doc.Line(s.doc.Root.Start), fmt.Sprintf("%s stands where the settings should be an object", a(s.doc.Root.Kind)),
			"correct the file, or move it away")
	}
	return s, nil
}

// unusable is the refusal to touch a file.
func (s *settings) unusable(line int, problem, advice string) error {
	place := s.path
	if line > 0 {
		place = fmt.Sprintf("%s:%d", s.path, line)
	}
	return fmt.Errorf("%s: %s: %s, and run this again; nothing was changed%w", place, problem, advice, silent{ErrUnreadable})
}

// silent wraps an error without its text.
type silent struct{ err error }

func (s silent) Error() string { return "" }
func (s silent) Unwrap() error { return s.err }

// blankText tells whether a file holds nothing, a byte order mark aside.
func blankText(text []byte) bool {
	return len(bytes.TrimSpace(bytes.TrimPrefix(text, []byte(bom)))) == 0
}

// readFile reads a file that may be missing. Only regular files are opened: a pipe
// would wait for ever.
func readFile(path string) (text []byte, exists bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, pathless(err)
	case info.IsDir():
		return nil, true, errors.New("is a folder")
	case !info.Mode().IsRegular():
		return nil, true, errors.New("is no regular file")
	case info.Size() > maxSettings:
		return nil, true, fmt.Errorf("is %d bytes long, which is no settings file", info.Size())
	}
	text, err = os.ReadFile(path)
	return text, true, pathless(err)
}

func pathless(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// follow gives the file that a path stands for: links are followed, the last one
// also when its target is missing, because people keep their settings elsewhere.
func follow(path string) (string, error) {
	for range 40 {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // who reads it says what is wrong
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", pathless(err)
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(path), next)
		}
		path = next
	}
	return "", errors.New("a link that leads to itself")
}

// hook is one hook of the file that calls us.
type hook struct {
	event   string
	matcher string
	node    *jsonedit.Node // the object with the command
	command *jsonedit.Node
	args    *jsonedit.Node // nil in the shell form
	call    call
}

// hooks finds the hooks that call us, in the order of the file.
func (s *settings) hooks() []hook {
	if s.doc == nil {
		return nil
	}
	var found []hook
	all := s.doc.Get("hooks")
	if all == nil || all.Kind != jsonedit.Object {
		return nil
	}
	for _, ev := range all.Children {
		for _, item := range ev.Elements() {
			nodes := []*jsonedit.Node{item}
			matcher := item.Member("matcher").StringValue()
			if inner := item.Member("hooks"); inner != nil { // either form, whatever the host
				nodes = inner.Elements()
			}
			for _, n := range nodes {
				if h, ok := asHook(n); ok {
					h.event, h.matcher = ev.Key, matcher
					found = append(found, h)
				}
			}
		}
	}
	return found
}

// asHook recognises a hook of ours. Copilot may call it bash, powershell or exec.
func asHook(n *jsonedit.Node) (hook, bool) {
	args := n.Member("args")
	var words []string
	if args != nil && args.Kind == jsonedit.Array {
		words = []string{}
		for _, a := range args.Children {
			words = append(words, a.StringValue())
		}
	} else {
		args = nil
	}
	for _, key := range []string{"command", "bash", "powershell", "exec"} {
		c := n.Member(key)
		if c == nil || c.Kind != jsonedit.String {
			continue
		}
		if parsed, ok := parseCall(c.Text, words); ok {
			return hook{node: n, command: c, args: args, call: parsed}, true
		}
	}
	return hook{}, false
}

// entry is the hook for a list.
func (s *settings) entry(scope Scope, h hook) Entry {
	e := Entry{Host: s.host.name, Scope: scope, File: s.path, Line: s.doc.Line(h.command.Start), Event: h.event, Matcher: h.matcher,
		Command: h.command.Text, Program: h.call.program, Profile: h.call.profile()}
	for _, a := range h.args.Elements() {
		e.Args = append(e.Args, a.StringValue())
	}
	for _, name := range []string{"timeout", "timeoutSec"} {
		if t := h.node.Member(name); t != nil && t.Kind == jsonedit.Number {
			e.Timeout, _ = strconv.ParseFloat(string(s.doc.Bytes()[t.Start:t.End]), 64)
		}
	}
	return e
}

// Found lists the entries that call stophook in all of [Files], in their order. A
// file that cannot be read or parsed is part of the error, and the entries of the
// others come back with it.
func Found(env Env) ([]Entry, error) {
	var entries []Entry
	var errs []error
	for _, f := range Files(env) {
		h, _ := findHost(f.Host)
		s, err := open(h, f.Path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for _, one := range s.hooks() {
			entries = append(entries, s.entry(f.Scope, one))
		}
	}
	return entries, errors.Join(errs...)
}

// InFile lists the entries of one more settings file, such as a plugin's hooks.json.
func InFile(f File) ([]Entry, error) {
	h, ok := findHost(f.Host)
	if !ok {
		h = host{name: hookio.HostClaudeCode}
	}
	s, err := open(h, f.Path)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for _, one := range s.hooks() {
		entries = append(entries, s.entry(f.Scope, one))
	}
	return entries, nil
}
