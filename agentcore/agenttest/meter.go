package agenttest

import (
	"context"
	"iter"
	"sync"

	"github.com/stophook/stophook/agentcore/model"
)

// Meter is a model that adds up what another one reports: answers, and what came of
// those that failed. It is what totals are held against (RT-8). It is safe for
// concurrent use.
type Meter struct {
	under model.Model

	mu    sync.Mutex
	usage model.Usage
	calls int
}

// NewMeter puts a meter around a model. A [model.Retry] belongs around the meter.
func NewMeter(m model.Model) *Meter { return &Meter{under: m} }

// Stream implements [model.Model].
func (m *Meter) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		m.mu.Lock()
		m.calls++
		m.mu.Unlock()
		for e, err := range m.under.Stream(ctx, req) {
			if err != nil {
				m.add(model.PartialOf(err))
			}
			m.add(e.Message)
			if !yield(e, err) {
				return
			}
		}
	}
}

func (m *Meter) add(msg *model.Message) {
	if msg == nil || msg.Usage == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage = m.usage.Add(*msg.Usage)
}

// Total is the usage so far, and how often the model was called.
func (m *Meter) Total() (model.Usage, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage, m.calls
}
