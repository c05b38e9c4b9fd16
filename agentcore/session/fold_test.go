package session

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
)

// folded reads rows that are written short: a letter for the type, then the
// content as JSON.
func folded(t *testing.T, rows ...string) string {
	t.Helper()
	var s state
	for _, r := range rows {
		kind, rest, _ := strings.Cut(r, " ")
		switch id, _, _ := strings.Cut(kind, ":"); id {
		case "u":
			r = `{"type":"user","message":{"role":"user","content":` + rest + `}}`
		default: // the id of an answer
			r = `{"type":"assistant","message":{"role":"assistant","id":"` + id + `","content":[` + rest + `]}}`
		}
		if !wellFormed([]byte(r)) {
			t.Fatalf("no row: %s", r)
		}
		s.apply([]byte(r))
		if lent, copied := show(s.fold.borrow()), show(s.fold.messages()); lent != copied {
			t.Fatalf("after %s lent is\n%s\nand a copy\n%s", r, lent, copied)
		}
	}
	messages := s.fold.messages()
	if err := sessiontest.Valid(messages); err != nil {
		t.Fatalf("%v:\n%s", err, show(messages))
	}
	return show(messages)
}

func TestFold_RT42(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	call := func(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"n","input":{}}` }
	result := func(id, s string) string {
		return `{"tool_use_id":"` + id + `","type":"tool_result","content":"` + s + `","is_error":false}`
	}
	broken := func(id string) string {
		return `{"tool_use_id":"` + id + `","type":"tool_result","content":"` + unansweredText + `","is_error":true}`
	}
	for _, c := range []struct {
		name string
		rows []string
		want string
	}{
		{"results in the order of the calls", []string{`u "a"`, "m1 " + call("c1"), "m1 " + call("c2"), "u [" + result("c2", "2") + "]", "u [" + result("c1", "1") + "]"},
			"u " + text("a") + "\na " + call("c1") + call("c2") + "\nu " + result("c1", "1") + result("c2", "2") + "\n"},
		{"a result between the rows of an answer", []string{`u "a"`, "m1 " + call("c1"), "u [" + result("c1", "1") + "]", "m1 " + call("c2"), "u [" + result("c2", "2") + "]"},
			"u " + text("a") + "\na " + call("c1") + call("c2") + "\nu " + result("c1", "1") + result("c2", "2") + "\n"},
		{"a killed run, then a prompt", []string{`u "a"`, "m1 " + call("c1"), `u "b"`, "m2 " + text("c")},
			"u " + text("a") + "\na " + call("c1") + "\nu " + broken("c1") + text("b") + "\na " + text("c") + "\n"},
		{"a result that comes too late", []string{`u "a"`, "m1 " + call("c1"), "m2 " + text("b"), "u [" + result("c1", "1") + "]"},
			"u " + text("a") + "\na " + call("c1") + "\nu " + broken("c1") + "\na " + text("b") + "\n"},
		{"two results for a call", []string{`u "a"`, "m1 " + call("c1"), "u [" + result("c1", "1") + "]", "u [" + result("c1", "2") + "]"},
			"u " + text("a") + "\na " + call("c1") + "\nu " + result("c1", "1") + "\n"},
		{"an id used again", []string{`u "a"`, "m1 " + call("c"), "u [" + result("c", "1") + "]", "m2 " + call("c"), "u [" + result("c", "2") + "]", "m3 " + call("c_2")},
			"u " + text("a") + "\na " + call("c") + "\nu " + result("c", "1") + "\na " + call("c_2") + "\nu " + result("c_2", "2") + "\na " + call("c_2_2") + "\nu " + broken("c_2_2") + "\n"},
		{"prompts one after the other", []string{`u "a"`, `u [` + text("b") + `]`, `u "  "`, `u ""`},
			"u " + text("a") + text("b") + "\n"},
		{"an answer in two messages", []string{`u "a"`, "m1 " + text("b"), "m2 " + text("c")},
			"u " + text("a") + "\na " + text("b") + text("c") + "\n"},
		{"an answer with nothing to say", []string{`u "a"`, "m1 " + text(" "), `u "b"`},
			"u " + text("a") + text("b") + "\n"},
		{"thinking at the end, and without a signature",
			[]string{`u "a"`, `m1 {"type":"thinking","thinking":"t","signature":""},` + text("b") + `,{"type":"thinking","thinking":"t","signature":"s"}`},
			"u " + text("a") + "\na " + text("b") + "\n"},
		{"the beginning is missing", []string{"m1 " + text("b")},
			"u " + text(beheadedText) + "\na " + text("b") + "\n"},
		{"blocks of the other side", []string{`u [` + text("a") + `,` + call("c1") + `,{"type":"thinking","thinking":"t","signature":"s"}]`, "m1 " + result("c1", "1") + "," + text("b")},
			"u " + text("a") + "\na " + text("b") + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, folded(t, c.rows...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A client that compacts goes on in the same file, with a summary of what was.
func TestFold_compaction(t *testing.T) {
	var s state
	for _, row := range []string{
		`{"type":"user","message":{"content":"old"}}`,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"c1","name":"n","input":{}}]}}`,
		`{"type":"user","isVisibleInTranscriptOnly":true,"message":{"content":"for people"}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"u1","parentUuid":null,"logicalParentUuid":"u0"}`,
		`{"type":"user","isCompactSummary":true,"message":{"content":"summary"}}`,
		`{"type":"assistant","isApiErrorMessage":true,"message":{"id":"e","content":[{"type":"text","text":"API Error"}]}}`,
		`{"type":"assistant","message":{"id":"m2","model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"late"}]},"toolUseResult":"late"}`,
	} {
		s.apply([]byte(row))
	}
	if got, want := show(s.fold.messages()), "u {\"type\":\"text\",\"text\":\"summary\"}\n"; got != want {
		t.Errorf("messages\n%s", got)
	}
	if s.totals.Turns != 1 || s.leaf != "u1" {
		t.Errorf("%d turns, leaf %q", s.totals.Turns, s.leaf)
	}
}

