package install

import (
	"bytes"

	"github.com/stophook/stophook/policy/hookio"
)

// HostDroid is Factory Droid, which sends what Claude Code sends and keeps its
// settings elsewhere.
const HostDroid hookio.Host = "droid"

// Scope says which of a host's settings files is meant.
type Scope string

// The scopes, from all projects of a person to one checkout. Not every host has
// all of them. ScopeManaged is only found, never installed to.
const (
	ScopeUser    Scope = "user"    // all projects of this person
	ScopeProject Scope = "project" // one project, shared with everybody in it
	ScopeLocal   Scope = "local"   // one project, for this person (Claude Code)
	ScopeManaged Scope = "managed" // what an administrator put in place
)

// Profile says what the agent owes. It is part of the installed command, so that
// no second file is needed for it to be in force.
type Profile string

// The profiles, from the most to the least that an agent is held to.
const (
	ProfileRitual     Profile = "ritual"     // status check, box, task, name; the default
	ProfileEvidence   Profile = "evidence"   // status check and box
	ProfileBackground Profile = "background" // background work alone: the debt of headless runs, the waiter guard
	ProfileObserve    Profile = "observe"    // all of it is judged and logged, nothing is held
)

// Env is what an installation needs to know of the machine. Home may be empty when
// it is unknown; then only files below Project, or named by a variable, can be
// installed to. The zero value of a func means an empty environment.
type Env struct {
	Getenv  func(string) string
	Home    string // absolute
	Project string // absolute; the folder that holds .claude, .codex, …
	GOOS    string // empty: the system of this program
}

// Options are one installation.
type Options struct {
	Host    hookio.Host // empty: claude-code
	Scope   Scope       // empty: user
	Profile Profile     // empty: ritual; PlanRemove ignores it
	// Command is the absolute path of the program as the host shall call it, or
	// stophook, for what PATH finds there (in settings that others share). It
	// must not carry a version: Codex trusts a hook by the hash of its command.
	// PlanRemove ignores it.
	Command string
	// Agent is how the agent may call the program in its shell, ready for it (quoted
	// where needed): what the permission rules permit. Empty: as Command.
	Agent []string
	// Exec asks for the form without a shell (command and args), which Claude Code
	// has since 2.1.139. An older one would call the program without arguments and
	// lose the gate in silence, so the shell form is the default.
	Exec   bool
	DryRun bool // for the caller; Plan never writes
	Env    Env
}

// Change is one file as it is and as it will be. It is made by [Plan] and
// [PlanRemove].
type Change struct {
	Host    hookio.Host
	Scope   Scope
	Profile Profile
	Path    string   // as the host knows it
	Target  string   // the file that is replaced: Path, or where its link leads to
	Before  []byte   // nil when there is no file
	After   []byte   // nil when there shall be no file
	Exists  bool     // there is a file now
	Backup  string   // where Apply saves Before; empty: nowhere
	Events  []string // the host's events that call us afterwards
	Rules   []string // permission rules of ours that stand there afterwards
	Summary []string // what changes, one sentence each; empty when nothing does
	Notes   []string // what the person should know or do, whether anything changes or not
	removes bool
	drop    []string // files of ours that have done their duty
}

// Changes tells whether Apply has anything to write.
func (c *Change) Changes() bool {
	return c.Exists != (c.After != nil) || !bytes.Equal(c.Before, c.After)
}

// Entry is one place in a settings file that calls stophook.
type Entry struct {
	Host    hookio.Host `json:"host"`
	Scope   Scope       `json:"scope"`
	File    string      `json:"file"`
	Line    int         `json:"line"`  // from 1
	Event   string      `json:"event"` // in the host's own words
	Matcher string      `json:"matcher,omitempty"`
	Command string      `json:"command"`           // as it stands in the file, unquoted from JSON only
	Args    []string    `json:"args,omitempty"`    // exec form; nil in the shell form
	Program string      `json:"program"`           // the binary that is called, unquoted
	Profile Profile     `json:"profile"`           // as the arguments say; ritual when they do not
	Timeout float64     `json:"timeout,omitempty"` // in the host's own unit; 0: its default
}

// File is one settings file that a host may read.
type File struct {
	Host  hookio.Host `json:"host"`
	Scope Scope       `json:"scope"`
	Path  string      `json:"path"`
}
