package modeltest

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// Adapter is what Run tests.
type Adapter struct {
	Name string
	API  API

	// New makes the adapter for an API at baseURL, with [APIKey] as the key and
	// no attempts of its own: trying again is [model.Retry]'s.
	New func(baseURL string) model.Model

	// Idle makes one that gives up when nothing comes for d. Nil: the check
	// "silence" is skipped.
	Idle func(baseURL string, d time.Duration) model.Model

	// Skip names checks that do not apply, each with the reason.
	Skip map[string]string

	patience time.Duration // how long a call of a check may take; 0: 30 s
}

// Run holds an adapter to the contract of [model.Model], one subtest a check.
// Goroutines that are left behind are for goleak in the caller's TestMain.
func Run(t *testing.T, a Adapter) {
	t.Helper()
	checks, err := checksOf(a.API)
	if err != nil {
		t.Fatal(err)
	}
	for name := range a.Skip {
		if !known(checks, name) {
			t.Errorf("Skip names the check %q, which there is not", name)
		}
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			if c.idle && a.Idle == nil {
				t.Skip("Adapter.Idle is not given: the adapter has no bound for silence")
			}
			if reason := a.Skip[c.name]; reason != "" {
				t.Skip(reason)
			}
			c.run(t, a)
		})
	}
}

// check is one named rule.
type check struct {
	name string
	run  func(t tester, a Adapter)
	idle bool // needs Adapter.Idle
}

// tester is the part of testing.T that checks use, so that the suite's own tests
// can see a check fail.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Context() context.Context
}

// bound is how long a call may take: long enough for a busy machine, and only
// ever used up by an adapter that hangs.
func (a Adapter) bound() time.Duration { return cmp.Or(a.patience, 30*time.Second) }

// checksOf gives the cases of an API and the rules that no file can say.
func checksOf(api API) ([]check, error) {
	names, err := caseNames(api)
	if err != nil {
		return nil, err
	}
	var all []check
	for _, name := range names {
		all = append(all, check{name: name, run: func(t tester, a Adapter) {
			c, err := loadCase(a.API, name)
			if err != nil {
				t.Fatalf("%v", err)
			}
			c.check(t, a)
		}})
	}
	return append(all, behaviours()...), nil
}

func known(checks []check, name string) bool {
	for _, c := range checks {
		if c.name == name {
			return true
		}
	}
	return false
}
