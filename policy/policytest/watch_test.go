package policytest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestWatch_SeesWhatARunWouldRead(t *testing.T) {
	dir := copyDir(t, "good")
	config := filepath.Join(t.TempDir(), "config.yaml")
	put(t, filepath.Dir(config), map[string]string{"config.yaml": "defer_minutes: 5\n", "other.yaml": ""})
	rule := filepath.Join(dir, "tests_ran")
	w := NewWatch(Options{Dirs: []string{rule}, Config: config})
	for _, tt := range []struct {
		reason string
		change func() error
		want   []string
	}{
		{"nothing", func() error { return nil }, nil},
		{"a policy", func() error { return grow(filepath.Join(rule, "tests_ran.rego")) }, []string{filepath.Join(rule, "tests_ran.rego")}},
		{"it is told once", func() error { return nil }, nil},
		{"a file of a case", func() error { return grow(filepath.Join(rule, "cases", "edit-then-tests", "want.json")) },
			[]string{filepath.Join(rule, "cases", "edit-then-tests", "want.json")}},
		{"a helper beside the DIR", func() error { return grow(filepath.Join(dir, "lib", "calls.rego")) }, []string{filepath.Join(dir, "lib", "calls.rego")}},
		{"what no run reads", func() error { return grow(filepath.Join(dir, "no_sleep", "no_sleep.rego")) }, nil},
		{"the configuration", func() error { return grow(config) }, []string{config}},
		{"a file beside the configuration", func() error { return grow(filepath.Join(filepath.Dir(config), "other.yaml")) }, nil},
		{"a new file", func() error { return grow(filepath.Join(rule, "new_test.rego")) }, []string{filepath.Join(rule, "new_test.rego")}},
		{"a removed file", func() error { return os.Remove(filepath.Join(rule, "new_test.rego")) }, []string{filepath.Join(rule, "new_test.rego")}},
		{"a hidden folder", func() error {
			if err := os.Mkdir(filepath.Join(rule, ".git"), 0o700); err != nil {
				return err
			}
			return grow(filepath.Join(rule, ".git", "index"))
		}, nil},
		{"the same size at another time", func() error {
			return os.Chtimes(filepath.Join(rule, "tests_ran.rego"), time.Time{}, at())
		}, []string{filepath.Join(rule, "tests_ran.rego")}},
	} {
		if err := tt.change(); err != nil {
			t.Fatal(err)
		}
		if got := w.Changes(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: changed %q, want %q", tt.reason, got, tt.want)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := w.Changes(); len(got) < 10 {
		t.Errorf("all is gone, and changed is %q", got)
	}
	if got := w.Changes(); got != nil {
		t.Errorf("a folder that is not there does not change: %q", got)
	}
}

func grow(name string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.WriteString("# more\n"); err != nil {
		return err
	}
	return f.Close()
}

func TestWatch_ALinkToAFolder(t *testing.T) {
	dir, link := copyDir(t, "slow"), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	w := NewWatch(Options{Dirs: []string{link}})
	if err := grow(filepath.Join(dir, "notes.md")); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Changes(), []string{filepath.Join(link, "notes.md")}; !slices.Equal(got, want) {
		t.Errorf("changed %q, want %q", got, want)
	}
}

// One file of tests: its folder counts.
func TestWatch_OneFile(t *testing.T) {
	dir := copyDir(t, "slow")
	w := NewWatch(Options{Dirs: []string{filepath.Join(dir, "slow_test.rego")}})
	if err := grow(filepath.Join(dir, "rule.rego")); err != nil {
		t.Fatal(err)
	}
	if got := w.Changes(); len(got) != 1 {
		t.Errorf("changed %q", got)
	}
}

func TestWatch_WaitsUntilFilesAreQuiet(t *testing.T) {
	dir := copyDir(t, "slow")
	file := filepath.Join(dir, "slow_test.rego")
	synctest.Test(t, func(t *testing.T) {
		w := NewWatch(Options{Dirs: []string{dir}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		tick := make(chan time.Time)
		var answers [][]string
		go func() {
			for ctx.Err() == nil {
				answers = append(answers, w.Wait(ctx, tick))
			}
		}()
		for i, change := range []bool{false, true, true, false, false} {
			if change {
				if err := grow(file); err != nil {
					t.Fatal(err)
				}
			}
			tick <- at()
			synctest.Wait() // the tick has been looked at
			if want := max(0, min(1, i-2)); len(answers) != want {
				t.Errorf("after tick %d: %d answers, want %d", i, len(answers), want)
			}
		}
		cancel()
		synctest.Wait()
		if len(answers) != 2 || !slices.Equal(answers[0], []string{file}) || answers[1] != nil {
			t.Errorf("answers %q", answers)
		}
	})
}
