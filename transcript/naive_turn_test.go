package transcript

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
)

// turnStart walks back over our own remediation prompts, 16 at most (D-52).
func (n *naive) turnStart(t *Turn) (turnAt, humanAt int) {
	turnAt, humanAt = -1, -1
	t.Origin = "unknown"
	for i := len(n.rows) - 1; i >= 0; i-- {
		start := n.startOf(i)
		if start == "human" {
			humanAt = i
			t.PromptUUID, t.PromptAt = n.rows[i].str("uuid"), n.rows[i].pos().Time
		}
		if start == "remediation" && turnAt < 0 && t.Remediation < 16 {
			t.Remediation++
			continue
		}
		if start != "" && turnAt < 0 {
			turnAt = i
			t.Origin, t.StartedAt = strings.TrimPrefix(start, "other:"), n.rows[i].pos()
			if start == "notification" {
				for _, x := range naiveNotices(n.rows[i].text()) {
					t.Notified = append(t.Notified, x.TaskIDs...)
				}
			}
		}
		if humanAt >= 0 {
			break
		}
	}
	t.Complete = turnAt >= 0 || n.start == 0
	return turnAt, humanAt
}

func (n *naive) turnFacts(t *Turn, turnAt int) {
	t.Tools, t.Boxes = []ToolCall{}, []Box{}
	t.FinalTextSource = "none"
	last := ""
	for i := turnAt + 1; i < len(n.rows); i++ {
		r := n.rows[i]
		if !r.mainAssistant() {
			continue
		}
		last, t.APIError = r.text(), r.m["isApiErrorMessage"] == true
		for _, c := range n.calls(i) {
			if slices.ContainsFunc(t.Tools, func(x ToolCall) bool { return x.ID == c.ID && c.ID != "" }) {
				continue // appended again on resume
			}
			at, failed := n.answer(i, c.ID)
			t.Tools = append(t.Tools, ToolCall{ID: c.ID, Name: c.Name, Command: c.Command, At: r.pos(), ResultTime: at, Failed: failed})
			for _, x := range []time.Time{r.pos().Time, at} {
				if x.After(t.LastToolAt) {
					t.LastToolAt = x
				}
			}
		}
	}
	t.ToolCalls = len(t.Tools)
	t.IsToolTurn = t.ToolCalls > 0
	t.LastOtherToolAt = t.LastToolAt // the generator runs no evidence commands
	if last != "" {
		t.FinalText, t.FinalTextSource = last, "transcript"
	}
	for _, r := range slices.Backward(n.rows) {
		if r.mainAssistant() && r.end >= len(n.data)-int(n.opts.BoxWindow) {
			t.Boxes = append(t.Boxes, naiveBoxes(r.text(), "transcript", int64(r.off))...)
		}
	}
	if p := n.opts.LastAssistantMessage; p != nil {
		t.FinalText, t.FinalTextSource = *p, "payload"
		t.Boxes = append(t.Boxes, naiveBoxes(*p, "final_text", -1)...)
	}
}

var reBox = regexp.MustCompile(`┌─ stophook check ([0-9a-z]{8})($|[^0-9A-Za-z_])`)

func naiveBoxes(s, source string, off int64) []Box {
	var out []Box
	for _, x := range reBox.FindAllStringSubmatch(s, -1) {
		out = append(out, Box{CheckID: x[1], Source: source, Offset: off})
	}
	return out
}

// answer finds the result of a call made in row i.
func (n *naive) answer(i int, id string) (at time.Time, failed bool) {
	for _, r := range n.rows[i+1:] {
		if r.typ != "user" || r.side {
			continue
		}
		for _, b := range r.blocks("tool_result") {
			if b["tool_use_id"] == id {
				at = r.pos().Time
				failed = failed || b["is_error"] == true
			}
		}
	}
	return at, failed
}

