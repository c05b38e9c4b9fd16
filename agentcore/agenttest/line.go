package agenttest

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model"
)

// describe is an event in one line: its kind, and what tells it from others.
func describe(e agentcore.Event) string {
	failed := mark(e.IsError)
	if text, ok := describeTask(e); ok {
		return text
	}
	switch e.Kind {
	case agentcore.EventTurnStart:
		return fmt.Sprintf("turn %d", e.Turn)
	case agentcore.EventPrompt, agentcore.EventSteer, agentcore.EventWarning, agentcore.EventNotice, agentcore.EventText, agentcore.EventThinking,
		agentcore.EventToolMore, agentcore.EventRestart, agentcore.EventChildStart:
		return fmt.Sprintf("%s %q", e.Kind, e.Text)
	case agentcore.EventMessage:
		return describeMessage(e.Message)
	case agentcore.EventToolHead:
		return "tool_delta " + e.Tool
	case agentcore.EventToolStart:
		return fmt.Sprintf("start %s %s", e.Tool, e.Input)
	case agentcore.EventToolResult:
		return fmt.Sprintf("result %s%s %q", e.Tool, failed, e.Text)
	case agentcore.EventBlocked:
		return fmt.Sprintf("%s %d %q", e.Kind, e.Blocks, e.Text)
	case agentcore.EventChildEnd:
		return fmt.Sprintf("%s%s %q", e.Kind, failed, e.Text)
	case agentcore.EventResult:
		return describeResult(e.Result)
	}
	return string(e.Kind)
}

func describeMessage(m *model.Message) string {
	text := fmt.Sprintf("message %q", m.FinalText())
	for _, b := range m.ToolUses() {
		text += " +" + b.Name
	}
	if m.StopReason != model.StopEndTurn && m.StopReason != model.StopToolUse {
		text += fmt.Sprintf(" (%s)", cmp.Or(m.StopReason, "broken off"))
	}
	return text
}

func describeResult(res *agentcore.Result) string {
	text := fmt.Sprintf("ended %s %q turns=%d calls=%d tokens=%d", res.End, res.Text, res.Turns, res.Calls, res.Usage.Total())
	if res.CostUSD > 0 {
		text += fmt.Sprintf(" cost=%.6f", res.CostUSD)
	}
	if res.Elapsed > time.Millisecond { // only the bubble's clock is that even
		text += " elapsed=" + res.Elapsed.Round(time.Millisecond).String()
	}
	if res.Queued > 0 {
		text += fmt.Sprintf(" queued=%d", res.Queued)
	}
	if res.Reason != "" {
		text += fmt.Sprintf(" reason=%q", res.Reason)
	}
	return text
}

// printMessages is a conversation, a block a line.
func printMessages(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s:\n", m.Role)
		for _, block := range m.Content {
			fmt.Fprintf(&b, "  %s\n", describeBlock(block))
		}
	}
	return b.String()
}

func describeBlock(b model.Block) string {
	switch b.Type {
	case model.BlockText:
		return fmt.Sprintf("%q", b.Text)
	case model.BlockThinking:
		return fmt.Sprintf("(thinking) %q", b.Thinking)
	case model.BlockToolUse:
		return fmt.Sprintf("%s %s", b.Name, b.InputObject())
	case model.BlockToolResult:
		text := ""
		for _, c := range b.Content {
			text += c.Text
		}
		text = fmt.Sprintf("-> %q", text)
		if b.IsError {
			text += " (error)"
		}
		return text
	}
	return "(" + string(b.Type) + ")"
}

func mark(failed bool) string {
	if failed {
		return " error"
	}
	return ""
}

// joinWords joins those that are not empty.
func joinWords(words ...string) string {
	var kept []string
	for _, w := range words {
		if w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
