package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	sessionID = "5f0e1a2b-0000-4000-8000-0000000000d1"
	timeForm  = "2006-01-02T15:04:05.000Z"
)

// stage holds one played session: its clock, transcript, repository and state.
type stage struct {
	binary string
	dir    string
	out    io.Writer
	color  bool
	start  time.Time
	clock  time.Time

	rows   int
	last   string // uuid of the latest row
	reason string // of the latest block
	final  string
	active bool // the host's stop_hook_active
}

func newStage(binary, dir string, out io.Writer) (*stage, error) {
	now := time.Now().UTC().Truncate(time.Second)
	s := &stage{binary: binary, dir: dir, out: out, start: now, clock: now}
	if f, ok := out.(*os.File); ok && os.Getenv("NO_COLOR") == "" {
		st, err := f.Stat()
		s.color = err == nil && st.Mode()&os.ModeCharDevice != 0
	}
	for _, sub := range []string{"home", "state"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	return s, s.repository()
}

// repository makes a work tree with one pushed commit and a bare remote beside it.
func (s *stage) repository() error {
	remote := filepath.Join(s.dir, "remote.git")
	if err := s.git(s.dir, "init", "-q", "--bare", "-b", "main", remote); err != nil {
		return err
	}
	if err := s.git(s.dir, "clone", "-q", remote, s.project()); err != nil {
		return err
	}
	conf := filepath.Join(s.project(), ".stophook", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(conf), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(conf, []byte("require_git_finalization: true\n"), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.project(), "README.md"), []byte("a tpyo\n"), 0o644); err != nil {
		return err
	}
	for _, args := range [][]string{{"checkout", "-q", "-B", "main"}, {"add", "."}, {"commit", "-q", "-m", "Start"},
		{"push", "-q", "-u", "origin", "main"}} {
		if err := s.git(s.project(), args...); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) project() string    { return filepath.Join(s.dir, "project") }
func (s *stage) transcript() string { return filepath.Join(s.dir, sessionID+".jsonl") }
func (s *stage) outputFile(task string) string {
	return filepath.Join(s.dir, "tasks", task+".output")
}

func (s *stage) git(dir string, args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.com", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

func (s *stage) edit(name, text string) error {
	return os.WriteFile(filepath.Join(s.project(), name), []byte(text), 0o644)
}

// land is the moment at which the background command is through.
func (s *stage) land(message string) error {
	if err := s.git(s.project(), "commit", "-q", "-am", message); err != nil {
		return err
	}
	return s.git(s.project(), "push", "-q")
}

func (s *stage) later(d time.Duration) { s.clock = s.clock.Add(d) }
func (s *stage) stamp() string         { return s.clock.Format(timeForm) }

// run calls the real binary as the host or the agent's shell would.
func (s *stage) run(stdin string, args ...string) (stdout string, code int, err error) {
	args = append(args[:1:1], append([]string{"--state-dir", filepath.Join(s.dir, "state"), "--now", s.clock.Format(time.RFC3339Nano)}, args[1:]...)...)
	cmd := exec.Command(s.binary, args...)
	cmd.Dir = s.project()
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = []string{"PATH=" + filepath.Dir(s.binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + filepath.Join(s.dir, "home"), "CLAUDE_CODE_SESSION_ID=" + sessionID,
		"CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PROJECT_DIR=" + s.project()}
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), exit.ExitCode(), nil
	}
	if err == nil && errout.Len() > 0 {
		return out.String(), 0, fmt.Errorf("stophook %s wrote to stderr: %s", args[0], errout.String())
	}
	return out.String(), 0, err
}

// payload is what the host sends at an event.
func (s *stage) payload(event string, final *string, more string) string {
	payload := map[string]any{"session_id": sessionID, "transcript_path": s.transcript(), "cwd": s.project(),
		"hook_event_name": event, "permission_mode": "default"}
	if event == "Stop" {
		payload["stop_hook_active"], payload["background_tasks"] = s.active, []any{}
	}
	if final != nil {
		payload["last_assistant_message"] = *final
	}
	b, err := json.Marshal(payload)
	if err != nil {
		panic(err) // strings, booleans and an empty list are always JSON
	}
	text := string(b)
	if more != "" {
		text = text[:len(text)-1] + "," + more + "}"
	}
	return text
}

// hook sends one event to the real `stophook hook`.
func (s *stage) hook(event string, final *string, more string) (string, error) {
	out, code, err := s.run(s.payload(event, final, more), "hook")
	if err == nil && code != 0 {
		err = fmt.Errorf("stophook hook must exit 0, got %d", code)
	}
	return out, err
}

// evidence runs one of the agent's own commands as a tool call of the session.
func (s *stage) evidence(id string, args ...string) error {
	s.later(2 * time.Second)
	command := "stophook " + args[0] + " " + fmt.Sprintf("%q", args[1])
	s.call("toolu_"+id, "Bash", command)
	out, code, err := s.run("", args...)
	if err != nil || code != 0 {
		return fmt.Errorf("stophook %s: exit %d: %w", args[0], code, err)
	}
	s.later(time.Second)
	s.result("toolu_"+id, out)
	s.event("agent", "$ "+command)
	return nil
}

// check runs the guarded status check and returns its box.
func (s *stage) check() (string, error) {
	s.call("toolu_check", "Bash", "stophook status --end-turn")
	out, code, err := s.run("", "status", "--end-turn")
	if err != nil || code != 0 {
		return "", fmt.Errorf("stophook status: exit %d: %w", code, err)
	}
	s.later(time.Second)
	s.result("toolu_check", out)
	end := strings.Index(out, "┘")
	if end < 0 {
		return "", fmt.Errorf("stophook status printed no box:\n%s", out)
	}
	return out[:end+len("┘")], nil
}