// naiveParse is the seed's reading of a tool input.
func naiveParse(v any) any {
	if s, ok := v.(string); ok {
		var out any
		if json.Unmarshal([]byte(s), &out) != nil {
			return nil
		}
		return out
	}
	return v
}

var reFlag = regexp.MustCompile(`"run_in_background"\s*:\s*true`)

func naiveLaunch(tool string, input any) bool {
	if tool != "Bash" {
		return false
	}
	switch v := naiveParse(input).(type) {
	case m:
		return v["run_in_background"] == true
	case []any:
		return false
	}
	s, ok := input.(string)
	return ok && reFlag.MatchString(s)
}

func truthy(v any) bool { return v != nil && v != "" && v != false && v != 0.0 }

func naiveHarvest(tool string, input any) string {
	o, _ := naiveParse(input).(m)
	pick := func(a, b string) string {
		v := o[a]
		if !truthy(v) {
			v = o[b]
		}
		s, _ := v.(string)
		return s
	}
	switch tool {
	case "BashOutput", "KillShell":
		return pick("bash_id", "shell_id")
	case "Read", "View":
		if x := reOutput.FindStringSubmatch(pick("file_path", "path")); x != nil {
			return x[1]
		}
	}
	return ""
}

// naiveDebt is the seed's fold.
type naiveDebt struct {
	debt int
	seen map[string]bool
}

func (d *naiveDebt) apply(tool string, input any) {
	if naiveLaunch(tool, input) {
		d.debt++
		return
	}
	id := naiveHarvest(tool, input)
	if id == "" || d.seen[id] {
		return
	}
	d.seen[id] = true
	d.debt = max(0, d.debt-1)
}

// debts computes both readings over all rows.
func (n *naive) debts(humanAt int) Debt {
	d := Debt{Paired: []string{}, Owed: []string{}}
	fold, folded := naiveDebt{seen: map[string]bool{}}, map[string]bool{}
	for i := range n.rows {
		if !n.rows[i].mainAssistant() {
			continue
		}
		for _, c := range n.calls(i) {
			if i > humanAt && !folded[c.ID] {
				folded[c.ID] = c.ID != ""
				fold.apply(c.Name, c.input)
			}
			if answered, failed := n.answeredBehind(i, c.ID); answered && !failed {
				n.harvest(i, c)
			}
		}
	}
	d.Calls = fold.debt
	for _, t := range n.tasks {
		if t.Kind != KindShell || t.Entrance != EntranceRequested || t.Harvested {
			continue
		}
		d.Paired = append(d.Paired, t.ID)
		if t.row > humanAt {
			d.Owed = append(d.Owed, t.ID)
		}
	}
	return d
}

func (n *naive) answeredBehind(i int, id string) (answered, failed bool) {
	for _, r := range n.rows[i+1:] {
		if r.typ != "user" || r.side {
			continue
		}
		for _, b := range r.blocks("tool_result") {
			if b["tool_use_id"] == id {
				answered, failed = true, b["is_error"] == true
			}
		}
	}
	return answered, failed
}

func (n *naive) harvest(i int, c naiveCall) {
	in, _ := naiveParse(c.input).(m)
	id := naiveHarvest(c.Name, c.input)
	switch c.Name {
	case "TaskOutput", "TaskStop", "shell_kill":
		id, _ = in["task_id"].(string)
	case "read_file":
		id, _ = in["path"].(string)
	case "Bash", "shell":
		path, cat := strings.CutPrefix(c.Command, "cat ")
		if x := reOutput.FindStringSubmatch(path); cat && x != nil && !strings.Contains(path, " ") {
			id = x[1]
		} else if cat && strings.HasSuffix(path, ".log") {
			id = path
		}
	}
	for _, t := range n.tasks {
		if id != "" && (t.ID == id || t.native == id) && t.row < i && t.Kind == KindShell && t.Entrance == EntranceRequested {
			t.Harvested = true
		}
	}
}
