package anthropic

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
	return model.Message{Role: model.RoleAssistant, Content: blocks, ID: "msg_1", Usage: &model.Usage{}, StopReason: model.StopToolUse}
}

func call(id, name, input string) model.Block {
	return model.Block{Type: model.BlockToolUse, ID: id, Name: name, Input: json.RawMessage(input)}
}

func tools() []model.ToolSpec {
	return []model.ToolSpec{
		{Name: "shell", Description: "Runs <a> command & waits.", InputSchema: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"number"}},"required":["z"]}`)},
		{Name: "now"},
	}
}

func TestBody(t *testing.T) {
	image := model.Block{Type: model.BlockImage, Source: &model.ImageSource{Type: "base64", MediaType: "image/png", Data: "aGk="}}
	conversation := func(t *testing.T) []model.Message {
		return []model.Message{
			user(model.Text("List <the> files & more"), image),
			assistant(
				raw(t, `{"type":"thinking","thinking":"Hm \u003c.","signature":"c2ln"}`),
				raw(t, `{"type":"redacted_thinking","data":"b3BhcXVl"}`),
				raw(t, `{"type":"server_tool_use", "id":"srvtoolu_1","name":"web_search","input":{"q":1.0}}`),
				model.Text("I look."),
				raw(t, `{"type":"tool_use","id":"toolu_1","name":"shell","input":{"z":"ls"},"caller":{"type":"direct"}}`),
				call("toolu_2", "shell", `{"z": "pw`),
			),
			user(
				model.Block{Type: model.BlockToolResult, ToolUseID: "toolu_1", Content: []model.Block{model.Text("a.go"), image}},
				model.ToolResult("toolu_2", "the input is no JSON", true),
			),
			assistant(model.Text("Done.")),
			user(model.Text("Thanks")),
		}
	}
	for _, tt := range []struct {
		name    string
		options Options
		request func(t *testing.T) *model.Request
	}{
		{"plain", Options{Model: "m-default"}, func(*testing.T) *model.Request {
			return &model.Request{Messages: []model.Message{user(model.Text("Hello"))}}
		}},
		{"everything", Options{Thinking: ThinkingBudget, Effort: "high"}, func(t *testing.T) *model.Request {
			return &model.Request{Model: "m", System: "Be brief.", Tools: tools(), MaxTokens: 2000, ThinkingTokens: 4000, User: "u-1", Messages: conversation(t)}
		}},
		{"cached", Options{}, func(t *testing.T) *model.Request {
			return &model.Request{Model: "m", System: "Be brief.", Tools: tools(), Cache: true, ThinkingTokens: 1, Messages: conversation(t)}
		}},
		{"cached for an hour", Options{CacheTTL: "1h"}, func(t *testing.T) *model.Request {
			// The last blocks may not carry a mark: those before them do.
			return &model.Request{Model: "m", Cache: true, Messages: append(conversation(t)[:1], assistant(
				model.Text("Yes"), raw(t, `{"type":"thinking","thinking":"Hm","signature":"c2ln"}`), raw(t, `{"type":"compaction","content":"x"}`)))}
		}},
		{"of other providers", Options{}, func(t *testing.T) *model.Request {
			return &model.Request{Model: "m", Messages: []model.Message{
				user(model.Text("Hi"), model.Text(" \n")),
				assistant(
					raw(t, `{"type":"thinking","thinking":"a summary","signature":"","openai_item":{"type":"reasoning","id":"rs_1"}}`),
					model.Block{Type: model.BlockThinking, Thinking: "from a chat server"},
					raw(t, `{"type":"openai_item","openai_item":{"type":"x"}}`),
					raw(t, `{"type":"text","text":"I look.","phase":"commentary"}`),
					call("functions.shell:0", "shell", `{}`),
				),
				user(model.ToolResult("functions.shell:0", "", false), model.Block{Type: model.BlockToolResult, ToolUseID: "z", IsError: true}, model.Block{Type: model.BlockToolResult, ToolUseID: "x", Content: []model.Block{model.Text(""), model.Text("y")}}),
				assistant(),
				assistant(raw(t, `{"type":"thinking","thinking":"Hm","signature":"c2ln"}`)),
				user(model.Text("Well?")),
				assistant(model.Text("I"), raw(t, `{"type":"redacted_thinking","data":"b3A="}`)),
				user(),
				user(model.Text("Go on")),
			}}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Client{options: tt.options}
			req := tt.request(t)
			body, err := c.body(req)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, body)
			for range 5 {
				if again, err := c.body(req); err != nil || !bytes.Equal(body, again) {
					t.Fatalf("the same request is written another way: %s, %v", again, err)
				}
			}
			if n := bytes.Count(body, []byte(`"cache_control"`)); n > 4 || n > 0 && !req.Cache {
				t.Errorf("%d marks of the cache", n)
			}
		})
	}
}

