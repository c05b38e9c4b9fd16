package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/internal/textdiff"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

func (p *program) installCommand() *cli.Command {
	return &cli.Command{
		Name: "install", Usage: "put the hook into a host's settings",
		UsageText: `stophook install [--host NAME] [--scope user|project|local] [--profile NAME] [--dry-run]

  stophook install --profile observe     # try it: everything is judged and logged, nothing held
  stophook install                       # Claude Code, all projects of yours, the whole ritual
  stophook install --host codex --scope project --dry-run`,
		Description: `Adds the hook to the settings of a host and permits the commands that the agent
needs for it. Every other byte of the file stays, comments and order included; it
is saved beside itself before. A file that cannot be parsed is not touched. Run it
again with another profile, or after the program moved: its own entries change in
place. ` + "`stophook uninstall`" + ` is the way back.

Hosts:    claude-code, codex, gemini, qwen, cursor, copilot, droid
Profiles: ritual      status check, box, task and session name (default)
          evidence    status check and box
          background  nothing but work in the background: the debt of headless runs,
                      commands that would sit and wait for it
          observe     the ritual, judged and logged; nothing is held`,
		Flags: append(installFlags(),
			&cli.StringFlag{Name: "profile", Value: "ritual", Usage: "what the agent owes: `NAME` is ritual, evidence, background or observe"},
			&cli.StringFlag{Name: "command", Usage: "how the host calls the program: an absolute `PATH`, or stophook for what PATH finds (default: where this one is installed)"},
			command.Switch("exec", "the form without a shell, for Claude Code 2.1.139 and later")),
		Action: p.install,
	}
}

func (p *program) uninstallCommand() *cli.Command {
	return &cli.Command{
		Name: "uninstall", Usage: "take the hook out of a host's settings",
		UsageText: `stophook uninstall [--host NAME] [--scope user|project|local] [--all] [--dry-run]

  stophook uninstall
  stophook uninstall --all --dry-run`,
		Description: `Removes the entries that call stophook, of this path or another, and the
permissions that came with them. A file that nobody else changed becomes what it
was, byte for byte. Evidence and decision log stay where they are.`,
		Flags:  append(installFlags(), command.Switch("all", "all hosts and scopes of this machine and project")),
		Action: p.uninstall,
	}
}

func installFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "host", Value: string(hookio.HostClaudeCode), Usage: "`NAME` of the host"},
		&cli.StringFlag{Name: "scope", Value: string(install.ScopeUser), Usage: "`SCOPE`: user, project, or local (this project, for you alone)"},
		command.Switch("dry-run", "show the change as a diff, and write nothing"),
	}
}

func (p *program) install(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("install takes no arguments, got %q; name a host with --host", c.Args().First())
	}
	env, err := p.installEnv()
	if err != nil {
		return err
	}
	opts := install.Options{Host: hookio.Host(c.String("host")), Scope: install.Scope(c.String("scope")), Env: env, DryRun: c.Bool("dry-run"),
		Profile: install.Profile(c.String("profile")), Command: c.String("command"), Exec: c.Bool("exec")}
	if opts.Command == "" {
		if opts.Command, err = p.installedAs(); err != nil {
			return err
		}
		if advice := p.misplaced(opts.Command); advice != "" {
			p.log.Warn(advice)
		}
	}
	opts.Agent = p.agentCalls(opts.Command)
	change, err := install.Plan(opts)
	if err != nil {
		return err
	}
	if err := p.carryOut(change, opts.DryRun); err != nil || opts.DryRun {
		return err
	}
	p.explainInstallation(change)
	return nil
}

func (p *program) uninstall(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("uninstall takes no arguments, got %q; name a host with --host", c.Args().First())
	}
	env, err := p.installEnv()
	if err != nil {
		return err
	}
	targets := []install.File{{Host: hookio.Host(c.String("host")), Scope: install.Scope(c.String("scope"))}}
	if c.Bool("all") {
		targets = install.Files(env)
	}
	var errs []error
	found := 0
	for _, f := range targets {
		if f.Scope == install.ScopeManaged {
			if entries, err := install.InFile(f); err == nil && len(entries) > 0 {
				errs = append(errs, fmt.Errorf("%s:%d calls stophook, and belongs to the administrator; ask for its removal", f.Path, entries[0].Line))
			}
			continue
		}
		change, err := install.PlanRemove(install.Options{Host: f.Host, Scope: f.Scope, Env: env})
		if err == nil && !change.Changes() {
			if !c.Bool("all") {
				fmt.Fprintf(p.stdout, "Nothing to do: %s does not call stophook.\n", term.Visible(change.Path))
			}
			continue
		}
		found++
		if err == nil {
			err = p.carryOut(change, c.Bool("dry-run"))
		}
		errs = append(errs, err)
	}
	if found == 0 && c.Bool("all") && errors.Join(errs...) == nil {
		fmt.Fprintln(p.stdout, "Nothing to do: no settings file of this machine and project calls stophook.")
	}
	return errors.Join(errs...)
}

