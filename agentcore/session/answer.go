package session

import "github.com/stophook/stophook/agentcore/model"

// Assistant records an answer, one row a block as the client does, all with the
// same message id, and gives the uuid of the last row. requestID may be empty.
// An answer without an id gets one. What came of a broken answer
// (model.PartialOf) is recorded the same way.
func (t *Thread) Assistant(m *model.Message, requestID string) (uuid string, err error) {
	return "", errNotYet
}

// APIError records that a model's answer failed for good, for people to read; it
// is no part of Messages.
func (t *Thread) APIError(cause error) (uuid string, err error) { return "", errNotYet }

// ToolResult is the answer to one tool use.
type ToolResult struct {
	CallID  string
	Text    string
	Blocks  []model.Block // instead of Text: text and images
	IsError bool
	// Structured is written as toolUseResult, as JSON; nil: the text. The receipt
	// of a background task stands here: an object with backgroundTaskId, and with
	// backgroundedToDeliverMessage for a handoff (docs/claude-code.md section 1).
	Structured any
}

// ToolResults records answers, a row each, in the order given, with one write.
// [Thread.Messages] puts them in the order of the calls. Rows point at the
// assistant row of their call.
func (t *Thread) ToolResults(results ...ToolResult) error { return errNotYet }
