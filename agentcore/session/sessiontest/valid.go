package sessiontest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// Valid tells what an API would not take about messages (RT-42); nil: nothing.
func Valid(messages []model.Message) error {
	used := map[string]bool{}
	var open []string // calls of the message before
	for i, m := range messages {
		want := model.RoleUser
		if i%2 == 1 {
			want = model.RoleAssistant
		}
		if m.Role != want {
			return fmt.Errorf("message %d is the %s's, not the %s's", i, m.Role, want)
		}
		if len(m.Content) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		var err error
		if m.Role == model.RoleUser {
			err, open = validUser(m, open), nil
		} else {
			open, err = validAnswer(m, used)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if _, err := m.AppendJSON(nil); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the calls %v have no results", open)
	}
	return nil
}

// validUser wants the results first, one a call, in the order of the calls.
func validUser(m model.Message, open []string) error {
	for i, b := range m.Content {
		switch b.Type {
		case model.BlockToolResult:
			if i >= len(open) || b.ToolUseID != open[i] {
				return fmt.Errorf("block %d answers %q, open in order are %v", i, b.ToolUseID, open)
			}
		case model.BlockText:
			if strings.TrimSpace(b.Text) == "" {
				return fmt.Errorf("block %d is an empty text", i)
			}
		case model.BlockToolUse, model.BlockThinking, model.BlockRedactedThinking, "":
			return fmt.Errorf("block %d is of type %q, not the user's", i, b.Type)
		}
		if b.Type != model.BlockToolResult && i < len(open) {
			return fmt.Errorf("the call %q has no result", open[i])
		}
	}
	if len(m.Content) < len(open) {
		return fmt.Errorf("the call %q has no result", open[len(m.Content)])
	}
	return nil
}

func validAnswer(m model.Message, used map[string]bool) (calls []string, err error) {
	for i, b := range m.Content {
		switch b.Type {
		case model.BlockText:
			if strings.TrimSpace(b.Text) == "" {
				return nil, fmt.Errorf("block %d is an empty text", i)
			}
		case model.BlockThinking:
			if b.Signature == "" {
				return nil, fmt.Errorf("block %d is thinking without a signature", i)
			}
		case model.BlockToolUse:
			if b.ID == "" || b.Name == "" || used[b.ID] {
				return nil, fmt.Errorf("block %d calls %q with the id %q, which must be there and new", i, b.Name, b.ID)
			}
			used[b.ID] = true
			calls = append(calls, b.ID)
		case model.BlockToolResult, model.BlockImage, "":
			return nil, fmt.Errorf("block %d is of type %q, not the assistant's", i, b.Type)
		}
	}
	if typ := m.Content[len(m.Content)-1].Type; typ == model.BlockThinking || typ == model.BlockRedactedThinking {
		return nil, errors.New("it ends in thinking")
	}
	return calls, nil
}
