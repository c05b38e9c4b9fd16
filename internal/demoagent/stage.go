package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mark is the file that tells a folder of the demonstration from any other: only
// such a one is removed.
const mark = ".demo-agent"

// stage is the folder of the demonstration: a repository with a remote, a home, the
// state of both programs.
type stage struct {
	stophook, dir string
	out           io.Writer
	handoff       bool // the host moves commands
	early         bool // the push lands while the agent still answers, for tests
}

func (s *stage) project() string  { return filepath.Join(s.dir, "project") }
func (s *stage) settings() string { return filepath.Join(s.project(), ".claude", "settings.json") }

// clear makes the folder, without what an earlier demonstration left.
func (s *stage) clear() error {
	entries, err := os.ReadDir(s.dir)
	switch {
	case err == nil && len(entries) > 0:
		if _, err := os.Stat(filepath.Join(s.dir, mark)); err != nil {
			return fmt.Errorf("%s is no folder of an earlier demonstration; name another one with -dir", s.dir)
		}
		if err := os.RemoveAll(s.dir); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	for _, sub := range []string{"home", "state"} {
		if err := os.MkdirAll(filepath.Join(s.dir, sub), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.dir, mark), nil, 0o644)
}

// repository makes a work tree with one pushed commit and a remote beside it.
func (s *stage) repository() error {
	remote := filepath.Join(s.dir, "remote.git")
	steps := [][]string{{"init", "-q", "--bare", "-b", "main", remote}, {"clone", "-q", remote, s.project()}}
	for _, args := range steps {
		if err := s.git(s.dir, args...); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(s.project(), "README.md"), []byte("# Example\n\nThis line has a tpyo.\n"), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.project(), ".gitignore"), []byte(".claude/\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"checkout", "-q", "-B", "main"}, {"add", "."}, {"commit", "-q", "-m", "Start"}, {"push", "-q", "-u", "origin", "main"}} {
		if err := s.git(s.project(), args...); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(s.project(), ".git", "hooks", "pre-push"), []byte(prePush), 0o755)
}

// prePush is a hook that takes as long as the story needs: until the file is there
// that land makes. It gives up after a while, for when nobody is left to make it.
const prePush = `#!/bin/sh
: > ../push.began
left=600
until test -e ../push.released; do
	left=$((left - 1))
	test $left -gt 0 || { echo "nobody let the push go on" >&2; exit 1; }
	sleep 0.05
done
`

// pushing waits until the push hangs in its hook.
func (s *stage) pushing(ctx context.Context) error {
	return until(ctx, func() bool {
		_, err := os.Stat(filepath.Join(s.dir, "push.began"))
		return err == nil
	})
}

func until(ctx context.Context, done func() bool) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// land lets the push go on.
func (s *stage) land() error { return os.WriteFile(filepath.Join(s.dir, "push.released"), nil, 0o644) }

func (s *stage) git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, s.env()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// env is what every program of the demonstration sees: nothing of the user's but
// where programs are.
func (s *stage) env() []string {
	return []string{
		"PATH=" + filepath.Dir(s.stophook) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(s.dir, "home"), "XDG_STATE_HOME=" + filepath.Join(s.dir, "state"),
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull,
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.com", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.com",
	}
}

// install puts the gate into the project's settings, as a user would.
func (s *stage) install(ctx context.Context) error {
	if out, err := s.command(ctx, s.stophook, "install", "--scope", "project").CombinedOutput(); err != nil {
		return fmt.Errorf("stophook install: %w\n%s", err, out)
	}
	if _, err := os.Stat(s.settings()); err != nil {
		return fmt.Errorf("stophook install wrote no settings: %w", err)
	}
	return nil
}

func (s *stage) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = s.project(), s.env()
	return cmd
}
