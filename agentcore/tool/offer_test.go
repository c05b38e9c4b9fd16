package tool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sayer is a tool that says what it was offered.
func sayer(name string) Tool {
	return Tool{Name: name, Description: "base", Schema: json.RawMessage(`{"type":"object"}`), Run: func(_ context.Context, c *Call) (*Result, error) {
		if c.Offer == nil {
			return &Result{Text: "none"}, nil
		}
		data, err := json.Marshal(c.Offer)
		return &Result{Text: string(data)}, err
	}}
}

func adaptable(name string) Tool {
	t := sayer(name)
	t.Adapt = func(o Offer) (Tool, bool) {
		fit := sayer(name)
		fit.Description = "adapted"
		fit.Schema = json.RawMessage(`{"type":"object","properties":{"x":{}}}`)
		fit.Run = nil // has no say in it
		return fit, o.Background
	}
	return t
}

func TestAdaptAll_AC2_AC3(t *testing.T) {
	given := []Tool{sayer("plain"), adaptable("shell"), sayer("last")}
	var names []string
	for _, made := range AdaptAll(given, Offer{}) {
		names = append(names, made.Name)
	}
	if diff := cmp.Diff([]string{"plain", "last"}, names); diff != "" {
		t.Error(diff)
	}
	got := AdaptAll(given, Offer{Background: true})
	if len(got) != 3 || got[1].Description != "adapted" || !strings.Contains(string(got[1].Schema), `"x"`) || got[0].Description != "base" {
		t.Errorf("%+v", got)
	}
	if given[1].Description != "base" {
		t.Error("what was given has changed")
	}
}

func runOf(t *testing.T, made Tool) string {
	t.Helper()
	res, err := made.Run(t.Context(), &Call{Name: made.Name})
	if err != nil {
		t.Fatal(err)
	}
	return res.Text
}

// A host that put something around a tool keeps it, and the call has the offer of
// the last time that the tool was adapted: a subagent's, not its parent's.
func TestAdaptAll_AC3_wrappedAndTwice(t *testing.T) {
	wrapped := adaptable("shell")
	inner := wrapped.Run
	wrapped.Run = func(ctx context.Context, c *Call) (*Result, error) {
		res, err := inner(ctx, c)
		res.Text = "guarded " + res.Text
		return res, err
	}
	if got := runOf(t, wrapped); got != "guarded none" {
		t.Errorf("before: %s", got)
	}
	parent := AdaptAll([]Tool{wrapped}, Offer{Background: true, Headless: true})
	if got := runOf(t, parent[0]); got != `guarded {"Background":true,"Kill":false,"Wait":false,"Handoff":false,"Headless":true,"Subagent":false}` {
		t.Error(got)
	}
	child := AdaptAll(parent, Offer{Background: true, Subagent: true})
	if got := runOf(t, child[0]); got != `guarded {"Background":true,"Kill":false,"Wait":false,"Handoff":false,"Headless":false,"Subagent":true}` {
		t.Error(got)
	}
	if got := AdaptAll(parent, Offer{}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestTaskErrors_D17(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want string
	}{
		{&UnknownTaskError{TaskID: "bash_9", Known: []string{"bash_1", "bash_2"}}, `there is no task "bash_9": the tasks are bash_1, bash_2`},
		{&UnknownTaskError{TaskID: "bash_9"}, `there is no task "bash_9", and no other: nothing was started in the background`},
		{&NotSupportedError{What: "waiting for background tasks"}, "waiting for background tasks is not possible here: the execution context cannot do it"},
		{&NotSupportedError{What: "background work", Why: "the agent is closed"}, "background work is not possible here: the agent is closed"},
	} {
		if tc.err.Error() != tc.want {
			t.Errorf("%v", tc.err)
		}
	}
	var unknown *UnknownTaskError
	if !errors.As(error(&UnknownTaskError{TaskID: "x"}), &unknown) || unknown.TaskID != "x" {
		t.Error("it carries no id")
	}
}
