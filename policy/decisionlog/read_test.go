package decisionlog

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// writeLog writes raw log files: name suffix to content.
func writeLog(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "decisions.jsonl")
}

// entry is a minimal event, second seconds after testTime.
func entry(id string, second int, rest string) string {
	at := testTime.Add(time.Duration(second) * time.Second).Format(time.RFC3339Nano)
	return `{"labels":{},"decision_id":"` + id + `","timestamp":"` + at + `"` + rest + "}\n"
}

func TestRead_Filters(t *testing.T) {
	custom := func(s string) string { return `,"custom":{"session_id":"` + s + `"}` }
	path := writeLog(t, map[string]string{
		"decisions.jsonl.2":  entry("a", 1, custom("s1")) + entry("b", 2, custom("s2")),
		"decisions.jsonl.1":  entry("c", 3, `,"input":{"session":{"id":"s1"}}`),
		"decisions.jsonl":    entry("d", 5, custom("s1")) + entry("e", 7, custom("s2")),
		"decisions.99.jsonl": entry("z", 8, custom("s1")) + entry("y", 4, custom("s1")),
		"decisions.7.jsonl":  entry("x", 0, custom("s1")),
		"decisions.jsonl.3":  entry("old", 0, custom("s1")),
		"other.1.jsonl":      entry("other", 0, custom("s1")),
	})
	tests := []struct {
		name   string
		filter Filter
		want   string
		reason string
	}{
		{"all", Filter{}, "x a b c y d e z", "rotated files in order, side files by time"},
		{"session", Filter{SessionID: "s1"}, "x a c y d z", "custom first, the input else"},
		{"since", Filter{Since: testTime.Add(3 * time.Second)}, "c y d e z", "the instant itself counts"},
		{"both", Filter{SessionID: "s2", Since: testTime.Add(3 * time.Second)}, "e", "both must hold"},
		{"none", Filter{SessionID: "s9"}, "", "no such session"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			stats, err := Read(path, tt.filter, func(e Event) error {
				got = append(got, e.DecisionID)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if diff := cmp.Diff(Stats{Files: 5, Events: len(got)}, stats); diff != "" {
				t.Errorf("stats (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRead_Tolerant(t *testing.T) {
	good := entry("good", 1, "")
	tests := []struct {
		name, content string
		events, bad   int
		reason        string
	}{
		{"empty", "", 0, 0, "nothing yet"},
		{"blank lines", "\n\n" + good + "\n", 1, 0, "left by a repair"},
		{"broken", "{\n" + good + "nonsense\n", 1, 2, "each bad line costs itself alone"},
		{"torn tail", good + `{"decision_id":"x"`, 1, 1, "a writer is at work, or was killed"},
		{"no newline", strings.TrimSpace(good), 1, 0, "a whole event"},
		{"two on a line", strings.TrimSpace(good) + good, 0, 1, "no way to tell what it was"},
		{"other JSON", "{}\n[]\n5\n" + good, 1, 3, "JSON, but no event"},
		{"huge line", `{"x":"` + strings.Repeat("x", 3*MaxLineBytes) + "\"}\n" + good, 1, 1, "memory stays bounded"},
		{"long line", entry("long", 1, `,"x":"`+strings.Repeat("x", 200_000)+`"`) + good, 2, 0, "larger than the buffer"},
		{"carriage returns", strings.ReplaceAll(good, "\n", "\r\n"), 1, 0, "edited elsewhere"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeLog(t, map[string]string{"decisions.jsonl": tt.content})
			stats, err := Read(path, Filter{}, func(Event) error { return nil })
			if err != nil || stats.Events != tt.events || stats.Bad != tt.bad {
				t.Errorf("%s: got %+v, %v", tt.reason, stats, err)
			}
		})
	}
}

func TestRead_Ends(t *testing.T) {
	path := writeLog(t, map[string]string{"decisions.jsonl": entry("a", 1, "") + entry("b", 2, "")})
	boom := errors.New("boom")
	tests := []struct{ give, want error }{{ErrStop, nil}, {boom, boom}}
	for _, tt := range tests {
		stats, err := Read(path, Filter{}, func(Event) error { return tt.give })
		if !errors.Is(err, tt.want) || stats.Events != 1 {
			t.Errorf("%v: got %+v, %v", tt.give, stats, err)
		}
	}
	if stats, err := Read(filepath.Join(t.TempDir(), "no", "log.jsonl"), Filter{}, nil); err != nil || stats != (Stats{}) {
		t.Errorf("a log that does not exist is empty: %+v, %v", stats, err)
	}
	link := filepath.Join(t.TempDir(), "decisions.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link, Filter{}, nil); err == nil {
		t.Error("a symbolic link was followed")
	}
}

// TestRead_ReplaysTheInput proves that what is not listed as changed is equal.
func TestRead_ReplaysTheInput(t *testing.T) {
	w := fixedWriter(t)
	in := map[string]any{"big": int64(9007199254740993), "f": 0.1, "deep": map[string]any{"list": []any{"a", nil, true}}, "hook": map[string]any{"x": 1, "text": "gone"}}
	w.Masks = []Mask{{Op: OpRemove, Path: "/input/hook/text"}}
	if err := w.Append(Event{Input: in}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"big": json.Number("9007199254740993"), "f": json.Number("0.1"), "deep": map[string]any{"list": []any{"a", nil, true}}, "hook": map[string]any{"x": json.Number("1")}}
	_, err := Read(w.Path, Filter{}, func(e Event) error {
		if diff := cmp.Diff(any(want), e.Input); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"/input/hook/text"}, e.Erased); diff != "" {
			t.Error(diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An editor of Windows puts a mark before the first line and CR before every newline.
func TestRead_WhatAnEditorOfWindowsSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d.jsonl")
	text := "\ufeff" + `{"decision_id":"a","timestamp":"2026-10-05T09:00:00Z"}` + "\r\n" + `{"decision_id":"b","timestamp":"2026-10-05T09:00:01Z"}` + "\r\n\r\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ids, stats := readIDs(t, path)
	if diff := cmp.Diff([]string{"a", "b"}, ids); diff != "" || stats.Bad != 0 {
		t.Errorf("%+v: %s", stats, diff)
	}
}
