package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Each scenario is a txtar: why it is there, the files (in/…), one or more calls
// (call TOOL, the input as JSON) each with what the model hears (want), and files
// as they are afterwards (out/…). UPDATE_GOLDEN=1 writes what is heard.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenario/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("scenarios: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { playScenario(t, file) })
	}
}

func playScenario(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(string(ar.Comment)) == "" {
		t.Error("the scenario does not say why it is there")
	}
	w := newWorkspace(t, nil)
	heard, calls, changed := "", 0, false
	for i, f := range ar.Files {
		kind, rest, _ := strings.Cut(f.Name, " ")
		switch {
		case strings.HasPrefix(f.Name, "in/"):
			w.write(strings.TrimPrefix(f.Name, "in/"), string(f.Data))
		case kind == "link":
			name, target, _ := strings.Cut(rest, " ")
			w.link(name, target)
		case kind == "call":
			calls++
			heard = w.said(w.call(rest, string(f.Data)))
		case f.Name == "want" && os.Getenv("UPDATE_GOLDEN") != "":
			ar.Files[i].Data, changed = []byte(heard), true
		case f.Name == "want":
			if diff := cmp.Diff(string(f.Data), heard); diff != "" {
				t.Errorf("after call %d:\n%s", calls, diff)
			}
		case strings.HasPrefix(f.Name, "out/"):
			if diff := cmp.Diff(string(f.Data), w.read(strings.TrimPrefix(f.Name, "out/"))); diff != "" {
				t.Errorf("%s:\n%s", f.Name, diff)
			}
		default:
			t.Errorf("unknown section %q", f.Name)
		}
	}
	if calls == 0 {
		t.Error("nothing is called")
	}
	if changed {
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
