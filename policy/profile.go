package policy

import (
	"fmt"
	"strings"
)

// Profile is a named configuration to start from: what the agent owes when no file
// says anything else. The installed command carries it (`stophook hook --profile
// evidence`), so it needs no file that a project could change.
//
// A profile stands below all configuration files. It only switches rules off that
// are on by default, so a file can make it stricter by setting them, and there is
// nothing in it that a file could loosen.
type Profile string

// The profiles, from the most to the least that an agent is held to.
const (
	// ProfileRitual is the default: status check, box, task and name.
	ProfileRitual Profile = "ritual"
	// ProfileEvidence asks for the status check and its box alone.
	ProfileEvidence Profile = "evidence"
	// ProfileBackground asks for none of the four. What is left are the debt of
	// headless runs and the waiter guard.
	ProfileBackground Profile = "background"
	// ProfileObserve judges as ProfileRitual, and holds nothing: the caller sets
	// [Gate].Shadow, see [Profile.Shadow].
	ProfileObserve Profile = "observe"
)

// Profiles lists the profiles, the default first.
func Profiles() []Profile {
	return []Profile{ProfileRitual, ProfileEvidence, ProfileBackground, ProfileObserve}
}

// ParseProfile reads a profile's name; an empty one is the default.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return ProfileRitual, nil
	}
	for _, p := range Profiles() {
		if string(p) == strings.ToLower(strings.TrimSpace(name)) {
			return p, nil
		}
	}
	return ProfileRitual, fmt.Errorf("there is no profile %q; use ritual, evidence, background or observe", name)
}

// Shadow says whether everything passes.
func (p Profile) Shadow() bool { return p == ProfileObserve }

// Config is the configuration to start from. Its maps belong to the caller.
func (p Profile) Config() Config {
	c := DefaultConfig()
	var off []string
	switch p {
	case ProfileEvidence:
		off = []string{"task_declared", "session_named"}
	case ProfileBackground:
		off = []string{"status_check", "status_box", "task_declared", "session_named"}
	}
	for _, rule := range off {
		c.Rules[rule] = RuleConfig{Severity: SeverityOff}
	}
	return c
}
