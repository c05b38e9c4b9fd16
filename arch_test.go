// Package stophook_test holds the rules of the whole repository as plain tests:
// who may import whom and what the hook may link (this file), the house rules
// for source files (house_test.go), and that the documentation tells the truth
// about the tree (docs_test.go). A rule about a folder that does not exist yet
// does not apply.
package stophook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/stophook/stophook"

// goPackage is the part of `go list -json` that the rules need. Test imports
// are not part of it: tests may use fixtures and each other's helpers.
type goPackage struct {
	ImportPath string
	Name       string
	Doc        string
	Imports    []string
	Deps       []string
}

// listOnce asks the go command once for all tests of this package.
var listOnce = sync.OnceValues(func() (map[string]goPackage, error) {
	out, err := goCommand("list", "-json=ImportPath,Name,Doc,Imports,Deps", "./...")
	if err != nil {
		return nil, err
	}
	list, err := decodeAll[goPackage](out)
	if err != nil {
		return nil, err
	}
	packages := map[string]goPackage{}
	for _, p := range list {
		packages[strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")] = p
	}
	return packages, nil
})

// decodeAll reads the objects that `go list -json` prints one after the other.
func decodeAll[T any](out string) ([]T, error) {
	var all []T
	dec := json.NewDecoder(strings.NewReader(out))
	for {
		var v T
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		all = append(all, v)
	}
}

// listPackages returns the packages of this module by path below it.
func listPackages(t *testing.T) map[string]goPackage {
	t.Helper()
	packages, err := listOnce()
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out), nil
}

// ours gives the packages of this module among paths, by path below it.
func ours(paths []string) []string {
	var own []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, module+"/"); ok {
			own = append(own, rest)
		}
	}
	return own
}

// borders says what of ours each package may reach, directly or not.
func borders() map[string][]string {
	hook := []string{"internal/deepstack", "internal/filelock", "internal/nearest", "transcript", "transcript/shell", "rego", "policy/hookio", "policy/evidence", "policy/decisionlog"}
	with := func(more ...string) []string { return append(append([]string{"policy"}, hook...), more...) }
	workshop := with("policy/schema", "policy/check", "policy/scaffold", "policy/policytest", "policy/replay", "policy/report",
		"internal/command", "internal/term", "internal/ci", "internal/textdiff")
	tools := []string{"execctx", "execctx/internal/proc", "internal/nearest", "transcript/shell"}
	return map[string][]string{
		"transcript":            {"transcript/shell"},
		"transcript/shell":      nil,
		"internal/ci":           {"internal/term"},
		"internal/deepstack":    nil, // not even the standard library: see its init
		"internal/nearest":      nil,
		"internal/filelock":     nil,
		"policy/hookio":         nil,
		"policy/evidence":       {"internal/filelock"}, // Windows only
		"policy/decisionlog":    nil,
		"policy/schema":         nil,
		"rego":                  nil,
		"fixtures":              nil,
		"execctx":               {"execctx/internal/proc"},
		"execctx/internal/proc": nil,
		"execctx/exectest":      {"execctx", "execctx/internal/proc"},
		"execctx/supervised":    {"execctx", "execctx/internal/proc"},
		"agentcore/model":       nil,

		// The runtime: layers, each of which may be used without those above it.
		"agentcore/model/internal/exchange": {"agentcore/model"},
		"agentcore/model/anthropic":         {"agentcore/model", "agentcore/model/internal/exchange"},
		"agentcore/model/openai":            {"agentcore/model", "agentcore/model/internal/exchange"},
		"agentcore/model/scripted":          {"agentcore/model", "internal/nearest"},
		"agentcore/model/modeltest":         {"agentcore/model"},
		"agentcore/tool":                    tools,
		"agentcore/tool/builtin":            append([]string{"agentcore/tool"}, tools...),
		"agentcore/session":                 {"agentcore/model", "internal/filelock"},
		"agentcore/continuation":            {"transcript", "transcript/shell"},
		"agentcore/session/sessiontest":     {"agentcore/model", "internal/filelock", "transcript", "transcript/shell"},
		"agentcore/task":                    {"execctx", "execctx/internal/proc"},
		"agentcore/hook":                    {"agentcore/model", "agentcore/task", "execctx", "execctx/internal/proc", "policy/hookio", "internal/jsonedit"},
		"agentcore": append([]string{"agentcore/model", "agentcore/tool", "agentcore/continuation", "transcript", "agentcore/session", "agentcore/task", "agentcore/hook", "policy/hookio",
			"internal/jsonedit", "internal/filelock"}, tools...),

		"policy": hook,
		"cmd/stophook": with("policy/schema", "policy/install", "policy/sessions", "policy/doctor", "internal/jsonedit",
			"internal/command", "internal/term", "internal/nearest", "internal/textdiff"),
		"policy/install":  with("internal/jsonedit", "internal/nearest"),
		"policy/sessions": with(),
		"policy/doctor":   with("policy/install", "policy/sessions", "policy/schema", "internal/jsonedit", "internal/nearest"),

		// The workshop: nothing of it is linked into the hook.
		"policy/check":          with("policy/schema", "internal/term", "internal/ci", "internal/textdiff"),
		"policy/scaffold":       with("policy/schema"),
		"policy/policytest":     with("policy/schema", "internal/term", "internal/ci"),
		"policy/replay":         with(),
		"policy/report":         with("policy/replay"),
		"policy/examples":       nil,
		"cmd/stophook-workshop": workshop,
	}
}

