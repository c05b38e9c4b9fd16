package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestHead_TR15(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("x", 3*headLimit)
	tests := []struct {
		reason, row string
		want        head
	}{
		{"a prompt", `{"type":"user","message":{"role":"user","content":"x"}}`, head{class: classUser, shape: shapeText}},
		{"a prompt of blocks", `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x"}]}}`, head{class: classUser, shape: shapeText}},
		{"tool results", `{"type":"user","message":{"content":[{"tool_use_id":"t","type":"tool_result"}]}}`, head{class: classUser, shape: shapeResult}},
		{"with the type first", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t"}]}}`, head{class: classUser, shape: shapeResult}},
		{"a result before the message", `{"type":"user","toolUseResult":{"a":1},"message":` + deep, head{class: classUser, shape: shapeResult}},
		{"an empty content", `{"type":"user","message":{"content":[]}}`, head{class: classUser}},
		{"a message of text", `{"type":"user","message":"x"}`, head{class: classUser, shape: shapeText}},
		{"a message of another type", `{"type":"user","message":7}`, head{class: classUser}},
		{"an assistant row as the host writes it", `{"parentUuid":"p","isSidechain":false,"message":{"model":"m","role":"assistant","content":[]},"type":"assistant"}`, head{class: classAssistant, linked: true, guessed: true}},
		{"a subagent's", `{"isSidechain":true,"type":"assistant","message":{}}`, head{class: classAssistant, sidechain: true}},
		{"marked behind the type", `{"type":"assistant","isSidechain":true,"message":{}}`, head{class: classAssistant, sidechain: true}},
		{"a role behind the content is out of reach", `{"message":{"content":[],"role":"assistant"},"type":"assistant"}`, head{class: classUnknown}},
		{"a user's role does not make a class", `{"message":{"role":"user","content":"x"},"type":"user"}`, head{class: classUnknown, shape: shapeText}},
		{"a meta row", `{"isMeta":true,"type":"user","message":{"content":"x"}}`, head{class: classUser, meta: true, shape: shapeText}},
		{"an attachment", `{"type":"attachment","attachment":{}}`, head{class: classAttach}},
		{"a queue row", `{"type":"queue-operation","content":"x"}`, head{class: classQueue}},
		{"a system row", `{"type":"system"}`, head{class: classSystem}},
		{"a copy of a request", `{"type":"api-request-shape","message":{}}`, head{class: classCopy}},
		{"of a kind to come", `{"type":"api-requests"}`, head{class: classCopy}},
		{"a type we do not know", `{"type":"news"}`, head{class: classOther}},
		{"a type of another type", `{"type":7,"message":{}}`, head{class: classUnknown}},
		{"none", `{}`, head{class: classUnknown}},
		{"the type behind a long field", `{"a":"` + deep + `","type":"user"}`, head{class: classUnknown}},
		{"a type inside another field", `{"a":{"type":"user"},"b":["type","user"],"type":"system"}`, head{class: classSystem}},
		{"a type inside a string", `{"a":"\",\"type\":\"user\",\"","type":"system"}`, head{class: classSystem}},
		{"an escaped type", `{"type":"us\u0065r"}`, head{class: classUnknown}},
		{"an escaped key", `{"typ\u0065":"user"}`, head{class: classUnknown}},
		{"spaces", " { \"type\" : \"user\" , \"isMeta\" : true , \"message\" : { \"content\" : \"x\" } }", head{class: classUser, meta: true, shape: shapeText}},
		{"no object", `["type","user"]`, head{class: classUnknown}},
		{"nothing", ``, head{class: classUnknown}},
		{"torn", `{"type":"use`, head{class: classUnknown}},
	}
	for _, tt := range tests {
		if got := readHead([]byte(tt.row)); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.reason, got, tt.want)
		}
		for i := range len(tt.row) {
			readHead([]byte(tt.row)[:i]) // a torn row is only a torn row
		}
	}
}

// checkHead compares a head with a full decode by the standard library. What a
// head does not know is no contradiction: it then says unknown.
func checkHead(b []byte) error {
	keys, ok := topKeys(b)
	if !ok {
		return nil
	}
	var row map[string]any
	if err := json.Unmarshal(b, &row); err != nil {
		return nil
	}
	h := readHead(b)
	typ, _ := row["type"].(string)
	if want := classOf([]byte(typ)); h.class != classUnknown && h.class != want {
		msg, _ := row["message"].(map[string]any)
		if h.class != classAssistant || msg["role"] != "assistant" || slices.Index(keys, "message") > slices.Index(keys, "type") && slices.Contains(keys, "type") {
			return fmt.Errorf("class %d, and the type is %q", h.class, typ)
		}
	}
	if h.sidechain != (row["isSidechain"] == true) && h.sidechain || h.meta && row["isMeta"] != true {
		return fmt.Errorf("sidechain %v, meta %v", h.sidechain, h.meta)
	}
	if _, linked := row["parentUuid"]; h.linked && !linked {
		return fmt.Errorf("linked without a parentUuid")
	}
	return checkShape(h, row)
}

func checkShape(h head, row map[string]any) error {
	r := naiveRow{m: row}
	list, isList := r.get("message", "content").([]any)
	_, structured := row["toolUseResult"]
	switch h.shape {
	case shapeResult:
		if structured {
			return nil
		}
		if !isList || len(list) == 0 {
			return fmt.Errorf("results without blocks")
		}
		first, _ := list[0].(map[string]any)
		if _, named := first["tool_use_id"]; !named && first["type"] != "tool_result" {
			return fmt.Errorf("results, and the first block is %v", first)
		}
	case shapeText:
		if isList && len(list) > 0 {
			if first, _ := list[0].(map[string]any); first["type"] == "tool_result" {
				return fmt.Errorf("text, and the first block is a result")
			}
		}
	}
	return nil
}

// topKeys lists the keys of an object, at every level only once; ok is false for
// other JSON, because a decoder takes the last of two and a head the first.
func topKeys(b []byte) (keys []string, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(b))
	type level struct {
		seen   map[string]bool
		object bool
		key    bool
	}
	var stack []level
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return keys, len(keys) > 0
		}
		if err != nil {
			return nil, false
		}
		if top := len(stack) - 1; top >= 0 && stack[top].object {
			if s, isKey := tok.(string); isKey && stack[top].key {
				if stack[top].seen[s] {
					return nil, false
				}
				stack[top].seen[s] = true
				if top == 0 {
					keys = append(keys, s)
				}
				stack[top].key = false
				continue
			}
			stack[top].key = true
		}
		switch tok {
		case json.Delim('{'):
			stack = append(stack, level{seen: map[string]bool{}, object: true, key: true})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}
