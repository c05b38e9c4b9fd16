package install

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/jsonedit"
)

// rules are the elements of the host's list of permitted commands that permit one
// of our evidence commands and nothing else.
func (e *editor) rules() []*jsonedit.Node { return rulesOf(e.host, e.doc) }

func rulesOf(h host, doc *jsonedit.Document) []*jsonedit.Node {
	if h.rule == nil || doc == nil {
		return nil
	}
	before, after, _ := strings.Cut(h.rule("\x00"), "\x00")
	var found []*jsonedit.Node
	for _, n := range doc.Get(h.rules...).Elements() {
		text, ok := strings.CutPrefix(n.StringValue(), before)
		text, ok2 := strings.CutSuffix(text, after)
		if words := splitWords(text); ok && ok2 && len(words) == 2 && ours(words[0]) &&
			slices.Contains(evidence(ProfileRitual), words[1]) {
			found = append(found, n)
		}
	}
	return found
}

// wantedRules are the rules of a profile.
func (h host) wantedRules(opts Options) []string {
	if h.rule == nil {
		return nil
	}
	programs := opts.Agent
	if len(programs) == 0 {
		programs = []string{quote(opts.Command)}
	}
	var wanted []string
	for _, p := range programs {
		for _, c := range evidence(opts.Profile) {
			wanted = append(wanted, h.rule(p+" "+c))
		}
	}
	return wanted
}

// installRules adds the rules that the profile needs, and takes those of an earlier
// installation out that it does not need.
func (e *editor) installRules(opts Options) error {
	wanted := e.host.wantedRules(opts)
	kept := e.pristineRules()
	removed := 0
	for i := 0; i < len(e.rules()); {
		n := e.rules()[i]
		if slices.Contains(wanted, n.Text) || slices.Contains(kept, n.Text) || len(e.settings.hooks()) == 0 {
			i++
			continue
		}
		if err := e.step(e.doc.Remove(n)); err != nil {
			return err
		}
		removed++
	}
	if removed > 0 {
		e.say("%s: %s removed that the agent does not need any more", strings.Join(e.host.rules, "."), plural(removed, "rule"))
	}
	if len(wanted) == 0 {
		return e.tidy(removed > 0, e.host.rules...)
	}
	list, err := e.container(jsonedit.Array, e.host.rules...)
	if err != nil {
		return err
	}
	var added []string
	for _, rule := range wanted {
		if slices.ContainsFunc(list.Elements(), func(n *jsonedit.Node) bool { return n.StringValue() == rule }) {
			continue
		}
		if err := e.step(e.doc.Insert(list, "", rule)); err != nil {
			return err
		}
		list = e.doc.Get(e.host.rules...)
		added = append(added, rule)
	}
	if len(added) > 0 {
		e.say("%s: %s added, so that no prompt stands in the agent's way", strings.Join(e.host.rules, "."), strings.Join(added, ", "))
	}
	return nil
}

// pristineRules are the rules that stood there before the first installation.
func (e *editor) pristineRules() []string {
	if e.pristine == nil {
		return nil
	}
	var texts []string
	for _, n := range rulesOf(e.host, e.pristine.doc) {
		texts = append(texts, n.Text)
	}
	return texts
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