// carryOut shows a change, and performs it unless it is only to be shown.
func (p *program) carryOut(c *install.Change, dry bool) error {
	st := p.style()
	if !c.Changes() {
		fmt.Fprintf(p.stdout, "Nothing to do: %s is as it should be.\n", term.Visible(c.Path))
		return nil
	}
	if dry {
		from, to := c.Path, c.Path
		if !c.Exists {
			from = "/dev/null"
		}
		if c.After == nil {
			to = "/dev/null"
		}
		for i, part := range strings.Split(textdiff.Unified(from, to, c.Before, c.After), "\t") {
			if i > 0 {
				fmt.Fprint(p.stdout, "\t") // the indentation is what a diff is looked at for
			}
			fmt.Fprint(p.stdout, term.Visible(part))
		}
		return nil
	}
	if err := c.Apply(); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s\n", st.Bold(term.Visible(fmt.Sprintf("%s, %s settings: %s", install.Title(c.Host), c.Scope, c.Path))))
	if c.Target != c.Path {
		fmt.Fprintf(p.stdout, "  a link to %s, which was changed\n", term.Visible(c.Target))
	}
	for _, s := range c.Summary {
		fmt.Fprintf(p.stdout, "  %s\n", term.Visible(s))
	}
	switch {
	case c.After == nil:
		fmt.Fprintln(p.stdout, "  nothing else was in the file, so it is gone")
	case c.Backup != "":
		fmt.Fprintf(p.stdout, "  the file before: %s\n", term.Visible(c.Backup))
	}
	return nil
}

// explainInstallation says what happens from now on and how to undo it.
func (p *program) explainInstallation(c *install.Change) {
	if !c.Changes() {
		return
	}
	fmt.Fprintf(p.stdout, "\n%s\n", p.style().Bold(fmt.Sprintf("From the next session on (profile %s)", c.Profile)))
	for _, line := range profileWords(c.Profile) {
		fmt.Fprintf(p.stdout, "  %s\n", line)
	}
	if c.Host == hookio.HostClaudeCode && (c.Profile == install.ProfileRitual || c.Profile == install.ProfileEvidence) {
		fmt.Fprintln(p.stdout, "  While a command that the host moved to the background still runs, check and box are put off.")
	}
	for _, note := range c.Notes {
		fmt.Fprintf(p.stdout, "  %s\n", term.Wrap(note, 100, "  "))
	}
	undo := []string{"stophook", "uninstall"}
	if c.Host != hookio.HostClaudeCode {
		undo = append(undo, "--host", string(c.Host))
	}
	if c.Scope != install.ScopeUser {
		undo = append(undo, "--scope", string(c.Scope))
	}
	fmt.Fprintf(p.stdout, "\n  %-10s stophook doctor\n  %-10s stophook log\n  %-10s %s\n", "check it", "watch it", "undo it", strings.Join(undo, " "))
}

// profileWords say what an agent owes.
func profileWords(profile install.Profile) []string {
	switch profile {
	case install.ProfileEvidence:
		return []string{"A turn that used tools ends with `stophook status --end-turn` and its box in the reply."}
	case install.ProfileBackground:
		return []string{"A headless run does not end while background work was never collected.",
			"A command that would sit and wait for background work is refused. Nothing else is asked."}
	case install.ProfileObserve:
		return []string{"Every turn is judged as in the profile ritual and logged, and all of them pass.",
			"The agent is told nothing."}
	}
	return []string{"The agent is told at the start what it owes: after a turn that used tools",
		"  1. `stophook status --end-turn` as the last command,  2. its box in the reply,",
		"  3. a task (once a session),  4. a session name (once).",
		"A turn that lacks one of them goes on, 5 times in a row at most."}
}

// installEnv is this machine and project.
func (p *program) installEnv() (install.Env, error) {
	dir, err := p.workdir()
	if err != nil {
		return install.Env{}, fmt.Errorf("the present folder cannot be told: %w; change into one that exists", err)
	}
	project := p.projectFolder(dir)
	if project == p.home {
		project = "" // its settings would be those of the user
	}
	return install.Env{Getenv: p.getenv, Home: p.home, Project: project}, nil
}

// projectFolder is the nearest folder upwards that looks like a project's, else dir.
func (p *program) projectFolder(dir string) string {
	for at := dir; at != p.home; at = filepath.Dir(at) {
		for _, mark := range []string{".git", ".claude", ".stophook"} {
			if _, err := os.Stat(filepath.Join(at, mark)); err == nil {
				return at
			}
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return dir
}

// installedAs is the path of this program as it stays over upgrades: as PATH finds
// it, or as it was called, and only else where links lead.
func (p *program) installedAs() (string, error) {
	exe, err := p.executable()
	if err != nil {
		return "", fmt.Errorf("where this program lies cannot be told: %w; name it with --command", err)
	}
	if found, err := p.lookPath("stophook"); err == nil && sameFile(found, exe) {
		return filepath.Abs(found)
	}
	if len(p.args) > 0 && strings.ContainsRune(p.args[0], filepath.Separator) {
		if path, err := filepath.Abs(p.args[0]); err == nil && sameFile(path, exe) {
			return path, nil
		}
	}
	return exe, nil
}

// agentCalls are the ways in which the agent may be told to call the program.
func (p *program) agentCalls(path string) []string {
	calls := []string{shellPath(path, runtime.GOOS)}
	if found, err := p.lookPath("stophook"); path == "stophook" || err == nil && sameFile(found, path) {
		calls = append([]string{"stophook"}, calls...)
	}
	return slices.Compact(calls)
}

// misplaced warns of a program that will not stay where it is.
func (p *program) misplaced(path string) string {
	real := path
	if r, err := filepath.EvalSymlinks(path); err == nil {
		real = r
	}
	const advice = "; install it first, for example with `go install github.com/stophook/stophook/cmd/...@latest`, and run that one"
	temporary := func(folder string) bool {
		folder, err := filepath.EvalSymlinks(folder)
		return err == nil && strings.HasPrefix(real, folder+string(filepath.Separator))
	}
	switch dir := filepath.Dir(real); {
	case strings.Contains(filepath.ToSlash(real), "/go-build"):
		return path + " is a build of `go run`, which is deleted" + advice
	case temporary(os.TempDir()), temporary("/tmp"):
		return path + " lies in a folder for temporary files, which is emptied" + advice
	case filepath.Base(dir) == "bin":
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "go.mod")); err == nil {
			return path + " lies in a checkout and changes with it" + advice
		}
	}
	return ""
}