// What was told once stays as it was, whatever comes later.
func TestMessages_areNotChanged(t *testing.T) {
	s := create(t, newStore(t))
	type told struct {
		messages []model.Message
		text     string
	}
	var all []told
	tell := func() {
		m := s.Messages()
		all = append(all, told{m, show(m)})
	}
	for i := range 12 { // long enough for lists to have room behind their end
		prompt(t, s.Thread, fmt.Sprint("prompt ", i))
		tell()
	}
	for i := range 12 {
		answer(t, s.Thread, fmt.Sprint("m", i), model.StopPauseTurn, model.Text(fmt.Sprint("answer ", i)))
		tell()
	}
	answer(t, s.Thread, "m", model.StopToolUse, use("c1", "n", `{}`), use("c2", "n", `{}`))
	tell()
	must(t, s.ToolResults(ToolResult{CallID: "c2", Text: "r"}))
	tell()
	for i := range 12 {
		prompt(t, s.Thread, fmt.Sprint("prompt ", i))
		tell()
		answer(t, s.Thread, fmt.Sprint("n", i), model.StopEndTurn, model.Text(" ")) // nothing to say
		tell()
	}
	answer(t, s.Thread, "last", model.StopEndTurn, model.Text("e"))
	for i, m := range all {
		if diff := cmp.Diff(m.text, show(m.messages)); diff != "" {
			t.Errorf("what was told at step %d has changed (-then +now):\n%s", i, diff)
		}
	}
	first := s.Messages()
	before := show(s.Messages())
	clear(first) // the slice is the caller's
	if show(s.Messages()) != before {
		t.Error("the caller's change of its slice is seen")
	}
}

// A model that is played from a list may give every answer the same id, or none.
func TestAssistant_sameID(t *testing.T) {
	for _, id := range []string{"", "msg_1"} {
		s := create(t, newStore(t))
		prompt(t, s.Thread, "a")
		answer(t, s.Thread, id, model.StopToolUse, model.Text("b"), use("c1", "n", `{}`))
		must(t, s.ToolResults(ToolResult{CallID: "c1", Text: "r"}))
		answer(t, s.Thread, id, model.StopEndTurn, model.Text("c"))
		live := s.Messages()
		if len(live) != 4 || show(live) != show(reopen(t, s).Messages()) {
			t.Errorf("id %q: messages\n%s", id, show(live))
		}
		if n := s.Totals().ModelCalls; n != 2 {
			t.Errorf("id %q: %d model calls", id, n)
		}
	}
}

// The quick way of reading a block agrees with the package model's.
func TestQuickBlock_agrees_RT22(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{`"text"`, `"tool_use"`, `"tool_result"`, `"a\n\u00e9\ud83d\ude00"`, `"thinking"`, `""`, `{"a":[1,"b"]}`, `{}`, `[]`, `null`, `true`, `false`, `1.50`,
			`[{"type":"text","text":"t"}]`})
		var b strings.Builder
		b.WriteString(`{"type":` + rapid.SampledFrom([]string{`"text"`, `"tool_use"`, `"tool_result"`, `"image"`, `5`}).Draw(t, "type"))
		for _, key := range []string{"text", "id", "name", "input", "tool_use_id", "content", "is_error", "cache_control", "type"} {
			if rapid.IntRange(0, 2).Draw(t, key) == 0 {
				b.WriteString(`,"` + key + `":` + value.Draw(t, "value"))
			}
		}
		b.WriteString("}")
		quick, ok := quickBlock(gjson.Parse(b.String()))
		if !ok {
			return
		}
		var whole model.Block
		if err := json.Unmarshal([]byte(b.String()), &whole); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, quick); diff != "" {
			t.Fatalf("%s (-model +quick):\n%s", b.String(), diff)
		}
	})
}

func TestAppendString_isJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		out := appendString(nil, s)
		var back string
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if back != clean(s) || strings.ContainsAny(string(out), "\n\r") {
			t.Fatalf("%q became %s and then %q", s, out, back)
		}
	})
}
