package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

func TestReadFile_longAndOdd(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"long":      strings.Repeat("ä", 3000) + "\nshort\n" + strings.Repeat("x", 200_000) + "\nend",
		"many":      strings.Repeat("a line of text\n", 3000),
		"wide":      strings.Repeat(strings.Repeat("y", 1500)+"\n", 200),
		"latin":     "gr\xfc\xdfe\n",
		"crlf":      "a\r\nb\r\n",
		"control":   "a\x1b[2Jb\n",
		"unfinish":  "a\nb",
		"newlines":  "\n\n\n",
		"image.png": "\x89PNG\r\n\x1a\n0000",
		"nul":       "abc\x00def",
		"utf16":     "\xff\xfea\x00",
	})
	for _, tc := range []struct{ reason, input, begin, end string }{
		{"long lines are cut, the rest is there", `{"path":"long"}`, "     1\t" + strings.Repeat("ä", 2000) + "… [cut: the line has 6001 bytes]\n     2\tshort\n     3\txxx",
			"… [cut: the line has 200001 bytes]\n     4\tend\n[2 long lines cut after 2000 characters]\n"},
		{"2000 lines", `{"path":"many"}`, "     1\ta line of text\n", "  2000\ta line of text\n[lines 1 to 2000 of 3000 are shown; go on with offset 2001]\n"},
		{"as many as were asked for", `{"path":"many","limit":3000}`, "     1\t", "  3000\ta line of text\n"},
		{"no more than a page holds", `{"path":"wide"}`, "     1\tyyy", "yy\n[lines 1 to 66 of 200 are shown; go on with offset 67]\n"},
		{"the last page", `{"path":"wide","offset":198}`, "   198\tyyy", "yy\n"},
		{"no UTF-8", `{"path":"latin"}`, "     1\tgr\uFFFD\uFFFDe\n", "[bytes that are no UTF-8 are shown as \uFFFD]\n"},
		{"CRLF", `{"path":"crlf"}`, "     1\ta\n     2\tb\n", "[lines end in CRLF; edit keeps that]\n"},
		{"control characters", `{"path":"control"}`, "     1\ta␛[2Jb\n", "b\n"},
		{"no newline at the end", `{"path":"unfinish"}`, "     1\ta\n     2\tb\n", "\tb\n"},
		{"empty lines", `{"path":"newlines"}`, "     1\t\n     2\t\n     3\t\n", "\n"},
		{"an image", `{"path":"image.png"}`, "image.png is a PNG image of 12 bytes, and not text", "."},
		{"NUL", `{"path":"nul"}`, "nul is a binary file of 7 bytes", "."},
		{"UTF-16", `{"path":"utf16"}`, "utf16 is UTF-16 text", "."},
	} {
		got := w.call("read_file", tc.input)
		if !strings.HasPrefix(got.Text, tc.begin) || !strings.HasSuffix(got.Text, tc.end) || got.Cut != (tool.Cut{}) {
			t.Errorf("%s: %.100q … %q, %+v", tc.reason, got.Text, got.Text[max(0, len(got.Text)-100):], got.Cut)
		}
	}
	got := w.call("read_file", `{"path":"many","offset":3,"limit":2}`)
	want := `{"type":"text","file":{"filePath":"` + w.path("many") + `","numLines":2,"startLine":3,"totalLines":3000}}`
	if shape, err := json.Marshal(got.Structured); err != nil || string(shape) != want {
		t.Errorf("%s, %v", shape, err)
	}
}

