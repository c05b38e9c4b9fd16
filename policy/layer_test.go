package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// layer makes an overlay of pairs of path and source.
func layer(name string, files ...string) Layer {
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return Layer{Name: name, FS: fsys, Root: "/etc/" + name}
}

// always is a rule that demands in every turn.
func always(name, custom string) string {
	return fmt.Sprintf("# METADATA\n# custom: {code: acme.%s%s}\npackage stophook.rules.%s\n\ndemand contains {\"text\": \"do %s\"}\n", name, custom, name, name)
}

const liftAll = `# METADATA
# custom: {code: acme.lift}
package stophook.deferrals.lift

defer contains {"code": "acme.lift", "task_id": "t1"}
`

// loadErrors gives the faults of a set of layers, which must not load.
func loadErrors(t *testing.T, layers ...Layer) string {
	t.Helper()
	e, err := NewEngine(context.Background(), EngineOptions{Layers: layers})
	var list PolicyErrors
	if !errors.As(err, &list) || e == nil {
		t.Fatalf("want policy errors and an engine that can fail, got %v, %v", e, err)
	}
	if d, derr := e.Decide(context.Background(), testInput()); derr == nil {
		t.Fatalf("a set that did not load decided: %+v", d)
	}
	return err.Error()
}

func TestLayer_AddsRule(t *testing.T) {
	d := decide(t, EngineOptions{Layers: []Layer{layer("project", "changelog/changelog.rego", changelogRule, "changelog/changelog_test.rego", "broken", ".git/x.rego", "broken", "README.md", "text")}},
		testInput(paid))
	want := []Demand{{Rule: "changelog", Code: "acme.changelog_missing", Text: "Changelog: add an entry.", Severity: "block", Deferrable: true, Layer: 1, Evidence: []int64{}}}
	if diff := cmp.Diff(want, d.Demands); diff != "" || d.Code != "acme.changelog_missing" || d.Verdict != VerdictBlock {
		t.Errorf("%+v\n%s", d, diff)
	}
}

func TestLayer_OrderBehindTheRitual(t *testing.T) {
	d := decide(t, EngineOptions{Layers: []Layer{layer("org", "a.rego", always("b_late", ", order: 7"), "b.rego", always("a_late", ", order: 7"), "c.rego", always("early", ", order: -3"))}}, testInput())
	var rules []string
	for _, m := range d.Demands {
		rules = append(rules, m.Rule)
	}
	want := []string{"status_check", "status_box", "task_declared", "session_named", "early", "a_late", "b_late"}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
}

// TestLayer_CannotTakeAway: the ways in which a lower layer might remove a demand
// of a higher one.
func TestLayer_CannotTakeAway(t *testing.T) {
	org := layer("org", "strict.rego", always("strict", ", deferrable: true"), "lib.rego", "package acme.lib\n\nexempt := false\n")
	for _, tc := range []struct {
		reason, src string
		mention     []string
	}{
		{"redefine a built-in rule", always("status_check", ""), []string{"/etc/project/p.rego:3", "status_check is already defined in rego/status_check/status_check.rego (layer built-in)"}},
		{"redefine a rule of the org", always("strict", ""), []string{"/etc/project/p.rego:3", "/etc/org/strict.rego (layer org)"}},
		{"turn a rule into a deferral", strings.ReplaceAll(liftAll, "lift", "strict"), []string{"already defined in /etc/org/strict.rego"}},
		{"replace the aggregator", "package stophook.main\n\ndecision := {}\n", []string{"/etc/project/p.rego:1", "package stophook.main is not open to policies"}},
		{"reach in from above", "package stophook\n\nrules.status_check.demand := set()\n", []string{"package stophook is not open"}},
		{"reach in from beside", "package stophook.rules\n\nstatus_check.demand := set()\n", []string{"package stophook.rules is not open"}},
		{"a package inside a rule", "package stophook.rules.strict.more\n\nx := 1\n", []string{"is not open"}},
		{"a name that only looks like one", "package stophook.rules[\"status_check.demand\"]\n\nx := 1\n", []string{"is not open"}},
		{"shadow the METADATA", "package stophook.meta\n\nstatus_check.severity := \"off\"\n", []string{"is not open"}},
		{"contradict a helper", "package acme.lib\n\nexempt := true\n", []string{"package acme.lib overlaps with acme.lib of /etc/org/lib.rego (layer org)"}},
		{"reach into a helper from above", "package acme\n\nlib.exempt := true\n", []string{"overlaps with acme.lib"}},
		{"reach into a helper from below", "package acme.lib.exempt\n\nx := true\n", []string{"overlaps with acme.lib"}},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got := loadErrors(t, org, layer("project", "p.rego", tc.src))
			for _, m := range tc.mention {
				if !strings.Contains(got, m) {
					t.Errorf("%q lacks %q", got, m)
				}
			}
		})
	}
}

