package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/policy"
)

func TestFormat(t *testing.T) {
	for _, tc := range []struct {
		reason, src string
		v1          bool
		want, err   string
	}{
		{"spaces", "package a\nx:={\"a\":1}", false, "package a\n\nx := {\"a\": 1}\n", ""},
		{"formatted already", "package a\n\nx := 1\n", false, "package a\n\nx := 1\n", ""},
		{"a mark and line ends of another system", "\ufeff# METADATA\r\n# title: x\r\npackage a\r\n\r\nx := 1\r\n", false, "# METADATA\n# title: x\npackage a\n\nx := 1\n", ""},
		{"nothing", " \n\t\n", false, "", ""},
		{"v0 is told", "package a\n\nx[y] { y := 1 }\n", false, "", "p.rego:3: this file is written in Rego v0"},
		{"v0 is migrated", "package a\n\nimport future.keywords.in\n\nx[y] { y := 1; y in {1} }\n", true, "package a\n\nx contains y if {\n\ty := 1\n\ty in {1}\n}\n", ""},
		{"v1 stays v1", "package a\n\nimport rego.v1\n\nx contains 1\n", true, "package a\n\nx contains 1\n", ""},
		{"broken", "package a\n\nx := \n", true, "", "p.rego:"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := Format("p.rego", []byte(tc.src), tc.v1)
			if string(got) != tc.want {
				t.Errorf("got %q", got)
			}
			var errs policy.PolicyErrors
			if tc.err != "" && (!errors.As(err, &errs) || !strings.Contains(err.Error(), tc.err)) || tc.err == "" && err != nil {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestFormatFiles(t *testing.T) {
	tree(t, map[string]string{"p/a.rego": "package a\nx:=1", "p/ok.rego": "package a\n\ny := 1\n", "p/broken.rego": "package", "p/.git/x.rego": "no", "p/notes.md": ""})
	if err := os.Chmod("p/a.rego", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("p/a.rego", "link.rego"); err != nil {
		t.Fatal(err)
	}
	files, err := FormatFiles([]string{"p", "p/ok.rego", "link.rego"}, false)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, f := range files {
		mark := " same"
		if f.Changed() {
			mark = " changed"
		} else if f.Err != nil {
			mark = " error"
		}
		seen = append(seen, filepath.ToSlash(f.Path)+mark)
	}
	if got := strings.Join(seen, ", "); got != "p/a.rego changed, p/broken.rego error, p/ok.rego same, link.rego changed" {
		t.Fatal(got)
	}
	for i := range files {
		if err := files[i].Write(); err != nil {
			t.Error(err)
		}
	}
	st, err := os.Stat("p/a.rego")
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
	if st, err := os.Lstat("link.rego"); err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", st, err)
	}
	for name, want := range map[string]string{"p/a.rego": "package a\n\nx := 1\n", "p/broken.rego": "package"} {
		if got, _ := os.ReadFile(name); string(got) != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if left, _ := filepath.Glob("p/.stophook-fmt-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	for _, paths := range [][]string{{"nowhere"}, {"p/.git/none"}} {
		if _, err := FormatFiles(paths, false); err == nil {
			t.Errorf("%v gives no error", paths)
		}
	}
}

// TestFormat_builtin: formatting keeps what is formatted, and is stable.
func TestFormat_builtin(t *testing.T) {
	files, err := FormatFiles([]string{"../../rego", "../examples"}, false)
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if f.Err != nil || f.Changed() {
			t.Errorf("%s: %v\n%s", f.Path, f.Err, Diff(f.Path, f.Before, f.After))
		}
	}
}

func TestDiff(t *testing.T) {
	before := "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk"
	after := "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"
	want := "--- x\n+++ x (formatted)\n@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -8,4 +8,4 @@\n h\n i\n j\n-k\n\\ No newline at end of file\n+k\n"
	if got := Diff("x", []byte(before), []byte(after)); got != want {
		t.Errorf("%s", got)
	}
	if Diff("x", nil, nil) != "" {
		t.Error("equal texts differ")
	}
}
