package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/model/internal/exchange"
)

// responsesBody is a request as Responses takes it. It is written here and not
// by the SDK, whose types would lose fields of items that they do not know.
type responsesBody struct {
	Model           string     `json:"model"`
	Instructions    string     `json:"instructions,omitempty"`
	Input           []any      `json:"input"`
	Tools           []function `json:"tools,omitempty"`
	MaxOutputTokens int        `json:"max_output_tokens"`
	Reasoning       *reasoning `json:"reasoning,omitempty"`
	Include         []string   `json:"include,omitempty"`
	Store           bool       `json:"store"`
	Stream          bool       `json:"stream"`
	User            string     `json:"safety_identifier,omitempty"`
}

type reasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type inputMessage struct {
	Type    string      `json:"type"`
	Role    string      `json:"role"`
	Phase   string      `json:"phase,omitempty"`
	Content []inputPart `json:"content"`
}

type inputPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL string `json:"image_url,omitempty"`
}

type functionCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type functionOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // a string, or []inputPart when there are images
}

// responsesBody writes a request. The same request gives the same bytes.
func (c *Client) responsesBody(req *model.Request) ([]byte, error) {
	b := responsesBody{Instructions: req.System, Stream: true, User: req.User, MaxOutputTokens: bound(req)}
	var err error
	if b.Model, err = c.model(req); err != nil {
		return nil, err
	}
	for _, spec := range req.Tools {
		b.Tools = append(b.Tools, function{"function", spec.Name, spec.Description, schema(spec), false})
	}
	if c.options.Effort != "" || c.options.Summary != "" {
		b.Reasoning = &reasoning{c.options.Effort, c.options.Summary}
	}
	if !c.options.NoEncryptedReasoning {
		b.Include = []string{"reasoning.encrypted_content"}
	}
	for i, m := range req.Messages {
		input, err := inputOf(m)
		if err != nil {
			return nil, fmt.Errorf("openai: message %d: %w", i, err)
		}
		b.Input = append(b.Input, input...)
	}
	if len(b.Input) == 0 {
		return nil, errors.New("openai: the request has no message with content")
	}
	return exchange.Marshal(b)
}

func (c *Client) model(req *model.Request) (string, error) {
	switch {
	case req.Model != "":
		return req.Model, nil
	case c.options.Model != "":
		return c.options.Model, nil
	}
	return "", errors.New("openai: no model: name one in the request or in Options.Model")
}

// bound is how many tokens an answer may have, with those for reasoning, which
// count in it.
func bound(req *model.Request) int {
	n := req.MaxTokens
	if n <= 0 {
		n = model.DefaultMaxTokens
	}
	return n + max(req.ThinkingTokens, 0)
}

func schema(spec model.ToolSpec) json.RawMessage {
	if len(spec.InputSchema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return spec.InputSchema
}

// inputOf gives the input items of a message, in the order of its blocks. Texts
// and images beside each other are one item, unless their phases differ.
// Reasoning that nothing follows, as of an aborted answer, is left out: the API
// refuses it.
func inputOf(m model.Message) ([]any, error) {
	var items []any
	whole := 0 // up to the last item that is no reasoning
	var open *inputMessage
	add := func(phase string, p inputPart) {
		if open == nil || open.Phase != phase {
			open = &inputMessage{Type: "message", Role: string(m.Role), Phase: phase}
			items = append(items, open)
		}
		open.Content = append(open.Content, p)
		whole = len(items)
	}
	for _, b := range m.Content {
		if p, ok := partOf(m.Role, b); ok {
			add(phaseIn(b), p)
			continue
		}
		var item any
		isReasoning := false
		switch {
		case b.Type == model.BlockToolUse:
			item = functionCall{"function_call", b.ID, b.Name, string(b.InputObject())}
		case b.Type == model.BlockToolResult:
			item = functionOutput{"function_call_output", b.ToolUseID, outputOf(b)}
		case b.Type == model.BlockThinking || b.Type == itemType:
			o := itemIn(b)
			if o == nil || b.Type == model.BlockThinking && o.Get("encrypted_content") == nil {
				continue // another API's, or one that only a storing API could look up
			}
			item, isReasoning = o.JSON(), b.Type == model.BlockThinking
		default:
			continue
		}
		items, open = append(items, item), nil
		if !isReasoning {
			whole = len(items)
		}
	}
	return items[:whole], nil
}

// partOf gives a text or an image as part of a message, or false.
func partOf(role model.Role, b model.Block) (inputPart, bool) {
	switch {
	case b.Type == model.BlockText && b.Text != "":
		if role == model.RoleAssistant {
			return inputPart{Type: "output_text", Text: b.Text}, true
		}
		return inputPart{Type: "input_text", Text: b.Text}, true
	case b.Type == model.BlockImage && imageURL(b) != "" && role == model.RoleUser:
		return inputPart{Type: "input_image", ImageURL: imageURL(b)}, true
	}
	return inputPart{}, false
}

// imageURL gives an image in the form that the API takes: an inline one as a data
// URL, one by address as it is.
func imageURL(b model.Block) string {
	if b.Source != nil && b.Source.Data != "" {
		return "data:" + b.Source.MediaType + ";base64," + b.Source.Data
	}
	var by struct {
		Source struct {
			URL string `json:"url"`
		} `json:"source"`
	}
	_ = json.Unmarshal(b.Raw, &by)
	return by.Source.URL
}

func phaseIn(b model.Block) string {
	if b.Raw == nil {
		return ""
	}
	o, err := exchange.ReadObject(b.Raw)
	if err != nil {
		return ""
	}
	return o.Text("phase")
}

// failedLine begins the output of a call that failed: there is no field for it.
const failedLine = "The tool call failed."

// outputOf gives the output of a call: its text, or a list when it has images.
func outputOf(b model.Block) any {
	text, images := resultOf(b)
	if len(images) == 0 {
		return text
	}
	var list []inputPart
	if text != "" {
		list = append(list, inputPart{Type: "input_text", Text: text})
	}
	for _, url := range images {
		list = append(list, inputPart{Type: "input_image", ImageURL: url})
	}
	return list
}

// resultOf gives the texts of a tool_result as one, and its images.
func resultOf(b model.Block) (text string, images []string) {
	var texts []string
	if b.IsError {
		texts = append(texts, failedLine)
	}
	for _, inner := range b.Content {
		switch {
		case inner.Type == model.BlockText && inner.Text != "":
			texts = append(texts, inner.Text)
		case inner.Type == model.BlockImage && imageURL(inner) != "":
			images = append(images, imageURL(inner))
		}
	}
	return strings.Join(texts, "\n"), images
}
