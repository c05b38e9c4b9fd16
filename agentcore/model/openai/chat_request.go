package openai

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// chatBody is a request as Chat takes it.
type chatBody struct {
	Model               string        `json:"model"`
	Messages            []chatMessage `json:"messages"`
	Tools               []chatTool    `json:"tools,omitempty"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitempty"`
	MaxTokens           int           `json:"max_tokens,omitempty"`
	Effort              string        `json:"reasoning_effort,omitempty"`
	Stream              bool          `json:"stream"`
	StreamOptions       streamOptions `json:"stream_options"`
	User                string        `json:"user,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    any        `json:"content"` // a string, []chatPart, or nil
	Reasoning  string     `json:"reasoning_content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatPart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *chatImage `json:"image_url,omitempty"`
}

type chatImage struct {
	URL string `json:"url"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatCallFunc `json:"function"`
}

type chatCallFunc struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chatBody writes a request. The same request gives the same bytes.
func (c *Client) chatBody(req *model.Request) ([]byte, error) {
	b := chatBody{Effort: c.options.Effort, Stream: true, StreamOptions: streamOptions{true}, User: req.User}
	var err error
	if b.Model, err = c.model(req); err != nil {
		return nil, err
	}
	if c.options.MaxTokens {
		b.MaxTokens = bound(req)
	} else {
		b.MaxCompletionTokens = bound(req)
	}
	for _, spec := range req.Tools {
		b.Tools = append(b.Tools, chatTool{"function", chatFunction{spec.Name, spec.Description, schema(spec)}})
	}
	var conversation []chatMessage
	for _, m := range req.Messages {
		if m.Role == model.RoleAssistant {
			conversation = append(conversation, c.chatAssistant(m)...)
		} else {
			conversation = append(conversation, chatUser(m)...)
		}
	}
	if len(conversation) == 0 {
		return nil, errors.New("openai: the request has no message with content")
	}
	if req.System != "" {
		b.Messages = append(b.Messages, chatMessage{Role: "system", Content: req.System})
	}
	b.Messages = append(b.Messages, conversation...)
	return exchange.Marshal(b)
}

// chatAssistant gives an answer as one message, or none when nothing is left.
func (c *Client) chatAssistant(m model.Message) []chatMessage {
	out := chatMessage{Role: "assistant"}
	var texts, thoughts []string
	for _, b := range m.Content {
		switch {
		case b.Type == model.BlockText && b.Text != "":
			texts = append(texts, b.Text)
		case b.Type == model.BlockThinking && b.Signature == "" && b.Raw == nil && c.options.ReturnReasoning:
			thoughts = append(thoughts, b.Thinking)
		case b.Type == model.BlockToolUse:
			out.ToolCalls = append(out.ToolCalls, chatCall{b.ID, "function", chatCallFunc{b.Name, string(b.InputObject())}})
		}
	}
	if len(texts) > 0 {
		out.Content = strings.Join(texts, "\n")
	}
	out.Reasoning = strings.Join(thoughts, "\n")
	if out.Content == nil && len(out.ToolCalls) == 0 {
		return nil
	}
	return []chatMessage{out}
}

// chatUser gives the results of calls, each a message, and what else the user
// says after them. The API wants results right behind the calls, so they go
// first.
func chatUser(m model.Message) []chatMessage {
	var out []chatMessage
	var rest []chatPart
	for _, b := range m.Content {
		switch {
		case b.Type == model.BlockToolResult:
			text, images := resultOf(b)
			out = append(out, chatMessage{Role: "tool", ToolCallID: b.ToolUseID, Content: text})
			if len(images) > 0 {
				rest = append(rest, chatPart{Type: "text", Text: "Images of the result of " + b.ToolUseID + ":"})
			}
			for _, url := range images {
				rest = append(rest, chatPart{Type: "image_url", ImageURL: &chatImage{url}})
			}
		case b.Type == model.BlockText && b.Text != "":
			rest = append(rest, chatPart{Type: "text", Text: b.Text})
		case b.Type == model.BlockImage && imageURL(b) != "":
			rest = append(rest, chatPart{Type: "image_url", ImageURL: &chatImage{imageURL(b)}})
		}
	}
	switch {
	case len(rest) == 1 && rest[0].Type == "text":
		out = append(out, chatMessage{Role: "user", Content: rest[0].Text})
	case len(rest) > 0:
		out = append(out, chatMessage{Role: "user", Content: rest})
	}
	return out
}
