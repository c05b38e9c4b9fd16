package hook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stophook/stophook/policy/hookio"
)

// matcher chooses the calls of a hook, as Claude Code reads it: empty or * is all,
// a list of names is exact, anything else is a pattern that is searched for.
type matcher struct {
	text    string
	names   []string       // of a list
	pattern *regexp.Regexp // of a pattern
	none    bool           // it fits nothing
}

// newMatcher reads a matcher. The note says what a person should know of it.
func newMatcher(text string) (m matcher, note string) {
	m.text = text
	if text == "" || text == "*" {
		return m, ""
	}
	if !strings.ContainsFunc(text, notInList) {
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' }) {
			if name = strings.TrimSpace(name); name != "" {
				m.names = append(m.names, name)
			}
		}
		m.none = len(m.names) == 0
		return m, ""
	}
	var err error
	if m.pattern, err = regexp.Compile(text); err == nil {
		return m, ""
	}
	if lookaround(text) {
		// Claude Code can read it, and perhaps keeps a gate with it. A hook that is
		// asked too often says so itself; one that is never asked is a lost gate.
		return m, fmt.Sprintf("the matcher %q looks around (?=, ?!, ?<), which is not supported here: its hooks run for every call", text)
	}
	m.none = true
	return m, fmt.Sprintf("the matcher %q is no pattern (%v): its hooks never run", text, err)
}

// notInList tells what a list of names cannot hold.
func notInList(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_|, -", r)
}

func lookaround(text string) bool {
	return slices.ContainsFunc([]string{"(?=", "(?!", "(?<=", "(?<!"}, func(mark string) bool { return strings.Contains(text, mark) })
}

// fits tells whether one of the names of a call is meant. Events without a name to
// choose by are always meant.
func (m matcher) fits(event hookio.EventName, names []string) bool {
	switch event {
	case hookio.Stop, hookio.UserPromptSubmit:
		return true
	}
	switch {
	case m.none:
		return false
	case m.names != nil:
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(m.names, n) })
	case m.pattern != nil:
		return slices.ContainsFunc(names, m.pattern.MatchString)
	}
	return true
}

// events that a settings file may name without a word of warning. The last two are
// never called yet.
func events() []hookio.EventName {
	return []hookio.EventName{hookio.Stop, hookio.SubagentStop, hookio.PreToolUse, hookio.PostToolUse, hookio.UserPromptSubmit,
		hookio.SessionStart, hookio.SessionEnd, hookio.PreCompact, hookio.Notification}
}

func known(name hookio.EventName) bool { return slices.Contains(events(), name) }

// spelled finds the event that a name in another case stands for.
func spelled(name hookio.EventName) hookio.EventName {
	plain := func(n hookio.EventName) string {
		return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(string(n)))
	}
	for _, e := range events() {
		if plain(e) == plain(name) {
			return e
		}
	}
	return ""
}
