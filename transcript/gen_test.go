package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// gen writes a random session. Ids come from small pools with prefixes of one
// another, texts quote notices of all ids, and every row can be spelled in any
// key order, so that whatever the reader skips is put to the test.
type gen struct {
	t     *rapid.T
	buf   bytes.Buffer
	now   time.Time
	n     int
	leaf  string
	uuids []string // rows of the main thread so far
	rows  []string // lines so far, for duplicates
	open  []genCall
	tools []string // tool-use ids of launches so far
	size  int      // filler for the next row, 0 mostly
	own   bool     // all rows are of session s-1
	named string   // prefix of the uuids
}

type genCall struct {
	id, parent string
	result     func(id string) (content any, structured any, failed bool)
}

var (
	genIDs      = []string{"b1", "b12", "b1-2", "b1_2", "B1", "bash_1", "bash_10", "a7"}
	genSessions = []string{"s-1", "s-1", "s-1", "s-1", "s-2"}
)

func pick[T any](g *gen, of ...T) T { return of[rapid.IntRange(0, len(of)-1).Draw(g.t, "pick")] }

func (g *gen) chance(percent int) bool { return rapid.IntRange(0, 99).Draw(g.t, "chance") < percent }

func (g *gen) id() string { return pick(g, genIDs...) }

func (g *gen) toolID() string {
	g.n++
	return fmt.Sprintf("toolu_%d", g.n)
}

// session draws a whole transcript.
func session(t *rapid.T) []byte {
	g := &gen{t: t, now: at0}
	if g.chance(80) {
		g.human()
	}
	steps := []func(){g.human, g.assistant, g.assistant, g.call, g.call, g.launch, g.launch, g.launch, g.harvest, g.harvest, g.flush,
		g.notice, g.notice, g.notice, g.remediation, g.junk, g.aside, g.rewind, g.duplicate, g.compact, g.pasted, g.forkCopy, g.bulk}
	for range rapid.IntRange(1, 25).Draw(t, "steps") {
		pick(g, steps...)()
		if g.chance(60) {
			g.flush()
		}
	}
	out := g.buf.Bytes()
	if g.chance(20) && len(out) > 0 {
		out = out[:len(out)-1] // no final newline
	}
	if g.chance(5) && len(out) > 0 {
		out = out[:rapid.IntRange(0, len(out)).Draw(t, "torn")]
	}
	return out
}

// raw appends one line.
func (g *gen) raw(line string) {
	g.rows = append(g.rows, line)
	g.buf.WriteString(line)
	g.buf.WriteString(pick(g, "\n", "\n", "\n", "\n", "\n", "\n", "\r\n"))
}

// emit appends a row in a random spelling.
func (g *gen) emit(o obj) {
	if g.size > 0 {
		o = append(obj{{"filler", g.filler()}}, o...)
	}
	switch rapid.IntRange(0, 5).Draw(g.t, "order") {
	case 0:
		o = rapid.Permutation(o).Draw(g.t, "keys")
	case 1:
		sorted := make(m, len(o))
		for _, f := range o {
			sorted[f.key] = f.val
		}
		g.raw(g.style().line(sorted))
		return
	case 2: // what the minimal writers do: type first
		for _, f := range o {
			if f.key == "type" {
				o = append(obj{f}, o.without("type")...)
				break
			}
		}
	}
	line := g.style().line(o)
	if g.chance(3) {
		line = strings.Repeat("\x00", rapid.IntRange(1, 9).Draw(g.t, "nul")) + line
	}
	if g.chance(3) {
		line += strings.Repeat("\x00", 3)
	}
	g.raw(line)
}

func (g *gen) style() style { return style{spaced: g.chance(15), escapeHTML: g.chance(30)} }

// filler makes a row longer than the buffer, so that what stands behind it
// comes to lie around the border between two parts.
func (g *gen) filler() string {
	n := g.size
	g.size = 0
	return strings.Repeat("x", n)
}

// chain appends a row of the main thread and makes it the leaf.
func (g *gen) chain(o obj) {
	g.n++
	uuid := fmt.Sprintf("%su-%d", g.named, g.n)
	parent := g.leaf
	if p, ok := get(o, "parentUuid").(string); ok {
		parent = p
	}
	session := pick(g, genSessions...)
	if g.own {
		session = "s-1"
	}
	o = append(obj{{"parentUuid", orNull(parent)}, {"isSidechain", false}, {"sessionId", session}, {"version", "2.1.332"}},
		o.without("parentUuid")...)
	o = append(o, kv{"uuid", uuid})
	if g.chance(4) {
		o = o.without("parentUuid")
	}
	if g.chance(5) {
		o = append(o, kv{"timestamp", pick[any](g, "yesterday", 12, nil)})
	} else if !g.chance(5) {
		o = append(o, kv{"timestamp", g.tick()})
	}
	g.leaf = uuid
	g.uuids = append(g.uuids, uuid)
	g.emit(o)
}

func get(o obj, key string) any {
	for _, f := range o {
		if f.key == key {
			return f.val
		}
	}
	return nil
}

