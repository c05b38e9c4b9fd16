package tool

import "context"

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
type RuleOptions struct {
	Mode             Mode // empty: ModeDefault
	Allow, Ask, Deny []string
	// Aliases gives other names of tools that rules may use, as in Bash for shell.
	Aliases map[string]string
}

// Rules is a [Gate] made of rules.
type Rules struct{ opts RuleOptions }

// ParseRules reads rules. Error: [*RuleError].
func ParseRules(opts RuleOptions) (*Rules, error) { return &Rules{opts}, nil }

// Check implements [Gate].
func (r *Rules) Check(context.Context, Request) (Decision, error) {
	return Decision{Permission: Ask}, nil
}
