package stophook_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/stophook/stophook/policy"
)

// documents are the files for people.
func documents(t *testing.T) map[string]string {
	t.Helper()
	docs := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			docs[filepath.ToSlash(name)] = readFile(t, name)
		}
	}
	if len(docs) < 5 {
		t.Fatalf("only %d documents found", len(docs))
	}
	return docs
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// between returns every text that stands between open and end.
func between(text, open, end string) []string {
	var found []string
	for {
		_, rest, ok := strings.Cut(text, open)
		if !ok {
			return found
		}
		inner, after, ok := strings.Cut(rest, end)
		if !ok {
			return found
		}
		found, text = append(found, inner), after
	}
}

func TestDocs_linksResolve(t *testing.T) {
	for name, text := range documents(t) {
		for _, link := range between(text, "](", ")") {
			target, _, _ := strings.Cut(link, "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(path.Join(path.Dir(name), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, link)
			}
		}
	}
}

func TestDocs_makeTargetsExist(t *testing.T) {
	makefile := readFile(t, "Makefile")
	for name, text := range documents(t) {
		for _, code := range between(text, "`make ", "`") {
			target, _, _ := strings.Cut(code, " ")
			if !strings.Contains(makefile, "\n"+target+":") && !strings.Contains(name, "policies") {
				t.Errorf("%s names `make %s`, which the Makefile does not have", name, target)
			}
		}
	}
}

// tableCells returns the first cell of every row of the table whose header
// begins with the given words, without backticks.
func tableCells(text, header string) []string {
	_, table, ok := strings.Cut(text, "| "+header+" |")
	if !ok {
		return nil
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var cells []string
	for i, row := range strings.Split(table, "\n") {
		if parts := strings.Split(row, "|"); i > 1 && len(parts) > 1 {
			cells = append(cells, strings.Trim(strings.TrimSpace(parts[1]), "`"))
		}
	}
	return cells
}

// The README's table has every code that a decision can carry, and no other.
func TestDocs_codesAreComplete(t *testing.T) {
	listed := tableCells(readFile(t, "README.md"), "code | verdict | why")
	if len(listed) == 0 {
		t.Fatal("README.md has no table of codes")
	}
	var all strings.Builder
	walk(t, func(name string) {
		if dir, _, _ := strings.Cut(name, "/"); dir != "policy" && dir != "rego" || strings.Contains(name, "_test.") || strings.Contains(name, "/testdata/") {
			return
		}
		if ext := path.Ext(name); ext == ".go" || ext == ".rego" {
			all.WriteString(readFile(t, name))
		}
	})
	source := all.String()
	for _, code := range listed {
		if !strings.Contains(source, "stop-hook."+code) && !strings.Contains(source, `"`+code+`"`) {
			t.Errorf("README.md lists code %s, which nothing gives", code)
		}
	}
	for _, rest := range strings.Split(source, "stop-hook.")[1:] {
		end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
		if code := rest[:max(end, 0)]; code != "" && !slices.Contains(listed, code) {
			t.Errorf("code stop-hook.%s is not in the README's table", code)
		}
	}
}

// Every flag that the documentation names is one of a command's.
func TestDocs_flagsExist(t *testing.T) {
	var source strings.Builder
	walk(t, func(name string) {
		if path.Dir(path.Dir(name)) == "cmd" && path.Ext(name) == ".go" {
			source.WriteString(readFile(t, name))
		}
	})
	if source.Len() == 0 {
		t.Fatal("cmd/ is missing")
	}
	for _, doc := range []string{"README.md", "docs/policies.md", "docs/agentcore.md"} {
		for _, rest := range strings.Split(readFile(t, doc), " --")[1:] {
			end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
			if flag := rest[:max(end, 0)]; flag != "" && flag != "help" && !strings.Contains(source.String(), `"`+flag+`"`) {
				t.Errorf("%s names --%s, which no command defines", doc, flag)
			}
		}
	}
}

// AC-190: the runtime's documentation has every end of a run, every point of the bus
// and every exit code; what is new is not forgotten there.
func TestDocs_agentcoreIsComplete_AC190(t *testing.T) {
	doc := readFile(t, "docs/agentcore.md")
	for file, form := range map[string]string{
		"agentcore/result.go":          `(?m)^\tEnd\w+ +End = "([a-z_]+)"`,
		"agentcore/hook/points.go":     `Point\[\w+\] += "([a-z:]+)"`,
		"agentcore/hook/background.go": `Point\[\w+\] += "([a-z:]+)"`,
		"cmd/agentcore/help.go":        `(?m)^\texit\w+ += (\d+)`,
		"policy/hookio/event.go":       `(?m)= "(Stop|SubagentStop|PreToolUse|PostToolUse|UserPromptSubmit|SessionStart|SessionEnd)"`,
		"cmd/agentcore/sessions.go":    `"(agentcore\.\w+/v1)"`,
		"cmd/agentcore/tasks.go":       `"(agentcore\.\w+/v1)"`,
		"cmd/agentcore/printer.go":     `"(agentcore\.\w+/v1)"`,
	} {
		found := regexp.MustCompile(form).FindAllStringSubmatch(readFile(t, file), -1)
		if len(found) == 0 {
			t.Errorf("%s has nothing like %s: mend this test", file, form)
		}
		for _, m := range found {
			if !strings.Contains(doc, "`"+m[1]+"`") && !strings.Contains(doc, "| "+m[1]+" |") {
				t.Errorf("docs/agentcore.md does not have %s of %s", m[1], file)
			}
		}
	}
}

// The folders of the map are there, and every package stands in one of them.
func TestDocs_architectureMapsTheTree(t *testing.T) {
	folders := tableCells(readFile(t, "ARCHITECTURE.md"), "folder | holds | imports of ours")
	if len(folders) == 0 {
		t.Fatal("ARCHITECTURE.md has no table of folders")
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("ARCHITECTURE.md lists %s, which is no folder", folder)
		}
	}
	for name := range listPackages(t) {
		if name == "" || strings.HasPrefix(name, "internal/") {
			continue
		}
		if !slices.Contains(folders, name+"/") {
			t.Errorf("ARCHITECTURE.md does not list %s/", name)
		}
	}
}

