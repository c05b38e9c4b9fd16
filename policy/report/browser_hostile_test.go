package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/replay"
	"github.com/stophook/stophook/transcript"
)

// hostile are texts that would do something if any place took them for more than
// text. All of them set the same flag, or ask for something.
func hostile() []string {
	const run = "window.pwned=1"
	return []string{
		`</script><script>` + run + `</script>`,
		`<img src=x onerror="` + run + `">`,
		`<!--<script>` + run,
		`--><svg onload=` + run + `>`,
		`"><iframe srcdoc="<script>parent.pwned=1</script>">`,
		`' onmouseover='` + run + `' x='`,
		`" autofocus onfocus="` + run + `" tabindex=1 x="`,
		"`${" + run + "}`",
		`javascript:` + run,
		`</title></style></textarea><script>` + run + `</script>`,
		`</bdi></td></tr></table><script>` + run + `</script>`,
		`\u003cscript\u003e` + run + `\u003c/script\u003e`,
		`{{.}}{{` + run + `}}`,
		`@import url(http://127.0.0.1:9/x);`,
		`<link rel=stylesheet href=http://127.0.0.1:9/x><base href=http://127.0.0.1:9/>`,
		`<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">`,
		"\u2028" + run + "\u2029",
		"abc\u202e" + run + "\u2066\u200b\x1b[31m\x00\x07",
		"\xff\xfe\xc0\xaf<script>" + run + "</script>",
		strings.Repeat("A<b>", 20_000),
		`__proto__`, `constructor`, `data`, `theme`, `plot`, `detail-body`, `L1`, `#L1" onclick="` + run,
	}
}

// hostileSession puts a text into every field that comes from a transcript or a
// policy. It is built by hand, so that no reader can have made it harmless.
func hostileSession(texts []string) (*transcript.History, *replay.Session) {
	h := &transcript.History{Path: "/tmp/" + texts[0] + ".jsonl", SessionID: texts[0], Version: texts[1], Entrypoint: texts[2],
		Cwd: texts[3], From: at0, To: at0, Size: 1, Lines: len(texts) * 9, Blind: texts[:2], Omitted: map[string]int{texts[0]: 1}}
	s := &replay.Session{Path: texts[0], ID: texts[1], Evidence: texts[2], Notes: texts, Error: texts[3]}
	for i, x := range texts {
		n := i*9 + 1
		place := func(k int) transcript.At {
			return transcript.At{Line: n + k, Offset: int64(n + k), Time: at0.Add(secs(n + k))}
		}
		h.Turns = append(h.Turns, transcript.HistoryTurn{At: place(0), End: place(8), Origin: x, Text: x, UUID: x})
		h.Calls = append(h.Calls, transcript.HistoryCall{At: place(1), Answer: place(2), ID: x, Name: x, Text: x, Failed: i%2 == 0, Error: x, Evidence: x, Turn: i})
		h.Replies = append(h.Replies, transcript.HistoryText{At: place(2), Text: x, Turn: i})
		h.Tasks = append(h.Tasks, transcript.HistoryTask{Opened: place(3), Ended: place(4), Task: transcript.Task{ID: x, Kind: transcript.Kind(x),
			Entrance: transcript.Entrance(x), Command: x, Status: x, ToolName: x, OutputFile: x}})
		h.Handoffs = append(h.Handoffs, transcript.HistoryHandoff{TaskID: x, Command: x, Opened: place(4), Limit: at0.Add(secs(n + 7)), State: "closed",
			Closed: place(6), Closer: &transcript.Closer{Carrier: x}})
		h.Notices = append(h.Notices, transcript.HistoryNotice{At: place(5), Carrier: x, TaskIDs: []string{x, x}, Status: x, Text: x})
		h.Marks = append(h.Marks, transcript.HistoryMark{At: place(6), Kind: transcript.MarkAPIError, Text: x})
		h.Subagents = append(h.Subagents, transcript.HistorySubagent{At: place(6), End: place(7), ID: x})
		stop := replay.Stop{Line: n + 8, Offset: int64(n + 8), Time: at0.Add(secs(n + 8)), Verdict: []string{"allow", "block", "defer", x}[i%4], Code: x,
			Reason: x, Recorded: x, RecordedReason: x, SystemMessage: x, Blocks: i,
			Demands:   []policy.Demand{{Rule: x, Code: x, Text: x, Severity: x, Deferred: i%2 == 0, Evidence: []int64{1, -5}}},
			Deferrals: []policy.Deferral{{Rule: x, Code: x, TaskID: x, Until: x}, {Code: "stop-hook.background_handoff_deferred", TaskID: x, Until: x}}}
		s.Stops = append(s.Stops, stop)
	}
	return h, s
}

// unharmed fails when any text was taken for more than text.
func (b *browser) unharmed() {
	b.t.Helper()
	b.drawn()
	if eval[bool](b, `'pwned' in window`) {
		b.t.Error("a text was run as a script")
	}
	extra := eval[[]string](b, `[...document.querySelectorAll('img, iframe, base, link, object, embed, form, [onload], [onerror], [onclick], [onfocus], [onmouseover], a[href^="javascript"], meta[http-equiv=refresh], bdi b')].map(n => n.outerHTML.slice(0, 120))`)
	for _, x := range extra {
		b.t.Errorf("a text became an element: %s", x)
	}
	if n := eval[int](b, `document.scripts.length`); n > 2 {
		b.t.Errorf("the page has %d scripts, want its own two at most", n)
	}
	b.clean()
}

