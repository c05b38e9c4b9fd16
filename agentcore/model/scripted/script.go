package scripted

import (
	"encoding/json"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// Script is a list of steps.
type Script struct {
	// Model is what answers say they come from. Empty: what the request asks
	// for, or "scripted".
	Model string `yaml:"model"`

	// Prefix makes ids of messages and calls differ from those of another script
	// in the same session.
	Prefix string `yaml:"prefix"`

	// Repeat begins anew when no step is left for a request.
	Repeat bool `yaml:"repeat"`

	// Forget switches off that requests are kept, see [Model.Requests].
	Forget bool `yaml:"forget"`

	Steps []Step `yaml:"steps"`
}

// Step is the answer to one request. Its content is Thinking, Text and Tools in
// this order, or Content when the order is another.
type Step struct {
	Name   string `yaml:"name"`   // for messages; may be empty
	When   *Match `yaml:"when"`   // only for requests that match
	Expect *Match `yaml:"expect"` // the request must match, or the call fails
	Always bool   `yaml:"always"` // played again and again, not once

	Thinking string `yaml:"thinking"` // gets a signature
	Text     string `yaml:"text"`
	Tools    []Tool `yaml:"tools"`
	Content  []Part `yaml:"content"`

	// StopReason is tool_use when there are calls and end_turn otherwise.
	StopReason model.StopReason `yaml:"stop_reason"`
	// Usage is 100 tokens in and 20 out when it is not said.
	Usage *Usage `yaml:"usage"`

	Delay time.Duration `yaml:"delay"` // before the first piece
	Pause time.Duration `yaml:"pause"` // between pieces
	Chunk int           `yaml:"chunk"` // characters in a piece; 0: a block is one
	Wait  *Wait         `yaml:"wait"`  // until released

	Error *Failure `yaml:"error"` // in place of an answer, or after some pieces
	Cut   *int     `yaml:"cut"`   // the stream ends after so many pieces

	// Answer, in Go only, makes the step that is played in this one's place.
	Answer func(req *model.Request) Step `yaml:"-"`

	line int
}

// Tool is a call. Input is any value that is an object in JSON; InputText is
// for what is none.
type Tool struct {
	ID        string `yaml:"id"` // empty: made from the step's number
	Name      string `yaml:"name"`
	Input     Value  `yaml:"input"`
	InputText string `yaml:"input_text"`
}

// Part is one block of a content. Exactly one of Text, Thinking, Redacted, Tool
// and Raw is set.
type Part struct {
	Text      string `yaml:"text"`
	Thinking  string `yaml:"thinking"`
	Signature string `yaml:"signature"` // of Thinking; empty: one is made
	Redacted  string `yaml:"redacted"`
	Tool      *Tool  `yaml:"tool"`
	Raw       Value  `yaml:"raw"` // a block of a type that nobody knows
}

// Value is JSON. In a file it is written as YAML or JSON.
type Value json.RawMessage

// Object makes a Value of what encoding/json can write. It panics when it cannot:
// scripts in Go are constants.
func Object(v any) Value {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("scripted: " + err.Error())
	}
	return raw
}

// Usage counts tokens, see [model.Usage].
type Usage struct {
	Input      int64 `yaml:"input"`
	Output     int64 `yaml:"output"`
	CacheWrite int64 `yaml:"cache_write"`
	CacheRead  int64 `yaml:"cache_read"`
}

// Wait holds a step until [Model.Release] of Name. In a file it may be the name
// alone.
type Wait struct {
	Name  string `yaml:"name"`
	After int    `yaml:"after"` // pieces that come before
}

// Failure is a [model.Error] that a step ends with.
type Failure struct {
	Kind       model.Kind    `yaml:"kind"` // empty: server
	Status     int           `yaml:"status"`
	Type       string        `yaml:"type"`
	Message    string        `yaml:"message"`
	RetryAfter time.Duration `yaml:"retry_after"`
	ResetAt    time.Time     `yaml:"reset_at"`
	After      int           `yaml:"after"` // pieces that come before
}

// Match is about a request. All that is said must hold; texts are looked for
// inside, and the *Matches are patterns of package regexp. What a named group of
// theirs finds is remembered and written in later texts and inputs where
// {{name}} stands.
type Match struct {
	System        string `yaml:"system"`
	SystemMatches string `yaml:"system_matches"`
	// Text is about the texts of the last message.
	Text        string `yaml:"text"`
	TextMatches string `yaml:"text_matches"`
	// ToolResult is about the results in the last message.
	ToolResult        string `yaml:"tool_result"`
	ToolResultMatches string `yaml:"tool_result_matches"`
	ToolError         *bool  `yaml:"tool_error"` // one of them is, or none is, an error
	// Conversation is about all texts and results of all messages.
	Conversation string   `yaml:"conversation"`
	Without      string   `yaml:"without"` // must not be in the conversation
	Messages     *int     `yaml:"messages"`
	Tools        []string `yaml:"tools"`         // offered, maybe among others
	WithoutTools []string `yaml:"without_tools"` // not offered
	Model        string   `yaml:"model"`         // exactly
}
