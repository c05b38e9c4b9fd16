package check

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy"
)

// wantFindings reads a want file: a reason in a comment, then one line
// `FILE:LINE [warning] KIND` for each finding.
func wantFindings(t *testing.T, file string) (reason string, want []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "#"); ok {
			reason += strings.TrimSpace(text)
		} else if lines.Text() != "" {
			want = append(want, lines.Text())
		}
	}
	if reason == "" {
		t.Errorf("%s says no reason", file)
	}
	return reason, want
}

func checkDirs(t *testing.T, opts Options, dirs ...string) *Report {
	t.Helper()
	targets, err := Targets(dirs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(targets, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWrong is the bar of the check: every folder of wrong policies gives exactly
// the findings that its want file lists, each at its line.
func TestWrong(t *testing.T) {
	dirs, err := filepath.Glob("testdata/wrong/*")
	if err != nil || len(dirs) < 30 {
		t.Fatalf("%d wrong policies, %v", len(dirs), err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			reason, want := wantFindings(t, filepath.Join(dir, "want"))
			r := checkDirs(t, Options{}, dir)
			var got []string
			for _, f := range r.Findings {
				line := fmt.Sprintf("%s:%d ", strings.TrimPrefix(f.File, filepath.ToSlash(dir)+"/"), f.Line)
				if f.Severity == SeverityWarning {
					line += "warning "
				}
				got = append(got, line+f.Kind)
				if f.Text == "" && filepath.Base(f.File) != "empty.rego" || f.Message == "" {
					t.Errorf("no text or no message: %+v", f)
				}
			}
			slices.Sort(want)
			sorted := slices.Sorted(slices.Values(got))
			if diff := cmp.Diff(want, sorted); diff != "" {
				t.Errorf("%s\n%s", reason, diff)
				for _, f := range r.Findings {
					t.Logf("%s:%d:%d %s: %s (%s)", f.File, f.Line, f.Col, f.Kind, f.Message, f.Hint)
				}
			}
		})
	}
}

// TestRight: policies that are in order give no finding, not even a warning.
func TestRight(t *testing.T) {
	dirs, err := filepath.Glob("testdata/right/*")
	if err != nil || len(dirs) < 5 {
		t.Fatalf("%d right policies, %v", len(dirs), err)
	}
	for _, dir := range append(dirs, "../examples") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r := checkDirs(t, Options{}, dir)
			if r.Files == 0 || r.Rules == 0 {
				t.Errorf("%d files, %d rules", r.Files, r.Rules)
			}
			for _, f := range r.Findings {
				t.Errorf("%s:%d:%d %s: %s (%s)", f.File, f.Line, f.Col, f.Kind, f.Message, f.Hint)
			}
		})
	}
}

// TestRight_loads: what the check lets through the hook loads, and the other way
// round what the hook refuses is an error here.
func TestRight_loads(t *testing.T) {
	dirs, _ := filepath.Glob("testdata/*/*")
	refused := 0
	for _, dir := range dirs {
		r := checkDirs(t, Options{}, dir)
		layer := policy.Layer{Name: "project", FS: os.DirFS(dir), Root: dir}
		_, err := policy.NewEngine(context.Background(), policy.EngineOptions{Layers: []policy.Layer{layer}})
		if err != nil {
			refused++
		}
		if err != nil && r.Errors == 0 {
			t.Errorf("%s has no error and does not load: %v", dir, err)
		}
	}
	if refused < 15 {
		t.Errorf("only %d of %d folders do not load", refused, len(dirs))
	}
}
