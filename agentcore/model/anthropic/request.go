package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// minBudget is the least that the API takes for thinking, in tokens.
const minBudget = 1024

// body is the request as the API takes it. It is written here and not by the
// SDK, whose types would lose fields that they do not know.
type body struct {
	Model     string            `json:"model"`
	MaxTokens int               `json:"max_tokens"`
	Stream    bool              `json:"stream"`
	Thinking  *thinking         `json:"thinking,omitempty"`
	Output    *output           `json:"output_config,omitempty"`
	Metadata  *metadata         `json:"metadata,omitempty"`
	Tools     []json.RawMessage `json:"tools,omitempty"`
	System    []json.RawMessage `json:"system,omitempty"`
	Messages  []message         `json:"messages"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type output struct {
	Effort string `json:"effort"`
}

type metadata struct {
	UserID string `json:"user_id"`
}

type message struct {
	Role    model.Role        `json:"role"`
	Content []json.RawMessage `json:"content"`
}

// body writes a request. The same request gives the same bytes.
func (c *Client) body(req *model.Request) ([]byte, error) {
	b := body{Model: req.Model, MaxTokens: req.MaxTokens, Stream: true}
	if b.Model == "" {
		b.Model = c.options.Model
	}
	if b.Model == "" {
		return nil, errors.New("anthropic: no model: name one in the request or in Options.Model")
	}
	if b.MaxTokens <= 0 {
		b.MaxTokens = model.DefaultMaxTokens
	}
	if req.ThinkingTokens > 0 {
		b.Thinking = &thinking{Type: "adaptive"}
		budget := max(req.ThinkingTokens, minBudget)
		if c.options.Thinking == ThinkingBudget {
			b.Thinking = &thinking{Type: "enabled", Budget: budget}
		}
		b.MaxTokens += budget // thinking counts towards it, and the answer must fit too
	}
	if c.options.Effort != "" {
		b.Output = &output{c.options.Effort}
	}
	if req.User != "" {
		b.Metadata = &metadata{req.User}
	}
	marks := marker{on: req.Cache, control: cacheControl(c.options.CacheTTL)}
	var err error
	if b.Tools, err = marks.tools(req.Tools); err != nil {
		return nil, err
	}
	if strings.TrimSpace(req.System) != "" {
		b.System = []json.RawMessage{marks.mark(mustBlock(model.Text(req.System)))}
	}
	if b.Messages, err = marks.messages(req.Messages); err != nil {
		return nil, err
	}
	if len(b.Messages) == 0 {
		return nil, errors.New("anthropic: the request has no message with content")
	}
	return exchange.Marshal(b)
}

// mustBlock writes a block that always can be.
func mustBlock(b model.Block) json.RawMessage {
	raw, err := b.AppendJSON(nil)
	if err != nil {
		panic(fmt.Sprintf("anthropic: %v", err))
	}
	return raw
}

// content writes the blocks of a message that the API takes, and tells which of
// them may carry a mark of the cache. Thinking that nothing follows, as of an
// aborted answer, is left out: the API refuses a message that ends with it.
func content(m model.Message) (blocks []json.RawMessage, markable []bool, err error) {
	whole := 0
	for _, b := range m.Content {
		b, ok := acceptable(b)
		if !ok {
			continue
		}
		raw, err := b.AppendJSON(nil)
		if err != nil {
			return nil, nil, err
		}
		blocks = append(blocks, raw)
		thinks := b.Type == model.BlockThinking || b.Type == model.BlockRedactedThinking
		markable = append(markable, b.Raw == nil && !thinks)
		if !thinks {
			whole = len(blocks)
		}
	}
	return blocks[:whole], markable[:whole], nil
}

// acceptable gives a block as this API takes it, or false for one that it would
// refuse: see the package's promises.
func acceptable(b model.Block) (model.Block, bool) {
	switch {
	case strings.HasPrefix(string(b.Type), "openai_"):
		return b, false
	case b.Type == model.BlockThinking:
		return b, b.Signature != ""
	case b.Type == model.BlockText:
		if b.Raw != nil && foreignText(b.Raw) {
			b.Raw = nil
		}
		return b, strings.TrimSpace(b.Text) != ""
	case b.Type == model.BlockToolUse && b.Raw == nil:
		b.ID = callID(b.ID)
	case b.Type == model.BlockToolResult && b.Raw == nil:
		b.ToolUseID = callID(b.ToolUseID)
		var kept []model.Block
		for _, inner := range b.Content {
			if inner, ok := acceptable(inner); ok {
				kept = append(kept, inner)
			}
		}
		if len(kept) == 0 {
			// As a text, because an empty list is less sure to be taken, and with
			// one when it failed: the API demands it.
			kept = []model.Block{model.Text("")}
			if b.IsError {
				kept = []model.Block{model.Text("The tool call failed.")}
			}
		}
		b.Content = kept
	}
	return b, true
}

// foreignText tells a text with the openai adapter's field for the phase.
func foreignText(raw json.RawMessage) bool {
	o, err := exchange.ReadObject(raw)
	return err == nil && o.Get("phase") != nil
}

// callID writes an id with the characters that the API allows. The same id
// always becomes the same, so calls and results stay together.
func callID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
