package scripted_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/scripted"
)

func TestLoad_yaml(t *testing.T) {
	m, err := scripted.Load(filepath.Join("testdata", "session.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	first := user("Please clean up.")
	first.Tools = []model.ToolSpec{{Name: "shell"}, {Name: "spawn"}}
	msg := ask(t, m, first)
	if msg.Model != "demo-model" || msg.ID != "msg_d0001" || *msg.Usage != (model.Usage{InputTokens: 1200, OutputTokens: 80, CacheCreationInputTokens: 1000}) {
		t.Errorf("got %+v, %+v", msg, msg.Usage)
	}
	if got := string(msg.ToolUses()[0].Input); got != `{"command":"ls -la > out && cat < out","timeout":1.50}` {
		t.Errorf("input %s", got)
	}
	second := user("x")
	second.Messages[0].Content[0] = model.ToolResult("t", "started task b12", false)
	msg = ask(t, m, second)
	wire, err := msg.AppendJSON(nil)
	want := `"content":[{"type":"text","text":"I ask the explorer."},{"type":"tool_use","id":"toolu_spawn","name":"spawn",` +
		`"input":{"prompt":"look at b12","deep":[1,null,true,-2.5e3,"x"]}},{"type":"later","note":"kept"}]`
	if err != nil || !strings.Contains(string(wire), want) {
		t.Errorf("got %s, %v\nwant %s", wire, err, want)
	}
	sub := user("look")
	sub.System = "You are the explorer."
	m.Release("explored")
	if got := ask(t, m, sub).FinalText(); got != "Two lines,\nand a third.\n" {
		t.Errorf("got %q", got)
	}
	if e := refused(t, m, user("x")); e.Kind != model.KindOverloaded || e.Status != 529 || e.RetryAfter.String() != "1s" || e.Partial.FinalText() != "never seen whole" {
		t.Errorf("got %+v", e)
	}
	if e := refused(t, m, user("x")); e.Kind != model.KindIncomplete {
		t.Errorf("got %v", e)
	}
	m.Release("late")
	if msg := ask(t, m, user("x")); msg.StopReason != model.StopMaxTokens {
		t.Errorf("got %+v", msg)
	}
	if err := m.Done(); err != nil {
		t.Error(err)
	}
}

func TestLoad_json(t *testing.T) {
	m, err := scripted.Load(filepath.Join("testdata", "session.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, m, user("x")).FinalText(); got != "emoji 😀 and /" {
		t.Errorf("got %q", got)
	}
	if got := string(ask(t, m, user("go")).ToolUses()[0].Input); got != `{"b":1.50,"a":12345678901234567890}` {
		t.Errorf("input %s", got)
	}
}

// Messages of a script name the file and the line where the step begins.
func TestParse_stepLines(t *testing.T) {
	for name, script := range map[string]string{
		"a.yaml": "# about\nsteps:\n  - text: one\n\n  - name: second\n    expect: {text: nope}\n    text: two\n",
		"a.json": "{\"steps\": [\n {\"text\": \"one\"},\n\n\n {\"name\": \"second\", \"expect\": {\"text\": \"nope\"}, \"text\": \"two\"}\n]}",
		"b.yaml": "- text: one\n\n\n\n- {name: second, expect: {text: nope}, text: two}\n",
	} {
		m, err := scripted.Parse(name, []byte(script))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ask(t, m, user("x"))
		e := refused(t, m, user("yes"))
		if want := name + `:5: step 2 (second) expects the text of the last message with "nope", got "yes"`; !strings.Contains(e.Error(), want) {
			t.Errorf("got %v\nwant %s", e, want)
		}
	}
}

func TestParse_errors(t *testing.T) {
	for _, tc := range []struct{ script, want string }{
		{"", "scripted: f:1: there is no script: give a list of steps"},
		{"# nothing\n", "scripted: f:1: there is no script: give a list of steps"},
		{"model: x\n", "scripted: f:1: there are no steps"},
		{"steps: []\n", "scripted: f:1: there are no steps"},
		{"[]", "scripted: f:1: there are no steps"},
		{"stepps:\n  - text: a\n", `scripted: f:1: unknown key "stepps": did you mean "steps"?`},
		{"steps:\n  - txt: a\n", `scripted: f:2: unknown key "txt" in steps: did you mean "text"?`},
		{"steps:\n  - text: a\n    expect:\n      tool-result: x\n", `scripted: f:4: unknown key "tool-result" in expect: did you mean "tool_result"?`},
		{"steps:\n  - tools:\n    - name: a\n      inputs: {}\n", `scripted: f:4: unknown key "inputs" in tools: did you mean "input"?`},
		{"steps:\n  - wait: {nam: x}\n    text: a\n", `scripted: f:2: unknown key "nam" in wait: did you mean "name"?`},
		{`{"steps":[{"text":"a",` + "\n" + `"zzzzzz":1}]}`, `scripted: f:2: unknown key "zzzzzz" in steps: known are name, when, expect`},
		{"steps:\n  - text: a\n    delay: 5\n", `scripted: f:3: the time 5 in delay needs a unit, as in 20ms or 5s`},
		{"steps:\n  - text: a\n    delay: soon\n", `cannot unmarshal`},
		{"steps:\n  - text: [a\n", "scripted: f: yaml: line"},
		{"steps:\n  - text: a\n    text: b\n", "already defined"},
		{"steps: 5\n", "cannot unmarshal"},
		{"- name: x\n", "scripted: f:1: step 1 (x): the step answers nothing: give text, tools, error or cut"},
		{"- text: a\n- text: b\n  content: [{text: c}]\n", "scripted: f:2: step 2: content is in place of thinking, text and tools"},
		{"- cut: 1\n  error: {}\n", "f:1: step 1: a stream ends with an error or is cut"},
		{"- text: a\n  wait: {after: 1}\n", "wait needs the name that is released"},
		{"- text: a\n  chunk: -1\n", "cannot be negative"},
		{"- error: {kind: overload}\n", `error kind "overload" is unknown`},
		{"- content: [{text: a, thinking: b}]\n", "block 1: a block is one of text, thinking, redacted, tool and raw"},
		{"- tools: [{input: {}}]\n", "block 1: a tool call needs a name"},
		{"- tools: [{name: a, input: [1]}]\n", "the input of a tool is an object, not [1]: use input_text"},
		{"- tools: [{name: a, input: {}, input_text: x}]\n", "input or input_text, not both"},
		{"- content: [{raw: 5}]\n", "a raw block is an object"},
		{"- &a [*a]\n", "cannot unmarshal !!seq"},
		{"- tools: [{name: n, input: &b {c: *b}}]\n", "nested too deeply, or too large"},
		{"- text: a\n  when: {text_matches: '('}\n", "f:1: step 1: when: pattern: error parsing regexp"},
		{"- text: a\n  expect: {system_matches: '('}\n", "f:1: step 1: expect: pattern: error parsing regexp"},
	} {
		_, err := scripted.Parse("f", []byte(tc.script))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%q gives %v\nwant %s", tc.script, err, tc.want)
		}
	}
	if _, err := scripted.Load(filepath.Join("testdata", "none.yaml")); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("got %v", err)
	}
}

func unwrapped(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		if _, isPath := err.(*os.PathError); isPath {
			return err
		}
		err = u.Unwrap()
	}
}