func TestImportBorders(t *testing.T) {
	packages := listPackages(t)
	for path, allowed := range borders() {
		p, exists := packages[path]
		if !exists {
			continue
		}
		for _, dep := range ours(p.Deps) {
			if !slices.Contains(allowed, dep) {
				t.Errorf("%s reaches %s, and may reach %v only: move what both need below them, or pass it in", path, dep, allowed)
			}
		}
	}
	for path, p := range packages {
		if path != "agentcore" && !strings.HasPrefix(path, "agentcore/") {
			continue
		}
		for _, dep := range ours(p.Deps) {
			if dep == "policy" || dep == "rego" || strings.HasPrefix(dep, "cmd/") {
				t.Errorf("%s reaches %s: the runtime runs Stop hooks through policy/hookio and never links the engine", path, dep)
			}
		}
	}
}

// Every package of the library has its border, so a new one cannot slip in
// without a decision about what it may import.
func TestImportBorders_listEveryPackage(t *testing.T) {
	known := borders()
	for path := range listPackages(t) {
		top, _, _ := strings.Cut(path, "/")
		switch top {
		case "", "internal", "execctx", "agentcore":
			continue // the root holds tests only; internal is tools; the other two have their own rules
		}
		if _, ok := known[path]; !ok && path != "cmd/agentcore" {
			t.Errorf("%s has no entry in borders(): say what of ours it may reach", path)
		}
	}
}

// roots are the modules that the hook may use.
func roots() []string {
	return []string{
		"github.com/open-policy-agent/opa", "github.com/tidwall/gjson", "github.com/urfave/cli/v2",
		"github.com/sirupsen/logrus", "mvdan.cc/sh/v3",
	}
}

// importers says which packages of ours may import a module: those of roots,
// and one of OPA's own needs, which adds nothing to what is linked.
func importers() map[string][]string {
	return map[string][]string{
		"github.com/open-policy-agent/opa": {"policy", "cmd/stophook"},
		"github.com/tidwall/gjson":         {"transcript", "policy", "policy/hookio", "policy/evidence", "policy/decisionlog", "cmd/stophook"},
		"github.com/urfave/cli/v2":         {"cmd/stophook", "internal/command"},
		"github.com/sirupsen/logrus":       {"cmd/stophook", "internal/command"},
		"mvdan.cc/sh/v3":                   {"transcript/shell"},
		"go.yaml.in/yaml/v3":               {"policy"},
	}
}

