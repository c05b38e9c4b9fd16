package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Mode is how a session treats calls that no rule speaks of.
type Mode string

// The four modes. Rules that deny or ask hold in all of them.
const (
	ModeDefault     Mode = "default"           // read-only tools are allowed, the others ask
	ModeAcceptEdits Mode = "acceptEdits"       // and so are those that edit files
	ModePlan        Mode = "plan"              // read-only tools only, the others are denied
	ModeBypass      Mode = "bypassPermissions" // everything is allowed
)

// RuleOptions are rules as a settings file has them.
//
// A rule is the name of a tool, which may end in *, and in parentheses what it
// speaks of, all of it when there are none:
//
//   - of the shell: shell(git status) for exactly this, shell(git commit:*) for all
//     that begins with these words, shell(npm run * --fix) with a * for any words;
//   - of a tool that has a path: edit(src/**), read_file(~/notes/*.md), from the
//     working directory when relative; a folder stands for all below it;
//   - of another tool: its subject, with * for anything.
//
// Deny beats ask, ask beats allow, whatever the order.
type RuleOptions struct {
	Mode             Mode // empty: ModeDefault
	Allow, Ask, Deny []string
	// Aliases gives other names of tools that rules may use, as in "Bash": "shell".
	Aliases map[string]string
	// Home is what ~ stands for in rules; empty: the home of this program's user.
	Home string
}

// Rules is a [Gate] made of rules. It never changes.
//
// Commands are parsed, not matched as text. A rule that allows holds for a command
// line only if every part of it, in pipes, lists, subshells and substitutions too,
// is allowed by some rule, and if nothing in it reaches beyond its words: a
// variable that is set for it, a file that it is redirected to, a construct that
// shells read differently. A rule that denies or asks holds if any part matches,
// also behind wrappers (sudo, env, timeout, sh -c, xargs), whatever the path that
// its program is named by. Where a part cannot be told, as in $TOOL push, a rule that denies
// asks. What a script, an interpreter or an alias does is not seen: a rule is a
// fence for the usual, and not a jail.
//
// Paths are matched by name and by where they really lead: a rule that allows needs
// both, one that denies either. Rules speak of the path that a call names; what
// must not be seen by a search either is for Paths to deny.
type Rules struct {
	mode             Mode
	allow, ask, deny []rule
}

// RuleError is a rule that cannot be read.
type RuleError struct {
	Rule string
	Why  string
}

func (e *RuleError) Error() string { return fmt.Sprintf("permission rule %q: %s", e.Rule, e.Why) }

// rule is one rule, read.
type rule struct {
	text    string
	tool    string
	any     bool // of everything that the tool does
	subject string
	command commandPattern
	home    string
}

// ParseRules reads rules. Error: [*RuleError].
func ParseRules(opts RuleOptions) (*Rules, error) {
	r := &Rules{mode: opts.Mode}
	if r.mode == "" {
		r.mode = ModeDefault
	}
	if !slices.Contains([]Mode{ModeDefault, ModeAcceptEdits, ModePlan, ModeBypass}, r.mode) {
		return nil, &RuleError{Rule: string(r.mode), Why: "there is no such mode; use default, acceptEdits, plan or bypassPermissions"}
	}
	for _, list := range []struct {
		texts []string
		into  *[]rule
	}{{opts.Allow, &r.allow}, {opts.Ask, &r.ask}, {opts.Deny, &r.deny}} {
		for _, text := range list.texts {
			parsed, err := parseRule(text, opts)
			if err != nil {
				return nil, err
			}
			*list.into = append(*list.into, parsed)
		}
	}
	return r, nil
}

func parseRule(text string, opts RuleOptions) (rule, error) {
	name, rest, found := strings.Cut(strings.TrimSpace(text), "(")
	out := rule{text: text, tool: name, any: !found, home: opts.Home}
	if to, ok := opts.Aliases[name]; ok {
		out.tool = to
	}
	if n := strings.TrimSuffix(out.tool, "*"); out.tool != "*" && !validName(n) {
		return rule{}, &RuleError{text, "it begins with no name of a tool; write tool or tool(what)"}
	}
	if !found {
		return out, nil
	}
	inner, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return rule{}, &RuleError{text, "the last parenthesis is missing"}
	}
	out.subject = strings.TrimSpace(inner)
	switch out.subject {
	case "":
		return rule{}, &RuleError{text, "nothing stands in the parentheses; leave them out to speak of every call"}
	case "*", "**", ":*":
		out.any = true
		return out, nil
	}
	out.command = parsePattern(out.subject)
	return out, nil
}

// Mode is the mode of the rules.
func (r *Rules) Mode() Mode { return r.mode }

// WithMode is the same rules in another mode.
func (r *Rules) WithMode(m Mode) *Rules {
	n := *r
	n.mode = m
	return &n
}

// Unmatched gives the rules that speak of no tool of a registry, in order: a
// misspelt denial protects nobody, so a host says so.
func (r *Rules) Unmatched(reg *Registry) []string {
	var out []string
	for _, list := range [][]rule{r.deny, r.ask, r.allow} {
		for _, rule := range list {
			if !slices.ContainsFunc(reg.Names(), rule.names) {
				out = append(out, rule.text)
			}
		}
	}
	return out
}

// names tells whether the rule speaks of a tool.
func (r rule) names(tool string) bool {
	prefix, open := strings.CutSuffix(r.tool, "*")
	return r.tool == tool || open && strings.HasPrefix(tool, prefix)
}

// Check implements [Gate].
func (r *Rules) Check(_ context.Context, req Request) (Decision, error) {
	s := newSubject(req)
	if d, found := r.denied(s); found {
		return d, nil
	}
	if r.mode == ModePlan && !req.Tool.ReadOnly {
		return Decision{Deny, "in plan mode nothing may be changed, so only read-only tools can be used"}, nil
	}
	if d, found := r.asked(s); found {
		return d, nil
	}
	switch {
	case r.mode == ModeBypass, req.Tool.ReadOnly, r.mode == ModeAcceptEdits && req.Tool.Edits:
		return Decision{Permission: Allow}, nil
	}
	if text := s.allowedBy(r.allow); text != "" {
		return Decision{Allow, "rule " + text + " allows it"}, nil
	}
	return Decision{Ask, "no rule allows this call of " + req.Tool.Name}, nil
}

func (r *Rules) denied(s *subject) (Decision, bool) {
	unsure := ""
	for _, rule := range r.deny {
		switch s.hit(rule) {
		case yes:
			return Decision{Deny, "rule " + rule.text + " denies it"}, true
		case maybe:
			unsure = cmpOr(unsure, rule.text)
		}
	}
	if unsure != "" && s.unreadable() {
		return Decision{Deny, "the command cannot be parsed, so that rule " + unsure + " cannot be checked"}, true
	}
	return Decision{}, false
}

// asked is the answer of the rules that ask, and of those that deny where it
// cannot be told whether they hit.
func (r *Rules) asked(s *subject) (Decision, bool) {
	for _, rule := range r.ask {
		if s.hit(rule) != no {
			return Decision{Ask, "rule " + rule.text + " asks"}, true
		}
	}
	for _, rule := range r.deny {
		if s.hit(rule) == maybe {
			return Decision{Ask, "what the command does depends on values that are not known, and rule " + rule.text + " may deny it"}, true
		}
	}
	return Decision{}, false
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
