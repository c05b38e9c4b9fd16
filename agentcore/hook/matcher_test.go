package hook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/policy/hookio"
)

// What fits what; the first five were measured with the client (2.1.332).
func TestMatcher_RT50(t *testing.T) {
	tests := []struct {
		matcher string
		names   []string
		want    bool
	}{
		{"Bash|Edit", []string{"Bash"}, true},
		{"Ba", []string{"Bash"}, false},
		{"B.s", []string{"Bash"}, true},
		{"^a", []string{"Bash"}, false},
		{"Bash, Read", []string{"Bash"}, true},
		{"", []string{"x"}, true},
		{"*", []string{"x"}, true},
		{".*", []string{"x"}, true},
		{"bash", []string{"Bash"}, false},
		{" Bash | Read ", []string{"Read"}, true},
		{"|,", []string{"Read"}, false},
		{"mcp__db-1__query", []string{"mcp__db-1__query"}, true},
		{"mcp__.*", []string{"mcp__db__query"}, true},
		{"Bash", []string{"Bash", "shell"}, true},
		{"shell", []string{"Bash", "shell"}, true},
		{"^shell$", []string{"Bash", "shell"}, true},
		{"Task", []string{"Agent", "spawn", "Task"}, true},
		{"a(", []string{"a("}, false},
		{"^(?!Read)", []string{"Bash"}, true},
	}
	for _, tt := range tests {
		m, _ := newMatcher(tt.matcher)
		if got := m.fits(hookio.PreToolUse, tt.names); got != tt.want {
			t.Errorf("%q fits %v: %v, want %v", tt.matcher, tt.names, got, tt.want)
		}
		if !m.fits(hookio.Stop, nil) || !m.fits(hookio.UserPromptSubmit, nil) {
			t.Errorf("%q: a stop and a prompt have nothing to choose by", tt.matcher)
		}
	}
}

func TestQuery(t *testing.T) {
	c := NewCommands(nil, Options{})
	p := hookio.Payload{ToolName: "spawn", Source: "startup", Reason: "other", AgentType: "explorer", Trigger: "auto", NotificationType: "idle"}
	want := map[hookio.EventName][]string{
		hookio.PreToolUse: {"Agent", "spawn", "Task"}, hookio.PostToolUse: {"Agent", "spawn", "Task"}, hookio.SessionStart: {"startup"},
		hookio.SessionEnd: {"other"}, hookio.SubagentStop: {"explorer"}, hookio.PreCompact: {"auto"}, hookio.Notification: {"idle"},
		hookio.Stop: nil, hookio.UserPromptSubmit: nil,
	}
	for _, event := range events() {
		p.Event = event
		if diff := cmp.Diff(want[event], c.query(&p)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event, diff)
		}
	}
	p.Event, p.ToolName = hookio.PreToolUse, "mcp__x__y"
	if diff := cmp.Diff([]string{"mcp__x__y"}, c.query(&p)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTranslate(t *testing.T) {
	c := NewCommands(nil, Options{})
	tests := []struct{ tool, input, name, want string }{
		{"shell", `{"command":"ls <x>","timeout_ms":5}`, "Bash", `{"command":"ls <x>","timeout":5}`},
		{"shell", `{ "command": "ls" }`, "Bash", `{ "command": "ls" }`},
		{"write_file", `{"path":"/x","content":"y"}`, "Write", `{"content":"y","file_path":"/x"}`},
		{"read_file", `{"path":"/x","file_path":"/y"}`, "Read", `{"path":"/x","file_path":"/y"}`},
		{"read_file", `[1]`, "Read", `[1]`},
		{"edit", ``, "Edit", ``},
		{"shell", `{"command":"make","run_in_background":true}`, "Bash", `{"command":"make","run_in_background":true}`},
		{"shell_kill", `{"task_id":"bash_1"}`, "TaskStop", `{"task_id":"bash_1"}`},
		{"wait_task", `{"task_id":"bash_1","timeout_ms":5}`, "TaskOutput", `{"task_id":"bash_1","timeout":5}`},
		{"mcp__x__y", `{"path":"/x"}`, "mcp__x__y", `{"path":"/x"}`},
	}
	for _, tt := range tests {
		p := hookio.Payload{Event: hookio.PreToolUse, ToolName: tt.tool, ToolInput: json.RawMessage(tt.input)}
		c.translate(&p)
		if p.ToolName != tt.name || string(p.ToolInput) != tt.want {
			t.Errorf("%s %s: got %s %s", tt.tool, tt.input, p.ToolName, p.ToolInput)
		}
	}
	if got := c.native("write_file", json.RawMessage(`{"file_path":"/x","content":"&"}`)); string(got) != `{"content":"&","path":"/x"}` {
		t.Errorf("%s", got)
	}
	if got := c.native("wait_task", json.RawMessage(`{"task_id":"bash_1","timeout":9}`)); string(got) != `{"task_id":"bash_1","timeout_ms":9}` {
		t.Errorf("%s", got)
	}
	for theirs, ours := range map[string]string{"Task": "spawn", "Bash": "shell", "TaskStop": "shell_kill", "KillShell": "shell_kill", "KillBash": "shell_kill",
		"TaskOutput": "wait_task", "BashOutput": "wait_task"} {
		if got := NativeNames()[theirs]; got != ours {
			t.Errorf("%s is %q, want %s", theirs, got, ours)
		}
	}
}

// The time limits of hooks that name none (hosts section 1.3).
func TestLimit_RT50(t *testing.T) {
	tests := []struct {
		h    configured
		o    Options
		want time.Duration
	}{
		{configured{event: hookio.Stop}, Options{}, 10 * time.Minute},
		{configured{event: hookio.UserPromptSubmit}, Options{}, 30 * time.Second},
		{configured{event: hookio.SessionEnd}, Options{}, 1500 * time.Millisecond},
		{configured{event: hookio.SessionEnd, timeout: time.Minute}, Options{Timeout: time.Second}, time.Minute},
		{configured{event: hookio.Stop}, Options{Timeout: time.Second}, time.Second},
	}
	for _, tt := range tests {
		if got := NewCommands(nil, tt.o).limit(&tt.h); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.h, got, tt.want)
		}
	}
}