// The rules that the documentation shows load as they stand.
func TestDocs_rulesLoad(t *testing.T) {
	for _, doc := range []string{"README.md", "docs/policies.md"} {
		blocks := between(readFile(t, doc), "```rego\n", "```")
		if len(blocks) == 0 {
			t.Errorf("%s shows no rule", doc)
		}
		files := fstest.MapFS{}
		for i, block := range blocks {
			if strings.Contains(block, "_test\n") { // tests of rules are no policies
				if _, err := ast.ParseModuleWithOpts(doc, block, ast.ParserOptions{RegoVersion: ast.RegoV1}); err != nil {
					t.Errorf("%s: %v", doc, err)
				}
				continue
			}
			files[fmt.Sprintf("block%d.rego", i+1)] = &fstest.MapFile{Data: []byte(block)}
		}
		_, err := policy.NewEngine(t.Context(), policy.EngineOptions{Layers: []policy.Layer{{Name: "docs", FS: files, Root: doc}}})
		if err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// The configuration that the README shows loads, and its values are the
// defaults, as it says.
func TestDocs_configurationLoads(t *testing.T) {
	blocks := between(readFile(t, "README.md"), "```yaml\n", "```")
	if len(blocks) != 1 {
		t.Fatalf("README.md has %d blocks of YAML, want the configuration", len(blocks))
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(blocks[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	got, warnings, err := policy.LoadConfig([]policy.Source{policy.ExplicitSource(file)})
	if err != nil || len(warnings) > 0 {
		t.Fatalf("load: %v, warnings %v", err, warnings)
	}
	want := policy.DefaultConfig()
	want.Rules, want.Log.Mask = got.Rules, got.Log.Mask // examples, not defaults
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the README's values are not the defaults (-default +README):\n%s", diff)
	}
}

// The output that the README shows is what the program prints: every line of it,
// in this order.
func TestDocs_replaySampleIsReal(t *testing.T) {
	const command = "$ stophook replay fixtures/captures\n"
	blocks := between(readFile(t, "README.md"), "```console\n"+command, "```")
	if len(blocks) != 1 {
		t.Fatalf("README.md shows the replay of the fixtures %d times, want once", len(blocks))
	}
	out, err := goCommand("run", "./cmd/stophook-workshop", "replay", "--state-dir", t.TempDir(), "fixtures/captures")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out, blocks[0]) {
		t.Errorf("README.md shows\n%s\nand the program prints\n%s", blocks[0], out)
	}
}
