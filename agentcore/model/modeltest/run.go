package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stophook/stophook/agentcore/model"
)

// start makes a server and an adapter for it. When the check has taken too long
// the server goes away, so that an adapter that hears nobody comes back.
func start(t tester, a Adapter, replies ...Reply) (*Server, model.Model, context.Context) {
	t.Helper()
	s := newServer(a.API, replies...)
	ctx, cancel := context.WithTimeout(t.Context(), a.bound())
	stop := context.AfterFunc(ctx, s.Close)
	t.Cleanup(func() {
		stop()
		cancel()
		s.Close()
	})
	return s, a.New(s.BaseURL), ctx
}

// check plays the case.
func (c caseFile) check(t tester, a Adapter) {
	t.Helper()
	var replies []Reply
	for _, turn := range c.turns {
		replies = append(replies, Raw(turn.response))
	}
	s, m, ctx := start(t, a, replies...)
	req := &model.Request{
		Model: c.setup.Model, System: c.setup.System, Tools: c.setup.Tools, MaxTokens: c.setup.MaxTokens,
		ThinkingTokens: c.setup.ThinkingTokens, Cache: c.setup.Cache, User: c.setup.User,
	}
	for i, turn := range c.turns {
		req.Messages = append(req.Messages, turn.send...)
		before, err := json.Marshal(req)
		if err != nil {
			t.Fatalf("write the request: %v", err)
		}
		heard := listen(t, m.Stream(ctx, req))
		if after, err := json.Marshal(req); err != nil || string(after) != string(before) {
			t.Errorf("turn %d: the adapter changed the request", i+1)
		}
		requests := s.Requests()
		if len(requests) != i+1 {
			t.Fatalf("turn %d: the API was asked %d times, want %d (an adapter does not try again by itself); heard: %+v, %v", i+1, len(requests), i+1, heard.final, heard.err)
		}
		turn.checkRequest(t, a.API, requests[i])
		if turn.want.Error != nil {
			turn.want.Error.check(t, heard)
			return
		}
		if heard.err != nil {
			t.Fatalf("turn %d: %v", i+1, heard.err)
		}
		if diff := diffMessages(turn.want.Message, heard.final); diff != "" {
			t.Fatalf("turn %d: the message differs (-want +got):\n%s", i+1, diff)
		}
		req.Messages = append(req.Messages, *heard.final)
	}
}

func (turn turn) checkRequest(t tester, api API, got Request) {
	t.Helper()
	if key := api.keyOf(got.Header); key != APIKey {
		t.Errorf("the key is not sent as the %s API wants it (got %d bytes)", api, len(key))
	}
	var body any
	if err := json.Unmarshal(got.Body, &body); err != nil {
		t.Fatalf("the request is no JSON: %v", err)
	}
	if m := missing("request", map[string]any{"stream": true}, body); m != "" {
		t.Errorf("%s", m)
	}
	if turn.request == nil {
		return
	}
	if m := missing("request", turn.request, body); m != "" {
		t.Errorf("%s\nthe whole request: %s", m, got.Body)
	}
}

// check compares an error. What the want does not name is not looked at.
func (w *wantError) check(t tester, heard *heard) {
	t.Helper()
	var e *model.Error
	if !errors.As(heard.err, &e) {
		t.Fatalf("want an error of kind %s, got %+v, %v", w.Kind, heard.final, heard.err)
	}
	if w.Kind != "*" && e.Kind != w.Kind {
		t.Errorf("the error's kind is %s, want %s: %v", e.Kind, w.Kind, e)
	}
	if w.Status != 0 && e.Status != w.Status {
		t.Errorf("the error's status is %d, want %d: %v", e.Status, w.Status, e)
	}
	if !strings.Contains(e.Type, w.Type) {
		t.Errorf("the error's type is %q, want %q in it: %v", e.Type, w.Type, e)
	}
	if !strings.Contains(e.Error(), w.Message) {
		t.Errorf("the error says %q, want %q in it", e.Error(), w.Message)
	}
	if w.RequestID != "" && e.RequestID != w.RequestID {
		t.Errorf("the error's request id is %q, want %q", e.RequestID, w.RequestID)
	}
	if w.RetryAfter != "" && e.RetryAfter.String() != w.RetryAfter {
		t.Errorf("RetryAfter is %v, want %s", e.RetryAfter, w.RetryAfter)
	}
	if !w.ResetAt.IsZero() && !e.ResetAt.Equal(w.ResetAt) {
		t.Errorf("ResetAt is %v, want %v", e.ResetAt, w.ResetAt)
	}
	if w.NoPartial && e.Partial != nil {
		t.Errorf("nothing had come, but Partial is %+v", e.Partial)
	}
	if w.Partial != nil {
		if e.Partial == nil {
			t.Fatalf("Partial is missing: what had come of the answer is lost")
		}
		if diff := diffMessages(w.Partial, e.Partial); diff != "" {
			t.Errorf("Partial differs (-want +got):\n%s", diff)
		}
	}
}

// diffMessages compares what counts: an id and a model that are not named are
// not looked at, inputs and raw blocks are compared as JSON, a signature of "*" is
// any, and a type of "*" is a block that is kept raw.
func diffMessages(want, got *model.Message) string {
	w, g := *want, *got
	if w.ID == "" {
		g.ID = ""
	}
	if w.Model == "" {
		g.Model = ""
	}
	if w.Usage == nil {
		g.Usage = nil
	}
	w.Content, g.Content = normal(w.Content), normal(g.Content)
	for i := range min(len(w.Content), len(g.Content)) {
		wb, gb := &w.Content[i], &g.Content[i]
		if wb.Type == "*" && gb.Raw != nil {
			*gb = *wb // how it is kept is the adapter's own affair
		}
		if wb.Raw == nil && wb.Type == gb.Type {
			gb.Raw = nil
		}
		if wb.Signature == "*" && gb.Signature != "" {
			gb.Signature = "*"
		}
	}
	return cmp.Diff(w, g, cmpopts.EquateEmpty())
}

// normal gives copies whose JSON can be compared byte for byte.
func normal(blocks []model.Block) []model.Block {
	var copies []model.Block
	for _, b := range blocks {
		if b.Type == model.BlockToolUse {
			b.Input = canonical(b.InputObject())
		}
		if b.Raw != nil {
			b.Raw = canonical(b.Raw)
		}
		copies = append(copies, b)
	}
	return copies
}

// canonical sorts the fields of objects. Numbers keep their digits.
func canonical(raw json.RawMessage) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return raw
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return sorted
}

func sameInput(a, b json.RawMessage) bool {
	return bytes.Equal(canonical(model.Block{Input: a}.InputObject()), canonical(model.Block{Input: b}.InputObject()))
}
