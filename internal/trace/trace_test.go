package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const head = "| part | what | folder | built |\n|---|---|---|---|\n| 1C | reading | transcript | yes |\n| 1B | runtime | agentcore | no |\n\n"

func TestParseDoc(t *testing.T) {
	doc, err := parseDoc(strings.NewReader(head+
		"## 1C. Reading\n- **TR-1** P0. One. And more.\n- **TR-2** P1 [1B, 1C]. Two.\n\n## 4. Decisions\n- **D-08** P0 [1B]. Three.\n"), "r.md")
	if err != nil {
		t.Fatal(err)
	}
	want := []requirement{
		{ID: "TR-1", Priority: "P0", Parts: []string{"1C"}, Line: 7, Text: "One. And more."},
		{ID: "TR-2", Priority: "P1", Parts: []string{"1B", "1C"}, Line: 8, Text: "Two."},
		{ID: "D-08", Priority: "P0", Parts: []string{"1B"}, Line: 11, Text: "Three."},
	}
	if diff := cmp.Diff(want, doc.Requirements); diff != "" {
		t.Errorf("requirements (-want +got):\n%s", diff)
	}
	if len(doc.Parts) != 2 || !doc.Parts[0].Built || doc.Parts[1].Built {
		t.Errorf("parts: %+v", doc.Parts)
	}
}

func TestParseDoc_refuses(t *testing.T) {
	for _, tc := range []struct{ reason, doc, want string }{
		{"no table would mean that nothing is built", "## 1C. x\n", errNoParts.Error()},
		{"no requirement would mean that nothing is missing", head, errNoRequirements.Error()},
		{"a number twice hides one of them", head + "## 1C. x\n- **TR-1** P0. a.\n- **TR-1** P0. b.\n", "r.md:8: TR-1 stands in line 7 already"},
		{"a part that the table does not list is never asked for", head + "## 1X. x\n- **TR-1** P0. a.\n", `r.md:7: TR-1 is in part "1X"`},
		{"a requirement under no part is never asked for", head + "## Words\n- **TR-1** P0. a.\n", `part ""`},
		{"a priority of another name is never asked for", head + "## 1C. x\n- **TR-1** PX. a.\n", `priority "PX"`},
		{"a bullet that is no number is a slip", head + "## 1C. x\n- **TR1** P0. a.\n", "no requirement number"},
		{"a requirement needs words", head + "## 1C. x\n- **TR-1** P0\n", "no text"},
		{"built is yes or no", strings.Replace(head, "| yes |", "| maybe |", 1), `r.md:3: part 1C: built is "maybe"`},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			_, err := parseDoc(strings.NewReader(tc.doc), "r.md")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got error %v, want one with %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestCollect(t *testing.T) {
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"a/a_test.go":                      "package a\n\n// A comment with TR-90 carries nothing.\nfunc TestA_TR1(t T) {\n\trun(`TR-2`, \"x (TR-3, TR-4)\", 'D')\n}\n\nfunc helperTR91() {}\n",
		"a/a.go":                           "package a\n\nconst s = \"TR-92\"\n",
		"rego/s/s_test.rego":               "# PO-1: why\ntest_po_2_more if {\n\ttest_po3 == 1\n}\n",
		"rego/s/s.rego":                    "# PO-93\n",
		"fixtures/c/x/want.json":           `{"reason": "FX-1"}`,
		"fixtures/c/x/stdin.json":          `{"x": "FX-94"}`,
		"other/want.json":                  `{"reason": "FX-95"}`,
		"cmd/x/testdata/script/hook.txtar": "# CL-1 to CL-2\n",
		"bin/b_test.go":                    "package b\nconst s = \"TR-96\"\n",
		".git/c_test.go":                   "not go",
		"internal/trace/d_test.go":         "package d\nconst s = \"TR-97\"\n",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	refs, err := collect(tree)
	if err != nil {
		t.Fatal(err)
	}
	want := []ref{
		{"TR-1", "a/a_test.go", 4}, {"TR-2", "a/a_test.go", 5}, {"TR-3", "a/a_test.go", 5}, {"TR-4", "a/a_test.go", 5},
		{"CL-1", "cmd/x/testdata/script/hook.txtar", 1}, {"CL-2", "cmd/x/testdata/script/hook.txtar", 1},
		{"FX-1", "fixtures/c/x/want.json", 1},
		{"PO-1", "rego/s/s_test.rego", 1}, {"PO-2", "rego/s/s_test.rego", 2},
	}
	if diff := cmp.Diff(want, refs); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}

func TestCollect_brokenTestFile(t *testing.T) {
	_, err := collect(fstest.MapFS{"a_test.go": &fstest.MapFile{Data: []byte("package")}})
	if err == nil || !strings.Contains(err.Error(), "a_test.go:1") {
		t.Errorf("got %v, want an error that names file and line", err)
	}
}

// repository writes a document and one Go test that carries ids.
func repository(t *testing.T, doc string, ids string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"docs/requirements.md": doc,
		"x/x_test.go":          "package x\n\nvar reason = \"" + ids + "\"\n",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestRun(t *testing.T) {
	doc := head + "## 1C. Reading\n- **TR-1** P0. Read the tail.\n- **TR-10** P0. Ten.\n- **TR-2** P1. Nice.\n- **FX-4** P0 [1B]. Later.\n"
	for _, tc := range []struct {
		reason, doc, ids string
		code             int
		out, err         string
	}{
		{"P1, and P0 of a part that is not built, are not asked for", doc, "TR-1 TR-10", 0, "every P0 number", ""},
		{"TR-10 does not prove TR-1", doc, "TR-10", 1, "docs/requirements.md:7: TR-1 [1C] Read the tail.", ""},
		{"a number that is nowhere listed is a slip, and said", doc, "TR-1 TR-10 TR-11", 0, "note: x/x_test.go:3 carries TR-11", ""},
		{"numbers of parts that are listed by range are no slip", doc, "TR-1 TR-10 AC-35", 0, "1C    transcript  2   2", ""},
		{"a broken document is no success", "nothing", "", 2, "", "docs/requirements.md: no row of the part table"},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run([]string{"-root", repository(t, tc.doc, tc.ids)}, &stdout, &stderr)
			if code != tc.code || !strings.Contains(stdout.String(), tc.out) || !strings.Contains(stderr.String(), tc.err) {
				t.Errorf("%s: exit %d, want %d\nstdout, want %q:\n%s\nstderr, want %q:\n%s",
					tc.reason, code, tc.code, tc.out, &stdout, tc.err, &stderr)
			}
			if strings.Contains(stdout.String(), "AC-35") {
				t.Errorf("AC-35 is reported:\n%s", &stdout)
			}
		})
	}
}

func TestRun_usage(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-no-such-flag"}, &stdout, &stderr); code != 2 {
		t.Errorf("unknown flag: exit %d, want 2", code)
	}
	stderr.Reset()
	if code := run([]string{"-root", t.TempDir()}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), "-root") {
		t.Errorf("no document: exit %d, stderr %q; want 2 and what to do", code, &stderr)
	}
}

