package session

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/agentcore/model"
)

// readBlock reads one block of a message so that it may be kept. Blocks as they
// are nearly always are read in place; any other is left to the package model.
func readBlock(v gjson.Result) (b model.Block, ok bool) {
	if v.Type == gjson.String { // a bare text among blocks
		return model.Text(own(v)), true
	}
	if !v.IsObject() {
		return b, false
	}
	if b, ok = quickBlock(v); ok {
		return b, true
	}
	b = model.Block{}
	if b.UnmarshalJSON([]byte(v.Raw)) != nil {
		return b, false
	}
	return b, true
}

// quickBlock reads text, tool_use and tool_result with their usual members and
// no other, each once. It must agree with model.Block.UnmarshalJSON.
func quickBlock(v gjson.Result) (b model.Block, ok bool) {
	var typ, text, id, name, input, use, content, isError gjson.Result
	members, known := 0, 0
	v.ForEach(func(k, x gjson.Result) bool {
		members++
		var to *gjson.Result
		switch k.Str {
		case "type":
			to = &typ
		case "text":
			to = &text
		case "id":
			to = &id
		case "name":
			to = &name
		case "input":
			to = &input
		case "tool_use_id":
			to = &use
		case "content":
			to = &content
		case "is_error":
			to = &isError
		}
		if to == nil || to.Exists() {
			return false
		}
		*to, known = x, known+1
		return true
	})
	if members != known {
		return b, false
	}
	switch str(typ) {
	case "text":
		if members == 2 && text.Type == gjson.String {
			return model.Text(clean(own(text))), true
		}
	case "tool_use":
		if members == 4 && id.Type == gjson.String && name.Type == gjson.String && input.IsObject() {
			return model.Block{Type: model.BlockToolUse, ID: clean(own(id)), Name: clean(own(name)), Input: json.RawMessage(input.Raw)}, true
		}
	case "tool_result":
		if use.Type != gjson.String || content.Type != gjson.String || text.Exists() || id.Exists() || name.Exists() || input.Exists() {
			return b, false
		}
		if isError.Exists() && !isError.IsBool() {
			return b, false
		}
		return model.Block{Type: model.BlockToolResult, ToolUseID: clean(own(use)), IsError: isTrue(isError),
			Content: []model.Block{model.Text(clean(own(content)))}}, true
	}
	return b, false
}

// clean replaces what is no UTF-8, as the standard decoder does.
func clean(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// readBlocks reads a message's content, which may be a text.
func readBlocks(content gjson.Result) (out []model.Block) {
	if content.Type == gjson.String {
		return []model.Block{model.Text(clean(own(content)))}
	}
	if !content.IsArray() {
		return nil
	}
	content.ForEach(func(_, v gjson.Result) bool {
		if b, ok := readBlock(v); ok {
			out = append(out, b)
		}
		return true
	})
	return out
}
