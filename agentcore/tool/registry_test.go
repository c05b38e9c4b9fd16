package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type echoInput struct {
	Text  string `json:"text" jsonschema:"what to say"`
	Times int    `json:"times,omitempty" jsonschema:"how often"`
}

func echo(_ context.Context, _ *Call, in echoInput) (*Result, error) {
	return &Result{Text: strings.Repeat(in.Text, max(in.Times, 1))}, nil
}

func mustTool(t testing.TB, name string, run func(context.Context, *Call, echoInput) (*Result, error), opts ...Option) Tool {
	t.Helper()
	made, err := New(name, "says it", run, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func mustRegistry(t testing.TB, tools ...Tool) *Registry {
	t.Helper()
	r, err := NewRegistry(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func runTool(t testing.TB, ctx context.Context, r *Registry, name, input string) *Result {
	t.Helper()
	res, err := r.Run(ctx, &Call{ID: "t1", Name: name, Input: json.RawMessage(input)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestNew_schema(t *testing.T) {
	made := mustTool(t, "echo", echo, ReadOnly(), Subject(SubjectText, "text", "-"))
	want := `{"type":"object","properties":{"text":{"type":"string","description":"what to say"},"times":{"type":"integer","description":"how often"}},"required":["text"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(made.Schema)); diff != "" {
		t.Error(diff)
	}
	if !made.ReadOnly || !made.Parallel || made.Subject(json.RawMessage(`{"text":"x"}`)) != "x" || made.Subject(json.RawMessage(`[`)) != "-" {
		t.Errorf("%+v", made)
	}
}

func TestNew_arraysAreNotNull(t *testing.T) {
	type in struct {
		List []string `json:"list"`
		Deep struct {
			More [][]int `json:"more,omitempty"`
		} `json:"deep"`
	}
	made, err := New("a", "", func(context.Context, *Call, in) (*Result, error) { return nil, nil })
	if err != nil || strings.Contains(string(made.Schema), "null") {
		t.Errorf("%s, %v", made.Schema, err)
	}
}

func TestNew_errors(t *testing.T) {
	run := func(context.Context, *Call, func()) (*Result, error) { return nil, nil }
	if _, err := New("a", "", run); err == nil {
		t.Error("a function is taken for an input")
	}
	if _, err := New("a b", "", echo); err == nil {
		t.Error("a bad name is taken")
	}
	if _, err := New("a", "", func(context.Context, *Call, string) (*Result, error) { return nil, nil }); err == nil {
		t.Error("an input that is no object is taken")
	}
}

func TestFromSchema(t *testing.T) {
	schema := `{ "type":"object", "properties": {"b": {}, "a": {}} }`
	made, err := FromSchema("x", "", json.RawMessage(schema), func(_ context.Context, c *Call) (*Result, error) {
		return &Result{Text: string(c.Input)}, nil
	})
	if err != nil || string(made.Schema) != schema {
		t.Fatalf("%s, %v", made.Schema, err)
	}
	if got := runTool(t, t.Context(), mustRegistry(t, made), "x", " "); got.Text != "{}" {
		t.Errorf("no input became %q", got.Text)
	}
	for _, bad := range []string{``, `{"type":"array"}`, `{"type":"object","properties":3}`} {
		var se *SchemaError
		if _, err := FromSchema("x", "", json.RawMessage(bad), made.Run); err == nil || bad != "" && !strings.Contains(bad, "3") && !errors.As(err, &se) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestRegistry_names(t *testing.T) {
	for _, name := range []string{"", "a b", "ä", strings.Repeat("a", 65), "a.b", "a/b"} {
		var ne *NameError
		if _, err := NewRegistry(Tool{Name: name}); !errors.As(err, &ne) {
			t.Errorf("%q: %v", name, err)
		}
	}
	a := mustTool(t, "a", echo)
	var ne *NameError
	if _, err := NewRegistry(a, a); !errors.As(err, &ne) || !ne.Duplicate {
		t.Errorf("twice: %v", err)
	}
	if _, err := NewRegistry(Tool{Name: "a", Schema: a.Schema}); err == nil {
		t.Error("a tool without Run is taken")
	}
}

func TestRegistry_withAndWithout(t *testing.T) {
	tools := func(names ...string) (out []Tool) {
		for _, n := range names {
			out = append(out, mustTool(t, n, echo))
		}
		return out
	}
	r := mustRegistry(t, tools("c", "a", "b")...)
	other := mustTool(t, "a", echo, Edits())
	with, err := r.With(append(tools("d"), other)...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"c", "a", "b", "d"}, with.Names()); diff != "" {
		t.Error(diff)
	}
	if got, _ := with.Get("a"); !got.Edits {
		t.Error("the new tool did not take the place of the old one")
	}
	if got, _ := r.Get("a"); got.Edits {
		t.Error("the registry itself changed")
	}
	if diff := cmp.Diff([]string{"c", "b"}, r.Without("a", "zz").Names()); diff != "" {
		t.Error(diff)
	}
	if _, err := r.With(tools("x", "x")...); err == nil {
		t.Error("a name that is twice among the new ones is taken")
	}
	if specs := r.Specs(); len(specs) != 3 || specs[0].Name != "c" || specs[0].Description != "says it" {
		t.Errorf("%+v", specs)
	}
}

func TestRegistry_RT10_badCallsAreResults(t *testing.T) {
	r := mustRegistry(t, mustTool(t, "read_file", echo), mustTool(t, "grep", echo))
	for _, tc := range []struct{ reason, name, input, want string }{
		{"a slip", "read_flie", `{}`, `There is no tool "read_flie". Did you mean read_file? Available tools: read_file, grep.`},
		{"nothing near", "browser", `{}`, `There is no tool "browser". Available tools: read_file, grep.`},
		{"a name that would break a line", "x\ny\x1b", `{}`, "There is no tool \"x\\ny␛\". Available tools: read_file, grep."},
		{"bad input", "grep", `{"txt": 3}`, "The input of grep is not valid, and nothing was done:\n- missing property \"text\": a string\n- unknown property \"txt\", did you mean \"text\"?\nExpected: {\"text\": string, \"times\"?: integer}"},
		{"an integer that Go does not take", "grep", `{"text":"a","times":1e30}`, "The input of grep is not valid, and nothing was done:\n- \"times\" must be a plain integer in range, such as 10, got 1e30"},
	} {
		got := runTool(t, t.Context(), r, tc.name, tc.input)
		if diff := cmp.Diff(tc.want, got.Text); diff != "" || !got.IsError {
			t.Errorf("%s: error %v\n%s", tc.reason, got.IsError, diff)
		}
	}
	if got := runTool(t, t.Context(), mustRegistry(t), "x", `{}`); got.Text != `There is no tool "x". No tools are available.` {
		t.Error(got.Text)
	}
	if bad := r.Validate(&Call{Name: "grep", Input: json.RawMessage(`{"text":"a"}`)}); bad != nil {
		t.Errorf("good input: %s", bad.Text)
	}
}

func TestRegistry_RT10_panics(t *testing.T) {
	boom := errors.New("boom with a secret")
	var told []*PanicError
	r := mustRegistry(t, mustTool(t, "bad", func(context.Context, *Call, echoInput) (*Result, error) { panic(boom) })).
		WithOptions(RegistryOptions{OnPanic: func(p *PanicError) { told = append(told, p); panic("the reporter as well") }})
	got := runTool(t, t.Context(), r, "bad", `{"text":"a"}`)
	if !got.IsError || strings.Contains(got.Text, "boom") || strings.Contains(got.Text, ".go:") || !strings.HasPrefix(got.Text, "bad failed: an internal error") {
		t.Errorf("the model hears %q", got.Text)
	}
	if len(told) != 1 || told[0].Tool != "bad" || told[0].CallID != "t1" || !errors.Is(told[0], boom) || !strings.Contains(string(told[0].Stack), "registry_test.go") {
		t.Errorf("told %v", told)
	}
}

func TestRegistry_errorsAreTheTools(t *testing.T) {
	broken := errors.New("disk gone")
	r := mustRegistry(t, mustTool(t, "bad", func(context.Context, *Call, echoInput) (*Result, error) { return nil, broken }))
	if _, err := r.Run(t.Context(), &Call{Name: "bad", Input: json.RawMessage(`{"text":"a"}`)}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestRegistry_nilResult(t *testing.T) {
	r := mustRegistry(t, mustTool(t, "nothing", func(context.Context, *Call, echoInput) (*Result, error) { return nil, nil }))
	if got := runTool(t, t.Context(), r, "nothing", `{"text":"a"}`); got == nil || got.IsError {
		t.Errorf("%+v", got)
	}
}

func TestRegistry_RT5_cancel(t *testing.T) {
	why := errors.New("stopped")
	for _, tc := range []struct {
		reason string
		cause  error
		run    func(ctx context.Context) (*Result, error)
		want   string
	}{
		{"a tool that returns the error of ctx", nil, func(ctx context.Context) (*Result, error) { return nil, ctx.Err() },
			"The call was aborted by the user, while it ran: a part of the work may be done."},
		{"or its cause, wrapped", why, func(ctx context.Context) (*Result, error) { return nil, fmt.Errorf("x: %w", context.Cause(ctx)) },
			"The call was aborted by the user, while it ran: a part of the work may be done."},
		{"a result of its own is kept", why, func(context.Context) (*Result, error) { return Errorf("half done"), nil }, "half done"},
		{"time", context.DeadlineExceeded, func(ctx context.Context) (*Result, error) { return nil, context.Cause(ctx) },
			"The call was aborted because the time for it ran out, while it ran: a part of the work may be done."},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		r := mustRegistry(t, mustTool(t, "slow", func(ctx context.Context, _ *Call, _ echoInput) (*Result, error) {
			cancel(tc.cause)
			<-ctx.Done()
			return tc.run(ctx)
		}))
		got := runTool(t, ctx, r, "slow", `{"text":"a"}`)
		if got.Text != tc.want || !got.IsError || got.Aborted != (got.Text != "half done") {
			t.Errorf("%s: %+v", tc.reason, got)
		}
		if again := runTool(t, ctx, r, "slow", `{"text":"a"}`); !strings.HasSuffix(again.Text, "before it began: nothing was done.") || !again.Aborted {
			t.Errorf("%s: a call after the end gives %q", tc.reason, again.Text)
		}
	}
}

func TestRegistry_RT31_output(t *testing.T) {
	kept := &Result{Text: strings.Repeat("x", 100) + "\x1b"}
	say := func(context.Context, *Call, echoInput) (*Result, error) { return kept, nil }
	r := mustRegistry(t, mustTool(t, "usual", say), mustTool(t, "less", say, MaxOutput(20)), mustTool(t, "all", say, MaxOutput(-1))).
		WithOptions(RegistryOptions{Limits: Limits{Bytes: 50}})
	for name, want := range map[string]int{"usual": 53, "less": 83, "all": 0} {
		got := runTool(t, t.Context(), r, name, `{"text":"a"}`)
		if got.Cut.Bytes != want || !strings.HasSuffix(got.Text, "␛") {
			t.Errorf("%s: cut %d, want %d: %q", name, got.Cut.Bytes, want, got.Text)
		}
	}
	if !strings.HasSuffix(kept.Text, "\x1b") || kept.Cut.Bytes != 0 {
		t.Error("the tool's own result was changed")
	}
	long := mustRegistry(t, mustTool(t, "long", func(context.Context, *Call, echoInput) (*Result, error) {
		return &Result{Text: strings.Repeat("line\n", 20_000)}, nil
	}))
	if got := runTool(t, t.Context(), long, "long", `{"text":"a"}`); len(got.Text) > DefaultMaxOutput+200 || got.Cut.Bytes < 60_000 {
		t.Errorf("%d bytes, %+v", len(got.Text), got.Cut)
	}
}

func TestRegistry_theCallStaysAsItIs(t *testing.T) {
	var seen *Call
	r := mustRegistry(t, mustTool(t, "look", func(_ context.Context, c *Call, in echoInput) (*Result, error) { seen = c; return nil, nil }))
	call := &Call{Name: "look", Input: json.RawMessage(`{"text":"a","times":null}`)}
	if _, err := r.Run(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	if string(call.Input) != `{"text":"a","times":null}` || call.Env != nil || string(seen.Input) != `{"text":"a"}` || seen.Env == nil {
		t.Errorf("given %+v, the tool saw %+v", call, seen)
	}
}

func TestAborted_deadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	if got := Aborted(ctx, false); got.Text != "The call was aborted because the time for it ran out, before it began: nothing was done." {
		t.Error(got.Text)
	}
}

func BenchmarkRegistryRun(b *testing.B) {
	r := mustRegistry(b, mustTool(b, "noop", func(context.Context, *Call, echoInput) (*Result, error) { return &Result{Text: "ok"}, nil }))
	call := &Call{ID: "t1", Name: "noop", Input: json.RawMessage(`{"text":"hello","times":3}`), Env: &Env{}}
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if res, err := r.Run(ctx, call); err != nil || res.IsError {
			b.Fatal(res, err)
		}
	}
}
