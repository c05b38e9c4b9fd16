package transcript

import (
	"fmt"
	"slices"
	"strings"
)

// launch puts something into the background, or only seems to.
func (g *gen) launch() {
	id := g.id()
	shell := m{"stdout": "", "stderr": "", "backgroundTaskId": id}
	set := func(key string, val any) m {
		out := m{key: val}
		for k, v := range shell {
			out[k] = v
		}
		return out
	}
	input := obj{{"command", "sleep 9"}}
	background := obj{{"command", "sleep 9"}, {"run_in_background", true}}
	type launch struct {
		tool   string
		input  any
		result any
		text   string
	}
	l := pick(g,
		launch{"Bash", input, set("backgroundedToDeliverMessage", true), "moved"},
		launch{"Bash", input, set("backgroundedToDeliverMessage", true), "moved"},
		launch{"Bash", input, set("backgroundedToDeliverMessage", true), "moved"},
		launch{"Bash", input, set("backgroundedToDeliverMessage", pick[any](g, "true", 1, nil, false)), "moved"},
		launch{"mcp__x__y", input, set("backgroundedToDeliverMessage", true), "moved"},
		launch{"Bash", background, shell, "Command running in background with ID: " + id},
		launch{"Bash", style{}.line(background), shell, "running"},
		launch{"Bash", background, shell, "running"},
		launch{"shell", background, shell, "Started " + id + " (pid 7). Output: " + nativeLog(id) + "\n\nGo on."},
		launch{"shell", background, shell, "Started " + id + " (pid 7). Output: " + nativeLog(id) + "\n\nGo on."},
		launch{"Bash", input, set("backgroundedByUser", true), ""},
		launch{"Bash", input, set("timedOutAfterMs", 1000), ""},
		launch{"Bash", input, set("backgroundedByTurnAbort", true), ""},
		launch{"Bash", input, set("backgroundedForAgentReport", true), ""},
		launch{"Bash", input, set("backgroundTaskId", pick[any](g, "", nil, 7)), ""},
		launch{"Bash", input, m{"BackgroundTaskId": id, "backgroundedToDeliverMessage": true}, ""},
		launch{"Bash", input, m{"nested": shell, "backgroundedToDeliverMessage": true}, ""},
		launch{"Agent", input, m{"isAsync": true, "status": "async_launched", "agentId": id}, ""},
		launch{"Workflow", input, m{"status": "async_launched", "taskId": id}, ""},
		launch{"Monitor", input, m{"taskId": id, "timeoutMs": 5, "persistent": false}, ""},
		launch{"mcp__x__y", input, []any{m{"type": "text"}}, "The call was moved to the background (ID: " + id + ")."},
		launch{"Read", input, []any{m{"type": "text"}}, "The call was moved to the background (ID: " + id + ")."},
		launch{"Bash", input, style{}.line(set("backgroundedToDeliverMessage", true)), "a string"},
	)
	failed := g.chance(5)
	g.tools = append(g.tools, g.use(l.tool, l.input, func(string) (any, any, bool) { return l.text, l.result, failed }))
}

// nativeLog is where our own runtime writes a task's output.
func nativeLog(id string) string { return "/s/tasks/" + id + ".20260102-030405-006.log" }

// harvest collects or stops a task, or only seems to.
func (g *gen) harvest() {
	id := g.id()
	path := "/tmp/claude/-home/u/tasks/" + id + ".output"
	status := pick(g, "completed", "running", "failed", "killed")
	type harvest struct {
		tool   string
		input  any
		result any
	}
	h := pick(g,
		harvest{"BashOutput", obj{{"bash_id", id}}, m{"shellId": id, "status": status, "exitCode": 2}},
		harvest{"BashOutput", obj{{"bash_id", ""}, {"shell_id", id}}, m{"stdout": ""}},
		harvest{"KillShell", obj{{"shell_id", id}}, m{"message": "Successfully killed shell: " + id, "shell_id": id}},
		harvest{"KillShell", obj{}, nil},
		harvest{"TaskStop", obj{{"task_id", id}}, m{"message": "Successfully stopped task: " + id, "task_id": id, "task_type": "local_bash"}},
		harvest{"TaskStop", obj{{"task_id", id}}, "Error: no such task"},
		harvest{"TaskOutput", obj{{"task_id", id}}, m{"retrieval_status": "success", "task": m{"task_id": id, "status": status, "exitCode": 0}}},
		harvest{"wait_task", obj{{"task_id", id}}, m{"retrieval_status": "success", "task": m{"task_id": id, "status": status, "exitCode": 0}}},
		harvest{"shell_kill", obj{{"task_id", id}}, m{"message": "ended", "task_id": id, "task_type": "local_bash"}},
		harvest{"read_file", obj{{"path", nativeLog(id)}}, m{"type": "text"}},
		harvest{"shell", obj{{"command", "cat " + nativeLog(id)}}, m{"stdout": "x"}},
		harvest{"mcp__x__stop", obj{{"task_id", id}}, m{"message": "stopped", "task_id": id}},
		harvest{"Read", obj{{"file_path", path}}, m{"type": "text"}},
		harvest{"View", style{}.line(obj{{"path", path}}), m{"type": "text"}},
		harvest{"Read", obj{{"file_path", path + ".txt"}}, nil},
		harvest{"Bash", obj{{"command", "cat " + path}}, m{"stdout": "x"}},
	)
	failed := g.chance(15)
	g.use(h.tool, h.input, func(string) (any, any, bool) { return "out", h.result, failed })
}