// The packages that the hook is made of import nothing but the modules of
// importers, each where it belongs, and golang.org/x/sys.
func TestThirdPartyImports(t *testing.T) {
	packages := listPackages(t)
	hook, exists := packages["cmd/stophook"]
	if !exists {
		t.Fatal("cmd/stophook is missing")
	}
	for _, path := range append(ours(hook.Deps), "cmd/stophook") {
		for _, imp := range packages[path].Imports {
			first, _, _ := strings.Cut(imp, "/")
			if !strings.Contains(first, ".") || strings.HasPrefix(imp, module) || strings.HasPrefix(imp, "golang.org/x/sys/") {
				continue
			}
			if !mayImport(path, imp) {
				t.Errorf("%s imports %s: see importers() for what may be imported where", path, imp)
			}
		}
	}
}

func mayImport(path, imp string) bool {
	for mod, packages := range importers() {
		if imp == mod || strings.HasPrefix(imp, mod+"/") {
			return slices.Contains(packages, path)
		}
	}
	return false
}

// linkedPackage is a package that a binary links, with its module.
type linkedPackage struct {
	ImportPath string
	Imports    []string
	Module     *struct{ Path string }
}

// Nothing beyond the five modules and their own needs is linked into the hook:
// it starts at the end of every turn and must stay small. Needs are what their
// packages import; the module graph would list far more, and fetch it.
func TestHookLinks(t *testing.T) {
	if _, exists := listPackages(t)["cmd/stophook"]; !exists {
		t.Fatal("cmd/stophook is missing")
	}
	out, err := goCommand("list", "-deps", "-json=ImportPath,Imports,Module", "./cmd/stophook")
	if err != nil {
		t.Fatal(err)
	}
	linked, err := decodeAll[linkedPackage](out)
	if err != nil {
		t.Fatal(err)
	}
	for _, stray := range strayModules(linked) {
		t.Errorf("stophook links %s, which none of the modules in roots() needs", stray)
	}
}

// strayModules walks the imports from the packages of roots and returns the
// modules that only something else brings in.
func strayModules(linked []linkedPackage) []string {
	byPath := map[string]linkedPackage{}
	for _, p := range linked {
		byPath[p.ImportPath] = p
	}
	needed := map[string]bool{}
	var visit func(p linkedPackage)
	visit = func(p linkedPackage) {
		if p.Module == nil || needed[p.ImportPath] {
			return // the standard library, or seen
		}
		needed[p.ImportPath] = true
		for _, imp := range p.Imports {
			visit(byPath[imp])
		}
	}
	for _, p := range linked {
		if p.Module != nil && slices.Contains(roots(), p.Module.Path) {
			visit(p)
		}
	}
	var stray []string
	for _, p := range linked {
		if p.Module != nil && p.Module.Path != module && !needed[p.ImportPath] && !slices.Contains(stray, p.Module.Path) {
			stray = append(stray, p.Module.Path)
		}
	}
	return stray
}

// What costs start time without being asked for: a listener stack, templates
// and reflection-heavy decoders initialise before main (the hook has 6 ms).
func TestHookImportsNothingSlow(t *testing.T) {
	packages := listPackages(t)
	hook, exists := packages["cmd/stophook"]
	if !exists {
		t.Fatal("cmd/stophook is missing")
	}
	slow := []string{"net/http", "html/template", "text/template", "encoding/xml", "github.com/open-policy-agent/opa/v1/rego"}
	for _, path := range append(ours(hook.Deps), "cmd/stophook") {
		for _, imp := range packages[path].Imports {
			if slices.Contains(slow, imp) {
				t.Errorf("%s imports %s, which costs start time", path, imp)
			}
		}
	}
}

func TestStrayModules(t *testing.T) {
	pkg := func(path, mod string, imports ...string) linkedPackage {
		return linkedPackage{ImportPath: path, Imports: imports, Module: &struct{ Path string }{mod}}
	}
	got := strayModules([]linkedPackage{
		pkg("us/cmd", module, "opa/ast", "stray/x", "need/a"),
		pkg("opa/ast", "github.com/open-policy-agent/opa", "need/a", "fmt"),
		pkg("need/a", "need", "need/deeper"), pkg("need/deeper", "deeper"),
		pkg("stray/x", "stray", "need/a"), {ImportPath: "fmt"},
	})
	if len(got) != 1 || got[0] != "stray" {
		t.Errorf("stray modules %v, want [stray]: it is linked by us alone", got)
	}
}
