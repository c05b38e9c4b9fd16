package session

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/session/sessiontest"
)

// seedFiles are transcripts of the real client, and some that it never wrote.
func seedFiles(t testing.TB) (files []string) {
	t.Helper()
	for _, pattern := range []string{"captures", "transcript"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "fixtures", pattern, "*", "transcript.jsonl"))
		must(t, err)
		files = append(files, found...)
	}
	if len(files) < 100 {
		t.Fatalf("only %d transcripts found", len(files))
	}
	return files
}

// place puts bytes where a session's transcript belongs.
func place(t testing.TB, store *Store, id string, file []byte) {
	t.Helper()
	must(t, os.MkdirAll(store.Dir(id), 0o700))
	must(t, os.WriteFile(store.Path(id), file, 0o600))
}

// whatever opens any file, and looks at what every file must give.
func whatever(t testing.TB, file []byte) {
	t.Helper()
	store := newStore(t)
	place(t, store, "s", file)
	s := got[*Session](t)(store.Open("s"))
	defer s.Close()
	first := s.Messages()
	if err := sessiontest.Valid(first); err != nil {
		t.Fatalf("%v\n%s", err, show(first))
	}
	prompt(t, s.Thread, "go on")
	live := s.Messages()
	if err := sessiontest.Valid(live); err != nil {
		t.Fatalf("after a prompt: %v\n%s", err, show(live))
	}
	if text := live[len(live)-1].Content; text[len(text)-1].Text != "go on" {
		t.Fatalf("the prompt is not what comes last:\n%s", show(live))
	}
	before, damage := s.Totals(), s.Damage()
	s = reopen(t, s)
	if diff := cmp.Diff(show(live), show(s.Messages())); diff != "" {
		t.Fatalf("the resumed messages are others (-live +resumed):\n%s", diff)
	}
	if s.Totals() != before || s.Damage().BadRows != damage.BadRows {
		t.Fatalf("totals %+v and %d bad rows became %+v and %d", before, damage.BadRows, s.Totals(), s.Damage().BadRows)
	}
	fork := got[*Session](t)(store.Fork("s", ""))
	defer fork.Close()
	if err := sessiontest.Valid(fork.Messages()); err != nil {
		t.Fatalf("of a fork: %v\n%s", err, show(fork.Messages()))
	}
	if list := got[[]Info](t)(store.List()); len(list) != 2 || list[0].Problem+list[1].Problem != "" {
		t.Fatalf("list: %+v", list)
	}
}

func FuzzOpen(f *testing.F) {
	for i, name := range seedFiles(f) {
		if file := readFile(f, name); i%16 == 0 && len(file) < 20_000 { // a test reads all of them
			f.Add([]byte(file))
		}
	}
	f.Add([]byte(readFile(f, filepath.Join("testdata", "rows.jsonl"))))
	for _, odd := range oddFiles() {
		f.Add([]byte(odd))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var before state
		rows := scanner{max: 1 << 20}
		must(t, rows.each(bytes.NewReader(file), before.apply))
		messages := before.fold.messages()
		if err := sessiontest.Valid(messages); err != nil {
			t.Fatalf("%v\n%s", err, show(messages))
		}
		next := file
		if rows.torn {
			next = append(slices.Clone(file), '\n')
		}
		next = append(slices.Clone(next), `{"type":"user","message":{"content":"go on"}}`...)
		var after state
		must(t, rows.each(bytes.NewReader(next), after.apply))
		messages = after.fold.messages()
		if err := sessiontest.Valid(messages); err != nil {
			t.Fatalf("after a prompt: %v\n%s", err, show(messages))
		}
		if text := messages[len(messages)-1].Content; text[len(text)-1].Text != "go on" || after.totals.Turns != before.totals.Turns+1 {
			t.Fatalf("the prompt is not what comes last:\n%s", show(messages))
		}
	})
}

// oddFiles are what no host writes.
func oddFiles() []string {
	call := `{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{}}]}}` + "\n"
	return []string{
		"", "\n\n\n", "{}", "null\n[]\n1\n\"\"", "\xef\xbb\xbf{}\n", "\x00\x00{}\x00\n\x00",
		`{"type":"user","message":"text"}`,
		`{"type":"user","message":{"content":["a",{"type":"text","text":"b"},null,1,{"type":5}]}}`,
		`{"type":"assistant","message":{"content":"text"}}`,
		`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"t","signature":"s"}]}}`,
		`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"","name":"","input":[1]},{"type":"tool_use","id":"x","name":"n","input":"{\"a\":1}"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"nowhere","content":"x"}]}}`,
		call + call + strings.Replace(call, "m1", "m2", 1),
		call + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"tool_result","tool_use_id":"c"},{"type":"text","text":""}]},{"type":"tool_result","tool_use_id":"c"}]}}`,
		call + `{"type":"system","subtype":"compact_boundary"}` + "\n" + `{"type":"user","isCompactSummary":true,"message":{"content":"summary"}}`,
		`{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"a","cache_control":{"type":"x"}},{"type":"server_tool_use","id":"s"},{"type":"image"}]}}`,
		`{"type":"agentcore-run","totals":{"turns":"x","usage":[],"costUsd":1e999}}` + "\n" + `{"type":"agentcore-meta","cwd":5}`,
		`{"type":"attachment","attachment":{"type":"hook_additional_context","content":[1,"",null]}}`,
		`{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"q"}]}}`,
		strings.Repeat("[", 20_000), `{"a":` + strings.Repeat("[", 20_000), `{"a":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}",
		`{"type":"user","uuid":"u","timestamp":"t","forkedFrom":{"sessionId":"x"},"sessionId":"y","message":{"content":"copied"}}`,
	}
}

func TestOpen_oddFiles_RT42(t *testing.T) {
	for _, odd := range oddFiles() {
		whatever(t, []byte(odd))
	}
}

// Sessions of the real client can be gone on with.
func TestOpen_filesOfTheClient_RT42(t *testing.T) {
	for _, name := range seedFiles(t) {
		whatever(t, []byte(readFile(t, name)))
	}
}
