package session

import (
	"strings"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
	"github.com/stophook/stophook/transcript"
)

// naiveRow is one row as a test remembers it.
type naiveRow struct {
	kind   string // turn, text, answer, result, feedback, interrupt, apierror, summary, bad, other
	end    int64  // offset behind its newline
	uuid   string
	origin string
	text   string      // of the user's side
	msg    string      // id of the answer
	block  model.Block // of an answer or a result
	task   string      // that the result is the receipt of, or the notice tells the end of
	how    transcript.Entrance
	copied bool
}

// naive is a thread as a test remembers it: rows, and what they come to worked
// out from all of them whenever it is asked.
type naive struct {
	rows []naiveRow
}

func (n *naive) add(rows ...naiveRow) { n.rows = append(n.rows, rows...) }

// ends notes where the rows end that were added last.
func (n *naive) ends(file string) {
	end := int64(len(file))
	for i := len(n.rows) - 1; i >= 0 && n.rows[i].end == 0; i-- {
		n.rows[i].end = end
		end = int64(strings.LastIndexByte(file[:end-1], '\n') + 1)
	}
}

// cut forgets what a file of that size has lost.
func (n *naive) cut(size int64) {
	kept, last := 0, int64(0)
	for kept < len(n.rows) && n.rows[kept].end-1 <= size {
		last = n.rows[kept].end
		kept++
	}
	n.rows = n.rows[:kept]
	if size > last {
		n.add(naiveRow{kind: "bad", end: size + 1})
	}
}

// fork is what a fork takes along.
func (n *naive) fork(at string) *naive {
	out := &naive{rows: []naiveRow{{kind: "other", end: 1}}}
	for _, r := range n.rows {
		if r.uuid == "" {
			continue
		}
		r.copied, r.end = true, 1
		out.add(r)
		if r.uuid == at {
			break
		}
	}
	return out
}

// exchange is an answer and what the user's side said to it.
type exchange struct {
	id     string
	answer []model.Block
	since  []naiveRow
}

func (n *naive) exchanges() []*exchange {
	all := []*exchange{{}}
	for _, r := range n.rows {
		last := all[len(all)-1]
		switch r.kind {
		case "answer":
			if r.msg != last.id {
				last = &exchange{id: r.msg}
				all = append(all, last)
			}
			last.answer = append(last.answer, r.block)
		case "turn", "text", "result", "feedback", "interrupt":
			last.since = append(last.since, r)
		}
	}
	return all
}

func (e *exchange) calls() (ids []string) {
	for _, b := range e.answer {
		if b.Type == model.BlockToolUse {
			ids = append(ids, b.ID)
		}
	}
	return ids
}

// open are the calls of the latest answer that have no result.
func (n *naive) open() (ids []string) {
	all := n.exchanges()
	last := all[len(all)-1]
	for _, id := range last.calls() {
		if _, ok := last.result(id); !ok {
			ids = append(ids, id)
		}
	}
	return ids
}

func (e *exchange) result(id string) (model.Block, bool) {
	for _, r := range e.since {
		if r.kind == "result" && r.block.ToolUseID == id {
			return r.block, true
		}
	}
	return model.Block{}, false
}

func (n *naive) messages() (out []model.Message) {
	emit := func(role model.Role, blocks []model.Block) {
		if len(blocks) == 0 {
			return
		}
		if len(out) == 0 && role == model.RoleAssistant {
			out = append(out, model.Message{Role: model.RoleUser, Content: []model.Block{model.Text(beheadedText)}})
		}
		if k := len(out); k > 0 && out[k-1].Role == role {
			out[k-1].Content = append(out[k-1].Content, blocks...)
			return
		}
		out = append(out, model.Message{Role: role, Content: blocks})
	}
	for _, e := range n.exchanges() {
		var said []model.Block
		for _, b := range e.answer {
			blank := b.Type == model.BlockText && strings.TrimSpace(b.Text) == ""
			if !blank && !(b.Type == model.BlockThinking && b.Signature == "") {
				said = append(said, b)
			}
		}
		for len(said) > 0 && said[len(said)-1].Type == model.BlockThinking {
			said = said[:len(said)-1]
		}
		emit(model.RoleAssistant, said)
		var back []model.Block
		for _, id := range e.calls() {
			b, ok := e.result(id)
			if !ok {
				b = model.ToolResult(id, unansweredText, true)
			}
			back = append(back, b)
		}
		for _, r := range e.since {
			if r.kind != "result" && strings.TrimSpace(r.text) != "" {
				back = append(back, model.Text(r.text))
			}
		}
		emit(model.RoleUser, back)
	}
	return out
}

// told is what a transcript must show.
func (n *naive) told(id string) sessiontest.Told {
	told := sessiontest.Told{SessionID: id}
	calls, tasks := map[string]int{}, map[string]int{}
	for _, r := range n.rows {
		switch r.kind {
		case "turn":
			told.Turns = append(told.Turns, sessiontest.Turn{Origin: r.origin, UUID: r.uuid, Copied: r.copied})
			told.Final = ""
			if at, ok := tasks[r.task]; ok {
				told.Tasks[at].Ended = true
			}
		case "answer":
			told.Final = r.block.Text
			if strings.TrimSpace(r.block.Text) != "" {
				told.Replies++
			}
			if r.block.Type == model.BlockToolUse {
				calls[r.block.ID] = len(told.Calls)
				told.Calls = append(told.Calls, sessiontest.Call{ID: r.block.ID, Name: r.block.Name})
			}
		case "result":
			c := &told.Calls[calls[r.block.ToolUseID]]
			c.Answered, c.Failed = true, c.Failed || r.block.IsError
			if r.task != "" && !r.copied {
				tasks[r.task] = len(told.Tasks)
				told.Tasks = append(told.Tasks, sessiontest.Task{ID: r.task, Entrance: r.how})
			}
		case "apierror":
			told.APIErrors++
			told.Final = r.text
		case "feedback":
			told.Feedback++
		case "interrupt":
			told.Interrupts++
		case "summary":
			told.Summaries++
		case "bad":
			told.BadLines++
		}
	}
	return told
}
