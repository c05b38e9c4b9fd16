package install

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/stophook/stophook/internal/jsonedit"
)

// PlanRemove works out how to take every entry of ours out of one file: the hooks
// that call stophook, of this path or another, and the permission rules that an
// installation added. Nothing is written.
//
// What was there before the first installation is read from the file that it saved
// beside the settings; with it, a file that nobody else changed becomes what it was,
// byte for byte. Without it, containers that are empty afterwards are removed, and a
// file in which nothing is left.
func PlanRemove(opts Options) (*Change, error) {
	opts.fill()
	s, err := opts.settings()
	if err != nil {
		return nil, err
	}
	e := &editor{settings: s, doc: s.doc, pristine: readPristine(s)}
	if e.doc == nil || len(s.hooks()) == 0 {
		c := &Change{Host: opts.Host, Scope: opts.Scope, Path: s.path, Target: s.target, Before: s.text, After: s.text, Exists: s.exists}
		return c, nil
	}
	for len(e.hooks()) > 0 {
		h := e.hooks()[0]
		e.sayAbout(h.event, fmt.Sprintf("the call of %s removed", h.call.commandLine()))
		if err := e.removeHook(h); err != nil {
			return nil, err
		}
	}
	if err := e.tidy(true, "hooks"); err != nil {
		return nil, err
	}
	if err := e.removeRules(); err != nil {
		return nil, err
	}
	if err := e.removeVersion(); err != nil {
		return nil, err
	}
	c := e.change(opts)
	c.removes, c.After = true, e.rest()
	switch {
	case e.pristine != nil && bytes.Equal(c.After, e.pristine.text):
		c.drop = []string{s.path + backupSuffix, s.path + previousSuffix}
	case c.After == nil:
		c.drop = []string{s.path + previousSuffix}
	default:
		c.Backup = s.path + previousSuffix
	}
	return c, nil
}

// removeHook takes one hook out, and its group and list when they are empty then.
func (e *editor) removeHook(h hook) error {
	group := h.node.Parent.Parent
	inGroup := h.node.Parent.Key == "hooks" && group.Parent != nil && group.Parent.Kind == jsonedit.Array
	where := ""
	if inGroup {
		where = group.Path()
	}
	if err := e.step(e.doc.Remove(h.node)); err != nil {
		return err
	}
	if inGroup {
		if g := e.at(where); len(g.Member("hooks").Children) == 0 {
			if err := e.step(e.doc.Remove(g)); err != nil {
				return err
			}
		}
	}
	return e.tidy(true, "hooks", h.event)
}

// removeRules takes the permission rules out that were not there before.
func (e *editor) removeRules() error {
	kept := e.pristineRules()
	removed := 0
	for i := 0; i < len(e.rules()); {
		n := e.rules()[i]
		if slices.Contains(kept, n.Text) {
			i++
			continue
		}
		if err := e.step(e.doc.Remove(n)); err != nil {
			return err
		}
		removed++
	}
	if removed > 0 {
		e.say("%s: %s removed", strings.Join(e.host.rules, "."), plural(removed, "rule"))
		return e.tidy(true, e.host.rules...)
	}
	return nil
}

// removeVersion takes the version of the file format out when only that is left,
// and it was not there before.
func (e *editor) removeVersion() error {
	root := e.doc.Root
	if e.host.version == 0 || root.Member("version") == nil || root.Member("hooks") != nil {
		return nil
	}
	if e.pristine != nil {
		if e.pristine.doc != nil && e.pristine.doc.Get("version") != nil {
			return nil
		}
	} else if len(root.Children) > 1 {
		return nil
	}
	return e.step(e.doc.Remove(root.Member("version")))
}

// tidy leaves an empty container as it was before the first installation: with the
// same inside, or not at all. Then it looks at what holds it.
func (e *editor) tidy(wanted bool, path ...string) error {
	n := e.doc.Get(path...)
	if !wanted || n == nil || n.Parent == nil || len(n.Children) > 0 || n.Kind != jsonedit.Object && n.Kind != jsonedit.Array {
		return nil
	}
	var before *jsonedit.Node
	if e.pristine != nil && e.pristine.doc != nil {
		before = e.pristine.doc.Get(path...)
	}
	if before != nil && before.Kind == n.Kind {
		return e.step(e.inside(n, before))
	}
	if strip(e.doc.Interior(n)) != "" {
		return nil // somebody wrote a comment there
	}
	if err := e.step(e.doc.Remove(n)); err != nil {
		return err
	}
	return e.tidy(true, path[:len(path)-1]...)
}

// inside puts back what stood between the brackets, unless somebody wrote there.
func (e *editor) inside(n, before *jsonedit.Node) (*jsonedit.Document, error) {
	was := e.pristine.doc.Interior(before)
	if len(before.Children) > 0 || strip(was) != strip(e.doc.Interior(n)) {
		return e.doc, nil
	}
	return e.doc.SetInterior(n, was)
}

// strip is a text without white space.
func strip(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, string(text))
}

// rest is what the file holds when everything of ours is out; nil when there shall
// be no file.
func (e *editor) rest() []byte {
	root := e.doc.Root
	if len(root.Children) > 0 {
		return e.doc.Bytes()
	}
	switch p := e.pristine; {
	case p != nil && p.doc == nil && strip(e.doc.Interior(root)) == "":
		return p.text // it was blank
	case p != nil && p.doc != nil:
		if next, err := e.inside(root, p.doc.Root); err == nil {
			return next.Bytes()
		}
	case p == nil && bytes.Equal([]byte(strip(bytes.TrimPrefix(e.doc.Bytes(), []byte(bom)))), []byte("{}")):
		return nil // an installation made it
	}
	return e.doc.Bytes()
}
