package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// readText reads rows as a file of the name.
func readText(t testing.TB, text string, opts Options) *Session {
	t.Helper()
	if opts.Now.IsZero() {
		opts.Now = at0
	}
	s, err := ReadFrom(strings.NewReader(text), int64(len(text)), "x.jsonl", opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const rolloutHead = `{"timestamp":"2026-10-05T09:00:00Z","type":"session_meta","payload":{"id":"s1","cli_version":"0.171.0"}}` + "\n"

func rollout(second int, typ, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-10-05T09:%02d:%02dZ","type":%q,"payload":%s}`+"\n", second/60, second%60, typ, payload)
}

func rolloutUser(second int, text, provenance string) string {
	meta := ""
	if provenance != "" {
		meta = `,"internal_chat_message_metadata_passthrough":{"turn_id":"t1","content_item_metadata":[{"provenance":{"type":"` + provenance + `"}}]}`
	}
	return rollout(second, "response_item", fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]%s}`, text, meta))
}

func rolloutCall(second int, id, command string) string {
	return rollout(second, "response_item", fmt.Sprintf(`{"type":"function_call","name":"exec_command","arguments":%q,"call_id":%q}`, `{"cmd":"`+command+`"}`, id))
}

func rolloutOutput(second int, id, text string) string {
	return rollout(second, "response_item", fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%q}`, id, text))
}

func TestRollout_WhoPrompted(t *testing.T) {
	call := rolloutCall(2, "c1", "make")
	tests := []struct {
		name, rows  string
		origin      string
		tools       int
		remediation int
		reason      string
	}{
		{"marked person", rolloutUser(1, "<xml> please", "user") + call, "human", 1, 0, "the mark is believed, whatever the text looks like"},
		{"marked harness", rolloutUser(1, "fix", "user") + call + rolloutUser(3, "look out", "harness"), "human", 1, 0, "the harness begins no turn"},
		{"unmarked person", rolloutUser(1, "fix", "") + call, "human", 1, 0, "older rows have no mark"},
		{"unmarked tags", rolloutUser(1, "fix", "") + call + rolloutUser(3, "<environment_context>x</environment_context>", ""), "human", 1, 0, "older rows of the harness begin with a tag"},
		{"instructions", rolloutUser(1, "# AGENTS.md instructions for /x", "") + call, "unknown", 1, 0, "no person wrote this"},
		{"a hook's block", rolloutUser(1, "fix", "user") + call + rolloutUser(3, `<hook_prompt hook_run_id="stop:0">Do more.</hook_prompt>`, "harness"), "human", 1, 1, "any hook's reason is walked back over"},
		{"next prompt", rolloutUser(1, "fix", "user") + call + rolloutUser(3, "thanks", "user"), "human", 0, 0, "a new turn without tools"},
		{"event of older versions", rollout(1, "event_msg", `{"type":"user_message","message":"fix"}`) + call, "human", 1, 0, "beside the message, or instead of it"},
	}
	for _, tt := range tests {
		s := readText(t, rolloutHead+tt.rows, Options{})
		if s.Turn.Origin != tt.origin || s.Turn.ToolCalls != tt.tools || s.Turn.Remediation != tt.remediation {
			t.Errorf("%s: origin %q, %d calls, %d remediations: %s", tt.name, s.Turn.Origin, s.Turn.ToolCalls, s.Turn.Remediation, tt.reason)
		}
		if s.Version != "0.171.0" || s.SessionID != "s1" || len(s.Blind) != 0 {
			t.Errorf("%s: version %q, session %q, blind %q", tt.name, s.Version, s.SessionID, s.Blind)
		}
	}
}

