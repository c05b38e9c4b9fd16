package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// launched is a call of a tool and its structured result.
func launched(tool string, result any, text string) []byte {
	return lines(human("u1", "", "go"), assistantRow("a1", "u1", []any{toolUse("t1", tool, m{"command": "make all"})}),
		userRow("r1", "a1", []any{toolResult("t1", text)}, kv{"toolUseResult", result}))
}

// claude-code section 1: kinds and entrances by structure.
func TestTasks_TR4_TR6_D43_kinds(t *testing.T) {
	t.Parallel()
	shell := func(e Entrance) *Task {
		return &Task{ID: "b1", Kind: KindShell, Entrance: e, State: TaskRunning, Command: "make all", ToolName: "Bash", ToolUseID: "t1"}
	}
	other := func(tool string, k Kind) *Task {
		return &Task{ID: "b1", Kind: k, State: TaskRunning, Command: "make all", ToolName: tool, ToolUseID: "t1"}
	}
	id := func(more m) m {
		more["backgroundTaskId"] = "b1"
		return more
	}
	woken := shell(EntranceAgentReport)
	woken.WakesOwner, woken.EndsWithTurn = true, true
	tests := []struct {
		reason, tool string
		result       any
		text         string
		want         *Task
	}{
		{"requested", "Bash", id(m{}), "", shell(EntranceRequested)},
		{"delivered", "Bash", id(m{"backgroundedToDeliverMessage": true}), "", shell(EntranceDeliveredMessage)},
		{"by the user", "Bash", id(m{"backgroundedByUser": true}), "", shell(EntranceUser)},
		{"by a timeout", "Bash", id(m{"timedOutAfterMs": 120000}), "", shell(EntranceTimeout)},
		{"by a timeout of words", "Bash", id(m{"timedOutAfterMs": "2m"}), "", shell(EntranceRequested)},
		{"by the turn's abort", "Bash", id(m{"backgroundedByTurnAbort": true}), "", shell(EntranceTurnAbort)},
		{"for a report", "Bash", id(m{"backgroundedForAgentReport": true, "backgroundWakesOwner": true, "backgroundEndsWithFinalResponse": true}), "", woken},
		{"an agent", "Agent", m{"isAsync": true, "status": "async_launched", "agentId": "b1"}, "", other("Agent", KindSubagent)},
		{"a remote agent", "Agent", m{"status": "remote_launched", "taskId": "b1", "taskType": "remote_agent"}, "", other("Agent", KindSubagent)},
		{"a workflow", "Workflow", m{"status": "async_launched", "taskId": "b1", "taskType": "local_workflow"}, "", other("Workflow", KindWorkflow)},
		{"a monitor", "Monitor", m{"taskId": "b1", "timeoutMs": 1}, "", other("Monitor", KindMonitor)},
		{"a persistent monitor", "Monitor", m{"taskId": "b1", "persistent": true}, "", other("Monitor", KindMonitor)},
		{"an MCP call", "mcp__x__y", []any{m{"type": "text"}}, "It runs in the background (ID: b1).", other("mcp__x__y", KindMCP)},
		{"an MCP call that mimics a handoff is no shell", "mcp__x__y", id(m{"backgroundedToDeliverMessage": true}), "", other("mcp__x__y", KindMCP)},
		{"an agent that is done", "Agent", m{"status": "completed", "agentId": "b1"}, "", nil},
		{"a todo", "TaskUpdate", m{"taskId": "b1", "success": true}, "", nil},
		{"MCP words of another tool", "Read", []any{m{"type": "text"}}, "moved to the background (ID: b1).", nil},
		{"an MCP text without the words", "mcp__x__y", []any{}, "(ID: b1)", nil},
		{"an MCP text with an id of words", "mcp__x__y", []any{}, "moved to the background (ID: a b)", nil},
		{"an MCP text without an end", "mcp__x__y", []any{}, "moved to the background (ID: b1", nil},
		{"an empty id", "Bash", m{"backgroundTaskId": ""}, "", nil},
		{"a key in other letters", "Bash", m{"backgroundtaskid": "b1"}, "", nil},
		{"a string", "Bash", `{"backgroundTaskId":"b1"}`, "", nil},
		{"null", "Bash", nil, "", nil},
	}
	for _, tt := range tests {
		s := read(t, launched(tt.tool, tt.result, tt.text), Options{})
		want := []Task{}
		if tt.want != nil {
			want = append(want, *tt.want)
		}
		if diff := cmp.Diff(want, s.Tasks, cmpopts.IgnoreFields(Task{}, "OpenedAt")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if handoffs := len(s.Handoffs); (handoffs == 1) != (tt.want != nil && tt.want.Entrance == EntranceDeliveredMessage) {
			t.Errorf("%s: %d handoffs", tt.reason, handoffs)
		}
	}
}

func TestTasks_outputFile(t *testing.T) {
	t.Parallel()
	said := launched("Bash", m{"backgroundTaskId": "b1"}, "Command running in background with ID: b1. Output is being written to: /t/tasks/b1.output. Go on.")
	if got := read(t, said, Options{}).Tasks[0].OutputFile; got != "/t/tasks/b1.output" {
		t.Errorf("the receipt names the file, got %q", got)
	}
	data := slices.Concat(launched("Agent", m{"status": "async_launched", "agentId": "a7", "outputFile": "/t/a7.output"}, ""))
	if got := read(t, data, Options{}).Tasks[0].OutputFile; got != "/t/a7.output" {
		t.Errorf("or a field does, got %q", got)
	}
	note := "<task-notification><task-id>b1</task-id><status>completed</status><output-file>/n/b1.output</output-file></task-notification>"
	data = slices.Concat(launched("Bash", m{"backgroundTaskId": "b1"}, "ok"), lines(userRow("n1", "r1", note, kv{"origin", m{"kind": "task-notification", "runId": "run-2"}})))
	task := read(t, data, Options{}).Tasks[0]
	if task.OutputFile != "/n/b1.output" || task.RunID != "run-2" || task.State != TaskEnded || task.Status != "completed" || task.EndedAt == nil {
		t.Errorf("or the notice does: %+v", task)
	}
}

func TestTasks_D07_nativeOutputFile(t *testing.T) {
	t.Parallel()
	const path = "/s/My tasks/bash_1.20260102-030405-006.log"
	started, moved := m{"backgroundTaskId": "bash_1"}, m{"backgroundTaskId": "bash_1", "backgroundedToDeliverMessage": true}
	for _, tt := range []struct {
		reason string
		result m
		said   string
		want   string
	}{
		{"started", started, "Started bash_1 (pid 7). Output: " + path + "\n\nCollect it.", path},
		{"one line", started, "Started bash_1 (pid 7). Output: " + path, path},
		{"Windows", started, "Started bash_1 (pid 7). Output: C:\\t\\bash_1.log\r\n\r\nGo", `C:\t\bash_1.log`},
		{"moved", moved, "The command goes on in the background as task bash_1 (pid 7), because a message was delivered. Output: " + path + "\n\nGo.", path},
		{"of another task", started, "Started bash_12 (pid 7). Output: " + path, ""},
		{"quoted further down", started, "ok\nStarted bash_1 (pid 7). Output: " + path, ""},
		{"no log", started, "Started bash_1 (pid 7). Output: /etc/passwd", ""},
		{"no path", started, "Started bash_1 (pid 7).", ""},
	} {
		if got := read(t, launched("shell", tt.result, tt.said), Options{}).Tasks[0].OutputFile; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// claude-code section 2: what the host carried ends a task, what others wrote
// does not; a notice without a terminal status is no end.
func TestTasks_TR7_closingModes(t *testing.T) {
	t.Parallel()
	note := notification("b1", "completed")
	queued := func(mode any) obj {
		return obj{{"type", "attachment"}, {"attachment", m{"type": "queued_command", "prompt": note, "commandMode": mode}}, {"uuid", "q1"}}
	}
	queue := obj{{"type", "queue-operation"}, {"operation", "enqueue"}, {"content", note}}
	delivered := userRow("n1", "r1", note, kv{"origin", m{"kind": "task-notification"}})
	stop := func(name string, failed bool) []any {
		return []any{assistantRow("k1", "r1", []any{toolUse("k", name, m{"task_id": "b1"})}),
			userRow("k2", "k1", []any{toolResult("k", "x", failed)}, kv{"toolUseResult", m{"message": "Successfully stopped task: b1", "task_id": "b1"}})}
	}
	const openSt, closed = HandoffOpen, HandoffClosed
	tests := []struct {
		reason     string
		rows       []any
		any, ended HandoffState
		carrier    string // of the first closer
	}{
		{"nothing", nil, openSt, openSt, ""},
		{"a user row with that origin", []any{delivered}, closed, closed, "user"},
		{"a user row without origin", []any{userRow("n1", "r1", note)}, closed, openSt, "user"},
		{"a person's", []any{human("n1", "r1", note)}, closed, openSt, "user"},
		{"a queue row", []any{queue}, closed, closed, "queue-operation"},
		{"a queue row that quotes", []any{queue.with("content", "see "+note)}, closed, openSt, "queue-operation"},
		{"an absorbed notification", []any{queued("task-notification")}, closed, closed, "attachment"},
		{"a queued prompt", []any{queued("prompt")}, closed, openSt, "attachment"},
		{"a queued prompt of no mode", []any{queued(nil)}, closed, openSt, "attachment"},
		{"a system row", []any{obj{{"type", "system"}, {"content", note}}}, closed, closed, "system"},
		{"a system row's own end", []any{obj{{"type", "system"}, {"subtype", "task_notification"}, {"task_id", "b1"}, {"status", "failed"}}}, closed, closed, "system"},
		{"a system row that goes on", []any{obj{{"type", "system"}, {"subtype", "task_notification"}, {"task_id", "b1"}, {"status", "running"}}}, openSt, openSt, ""},
		{"the assistant's words", []any{assistantRow("n1", "r1", []any{text(note)})}, closed, openSt, "assistant"},
		{"a tool's output", []any{userRow("n1", "r1", []any{toolResult("t9", note)})}, closed, openSt, "tool_result"},
		{"a row of a type to come", []any{obj{{"type", "news"}, {"x", []any{note}}}}, closed, openSt, "news"},
		{"a row of no type", []any{obj{{"x", note}}}, closed, openSt, ""},
		{"a stall notice names and does not end", []any{userRow("n1", "r1", notification("b1", ""), kv{"origin", m{"kind": "task-notification"}})}, closed, openSt, "user"},
		{"a running one, too", []any{userRow("n1", "r1", notification("b1", "running"), kv{"origin", m{"kind": "task-notification"}})}, closed, openSt, "user"},
		{"a stop", stop("TaskStop", false), closed, closed, "tool_result"},
		{"a failed stop", stop("TaskStop", true), openSt, openSt, ""},
		{"a look-alike of another tool", stop("mcp__x__stop", false), openSt, openSt, ""},
		{"a stop whose call is out of sight", stop("TaskStop", false)[1:], closed, closed, "tool_result"},
		{"a copy of a request", []any{obj{{"type", "api-request-blob"}, {"x", note}}}, openSt, openSt, ""},
		{"a key is no string", []any{obj{{"type", "news"}, {note, 1}}}, openSt, openSt, ""},
		{"queued, then found to be typed", []any{queue, human("n1", "r1", note)}, closed, openSt, "queue-operation"},
		{"queued, absorbed as a person's", []any{queue, queued("prompt")}, closed, openSt, "queue-operation"},
		{"queued, delivered, and later pasted by a person", []any{queue, delivered, human("n2", "n1", note)}, closed, closed, "queue-operation"},
		{"pasted, then queued by the host", []any{human("n0", "r1", note), queue}, closed, closed, "user"},
		{"a row that quotes first, one that ends later", []any{assistantRow("n0", "r1", []any{text(note)}), delivered}, closed, closed, "assistant"},
	}
	start := []any{human("u1", "", "go"), callRow("a1", "u1", "t1"), handoffRow("r1", "a1", "t1", "b1")}
	for _, tt := range tests {
		h := read(t, lines(slices.Concat(start, tt.rows)...), Options{}).Handoffs[0]
		if h.State != (HandoffStates{tt.any, tt.ended}) {
			t.Errorf("%s: got %+v, want %s and %s", tt.reason, h.State, tt.any, tt.ended)
		}
		if (h.ClosedBy != nil) != (tt.any == closed) || (h.EndedBy != nil) != (tt.ended == closed) {
			t.Errorf("%s: closed by %+v, ended by %+v", tt.reason, h.ClosedBy, h.EndedBy)
		} else if h.ClosedBy != nil && (h.ClosedBy.Carrier != tt.carrier || h.ClosedBy.Trusted != (h.ClosedBy.Mode == "ended") ||
			h.ClosedBy.Trusted != (h.EndedBy != nil && h.EndedBy.At == h.ClosedBy.At)) {
			t.Errorf("%s: closed by %+v, want %s", tt.reason, *h.ClosedBy, tt.carrier)
		}
	}
}

// What the agent stopped stays collected, whatever is read of it later.
func TestTasks_harvested(t *testing.T) {
	t.Parallel()
	end := func(id, name string, result m) []any {
		return []any{assistantRow("a"+id, "r1", []any{toolUse(id, name, m{"task_id": "b1"})}), userRow("r"+id, "a"+id, []any{toolResult(id, "x")}, kv{"toolUseResult", result})}
	}
	stopped := end("k1", "TaskStop", m{"message": "Successfully stopped task: b1", "task_id": "b1"})
	read1 := end("k2", "TaskOutput", m{"task": m{"task_id": "b1", "status": "killed", "exitCode": 137}})
	for _, tt := range []struct {
		reason string
		rows   []any
		want   bool
		code   *int
	}{
		{"stopped, then read", slices.Concat(stopped, read1), true, nil},
		{"read, then stopped", slices.Concat(read1, stopped), true, ptr(137)},
		{"read when somebody else had killed it", read1, false, ptr(137)},
	} {
		data := lines(slices.Concat([]any{human("u1", "", "go"), handoffRow("r1", "u1", "t1", "b1")}, tt.rows)...)
		task := read(t, data, Options{}).Tasks[0]
		if task.Harvested != tt.want || task.Status != "killed" || !cmp.Equal(task.ExitCode, tt.code) {
			t.Errorf("%s: %+v", tt.reason, task)
		}
	}
}

// A task is null where it has no entrance, and lists are never null.
func TestFacts_document(t *testing.T) {
	t.Parallel()
	for _, s := range []*Session{read(t, launched("Monitor", m{"taskId": "m1", "timeoutMs": 1}, ""), Options{}), read(t, nil, Options{}), Unread(Options{Now: at0})} {
		b, err := json.Marshal(s.Facts())
		if err != nil {
			t.Fatal(err)
		}
		for _, null := range []string{`"tasks":null`, `"handoffs":null`, `"paired":null`, `"tools":null`, `"boxes":null`, `"blind":null`, `"entrance":""`} {
			if strings.Contains(string(b), null) {
				t.Errorf("%s in %s", null, b)
			}
		}
	}
}

func TestExcerpts(t *testing.T) {
	t.Parallel()
	rows := []any{human("u1", "", "two\n  words"), callRow("a1", "u1", "t1"), userRow("r1", "a1", []any{toolResult("t1", "printed")}),
		obj{{"type", "queue-operation"}, {"content", "queued"}}, "broken {", obj{{"type", "mode"}, {"x", strings.Repeat("é", 500)}}}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	var offsets []int64
	for i := range rows {
		offsets = append(offsets, int64(len(lines(rows[:i]...))))
	}
	if err := os.WriteFile(path, lines(rows...), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Excerpts(path, append(offsets, 1<<30, -5))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ typ, text string }{{"user", "two words"}, {"assistant", `Bash {"command":"x"}`}, {"user", "printed"}, {"queue-operation", "queued"},
		{"unreadable", "broken {"}, {"mode", `{"type":"mode"`}, {"unreadable", "EOF"}, {"unreadable", "negative offset"}} {
		if got[i].Type != want.typ || !strings.Contains(got[i].Text, want.text) || len(got[i].Text) > 240 {
			t.Errorf("excerpt %d: got %+v, want %+v", i, got[i], want)
		}
	}
	if got[0].UUID != "u1" || !got[0].Time.Equal(at0) {
		t.Errorf("a row's own id and time: %+v", got[0])
	}
	if _, err := Excerpts(filepath.Join(path, "none"), nil); err == nil {
		t.Error("a missing file is an error")
	}
}
