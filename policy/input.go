package policy

import (
	"encoding/json"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// InputSchema names the version of the document that policies see. Fields are
// only ever added within a version; `stophook schema input` prints its schema.
const InputSchema = "stophook.input/v1"

// Facts is everything the input document is built from. Nothing in it is
// decided: it says what was seen, and what could not be.
type Facts struct {
	Now        time.Time
	Event      *hookio.Event
	Mode       string // headless, interactive or unknown
	Entrypoint string
	Command    string // how the agent can call stophook where it runs
	Source     string // which installation this is; see Gate.Source
	Bypass     bool
	Shadow     bool

	Session *transcript.Session // never nil; blind when it could not be read
	Ledger  evidence.Log
	State   evidence.State
	// EvidenceError says why evidence could not be read; empty when it could.
	EvidenceError string
	Config        Config
	Tool          map[string]any // PreToolUse only

	stateUnknown bool // state.json is there and cannot be understood
}

// cycle is the key of the present remediation cycle: the latest human prompt.
// Notifications and our own reasons start no new cycle, and a window that does
// not reach the prompt goes on with the cycle that is open, so nothing that the
// host does by itself can start the count again (D-38).
func (f *Facts) cycle() string {
	if id := f.Session.Turn.PromptUUID; id != "" {
		return id
	}
	if f.Event != nil && f.Event.PromptID != "" && !ours(f.Event.Host) {
		return f.Event.PromptID // Codex and Qwen Code name it, and a block does not change it
	}
	return f.State.Remediation.Cycle
}

// blocked is how often this cycle was blocked already.
func (f *Facts) blocked() int {
	if f.State.Remediation.Cycle != f.cycle() {
		return 0
	}
	return f.State.Remediation.Count
}

// nudgeKey names the human prompt that may have one nudge (AC-159). A prompt that
// is out of sight has a name as well, or its session would be nudged at every stop.
func (f *Facts) nudgeKey() string {
	if id := f.Session.Turn.PromptUUID; id != "" {
		return id
	}
	return "out of sight"
}

// BuildInput makes the input document. Lists are in row order and no map's order
// has a meaning; an absent key is a fact that is not there.
func BuildInput(f *Facts) map[string]any {
	s := f.Session
	doc := map[string]any{
		"schema": InputSchema,
		"now":    stamp(f.Now),
		"host": map[string]any{"name": string(f.Event.Host), "version": s.Version, "mode": f.Mode,
			"event": string(f.Event.Name), "can_block": f.Event.CanBlock() || f.Event.CanDeny(),
			"shows_message": f.Event.ShowsMessage()},
		"self": map[string]any{"command": f.Command, "session_flag": sessionFlag(f.Event), "bypass": f.Bypass,
			"shadow": f.Shadow},
		"session": map[string]any{"id": sessionID(f), "cwd": f.Event.CWD, "entrypoint": f.Entrypoint},
		"hook":    rawObject(f.Event.Raw),
		"transcript": map[string]any{"path": s.Path, "size": s.Size, "window_offset": s.WindowOffset,
			"rows": s.Rows, "bad_lines": s.BadLines, "blind": strings2any(s.Blind)},
		"turn":        turnDoc(&s.Turn),
		"tasks":       list(s.Tasks, taskDoc),
		"handoffs":    list(s.Handoffs, func(h transcript.Handoff) any { return handoffDoc(h, f.Event) }),
		"debt":        debtDoc(f),
		"evidence":    evidenceDoc(f),
		"remediation": map[string]any{"count": f.blocked(), "cap": f.Config.RemediationCap},
		"config":      f.Config.Effective(),
	}
	if f.Tool != nil {
		doc["tool"] = f.Tool
	}
	return doc
}

func sessionID(f *Facts) string {
	if f.Event.SessionID != "" {
		return f.Event.SessionID
	}
	return f.Session.SessionID
}

func turnDoc(t *transcript.Turn) map[string]any {
	doc := map[string]any{
		"origin": t.Origin, "complete": t.Complete, "remediation_prompts": t.Remediation,
		"tool_calls": t.ToolCalls, "is_tool_turn": t.IsToolTurn,
		"tools":      list(t.Tools, toolDoc),
		"final_text": t.FinalText, "final_text_source": t.FinalTextSource, "api_error": t.APIError,
		"boxes": list(t.Boxes, func(b transcript.Box) any { return boxDoc(&b) }),
	}
	if len(t.Notified) > 0 {
		doc["notified"] = strings2any(t.Notified)
	}
	put(doc, "prompt_uuid", t.PromptUUID)
	if t.StartedAt.UUID != "" || !t.StartedAt.Time.IsZero() {
		doc["started_at"] = positionDoc(t.StartedAt)
	}
	putTime(doc, "prompt_at", t.PromptAt)
	putTime(doc, "last_tool_at", t.LastToolAt)
	putTime(doc, "last_other_tool_at", t.LastOtherToolAt)
	return doc
}

func toolDoc(c transcript.ToolCall) any {
	doc := map[string]any{"id": c.ID, "name": c.Name, "at": positionDoc(c.At), "failed": c.Failed}
	put(doc, "command", c.Command)
	put(doc, "file_path", c.FilePath)
	put(doc, "evidence", c.Evidence)
	putTime(doc, "result_time", c.ResultTime)
	put(doc, "written", c.Written)
	put(doc, "replaced", c.Replaced)
	if c.ExitCode != nil {
		doc["exit_code"] = *c.ExitCode
	}
	if c.Background {
		doc["background"] = true
	}
	if c.Cut {
		doc["cut"] = true
	}
	return doc
}

func taskDoc(t transcript.Task) any {
	doc := map[string]any{"id": t.ID, "kind": string(t.Kind), "entrance": nil, "state": string(t.State),
		"harvested": t.Harvested, "opened_at": positionDoc(t.OpenedAt)}
	if t.Entrance != "" {
		doc["entrance"] = string(t.Entrance)
	}
	put(doc, "run_id", t.RunID)
	put(doc, "status", t.Status)
	put(doc, "command", t.Command)
	put(doc, "description", t.Description)
	put(doc, "tool_name", t.ToolName)
	put(doc, "tool_use_id", t.ToolUseID)
	put(doc, "output_file", t.OutputFile)
	if t.ExitCode != nil {
		doc["exit_code"] = *t.ExitCode
	}
	if t.EndedAt != nil {
		doc["ended_at"] = positionDoc(*t.EndedAt)
	}
	if t.WakesOwner {
		doc["wakes_owner"] = true
	}
	if t.EndsWithTurn {
		doc["ends_with_turn"] = true
	}
	return doc
}

func handoffDoc(h transcript.Handoff, ev *hookio.Event) any {
	doc := map[string]any{"task_id": h.TaskID, "opened_at": positionDoc(h.OpenedAt), "age_seconds": nil,
		"state":    map[string]any{"any_text": string(h.State.AnyText), "ended": string(h.State.Ended)},
		"registry": registry(ev, h.TaskID)}
	put(doc, "tool_use_id", h.ToolUseID)
	put(doc, "command", h.Command)
	if h.AgeSeconds != nil {
		doc["age_seconds"] = *h.AgeSeconds
	}
	if h.ExpiresAt != nil {
		doc["expires_at"] = stamp(*h.ExpiresAt)
	}
	if h.ClosedBy != nil {
		doc["closed_by"] = closerDoc(h.ClosedBy)
	}
	if h.EndedBy != nil {
		doc["ended_by"] = closerDoc(h.EndedBy)
	}
	return doc
}

// registry is the host's own word about a task. It is reported and decides
// nothing (D-45): an absent list and an empty one are different answers.
func registry(ev *hookio.Event, taskID string) string {
	switch running, known := ev.Task(taskID); {
	case !known:
		return "unknown"
	case running:
		return "running"
	}
	return "absent"
}

func closerDoc(c *transcript.Closer) map[string]any {
	return map[string]any{"carrier": c.Carrier, "trusted": c.Trusted, "mode": c.Mode, "at": positionDoc(c.At)}
}

func debtDoc(f *Facts) map[string]any {
	d := f.Session.Debt
	return map[string]any{"calls": d.Calls, "paired": strings2any(d.Paired), "owed": strings2any(d.Owed),
		"nudged": f.State.Nudged == f.nudgeKey()}
}

func evidenceDoc(f *Facts) map[string]any {
	if f.EvidenceError != "" {
		return map[string]any{"available": false, "error": f.EvidenceError}
	}
	facts := proveTurn(f.Ledger, f.Session.Turn, f.Config.TaskScope)
	doc := map[string]any{"available": true}
	if e := facts.check; e != nil {
		doc["status_check"] = checkDoc(e)
	}
	if e := facts.stale; e != nil {
		doc["stale_check"] = checkDoc(e)
	}
	if facts.box != nil {
		doc["status_box"] = boxDoc(facts.box)
	}
	if e := facts.task; e != nil {
		doc["task_declared"] = map[string]any{"text": e.Text, "at": stamp(e.TS)}
	}
	if e := facts.name; e != nil {
		doc["session_named"] = map[string]any{"name": e.Text, "at": stamp(e.TS)}
	}
	if e := facts.endRequest; e != nil {
		doc["session_end_requested"] = map[string]any{"at": stamp(e.TS)}
	}
	return doc
}

// checkDoc is a status check with what it saw of Git; a ledger line of another
// shape is no answer about Git.
func checkDoc(e *evidence.Event) map[string]any {
	doc := map[string]any{"check_id": e.CheckID, "at": stamp(e.TS)}
	if git := gitDoc(e.Git); git != nil {
		doc["git"] = git
	}
	return doc
}

// gitDoc is the Git summary of a status check, or nil. Only what the schema has
// is taken over: the ledger is a file that others can write.
func gitDoc(raw json.RawMessage) map[string]any {
	sum := gjson.ParseBytes(raw)
	final := sum.Get("final")
	if !gjson.ValidBytes(raw) || !sum.IsObject() || !final.IsBool() {
		return nil
	}
	findings := []any{}
	sum.Get("findings").ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String {
			findings = append(findings, v.Str)
		}
		return true
	})
	doc := map[string]any{"final": final.Bool(), "findings": findings,
		"ahead": max(0, int(sum.Get("ahead").Int())), "behind": max(0, int(sum.Get("behind").Int()))}
	for _, key := range []string{"branch", "head", "upstream"} {
		if v := sum.Get(key); v.Type == gjson.String {
			put(doc, key, v.Str)
		}
	}
	return doc
}

func boxDoc(b *transcript.Box) map[string]any {
	return map[string]any{"check_id": b.CheckID, "source": b.Source, "offset": b.Offset}
}

func positionDoc(p transcript.Position) map[string]any {
	doc := map[string]any{"offset": p.Offset}
	put(doc, "uuid", p.UUID)
	putTime(doc, "time", p.Time)
	return doc
}
