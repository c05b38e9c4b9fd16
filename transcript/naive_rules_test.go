package transcript

import (
	"slices"
	"strings"
	"time"
)

// openTasks finds the receipts: structure only, main thread only, own rows only.
func (n *naive) openTasks(latest string) {
	own := []string{}
	for _, id := range []string{n.opts.SessionID, fileSession(n.path)} {
		if id != "" {
			own = append(own, id)
		}
	}
	if len(own) == 0 {
		own = append(own, latest)
	}
	seen := map[string]bool{}
	for i, r := range n.rows {
		_, forked := r.m["forkedFrom"]
		id := r.str("sessionId")
		foreign := id != "" && latest != "" && slices.Contains(own, latest) && !slices.Contains(own, id)
		results := r.blocks("tool_result")
		if r.typ != "user" || r.side || forked || foreign || len(results) == 0 {
			continue
		}
		t := naiveReceipt(r, results[0])
		if t == nil {
			continue
		}
		key := t.OpenedAt.UUID + "\x00" + t.ID
		if t.OpenedAt.UUID != "" && seen[key] {
			continue
		}
		seen[key] = true
		t.row, t.quoted = i, -1
		call, ok := n.call(i, t.ToolUseID)
		if ok {
			t.ToolName, t.Command = call.Name, call.Command
		}
		mcp := strings.HasPrefix(t.ToolName, "mcp__")
		if t.Kind == KindMCP && ok && !mcp {
			continue
		}
		if t.Kind == KindShell && mcp {
			t.Kind, t.Entrance, t.handoff = KindMCP, "", false
		}
		if !n.rewound(i) {
			n.tasks = append(n.tasks, t)
		}
	}
}

func naiveReceipt(r naiveRow, result m) *naiveTask {
	t := &naiveTask{Task: Task{State: TaskRunning, OpenedAt: r.pos()}}
	t.ToolUseID, _ = result["tool_use_id"].(string)
	switch res := r.m["toolUseResult"].(type) {
	case m:
		id, _ := res["backgroundTaskId"].(string)
		taskID, _ := res["taskId"].(string)
		agentID, _ := res["agentId"].(string)
		launched := res["status"] == "async_launched" || res["status"] == "remote_launched"
		_, timeout := res["timeoutMs"]
		_, persistent := res["persistent"]
		switch {
		case id != "":
			t.ID, t.Kind, t.Entrance = id, KindShell, naiveEntrance(res)
			t.handoff = t.Entrance == EntranceDeliveredMessage
			content, _ := result["content"].(string)
			if x := reNative.FindStringSubmatch(content); x != nil && x[1] == id {
				t.native = x[2]
			}
		case launched && taskID != "":
			t.ID, t.Kind = taskID, KindWorkflow
		case launched && agentID != "":
			t.ID, t.Kind = agentID, KindSubagent
		case taskID != "" && (timeout || persistent):
			t.ID, t.Kind = taskID, KindMonitor
		default:
			return nil
		}
	case []any:
		s, _ := result["content"].(string)
		_, after, ok := strings.Cut(s, "(ID: ")
		id, _, closed := strings.Cut(after, ")")
		if r.end-r.off >= 64<<10 { // an MCP receipt is short, and only reported
			return nil
		}
		if !ok || !closed || id == "" || !strings.Contains(s, "to the background") {
			return nil
		}
		t.ID, t.Kind = id, KindMCP
	default:
		return nil
	}
	return t
}

func naiveEntrance(res m) Entrance {
	_, timeout := res["timedOutAfterMs"].(float64)
	switch {
	case res["backgroundedToDeliverMessage"] == true:
		return EntranceDeliveredMessage
	case res["backgroundedByUser"] == true:
		return EntranceUser
	case timeout:
		return EntranceTimeout
	case res["backgroundedByTurnAbort"] == true:
		return EntranceTurnAbort
	case res["backgroundedForAgentReport"] == true:
		return EntranceAgentReport
	}
	return EntranceRequested
}

type naiveCall struct {
	ID, Name, Command string
	input             any
	row               int
}

func (n *naive) calls(i int) []naiveCall {
	var out []naiveCall
	if n.rows[i].typ != "assistant" {
		return nil
	}
	for _, b := range n.rows[i].blocks("tool_use") {
		c := naiveCall{row: i, input: b["input"]}
		c.ID, _ = b["id"].(string)
		c.Name, _ = b["name"].(string)
		in, _ := naiveParse(b["input"]).(m)
		c.Command, _ = in["command"].(string)
		out = append(out, c)
	}
	return out
}

// call finds the nearest earlier call with an id.
func (n *naive) call(i int, id string) (naiveCall, bool) {
	for i--; i >= 0 && id != ""; i-- {
		for _, c := range n.calls(i) {
			if c.ID == id {
				return c, true
			}
		}
	}
	return naiveCall{}, false
}

