package transcript

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// fold rebuilds a session from the index: receipts open tasks, later rows end
// them, the walk back from the end finds the turn.
type fold struct {
	*window
	opts  Options
	owner ownership

	tasks []*task
	uuids map[string]bool   // receipts already taken: a resumed host may append a row again
	names map[string]string // tool-use id to tool name, of the calls looked up so far
}

// task is a Task in the making.
type task struct {
	Task
	at      int      // index of the receipt
	handoff bool     // its entrance defers
	native  bool     // its receipt is one of our own runtime
	anyText *Closer  // the first row that quotes it, later: that closes it
	ends    []ending // every row that ends it, the first one counts
	ended   *Closer  // of the first end
}

// ending is one recorded end of a task, or a notice of it.
type ending struct {
	Notice
	by     Closer
	runID  string
	queued string // the content of a queue row, in case a person had typed it
}

// receipts walks the rows that may be receipts and opens their tasks. Only rows
// of the main thread open anything, and only by structure (TR-4, TR-5, D-43).
func (f *fold) receipts() {
	for i, e := range f.entries {
		if e.flags&launchFlags == 0 || e.side || (e.class != classUser && e.class != classUnknown) {
			continue
		}
		if e.flags&launchFlags == flagTextID && e.flags&flagTaskID == 0 && !f.mayBeMCP(e) {
			continue
		}
		r, ok := f.decode(e)
		if !ok || r.class != classUser || r.sidechain() || !f.owner.owns(r) {
			continue
		}
		if t := f.opened(r); t != nil && !f.seen(t) {
			t.at = i
			f.tasks = append(f.tasks, t)
		}
	}
	f.dropRewound()
	for _, t := range f.tasks {
		f.describe(t)
	}
}

// opened is the task that a row opens, from the memo when windows share one.
func (f *fold) opened(r row) *task {
	if f.memo != nil {
		return f.memo.receiptOf(f, r)
	}
	return f.receipt(r)
}

// mayBeMCP spares the decode of a row whose text merely mentions an id: an MCP
// receipt has an array as its structured result.
func (f *fold) mayBeMCP(e entry) bool {
	return e.shape != shapeText && e.n < 64<<10
}

// seen drops a receipt that was appended twice.
func (f *fold) seen(t *task) bool {
	if t.OpenedAt.UUID == "" {
		return false
	}
	key := t.OpenedAt.UUID + "\x00" + t.ID
	if f.uuids[key] {
		return true
	}
	f.uuids[key] = true
	return false
}

// receipt reads one row as a receipt, or returns nil.
func (f *fold) receipt(r row) *task {
	results := r.results()
	if len(results) == 0 {
		return nil
	}
	t := &task{Task: Task{State: TaskRunning, OpenedAt: r.pos}}
	t.ToolUseID = strings.Clone(str(results[0].Get("tool_use_id")))
	res := lastOf(r.Result, "toolUseResult")
	switch {
	case res.IsObject():
		if !objectReceipt(t, fields(lastWins(res))) {
			return nil
		}
	case res.IsArray():
		if !textReceipt(t, results[0]) {
			return nil
		}
	default:
		return nil
	}
	t.ID = strings.Clone(t.ID)
	if t.OutputFile == "" {
		t.OutputFile = outputFile(results[0])
	}
	if t.OutputFile == "" && t.Kind == KindShell {
		t.OutputFile = nativeOutput(resultText(results[0]), t.ID)
		t.native = t.OutputFile != ""
	}
	return t
}

// fields are the members of an object in which the last of equal keys counts, as
// it does for the host: a receipt must not open what the host did not mean.
type fields map[string]gjson.Result

func (f fields) Get(key string) gjson.Result { return f[key] }

func lastWins(obj gjson.Result) map[string]gjson.Result {
	m := map[string]gjson.Result{}
	obj.ForEach(func(k, v gjson.Result) bool {
		m[k.Str] = v
		return true
	})
	return m
}

// lastOf is the value of the last member with that key.
func lastOf(obj gjson.Result, key string) (v gjson.Result) {
	obj.ForEach(func(k, x gjson.Result) bool {
		if k.Str == key {
			v = x
		}
		return true
	})
	return v
}

// objectReceipt fills a task from a structured result.
func objectReceipt(t *task, res fields) bool {
	if id := str(res.Get("backgroundTaskId")); id != "" {
		t.ID, t.Kind, t.Entrance = id, KindShell, entranceOf(res)
		t.handoff = t.Entrance == EntranceDeliveredMessage
		t.WakesOwner = isTrue(res.Get("backgroundWakesOwner"))
		t.EndsWithTurn = isTrue(res.Get("backgroundEndsWithFinalResponse"))
		return true
	}
	status := str(res.Get("status"))
	launched := status == "async_launched" || status == "remote_launched"
	taskID, agentID := str(res.Get("taskId")), str(res.Get("agentId"))
	t.OutputFile = strings.Clone(str(res.Get("outputFile")))
	switch {
	case launched && taskID != "":
		t.ID, t.Kind = taskID, KindWorkflow
		if typ := str(res.Get("taskType")); typ != "" && !strings.Contains(typ, "workflow") {
			t.Kind = KindSubagent
		}
		return true
	case launched && agentID != "":
		t.ID, t.Kind = agentID, KindSubagent
		return true
	case taskID != "" && (res.Get("timeoutMs").Exists() || res.Get("persistent").Exists()):
		t.ID, t.Kind = taskID, KindMonitor
		return true
	}
	return false
}

