package session

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stophook/stophook/agentcore/model"
)

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
// [Thread.Messages] puts them in the order of the calls. A result that answers no
// open call of the latest answer is refused, because no API would take it.
func (t *Thread) ToolResults(results ...ToolResult) error {
	b := t.batch()
	calls := slices.Clone(t.state.fold.calls)
	for _, r := range results {
		at := waiting(calls, r.CallID)
		if at < 0 {
			return &NoCallError{CallID: r.CallID}
		}
		b.toolResult(r, calls[at].source)
		calls[at].result.Type = model.BlockToolResult // has one now
	}
	return b.put()
}

// NoCallError says that a result answers no call of the latest answer.
type NoCallError struct {
	CallID string
}

func (e *NoCallError) Error() string {
	return fmt.Sprintf("session: the latest answer has no open call %q: record the answer before its results, and each result once", e.CallID)
}

// toolResult adds one row. It hangs below its call, as the client's does: results
// of parallel calls are no branches of the conversation.
func (b *batch) toolResult(r ToolResult, source string) {
	b.talkBelow("user", "", source)
	b.opt("promptId", b.t.state.prompt)
	b.opt("sourceToolAssistantUUID", source)
	b.place()
	b.key("message")
	block := model.ToolResult(r.CallID, r.Text, r.IsError)
	if len(r.Blocks) > 0 {
		block.Content = r.Blocks
	}
	b.b = append(b.b, `{"role":"user","content":`...)
	err := b.blocks([]model.Block{block})
	b.b = append(b.b, '}')
	switch {
	case r.Structured != nil:
		err = cmp.Or(err, b.value("toolUseResult", r.Structured))
	case r.IsError:
		b.str("toolUseResult", "Error: "+r.Text)
	default:
		b.str("toolUseResult", r.Text)
	}
	b.end(err)
}