// YAML has more numbers than JSON. What is none of JSON's types is a string.
func TestParse_values(t *testing.T) {
	m, err := scripted.Parse("f", []byte("- text: &x hi\n- tools:\n  - {name: n, input: {a: 0x10, b: 1_000, c: .5, d: ~, e: 2026-12-01, f: 'x<y', g: true, h: *x, 5: k}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	ask(t, m, user("x"))
	want := `{"a":16,"b":1000,"c":0.5,"d":null,"e":"2026-12-01","f":"x<y","g":true,"h":"hi","5":"k"}`
	if got := string(ask(t, m, user("x")).ToolUses()[0].Input); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if _, err := scripted.Parse("f", []byte("- tools: [{name: n, input: {a: .inf}}]")); err == nil || !strings.Contains(err.Error(), "is no number of JSON") {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"- text: a", `[{"text":"a"}]`, "steps:\n- &x {text: a}\n- *x\n", "- tools: [{name: n, input: {a: .inf}}]", "{}", "- error: {after: 1}", "- &a [*a]", "- tools: [{name: n, input: &b {c: *b}}]"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := scripted.Parse("f", data)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond) // some wait
		defer cancel()
		for range 2 {
			_, final, err := deltas(m, ctx, user("a"))
			if (final == nil) == (err == nil) {
				t.Fatalf("%q: %v, %v", data, final, err)
			}
		}
	})
}
