package policytest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at is the clock of runs in tests: durations of cases are zero with it.
func at() time.Time { return time.Date(2026, 10, 5, 10, 0, 0, 0, time.UTC) }

// report runs the tests of dirs.
func report(t *testing.T, opts Options, dirs ...string) *Report {
	t.Helper()
	opts.Dirs, opts.Now = dirs, at
	r, err := Run(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// still takes the durations of Rego tests out of a report, which no two runs share.
func still(r *Report) *Report {
	for i := range r.Folders {
		r.Folders[i].Totals.Seconds = 0
		for k := range r.Folders[i].Tests {
			r.Folders[i].Tests[k].Seconds = 0
		}
	}
	r.Totals.Seconds = 0
	return r
}

// write makes files below a temporary folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, files)
	return dir
}

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// find gives the one test of that name.
func find(t *testing.T, r *Report, name string) Test {
	t.Helper()
	var found []Test
	for _, f := range r.Folders {
		for _, test := range f.Tests {
			if test.Name == name {
				found = append(found, test)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d tests are called %q in %+v", len(found), name, r.Folders)
	}
	return found[0]
}

// copyDir copies testdata/name to a temporary folder of the same name.
func copyDir(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return dir
}