func (n *naive) parent(i int) (parent string, root bool) {
	r := n.rows[i]
	p, written := r.m["parentUuid"]
	if s, ok := p.(string); ok {
		return s, false
	}
	if logical := r.str("logicalParentUuid"); p == nil && written && logical != "" {
		return logical, false
	}
	return "", p == nil && written
}

// rewound tells whether a later human prompt hangs above the receipt at row i,
// or replaces the whole conversation.
func (n *naive) rewound(i int) bool {
	ancestors, rooted := map[string]bool{}, false
	for at := i; at >= 0; {
		up, root := n.parent(at)
		rooted = root
		if up == "" {
			break
		}
		ancestors[up] = true
		next := at - 1
		for next >= 0 && n.rows[next].str("uuid") != up {
			next--
		}
		at = next
	}
	for j := i + 1; j < len(n.rows); j++ {
		if n.startOf(j) != "human" {
			continue
		}
		up, root := n.parent(j)
		if root && rooted {
			return true
		}
		between := slices.ContainsFunc(n.rows[i:j], func(r naiveRow) bool { return up != "" && r.str("uuid") == up })
		if up != "" && !between && ancestors[up] {
			return true
		}
	}
	return false
}

// startOf tells what a row begins.
func (n *naive) startOf(i int) string {
	r := n.rows[i]
	txt := r.text()
	list, _ := r.get("message", "content").([]any)
	_, structured := r.m["toolUseResult"]
	switch kind := r.str("origin", "kind"); {
	case r.typ != "user" || r.side || structured || len(r.blocks("tool_result")) > 0:
		return ""
	case r.m["isMeta"] == true:
		if strings.HasPrefix(txt, "Stop hook feedback:") {
			return "remediation"
		}
		return ""
	case r.m["isCompactSummary"] == true || r.m["isVisibleInTranscriptOnly"] == true:
		return ""
	case kind == "human":
		return "human"
	case kind == "task-notification":
		return "notification"
	case kind != "":
		return "other:" + kind
	case reOpen.MatchString(strings.TrimLeft(txt, " \t\r\n")):
		return "notification"
	case txt == "" && len(list) == 0:
		return ""
	}
	for _, echo := range []string{"<local-command-stdout>", "<local-command-stderr>", "<bash-stdout>", "<bash-stderr>", "<bash-input>",
		"[Request interrupted by user"} {
		if strings.HasPrefix(txt, echo) {
			return ""
		}
	}
	return "human"
}

// closeTasks finds, for every task, the first row that quotes it and all rows
// that end it.
func (n *naive) closeTasks() {
	for _, t := range n.tasks {
		for i := t.row + 1; i < len(n.rows); i++ {
			r := n.rows[i]
			if strings.HasPrefix(r.typ, "api-request") {
				continue
			}
			if e, ok := n.recordedEnd(i, t); ok {
				t.ends = append(t.ends, e)
			}
			kind := r.str("attachment", "type")
			if r.typ == "attachment" && (kind == "prompt_snapshot" || kind == "rendered") {
				continue
			}
			if t.handoff && t.quoted < 0 && slices.ContainsFunc(stringsOf(r.m), func(s string) bool {
				return naiveQuotes(s, t.ID, t.ToolUseID)
			}) {
				t.quoted = i
			}
			n.noticeEnds(i, t)
		}
	}
}

// noticeEnds adds the ends that the host carried in row i, and takes back those
// whose queue text turns out to be a person's.
func (n *naive) noticeEnds(i int, t *naiveTask) {
	r := n.rows[i]
	var carried, typed string
	switch {
	case r.typ == "queue-operation" || r.typ == "system":
		carried = r.str("content")
	case r.typ == "attachment" && r.str("attachment", "type") == "queued_command":
		prompt := naivePrompt(r.get("attachment", "prompt"))
		if r.str("attachment", "commandMode") == "task-notification" {
			carried = prompt
		} else {
			typed = prompt
		}
	case r.typ == "user" && r.str("origin", "kind") == "task-notification":
		carried = r.text()
	case r.typ == "user" && r.str("origin", "kind") == "human":
		typed = r.text()
	}
	if typed != "" {
		t.ends = slices.DeleteFunc(t.ends, func(e naiveEnd) bool { return e.queued == typed })
	}
	for _, x := range naiveNotices(carried) {
		if !naiveTerminal(x.Status) || !slices.Contains(x.TaskIDs, t.ID) && (t.ToolUseID == "" || x.ToolUseID != t.ToolUseID) {
			continue
		}
		e := naiveEnd{row: i, Notice: x, runID: r.str("origin", "runId"), text: true}
		if r.typ == "queue-operation" {
			e.queued = carried
		}
		t.ends = append(t.ends, e)
		if t.native != "" && r.typ == "user" && !r.side {
			t.Harvested = true
		}
	}
}

