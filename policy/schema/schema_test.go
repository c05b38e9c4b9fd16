package schema_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy/schema"
)

func TestGet(t *testing.T) {
	for _, name := range schema.Names() {
		short, err := schema.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		long, err := schema.Get("stophook." + name + "/v1")
		if err != nil || string(long) != string(short) {
			t.Errorf("%s: the document's own name must work: %v", name, err)
		}
		short[0] = 'x' // the caller's copy
		if again, _ := schema.Get(name); again[0] != '{' {
			t.Errorf("%s: the embedded text was changed", name)
		}
		if doc := load(t, name); doc["title"] != "stophook."+name+"/v1" || doc["$schema"] != "http://json-schema.org/draft-07/schema#" {
			t.Errorf("%s: title %v, dialect %v", name, doc["title"], doc["$schema"])
		}
	}
	for _, name := range []string{"", "nope", "input.v1", "../input", "stophook.input/v2"} {
		if _, err := schema.Get(name); !errors.Is(err, schema.ErrUnknown) || !strings.Contains(err.Error(), "decision") {
			t.Errorf("%q: the error must list the names: %v", name, err)
		}
	}
}

// free lists where keys that are not listed may appear, and why.
func free() map[string]string {
	return map[string]string{
		"input /properties/hook":                     "the host's payload",
		"input /properties/tool/properties/input":    "the host's tool input",
		"input /properties/tasks/items":              "extra keys of a host's tasks",
		"input /properties/config/properties/params": "policy authors' own",
		"input /properties/config/properties/rules":  "names of rules",
		"config /properties/params":                  "policy authors' own",
		"config /properties/rules":                   "names of rules",
		"facts /properties/tasks/items":              "extra keys of a host's tasks",
	}
}

func TestSchemas_EveryPropertyIsDescribedAndOurObjectsAreClosed(t *testing.T) {
	allowed, used := free(), map[string]bool{}
	for _, name := range schema.Names() {
		walk(load(t, name), "", func(path string, s map[string]any) {
			if _, isList := s["$ref"]; isList {
				t.Errorf("%s %s: a reference; schemas stand by themselves", name, path)
			}
			properties, _ := s["properties"].(map[string]any)
			for key, p := range properties {
				if strings.HasPrefix(path, "/if") || strings.HasPrefix(path, "/then") {
					continue // conditions repeat a property, they do not define it
				}
				text, _ := p.(map[string]any)["description"].(string)
				if text == "" || !strings.HasSuffix(text, ".") || strings.Contains(text, ". ") {
					if !strings.Contains(text, "Rules of other authors") {
						t.Errorf("%s %s/%s: description %q is not one plain sentence", name, path, key, text)
					}
				}
			}
			if s["type"] != "object" {
				return
			}
			if open, ok := s["additionalProperties"].(bool); ok && !open {
				return
			}
			at := name + " " + path
			if allowed[at] == "" {
				t.Errorf("%s: admits keys that nobody described", at)
			}
			used[at] = true
		})
	}
	for at := range allowed {
		if !used[at] {
			t.Errorf("%s is listed as free and is not", at)
		}
	}
}

// TestInputSchema_ServesOPAsTypeChecker compiles policies against the schema, so
// that a misspelt reference is found before it silently never matches.
func TestInputSchema_ServesOPAsTypeChecker(t *testing.T) {
	set := ast.NewSchemaSet()
	set.Put(ast.MustParseRef("schema.input"), load(t, "input"))
	tests := []struct {
		name, body string
		ok         bool
		reason     string
	}{
		{"known", "input.turn.is_tool_turn", true, "a key of ours"},
		{"misspelt", "input.turn.is_tol_turn", false, "no such key"},
		{"misspelt at the top", "input.handofs[_]", false, "no such key"},
		{"payload", "input.hook.background_tasks[_].status == \"running\"", true, "the payload is free"},
		{"params", "input.config.params.owner.name == \"x\"", true, "params are free"},
		{"rules", "input.config.rules.my_rule.severity == \"warn\"", true, "names of rules are free"},
		{"tool input", "input.tool.input.edits[0].old_string == \"x\"", true, "the tool's input is free"},
		{"null age", "input.handoffs[_].age_seconds == null", true, "an age can be null"},
		{"age", "input.handoffs[_].age_seconds <= input.config.defer_minutes * 60", true, "and a number"},
		{"null entrance", "input.tasks[_].entrance == null", true, "an entrance can be null"},
		{"wrong type", "input.turn.tool_calls == \"three\"", false, "numbers are no strings"},
		{"state", "input.handoffs[_].state[input.config.closing] == \"open\"", true, "indexed by another fact"},
		{"code", "input.failure.kind == \"policy_error\"", true, "the failure query"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			module, err := ast.ParseModuleWithOpts("x.rego", "# METADATA\n# scope: package\n# schemas:\n#   - input: schema.input\npackage x\n\np if {\n\t"+tt.body+"\n}\n", ast.ParserOptions{ProcessAnnotation: true})
			if err != nil {
				t.Fatal(err)
			}
			c := ast.NewCompiler().WithSchemas(set).WithUseTypeCheckAnnotations(true)
			c.Compile(map[string]*ast.Module{"x": module})
			if c.Failed() == tt.ok {
				t.Errorf("%s: %v", tt.reason, c.Errors)
			}
		})
	}
}