// block is a text with a notice in it, of any form.
func (g *gen) block() string {
	id := g.id()
	toolID := "toolu_0"
	if len(g.tools) > 0 {
		toolID = pick(g, g.tools...)
	}
	status := pick(g, "completed", "failed", "killed", "stopped", "lost", "running", "")
	head := "<task-notification>\n<task-id>" + id + "</task-id>\n"
	if g.chance(30) {
		head = pick(g, "<task-notification>\n<tool-use-id>"+toolID+"</tool-use-id>\n", "<task-notification id=\"1\">\n<task-id> "+id+" </task-id>",
			"<task-notification>\n", "<task-notifications>\n<task-id>"+id+"</task-id>")
	}
	if status != "" {
		head += "<status>" + status + "</status>\n"
	}
	body := pick(g, "<summary>done (exit code 3)</summary>\n", "<summary>about "+g.id()+"</summary>\n", "",
		"<result><task-notification><task-id>"+g.id()+"</task-id><status>completed</status></task-notification></result>\n",
		"<summary>see <task-id>"+g.id()+"</task-id></summary>\n")
	end := pick(g, "</task-notification>", "</task-notification>", "</task-notification>", "")
	s := head + body + end
	if end != "" && g.chance(15) {
		s += "\n" + g.block()
	}
	switch rapidCase := pick(g, 0, 0, 0, 0, 0, 1, 2, 3); rapidCase {
	case 1:
		s = strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(s)
	case 2:
		s = "quoted: " + s
	case 3:
		s = g.id() + " outside " + s + " outside " + g.id()
	}
	return s
}

// notice appends a notice in one of its carriers, the host's own and others.
func (g *gen) notice() {
	s := g.block()
	queue := func(op string, extra ...kv) obj {
		return append(obj{{"type", "queue-operation"}, {"operation", op}, {"timestamp", g.tick()}, {"sessionId", "s-1"}, {"content", s}}, extra...)
	}
	attachment := func(fields ...kv) { g.chain(obj{{"type", "attachment"}, {"attachment", obj(fields)}}) }
	switch rapidCase := pick(g, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14); rapidCase {
	case 0:
		g.chain(g.user(s, kv{"origin", obj{{"kind", "task-notification"}, {"runId", "r" + fmt.Sprint(g.n)}}}))
	case 1:
		g.chain(g.user(s)) // an older host
	case 2:
		g.emit(queue("enqueue"))
	case 3:
		g.emit(queue("remove", kv{"reason", "absorbed_mid_turn"}))
		attachment(kv{"type", "queued_command"}, kv{"prompt", s}, kv{"commandMode", "task-notification"})
	case 4:
		attachment(kv{"type", "queued_command"}, kv{"prompt", []any{text(s)}}, kv{"commandMode", "task-notification"})
	case 5: // a person pasted it, before or after it was queued
		g.emit(queue("enqueue"))
		if g.chance(50) {
			attachment(kv{"type", "queued_command"}, kv{"prompt", s}, kv{"commandMode", "prompt"})
		} else {
			g.chain(g.user(s, kv{"origin", obj{{"kind", "human"}}}))
		}
	case 6:
		g.chain(obj{{"type", "system"}, {"subtype", "informational"}, {"content", s}})
	case 7:
		g.chain(obj{{"type", "system"}, {"subtype", "task_notification"}, {"task_id", g.id()}, {"status", pick(g, "completed", "running")}})
	case 8:
		attachment(kv{"type", pick(g, "prompt_snapshot", "rendered")}, kv{"text", s})
	case 9:
		g.emit(obj{{"type", pick(g, "api-request-blob", "api-request", "api-request-shape")}, {"sessionId", "s-1"}, {"message", s},
			{"more", m{"backgroundTaskId": "b1"}}})
	case 10:
		g.emit(obj{{"type", pick(g, "progress", "ai-title")}, {"data", m{"deep": []any{1, m{"text": s}}}}})
	case 11:
		g.emit(obj{{"type", "user"}, {"isSidechain", true}, {"message", m{"role": "user", "content": s}}, {"uuid", "side"}})
	case 12:
		g.chain(g.assistantRow([]any{obj{{"type", "thinking"}, {"thinking", s}}}))
	case 13:
		g.chain(g.user(s, kv{"isMeta", true}))
	case 14: // delivered, and perhaps pasted later
		g.emit(queue("enqueue"))
		g.emit(obj{{"type", "queue-operation"}, {"operation", "dequeue"}, {"sessionId", "s-1"}})
		g.chain(g.user(s, kv{"origin", obj{{"kind", "task-notification"}}}))
		if g.chance(30) {
			g.chain(g.user(s, kv{"origin", obj{{"kind", "human"}}}))
		}
	}
}

