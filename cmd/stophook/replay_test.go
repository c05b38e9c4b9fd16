package main

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/decisionlog"
)

// checkReplay decides a logged input again, with the policies of the case and
// nothing else: the log alone must lead to the same verdict (PO-15, DESIGN
// section 4). policyDir may be empty.
func checkReplay(t *testing.T, e decisionlog.Event, policyDir string) {
	t.Helper()
	if len(e.Erased) > 0 {
		t.Errorf("the logged input lost %v, so it cannot be replayed", e.Erased)
	}
	if e.Input == nil {
		return // stdin was no event: nothing was decided, so there is nothing to decide again
	}
	input, ok := e.Input.(map[string]any)
	if !ok {
		t.Fatalf("the logged input is a %T", e.Input)
	}
	var logged struct {
		Host   struct{ Event string }
		Config struct {
			Rules map[string]policy.RuleSetting
		}
	}
	b, err := json.Marshal(input)
	if err == nil {
		err = json.Unmarshal(b, &logged)
	}
	if err != nil {
		t.Fatal(err)
	}
	opts := policy.EngineOptions{Event: logged.Host.Event, RuleSettings: logged.Config.Rules}
	if policyDir != "" {
		opts.Layers = []policy.Layer{{Name: "flag", FS: os.DirFS(policyDir), Root: policyDir}}
	}
	engine, err := policy.NewEngine(context.Background(), opts)
	var d *policy.Decision
	if err == nil {
		d, err = engine.Decide(context.Background(), input)
	}
	if err != nil {
		if d, err = engine.Fail(context.Background(), input, policy.FailureOf(err)); err != nil {
			t.Fatal(err)
		}
	}
	if want := resultOf(t, e); d.Verdict != want.Verdict || d.Code != want.Code || d.Reason != want.Reason {
		t.Errorf("PO-15: replayed: %s %s %q, logged: %s %s %q", d.Verdict, d.Code, d.Reason, want.Verdict, want.Code, want.Reason)
	}
}
