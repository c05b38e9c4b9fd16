package policytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a DIR means: how many tests and cases run, and that the policies they need
// are found.
func TestRun_WhatADirIs(t *testing.T) {
	good := filepath.Join("testdata", "good")
	for _, tt := range []struct {
		reason      string
		dirs        []string
		rego, cases int
		note        string
	}{
		{"a folder of policies", []string{"."}, 8, 6, ""},
		{"one rule folder: the helpers beside it are found", []string{"tests_ran"}, 7, 3, "lib/calls.rego is read too"},
		{"a rule folder without helpers", []string{"no_sleep"}, 0, 1, ""},
		{"the helpers alone", []string{"lib"}, 1, 0, ""},
		{"the cases of a rule", []string{"tests_ran/cases"}, 0, 3, "tests_ran/cases has no policies; those of"},
		{"one case", []string{"tests_ran/cases/edit-then-tests"}, 0, 1, "edit-then-tests has no policies"},
		{"one file of tests", []string{"tests_ran/tests_ran_test.rego"}, 7, 0, "lib/calls.rego is read too"},
		{"cases beside the rules", []string{"cases"}, 0, 2, "cases has no policies; those of testdata/good are in force"},
		{"two folders", []string{"tests_ran", "no_sleep"}, 7, 4, "lib/calls.rego is read too"},
		{"the same folder twice", []string{"no_sleep", "./no_sleep/"}, 0, 1, ""},
		{"a folder and a part of it", []string{".", "no_sleep", "lib/calls_test.rego"}, 8, 6, ""},
	} {
		var dirs []string
		for _, d := range tt.dirs {
			dirs = append(dirs, filepath.Join(good, filepath.FromSlash(d)))
		}
		r := report(t, Options{}, dirs...)
		if r.ExitCode() != 0 || r.Totals.Rego != tt.rego || r.Totals.Cases != tt.cases {
			t.Errorf("%s: exit %d, %d tests and %d cases, want %d and %d: %v", tt.reason, r.ExitCode(), r.Totals.Rego, r.Totals.Cases, tt.rego, tt.cases, r.Problems)
		}
		notes := strings.Join(r.Notes, "\n")
		if !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
			t.Errorf("%s: notes %q, want %q", tt.reason, notes, tt.note)
		}
	}
}

// Without a policy anywhere near, cases are about the built-in rules.
func TestRun_CasesOfTheBuiltinRules(t *testing.T) {
	dir := copyDir(t, "good")
	r := report(t, Options{}, filepath.Join(dir, "no_sleep"))
	if r.ExitCode() != 0 {
		t.Fatalf("%+v", r)
	}
	alone := filepath.Join(t.TempDir(), "a", "b", "c", "bypassed")
	if err := os.CopyFS(alone, os.DirFS(filepath.Join(dir, "cases", "bypassed"))); err != nil {
		t.Fatal(err)
	}
	if r := report(t, Options{Cover: true}, alone); r.ExitCode() != 0 || r.Totals.Cases != 1 || len(r.Notes) > 0 || r.Coverage != nil {
		t.Errorf("%+v", r)
	}
	// Policies of other programs beside a folder called cases are not ours.
	project := write(t, map[string]string{"k8s/deny.rego": "package k8s\n\ndeny[x] { x := 1 }\n"})
	if err := os.CopyFS(filepath.Join(project, "cases", "bypassed"), os.DirFS(alone)); err != nil {
		t.Fatal(err)
	}
	if r := report(t, Options{}, filepath.Join(project, "cases")); r.ExitCode() != 0 || r.Totals.Cases != 1 {
		t.Errorf("%+v", r)
	}
}

func TestRun_DotIsAFolderLikeAnother(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "good", "tests_ran"))
	for _, dir := range []string{".", "cases", "cases/edit-then-tests", "../tests_ran"} {
		if r := report(t, Options{}, dir); r.ExitCode() != 0 || r.Totals.Tests == 0 {
			t.Errorf("%s: %+v", dir, r)
		}
	}
}