// tick moves the clock, now and then by a lot or backwards, and prints it in one
// of the spellings of RFC 3339.
func (g *gen) tick() string {
	g.now = g.now.Add(pick(g, time.Second, 20*time.Second, 9*time.Minute, -3*time.Second, time.Millisecond))
	return pick(g, g.now.Format("2006-01-02T15:04:05.000Z"), g.now.Format(time.RFC3339Nano), g.now.Format(time.RFC3339),
		g.now.In(time.FixedZone("", 7200)).Format("2006-01-02T15:04:05.000000000Z07:00"))
}

func (g *gen) user(content any, extra ...kv) obj {
	o := obj{{"type", "user"}}
	o = append(o, extra...)
	return append(o, kv{"message", obj{{"role", "user"}, {"content", content}}})
}

func (g *gen) human() {
	txt := pick(g, "please", "go on", "and b1?", "<local-command-stdout>ok</local-command-stdout>", "[Request interrupted by user]",
		"<command-name>/x</command-name>", g.block(), "")
	var content any = txt
	if g.chance(40) {
		content = []any{text(txt)}
	}
	var extra []kv
	switch rapid.IntRange(0, 5).Draw(g.t, "origin") {
	case 0:
	case 1:
		extra = append(extra, kv{"origin", obj{{"kind", pick(g, "channel", "cron")}}})
	default:
		extra = append(extra, kv{"origin", obj{{"kind", "human"}}})
	}
	if g.chance(5) {
		extra = append(extra, kv{"isMeta", true})
	}
	g.chain(g.user(content, extra...))
}

// bulk makes the window so large that it is indexed in two halves.
func (g *gen) bulk() {
	for range pick(g, 0, 0, 0, 0, 0, 0, 0, 2) {
		g.raw(`{"type":"api-request-blob","body":"` + strings.Repeat("x", rapid.IntRange(900_000, 1_300_000).Draw(g.t, "bulk")) + `"}`)
	}
}

func (g *gen) remediation() {
	for range pick(g, 1, 1, 2, 17) {
		g.chain(g.user("Stop hook feedback:\ncheck b1", kv{"isMeta", true}))
	}
}

// say is what an assistant writes.
func (g *gen) say() string {
	return pick(g, "done", "", "┌─ stophook check a1b2c3d4 ──┐\n│ ok", "┌─ stophook check a1b2c3d4e ─┐", g.block(), `"tool_use" and "backgroundTaskId":"b1"`)
}

func (g *gen) assistantRow(blocks []any) obj {
	o := obj{{"message", obj{{"id", "msg"}, {"type", "message"}, {"role", "assistant"}, {"content", blocks},
		{"stop_reason", pick[any](g, nil, "tool_use", "end_turn")}}}, {"requestId", "req"}, {"type", "assistant"}}
	if g.chance(5) {
		o = append(o, kv{"isApiErrorMessage", true})
	}
	return o
}

func (g *gen) assistant() { g.chain(g.assistantRow([]any{text(g.say())})) }

// use appends an assistant row with calls, and remembers what answers them.
func (g *gen) use(name string, input any, result func(id string) (any, any, bool)) string {
	id := g.toolID()
	blocks := []any{toolUse(id, name, input)}
	if g.chance(20) {
		blocks = append([]any{text(g.say())}, blocks...)
	}
	parent := g.leaf
	g.chain(g.assistantRow(blocks))
	if g.chance(70) {
		parent = g.leaf
	}
	g.open = append(g.open, genCall{id, parent, result})
	return id
}

// flush answers the open calls, in any order, some never, some in one row.
func (g *gen) flush() {
	calls := rapid.Permutation(g.open).Draw(g.t, "order")
	g.open = nil
	if len(calls) >= 2 && g.chance(15) {
		_, _, bad := calls[1].result(calls[1].id)
		g.chain(g.user([]any{toolResult(calls[0].id, "ok"), toolResult(calls[1].id, "two", bad)}))
		calls = calls[2:]
	}
	for _, c := range calls {
		if g.chance(7) {
			continue
		}
		content, structured, failed := c.result(c.id)
		block := obj{{"tool_use_id", c.id}, {"type", "tool_result"}, {"content", content}}
		if failed || g.chance(20) {
			block = append(block, kv{"is_error", failed})
		}
		o := g.user([]any{block})
		if structured != nil {
			o = append(o, kv{"toolUseResult", structured})
		}
		if g.chance(50) {
			o = append(o, kv{"parentUuid", c.parent})
		}
		if g.chance(2) {
			g.size = rapid.SampledFrom([]int{3000, bufferSize - 400, bufferSize - 300, bufferSize - 200, 2*bufferSize - 300}).Draw(g.t, "filler")
		}
		g.chain(o)
	}
}

func (g *gen) call() {
	g.use(pick(g, "Bash", "Grep", "Edit"), pick[any](g, obj{{"command", "make"}}, obj{{"path", "a"}}, `{"command":"ls"}`,
		obj{{"command", `echo '"run_in_background": true'`}}, `broken {"run_in_background": true`, nil, []any{"run_in_background"}),
		func(string) (any, any, bool) {
			return g.output(), pick[any](g, nil, "Error: x", m{"stdout": "b1"}), g.chance(20)
		})
}

// output is what a tool prints, look-alikes included.
func (g *gen) output() string {
	return pick(g, "ok", g.block(), `{"backgroundTaskId":"b1","backgroundedToDeliverMessage":true}`,
		"Command was moved to the background (ID: b1).", strings.Repeat("long ", 600))
}
