package transcript

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// futureTolerance is how far ahead of the clock a receipt may be stamped and
// still count, with age 0 (D-35).
const futureTolerance = 5 * time.Minute

// toHandoff applies the age rule to what the rows said.
func (t *task) toHandoff(now time.Time, limit time.Duration) Handoff {
	h := Handoff{TaskID: t.ID, ToolUseID: t.ToolUseID, Command: t.Command, OpenedAt: t.OpenedAt,
		ClosedBy: t.anyText, EndedBy: t.ended}
	pending := HandoffExpired
	if at := t.OpenedAt.Time; !at.IsZero() && at.Sub(now) <= futureTolerance {
		age := max(0, now.Sub(at))
		seconds := age.Seconds()
		expires := at.Add(limit)
		h.AgeSeconds, h.ExpiresAt = &seconds, &expires
		if age <= limit {
			pending = HandoffOpen
		}
	}
	h.State = HandoffStates{AnyText: pending, Ended: pending}
	if t.anyText != nil {
		h.State.AnyText = HandoffClosed
	}
	if t.ended != nil {
		h.State.Ended = HandoffClosed
	}
	return h
}

// endings walks the rows behind the earliest receipt that may end or close a
// task. "Later" is file position, never time (TR-8, D-34); every row counts,
// sidechains and copied rows too, because closing is only ever stricter (D-44).
func (f *fold) endings() {
	if len(f.tasks) == 0 {
		return
	}
	for i := f.tasks[0].at + 1; i < len(f.entries); i++ {
		e := f.entries[i]
		if e.flags&(flagNotice|flagEnd) == 0 || e.class == classAssistant && e.flags&flagNotice == 0 {
			continue
		}
		r, ok := f.decode(e)
		if !ok || isRequestCopy(r.str("type")) {
			continue
		}
		if e.flags&flagEnd != 0 && (r.class == classUser || r.class == classSystem) {
			f.recordedEnd(i, r)
		}
		if e.flags&flagNotice != 0 {
			f.notice(i, r)
		}
	}
}

// notice lets one row with a notification block close what it names.
func (f *fold) notice(i int, r row) {
	if r.class == classAttach {
		switch r.str("attachment.type") {
		case "prompt_snapshot", "rendered":
			return // the host's own copies of a request
		}
	}
	carried := f.carried(i, r)
	for _, t := range f.tasks {
		if t.at >= i {
			break
		}
		if t.handoff && t.anyText == nil && rowQuotes(r, t.ID, t.ToolUseID) {
			t.anyText = &Closer{Carrier: carrier(r), Mode: "any_text", At: r.pos}
		}
		for _, n := range carried {
			if n.names(t.ID, t.ToolUseID) && n.Terminal() {
				t.end(r, n)
				// Our own runtime tells the outcome with it, so nothing is owed (D-08).
				t.Harvested = t.Harvested || t.native && r.class == classUser && !r.sidechain()
			}
		}
	}
}

// rowQuotes applies the any_text rule to every string of the row.
func rowQuotes(r row, taskID, toolUseID string) bool {
	return !eachString(withoutRendered(r), func(s string) bool {
		return !strings.Contains(s, "task-notification") || !quotesTask(s, taskID, toolUseID)
	})
}

// withoutRendered is an attachment row without what the host rendered of it for a
// request: that is one more copy, and no carrier (claude-code section 2).
func withoutRendered(r row) string {
	if r.class != classAttach {
		return r.Raw
	}
	v := r.Get("rendered")
	if !v.Exists() || v.Index <= 0 || v.Index+len(v.Raw) > len(r.Raw) {
		return r.Raw
	}
	return r.Raw[:v.Index] + "null" + r.Raw[v.Index+len(v.Raw):]
}

// carrier names the row type for people.
func carrier(r row) string {
	if r.class == classUser && len(r.results()) > 0 {
		return "tool_result"
	}
	return strings.Clone(r.str("type"))
}

// carried returns the notices that the host itself carries in this row: the
// shapes of claude-code section 2, and nothing that a person or a tool wrote.
func (f *fold) carried(i int, r row) []Notice {
	switch r.class {
	case classQueue:
		return Notices(r.str("content"))
	case classAttach:
		if r.str("attachment.type") != "queued_command" {
			return nil
		}
		text := promptText(r.Get("attachment.prompt"))
		if r.str("attachment.commandMode") != "task-notification" {
			f.typed(i, text)
			return nil
		}
		return Notices(text)
	case classUser:
		switch kind := r.str("origin.kind"); {
		case kind == "task-notification" && !r.Get("origin.subkind").Exists():
			return Notices(r.text())
		case kind == "human":
			f.typed(i, r.text())
		}
	case classSystem:
		return Notices(r.str("content"))
	}
	return nil
}