// entranceOf tells the entrances apart by the siblings of backgroundTaskId
// (claude-code section 1). Each must be the boolean true, or a number for the
// timeout: a string "true" is no entrance.
func entranceOf(res fields) Entrance {
	switch {
	case isTrue(res.Get("backgroundedToDeliverMessage")):
		return EntranceDeliveredMessage
	case isTrue(res.Get("backgroundedByUser")):
		return EntranceUser
	case res.Get("timedOutAfterMs").Type == gjson.Number:
		return EntranceTimeout
	case isTrue(res.Get("backgroundedByTurnAbort")):
		return EntranceTurnAbort
	case isTrue(res.Get("backgroundedForAgentReport")):
		return EntranceAgentReport
	}
	return EntranceRequested
}

// textReceipt reads an MCP call that was moved to the background. Its id stands
// only in the text, which is why it can be reported and never defers anything.
func textReceipt(t *task, result gjson.Result) bool {
	text := resultText(result)
	if !strings.Contains(text, "to the background") && !strings.Contains(text, "in the background") {
		return false
	}
	_, rest, ok := strings.Cut(text, "(ID: ")
	if !ok {
		return false
	}
	id, _, ok := strings.Cut(rest, ")")
	if !ok || id == "" || strings.IndexFunc(id, func(c rune) bool { return c > 127 || !isIDChar(byte(c)) }) >= 0 {
		return false
	}
	t.ID, t.Kind = id, KindMCP
	return true
}

// resultText joins the text of one tool_result block.
func resultText(b gjson.Result) string {
	c := b.Get("content")
	if c.Type == gjson.String {
		return c.Str
	}
	var parts []string
	for _, x := range c.Array() {
		parts = append(parts, str(x.Get("text")))
	}
	return strings.Join(parts, "\n")
}

// outputFile takes the path out of the receipt's sentence. It only ever names a
// file to read; nothing is decided by it.
func outputFile(result gjson.Result) string {
	_, rest, ok := strings.Cut(resultText(result), "Output is being written to: ")
	if !ok {
		return ""
	}
	if i := strings.Index(rest, ".output"); i >= 0 {
		return strings.Clone(rest[:i+len(".output")])
	}
	return ""
}

// nativeOutput takes the path out of the receipts of our own runtime (D-07), whose
// first line begins in one of two ways:
//
//	Started bash_1 (pid 7). Output: /s/tasks/bash_1.20260102-030405-006.log
//	The command goes on in the background as task bash_1 (pid 7), because …. Output: …
func nativeOutput(text, id string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSuffix(line, "\r")
	rest, started := strings.CutPrefix(line, "Started "+id+" (pid ")
	if !started {
		var moved bool
		if rest, moved = strings.CutPrefix(line, "The command goes on in the background as task "+id+" (pid "); !moved {
			return ""
		}
	}
	_, path, ok := strings.Cut(rest, ". Output: ")
	if !ok || !strings.HasSuffix(path, ".log") {
		return ""
	}
	return strings.Clone(path)
}

// describe adds what the paired call tells: tool name and command. A handoff
// whose call is visibly an MCP tool opens nothing, since a structured MCP result
// could mimic the fields (D-43).
func (f *fold) describe(t *task) {
	call, ok := f.callBefore(t.at, t.ToolUseID)
	if !ok {
		return
	}
	t.ToolName, t.Command, t.Description = call.Name, call.Command, call.description
	if strings.HasPrefix(call.Name, "mcp__") && t.Kind == KindShell {
		t.Kind, t.Entrance, t.handoff = KindMCP, "", false
	}
	if t.Kind == KindMCP && !strings.HasPrefix(call.Name, "mcp__") {
		t.ID = "" // text of some other tool: dropped below
	}
}

// descriptionLimit bounds the description kept of a task.
const descriptionLimit = 200

// callLookback bounds how many assistant rows with tool calls are decoded to
// find a receipt's call; it stands directly before it but for parallel calls.
const callLookback = 64

// launch is a call with what it says it is for.
type launch struct {
	ToolCall
	description string
}

// callBefore finds the call with the given id before index i.
func (f *fold) callBefore(i int, id string) (found launch, ok bool) {
	if id == "" {
		return launch{}, false
	}
	for left := callLookback; i > 0 && left > 0 && !ok; {
		i--
		e := f.entries[i]
		if e.class != classAssistant && e.class != classUnknown || e.tools == 0 {
			continue
		}
		left--
		r, decoded := f.decode(e)
		if !decoded || r.class != classAssistant {
			continue
		}
		eachCall(r, func(c ToolCall, in inputTexts) {
			if c.ID == id && !ok {
				found, ok = launch{c, strings.Clone(cut(str(in.description), descriptionLimit))}, true
			}
		})
	}
	return found, ok
}

// finish returns the tasks in order of opening.
func (f *fold) finish() ([]Task, []Handoff) {
	f.tasks = slices.DeleteFunc(f.tasks, func(t *task) bool { return t.ID == "" })
	tasks, handoffs := make([]Task, 0, len(f.tasks)), []Handoff{}
	for _, t := range f.tasks {
		t.settle()
		if t.handoff {
			handoffs = append(handoffs, t.toHandoff(f.opts.Now, f.opts.HandoffLimit))
		}
		tasks = append(tasks, t.Task)
	}
	return tasks, handoffs
}
