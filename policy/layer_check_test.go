package policy

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// head is a METADATA block and package that are in order, seven lines long.
const head = "# METADATA\n# title: Mine\n# custom:\n#   code: acme.mine\npackage stophook.rules.mine\n\n\n"

// TestLoad_Faults: every fault of a policy names its file, its line and what to do.
func TestLoad_Faults(t *testing.T) {
	for _, tc := range []struct {
		reason, src string
		mention     []string
	}{
		{"Rego v0, as in cases/rego-v0-policy", "package stophook\n\ndeny[msg] {\n\tcount(input.debt) > 0\n\tmsg := \"unread\"\n}\n", []string{"/etc/project/p.rego:3", "Rego v0", "`if`", "contains", "stophook fmt -w --rego-v1"}},
		{"v1 with a fault that v0 would take for a variable", "package stophook.rules.a\n\nx := if\n", []string{"/etc/project/p.rego:3: rego_parse_error"}},
		{"a syntax error", head + "demand contains {\n", []string{"/etc/project/p.rego:9", "rego_parse_error"}},
		{"the network", head + "demand contains {\"text\": \"x\"} if http.send({\"method\": \"get\", \"url\": \"http://x\"})\n", []string{"p.rego:8: http.send cannot be used", "network"}},
		{"the clock", head + "demand contains {\"text\": \"x\"} if time.now_ns() > 0\n", []string{"p.rego:8", "reads the clock", "input.now"}},
		{"random numbers", head + "demand contains {\"text\": sprintf(\"%d\", [rand.intn(\"x\", 9)])}\n", []string{"p.rego:8", "random"}},
		{"the environment, in a comprehension", head + "demand contains {\"text\": t} if some t in [x | x := opa.runtime().env[_]]\n", []string{"p.rego:8", "environment"}},
		{"signed requests", head + "demand contains {\"text\": \"x\"} if providers.aws.sign_req({}, {}, 1)\n", []string{"p.rego:8", "network"}},
		{"an undefined function", head + "demand contains {\"text\": \"x\"} if htp.send(1)\n", []string{"p.rego:8", "undefined function"}},
		{"an unsafe variable", head + "demand contains {\"text\": x} if input.turn\n", []string{"p.rego:8", "unsafe", "spelling"}},
		{"a type that cannot be", head + "demand contains {\"text\": \"x\"} if count(7) > 0\n", []string{"p.rego:8", "type"}},
		{"no METADATA", "package stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"p.rego:1: rule mine has no METADATA", "custom: {code:"}},
		{"METADATA without a code", "# METADATA\n# title: Mine\npackage stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"p.rego:3", "lack custom.code"}},
		{"METADATA of another kind", "# METADATA\n# custom: {code: acme.mine, severity: fatal}\npackage stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"custom.severity: fatal is none of block, warn, observe, off"}},
		{"METADATA that are no YAML", "# METADATA\n# custom: [\npackage stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"/etc/project/p.rego", "yaml"}},
		{"a verdict as a code", "# METADATA\n# custom: {code: stop-hook.pass}\npackage stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"\"stop-hook.pass\" cannot be the code"}},
		{"an event that is not judged", "# METADATA\n# custom: {code: a.b, events: [SessionStart]}\npackage stophook.rules.mine\n\ndemand contains {\"text\": \"x\"}\n", []string{"SessionStart", "Stop and PreToolUse"}},
		{"a demand that is no set", head + "demand := {\"text\": \"x\"}\n", []string{"p.rego:8: demand of rule mine must be a set", "demand contains"}},
		{"a demand that is a map", head + "demand[\"x\"] := {\"text\": \"x\"}\n", []string{"p.rego:8", "must be a set"}},
		{"a notice that is no set", head + "demand contains {\"text\": \"x\"}\n\nnotice := \"x\"\n", []string{"p.rego:10: notice of rule mine must be a set"}},
		{"a misspelt demand", head + "demands contains {\"text\": \"x\"}\n", []string{"p.rego:5: mine defines no demand"}},
		{"a deferral without defer", strings.ReplaceAll(liftAll, "defer contains", "demand contains"), []string{"lift defines no defer"}},
		{"asking the aggregator", head + "demand contains {\"text\": \"x\"} if data.stophook.main.decision.verdict == \"block\"\n", []string{"p.rego:8", "covers the aggregator"}},
		{"asking everything", head + "demand contains {\"text\": \"x\"} if data[_]\n", []string{"p.rego:8", "recursive"}},
		{"asking through an import", head + "import data.stophook as s\n\ndemand contains {\"text\": \"x\"} if s[_].decision\n", []string{"p.rego:10", "covers the aggregator"}},
		{"asking itself", head + "demand contains {\"text\": \"x\"} if count(data.stophook.rules.mine.demand) == 0\n", []string{"p.rego", "recursive"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := loadErrors(t, layer("project", "p.rego", tc.src))
			for _, m := range tc.mention {
				if !strings.Contains(got, m) {
					t.Errorf("%q lacks %q", got, m)
				}
			}
		})
	}
}

func TestLoad_MetadataTwice(t *testing.T) {
	got := loadErrors(t, layer("project", "a.rego", head+"demand contains {\"text\": \"x\"}\n", "b.rego", head))
	if !strings.Contains(got, "twice") || !strings.Contains(got, "b.rego") {
		t.Error(got)
	}
}

// TestLoad_CollectsFaults: one round shows all of them, each with its layer.
func TestLoad_CollectsFaults(t *testing.T) {
	_, err := NewEngine(context.Background(), EngineOptions{Layers: []Layer{
		layer("org", "a.rego", "package stophook.rules.a\n\ndemand contains {\"text\": \"x\"}\n"),
		layer("project", "b.rego", "package x\n\nbroken if\n"),
	}})
	var list PolicyErrors
	if !errors.As(err, &list) || len(list) < 2 {
		t.Fatalf("got %v", err)
	}
	layers := map[string]bool{}
	for _, p := range list {
		layers[p.Layer] = true
	}
	if !layers["org"] || !layers["project"] {
		t.Errorf("layers %v in %v", layers, err)
	}
}

// TestDecide_WrongShapes: a demand that is not what it should be is a policy
// error that names the rule, and no silent pass.
func TestDecide_WrongShapes(t *testing.T) {
	for _, demand := range []string{`"just a text"`, `{}`, `{"text": "  "}`, `{"text": 7}`, `{"txt": "x"}`, `{"text": "x", "code": "acme.other"}`,
		`{"text": "x", "evidence": 7}`, `{"text": "x", "evidence": ["a"]}`, `{"text": "x", "evidence": [1.5]}`, `{"text": "x", "severity": "warn"}`, `["text"]`} {
		t.Run(demand, func(t *testing.T) {
			e := newEngine(t, EngineOptions{Layers: []Layer{layer("project", "p.rego", head+"demand contains "+demand+"\n")}})
			d, err := e.Decide(context.Background(), testInput())
			p, ok := errors.AsType[*PolicyError](err)
			if !ok || p.File != "/etc/project/p.rego" || p.Line != 5 || p.Layer != "project" || !strings.Contains(p.Message, "rule mine: ") {
				t.Errorf("got %+v, %v", d, err)
			}
		})
	}
}

func TestDecide_StrictBuiltinErrors(t *testing.T) {
	e := newEngine(t, EngineOptions{Layers: []Layer{layer("project", "p.rego", head+"demand contains {\"text\": \"x\"} if to_number(input.session.id) > 0\n")}})
	_, err := e.Decide(context.Background(), testInput())
	p, ok := errors.AsType[*PolicyError](err)
	if !ok || p.File != "/etc/project/p.rego" || p.Line != 8 || p.Layer != "project" {
		t.Errorf("got %+v, %v", p, err)
	}
}

// TestDecide_Runaway: a rule that would not end in time is stopped, and blamed.
func TestDecide_Runaway(t *testing.T) {
	src := head + "demand contains {\"text\": \"x\"} if {\n\tsome a in numbers.range(1, 3000)\n\tsome b in numbers.range(1, 3000)\n\tsome c in numbers.range(1, 3000)\n\ta * b * c == -1\n}\n"
	e := newEngine(t, EngineOptions{EvalTimeout: 20 * time.Millisecond, Layers: []Layer{layer("project", "p.rego", src)}})
	_, err := e.Decide(context.Background(), testInput())
	p, ok := errors.AsType[*PolicyError](err)
	if !ok || !strings.Contains(p.Message, "longer than 20ms") {
		t.Fatalf("got %v", err)
	}
	d, err := e.Fail(context.Background(), testInput(), FailureOf(err))
	if err != nil || d.Verdict != VerdictAllow || d.Code != "stop-hook.policy_error" || !strings.Contains(d.SystemMessage, "longer than 20ms") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestDecide_CallersContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := newEngine(t, EngineOptions{})
	cancel()
	if _, err := e.Decide(ctx, testInput()); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := NewEngine(ctx, EngineOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if d, err := e.Fail(ctx, testInput(), Failure{Kind: FailurePolicy, Message: "x"}); err != nil || d.Code != "stop-hook.policy_error" {
		t.Errorf("a failure must be answered: %+v, %v", d, err)
	}
}

// TestAllowedCapabilities: what is allowed has no way out, whatever OPA adds.
func TestAllowedCapabilities(t *testing.T) {
	caps := allowedCapabilities()
	if caps.AllowNet == nil || len(caps.AllowNet) != 0 || len(caps.Builtins) < 150 {
		t.Errorf("%d functions, hosts %v", len(caps.Builtins), caps.AllowNet)
	}
	for _, b := range caps.Builtins {
		if b.IsNondeterministic() && !strings.HasPrefix(b.Name, "rego.metadata") {
			t.Errorf("%s is allowed", b.Name)
		}
	}
	for _, name := range []string{"http.send", "net.lookup_ip_addr", "net.cidr_contains", "opa.runtime", "rand.intn", "uuid.rfc4122", "time.now_ns", "providers.aws.sign_req", "io.jwt.decode_verify", "io.jwt.encode_sign"} {
		if ast.BuiltinMap[name] == nil || forbidden(ast.BuiltinMap[name]) == "" {
			t.Errorf("%s is not forbidden", name)
		}
	}
}
