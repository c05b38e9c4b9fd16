package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stophook/stophook/fixtures"
)

// testProgram is the program in this process, with an environment of its own.
// Its home is dir; env stands for the process's.
func testProgram(dir string, stdin []byte, env map[string]string) (p *program, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &program{stdin: bytes.NewReader(stdin), stdout: stdout, stderr: stderr, home: dir,
		getenv:     func(name string) string { return env[name] },
		now:        func() time.Time { return scriptStart().Add(time.Minute) },
		executable: func() (string, error) { return "/opt/stophook", nil },
		lookPath:   func(string) (string, error) { return "", os.ErrNotExist },
		workdir:    func() (string, error) { return dir, nil },
	}, stdout, stderr
}

// FuzzHook feeds the hook any payload and any transcript: it never panics, exits
// 0, and prints nothing or one legal object (CL-2, issue 2 "Bad input gets"). The
// word TRANSCRIPT in the payload becomes the path of the transcript.
func FuzzHook(f *testing.F) {
	for _, area := range []string{fixtures.Cases, fixtures.Stop} {
		for _, c := range fixtures.Load(f, area) {
			stdin := bytes.ReplaceAll(c.Read(f, fixtures.StdinFile), []byte("@CASE_DIR@/transcript.jsonl"), []byte("TRANSCRIPT"))
			if log := c.Read(f, fixtures.TranscriptFile); len(log) < 16<<10 {
				f.Add(stdin, log)
			}
		}
	}
	for _, payload := range []string{
		"", "{}", "[]", "null", "\ufeff{}", `{"hook_event_name":"Stop"}`, `{"hook_event_name":7,"session_id":[]}`,
		`{"hook_event_name":"Stop","session_id":"../..","transcript_path":"TRANSCRIPT","stop_hook_active":"yes"}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"while sleep 1; do :; done"}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":null}}`,
		`{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}`,
		`{"hook_event_name":"UserPromptSubmit","session_id":"\u0000","prompt_id":"p"}`,
		`{"hook_event_name":"Stop","turn_id":"1","session_id":"s","transcript_path":null}`,
		`{"hook_event_name":"AfterAgent","session_id":"s","prompt_response":"x"}`,
		`{"hook_event_name":"stop","conversation_id":"c","loop_count":0}`,
	} {
		f.Add([]byte(payload), []byte("{}\n"))
	}
	f.Fuzz(func(t *testing.T, payload, transcript []byte) {
		dir := t.TempDir()
		path := filepath.Join(dir, "session.jsonl")
		if err := os.WriteFile(path, transcript, 0o600); err != nil {
			t.Fatal(err)
		}
		payload = bytes.ReplaceAll(payload, []byte("TRANSCRIPT"), []byte(path))
		p, stdout, stderr := testProgram(dir, payload, nil)
		code := p.run([]string{"stophook", "hook", "--state-dir", filepath.Join(dir, "state")})
		if code != 0 {
			t.Errorf("exit %d: %s", code, stderr)
		}
		if err := legal(stdout.String()); err != nil {
			t.Errorf("illegal stdout %q: %v", stdout, err)
		}
		if strings.Contains(stderr.String(), "internal error") {
			t.Errorf("a panic was caught:\n%s", stderr)
		}
		events(t, filepath.Join(dir, "state"))
	})
}
