package policy

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
)

func TestCapabilities_RG1(t *testing.T) {
	names := map[string]bool{}
	for _, b := range Capabilities().Builtins {
		names[b.Name] = true
	}
	for name, want := range map[string]bool{"http.send": false, "time.now_ns": false, "rand.intn": false, "opa.runtime": false,
		"sprintf": true, "time.parse_rfc3339_ns": true, "internal.test_case": true, "internal.print": true} {
		if names[name] != want {
			t.Errorf("%s: allowed %v, want %v", name, names[name], want)
		}
	}
}

func TestErrorsOf_PlaceAndHint(t *testing.T) {
	_, err := ast.ParseModule("a.rego", "package a\n\np if {")
	errs := ErrorsOf(err, LayerProject)
	if len(errs) != 1 || errs[0].File != "a.rego" || errs[0].Line != 3 || errs[0].Layer != LayerProject {
		t.Errorf("%+v", errs)
	}
}

// A tracer sees what an overlay does, and changes no answer.
func TestEngine_TracerSeesOverlays(t *testing.T) {
	l := layer("project", "x.rego", "# METADATA\n# custom: {code: acme.x}\npackage stophook.rules.x\n\ndemand contains {\"text\": \"t\"} if input.turn.is_tool_turn\n")
	c := cover.New()
	for _, opts := range []EngineOptions{{Layers: []Layer{l}}, {Layers: []Layer{l}, Tracer: c}} {
		e, err := NewEngine(t.Context(), opts)
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.Decide(t.Context(), testInput())
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Demands[len(d.Demands)-1].Code; got != "acme.x" {
			t.Errorf("the last demand is %s", got)
		}
	}
	if r := c.Report(nil); !r.IsCovered("/etc/project/x.rego", 5) {
		t.Errorf("line 5 was not seen: %+v", r.Files)
	}
}
