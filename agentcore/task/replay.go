package task

import (
	"strings"

	"github.com/stophook/stophook/execctx"
)

// Turn is the user's side of the beginning of one turn of a stored session. Turns of
// the model are not given: what a model wrote is no notification (AC-83).
type Turn struct {
	Delivered bool     // its row has the mark of a notification (D-28)
	Marks     bool     // the session was written by a runtime that marks notifications
	Texts     []string // its text blocks
}

// Split takes the notifications out of a turn: what is shown as a banner is not
// shown as text too (AC-80). The texts are what is left, in order.
//
// With the mark every text that begins with a block counts. In a history without
// marks, which another program wrote, the first text does, when it begins with a
// block and all of its blocks name tasks by ids of a known shape; such a turn is shown
// and never latches (D-28). Everything else is text, whatever it looks like.
func (t Turn) Split() (notices []Notice, texts []string) {
	for i, text := range t.Texts {
		if !t.Delivered && (t.Marks || i > 0) {
			texts = append(texts, text)
			continue
		}
		found, rest := split(text)
		if len(found) == 0 || !t.Delivered && !knownIDs(found) {
			texts = append(texts, text)
			continue
		}
		notices = append(notices, found...)
		if strings.Trim(rest, blanks) != "" {
			texts = append(texts, rest)
		}
	}
	return notices, texts
}

// EventsFromTurns gives the events of a stored session again, as they were given when it
// ran (AC-80, AC-82): one for each end, in the order of the turns (D-51). Stalls
// are no ends and give none.
func EventsFromTurns(turns []Turn) []Event {
	var events []Event
	shown := map[Key]bool{}
	for _, t := range turns {
		notices, _ := t.Split()
		for _, n := range notices {
			event, ok := n.Event()
			if !ok {
				continue
			}
			if k := n.Exit.Key(); k.unique() {
				if shown[k] {
					continue
				}
				shown[k] = true
			}
			events = append(events, event)
		}
	}
	return events
}

func knownIDs(notices []Notice) bool {
	for _, n := range notices {
		if !knownID(n.TaskID) {
			return false
		}
	}
	return true
}

// knownID tells the shapes of ids: bash_1 of this runtime; of Claude Code a letter for
// the kind of the task and 8 to 16 letters and digits.
func knownID(id string) bool {
	if _, err := execctx.ParseTaskID(id); err == nil {
		return true
	}
	if len(id) < 9 || len(id) > 17 || id[0] < 'a' || id[0] > 'z' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