// aside appends rows of a subagent.
func (g *gen) aside() {
	id := g.id()
	tool := g.toolID()
	side := kv{"isSidechain", true}
	g.emit(obj{side, {"agentId", "a7"}, {"type", "assistant"}, {"message", m{"role": "assistant", "content": []any{
		toolUse(tool, "Bash", m{"command": "x", "run_in_background": true})}}}, {"uuid", "s1"}})
	g.emit(obj{side, {"agentId", "a7"}, {"type", "user"}, {"message", m{"role": "user", "content": []any{toolResult(tool, "x", g.chance(50))}}},
		{"toolUseResult", m{"backgroundTaskId": id, "backgroundedToDeliverMessage": true}}, {"uuid", "s2"}, {"timestamp", g.tick()}})
}

// junk appends what is no row, or none that means anything.
func (g *gen) junk() {
	switch pick(g, 0, 1, 2, 3, 4, 5, 6, 7, 8) {
	case 0:
		g.raw(`{"type":"user","message":{"role":"user","content":"torn`)
	case 1:
		g.raw("\x00\x00\x00\x00")
	case 2:
		g.raw(pick(g, "", "  ", "\ufeff"))
	case 3:
		g.raw(pick(g, `[1,2]`, `"text"`, `null`, `true`, `nonsense`, `[1,`))
	case 4:
		g.raw(`{"type":"user","broken":,"task-notification":"<task-notification>b1</task-notification>"}`)
	case 5:
		g.raw(`{}`)
	case 6:
		g.raw(`{"type":7,"message":[],"uuid":{},"timestamp":false,"isSidechain":"true"}`)
	case 7: // a row of an unknown type in the middle of the conversation
		g.chain(obj{{"type", "progress"}, {"data", m{"x": 1}}})
	case 8:
		g.chain(obj{{"type", "system"}, {"subtype", "stop_hook_summary"}, {"hookErrors", []any{}}})
	}
}

// rewind makes an earlier row the parent of the next human prompt.
func (g *gen) rewind() {
	if len(g.uuids) == 0 {
		return
	}
	g.leaf = pick(g, g.uuids...)
	if g.chance(5) {
		g.leaf = ""
	}
	g.human()
}

// duplicate appends an old line once more, as a resumed host does.
func (g *gen) duplicate() {
	if len(g.rows) > 0 {
		g.raw(pick(g, g.rows[max(0, len(g.rows)-12):]...))
	}
}

func (g *gen) compact() {
	old := g.leaf
	g.leaf = ""
	g.chain(obj{{"type", "system"}, {"subtype", "compact_boundary"}, {"logicalParentUuid", old}})
	g.chain(g.user("summary of "+g.block(), kv{"isCompactSummary", true}))
}

// pasted is a row whose strings quote whole rows.
func (g *gen) pasted() {
	if len(g.rows) == 0 {
		return
	}
	line := pick(g, g.rows...)
	if len(line) > 20_000 || !strings.HasPrefix(line, "{") {
		return
	}
	g.use("Read", obj{{"file_path", "t.jsonl"}}, func(string) (any, any, bool) { return line, m{"file": m{"content": line}}, false })
}

// forkCopy is a handoff that another session opened.
func (g *gen) forkCopy() {
	o := handoffRow("fork-"+fmt.Sprint(g.n), g.leaf, g.toolID(), g.id())
	if g.chance(50) {
		o = o.with("forkedFrom", obj{{"sessionId", "s-0"}})
	} else {
		o = o.with("sessionId", "s-3")
	}
	if g.chance(30) {
		o = slices.Concat(obj{{"uuid", o[len(o)-1].val}}, o)
		o = o[1:]
	}
	g.emit(o)
}
