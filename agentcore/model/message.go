package model

import "encoding/json"

// Role is who speaks.
type Role string

// The two roles of a conversation.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Message is one turn of one side. ID, Model, StopReason and Usage are the
// assistant's only.
type Message struct {
	ID         string
	Role       Role
	Model      string
	Content    []Block
	StopReason StopReason // empty: the answer did not come to its end
	Usage      *Usage
}

// StopReason is why the model stopped.
type StopReason string

// Reasons of the Messages API; adapters for others map onto them. An unknown
// one is kept as it came and handled like [StopEndTurn].
const (
	StopEndTurn      StopReason = "end_turn"
	StopMaxTokens    StopReason = "max_tokens"
	StopSequence     StopReason = "stop_sequence"
	StopToolUse      StopReason = "tool_use"
	StopPauseTurn    StopReason = "pause_turn" // the API wants the conversation sent again as it is
	StopRefusal      StopReason = "refusal"    // terminal: tool calls in the message are not run
	StopContextLimit StopReason = "model_context_window_exceeded"
)

// BlockType tells the fields of a [Block] that count.
type BlockType string

// Types that this package knows. Others are carried in [Block.Raw].
const (
	BlockText             BlockType = "text"
	BlockThinking         BlockType = "thinking"
	BlockRedactedThinking BlockType = "redacted_thinking"
	BlockToolUse          BlockType = "tool_use"
	BlockToolResult       BlockType = "tool_result"
	BlockImage            BlockType = "image"
)

// Block is one piece of a message.
type Block struct {
	Type BlockType

	Text string // text

	Thinking  string // thinking
	Signature string // thinking: proves to the API that the text is its own
	Data      string // redacted_thinking, opaque

	ID    string          // tool_use
	Name  string          // tool_use
	Input json.RawMessage // tool_use: an object; what the model sent when it is none

	ToolUseID string  // tool_result
	Content   []Block // tool_result: text and images
	IsError   bool    // tool_result

	Source *ImageSource // image

	// Raw is the whole block when Type is unknown here, or when it holds fields
	// that this type has no room for. It is written back as it came, whatever
	// the other fields say: set it to nil when changing one of them.
	Raw json.RawMessage
}

// ImageSource is a picture, inline.
type ImageSource struct {
	Type      string `json:"type"`       // base64
	MediaType string `json:"media_type"` // image/png, …
	Data      string `json:"data"`
}

// Text is a message block of text.
func Text(text string) Block { return Block{Type: BlockText, Text: text} }

// ToolResult answers a tool_use with text.
func ToolResult(toolUseID, text string, isError bool) Block {
	return Block{Type: BlockToolResult, ToolUseID: toolUseID, Content: []Block{Text(text)}, IsError: isError}
}

// ToolUses gives the calls in a message, in order.
func (m *Message) ToolUses() []Block {
	var calls []Block
	for _, b := range m.Content {
		if b.Type == BlockToolUse {
			calls = append(calls, b)
		}
	}
	return calls
}

// FinalText joins the text blocks of a message with newlines.
func (m *Message) FinalText() string {
	var text []byte
	for _, b := range m.Content {
		if b.Type != BlockText || b.Text == "" {
			continue
		}
		if len(text) > 0 {
			text = append(text, '\n')
		}
		text = append(text, b.Text...)
	}
	return string(text)
}
