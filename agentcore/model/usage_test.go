package model_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
)

func TestUsage(t *testing.T) {
	sum := model.Usage{InputTokens: 1, OutputTokens: 2, CacheCreationInputTokens: 3, CacheReadInputTokens: 4}.Add(model.Usage{InputTokens: 10, OutputTokens: 20, CacheCreationInputTokens: 30, CacheReadInputTokens: 40})
	if want := (model.Usage{InputTokens: 11, OutputTokens: 22, CacheCreationInputTokens: 33, CacheReadInputTokens: 44}); sum != want {
		t.Errorf("got %+v, want %+v", sum, want)
	}
	if sum.Total() != 110 {
		t.Errorf("total is %d", sum.Total())
	}
	price := model.Price{Input: 3, Output: 15, CacheWrite: 3.75, CacheRead: 0.3}
	cost := price.Cost(model.Usage{InputTokens: 1e6, OutputTokens: 1e5, CacheCreationInputTokens: 2e6, CacheReadInputTokens: 1e7})
	if math.Abs(cost-(3+1.5+7.5+3)) > 1e-9 {
		t.Errorf("cost is %v", cost)
	}
	if got := (model.Price{}).Cost(sum); got != 0 {
		t.Errorf("without prices it costs %v", got)
	}
}

func TestMessage_parts(t *testing.T) {
	call := model.Block{Type: model.BlockToolUse, ID: "a"}
	m := &model.Message{Content: []model.Block{model.Text("one"), {Type: model.BlockThinking, Thinking: "hm"}, model.Text(""), call, model.Text("two")}}
	if got := m.FinalText(); got != "one\ntwo" {
		t.Errorf("text is %q", got)
	}
	if diff := cmp.Diff([]model.Block{call}, m.ToolUses()); diff != "" {
		t.Error(diff)
	}
}
