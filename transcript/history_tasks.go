package transcript

import (
	"cmp"
	"slices"
)

// tasks takes over the tasks of the fold. Work left running by shell syntax is
// that of all turns here, and of the present one in [Read].
func (b *historian) tasks() {
	opened, _ := b.finish()
	b.out.Tasks = make([]HistoryTask, 0, len(opened))
	for _, t := range opened {
		b.out.Tasks = append(b.out.Tasks, historyTask(t, b.opts.Excerpt))
	}
	for _, t := range b.syntax {
		b.out.Tasks = append(b.out.Tasks, historyTask(t, b.opts.Excerpt))
	}
	slices.SortStableFunc(b.out.Tasks, func(x, y HistoryTask) int { return cmp.Compare(x.OpenedAt.Offset, y.OpenedAt.Offset) })
}

func historyTask(t Task, n int) HistoryTask {
	t.Command = excerpt(t.Command, n)
	h := HistoryTask{Task: t, Opened: at(t.OpenedAt)}
	if t.EndedAt != nil {
		h.Ended = at(*t.EndedAt)
	}
	return h
}

// handoffs says when each handoff opened, reached its limit and was closed.
func (b *historian) handoffs() {
	b.out.Handoffs = []HistoryHandoff{}
	for _, t := range b.fold.tasks {
		if !t.handoff {
			continue
		}
		h := HistoryHandoff{TaskID: t.ID, Command: excerpt(t.Command, b.opts.Excerpt), Opened: at(t.OpenedAt),
			State: string(HandoffOpen), Closer: t.anyText, EndedBy: t.ended}
		if t.anyText != nil {
			h.Closed = at(t.anyText.At)
			h.State = string(HandoffClosed)
		}
		if opened := t.OpenedAt.Time; !opened.IsZero() {
			h.Limit = opened.Add(MaxHandoffLimit)
		}
		until := b.out.To
		if h.Closer != nil && !h.Closed.Time.IsZero() {
			until = h.Closed.Time
		}
		if h.Expired = h.Limit.IsZero() || until.After(h.Limit); h.Expired && h.Closer == nil {
			h.State = string(HandoffExpired)
		}
		b.out.Handoffs = append(b.out.Handoffs, h)
	}
}
