package doctor

import (
	"context"
	"io/fs"
	"time"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// Options are the machine that is looked at. Env, Now, Start and TempDir are
// required; the zero value of the others leaves their checks out or says that
// nothing is known.
type Options struct {
	// Env is where settings files are looked for. Its Getenv is the environment of
	// everything else, too.
	Env install.Env
	// Files lists the settings files of hosts; nil: [install.Files].
	Files   func(install.Env) []install.File
	Environ []string // environment of the hooks that are run, NAME=value
	Workdir string   // where the person stands
	// Project is the folder whose policies and configuration the hook would use.
	Project string
	// Program is this program, and Command the path under which hosts should call
	// it, with Agent as in [install.Options]: what a repair writes into settings.
	// Without a Command stale paths are not repaired.
	Program  string
	Command  string
	Agent    []string
	Version  string // of this program
	Workshop string // path of stophook-workshop; empty when there is none
	StateDir string // empty when no folder is known
	// Host limits the look to one host; empty: all of them.
	Host hookio.Host
	Now  func() time.Time
	// LookPath finds a program on PATH; nil: programs without a path are not looked at.
	LookPath func(name string) (string, error)
	// Start runs a process to its end, or until the context ends.
	Start func(context.Context, Call) Result
	// TempDir makes a folder that nobody else uses. The doctor removes it.
	TempDir func() (string, error)
	// Free tells how many bytes can still be written below a folder.
	Free func(dir string) (int64, error)
	// Mine tells whether a file belongs to the person who asks; nil: all do.
	Mine func(fs.FileInfo) bool
}

// Call is one process to run.
type Call struct {
	Shell string   // a command line for sh -c; empty in the exec form
	Path  string   // the program of the exec form
	Args  []string // behind Path
	Dir   string
	Env   []string
	Stdin []byte
}

// Result is what a process left.
type Result struct {
	Stdout, Stderr string
	Code           int
	Took           time.Duration
	Err            error // it could not be started, or did not end in time
}

// prunedAge is the age at which what is kept of a session is called old.
const prunedAge = 30 * 24 * time.Hour

// exam is one look.
type exam struct {
	Options
	report  *Report
	entries []entry
}

// entry is an installed call, and where the host has it from.
type entry struct {
	install.Entry
	plugin string // the folder of the plugin that brings it; empty: settings
}

// Examine looks at everything. It never fails: what cannot be looked at is a
// finding.
func Examine(ctx context.Context, opts Options) *Report {
	e := &exam{Options: opts, report: &Report{Schema: Schema, Version: opts.Version, Project: opts.Project, StateDir: opts.StateDir,
		Findings: []Finding{}, Limits: []string{}}}
	e.installed()
	e.doubles()
	e.switches()
	e.programs(ctx)
	e.probes(ctx)
	e.codexTrust()
	e.state()
	e.policies(ctx)
	e.transcripts()
	e.environment()
	e.workshop(ctx)
	e.report.sort()
	return e.report
}

func (e *exam) getenv(name string) string {
	if e.Env.Getenv == nil {
		return ""
	}
	return e.Env.Getenv(name)
}

// settingsFiles are all settings files that are known.
func (e *exam) settingsFiles() []install.File {
	if e.Files != nil {
		return e.Files(e.Env)
	}
	return install.Files(e.Env)
}

// add files a finding; what can be repaired says so.
func (e *exam) add(f Finding) {
	f.Fixable = f.repair != nil
	e.report.Findings = append(e.report.Findings, f)
}

// limit says once what cannot be seen.
func (e *exam) limit(text string) { e.report.Limits = append(e.report.Limits, text) }

// asked tells whether a host is looked at.
func (e *exam) asked(h hookio.Host) bool { return e.Host == hookio.HostAuto || e.Host == h }

// has tells whether stophook is installed for a host.
func (e *exam) has(h hookio.Host) bool {
	for _, in := range e.entries {
		if in.Host == h {
			return true
		}
	}
	return false
}