// Blocks pass byte for byte: their signatures and hashes are about that.
func TestBody_blocksAsTheyCame_RT22(t *testing.T) {
	blocks := []string{
		`{"type":"thinking","thinking":"Hm é <.","signature":"c2ln+/="}`,
		`{"type":"thinking","thinking":"","signature":"c2ln"}`,
		`{"type":"redacted_thinking","data":"b3BhcXVl"}`,
		`{"signature":"x","type":"thinking","thinking":"\u00e9\/ 1","new":1.50}`,
		`{"type":"compaction", "content" : null,"n":1e400}`,
	}
	m := assistant()
	for _, b := range blocks {
		m.Content = append(m.Content, raw(t, b))
	}
	body, err := (&Client{}).body(&model.Request{Model: "m", Cache: true, Messages: []model.Message{m, user(model.Text("x"))}})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct {
		Messages []struct{ Content []json.RawMessage }
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	for i, b := range blocks {
		if got := string(sent.Messages[0].Content[i]); got != b && got != compact(t, b) {
			t.Errorf("block %d\ncame %s\nwent %s", i, b, got)
		}
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBody_refuses(t *testing.T) {
	hello := []model.Message{user(model.Text("Hello"))}
	for _, tt := range []struct {
		req  *model.Request
		want string
	}{
		{&model.Request{Messages: hello}, "no model"},
		{&model.Request{Model: "m"}, "no message with content"},
		{&model.Request{Model: "m", Messages: []model.Message{user(model.Text("  "))}}, "no message with content"},
		{&model.Request{Model: "m", Messages: append(hello, user(model.Block{Type: "new"}))}, `message 1: model: block of type "new"`},
		{&model.Request{Model: "m", Messages: hello, Tools: []model.ToolSpec{{Name: "t", InputSchema: json.RawMessage(`{`)}}}, "tool t:"},
	} {
		if body, err := (&Client{}).body(tt.req); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %s, %v, want an error with %q", body, err, tt.want)
		}
	}
}

// Whatever a transcript holds, the request is JSON with at most four marks, or
// it is refused before it is sent.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"a:1","name":"n","input":[]},{"type":"new"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a:1","is_error":true}]}]`), true)
	f.Add([]byte(`[{"role":"user","content":[{"type":"text","text":"a","phase":{}},{"type":"image","source":{}},{"type":"tool_result","content":[{"type":"openai_item"},{"type":"text"}]}]}]`), false)
	f.Fuzz(func(t *testing.T, conversation []byte, cache bool) {
		var messages []model.Message
		if json.Unmarshal(conversation, &messages) != nil {
			return
		}
		body, err := (&Client{}).body(&model.Request{Model: "m", System: "s", Tools: tools(), Cache: cache, Messages: messages})
		if err != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("no JSON: %s", body)
		}
		own := bytes.Count(conversation, []byte("cache_control")) + bytes.Count(conversation, []byte(`\u`))
		if n := bytes.Count(body, []byte(`"cache_control"`)); n > 4 && own == 0 {
			t.Errorf("%d marks in %s", n, body)
		}
	})
}