// typed takes back an end that rested on a queue row whose content turns out to
// have been delivered as a person's message: somebody had pasted the envelope.
func (f *fold) typed(i int, text string) {
	for _, t := range f.tasks {
		if t.at < i && text != "" {
			t.ends = slices.DeleteFunc(t.ends, func(e ending) bool { return e.queued == text })
		}
	}
}

// promptText reads a prompt that is a string or a list of blocks.
func promptText(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	var parts []string
	for _, b := range v.Array() {
		parts = append(parts, str(b.Get("text")))
	}
	return strings.Join(parts, "\n")
}

// end notes an end of the task. The first one will count, unless it is taken
// back: then the next one does.
func (t *task) end(r row, n Notice) {
	e := ending{Notice: n, runID: strings.Clone(r.str("origin.runId")),
		by: Closer{Carrier: carrier(r), Trusted: true, Mode: "ended", At: r.pos}}
	if r.class == classQueue {
		e.queued = r.str("content")
	}
	t.ends = append(t.ends, e)
}

// settle applies the first end that stands. States only move forward until a new
// receipt with the same id opens another task.
func (t *task) settle() {
	if len(t.ends) == 0 {
		return
	}
	e := t.ends[0]
	t.ended = &e.by
	at := e.by.At
	t.State, t.Status, t.ExitCode, t.EndedAt = TaskEnded, strings.Clone(e.Status), e.ExitCode, &at
	t.RunID = cmp.Or(e.runID, t.RunID)
	t.OutputFile = cmp.Or(t.OutputFile, strings.Clone(e.OutputFile))
	if t.handoff && (t.anyText == nil || t.anyText.At.Offset >= at.Offset) {
		by := e.by
		t.anyText = &by
	}
}

// recordedEnd reads the ends that write no notification: a successful TaskStop
// or KillShell, an output call that reports a terminal status, a system row.
func (f *fold) recordedEnd(i int, r row) {
	if r.class == classSystem {
		if r.str("subtype") == "task_notification" && terminalStatus(r.str("status")) {
			f.endID(i, r, r.str("task_id"), r.str("tool_use_id"), Notice{Status: r.str("status")}, false)
		}
		return
	}
	res := r.Get("toolUseResult")
	results := r.results()
	if !res.IsObject() || len(results) == 0 || isTrue(results[0].Get("is_error")) {
		return
	}
	ids, n, stop := endedBy(res)
	if len(ids) == 0 {
		return
	}
	// A result counts only when it answers a call that can end or report a task.
	// The call is almost always in sight; when it is not, the shape decides.
	name, ok := f.toolName(i, str(results[0].Get("tool_use_id")))
	if ok && !endingTool(name, stop) {
		return
	}
	for _, id := range ids {
		f.endID(i, r, id, "", n, stop || name == "wait_task")
	}
}

// endedBy reads the structured result of a stopping or an output call.
func endedBy(res gjson.Result) (ids []string, n Notice, stop bool) {
	if task := res.Get("task"); task.IsObject() {
		if status := str(task.Get("status")); terminalStatus(status) {
			return []string{str(task.Get("task_id"))}, Notice{Status: status, ExitCode: number(task.Get("exitCode"))}, false
		}
		return nil, Notice{}, false
	}
	if id := str(res.Get("shellId")); id != "" {
		if status := str(res.Get("status")); terminalStatus(status) {
			return []string{id}, Notice{Status: status, ExitCode: number(res.Get("exitCode"))}, false
		}
		return nil, Notice{}, false
	}
	if str(res.Get("message")) == "" {
		return nil, Notice{}, false
	}
	for _, key := range []string{"task_id", "shell_id", "bash_id"} {
		if id := str(res.Get(key)); id != "" {
			return []string{id}, Notice{Status: "killed"}, true
		}
	}
	return nil, Notice{}, false
}

func number(v gjson.Result) *int {
	if v.Type != gjson.Number {
		return nil
	}
	n := int(v.Num)
	return &n
}

// endingTool tells the calls whose results can end a task, by vocabulary (D-07).
func endingTool(name string, stop bool) bool {
	switch name {
	case "TaskStop", "KillShell", "KillBash", "shell_kill":
		return stop
	case "TaskOutput", "BashOutput", "AgentOutputTool", "BashOutputTool", "wait_task":
		return !stop
	}
	return false
}

// endID ends the tasks of that id; one that the row collects is owed no more.
func (f *fold) endID(i int, r row, id, toolUseID string, n Notice, collects bool) {
	for _, t := range f.tasks {
		if t.at >= i {
			return
		}
		if id != "" && t.ID == id || toolUseID != "" && t.ToolUseID == toolUseID {
			t.end(r, n)
			t.Harvested = t.Harvested || collects
		}
	}
}

// toolName looks up the name of the call that a result answers.
func (f *fold) toolName(i int, id string) (string, bool) {
	if name, ok := f.names[id]; ok {
		return name, true
	}
	call, ok := f.callBefore(i, id)
	if ok {
		f.names[id] = call.Name
	}
	return call.Name, ok
}
