package openai

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a request with testdata/<test name>.json, which is indented to
// be read; what is sent is on one line.
func golden(t *testing.T, body []byte) {
	t.Helper()
	if bytes.ContainsRune(body, '\n') {
		t.Errorf("the body is not on one line: %s", body)
	}
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatalf("the body is no JSON: %v\n%s", err, body)
	}
	got.WriteByte('\n')
	file := filepath.Join("testdata", strings.ReplaceAll(t.Name(), "/", "_")+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the request is not as in %s (-want +got), go test -update writes it anew:\n%s", file, diff)
	}
}

// raw is a block as a transcript gives it.
func raw(t *testing.T, text string) model.Block {
	t.Helper()
	var b model.Block
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func user(blocks ...model.Block) model.Message {
	return model.Message{Role: model.RoleUser, Content: blocks}
}

func assistant(blocks ...model.Block) model.Message {
	return model.Message{Role: model.RoleAssistant, Content: blocks, ID: "resp_1", Usage: &model.Usage{}, StopReason: model.StopToolUse}
}

func call(id, name, input string) model.Block {
	return model.Block{Type: model.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(input)}
}

func image() model.Block {
	return model.Block{Type: model.BlockImage, Source: &model.ImageSource{Type: "base64", MediaType: "image/png", Data: "aGk="}}
}

func everything(t *testing.T) *model.Request {
	return &model.Request{
		Model: "m", System: "Be brief.", MaxTokens: 2000, ThinkingTokens: 4000, User: "u-1", Cache: true,
		Tools: []model.ToolSpec{
			{Name: "shell", Description: "Runs <a> command & waits.", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}},"required":["z"]}`)},
			{Name: "now"},
		},
		Messages: []model.Message{
			user(model.Text("List <the> files & more"), image(), raw(t, `{"type":"image","source":{"type":"url","url":"https://x.invalid/a.png"}}`)),
			assistant(
				raw(t, `{"type":"thinking","thinking":"a summary","signature":"","openai_item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"a summary"}],"encrypted_content":"b3A=","new":1.0}}`),
				raw(t, `{"type":"openai_item","openai_item":{"type":"web_search_call","id":"ws_1"}}`),
				raw(t, `{"type":"text","text":"I look.","phase":"commentary"}`),
				raw(t, `{"type":"text","text":"Both.","phase":"final_answer"}`),
				call("call_1", "shell", `{"z":"ls"}`),
				call("call_2", "shell", `{"z": "pw`),
			),
			user(
				model.Block{Type: model.BlockToolResult, ToolUseID: "call_1", Content: []model.Block{model.Text("a.go"), image()}},
				model.ToolResult("call_2", "the input is no JSON", true),
				model.Text("And be quick."),
			),
			assistant(model.Text("Done."), model.Text("Really.")),
			user(model.ToolResult("call_3", "", false), model.Block{Type: model.BlockToolResult, ToolUseID: "call_4", IsError: true}),
		},
	}
}

// foreign has what other APIs gave, and what is empty.
func foreign(t *testing.T) *model.Request {
	return &model.Request{Model: "m", Messages: []model.Message{
		user(model.Text("Hi"), model.Text("")),
		assistant(
			raw(t, `{"type":"thinking","thinking":"Hm","signature":"c2ln"}`),
			raw(t, `{"type":"redacted_thinking","data":"b3A="}`),
			raw(t, `{"type":"thinking","thinking":"x","signature":"","openai_item":{"id":"rs_1","type":"reasoning","summary":[]}}`),
			raw(t, `{"type":"server_tool_use","id":"s","name":"n","input":{}}`),
			model.Block{Type: model.BlockThinking, Thinking: "from a chat server"},
			raw(t, `{"type":"text","text":"Yes","citations":[{"x":1}]}`),
			call("toolu_1", "now", ""),
		),
		user(model.ToolResult("toolu_1", "12:00", false)),
		assistant(raw(t, `{"type":"thinking","thinking":"Hm","signature":"c2ln"}`)),
		user(),
		assistant(model.Text("I"), raw(t, `{"type":"thinking","thinking":"","signature":"","openai_item":{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":"b3A="}}`)),
		user(model.Text("Go on")),
	}}
}

func TestBody(t *testing.T) {
	hello := func(*testing.T) *model.Request {
		return &model.Request{Messages: []model.Message{user(model.Text("Hello"))}}
	}
	for _, tt := range []struct {
		name    string
		options Options
		request func(t *testing.T) *model.Request
	}{
		{"responses plain", Options{Model: "m-default"}, hello},
		{"responses everything", Options{Effort: "high", Summary: "auto"}, everything},
		{"responses foreign", Options{NoEncryptedReasoning: true}, foreign},
		{"chat plain", Options{API: Chat, Model: "m-default", MaxTokens: true}, hello},
		{"chat everything", Options{API: Chat, Effort: "high"}, everything},
		{"chat foreign", Options{API: Chat}, foreign},
		{"chat with reasoning back", Options{API: Chat, ReturnReasoning: true}, foreign},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Client{options: tt.options}
			write := c.responsesBody
			if tt.options.API == Chat {
				write = c.chatBody
			}
			req := tt.request(t)
			body, err := write(req)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, body)
			for range 5 {
				if again, err := write(req); err != nil || !bytes.Equal(body, again) {
					t.Fatalf("the same request is written another way: %s, %v", again, err)
				}
			}
		})
	}
}

func TestBody_refuses(t *testing.T) {
	c := &Client{}
	for _, write := range []func(*model.Request) ([]byte, error){c.responsesBody, c.chatBody} {
		for _, tt := range []struct {
			req  *model.Request
			want string
		}{
			{&model.Request{Messages: []model.Message{user(model.Text("Hello"))}}, "no model"},
			{&model.Request{Model: "m", System: "x"}, "no message with content"},
			{&model.Request{Model: "m", Messages: []model.Message{user(), assistant(model.Block{Type: "new"})}}, "no message with content"},
			{&model.Request{Model: "m", Messages: []model.Message{user(model.Text("x"))}, Tools: []model.ToolSpec{{Name: "t", InputSchema: json.RawMessage(`{`)}}}, "JSON"},
		} {
			if body, err := write(tt.req); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s, %v, want an error with %q", body, err, tt.want)
			}
		}
	}
}

// Whatever a transcript holds, the request is JSON, or it is refused before it
// is sent.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","openai_item":{"type":"reasoning","encrypted_content":"e"}},{"type":"tool_use","id":"a:1","name":"n","input":[]},{"type":"new"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a:1","is_error":true}]}]`))
	f.Add([]byte(`[{"role":"user","content":[{"type":"text","text":"a","phase":{}},{"type":"image","source":{"url":"x"}},{"type":"tool_result","content":[{"type":"openai_item","openai_item":7},{"type":"text"}]}]}]`))
	f.Fuzz(func(t *testing.T, conversation []byte) {
		var messages []model.Message
		if json.Unmarshal(conversation, &messages) != nil {
			return
		}
		c := &Client{options: Options{ReturnReasoning: true}}
		for _, write := range []func(*model.Request) ([]byte, error){c.responsesBody, c.chatBody} {
			if body, err := write(&model.Request{Model: "m", System: "s", Messages: messages}); err == nil && !json.Valid(body) {
				t.Fatalf("no JSON: %s", body)
			}
		}
	})
}