func TestLayer_DeferralFromBelowLiftsNothingAbove(t *testing.T) {
	org := layer("org", "strict.rego", always("strict", ", deferrable: true"))
	lift := layer("project", "lift.rego", liftAll)
	owes := testInput(paid, without("status_check"))
	if d := decide(t, EngineOptions{Layers: []Layer{org, lift}}, owes); d.Code != "stop-hook.status_check_missing" || len(d.Deferrals) != 0 {
		t.Errorf("a project lifted a demand from above: %+v", d)
	}
	// The same deferral, ranked above, does lift what is deferrable below it.
	d := decide(t, EngineOptions{Layers: []Layer{lift, org}}, testInput(paid))
	if d.Verdict != VerdictDefer || d.Code != "acme.lift" || !d.Demands[0].Deferred {
		t.Errorf("a deferral from above lifted nothing: %+v", d)
	}
	// One layer can lift its own.
	both := layer("project", "strict.rego", always("strict", ", deferrable: true"), "lift.rego", liftAll)
	if d := decide(t, EngineOptions{Layers: []Layer{both}}, testInput(paid)); d.Verdict != VerdictDefer {
		t.Errorf("%+v", d)
	}
}

func TestLayer_ObserveAndWarn(t *testing.T) {
	l := layer("project", "a.rego", always("seen", ", severity: observe"), "b.rego", always("said", ", severity: warn"), "c.rego", always("quiet", ", severity: off"))
	d := decide(t, EngineOptions{Layers: []Layer{l}}, testInput(paid))
	if d.Code != "stop-hook.pass" || len(d.Demands) != 2 || d.SystemMessage != "do said" || !slices.Contains(d.Warnings, "do said") {
		t.Errorf("%+v", d)
	}
}

// TestLayer_Model compares random sets of rules in random layers with a model of
// the sentence: a deferral lifts deferrable demands of its own and of lower layers.
func TestLayer_Model(t *testing.T) {
	type rule struct {
		layer      int
		severity   string
		deferrable bool
	}
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) rule {
			return rule{rapid.IntRange(1, 3).Draw(t, "layer"), rapid.SampledFrom([]string{"block", "warn", "observe", "off"}).Draw(t, "severity"), rapid.Bool().Draw(t, "deferrable")}
		}), 0, 5).Draw(t, "rules")
		liftFrom := rapid.IntRange(0, 3).Draw(t, "deferral of layer, 0 is none")
		files := make([][]string, 4)
		blocking, lifted := 0, 0
		for i, r := range rules {
			files[r.layer] = append(files[r.layer], fmt.Sprintf("r%d.rego", i), always(fmt.Sprintf("r%d", i), fmt.Sprintf(", severity: %q, deferrable: %v", r.severity, r.deferrable)))
			switch {
			case r.severity != "block":
			case r.deferrable && liftFrom > 0 && liftFrom <= r.layer:
				lifted++
			default:
				blocking++
			}
		}
		if liftFrom > 0 {
			files[liftFrom] = append(files[liftFrom], "lift.rego", liftAll)
		}
		layers := []Layer{layer("org", files[1]...), layer("user", files[2]...), layer("project", files[3]...)}
		e, err := NewEngine(context.Background(), EngineOptions{Layers: layers})
		if err != nil {
			t.Fatal(err)
		}
		d, err := e.Decide(context.Background(), testInput(paid))
		if err != nil {
			t.Fatal(err)
		}
		want := VerdictAllow
		switch {
		case blocking > 0:
			want = VerdictBlock
		case lifted > 0:
			want = VerdictDefer
		}
		if d.Verdict != want {
			t.Fatalf("verdict %s, the model says %s: %+v", d.Verdict, want, d)
		}
	})
}

