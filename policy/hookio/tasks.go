package hookio

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// BackgroundTask is one entry of the host's registry. ID equals the id in the
// transcript's launch row (claude-code section 3).
type BackgroundTask struct {
	ID          string `json:"id"`
	Type        string `json:"type,omitempty"` // shell, subagent, monitor, workflow, ... as sent
	Status      string `json:"status,omitempty"`
	Description string `json:"description,omitempty"`
	Command     string `json:"command,omitempty"`    // shell only
	AgentType   string `json:"agent_type,omitempty"` // subagent only
	Server      string `json:"server,omitempty"`     // MCP task
	Tool        string `json:"tool,omitempty"`       // MCP task, monitor
	Name        string `json:"name,omitempty"`       // workflow
}

// Task asks the host's registry for a task. known is false when the host sent no
// list, or when entries of the list could not be read and none of the others has
// this id: an unreadable list proves nothing.
func (e *Event) Task(id string) (running, known bool) {
	if e == nil || e.BackgroundTasks == nil {
		return false, false
	}
	for _, t := range *e.BackgroundTasks {
		if t.ID == id {
			return !terminal(t.Status), true
		}
	}
	return false, e.TasksSkipped == 0
}

// terminal knows the words for a task that is over. The host lists only live
// tasks, so a status that is missing or new counts as running.
func terminal(status string) bool {
	switch status {
	case "completed", "failed", "killed", "stopped":
		return true
	}
	return false
}

// tasks reads the host's registry entry by entry; a broken entry is counted and
// costs no other.
func (e *Event) tasks(key string, v gjson.Result) {
	e.BackgroundTasks, e.TasksSkipped = nil, 0
	if !v.IsArray() {
		e.odd(key, "a list", v)
		return
	}
	list := []BackgroundTask{}
	index := -1
	v.ForEach(func(_, entry gjson.Result) bool {
		index++
		if t, ok := e.task(fmt.Sprintf("%s[%d]", key, index), entry); ok {
			list = append(list, t)
		} else {
			e.TasksSkipped++
		}
		return true
	})
	if e.TasksSkipped > 0 {
		e.note(fmt.Sprintf("%s: %d of %d entries skipped, want objects with an id", key, e.TasksSkipped, index+1))
	}
	e.BackgroundTasks = &list
}

// task reads one entry; without an id it says nothing, its odd fields included.
func (e *Event) task(at string, entry gjson.Result) (t BackgroundTask, ok bool) {
	if !entry.IsObject() {
		return t, false
	}
	odd := len(e.Odd)
	entry.ForEach(func(k, v gjson.Result) bool {
		if into := t.field(k.Str); into != nil {
			*into = e.str(at+"."+k.Str, v)
		}
		return true
	})
	if t.ID == "" {
		e.Odd = e.Odd[:odd]
		return t, false
	}
	return t, true
}

func (t *BackgroundTask) field(key string) *string {
	switch key {
	case "id":
		return &t.ID
	case "type":
		return &t.Type
	case "status":
		return &t.Status
	case "description":
		return &t.Description
	case "command":
		return &t.Command
	case "agent_type":
		return &t.AgentType
	case "server":
		return &t.Server
	case "tool":
		return &t.Tool
	case "name":
		return &t.Name
	}
	return nil
}
