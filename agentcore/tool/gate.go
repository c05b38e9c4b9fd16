package tool

import (
	"context"
	"fmt"
)

// Permission is what a gate says about a call.
type Permission string

// Deny is stronger than ask, ask is stronger than allow.
const (
	Allow Permission = "allow"
	Ask   Permission = "ask"
	Deny  Permission = "deny"
)

// strength orders permissions. What is none of them counts as deny.
func (p Permission) strength() int {
	switch p {
	case Allow:
		return 0
	case Ask:
		return 1
	}
	return 2
}

// Request is a call that wants to be made. Its input is valid.
type Request struct {
	Tool     Tool
	Call     *Call
	Subagent bool // the call is one of a subagent
}

// Decision is a gate's answer. The reason of a denial is shown to the model, that
// of a question to the person.
type Decision struct {
	Permission Permission
	Reason     string
}

// Gate decides whether a call may be made. Allow means no objection: it never
// weakens what another gate says. An error denies.
type Gate interface {
	Check(ctx context.Context, req Request) (Decision, error)
}

// GateFunc is a function as a gate.
type GateFunc func(ctx context.Context, req Request) (Decision, error)

// Check implements [Gate].
func (f GateFunc) Check(ctx context.Context, req Request) (Decision, error) { return f(ctx, req) }

// All asks every gate in order and gives the strictest answer, of equal ones the
// first. So one more gate can only tighten. The first denial ends the asking. Nil
// gates are left out; with no gate at all everything is allowed.
//
// It fails closed: an error, a panic and an answer that is no permission deny.
// The error comes back beside the denial, for the log.
func All(gates ...Gate) Gate {
	return GateFunc(func(ctx context.Context, req Request) (Decision, error) {
		strictest := Decision{Permission: Allow}
		for _, g := range gates {
			if g == nil {
				continue
			}
			d, err := Check(ctx, g, req)
			if d.Permission.strength() > strictest.Permission.strength() {
				strictest = d
			}
			if d.Permission == Deny {
				return d, err
			}
		}
		return strictest, nil
	})
}

// Check asks one gate, failing closed: what comes back is allow, ask or deny, and
// deny beside an error. A nil gate allows.
func Check(ctx context.Context, g Gate, req Request) (d Decision, err error) {
	if g == nil {
		return Decision{Permission: Allow}, nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("permission check of %s panicked: %v", req.Tool.Name, v)
		}
		if err != nil {
			// A fixed text: what went wrong inside is for the log.
			d = Decision{Permission: Deny, Reason: "the permission check itself failed, so the call is refused"}
			return
		}
		if d.Permission != Allow && d.Permission != Ask && d.Permission != Deny {
			err = fmt.Errorf("permission check of %s gave %q, which is no permission", req.Tool.Name, d.Permission)
			d = Decision{Permission: Deny, Reason: "the permission check gave no answer, so the call is refused"}
		}
	}()
	return g.Check(ctx, req)
}

// Asker asks a person about a call. It returns the answer; an error denies.
type Asker func(ctx context.Context, req Request, reason string) (allowed bool, err error)

// Asking is a gate whose questions are answered by ask: it never gives [Ask]. With
// a nil ask nobody is there, and questions are denied.
func Asking(g Gate, ask Asker) Gate {
	return GateFunc(func(ctx context.Context, req Request) (Decision, error) {
		d, err := Check(ctx, g, req)
		if err != nil || d.Permission != Ask {
			return d, err
		}
		if ask == nil {
			return Decision{Deny, because("this needs a permission that nobody is here to give", d.Reason)}, nil
		}
		allowed, err := ask(ctx, req, d.Reason)
		switch {
		case err != nil:
			return Decision{Deny, "the question for permission could not be put, so the call is refused"}, err
		case !allowed:
			return Decision{Deny, because("the user refused it", d.Reason)}, nil
		}
		return Decision{Permission: Allow, Reason: "the user allowed it"}, nil
	})
}

func because(what, reason string) string {
	if reason == "" {
		return what
	}
	return what + ": " + reason
}

// Denied is the result of a call that was not allowed.
func Denied(d Decision) *Result {
	reason := d.Reason
	if reason == "" {
		reason = "a rule of this session forbids it"
	}
	return Errorf("The call was not made: %s. Do not try to reach the same by another way; go on without it, or say what you need.", reason)
}
