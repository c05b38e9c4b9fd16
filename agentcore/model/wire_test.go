package model_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore/model"
)

// Empty and missing lists, and empty and missing JSON, are the same on the wire.
func same() cmp.Option { return cmpopts.EquateEmpty() }

func TestBlock_wire(t *testing.T) {
	for _, tc := range []struct {
		reason string
		block  model.Block
		wire   string
	}{
		{"text, with what HTML would escape", model.Text("a<b>&\"\\\n\u2028é"), `{"type":"text","text":"a<b>&\"\\\n` + "\u2028é" + `"}`},
		{"control characters", model.Text("\x00\x1f\t\b\f\r"), `{"type":"text","text":"\u0000\u001f\t\b\f\r"}`},
		{"thinking", model.Block{Type: model.BlockThinking, Thinking: "hm", Signature: "c2ln"}, `{"type":"thinking","thinking":"hm","signature":"c2ln"}`},
		{"redacted thinking", model.Block{Type: model.BlockRedactedThinking, Data: "x"}, `{"type":"redacted_thinking","data":"x"}`},
		{
			"tool use", model.Block{Type: model.BlockToolUse, ID: "toolu_1", Name: "shell", Input: json.RawMessage(`{"command":"ls <x>"}`)},
			`{"type":"tool_use","id":"toolu_1","name":"shell","input":{"command":"ls <x>"}}`,
		},
		{"tool result", model.ToolResult("toolu_1", "ok", false), `{"tool_use_id":"toolu_1","type":"tool_result","content":"ok","is_error":false}`},
		{"failed tool result", model.ToolResult("toolu_1", "", true), `{"tool_use_id":"toolu_1","type":"tool_result","content":"","is_error":true}`},
		{
			"tool result of two texts", model.Block{Type: model.BlockToolResult, ToolUseID: "t", Content: []model.Block{model.Text("a"), model.Text("b")}},
			`{"tool_use_id":"t","type":"tool_result","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"is_error":false}`,
		},
		{
			"image", model.Block{Type: model.BlockImage, Source: &model.ImageSource{Type: "base64", MediaType: "image/png", Data: "iVBO"}},
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			got, err := tc.block.MarshalJSON()
			if err != nil || string(got) != tc.wire {
				t.Fatalf("written as %s, %v\nwant %s", got, err, tc.wire)
			}
			var back model.Block
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.block, back, same()); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBlock_keepsWhatItDoesNotKnow_RT22(t *testing.T) {
	for _, wire := range []string{
		`{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}`,
		`{"type":"text","text":"a","citations":[{"type":"char_location","cited_text":"<é>"}]}`,
		`{ "text":"a" , "type":"text", "cache_control":{"type":"ephemeral"}}`,
		`{"type":"tool_use","id":"t","name":"n","input":{"n":1.0e2},"caller":{"type":"direct"}}`,
		`{"type":"tool_result","tool_use_id":"t","content":7}`,
		`{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"Monitor"}],"is_error":"no"}`,
		`{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}}`,
		`{"type":"image","source":null}`,
		`{"type":"text","text":null}`,
		`{"type":5}`,
		`{}`,
	} {
		var b model.Block
		if err := json.Unmarshal([]byte(wire), &b); err != nil {
			t.Errorf("%s: %v", wire, err)
			continue
		}
		got, err := b.MarshalJSON()
		if err != nil || string(got) != wire {
			t.Errorf("read  %s\nwrote %s, %v", wire, got, err)
		}
	}
	var b model.Block
	if err := json.Unmarshal([]byte("{\"type\":\n\"later\"}"), &b); err != nil {
		t.Fatal(err)
	}
	if got, err := b.MarshalJSON(); err != nil || string(got) != `{"type":"later"}` {
		t.Errorf("a row must stay on its line: %q, %v", got, err)
	}
}

func TestBlock_errors(t *testing.T) {
	for _, wire := range []string{`null`, `5`, `"text"`, `[]`} {
		var b model.Block
		if err := json.Unmarshal([]byte(wire), &b); err == nil {
			t.Errorf("%s is read as a block: %+v", wire, b)
		}
	}
	for _, b := range []model.Block{{}, {Type: "later"}, {Type: "later", Raw: json.RawMessage(`{"a":`)}} {
		if got, err := b.MarshalJSON(); err == nil {
			t.Errorf("%+v is written as %s", b, got)
		}
	}
}

func TestBlock_inputObject(t *testing.T) {
	for input, want := range map[string]string{
		``: `{}`, `null`: `{}`, ` {"a":1} `: `{"a":1}`, `{"a":`: `{"invalid_input":"{\"a\":"}`,
		`[1]`: `{"invalid_input":"[1]"}`, `"x"`: `{"invalid_input":"\"x\""}`,
	} {
		b := model.Block{Type: model.BlockToolUse, Input: json.RawMessage(input)}
		if got := string(b.InputObject()); got != want {
			t.Errorf("input %q goes out as %s, want %s", input, got, want)
		}
	}
}

func TestMessage_wire(t *testing.T) {
	answer := model.Message{
		ID: "msg_1", Role: model.RoleAssistant, Model: "m", Content: []model.Block{model.Text("<a>")},
		StopReason: model.StopEndTurn, Usage: &model.Usage{InputTokens: 1, OutputTokens: 2, CacheCreationInputTokens: 3, CacheReadInputTokens: 4},
	}
	cut := answer
	cut.StopReason = ""
	for _, tc := range []struct {
		reason string
		msg    model.Message
		wire   string
	}{
		{"a prompt", model.Message{Role: model.RoleUser, Content: []model.Block{model.Text("hi")}}, `{"role":"user","content":[{"type":"text","text":"hi"}]}`},
		{"nothing said", model.Message{Role: model.RoleUser}, `{"role":"user","content":[]}`},
		{
			"an answer", answer, `{"model":"m","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"<a>"}],"stop_reason":"end_turn","stop_sequence":null,` +
				`"usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":2}}`,
		},
		{
			"one that was cut", cut, `{"model":"m","id":"msg_1","type":"message","role":"assistant","content":[{"type":"text","text":"<a>"}],"stop_reason":null,"stop_sequence":null,` +
				`"usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":2}}`,
		},
	} {
		t.Run(tc.reason, func(t *testing.T) {
			var buf bytes.Buffer
			enc := json.NewEncoder(&buf)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(tc.msg); err != nil || buf.String() != tc.wire+"\n" {
				t.Fatalf("written as %s, %v\nwant %s", &buf, err, tc.wire)
			}
			var back model.Message
			if err := json.Unmarshal(buf.Bytes(), &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.msg, back, same()); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessage_readsStringsAndNulls(t *testing.T) {
	var m model.Message
	if err := json.Unmarshal([]byte(`{"role":"user","content":"hi","stop_reason":null,"usage":null,"id":null,"model":null}`), &m); err != nil {
		t.Fatal(err)
	}
	want := model.Message{Role: model.RoleUser, Content: []model.Block{model.Text("hi")}}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, odd := range []string{`{"content":null}`, `{}`} {
		if err := json.Unmarshal([]byte(odd), &m); err != nil || m.Content != nil {
			t.Errorf("%s: %+v, %v", odd, m, err)
		}
	}
	for _, bad := range []string{`{"content":5}`, `{"content":["a"]}`, `{"content":[null]}`, `{"role":5}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), &m); err == nil {
			t.Errorf("%s is read as %+v", bad, m)
		}
	}
}

// Every message of the recorded and written transcripts of this repository is
// read, and says the same after it was written and read again.
func TestMessage_transcripts(t *testing.T) {
	rows := 0
	err := fs.WalkDir(os.DirFS("../../fixtures"), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "transcript.jsonl") {
			return err
		}
		data, err := os.ReadFile("../../fixtures/" + name)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			var row struct{ Message json.RawMessage }
			if json.Unmarshal(line, &row) != nil || len(row.Message) == 0 {
				continue
			}
			var m model.Message
			if err := json.Unmarshal(row.Message, &m); err != nil {
				continue // fixtures hold odd shapes on purpose
			}
			rows++
			roundTrip(t, m)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rows < 100 {
		t.Errorf("%d messages seen: where are the fixtures?", rows)
	}
}

type tester interface{ Fatalf(string, ...any) }

func roundTrip(t tester, m model.Message) {
	wire, err := m.AppendJSON([]byte("x"))
	if err != nil {
		t.Fatalf("write %+v: %v", m, err)
	}
	wire = wire[1:]
	if bytes.ContainsAny(wire, "\n\r") || !json.Valid(wire) {
		t.Fatalf("not one line of JSON: %q", wire)
	}
	var back model.Message
	if err := json.Unmarshal(wire, &back); err != nil {
		t.Fatalf("read %s: %v", wire, err)
	}
	again, err := back.AppendJSON(nil)
	if err != nil || string(again) != string(wire) {
		t.Fatalf("not stable: %s\nthen %s, %v", wire, again, err)
	}
}

func TestMessage_roundTrips(t *testing.T) {
	text := rapid.String()
	leaf := rapid.Custom(func(t *rapid.T) model.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return model.Block{Type: model.BlockImage, Source: &model.ImageSource{Type: "base64", MediaType: text.Draw(t, "media"), Data: text.Draw(t, "data")}}
		case 1:
			raw, err := json.Marshal(map[string]string{"type": "later" + text.Draw(t, "type"), text.Draw(t, "key"): text.Draw(t, "value")})
			if err != nil {
				t.Fatal(err)
			}
			var b model.Block
			if err := json.Unmarshal(raw, &b); err != nil {
				t.Fatal(err)
			}
			return b
		}
		return model.Text(text.Draw(t, "text"))
	})
	block := rapid.Custom(func(t *rapid.T) model.Block {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return model.Block{Type: model.BlockThinking, Thinking: text.Draw(t, "thinking"), Signature: text.Draw(t, "signature")}
		case 1:
			return model.Block{Type: model.BlockRedactedThinking, Data: text.Draw(t, "data")}
		case 2:
			input, err := json.Marshal(map[string]string{text.Draw(t, "key"): text.Draw(t, "value")})
			if err != nil {
				t.Fatal(err)
			}
			return model.Block{Type: model.BlockToolUse, ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Input: input}
		case 3:
			content := rapid.SliceOfN(leaf, 0, 3).Draw(t, "content")
			return model.Block{Type: model.BlockToolResult, ToolUseID: text.Draw(t, "id"), Content: content, IsError: rapid.Bool().Draw(t, "error")}
		}
		return leaf.Draw(t, "leaf")
	})
	rapid.Check(t, func(t *rapid.T) {
		m := model.Message{
			ID: text.Draw(t, "id"), Role: model.Role(text.Draw(t, "role")), Model: text.Draw(t, "model"),
			StopReason: model.StopReason(text.Draw(t, "stop")), Content: rapid.SliceOfN(block, 0, 4).Draw(t, "blocks"),
		}
		if rapid.Bool().Draw(t, "counted") {
			m.Usage = &model.Usage{InputTokens: rapid.Int64().Draw(t, "in"), OutputTokens: rapid.Int64().Draw(t, "out")}
		}
		wire, err := m.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		var back model.Message
		if err := json.Unmarshal(wire, &back); err != nil {
			t.Fatalf("read %s: %v", wire, err)
		}
		if diff := cmp.Diff(m, back, same()); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", wire, diff)
		}
		roundTrip(t, m)
	})
}

func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"role":"user","content":"hi"}`, `{"content":[{"type":"tool_use","input":{"a":[1,2]}}]}`, `{"content":[{"type":"tool_result","content":[{"type":"text","text":"\ud800"}]}]}`,
		`{"content":[{"type":"image","source":{"type":"base64","data":""}}],"usage":{"input_tokens":1}}`, `{"content":[{"type":"new","a":` + "\n" + `1}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m model.Message
		if json.Unmarshal(data, &m) == nil {
			roundTrip(t, m)
		}
	})
}