func TestWriteFile_keepsModeAndShape(t *testing.T) {
	w := newWorkspace(t, map[string]string{"run.sh": "#!/bin/sh\n", "real/x": "old"})
	if err := os.Chmod(w.path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.link("link", "real/x")
	got := w.call("write_file", `{"path":"run.sh","content":"#!/bin/sh\necho\n"}`)
	info, err := os.Stat(w.path("run.sh"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if diff := cmp.Diff(WriteOutput{Type: "update", FilePath: w.path("run.sh"), Lines: 2, Bytes: 15}, got.Structured); diff != "" {
		t.Error(diff)
	}
	w.call("write_file", `{"path":"link","content":"new"}`)
	if to, err := os.Readlink(w.path("link")); err != nil || to != "real/x" || w.read("real/x") != "new" {
		t.Errorf("the link leads to %s (%v), what is there: %q", to, err, w.read("real/x"))
	}
	if got := w.call("write_file", `{"path":"new/","content":""}`); !got.IsError {
		t.Errorf("%+v", got)
	}
}

func TestGlob_orderAndLimit(t *testing.T) {
	w := newWorkspace(t, nil)
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 130 {
		name := fmt.Sprintf("d/f%03d.txt", i)
		w.write(name, "")
		when := base.Add(time.Duration(i%65) * time.Hour)
		if err := os.Chtimes(w.path(name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	got := w.call("glob", `{"pattern":"**/*.txt"}`)
	lines := strings.Split(got.Text, "\n")
	if diff := cmp.Diff([]string{"d/f064.txt", "d/f129.txt", "d/f063.txt", "d/f128.txt"}, lines[:4]); diff != "" {
		t.Error(diff)
	}
	if out := got.Structured.(GlobOutput); len(out.Filenames) != 100 || out.NumFiles != 130 || !out.Truncated || lines[100] != "[100 of 130 files are shown, those changed last; narrow the pattern down for others]" {
		t.Errorf("%d, %d, %v, %q", len(out.Filenames), out.NumFiles, out.Truncated, lines[len(lines)-1])
	}
	if got := w.call("glob", fmt.Sprintf(`{"pattern":%q}`, w.path("d/f00*"))); len(got.Structured.(GlobOutput).Filenames) != 10 {
		t.Errorf("an absolute pattern: %s", got.Text)
	}
}

func TestGrep_longLinesAndSkipped(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"long":   strings.Repeat("a", 1000) + "needle" + strings.Repeat("é", 1000) + "\n",
		"binary": "needle\x00",
		"large":  strings.Repeat("needle\n", 100),
		"crlf":   "needle\r\nneedle\r\n",
		"ctx":    "1\n2\nneedle\n4\nneedle\n6\n7\n8\n9\nneedle\n",
	})
	w.use(Options{MaxFileBytes: 5000})
	w.write("large", strings.Repeat("needle\n", 1000))
	got := w.call("grep", `{"pattern":"needle$","path":"crlf"}`)
	if got.Text != "crlf:1:needle\ncrlf:2:needle" {
		t.Errorf("CRLF: %q", got.Text)
	}
	got = w.call("grep", `{"pattern":"needle","context":1,"path":"ctx"}`)
	if want := "ctx-2-2\nctx:3:needle\nctx-4-4\nctx:5:needle\nctx-6-6\n--\nctx-9-9\nctx:10:needle"; got.Text != want {
		t.Errorf("context: %q", got.Text)
	}
	got = w.call("grep", `{"pattern":"needle","output_mode":"files"}`)
	if want := "crlf\nctx\nlong\n[1 file too large to search, the first is large]"; got.Text != want {
		t.Errorf("files: %q", got.Text)
	}
	got = w.call("grep", `{"pattern":"needle","path":"long"}`)
	if !strings.Contains(got.Text, "needle") || len(got.Text) > grepLine+50 || strings.Contains(got.Text, "\uFFFD") {
		t.Errorf("a long line: %q", got.Text)
	}
	if diff := cmp.Diff(GrepOutput{Mode: "content", NumFiles: 1, NumMatches: 1}, got.Structured); diff != "" {
		t.Error(diff)
	}
	if got := w.call("grep", `{"pattern":"needle\\s+needle","path":"large"}`); strings.Contains(got.Text, "large:") {
		t.Errorf("across lines: %q", got.Text)
	}
}

func TestListFiles_limit(t *testing.T) {
	w := newWorkspace(t, nil)
	for i := range 520 {
		w.write(fmt.Sprintf("f%03d", i), "x")
	}
	got := w.call("list_files", `{}`)
	if !strings.HasSuffix(got.Text, "f499\t1 bytes\n[20 more are not shown; list a folder below, or use glob]") {
		t.Errorf("%q", got.Text[len(got.Text)-200:])
	}
	if err := os.Mkdir(w.path("none"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := w.call("list_files", `{"path":"none"}`); got.Text != "none is empty." {
		t.Error(got.Text)
	}
}

// Searches end with ctx, wherever they are.
func TestSearch_RT5_cancelled(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("d%d/f", i)] = "x"
	}
	w := newWorkspace(t, files)
	for name, input := range map[string]string{"glob": `{"pattern":"**"}`, "grep": `{"pattern":"x"}`, "list_files": `{"depth":3}`} {
		ctx := &endsAfter{Context: t.Context(), checks: 20, done: make(chan struct{})}
		if got := w.callContext(ctx, name, input); !got.Aborted {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// endsAfter is a context that ends after it was asked some times.
type endsAfter struct {
	context.Context
	checks int
	done   chan struct{}
}

func (e *endsAfter) Done() <-chan struct{} { return e.done }

func (e *endsAfter) Err() error {
	if e.checks--; e.checks > 0 {
		return nil
	}
	return context.Canceled
}

// The file tools work on the files of a context elsewhere.
func TestFileTools_elsewhere(t *testing.T) {
	w, mock := inMock(t, execctx.MockOptions{})
	steps := []struct{ name, input, want string }{
		{"write_file", `{"path":"src/a.go","content":"package a\n\nfunc A() {}\n"}`, "Created src/a.go: 3 lines, 23 bytes.\n"},
		{"write_file", `{"path":"/proj/b.txt","content":"bee\n"}`, "Created /proj/b.txt: 1 line, 4 bytes.\n"},
		{"write_file", `{"path":"b.txt","content":"bees\n"}`, "Updated b.txt: 1 line, 5 bytes.\n"},
		{"edit", `{"path":"src/a.go","old_string":"A()","new_string":"B()"}`, "Edited src/a.go: 1 replacement, at line 3.\n     1\tpackage a\n     2\t\n     3\tfunc B() {}\n"},
		{"read_file", `{"path":"src/a.go","offset":3}`, "     3\tfunc B() {}\n"},
		{"glob", `{"pattern":"**/*.go"}`, "src/a.go\n"},
		{"grep", `{"pattern":"bees|func"}`, "b.txt:1:bees\nsrc/a.go:3:func B() {}\n"},
		{"list_files", `{"depth":2}`, "b.txt\t5 bytes\nsrc/\nsrc/a.go\t23 bytes\n"},
		{"read_file", `{"path":"src"}`, "error: src is a folder: use list_files or glob.\n"},
		{"read_file", `{"path":"other.md"}`, "error: other.md does not exist. Relative paths start at @DIR@.\n"},
		{"read_file", `{"path":"/etc/passwd"}`, "error: \"/etc/passwd\" is outside of what this session may read: @DIR@\n"},
		{"list_files", `{"path":"/"}`, "error: \"/\" is outside of what this session may read: @DIR@\n"},
	}
	for _, step := range steps {
		got := strings.ReplaceAll(w.call(step.name, step.input).Text, "/proj", "@DIR@")
		want := strings.TrimPrefix(strings.ReplaceAll(step.want, "/proj", "@DIR@"), "error: ")
		if diff := cmp.Diff(strings.TrimRight(want, "\n"), strings.TrimRight(got, "\n")); diff != "" {
			t.Errorf("%s %s:\n%s", step.name, step.input, diff)
		}
	}
	mock.FailAlways(execctx.MockSeamWriteFile, errors.New("no space left"))
	if got := w.call("write_file", `{"path":"x","content":""}`); got.Text != "Could not write x: no space left" {
		t.Error(got.Text)
	}
}

func TestFileTools_policy(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.txt": "needle", "secret/key": "needle", "lib/b.txt": "needle"})
	paths, err := tool.NewPaths(w.dir, tool.PathOptions{Writable: []string{"."}, Deny: []string{"secret"}, DenyWrite: []string{"lib"}})
	if err != nil {
		t.Fatal(err)
	}
	w.env.Paths = paths
	if got := w.call("grep", `{"pattern":"needle","output_mode":"files"}`); got.Text != "a.txt\nlib/b.txt" {
		t.Errorf("RT-32: %q", got.Text)
	}
	if got := w.call("list_files", `{"depth":3}`); strings.Contains(got.Text, "secret") {
		t.Errorf("RT-32: %q", got.Text)
	}
	if got := w.call("glob", `{"pattern":"**"}`); strings.Contains(got.Text, "secret") {
		t.Errorf("RT-32: %q", got.Text)
	}
	for _, call := range [][2]string{
		{"read_file", `{"path":"secret/key"}`}, {"grep", `{"pattern":"x","path":"secret"}`}, {"edit", `{"path":"lib/b.txt","old_string":"needle","new_string":""}`},
		{"write_file", `{"path":"lib/new","content":""}`}, {"write_file", `{"path":"secret/new","content":""}`}, {"glob", `{"pattern":"*","path":"secret"}`}, {"list_files", `{"path":"secret"}`},
	} {
		if got := w.call(call[0], call[1]); !got.IsError || !strings.Contains(got.Text, "the policy of this session excludes it") {
			t.Errorf("%v: %q", call, got.Text)
		}
	}
	if w.read("lib/b.txt") != "needle" {
		t.Error("a protected file was changed")
	}
}

func TestFileTools_taskOutput_AC14(t *testing.T) {
	w := newWorkspace(t, map[string]string{"proj/x": "", "tasks/bash_1.log": "done\n"})
	w.env.Handle.CWD, w.env.TasksDir = w.path("proj"), w.path("tasks")
	log := filepath.ToSlash(w.path("tasks/bash_1.log"))
	if got := w.call("read_file", map[string]string{"path": log}); got.Text != "     1\tdone\n" {
		t.Errorf("%q", got.Text)
	}
	if got := w.call("write_file", map[string]string{"path": log, "content": ""}); !got.IsError {
		t.Errorf("%q", got.Text)
	}
}

// A folder that cannot be read is said, and the search goes on beside it.
func TestSearch_unreadableFolder(t *testing.T) {
	for _, name := range []string{"glob", "list_files"} {
		w, mock := inMock(t, execctx.MockOptions{})
		for _, file := range []string{"a/x", "b/y", "z"} {
			if got := w.call("write_file", map[string]string{"path": file, "content": "1"}); got.IsError {
				t.Fatal(got.Text)
			}
		}
		// What is listed: the folder above for the entry of this one, this one, a.
		mock.Fail(execctx.MockSeamListFiles, nil, nil, errors.New("input/output error"))
		got := w.call(name, map[string]any{"glob": map[string]any{"pattern": "**"}, "list_files": map[string]any{"depth": 2}}[name])
		if !strings.Contains(got.Text, "[1 folder could not be read]") || !strings.Contains(got.Text, "b/y") || strings.Contains(got.Text, "a/x") {
			t.Errorf("%s: %q", name, got.Text)
		}
	}
}

func TestEdit_limits(t *testing.T) {
	w := newWorkspace(t, map[string]string{"large": strings.Repeat("x\n", 100), "image": "GIF89a", "many": strings.Repeat("one\n", 30), "block": "x\n"})
	w.use(Options{MaxFileBytes: 150})
	for _, tc := range []struct{ reason, input, want string }{
		{"too large", `{"path":"large","old_string":"a","new_string":"b"}`, "large is larger than 150 bytes, too large to edit: use the shell."},
		{"no text", `{"path":"image","old_string":"a","new_string":"b"}`, "image is a GIF image, and not text; nothing was changed."},
		{"a list that is cut", `{"path":"many","old_string":"one","new_string":"b"}`, "many: nothing was changed. old_string is there 30 times, beginning at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …. Add lines around the one that you mean, or set replace_all."},
	} {
		if got := w.call("edit", tc.input); got.Text != tc.want || !got.IsError {
			t.Errorf("%s: %q", tc.reason, got.Text)
		}
	}
	got := w.call("edit", map[string]string{"path": "block", "old_string": "x", "new_string": strings.Repeat("new\n", 60)})
	if !strings.HasSuffix(got.Text, "    40\tnew\n[… 21 more lines]\n") {
		t.Errorf("%q", got.Text[len(got.Text)-60:])
	}
}
