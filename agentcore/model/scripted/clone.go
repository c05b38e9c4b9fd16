package scripted

import (
	"bytes"
	"slices"

	"github.com/stophook/stophook/agentcore/model"
)

// clone copies a request, so that what happens to it later does not show.
func clone(req *model.Request) *model.Request {
	c := *req
	c.Messages = slices.Clone(req.Messages)
	for i := range c.Messages {
		m := &c.Messages[i]
		m.Content = cloneBlocks(m.Content)
		if m.Usage != nil {
			usage := *m.Usage
			m.Usage = &usage
		}
	}
	c.Tools = slices.Clone(req.Tools)
	for i := range c.Tools {
		c.Tools[i].InputSchema = bytes.Clone(c.Tools[i].InputSchema)
	}
	return &c
}

func cloneBlocks(blocks []model.Block) []model.Block {
	blocks = slices.Clone(blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Input, b.Raw = bytes.Clone(b.Input), bytes.Clone(b.Raw)
		if b.Content != nil {
			b.Content = cloneBlocks(b.Content)
		}
		if b.Source != nil {
			source := *b.Source
			b.Source = &source
		}
	}
	return blocks
}
