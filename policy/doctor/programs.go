package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

// versionWait bounds a question for the version of a program.
const versionWait = 10 * time.Second

// programs looks at the files that the entries call.
func (e *exam) programs(ctx context.Context) {
	seen := map[string]bool{}
	for i := range e.entries {
		in := &e.entries[i]
		key := in.File + "\x00" + in.Program // one finding a file and program, not one for each event
		if seen[key] {
			continue
		}
		seen[key] = true
		e.program(ctx, *in)
	}
}

// resolve is the file that an entry calls; empty when only its shell can tell.
func (e *exam) resolve(in entry) string {
	path := in.Program
	for _, name := range []string{"${CLAUDE_PLUGIN_ROOT}", "$CLAUDE_PLUGIN_ROOT"} {
		if in.plugin != "" {
			path = strings.ReplaceAll(path, name, in.plugin)
		}
	}
	for _, name := range []string{"~/", "$HOME/", "${HOME}/"} {
		if rest, ok := strings.CutPrefix(path, name); ok && e.Env.Home != "" {
			path = filepath.Join(e.Env.Home, rest)
		}
	}
	switch {
	case strings.ContainsAny(path, "$`"):
		return ""
	case strings.ContainsAny(path, `/\`):
		return path
	case e.LookPath == nil:
		return ""
	}
	found, err := e.LookPath(path)
	if err != nil {
		return path // it is nowhere on PATH
	}
	return found
}

// unusable reports whether the program of an entry is known not to run, so that
// nothing is learned from trying.
func (e *exam) unusable(in entry) bool {
	path := e.resolve(in)
	if path == "" {
		return false
	}
	info, err := stat(path)
	return err != nil || e.unrunnable(info)
}

// stat is os.Stat for programs: a name without a folder is one that PATH did not
// find, whatever lies in the present folder.
func stat(path string) (fs.FileInfo, error) {
	if !strings.ContainsAny(path, `/\`) {
		return nil, fmt.Errorf("%s: %w", path, exec.ErrNotFound)
	}
	return os.Stat(path)
}

func (e *exam) unrunnable(info fs.FileInfo) bool {
	return info.IsDir() || e.Env.GOOS != "windows" && info.Mode()&0o111 == 0
}

// foreign reports whether an entry is one that a project brings along and that runs
// more than a program of this machine. It is not tried out: whoever looks at a
// project that somebody else wrote has not yet agreed to run its commands.
func (e *exam) foreign(in entry) bool {
	if in.plugin != "" || in.Scope != install.ScopeProject && in.Scope != install.ScopeLocal {
		return false
	}
	if in.Args == nil && strings.ContainsAny(in.Command, ";|&<>()$`\n\r") {
		return true
	}
	path := e.resolve(in)
	if path == "" {
		return true
	}
	if strings.ContainsAny(path, `/\`) != filepath.IsAbs(path) {
		return true // a folder of the project's; a bare name is one of this machine's PATH
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	for _, dir := range []string{e.Project, e.Env.Project, e.Workdir} {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		if rel, err := filepath.Rel(dir, path); dir != "" && err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

func (e *exam) program(ctx context.Context, in entry) {
	path := e.resolve(in)
	if path == "" && !e.foreign(in) {
		return
	}
	at := Finding{File: in.File, Line: in.Line}
	info, err := stat(path)
	switch {
	case e.foreign(in):
	case err != nil:
		at.ID, at.Severity = "program_missing", Error
		at.Title = fmt.Sprintf("%s calls a program that is not there: %s", install.Title(in.Host), path)
		at.Todo, at.repair = "run `stophook install` again, with the scope of this file", e.reinstall(in)
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, exec.ErrNotFound) {
			at.Detail = err.Error()
		}
		if in.plugin != "" {
			at.Todo = "install the plugin again: /plugin in Claude Code"
		}
		e.add(at)
		return
	case e.unrunnable(info):
		at.ID, at.Severity = "program_not_executable", Error
		at.Title, at.Todo = fmt.Sprintf("%s calls %s, which cannot be executed", install.Title(in.Host), path), fmt.Sprintf("chmod +x %s, or install stophook again", path)
		e.add(at)
		return
	case e.Env.GOOS != "windows" && info.Mode()&0o002 != 0 && info.Mode().IsRegular():
		e.add(Finding{ID: "program_writable", Severity: Warning, File: in.File, Line: in.Line,
			Title: fmt.Sprintf("everybody on this machine can change %s, which runs at every turn", path), Todo: "chmod o-w " + path})
	}
	if e.foreign(in) {
		at.ID, at.Severity = "hook_not_tried", Warning
		at.Title = "this project brings a command of its own, which is not tried out here: " + in.Command
		at.Todo = "look at it; if you trust it, `stophook install --scope project` puts the installed program in its place"
		e.add(at)
		return
	}
	e.other(ctx, at, path, info)
}

// other compares the program that is called with the one that runs now.
func (e *exam) other(ctx context.Context, at Finding, path string, info fs.FileInfo) {
	if self, err := os.Stat(e.Program); err == nil && os.SameFile(self, info) {
		return
	}
	version, err := e.version(ctx, path)
	at.Detail = fmt.Sprintf("This is %s, version %s.", e.Program, e.Version)
	switch {
	case err != nil:
		at.ID, at.Severity = "program_other", Warning
		at.Title = fmt.Sprintf("%s is another program than this, and does not tell its version", path)
		at.Detail += "\n" + err.Error()
		at.Todo = "run `stophook install` with the stophook that you mean"
	case version != e.Version:
		at.ID, at.Severity = "program_version", Warning
		at.Title = fmt.Sprintf("the hook is version %s, this is %s", version, e.Version)
		at.Detail = fmt.Sprintf("The hook is %s. %s", path, at.Detail)
		at.Todo = "update the one that is behind, or run `stophook install` with the one that you mean"
	default:
		at.ID, at.Severity = "program_other", Note
		at.Title = fmt.Sprintf("the hook is another copy of this version: %s", path)
	}
	e.add(at)
}

// version asks a program.
func (e *exam) version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	r := e.Start(ctx, Call{Path: path, Args: []string{"version", "--json"}, Dir: e.Workdir, Env: e.Environ})
	if r.Err != nil {
		return "", fmt.Errorf("%s version: %w", path, r.Err)
	}
	var doc struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal([]byte(r.Stdout), &doc); err != nil || r.Code != 0 || doc.Version == "" {
		return "", fmt.Errorf("%s version: exit %d, %s", path, r.Code, firstLine(r.Stderr+r.Stdout))
	}
	return doc.Version, nil
}

// reinstall is the repair of an entry whose path is stale; nil when the file is not
// one that `stophook install` writes.
func (e *exam) reinstall(in entry) func() (string, error) {
	if in.plugin != "" || in.Scope == install.ScopeManaged || e.Command == "" {
		return nil
	}
	return func() (string, error) {
		change, err := install.Plan(install.Options{Host: in.Host, Scope: in.Scope, Profile: in.Profile, Command: e.Command, Agent: e.Agent,
			Exec: in.Args != nil, Env: e.Env})
		if err != nil {
			return "", err
		}
		if err := change.Apply(); err != nil {
			return "", err
		}
		done := fmt.Sprintf("%s now calls %s", in.File, e.Command)
		if in.Host == hookio.HostCodex {
			done += "; approve it in /hooks, because Codex trusts a command by its text"
		}
		return done, nil
	}
}

// workshop looks at the program for policy authors beside this one.
func (e *exam) workshop(ctx context.Context) {
	if e.Workshop == "" {
		e.add(Finding{ID: "workshop_missing", Severity: Note, Title: "stophook-workshop is not installed: check, test, fmt, policy, replay, diff and report do not work",
			Detail: "The hook does not need it.", Todo: "put stophook-workshop beside stophook, when policies are written here"})
		return
	}
	ctx, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	r := e.Start(ctx, Call{Path: e.Workshop, Args: []string{"version"}, Dir: e.Workdir, Env: e.Environ})
	if version := firstLine(r.Stdout); r.Err != nil || r.Code != 0 || version != e.Version {
		detail := fmt.Sprintf("%s says %q.", e.Workshop, version)
		if r.Err != nil {
			detail = r.Err.Error()
		}
		e.add(Finding{ID: "workshop_version", Severity: Warning, Title: "stophook-workshop is not of this version, so its tests are not of this hook",
			Detail: detail, Todo: "install both of one version"})
	}
}