func naivePrompt(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var parts []string
	list, _ := v.([]any)
	for _, b := range list {
		o, _ := b.(m)
		s, _ := o["text"].(string)
		parts = append(parts, s)
	}
	return strings.Join(parts, "\n")
}

func naiveTerminal(status string) bool {
	return slices.Contains([]string{"completed", "failed", "killed", "stopped", "cancelled", "canceled", "error", "timeout",
		"timed_out", "exited", "lost"}, strings.ToLower(status))
}

// recordedEnd tells whether row i is an end without a notice.
func (n *naive) recordedEnd(i int, t *naiveTask) (naiveEnd, bool) {
	r := n.rows[i]
	if r.typ == "system" {
		hit := r.str("task_id") == t.ID || t.ToolUseID != "" && r.str("tool_use_id") == t.ToolUseID
		return naiveEnd{row: i, Notice: Notice{Status: r.str("status")}},
			hit && r.str("subtype") == "task_notification" && naiveTerminal(r.str("status"))
	}
	res, ok := r.m["toolUseResult"].(m)
	results := r.blocks("tool_result")
	if r.typ != "user" || !ok || len(results) == 0 || results[0]["is_error"] == true {
		return naiveEnd{}, false
	}
	id, status, stop, code := naiveEndFields(res)
	if id != t.ID || !naiveTerminal(status) {
		return naiveEnd{}, false
	}
	answered, _ := results[0]["tool_use_id"].(string)
	if call, ok := n.call(i, answered); ok {
		stops := []string{"TaskStop", "KillShell", "KillBash", "shell_kill"}
		reads := []string{"TaskOutput", "BashOutput", "AgentOutputTool", "BashOutputTool", "wait_task"}
		if stop && !slices.Contains(stops, call.Name) || !stop && !slices.Contains(reads, call.Name) {
			return naiveEnd{}, false
		}
	}
	if call, ok := n.call(i, answered); stop || ok && call.Name == "wait_task" {
		t.Harvested = true
	}
	return naiveEnd{row: i, Notice: Notice{Status: status, ExitCode: code}}, true
}

func naiveEndFields(res m) (id, status string, stop bool, code *int) {
	number := func(v any) *int {
		if f, ok := v.(float64); ok {
			n := int(f)
			return &n
		}
		return nil
	}
	if task, ok := res["task"].(m); ok {
		id, _ = task["task_id"].(string)
		status, _ = task["status"].(string)
		return id, status, false, number(task["exitCode"])
	}
	if shell, _ := res["shellId"].(string); shell != "" {
		status, _ = res["status"].(string)
		return shell, status, false, number(res["exitCode"])
	}
	if msg, _ := res["message"].(string); msg == "" {
		return "", "", false, nil
	}
	for _, k := range []string{"task_id", "shell_id", "bash_id"} {
		if id, _ := res[k].(string); id != "" {
			return id, "killed", true, nil
		}
	}
	return "", "", false, nil
}

func (n *naive) closer(i int, mode string) *Closer {
	r := n.rows[i]
	c := &Closer{Carrier: r.typ, Trusted: mode == "ended", Mode: mode, At: r.pos()}
	if r.typ == "user" && len(r.blocks("tool_result")) > 0 {
		c.Carrier = "tool_result"
	}
	return c
}

// result applies ends and the age rule (D-35).
func (n *naive) result() ([]Task, []Handoff) {
	tasks, handoffs := []Task{}, []Handoff{}
	for _, t := range n.tasks {
		if len(t.ends) > 0 {
			e := t.ends[0]
			at := n.rows[e.row].pos()
			t.State, t.Status, t.ExitCode, t.EndedAt, t.RunID = TaskEnded, e.Status, e.ExitCode, &at, e.runID
		}
		tasks = append(tasks, t.Task)
		if !t.handoff {
			continue
		}
		age := n.opts.Now.Sub(t.OpenedAt.Time)
		state := HandoffExpired
		if !t.OpenedAt.Time.IsZero() && age >= -5*time.Minute && age <= n.opts.HandoffLimit {
			state = HandoffOpen
		}
		h := Handoff{TaskID: t.ID, ToolUseID: t.ToolUseID, Command: t.Command, OpenedAt: t.OpenedAt,
			State: HandoffStates{AnyText: state, Ended: state}}
		if len(t.ends) > 0 {
			h.State = HandoffStates{AnyText: HandoffClosed, Ended: HandoffClosed}
			h.EndedBy = n.closer(t.ends[0].row, "ended")
			h.ClosedBy = h.EndedBy
		}
		if t.quoted >= 0 && (len(t.ends) == 0 || t.quoted < t.ends[0].row) {
			h.State.AnyText = HandoffClosed
			h.ClosedBy = n.closer(t.quoted, "any_text")
		}
		handoffs = append(handoffs, h)
	}
	return tasks, handoffs
}