func TestRun_NamesThatCannotBe(t *testing.T) {
	for _, tt := range []struct{ reason, dir, want string }{
		{"nothing is there", "testdata/none", "testdata/none: there is no such file or folder"},
		{"a policy is no test", "testdata/good/lib/calls.rego", "this file holds no tests; name a _test.rego file"},
	} {
		_, err := Run(t.Context(), Options{Dirs: []string{tt.dir}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in it", tt.reason, err, tt.want)
		}
	}
	if _, err := Run(t.Context(), Options{}); err == nil {
		t.Error("no DIR at all is an error")
	}
}

// A helper that is only found beside a rule folder may itself ask for another, and
// files that nobody asks for are not read, however broken they are.
func TestRun_HelpersOfHelpers(t *testing.T) {
	dir := write(t, map[string]string{
		"rule/rule.rego":         rule("rule", "data.acme.first.ok"),
		"rule/rule_test.rego":    "package rule_test\n\ntest_demand if count(data.stophook.rules.rule.demand) == 1\n",
		"lib/first.rego":         "package acme.first\n\nok if data.acme.second.ok\n",
		"second.rego":            "package acme.second\n\nok if true\n",
		"broken/broken.rego":     "package acme.third\n\nno",
		"lib/first_test.rego":    "package acme.first_test\n\ntest_not_in_scope if false\n",
		"deep/down/further.rego": "package acme.fourth\n",
	})
	r := report(t, Options{}, filepath.Join(dir, "rule"))
	if r.ExitCode() != 0 || r.Totals.Tests != 1 || len(r.Notes) != 2 {
		t.Errorf("%+v", r)
	}
	// As a part of all policies, the broken file counts.
	if r := report(t, Options{}, dir); r.ExitCode() != 2 {
		t.Errorf("exit %d: %+v", r.ExitCode(), r.Problems)
	}
}

// rule is a policy that demands something when cond is true.
func rule(name, cond string) string {
	return "# METADATA\n# title: T\n# custom: {code: acme." + name + "}\npackage stophook.rules." + name +
		"\n\ndemand contains {\"text\": \"t\"} if " + cond + "\n"
}

// "only" is about the rule that a case lies in, whatever else DIR has.
func TestRun_OnlyTheRuleOfTheCase(t *testing.T) {
	want := func(codes string) string {
		return `{"reason": "r", "now": "2026-10-05T09:00:00Z", "only": true, ` + codes + `}`
	}
	stdin := `{"hook_event_name": "Stop", "session_id": "s1", "transcript_path": "@CASE_DIR@/transcript.jsonl"}`
	row := `{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-10-05T08:59:00Z","origin":{"kind":"human"},"message":{"role":"user","content":"go"}}`
	files := map[string]string{"one/one.rego": rule("one", "true"), "two/two.rego": rule("two", "true")}
	for dir, codes := range map[string]string{
		"one/cases/c": `"demands": ["acme.one"], "no_demands": ["acme.two"]`,
		"two/cases/c": `"demands": ["acme.two"], "no_demands": ["acme.one"]`,
		"cases/c":     `"demands": ["acme.one", "acme.two"], "no_demands": ["stop-hook.status_check_missing"]`,
	} {
		files[dir+"/want.json"], files[dir+"/stdin.json"], files[dir+"/transcript.jsonl"] = want(codes), stdin, row+"\n"
	}
	dir := write(t, files)
	if r := report(t, Options{}, dir); r.ExitCode() != 0 || r.Totals.Cases != 3 {
		t.Errorf("%+v", r)
	}
	if r := report(t, Options{}, filepath.Join(dir, "one")); r.ExitCode() != 0 || r.Totals.Cases != 1 {
		t.Errorf("%+v", r)
	}
}

// A folder of tests alone, in a folder that holds .rego files of other programs (a
// home, a place for temporary files): these are not read, whatever is in them.
func TestRun_FilesOfOtherProgramsAboveAreNotRead(t *testing.T) {
	above := t.TempDir()
	for name, text := range map[string]string{
		"broken.rego":       "package {",
		"other.rego":        "package other\n\nx := 1\n",
		"deep/down/x.rego":  "package {",
		"mine/a_test.rego":  "package a_test\n\ntest_a if true\n",
		"mine/NOTES.md":     "tests alone\n",
		"stray/cases/x.txt": "",
	} {
		path := filepath.Join(above, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Run(t.Context(), Options{Dirs: []string{filepath.Join(above, "mine")}})
	if err != nil || report.Totals.Tests != 1 || report.Totals.Passed != 1 || len(report.Problems) > 0 || len(report.Notes) > 0 {
		t.Errorf("%v, %+v, problems %v, notes %v; want one test that passes", err, report.Totals, report.Problems, report.Notes)
	}
}
