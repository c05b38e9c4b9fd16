package hook

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

// Settings are the hooks of all settings files together.
type Settings struct {
	// Disabled: one of the files has disableAllHooks, so there are no hooks.
	Disabled bool
	// Warnings are for the person: what is left out or means less here than in
	// Claude Code, each with its file and line.
	Warnings []string

	byEvent map[hookio.EventName][]configured
	order   []hookio.EventName // as they came
}

// configured is one command hook as it stands in a file.
type configured struct {
	event   hookio.EventName
	matcher matcher
	command string
	args    []string // the form without a shell; nil: the shell form
	shell   string   // bash, powershell or empty
	timeout time.Duration
	block   bool // onFailure: block
	file    string
	line    int
}

// Hook is one command hook, for a list.
type Hook struct {
	Event   hookio.EventName
	Matcher string
	Command string
	Args    []string
	Timeout time.Duration // 0: the default of the event
	File    string
	Line    int
}

// SettingsError is a settings file, or a part of one, whose hooks are lost.
type SettingsError struct {
	File    string
	Line    int // from 1; 0: the whole file
	Problem string
	Advice  string
	Err     error // what the system said; may be nil
}

func (e *SettingsError) Error() string {
	return fmt.Sprintf("%s: %s; %s", place(e.File, e.Line), e.Problem, e.Advice)
}

func (e *SettingsError) Unwrap() error { return e.Err }

// LoadSettings reads settings files in the order of precedence: user, project,
// local. A missing or empty file is none; comments, trailing commas and a byte order
// mark do no harm. Hooks of all files run, each once: of two with the same command
// for one call, the place of the first and the timeout of the last count.
//
// What cannot be understood is an error, a *[SettingsError] for each place, and the
// hooks of all other places come back beside it: whether an agent may run without the
// rest is the caller's decision. What is merely unknown here (an event, a type of
// hook, an option) is a warning.
func LoadSettings(paths ...string) (*Settings, error) {
	s := &Settings{byEvent: map[hookio.EventName][]configured{}}
	var faults []error
	for i, path := range paths {
		if path == "" || slices.Contains(paths[:i], path) {
			continue
		}
		r := &reader{file: path, into: s}
		r.read()
		faults = append(faults, r.faults...)
	}
	if s.Disabled {
		s.byEvent, s.order = map[hookio.EventName][]configured{}, nil
	}
	return s, errors.Join(faults...)
}

// Hooks lists all hooks, event by event, in the order in which they are aggregated.
func (s *Settings) Hooks() []Hook {
	if s == nil {
		return nil
	}
	var list []Hook
	for _, event := range s.order {
		for _, h := range s.byEvent[event] {
			list = append(list, Hook{Event: event, Matcher: h.matcher.text, Command: h.command, Args: slices.Clone(h.args),
				Timeout: h.timeout, File: h.file, Line: h.line})
		}
	}
	return list
}

func (s *Settings) add(h configured) {
	if len(s.byEvent[h.event]) == 0 {
		s.order = append(s.order, h.event)
	}
	s.byEvent[h.event] = append(s.byEvent[h.event], h)
}

// matching gives the hooks of a call, each command once.
func (s *Settings) matching(event hookio.EventName, names []string) []configured {
	var list []configured
	for _, h := range s.byEvent[event] {
		if !h.matcher.fits(event, names) {
			continue
		}
		if i := slices.IndexFunc(list, h.same); i >= 0 {
			list[i].timeout = h.timeout
			list[i].block = list[i].block || h.block
			continue
		}
		list = append(list, h)
	}
	return list
}

func (h configured) same(other configured) bool {
	return h.command == other.command && h.shell == other.shell &&
		(h.args == nil) == (other.args == nil) && slices.Equal(h.args, other.args)
}
