package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stophook/stophook/transcript/shell"
	"github.com/tidwall/gjson"
)

// CallDebt folds one turn's tool calls into the number of background shells that
// were launched and never collected, seeing nothing but the calls themselves. It
// is the one implementation for every loop that only sees tool_use (AC-150,
// AC-166); the zero value is ready, and a nil *CallDebt folds nothing and owes
// nothing (AC-158). Not safe for concurrent use.
//
// Known limits, on purpose (AC-164): a harvest is not paired with a launch, and
// work put in the background by shell syntax is not seen. [Debt.Paired] and
// [EntranceShellSyntax] close both where results and commands are at hand.
type CallDebt struct {
	debt int
	seen map[string]bool
}

// Apply folds one call. The input is the tool's input as JSON: an object, or a
// JSON string that holds one.
func (d *CallDebt) Apply(tool string, input json.RawMessage) {
	if d == nil {
		return
	}
	d.apply(tool, gjson.ParseBytes(input))
}

// Outstanding is how many launches are still owed, never negative.
func (d *CallDebt) Outstanding() int {
	if d == nil {
		return 0
	}
	return max(0, d.debt)
}

func (d *CallDebt) apply(tool string, input gjson.Result) {
	if isLaunch(tool, input) {
		d.debt++ // a launch is never also a harvest (AC-157)
		return
	}
	id := callHarvest(tool, input)
	if id == "" || d.seen[id] {
		return
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[id] = true
	// Only an existing debt is paid: the surplus is dropped and never banked,
	// but its id has been seen (AC-156).
	if d.debt > 0 {
		d.debt--
	}
}

// inputObject returns the input as an object; parsed is false when a string
// input holds no JSON at all.
func inputObject(input gjson.Result) (obj gjson.Result, isObject bool) {
	if input.IsObject() {
		return input, true
	}
	if input.Type == gjson.String && wellFormed(input.Str) {
		if v := gjson.Parse(input.Str); v.IsObject() || v.IsArray() {
			return v, true
		}
	}
	return gjson.Result{}, false
}

// isLaunch follows AC-151 to AC-153: the flag is a top-level boolean, an object
// is authoritative, and only what does not parse falls back to the bytes.
func isLaunch(tool string, input gjson.Result) bool {
	if tool != "Bash" {
		return false
	}
	if obj, ok := inputObject(input); ok {
		return isTrue(obj.Get("run_in_background"))
	}
	return input.Type == gjson.String && launchBytes(input.Str)
}

// launchBytes looks for the key with the literal true behind it.
func launchBytes(s string) bool {
	for {
		_, rest, ok := strings.Cut(s, `"run_in_background"`)
		if !ok {
			return false
		}
		s = rest
		rest = strings.TrimLeft(rest, " \t\r\n\v\f")
		if v, ok := strings.CutPrefix(rest, ":"); ok && strings.HasPrefix(strings.TrimLeft(v, " \t\r\n\v\f"), "true") {
			return true
		}
	}
}

// callHarvest returns the shell id that a call collects, or "" (AC-154, AC-155).
func callHarvest(tool string, input gjson.Result) string {
	obj, ok := inputObject(input)
	if !ok {
		return ""
	}
	switch tool {
	case "BashOutput", "KillShell":
		return firstTruthy(obj, "bash_id", "shell_id")
	case "Read", "View":
		return unixOutputID(firstTruthy(obj, "file_path", "path"))
	}
	return ""
}

// firstTruthy picks the first key whose value is no empty one, as the rule's
// source does; a value of another type then yields no id.
func firstTruthy(obj gjson.Result, keys ...string) string {
	for _, k := range keys {
		switch v := obj.Get(k); v.Type {
		case gjson.Null, gjson.False:
		case gjson.Number:
			if v.Num != 0 {
				return ""
			}
		case gjson.String:
			if v.Str != "" {
				return strings.Clone(v.Str)
			}
		default:
			return ""
		}
	}
	return ""
}

// unixOutputID takes the id out of a path that ends in /tasks/<id>.output.
func unixOutputID(path string) string {
	if !strings.Contains(path, "/tasks/") || strings.Contains(path, `\`) {
		return ""
	}
	return shell.OutputTaskID(path)
}

// debts computes both readings. A harvest pays for a launch whenever it comes,
// but only launches since the latest human prompt are the turn's own debt; a
// rescue run or a notification turn goes on with it (AC-150).
func (f *fold) debts(humanAt int) Debt {
	d := Debt{Paired: []string{}, Owed: []string{}}
	owed := f.requested()
	first := len(f.entries)
	if len(owed) > 0 {
		first = owed[0].at
	}
	calling := false
	for _, e := range f.entries[humanAt+1:] {
		calling = calling || e.assistant() && e.flags&flagBackground != 0
	}
	if calling {
		first = min(first, humanAt+1)
	}
	if first == len(f.entries) {
		return d
	}
	var calls CallDebt
	var collected []collecting
	folded, wanted := map[string]bool{}, map[string]answer{}
	for i := first; i < len(f.entries); i++ {
		e := f.entries[i]
		if !e.assistant() || e.tools == 0 {
			continue
		}
		heads := f.calls(e)
		for k := range heads {
			c := &heads[k]
			if calling && i > humanAt && (c.id == "" || !folded[c.id]) {
				folded[c.id] = true // a resumed host may append a row again
				calls.apply(c.name, c.input)
			}
			if ids := c.harvests(); len(owed) > 0 && len(ids) > 0 {
				collected, wanted[c.id] = append(collected, collecting{i, c.id, ids}), answer{}
			}
		}
	}
	if len(collected) > 0 {
		f.answers(first, wanted)
	}
	for _, c := range collected {
		if a := wanted[c.id]; a.at > c.at && !a.failed {
			harvest(owed, c.at, c.ids)
		}
	}
	d.Calls = calls.Outstanding()
	for _, t := range owed {
		if t.Harvested {
			continue
		}
		d.Paired = append(d.Paired, t.ID)
		if t.at > humanAt {
			d.Owed = append(d.Owed, t.ID)
		}
	}
	return d
}

// callHead is a tool call as debt sees it.
type callHead struct {
	id, name string
	input    gjson.Result
	ids      []string // see harvests
	read     bool
}

// harvests are the ids that the call collects, worked out when first asked for.
func (c *callHead) harvests() []string {
	if !c.read {
		c.ids = slices.DeleteFunc(harvestIDs(c.name, c.input), func(id string) bool { return id == "" })
		c.read = true
	}
	return c.ids
}

// calls are the tool calls of an assistant row, from the memo when windows share
// one; none when it is no such row.
func (f *fold) calls(e entry) []callHead {
	if f.memo != nil {
		return f.memo.callsOf(f.window, e)
	}
	r, ok := f.decode(e)
	if !ok || !r.assistant() {
		return nil
	}
	return callHeads(r)
}

func callHeads(r row) []callHead {
	var out []callHead
	for _, b := range r.blocks() {
		if str(b.Get("type")) == "tool_use" {
			out = append(out, callHead{id: strings.Clone(str(b.Get("id"))), name: str(b.Get("name")), input: b.Get("input")})
		}
	}
	return out
}

// requested are the shells that the agent itself put into the background. The
// receipt makes the launch, not the tool's name.
func (f *fold) requested() []*task {
	var out []*task
	for _, t := range f.tasks {
		if t.Kind == KindShell && t.Entrance == EntranceRequested {
			out = append(out, t)
		}
	}
	return out
}

// collecting is a call that would collect the output of tasks, and where it stands.
type collecting struct {
	at  int
	id  string
	ids []string
}

// answer is the latest result of a call: where it stands and whether it failed.
type answer struct {
	at     int
	failed bool
}

// answers finds the results of the wanted calls.
func (f *fold) answers(from int, wanted map[string]answer) {
	for i := from; i < len(f.entries); i++ {
		e := f.entries[i]
		if e.side || (e.class != classUser && e.class != classUnknown) || e.shape == shapeText {
			continue
		}
		id, _, ok := f.result(e)
		if ok && e.tools <= 1 {
			if _, ok := wanted[id]; !ok {
				continue
			}
			if e.flags&flagError == 0 {
				wanted[id] = answer{at: i}
				continue
			}
		}
		r, ok := f.decode(e)
		if !ok || r.class != classUser || r.sidechain() {
			continue
		}
		for _, b := range r.results() {
			id := str(b.Get("tool_use_id"))
			if _, ok := wanted[id]; ok {
				wanted[strings.Clone(id)] = answer{i, isTrue(b.Get("is_error"))}
			}
		}
	}
}

// harvest pays for the tasks that a successful call collected: ids compare whole
// and only behind their own receipt, so no surplus read pays for another job.
func harvest(owed []*task, i int, ids []string) {
	for _, id := range ids {
		for _, t := range owed {
			if t.at < i && (t.ID == id || t.native && t.OutputFile == id) {
				t.Harvested = true
			}
		}
	}
}

// harvestIDs lists the task ids that a call collects, in the vocabularies of
// the hosts (D-07) and through shell readers such as tail. A task of our own runtime
// stands there by its output file, whose name is unique where its id is not (D-22).
// A wait_task that saw no end collects nothing (D-08): see recordedEnd.
func harvestIDs(tool string, input gjson.Result) []string {
	obj, ok := inputObject(input)
	if !ok {
		return nil
	}
	switch tool {
	case "BashOutput", "KillShell", "KillBash", "TaskOutput", "TaskStop", "shell_kill":
		return []string{firstTruthy(obj, "bash_id", "shell_id", "task_id", "taskId")}
	case "Read", "View", "read_file", "read":
		return []string{outputName(firstTruthy(obj, "file_path", "path"))}
	}
	command := str(obj.Get("command"))
	if command == "" || !strings.Contains(command, ".output") && !strings.Contains(command, ".log") {
		return nil
	}
	var ids []string
	for _, path := range shell.ParseLiteral(tool, command, shell.Options{}).Reads() {
		if id := outputName(path); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// outputName is the task id that a path of Claude Code's tells, or the path itself
// where it can be one of ours.
func outputName(path string) string {
	if strings.HasSuffix(path, ".log") {
		return strings.Clone(path)
	}
	return shell.OutputTaskID(path)
}
