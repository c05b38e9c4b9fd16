package continuation

import (
	"fmt"
	"strings"
	"unicode"
)

// Task is a background task with an id, as the native dialect knows it.
type Task struct {
	ID         string
	Command    string // shown to the model and the person, cut to one line
	OutputPath string // as the launch reported it; empty: it has no file
}

const (
	maxListed  = 20  // tasks in one text
	maxCommand = 100 // characters of a command in one text
)

// list adds a line for each task.
func list(b *strings.Builder, tasks []Task) {
	if len(tasks) == 0 {
		return
	}
	b.WriteString("\n")
	for i, t := range tasks {
		if i == maxListed {
			fmt.Fprintf(b, "\n- and %d more", len(tasks)-i)
			break
		}
		b.WriteString("\n- " + oneLine(t.ID))
		if command := oneLine(t.Command); command != "" {
			b.WriteString(" (" + command + ")")
		}
		if t.OutputPath != "" {
			b.WriteString(": output in " + t.OutputPath) // verbatim: the model must not rebuild it (AC-11)
		}
	}
}

// oneLine keeps what a model chose from looking like more of the text around it.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(s); len(runes) > maxCommand {
		return string(runes[:maxCommand]) + "…"
	}
	return s
}