func TestRun_json(t *testing.T) {
	root := repository(t, head+"## 1C. x\n- **TR-1** P0. a.\n- **TR-2** P0. b.\n", "TR-2")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-root", root, "-json"}, &stdout, &stderr); code != 1 {
		t.Fatalf("exit %d, want 1; stderr %s", code, &stderr)
	}
	var got report
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != reportSchema || len(got.Missing) != 1 || got.Missing[0].ID != "TR-1" {
		t.Errorf("missing: %+v", got)
	}
	if diff := cmp.Diff([]string{"x/x_test.go:3"}, got.Requirements[1].Tests); diff != "" {
		t.Errorf("tests of TR-2 (-want +got):\n%s", diff)
	}
	if got.Parts[0].Required != 2 || got.Parts[0].Tested != 1 {
		t.Errorf("parts: %+v", got.Parts)
	}
}

// The document in this repository parses, and lists what it must: a number that
// fell out of it would never be asked for again.
func TestRequirementsDocument(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "docs", "requirements.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := parseDoc(file, "docs/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, req := range doc.Requirements {
		listed[req.ID] = true
	}
	for _, span := range []string{"TR-1 to TR-16", "PO-1 to PO-16", "RG-1 to RG-4", "FX-1 to FX-6", "CL-1 to CL-5", "AC-150 to AC-167", "D-1 to D-53"} {
		for _, id := range numbersInText(span) {
			if !listed[id] {
				t.Errorf("%s is not in docs/requirements.md", id)
			}
		}
	}
}
