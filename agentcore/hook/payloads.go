package hook

import (
	"bytes"
	"slices"
	"time"

	"github.com/stophook/stophook/agentcore/model"
)

// SystemBeforePayload: session, run. Handlers may change System.
type SystemBeforePayload struct {
	IDs
	System string `json:"system"`
}

// Clone makes SystemBeforePayload [Mutable].
func (p *SystemBeforePayload) Clone() SystemBeforePayload { return *p }

// TurnBeforePayload: session, run, turn.
type TurnBeforePayload struct {
	IDs
	Turn  int    `json:"turn"` // of the run, from 1
	Model string `json:"model,omitempty"`
}

// TurnAfterPayload: session, run, turn.
type TurnAfterPayload struct {
	IDs
	Turn    int            `json:"turn"`
	Message *model.Message `json:"message,omitempty"` // the assistant's, not to be changed; nil when none came
	Usage   model.Usage    `json:"usage"`             // of this turn
}

// StreamTextPayload: session, run, turn.
type StreamTextPayload struct {
	IDs
	Delta string `json:"delta"`
}

// StreamThinkingPayload: session, run, turn.
type StreamThinkingPayload struct {
	IDs
	Delta string `json:"delta"`
}

// StreamEndPayload: session, run, turn.
type StreamEndPayload struct {
	IDs
	StopReason model.StopReason `json:"stop_reason,omitempty"`
	Text       string           `json:"text,omitempty"` // all of the message's
	Err        error            `json:"-"`              // the stream broke off
}

// ContextTransformPayload: session, run, turn. Handlers may change Messages, in
// place as well.
type ContextTransformPayload struct {
	IDs
	Messages []model.Message `json:"messages"`
}

// Clone makes ContextTransformPayload [Mutable].
func (p *ContextTransformPayload) Clone() ContextTransformPayload {
	c := *p
	c.Messages = slices.Clone(p.Messages)
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Content = cloneBlocks(m.Content)
		if m.Usage != nil {
			u := *m.Usage
			m.Usage = &u
		}
	}
	return c
}

func cloneBlocks(blocks []model.Block) []model.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Input, b.Raw, b.Content = bytes.Clone(b.Input), bytes.Clone(b.Raw), cloneBlocks(b.Content)
		if b.Source != nil {
			s := *b.Source
			b.Source = &s
		}
	}
	return blocks
}

// SteerInjectPayload: session, run, turn.
type SteerInjectPayload struct {
	IDs
	Text     string `json:"text"`
	FollowUp bool   `json:"follow_up"` // it waited for the end of the run
}

// StopPayload: session, run, turn. Handlers may set Block and Reason.
type StopPayload struct {
	IDs
	Active bool   `json:"active"`         // the run goes on because of an earlier block
	Blocks int    `json:"blocks"`         // of this run so far
	Text   string `json:"text,omitempty"` // the final text of the turn
	Block  bool   `json:"block"`
	Reason string `json:"reason,omitempty"` // the model reads it
}

// Refused and Refuse make StopPayload [Gated].
func (p *StopPayload) Refused() (bool, string) { return p.Block, p.Reason }

// Refuse sends the agent back.
func (p *StopPayload) Refuse(reason string) { p.Block, p.Reason = true, reason }

// AgentAbortPayload: session, run, turn.
type AgentAbortPayload struct {
	IDs
	SafePoint string `json:"safe_point"` // now, after_model, after_tools
	Reason    string `json:"reason,omitempty"`
}

// AgentDonePayload: session, run.
type AgentDonePayload struct {
	IDs
	StopReason string        `json:"stop_reason"`
	Text       string        `json:"text,omitempty"`
	Totals     model.Usage   `json:"totals"`
	CostUSD    float64       `json:"cost_usd,omitempty"`
	Turns      int           `json:"turns"`
	Elapsed    time.Duration `json:"elapsed_ns"`
	Err        error         `json:"-"`
}

// SessionStartPayload: session.
type SessionStartPayload struct {
	IDs
	Source string `json:"source"` // startup, resume, fork, clear, compact
	Path   string `json:"path"`   // of the transcript
}

// SessionEndPayload: session.
type SessionEndPayload struct {
	IDs
	Reason string `json:"reason"`
}

// SubagentStartPayload: session, run, turn, call of the parent.
type SubagentStartPayload struct {
	IDs
	ChildID string `json:"childId"`
	Type    string `json:"type,omitempty"`
	Prompt  string `json:"prompt"`
}

// SubagentEndPayload: session, run, turn, call of the parent.
type SubagentEndPayload struct {
	IDs
	ChildID string        `json:"childId"`
	Text    string        `json:"text,omitempty"`
	Totals  model.Usage   `json:"totals"`
	Turns   int           `json:"turns"`
	Elapsed time.Duration `json:"elapsed_ns"`
	Err     error         `json:"-"`
}