func TestLayer_SettingsAndWarnings(t *testing.T) {
	opts := EngineOptions{
		Layers:       []Layer{layer("project", "a.rego", always("extra", ""))},
		RuleSettings: map[string]RuleSetting{"extra": {Severity: "off"}, "inline_waiter": {Severity: "warn"}, "statuss_check": {Severity: "off"}},
	}
	d := decide(t, opts, testInput(paid))
	want := []string{"config: rules.statuss_check: there is no rule or deferral of that name"}
	if diff := cmp.Diff(want, d.Warnings); diff != "" || d.Code != "stop-hook.pass" {
		t.Errorf("%s\n%+v", diff, d)
	}
}

// TestLayer_HelpersAndSeveralFiles: a rule may lie in several files and use
// packages of its layer; print() goes to the hook.
func TestLayer_HelpersAndSeveralFiles(t *testing.T) {
	var printed []string
	l := layer("project",
		"one/one.rego", "# METADATA\n# custom: {codes: [acme.a, acme.b]}\npackage stophook.rules.one\n\nimport data.acme.lib\n\ndemand contains {\"text\": t, \"code\": \"acme.b\", \"evidence\": [12, 5]} if {\n\tsome t in lib.texts\n\tprint(\"saw\", t)\n}\n",
		"one/more.rego", "package stophook.rules.one\n\nnotice contains \"for the person\"\n",
		"lib/lib.rego", "package acme.lib\n\ntexts := [\"first\", \"second\"]\n")
	d := decide(t, EngineOptions{Layers: []Layer{l}, Print: func(file string, line int, text string) {
		printed = append(printed, fmt.Sprintf("%s:%d %s", file, line, text))
	}}, testInput(paid))
	if len(d.Demands) != 2 || d.Code != "acme.b" || d.Demands[1].Text != "second" || !slices.Equal(d.Demands[0].Evidence, []int64{12, 5}) {
		t.Errorf("%+v", d)
	}
	if want := []string{"/etc/project/one/one.rego:9 saw first", "/etc/project/one/one.rego:9 saw second"}; !slices.Equal(printed, want) {
		t.Errorf("printed %q", printed)
	}
}

// TestLayer_ByteOrderMark: an editor's mark before the METADATA takes nothing away.
func TestLayer_ByteOrderMark(t *testing.T) {
	src := "\ufeff" + strings.ReplaceAll(always("marked", ""), "\n", "\r\n")
	d := decide(t, EngineOptions{Layers: []Layer{layer("project", "p.rego", src)}}, testInput(paid))
	if d.Code != "acme.marked" {
		t.Errorf("%+v", d)
	}
}

// TestLayer_Schemas: METADATA may name schemas for editors; the hook needs none.
func TestLayer_Schemas(t *testing.T) {
	src := strings.Replace(always("typed", ""), "# METADATA\n", "# METADATA\n# schemas:\n#   - input: schema.input\n#   - data.acme: schema.of_mine\n", 1)
	d := decide(t, EngineOptions{Layers: []Layer{layer("project", "p.rego", src, "schemas/input.json", "{}")}}, testInput(paid))
	if d.Code != "acme.typed" {
		t.Errorf("%+v", d)
	}
}

func TestLayer_Unreadable(t *testing.T) {
	if got := loadErrors(t, Layer{Name: "user", Root: "/home/dev/policies"}); !strings.Contains(got, "/home/dev/policies: cannot be read") {
		t.Error(got)
	}
}
