package examples

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// blocks gives the code blocks of a language, indented ones without their indent.
func blocks(text, language string) []string {
	var found []string
	for _, rest := range strings.Split(text, "```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(rest, "```")
		indent := block[:len(block)-len(strings.TrimLeft(block, " "))]
		found = append(found, strings.ReplaceAll("\n"+strings.TrimRight(block, " "), "\n"+indent, "\n")[1:])
	}
	return found
}

// The table and the passages of the tutorial are those of the ten rules, and what
// METADATA say of the events is what the table says.
func TestReadme_tellsOfEveryRule(t *testing.T) {
	text := readme(t)
	e, err := policy.NewEngine(t.Context(), policy.EngineOptions{Layers: []policy.Layer{{Name: "examples", FS: os.DirFS("."), Root: "."}}})
	if err != nil {
		t.Fatal(err)
	}
	events := map[string]string{}
	for _, m := range e.Rules() {
		events[m.Name] = strings.Join(m.Events, ", ")
		if m.Layer > 0 && !m.Deferral && !slices.Contains(names(), m.Name) {
			t.Errorf("%s is no example of the list", m.Name)
		}
		for _, c := range m.Codes {
			if m.Layer > 0 && !strings.HasPrefix(c, "example.") {
				t.Errorf("%s: code %s", m.Name, c)
			}
		}
	}
	for _, name := range names() {
		row := "| [" + name + "](examples/" + name + "/" + name + ".rego) | " + events[name] + " | "
		if !strings.Contains(text, row) {
			t.Errorf("the table has no row %q", row)
		}
		if !strings.Contains(text, "\n**"+name+".** ") {
			t.Errorf("no passage about %s", name)
		}
	}
	if got := strings.Count(text, "](examples/"); got != len(names()) {
		t.Errorf("the table has %d rules", got)
	}
}

func TestReadme_linksResolve(t *testing.T) {
	for _, rest := range strings.Split(readme(t), "](")[1:] {
		link, _, _ := strings.Cut(rest, ")")
		if target, anchor, _ := strings.Cut(link, "#"); strings.Contains(link, "://") {
			continue
		} else if target == "" {
			title := strings.NewReplacer("-", " ", ",", "").Replace(anchor)
			if !strings.Contains(strings.NewReplacer(".", "", ",", "").Replace(strings.ToLower(readme(t))), "\n## "+title+"\n") {
				t.Errorf("there is no heading for %s", link)
			}
		} else if _, err := os.Stat(filepath.Join("..", target)); err != nil {
			t.Errorf("%s is not there", link)
		}
	}
}

// What is shown as a rule, a configuration or a case is one.
func TestReadme_blocksAreReal(t *testing.T) {
	text := readme(t)
	rules := blocks(text, "rego")
	if len(rules) != 1 {
		t.Errorf("%d rules", len(rules))
	}
	for _, rule := range rules {
		fsys := fstest.MapFS{"only_an_example/only_an_example.rego": &fstest.MapFile{Data: []byte(rule)}}
		if _, err := policy.NewEngine(t.Context(), policy.EngineOptions{Layers: []policy.Layer{{Name: "readme", FS: fsys, Root: "readme"}}}); err != nil {
			t.Error(err)
		}
		if err := typeCheck(t, map[string]string{"readme.rego": rule}); err != nil {
			t.Error(err)
		}
	}
	loaded := 0
	for _, config := range blocks(text, "yaml") {
		if strings.Contains(config, "idiomatic:") {
			continue // Regal's
		}
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, warnings, err := policy.LoadConfig([]policy.Source{policy.ExplicitSource(file)}); err != nil || len(warnings) > 0 {
			t.Errorf("%s\n%v %v", config, err, warnings)
		}
		loaded++
	}
	if loaded != 4 {
		t.Errorf("%d configurations", loaded)
	}
	stored, err := os.ReadFile("tests_after_edit/cases/edited-after-the-run/want.json")
	if err != nil {
		t.Fatal(err)
	}
	var real, shown any
	if cases := blocks(text, "json"); len(cases) != 1 || json.Unmarshal([]byte(cases[0]), &shown) != nil || json.Unmarshal(stored, &real) != nil {
		t.Fatalf("%d cases", len(cases))
	}
	if diff := cmp.Diff(real, shown); diff != "" {
		t.Errorf("the case that is shown is not the one of the example (-example +shown):\n%s", diff)
	}
}