func TestRollout_Results(t *testing.T) {
	tests := []struct {
		output string
		failed bool
		exit   int // -1: none
		reason string
	}{
		{"Chunk ID: 1\nProcess exited with code 0\nOutput:\n", false, -1, "success is no exit code to tell"},
		{"Chunk ID: 1\nProcess exited with code 7\nOutput:\n", true, 7, "the present form"},
		{"Exit code: 3\nWall time: 1 seconds\nOutput:\n", true, 3, "the form before"},
		{`{"output":"x","metadata":{"exit_code":2}}`, true, 2, "the first form"},
		{"Command blocked by PreToolUse hook: no. Command: make", true, -1, "a refused call"},
		{"fine\n" + strings.Repeat("x", 500) + "exited with code 9", false, -1, "what the command printed is not the host's word"},
	}
	for _, tt := range tests {
		s := readText(t, rolloutHead+rolloutUser(1, "fix", "user")+rolloutCall(2, "c1", "make")+rolloutOutput(4, "c1", tt.output), Options{})
		c := s.Turn.Tools[0]
		exit := -1
		if c.ExitCode != nil {
			exit = *c.ExitCode
		}
		if c.Failed != tt.failed || exit != tt.exit || c.Command != "make" || c.ResultTime.Second() != 4 {
			t.Errorf("%q: %+v, exit %d: %s", tt.output, c, exit, tt.reason)
		}
	}
}

