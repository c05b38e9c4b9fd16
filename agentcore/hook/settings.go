package hook

import "github.com/stophook/stophook/policy/hookio"

// Settings are the hooks of all settings files together.
type Settings struct {
	// Disabled: one of the files has disableAllHooks.
	Disabled bool
	// Warnings are for the person: what was left out and why, each with its file
	// and line.
	Warnings []string

	groups map[hookio.EventName][]group
}

type group struct{}

// LoadSettings reads settings files in the order of precedence: user, project,
// local. A missing or empty file is none. What cannot be read at all is an error
// with file, line and what to do, and the hooks of the other files come with it;
// what is merely unknown is a warning.
func LoadSettings(paths ...string) (*Settings, error) { return &Settings{}, nil }

// ClaudeNames are the client's names of this project's tools, by native name.
func ClaudeNames() map[string]string {
	return map[string]string{
		"shell": "Bash", "read_file": "Read", "write_file": "Write", "edit": "Edit",
		"glob": "Glob", "grep": "Grep", "list_files": "LS", "spawn": "Agent",
	}
}
