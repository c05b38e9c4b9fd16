package continuation

import (
	"fmt"
	"strings"
)

// Mode is what follows the end of a turn with work in the background. A run has
// exactly one (D-04).
type Mode string

const (
	// Headless: nothing resumes a turn. The agent collects before it ends, is
	// nudged when it does not, and the person is told of what is left. It is the
	// default: the empty mode, and any that is not known, are Headless.
	Headless Mode = "headless"
	// Interactive: a notification wakes the agent when a task has ended. It is not
	// nudged, nothing counts as left behind, and a person decides what follows a
	// run that did not end well.
	Interactive Mode = "interactive"
)

// ParseMode reads a mode as settings and flags spell it; empty is Headless.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return Headless, nil
	case Headless, Interactive:
		return m, nil
	}
	return "", fmt.Errorf("continuation: unknown mode %q: use %q or %q", s, Headless, Interactive)
}

// Dialect is the vocabulary of an agent's tools, which texts speak.
type Dialect string

const (
	// Native: our own tools (see [Tools]). It is the default, as any other value is.
	Native Dialect = "native"
	// Claude: the tools of Claude Code, old and new names (D-07).
	Claude Dialect = "claude"
)

// Tools names what a native agent has for its tasks. An empty name is a tool that
// it does not have, and no text mentions it.
type Tools struct {
	Read string // reads a file by its path
	Wait string // waits for a task and tells how it ended
	Kill string // ends a task
}

// NativeTools are the framework's own names.
func NativeTools() Tools {
	return Tools{Read: "read_file", Wait: "wait_task", Kill: "shell_kill"}
}

func (t *Tools) orNative() Tools {
	if t == nil {
		return NativeTools()
	}
	return *t
}

// collect says how to learn how a task ended, with the tools that there are: nothing,
// or sentences with a space in front.
func (t Tools) collect() string {
	var how []string
	if t.Wait != "" {
		how = append(how, " Call "+t.Wait+" with the task_id: it returns when the task has ended and says how; when it times out, call it again.")
	}
	if t.Read != "" {
		read := " Read the output with " + t.Read + ", by exactly the path that the launch gave."
		if t.Wait == "" {
			read = " Read the output with " + t.Read + ", by exactly the path that the launch gave, until it is complete."
		}
		how = append(how, read)
	}
	if t.Kill != "" {
		how = append(how, " Do not wait for what never ends, such as a server: end it with "+t.Kill+", or say that it is meant to go on.")
	}
	return strings.Join(how, "")
}
