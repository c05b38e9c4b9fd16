package agentcore

import (
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/task"
)

// TaskEvents rebuilds, from a stored conversation, the events of the tasks whose ends its
// model was told: the same, in the same order, as runs yielded them as [EventTask] or
// Config.OnTask was told them (AC-80, AC-82). What a person typed or a tool printed gives
// none (D-28). A host that shows an old session paints its banners with it.
//
// For histories of other programs, which mark nothing, see task.EventsFromTurns.
func TaskEvents(t *session.Thread) []task.Event {
	return task.EventsFromTurns([]task.Turn{{Delivered: true, Marks: true, Texts: t.Notifications()}})
}
