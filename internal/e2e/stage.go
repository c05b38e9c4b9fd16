package e2e

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	// key is made up; the fake API takes any.
	key = "sk-ant-test-0000000000000000000000000000000000000000"
	// marker is set for every process of a stage, so that what is left is found.
	marker = "STOPHOOK_E2E_RUN"
	// DefaultDeadline bounds one scenario.
	DefaultDeadline = 90 * time.Second
	// sweepWait is how long the children of a client that has ended may take to end.
	sweepWait = 5 * time.Second
	// pollEvery is how often a file or a process list is looked at.
	pollEvery = 20 * time.Millisecond
)

// Setup is what one scenario needs. The zero value of every field is usable.
type Setup struct {
	Script []Reply
	// Install puts the hooks in place; default `stophook install` for the user.
	Install func(*Stage)
	// Config is the project's .stophook/config.yaml, as text.
	Config string
	// Policies are files below the project's .stophook/policies, by name.
	Policies map[string]string
	// Settings are merged into the top level of the client's settings.json before
	// anything is installed.
	Settings map[string]any
	// Env are more variables of the client, as NAME=value.
	Env []string
	// Deadline is for the whole scenario; default [DefaultDeadline].
	Deadline time.Duration
}

// Stage is one isolated set-up of the client: home, configuration, project, state of
// stophook, and the API. It belongs to one test.
type Stage struct {
	API     *API
	Home    string // HOME
	Config  string // CLAUDE_CONFIG_DIR
	Project string // where the client works
	State   string // folder of stophook's evidence and decision log
	// Ctx ends at the scenario's deadline.
	Ctx context.Context

	t      testing.TB
	client *Client
	bin    string
	id     string
	extra  []string
	runs   []*Run
	gates  []*Gate
}

// NewStage builds a stage that ends with the test. bin is the folder of the programs
// under test ([Build]); it comes first on PATH.
func NewStage(t testing.TB, client *Client, bin string, setup Setup) *Stage {
	t.Helper()
	// A short path of its own: sockets of the client lie below it, and the name of the
	// project's folder is part of file names.
	root, err := os.MkdirTemp("", "e2e-")
	if err == nil {
		root, err = filepath.EvalSymlinks(root) // the client does the same with its working folder
	}
	if err != nil {
		t.Fatal(err)
	}
	deadline := setup.Deadline
	if deadline == 0 {
		deadline = DefaultDeadline
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), deadline, fmt.Errorf("the scenario took longer than %v", deadline))
	s := &Stage{t: t, client: client, bin: bin, id: rand.Text(), extra: setup.Env, Ctx: ctx,
		Home: filepath.Join(root, "home"), Config: filepath.Join(root, "home", ".claude"), Project: filepath.Join(root, "project"),
		State: filepath.Join(root, "home", ".local", "state", "stophook")}
	t.Cleanup(func() {
		s.close()
		cancel()
		if err := removeAll(root); err != nil {
			t.Errorf("the stage cannot be removed: %v", err)
		}
	})
	if s.API, err = NewAPI(setup.Script...); err != nil {
		t.Fatal(err)
	}
	if err := s.furnish(setup); err != nil {
		t.Fatal(err)
	}
	if setup.Install != nil {
		setup.Install(s)
	} else {
		s.Install()
	}
	return s
}

// removeAll tries again for a moment: a process that was killed a moment ago may still
// have written a file.
func removeAll(root string) error {
	err := os.RemoveAll(root)
	for i := 0; err != nil && i < 50; i++ {
		pause(context.Background(), pollEvery)
		err = os.RemoveAll(root)
	}
	return err
}

// Stophook runs `stophook ARGS` in the project, as a person would beside the client,
// and returns what it printed.
func (s *Stage) Stophook(args ...string) (stdout, stderr string, err error) {
	s.t.Helper()
	cmd := exec.CommandContext(s.Ctx, filepath.Join(s.bin, "stophook"), args...)
	cmd.Dir, cmd.Env = s.Project, s.environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// Must is Stophook for commands that have to succeed.
func (s *Stage) Must(args ...string) string {
	s.t.Helper()
	out, errs, err := s.Stophook(args...)
	if err != nil {
		s.t.Fatalf("stophook %s: %v\n%s%s", strings.Join(args, " "), err, out, errs)
	}
	return out
}

// Script puts more replies at the end of the script.
func (s *Stage) Script(script ...Reply) {
	s.t.Helper()
	if err := s.API.Add(script...); err != nil {
		s.t.Fatal(err)
	}
}

// Await looks at something until it is there, and fails the test at the deadline; what
// names it.
func (s *Stage) Await(what string, there func() bool) {
	s.t.Helper()
	for !there() {
		if !pause(s.Ctx, pollEvery) {
			s.Fatalf("waited in vain for %s: %v", what, context.Cause(s.Ctx))
		}
	}
}

// Fatalf ends the test and shows what the client did last.
func (s *Stage) Fatalf(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), s.account())
}

// account is what there is to see of a scenario that went wrong.
func (s *Stage) account() string {
	var b strings.Builder
	for _, r := range s.runs {
		fmt.Fprintf(&b, "--- %s\n%s", strings.Join(r.cmd.Args[1:], " "), r.summary())
	}
	fmt.Fprintln(&b, "--- decisions")
	for _, d := range s.Decisions() {
		fmt.Fprintf(&b, "%s %s %s %s\n", d.At.Format("05.000"), d.Event, d.Verdict, d.Code)
	}
	for _, fault := range s.API.Faults() {
		fmt.Fprintf(&b, "API: %s\n", fault)
	}
	return b.String()
}

// close ends everything and says what did not end by itself.
func (s *Stage) close() {
	for _, r := range s.runs {
		r.end()
	}
	for _, g := range s.gates {
		g.Open()
	}
	if s.API != nil {
		if err := s.API.Close(); err != nil {
			s.t.Errorf("the fake API: %v", err)
		}
		for _, fault := range s.API.Faults() {
			s.t.Errorf("the script: %s", fault)
		}
	}
	for _, left := range sweep(marker+"="+s.id, sweepWait) {
		s.t.Errorf("a process was left behind and has been killed: %s", left)
	}
	if err := s.keep(os.Getenv(EnvKeep)); err != nil {
		s.t.Errorf("%s: %v", EnvKeep, err)
	}
}
