package tool

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func says(p Permission, reason string) Gate {
	return GateFunc(func(context.Context, Request) (Decision, error) { return Decision{p, reason}, nil })
}

func TestAll_RT33(t *testing.T) {
	broken := errors.New("no such file: /home/me/secret")
	fails := GateFunc(func(context.Context, Request) (Decision, error) { return Decision{Permission: Allow}, broken })
	panics := GateFunc(func(context.Context, Request) (Decision, error) { panic("x") })
	for _, tc := range []struct {
		reason string
		gates  []Gate
		want   Permission
		why    string
		failed bool
	}{
		{"none", nil, Allow, "", false},
		{"nil gates are left out", []Gate{nil, says(Ask, "a"), nil}, Ask, "a", false},
		{"ask beats allow", []Gate{says(Allow, "a"), says(Ask, "b"), says(Allow, "c")}, Ask, "b", false},
		{"the first of equals", []Gate{says(Ask, "a"), says(Ask, "b")}, Ask, "a", false},
		{"deny beats ask", []Gate{says(Ask, "a"), says(Deny, "b")}, Deny, "b", false},
		{"an error denies, and its text stays inside", []Gate{says(Allow, ""), fails}, Deny, "the permission check itself failed, so the call is refused", true},
		{"a panic denies", []Gate{panics}, Deny, "the permission check itself failed, so the call is refused", true},
		{"no answer denies", []Gate{says("", "")}, Deny, "the permission check gave no answer, so the call is refused", true},
		{"a wrong answer denies", []Gate{says("yes", "")}, Deny, "the permission check gave no answer, so the call is refused", true},
	} {
		d, err := All(tc.gates...).Check(t.Context(), Request{})
		if d.Permission != tc.want || d.Reason != tc.why && tc.want != Allow || (err != nil) != tc.failed {
			t.Errorf("%s: %+v, %v", tc.reason, d, err)
		}
	}
}

// One more gate never loosens, wherever it is added.
func TestAll_RT33_tightensOnly(t *testing.T) {
	answers := []Permission{Allow, Ask, Deny, "", "nonsense"}
	draw := rapid.Custom(func(t *rapid.T) Gate {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return GateFunc(func(context.Context, Request) (Decision, error) {
				return Decision{Permission: Allow}, errors.New("x")
			})
		}
		return says(rapid.SampledFrom(answers).Draw(t, "answer"), "r")
	})
	rapid.Check(t, func(t *rapid.T) {
		gates := rapid.SliceOfN(draw, 0, 5).Draw(t, "gates")
		more := draw.Draw(t, "more")
		at := rapid.IntRange(0, len(gates)).Draw(t, "at")
		before, _ := All(gates...).Check(context.Background(), Request{})
		with := append(append(append([]Gate{}, gates[:at]...), more), gates[at:]...)
		after, _ := All(with...).Check(context.Background(), Request{})
		if after.Permission.strength() < before.Permission.strength() {
			t.Fatalf("%v became %v", before, after)
		}
		nested, _ := All(All(gates...), more).Check(context.Background(), Request{})
		if nested.Permission != after.Permission {
			t.Fatalf("nested %v, flat %v", nested, after)
		}
	})
}

func TestAsking(t *testing.T) {
	broken := errors.New("terminal closed")
	answer := func(ok bool, err error) Asker {
		return func(_ context.Context, _ Request, reason string) (bool, error) {
			if reason != "why" {
				t.Errorf("asked with %q", reason)
			}
			return ok, err
		}
	}
	for _, tc := range []struct {
		reason string
		gate   Gate
		ask    Asker
		want   Permission
		why    string
	}{
		{"nobody is there", says(Ask, "why"), nil, Deny, "this needs a permission that nobody is here to give: why"},
		{"yes", says(Ask, "why"), answer(true, nil), Allow, "the user allowed it"},
		{"no", says(Ask, "why"), answer(false, nil), Deny, "the user refused it: why"},
		{"yes with an error", says(Ask, "why"), answer(true, broken), Deny, "the question for permission could not be put, so the call is refused"},
		{"a denial is not asked about", says(Deny, "no"), answer(true, nil), Deny, "no"},
		{"what is allowed neither", says(Allow, ""), nil, Allow, ""},
		{"no gate", nil, nil, Allow, ""},
	} {
		d, _ := Asking(tc.gate, tc.ask).Check(t.Context(), Request{})
		if d.Permission != tc.want || d.Reason != tc.why {
			t.Errorf("%s: %+v", tc.reason, d)
		}
	}
}

func TestDenied(t *testing.T) {
	if r := Denied(Decision{Deny, "rule x denies it"}); !r.IsError || !strings.HasPrefix(r.Text, "The call was not made: rule x denies it.") {
		t.Error(r.Text)
	}
	if r := Denied(Decision{}); !strings.Contains(r.Text, "forbids it") {
		t.Error(r.Text)
	}
}
