package session

import (
	"errors"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// Assistant records an answer, one row a block as the client does, all with the
// same message id, and gives the uuid of the last row. requestID may be empty.
// An answer without an id gets one, and so does one with the id of the answer
// before it: rows with one id are one answer. What came of a broken answer
// (model.PartialOf) is recorded the same way.
func (t *Thread) Assistant(m *model.Message, requestID string) (uuid string, err error) {
	whole := *m
	whole.Role = model.RoleAssistant
	if whole.ID == "" || whole.ID == t.state.fold.answer.ID {
		whole.ID = "msg_" + strings.ReplaceAll(t.opts.NewID(), "-", "")
	}
	b := t.batch()
	for i := range max(1, len(m.Content)) {
		part := whole
		part.Content = m.Content[min(i, len(m.Content)):min(i+1, len(m.Content))]
		b.talk("assistant", "")
		b.place()
		b.opt("requestId", requestID)
		b.key("message")
		out, err := part.AppendJSON(b.b)
		if err == nil {
			b.b = out
		}
		b.end(err)
	}
	return b.uuid, b.put()
}

// APIError records that a model's answer failed for good, for people to read; it
// is no part of Messages.
func (t *Thread) APIError(cause error) (uuid string, err error) {
	kind := "unknown"
	if e, ok := errors.AsType[*model.Error](cause); ok {
		kind = string(e.Kind)
	}
	m := model.Message{ID: t.opts.NewID(), Role: model.RoleAssistant, Model: "<synthetic>", StopReason: model.StopSequence,
		Content: []model.Block{model.Text("API Error: " + cause.Error())}, Usage: &model.Usage{}}
	b := t.batch()
	b.talk("assistant", "")
	b.flag("isApiErrorMessage", true)
	b.str("error", kind)
	b.place()
	b.key("message")
	out, err := m.AppendJSON(b.b)
	if err == nil {
		b.b = out
	}
	b.end(err)
	return b.uuid, b.put()
}
