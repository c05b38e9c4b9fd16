package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// What the model is told where the file has nothing to tell.
const (
	unansweredText = "This call was broken off before it had a result: the run ended. It may have taken effect, wholly or in part."
	beheadedText   = "[The beginning of this conversation is missing.]"
)

// fold joins rows into messages that an API takes. The latest answer stays open,
// with what the user's side said since, because more of it may come: blocks have
// a row each, and results of early calls may stand between them.
type fold struct {
	done []model.Message // finished, the sides in turn, the user first

	answer model.Message // the open one, if any
	calls  []call        // of the open answer, in order
	said   []model.Block // by the user's side since the answer, without results

	lent []model.Message // what borrow gave: the first of it are done
	of   int             // how many were done then

	used map[string]struct{} // every call id up to now: an API takes each once
}

// call is one use of a tool.
type call struct {
	asked  string      // the id that the model gave it
	id     string      // the same, unless that had been used before
	source string      // uuid of its row
	result model.Block // no type: not answered yet
}

// user adds blocks of the user's side.
func (f *fold) user(blocks []model.Block) {
	for _, b := range blocks {
		switch b.Type {
		case model.BlockToolResult:
			f.result(b)
		case model.BlockText:
			if strings.TrimSpace(b.Text) != "" {
				f.said = append(f.said, b)
			}
		case model.BlockImage:
			if b.Source != nil || b.Raw != nil {
				f.said = append(f.said, b)
			}
		case "", model.BlockToolUse, model.BlockThinking, model.BlockRedactedThinking:
			// Not the user's to say.
		default:
			f.said = append(f.said, b)
		}
	}
}

// result takes the answer to a call of the open answer. The first one counts; one
// to any other call comes too late, or from nowhere.
func (f *fold) result(b model.Block) {
	at := waiting(f.calls, b.ToolUseID)
	if at < 0 {
		return
	}
	b.Content = slices.DeleteFunc(b.Content, func(c model.Block) bool {
		switch c.Type {
		case model.BlockText:
			return c.Text == ""
		case model.BlockImage:
			return c.Source == nil && c.Raw == nil
		case "", model.BlockToolUse, model.BlockToolResult, model.BlockThinking, model.BlockRedactedThinking:
			return true
		}
		return false
	})
	if id := f.calls[at].id; id != b.ToolUseID {
		b.ToolUseID, b.Raw = id, nil
	}
	f.calls[at].result = b
}

// waiting finds the first call with that id which has no result; -1 for none.
func waiting(calls []call, id string) int {
	return slices.IndexFunc(calls, func(c call) bool { return c.asked == id && c.result.Type == "" })
}

// assistant adds blocks of an answer, which stand in the row with the uuid source.
// Those with the id of the open answer belong to it, whatever stands between.
func (f *fold) assistant(m model.Message, source string) {
	if m.ID == "" || m.ID != f.answer.ID {
		f.close()
		f.answer = model.Message{ID: m.ID, Role: model.RoleAssistant, Model: m.Model}
	}
	if m.StopReason != "" {
		f.answer.StopReason = m.StopReason
	}
	if m.Usage != nil {
		f.answer.Usage = m.Usage
	}
	for _, b := range m.Content {
		switch b.Type {
		case model.BlockText:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
		case model.BlockThinking:
			if b.Signature == "" { // an API does not take it back
				continue
			}
		case model.BlockRedactedThinking:
			if b.Data == "" {
				continue
			}
		case model.BlockToolUse:
			b = f.call(b, source)
		case "", model.BlockToolResult, model.BlockImage:
			continue // not the assistant's to say
		}
		f.answer.Content = append(f.answer.Content, b)
	}
}

// call opens a call. What the model left out gets a name, so that its call can be
// answered and goes back in a form that an API takes.
func (f *fold) call(b model.Block, source string) model.Block {
	c := call{asked: b.ID, id: f.unique(cmp.Or(b.ID, "call")), source: source}
	if c.id != b.ID || b.Name == "" {
		b.ID, b.Name, b.Raw = c.id, cmp.Or(b.Name, "unknown"), nil
	}
	f.calls = append(f.calls, c)
	return b
}

// unique takes an id, or one like it: models that are played from a list use one
// twice, and an API refuses a conversation that does.
func (f *fold) unique(id string) string {
	if f.used == nil {
		f.used = map[string]struct{}{}
	}
	free := id
	for n := 2; ; n++ {
		if _, taken := f.used[free]; !taken {
			f.used[free] = struct{}{}
			return free
		}
		free = fmt.Sprintf("%s_%d", id, n)
	}
}

// close finishes the open answer and what was said since.
func (f *fold) close() {
	f.done = f.finish(f.done)
	f.answer, f.said = model.Message{}, nil
	clear(f.calls)
	f.calls = f.calls[:0]
}

// finish appends what is open to messages. Nothing of the fold changes, and no
// message or block that was there before.
func (f *fold) finish(messages []model.Message) []model.Message {
	if content := f.answered(); len(content) > 0 {
		switch n := len(messages); {
		case n == 0:
			messages = append(messages, model.Message{Role: model.RoleUser, Content: []model.Block{model.Text(beheadedText)}})
			fallthrough
		case messages[len(messages)-1].Role == model.RoleUser:
			m := f.answer
			m.Content = content
			messages = append(messages, m)
		default: // the model went on by itself
			m := f.answer
			m.Content = slices.Concat(messages[n-1].Content, content)
			messages[n-1] = m
		}
	}
	said := make([]model.Block, 0, len(f.calls)+len(f.said))
	for _, c := range f.calls {
		if c.result.Type == "" {
			c.result = model.ToolResult(c.id, unansweredText, true)
		}
		said = append(said, c.result)
	}
	said = append(said, f.said...)
	if len(said) == 0 {
		return messages
	}
	if n := len(messages); n > 0 && messages[n-1].Role == model.RoleUser {
		messages[n-1].Content = slices.Concat(messages[n-1].Content, said)
		return messages
	}
	return append(messages, model.Message{Role: model.RoleUser, Content: said})
}

// answered is the content of the open answer. No answer may end in thinking.
func (f *fold) answered() []model.Block {
	content := f.answer.Content
	for n := len(content); n > 0; n-- {
		if typ := content[n-1].Type; typ != model.BlockThinking && typ != model.BlockRedactedThinking {
			return content[:n:n]
		}
	}
	return nil
}

// messages gives the conversation up to now.
func (f *fold) messages() []model.Message {
	return f.finish(append(make([]model.Message, 0, len(f.done)+3), f.done...))
}

// borrow is messages in a slice that the next call uses again, so that a long
// conversation is not copied for every request.
func (f *fold) borrow() []model.Message {
	same := max(f.of-1, 0) // more may have been added to the last one
	f.lent = f.finish(append(f.lent[:same], f.done[same:]...))
	f.of = len(f.done)
	return f.lent
}

// unanswered are the calls of the open answer that have no result.
func (f *fold) unanswered() (ids []string) {
	for _, c := range f.calls {
		if c.result.Type == "" {
			ids = append(ids, c.asked)
		}
	}
	return ids
}

// reset forgets the conversation: a summary of it comes next.
func (f *fold) reset() { *f = fold{} }