// A script tool says nothing of what it ran, so what the host reports of the run
// takes its place, and a check in it is the last call of the turn.
func TestRollout_ScriptToolGivesWayToWhatItRan(t *testing.T) {
	script := rollout(2, "response_item", `{"type":"custom_tool_call","name":"exec","call_id":"c1","input":"await tools.exec_command({cmd})"}`)
	ran := rollout(3, "event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"r1","command":["/bin/bash","-lc","stophook status --session s1 --end-turn"],"exit_code":0}}`)
	done := rollout(4, "response_item", `{"type":"custom_tool_call_output","call_id":"c1","output":"ok"}`)
	s := readText(t, rolloutHead+rolloutUser(1, "fix", "user")+script+ran+done, Options{})
	if len(s.Turn.Tools) != 1 || s.Turn.Tools[0].Evidence != "status" || !s.Turn.LastOtherToolAt.IsZero() {
		t.Errorf("tools %+v", s.Turn.Tools)
	}
	// A command with a call of its own stays one call.
	own := rollout(3, "event_msg", `{"type":"item_completed","item":{"type":"CommandExecution","id":"c1","command":["bash","-lc","make"],"exit_code":2}}`)
	s = readText(t, rolloutHead+rolloutUser(1, "fix", "user")+rolloutCall(2, "c1", "make")+own, Options{})
	if len(s.Turn.Tools) != 1 || !s.Turn.Tools[0].Failed || *s.Turn.Tools[0].ExitCode != 2 {
		t.Errorf("tools %+v", s.Turn.Tools)
	}
}

// TR-1, D-33: the turn is found however far behind its rows it began, and a window
// that does not reach it is said.
func TestForeign_TR1_ReadsBackToThePrompt(t *testing.T) {
	var b strings.Builder
	b.WriteString(rolloutHead + rolloutUser(1, "fix", "user"))
	for i := range 700 {
		id := fmt.Sprintf("c%d", i)
		b.WriteString(rolloutCall(2+i, id, "make") + rolloutOutput(2+i, id, "Process exited with code 0\n"+strings.Repeat("x", 4000)))
	}
	s := readText(t, b.String(), Options{})
	if !s.Turn.Complete || s.Turn.ToolCalls != 700 || len(s.Turn.Tools) != MaxTools || len(s.Blind) != 0 || s.WindowOffset == 0 == (b.Len() > DefaultWindow) {
		t.Errorf("complete %v, %d calls, %d kept, blind %q, window at %d", s.Turn.Complete, s.Turn.ToolCalls, len(s.Turn.Tools), s.Blind, s.WindowOffset)
	}
	s = readText(t, b.String(), Options{Window: 1 << 20})
	if s.Turn.Complete || !slices.Equal(s.Blind, []string{BlindWindowCut}) || s.Turn.ToolCalls == 0 {
		t.Errorf("complete %v, %d calls, blind %q: want a cut window", s.Turn.Complete, s.Turn.ToolCalls, s.Blind)
	}
}

func TestForeign_Damage(t *testing.T) {
	whole := rolloutHead + rolloutUser(1, "fix", "user") + rolloutCall(2, "c1", "make")
	tests := []struct {
		name, text string
		bad, tools int
		blind      []string
	}{
		{"torn last row", whole + `{"timestamp":"2026-10-05T09:00:05Z","type":"respon`, 1, 1, []string{}},
		{"padding and CRLF", strings.ReplaceAll(whole, "\n", "\r\n") + "\x00\x00\n\n", 0, 1, []string{}},
		{"no object", whole + "[]\n3\n", 2, 1, []string{}},
		{"the first row alone", rolloutHead, 0, 0, []string{BlindUnknownShape}},
		{"payloads of other types", rolloutHead + rollout(1, "response_item", "3") + rollout(1, "event_msg", `"x"`), 0, 0, []string{BlindUnknownShape}},
	}
	for _, tt := range tests {
		s := readText(t, tt.text, Options{})
		if s.BadLines != tt.bad || s.Turn.ToolCalls != tt.tools || !slices.Equal(s.Blind, tt.blind) {
			t.Errorf("%s: %d bad lines, %d calls, blind %q", tt.name, s.BadLines, s.Turn.ToolCalls, s.Blind)
		}
	}
}

func TestGemini_ChangesOfTheWhole(t *testing.T) {
	head := `{"sessionId":"g1","projectHash":"h","startTime":"2026-10-05T09:00:00Z"}` + "\n"
	user := func(id, text string) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":"2026-10-05T09:00:01Z","type":"user","content":[{"text":%q}]}`, id, text)
	}
	tool := `{"id":"m1","timestamp":"2026-10-05T09:00:02Z","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"write_file","args":{"file_path":"a"},"status":"success","timestamp":"2026-10-05T09:00:03Z"}]}`
	tests := []struct {
		name, rows string
		tools      int
		prompt     string
		reason     string
	}{
		{"a turn", user("u1", "fix") + "\n" + tool + "\n" + tool, 1, "u1", "a message is written again when its calls are done"},
		{"rewound", user("u1", "fix") + "\n" + user("u2", "more") + "\n" + tool + "\n" + `{"$rewindTo":"u2"}`, 0, "u1", "what was taken back did not happen"},
		{"rewritten", user("u1", "fix") + "\n" + tool + "\n" + `{"$set":{"messages":[` + user("u9", "again") + `]}}`, 0, "u9", "a compressed chat begins anew"},
		{"other changes", user("u1", "fix") + "\n" + tool + "\n" + `{"$set":{"lastUpdated":"x"}}`, 1, "u1", "nothing of the chat"},
		{"our reason", user("u1", "fix") + "\n" + tool + "\n" + user("u2", "This turn cannot end yet:\n- x"), 1, "u1", "no prompt of a person"},
		{"a tool's answer", user("u1", "fix") + "\n" + tool + "\n" + `{"id":"u2","type":"user","content":[{"functionResponse":{"id":"c1"}}]}`, 1, "u1", "no prompt either"},
	}
	for _, tt := range tests {
		s := readText(t, head+tt.rows+"\n", Options{})
		if s.Turn.ToolCalls != tt.tools || s.Turn.PromptUUID != tt.prompt {
			t.Errorf("%s: %d calls, prompt %q: %s", tt.name, s.Turn.ToolCalls, s.Turn.PromptUUID, tt.reason)
		}
	}
}