func TestBrowser_HostileText_session(t *testing.T) {
	b := openBrowser(t)
	h, s := hostileSession(hostile())
	var out bytes.Buffer
	if err := WriteSession(&out, h, s, Options{Policy: hostile()[0], Limits: hostile(), Command: hostile()[1]}); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 4<<20 {
		t.Errorf("the page has %d bytes: huge texts are not cut", out.Len())
	}
	b.open(out.Bytes(), "", 1440, 1000)
	b.shot("hostile")
	b.unharmed()
	// Every row by keyboard, so that every text passes through tip, panel and announcement.
	b.js(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
	b.js(`document.getElementById('plot').focus()`)
	for _, key := range []string{kb.ArrowRight, kb.ArrowDown, kb.ArrowDown, kb.ArrowRight, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.Enter} {
		b.key(key)
	}
	n := eval[int](b, `(async () => { let n = 0; for (const r of document.querySelectorAll('#list tbody tr')) { r.click(); n++; if (n % 40 === 0) await new Promise(requestAnimationFrame); } return n; })()`)
	if n < len(hostile())*9 {
		t.Errorf("%d rows, want at least %d", n, len(hostile())*9)
	}
	eval[int](b, `(() => { let n = 0; for (const e of document.querySelectorAll('#plot .ev')) { const r = e.getBoundingClientRect();
		e.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: r.x, clientY: r.y})); n++; } return n; })()`)
	b.unharmed()
	text := eval[string](b, `document.getElementById('list').textContent`)
	for _, want := range []string{"⟨U+202E⟩", "⟨U+2028⟩", "␛[31m␀␇", `<img src=x onerror="window.pwned=1">`, "javascript:window.pwned=1", "\ufffd"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list does not show %q as text", want)
		}
	}
}

// The same texts through the reader, as they would come.
func TestBrowser_HostileText_transcript(t *testing.T) {
	b := openBrowser(t)
	var rows bytes.Buffer
	line := func(v any) {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		rows.Write(append(data, '\n'))
	}
	for i, x := range hostile() {
		at := at0.Add(secs(i * 20)).Format("2006-01-02T15:04:05.000Z")
		line(object{"type": "user", "uuid": x, "sessionId": x, "timestamp": at, "cwd": x, "version": x, "entrypoint": x, "origin": object{"kind": x}, "message": object{"role": "user", "content": x}})
		line(object{"type": "assistant", "timestamp": at, "message": object{"role": "assistant", "content": []object{{"type": "text", "text": x},
			{"type": "tool_use", "id": fmt.Sprint("t", i, x), "name": x, "input": object{"command": x, "other": x}}}}})
		line(object{"type": "user", "uuid": fmt.Sprint("r", i), "timestamp": at, "toolUseResult": object{"backgroundTaskId": "b" + x, "backgroundedToDeliverMessage": true},
			"message": object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": fmt.Sprint("t", i, x), "is_error": true, "content": x}}}})
		line(object{"type": "system", "subtype": "compact_boundary", "timestamp": at, "content": x})
		line(object{"type": "assistant", "isApiErrorMessage": true, "timestamp": at, "message": object{"role": "assistant", "content": x}})
	}
	path := filepath.Join(t.TempDir(), `"><img src=x onerror=pwned=1>.jsonl`)
	if err := os.WriteFile(path, rows.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := transcript.ReadHistory(path, transcript.HistoryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Turns) < len(hostile()) || len(h.Tasks) == 0 || len(h.Calls) < len(hostile()) {
		t.Fatalf("%d turns, %d tasks, %d calls: the texts are not in the page", len(h.Turns), len(h.Tasks), len(h.Calls))
	}
	var out bytes.Buffer
	if err := WriteSession(&out, h, nil, Options{}); err != nil {
		t.Fatal(err)
	}
	b.open(out.Bytes(), "#L1", 1200, 900)
	b.unharmed()
}

func TestBrowser_HostileText_replay(t *testing.T) {
	b := openBrowser(t)
	_, s := hostileSession(hostile())
	r := &replay.Result{Limits: hostile(), Totals: replay.Totals{Stops: 3, Block: 1, LongestChain: &replay.Chain{Path: hostile()[1], ID: hostile()[2], Length: 3}}}
	for _, x := range hostile() {
		one := *s
		one.Path, one.ID = "/"+x, x
		r.Sessions = append(r.Sessions, one)
		r.Totals.Codes = append(r.Totals.Codes, replay.CodeCount{Code: x, Verdict: x, Stops: 1})
		r.Totals.Rules = append(r.Totals.Rules, replay.RuleCount{Rule: x, Blocked: 1})
		r.Totals.Hardest = append(r.Totals.Hardest, replay.Hit{Path: "/" + x, ID: x, Stops: 3, Blocks: 2})
	}
	b.open(replayPage(t, r), "", 1200, 900)
	b.js(`document.querySelectorAll('details').forEach(d => { d.open = true; })`)
	b.js(`document.querySelectorAll('.sort').forEach(s => s.click())`)
	b.unharmed()
}

// Without script the list and the decisions are all there, and nothing that needs
// script is in the way.
func TestBrowser_NoScript(t *testing.T) {
	b := openBrowser(t)
	b.do(call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	b.open(sessionPage(t, 12), "", 1200, 1000)
	b.shotNow("noscript")
	if eval[bool](b, `document.documentElement.classList.contains('js')`) {
		t.Fatal("scripts ran")
	}
	if n := eval[int](b, `[...document.querySelectorAll('.needs-js')].filter(n => n.offsetParent !== null).length`); n != 0 {
		t.Errorf("%d controls that need script are shown", n)
	}
	text := eval[string](b, `document.getElementById('list').textContent`)
	for _, want := range []string{"Stop blocked", "stophook status --end-turn", "Task h002 (make integration-test)", "offset"} {
		if !strings.Contains(text, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if n := eval[int](b, `document.querySelectorAll('#overview rect').length`); n < 10 {
		t.Errorf("the small picture has %d strokes", n)
	}
}
