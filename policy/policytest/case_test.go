package policytest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parts are the files of a case that loads; a test changes one of them.
func parts() map[string]string {
	return map[string]string{
		WantFile:       `{"reason": "r", "now": "2026-10-05T09:00:00Z", "verdict": "allow", "env": {"HOME": "@CASE_DIR@/home"}}`,
		StdinFile:      `{"hook_event_name": "Stop", "session_id": "s1", "transcript_path": "@CASE_DIR@/transcript.jsonl"}`,
		TranscriptFile: "{}\n",
		LedgerFile:     `{"v":1,"id":"ev000001","ts":"2026-10-05T08:00:00Z","kind":"session_started"}` + "\n\n",
		ConfigFile:     "defer_minutes: 5\n",
		"notes.md":     "for people",
	}
}

func TestLoadCase_TellsWhatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		reason, file, text string // the text of that file, or - for none
		want               string // what the error mentions; empty for no error
	}{
		{"nothing is wrong", "notes.md", "other notes", ""},
		{"optional files may be missing", LedgerFile, "-", ""},
		{"a hidden file is nobody's business", ".DS_Store", "x", ""},
		{"a folder for the payload's home", "home/.bashrc", "x", ""},
		{"no want.json", WantFile, "-", "want.json: the file is missing"},
		{"no stdin.json", StdinFile, "-", "stdin.json: the file is missing"},
		{"a transcript that is named and missing", TranscriptFile, "-", "transcript.jsonl: the file is missing, and stdin.json names it"},
		{"a transcript that nobody reads", StdinFile, `{"hook_event_name": "Stop", "transcript_path": "/home/me/x.jsonl"}`, `"transcript_path" is "/home/me/x.jsonl", so transcript.jsonl would not be read`},
		{"a transcript by the way of the home", StdinFile, `{"hook_event_name": "Stop", "session_id": "s", "transcript_path": "~/../transcript.jsonl"}`, ""},
		{"a misspelt file", "legder.jsonl", "", "legder.jsonl: nothing reads this file"},
		{"a policy in a case", "x.rego", "package x", "x.rego: a policy inside of a case would be in force for all cases"},
		{"a policy deeper in a case", "home/x.rego", "package x", "home/x.rego: a policy inside of a case"},
		{"a payload that is no JSON", StdinFile, "{\n\n oops}", "stdin.json:3:"},
		{"an empty payload", StdinFile, " ", "stdin.json: the file is empty"},
		{"a payload of no event", StdinFile, `{"session_id": "s", "transcript_path": "@CASE_DIR@/transcript.jsonl"}`, `"hook_event_name" is missing`},
		{"a field of another type", StdinFile, `{"hook_event_name": "Stop", "session_id": 3, "transcript_path": "@CASE_DIR@/transcript.jsonl"}`, "session_id"},
		{"evidence of no session", StdinFile, `{"hook_event_name": "Stop", "transcript_path": "@CASE_DIR@/transcript.jsonl"}`, `"session_id" is missing, so ledger.jsonl belongs to no session`},
		{"a line that is no event", LedgerFile, `{"v":1,"id":"ev000001","ts":"2026-10-05T08:00:00Z","kind":"session_started"}` + "\n{}\n", "ledger.jsonl:2: this is no event"},
		{"a want.json with two faults", WantFile, "{\"a\": 1,\n\"b\": 1}", "want.json:2: there is no key \"b\""},
	} {
		files := parts()
		if files[tt.file] = tt.text; tt.text == "-" {
			delete(files, tt.file)
		}
		dir := write(t, files)
		c, err := LoadCase(dir)
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.reason, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %q in it", tt.reason, err, tt.want)
		case tt.want == "" && (c.Event == nil || c.Env["HOME"] != filepath.Join(dir, "home")):
			t.Errorf("%s: %+v", tt.reason, c)
		}
	}
}

func TestLoadCase_NoFolder(t *testing.T) {
	if _, err := LoadCase(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there is an error")
	}
}

// A folder whose name needs escapes in JSON still gives a payload.
func TestLoadCase_PathsAreQuoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `a "b" \c`)
	put(t, dir, parts())
	c, err := LoadCase(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, TranscriptFile); c.Event.TranscriptPath != want {
		t.Errorf("transcript %q, want %q", c.Event.TranscriptPath, want)
	}
}

// Cases stay as they are, and nothing of a run stays behind.
func TestRun_WritesNothing(t *testing.T) {
	dir, temp := copyDir(t, "good"), t.TempDir()
	t.Setenv("TMPDIR", temp)
	before := snapshot(t, dir)
	if r := report(t, Options{Cover: true}, dir); r.ExitCode() != 0 {
		t.Fatalf("%+v", r.Problems)
	}
	if after := snapshot(t, dir); after != before {
		t.Errorf("the run changed the folder:\n%s\n%s", before, after)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		b.WriteString(p + " " + st.ModTime().String() + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
