package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/doctor"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name: "doctor", Usage: "prove that the gate is live, and find what is wrong",
		UsageText: `stophook doctor [--fix] [--json] [--host NAME]

  stophook doctor
  stophook doctor --fix --host claude-code`,
		Description: `Runs every installed hook as its host does, with a sample turn that has to be held,
and looks for what takes the gate away: settings that switch hooks off, stale
paths, broken policies, a state folder that cannot be written. Evidence and log of
the sample go to a folder that is removed. Run it inside the project.

--fix does what is safe: it closes the state folder to others, corrects paths in
settings that lead nowhere, and removes what is kept of sessions older than 30
days. The exit code is 1 while an error is left, else 0.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "host", Usage: "look at the host `NAME` only: " + hostNames()},
			command.Switch("fix", "repair what can be repaired safely, and say what was done"),
			command.Switch("json", "print one JSON object (stophook.doctor/v1)"),
			stateDirFlag(), nowFlag(),
		},
		Action: p.doctor,
	}
}

func hostNames() string {
	var names []string
	for _, h := range install.Hosts() {
		names = append(names, string(h))
	}
	return strings.Join(names, ", ")
}

func (p *program) doctor(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("doctor takes no arguments, got %q; --host NAME looks at one host", c.Args().First())
	}
	if err := p.setClock(c); err != nil {
		return err
	}
	opts, err := p.doctorOptions(c)
	if err != nil {
		return err
	}
	ctx, stop := p.interrupted()
	defer stop()
	report := doctor.Examine(ctx, opts)
	if c.Bool("fix") {
		if repairs := report.Repair(); len(repairs) > 0 {
			report = doctor.Examine(ctx, opts)
			report.Repairs = repairs
		}
	}
	if c.Bool("json") {
		err = p.printJSON(report)
	} else {
		err = p.printDoctor(report, c.Bool("fix"))
	}
	if err == nil && !report.Healthy() {
		return command.Exit(1, "")
	}
	return err
}

// doctorOptions are this machine.
func (p *program) doctorOptions(c *cli.Context) (doctor.Options, error) {
	host := hookio.Host(c.String("host"))
	if host != hookio.HostAuto && !slices.Contains(install.Hosts(), host) {
		return doctor.Options{}, fmt.Errorf("--host %q: there are %s", host, hostNames())
	}
	env, err := p.installEnv()
	if err != nil {
		return doctor.Options{}, err
	}
	dir, err := p.workdir()
	if err != nil {
		return doctor.Options{}, err
	}
	exe, _ := p.executable()
	workshop, _ := p.findWorkshop()
	opts := doctor.Options{Env: env, Environ: os.Environ(), Workdir: dir, Project: policy.ProjectDir(p.getenv, p.home, dir), Program: exe, Version: version,
		Workshop: workshop, StateDir: p.store(c).Dir, Host: host, Now: p.now, LookPath: p.lookPath, Start: doctor.Start,
		TempDir: func() (string, error) { return os.MkdirTemp("", "stophook-doctor-") }, Free: doctor.Free, Mine: doctor.Mine}
	if path, err := p.installedAs(); err == nil && p.misplaced(path) == "" {
		opts.Command, opts.Agent = path, p.agentCalls(path)
	}
	return opts, nil
}

// printDoctor is the report for people: what matters most first.
func (p *program) printDoctor(r *doctor.Report, fixed bool) error {
	st := p.style()
	out := bufio.NewWriter(p.stdout)
	for _, done := range r.Repairs {
		if done.Error != "" {
			fmt.Fprintf(out, "%s  %s: %s\n", st.Bad("not fixed"), done.ID, term.Visible(done.Error))
		} else {
			fmt.Fprintf(out, "%s      %s\n", st.Good("fixed"), term.Visible(done.Done))
		}
	}
	fixable := 0
	for _, f := range r.Findings {
		if f.Fixable {
			fixable++
		}
		printFinding(out, f, st)
	}
	for _, limit := range r.Limits {
		fmt.Fprintf(out, "%s\n", st.Dim("not seen   "+term.Wrap(limit, 88, "           ")))
	}
	fmt.Fprintf(out, "\n%s\n", doctorVerdict(r, st))
	if fixable > 0 && !fixed {
		fmt.Fprintf(out, "`stophook doctor --fix` repairs %d of these.\n", fixable)
	}
	return out.Flush()
}

// printFinding is one finding: a line, and below it what was seen and what to do.
func printFinding(out *bufio.Writer, f doctor.Finding, st term.Style) {
	const margin = "           "
	word := fmt.Sprintf("%-9s", f.Severity)
	switch f.Severity {
	case doctor.Error:
		word = st.Bad(word)
	case doctor.Warning:
		word = st.Warn(word)
	case doctor.OK:
		word = st.Good(word)
	}
	fmt.Fprintf(out, "%s  %s\n", word, term.Wrap(f.Title, 88, margin))
	if f.Severity == doctor.OK {
		return
	}
	for line := range strings.Lines(f.Detail) {
		fmt.Fprintf(out, "%s%s\n", margin, term.Wrap(line, 88, margin))
	}
	if f.File != "" {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !strings.Contains(f.Detail, where) && !strings.Contains(f.Title, where) {
			fmt.Fprintf(out, "%s%s\n", margin, st.Dim(term.Visible(where)))
		}
	}
	if f.Todo != "" {
		fmt.Fprintf(out, "%s%s %s\n", margin, st.Bold("do:"), term.Wrap(f.Todo, 84, margin+"    "))
	}
}

// doctorVerdict is the last line.
func doctorVerdict(r *doctor.Report, st term.Style) string {
	errs, warnings := r.Count(doctor.Error), r.Count(doctor.Warning)
	switch {
	case errs > 0 && warnings > 0:
		return st.Bad(fmt.Sprintf("%s, %s: the gate is not to be relied on.", term.Plural(errs, "error"), term.Plural(warnings, "warning")))
	case errs > 0:
		return st.Bad(term.Plural(errs, "error") + ": the gate is not to be relied on.")
	case warnings > 0:
		return st.Warn("The gate is live, with " + term.Plural(warnings, "warning") + ".")
	}
	return st.Good("The gate is live.")
}