func TestDecisionSchema(t *testing.T) {
	good := map[string]any{
		"schema": "stophook.decision/v1", "verdict": "block", "code": "stop-hook.status_check_missing", "reason": "Run it.",
		"demands": []any{map[string]any{"rule": "status_check", "code": "stop-hook.status_check_missing", "text": "Run it.", "severity": "block",
			"deferrable": true, "deferred": false, "layer": 0, "evidence": []any{-1, 120}}},
		"deferrals": []any{map[string]any{"rule": "background_handoff", "code": "stop-hook.background_handoff_deferred", "task_id": "b1", "until": ""}},
		"warnings":  []any{}, "system_message": "", "effects": map[string]any{"remediation": "increment", "reconcile_session_end": false, "nudge": false},
	}
	c := newChecker(t, "decision")
	if errs := c.errors(t, good); len(errs) > 0 {
		t.Fatalf("good document: %q", errs)
	}
	tests := []struct {
		path   string
		value  any
		ok     bool
		reason string
	}{
		{"verdict", "deny", false, "closed set"},
		{"verdict", "defer", true, "the third verdict"},
		{"code", "acme.changelog_missing", true, "rules of other authors bring their own"},
		{"code", "no code", false, "a code is a dotted word"},
		{"reason", " ", false, "a block always says why (PO-16)"},
		{"reason", nil, false, "required"},
		{"demands.0.severity", "off", false, "a rule that is off demands nothing"},
		{"demands.0.severity", "observe", true, "observed demands are listed"},
		{"demands.0.extra", 1, false, "closed object"},
		{"demands.0.evidence", []any{"x"}, false, "offsets"},
		{"effects.remediation", "reset", false, "closed set"},
		{"deferrals.0.task_id", nil, false, "required"},
		{"extra", 1, false, "closed object"},
	}
	for _, tt := range tests {
		if errs := c.errors(t, edit(t, good, tt.path, tt.value)); (len(errs) == 0) != tt.ok {
			t.Errorf("%s = %v: %s: %q", tt.path, tt.value, tt.reason, errs)
		}
	}
	if errs := c.errors(t, edit(t, edit(t, good, "reason", ""), "verdict", "allow")); len(errs) > 0 {
		t.Errorf("an allow may be silent: %q", errs)
	}
}

func TestSharedPartsAgree(t *testing.T) {
	input, facts := load(t, "input")["properties"].(map[string]any), load(t, "facts")["properties"].(map[string]any)
	for _, part := range []string{"transcript", "turn", "tasks"} {
		if diff := cmp.Diff(facts[part], input[part]); diff != "" {
			t.Errorf("%s differs between facts and input:\n%s", part, diff)
		}
	}
	// The input's handoffs carry the registry besides.
	item := func(props map[string]any) map[string]any {
		return props["handoffs"].(map[string]any)["items"].(map[string]any)
	}
	more := item(input)["properties"].(map[string]any)
	delete(more, "registry")
	if diff := cmp.Diff(item(facts)["properties"], any(more)); diff != "" {
		t.Errorf("handoffs differ:\n%s", diff)
	}
	if !slices.Contains(item(input)["required"].([]any), any("registry")) {
		t.Error("policies must be able to rely on the registry's answer")
	}
}
