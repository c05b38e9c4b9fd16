package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// marker puts the marks of the prompt cache where a prefix of the request ends
// that will be sent again: the tools, the system prompt, the conversation, and
// the conversation as the request before this one had it. The API takes four.
// The last is there because the API looks back only some 20 blocks for a prefix
// that it knows, and a turn with many tool calls is longer.
type marker struct {
	on      bool
	control json.RawMessage
}

func cacheControl(ttl string) json.RawMessage {
	if ttl == "" {
		return json.RawMessage(`{"type":"ephemeral"}`)
	}
	return json.RawMessage(`{"type":"ephemeral","ttl":"` + ttl + `"}`)
}

// mark adds the mark to an object.
func (k marker) mark(raw json.RawMessage) json.RawMessage {
	if !k.on {
		return raw
	}
	o, err := exchange.ReadObject(raw)
	if err != nil {
		return raw
	}
	o.Set("cache_control", k.control)
	return o.JSON()
}

func (k marker) tools(specs []model.ToolSpec) ([]json.RawMessage, error) {
	var tools []json.RawMessage
	for i, spec := range specs {
		if len(spec.InputSchema) == 0 {
			spec.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		raw, err := exchange.Marshal(spec)
		if err != nil {
			return nil, fmt.Errorf("anthropic: tool %s: %w", spec.Name, err)
		}
		if i == len(specs)-1 {
			raw = k.mark(raw)
		}
		tools = append(tools, raw)
	}
	return tools, nil
}

func (k marker) messages(all []model.Message) ([]message, error) {
	var out []message
	var markable [][]bool
	for i, m := range all {
		blocks, may, err := content(m)
		if err != nil {
			return nil, fmt.Errorf("anthropic: message %d: %w", i, err)
		}
		if len(blocks) == 0 {
			continue
		}
		out = append(out, message{m.Role, blocks})
		markable = append(markable, may)
	}
	last := k.markLast(out, markable, len(out)-1)
	for i := last - 1; i > 0; i-- {
		// The request before this one ended with what the user said before the
		// assistant's latest message.
		if out[i].Role == model.RoleAssistant && out[i-1].Role == model.RoleUser {
			k.markLast(out, markable, i-1)
			break
		}
	}
	return out, nil
}

// markLast marks the last block that may carry a mark, in the message with
// number at or one before it, and gives the number of that message.
func (k marker) markLast(out []message, markable [][]bool, at int) int {
	for ; at >= 0; at-- {
		for j := len(out[at].Content) - 1; j >= 0; j-- {
			if markable[at][j] {
				out[at].Content[j] = k.mark(out[at].Content[j])
				return at
			}
		}
	}
	return -1
}