func TestCopilot_ReasonsOfOtherHooks(t *testing.T) {
	head := `{"type":"session.start","data":{"sessionId":"p1","copilotVersion":"1.0.102"},"timestamp":"2026-10-05T09:00:00Z"}` + "\n"
	rows := `{"type":"user.message","data":{"content":"fix"},"id":"u1","timestamp":"2026-10-05T09:00:01Z"}
{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"c1","name":"task","arguments":{}}]},"id":"a1","timestamp":"2026-10-05T09:00:02Z"}
{"type":"assistant.message","data":{"content":"mine","parentToolCallId":"c1","toolRequests":[{"toolCallId":"s1","name":"bash","arguments":{"command":"rm x"}}]},"id":"a2","timestamp":"2026-10-05T09:00:03Z"}
{"type":"hook.end","data":{"hookType":"agentStop","output":{"decision":"block","reason":"Write tests."}},"id":"h1","timestamp":"2026-10-05T09:00:04Z"}
{"type":"user.message","data":{"content":"Write tests."},"id":"u2","timestamp":"2026-10-05T09:00:05Z"}
`
	s := readText(t, head+rows, Options{})
	if s.Turn.PromptUUID != "u1" || s.Turn.Remediation != 1 || s.Turn.ToolCalls != 1 || s.Version != "1.0.102" {
		t.Errorf("turn %+v", s.Turn)
	}
}

// What Claude Code writes is never taken for another host's, whatever stands in it.
func TestForeign_ClaudeCodeStaysItself(t *testing.T) {
	for _, path := range []string{"captures", "cases", "transcript", "stop"} {
		files, err := filepath.Glob(filepath.Join("..", "fixtures", path, "*", "*.jsonl"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files %v", path, len(files), err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if dialectOf(data[:min(len(data), headSize)]) != nil {
				t.Errorf("%s is taken for another host's", file)
			}
		}
	}
	quoted := `{"type":"user","uuid":"u","message":{"role":"user","content":"{\"type\":\"session_meta\",\"projectHash\":1,\"parts\":[]}"}}`
	if dialectOf([]byte(quoted)) != nil {
		t.Error("quoted text decided")
	}
}

// Any rows of any host are read without an error, and the lists are lists.
func TestForeign_PropertyAnyRows(t *testing.T) {
	var rows []string
	for _, file := range must(filepath.Glob(filepath.Join("..", "cmd", "stophook", "testdata", "hosts", "*", "transcript.jsonl"))) {
		for line := range strings.Lines(string(must(os.ReadFile(file)))) {
			rows = append(rows, line)
		}
	}
	if len(rows) < 100 {
		t.Fatalf("%d rows", len(rows))
	}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			row := rapid.SampledFrom(rows).Draw(t, "row")
			if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
				row = row[:rapid.IntRange(0, len(row)).Draw(t, "at")]
			}
			b.WriteString(row)
		}
		text := b.String()
		s, err := ReadFrom(strings.NewReader(text), int64(len(text)), "x.jsonl", Options{Now: at0, Window: rapid.Int64Range(1, 40_000).Draw(t, "window")})
		if err != nil {
			t.Fatal(err)
		}
		if s.Tasks == nil || s.Handoffs == nil || s.Debt.Paired == nil || s.Turn.Tools == nil || s.Turn.Boxes == nil || s.Blind == nil {
			t.Fatalf("a list is nil: %+v", s)
		}
		if s.Turn.IsToolTurn != (s.Turn.ToolCalls > 0) || len(s.Turn.Tools) > MaxTools {
			t.Fatalf("turn %+v", s.Turn)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestLastTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.jsonl")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := LastTime(path); ok {
		t.Error("a missing file has a time")
	}
	write("")
	if _, ok := LastTime(path); ok {
		t.Error("an empty file has a time")
	}
	write(`{"timestamp":"2026-10-05T09:00:01Z"}` + "\n" + `{"timestamp":"2026-10-05T09:00:02Z"}` + "\n" + `{"a":1}` + "\n" + `{"timestamp":"2026-10-05T09:0`)
	if at, ok := LastTime(path); !ok || !at.Equal(time.Date(2026, 10, 5, 9, 0, 2, 0, time.UTC)) {
		t.Errorf("%v %v, want the newest whole row that has one", at, ok)
	}
}
