package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/benchgen"
)

// nodeHook is what a plain Node.js hook has to do at the least: read the same
// window and parse its rows, looking for an open handoff.
const nodeHook = `'use strict';
const fs = require('fs');
const fd = fs.openSync(process.argv[2], 'r');
const size = fs.fstatSync(fd).size, start = Math.max(0, size - Number(process.argv[3]));
const buf = Buffer.allocUnsafe(size - start);
fs.readSync(fd, buf, 0, buf.length, start);
const open = new Map();
const lines = buf.toString('utf8').split('\n');
for (let i = start > 0 ? 1 : 0; i < lines.length; i++) {
  if (lines[i] === '') continue;
  let row;
  try { row = JSON.parse(lines[i]); } catch { continue; }
  const result = row.toolUseResult;
  if (result && result.backgroundedToDeliverMessage === true) open.set(result.backgroundTaskId, row.timestamp);
}
if (open.size === 0) process.exitCode = 3;
`

// errVerdict means that the hook did not do the work that is to be measured.
var errVerdict = errors.New("the measured call does not defer on the handoff")

// command is one thing that is timed.
type command struct {
	name  string
	args  []string
	env   []string // in addition to the environment
	stdin string   // the file that is its standard input; none when empty
	bound float64  // the hook's time may be this many times this command's; 0 for the hook
}

func (c command) exec() *exec.Cmd {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	if c.stdin != "" {
		// A file and no pipe: whoever fills a pipe would be measured as well.
		if f, err := os.Open(c.stdin); err == nil {
			cmd.Stdin = f
		}
	}
	return cmd
}

// closeStdin closes the file that exec opened.
func closeStdin(cmd *exec.Cmd) {
	if f, ok := cmd.Stdin.(*os.File); ok {
		f.Close()
	}
}

// hook is the measured call, with the folder in which it keeps its state.
type hook struct {
	command
	stateDir string
}

// newHook prepares a session that owes nothing but check and box, so that the
// handoff decides and every run gives the same verdict.
func newHook(s setup, transcript string, now time.Time) (hook, error) {
	state, err := os.MkdirTemp(s.dir, "state-")
	if err != nil {
		return hook{}, err
	}
	payload, err := json.Marshal(map[string]any{
		"session_id": benchgen.SessionID, "transcript_path": transcript, "cwd": s.dir, "permission_mode": "default",
		"hook_event_name": "Stop", "stop_hook_active": false,
		"last_assistant_message": "The push is running; I will report when it is done.",
		"background_tasks":       []any{map[string]any{"id": benchgen.HandoffID, "type": "shell", "status": "running"}},
	})
	if err != nil {
		return hook{}, err
	}
	stdin := filepath.Join(state, "payload.json")
	if err := os.WriteFile(stdin, payload, 0o600); err != nil {
		return hook{}, err
	}
	env := []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=" + benchgen.SessionID, "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_ENTRYPOINT=cli"}
	for _, evidence := range [][]string{{"task", "--state-dir", state, "fix the handler"}, {"name", "--state-dir", state, "handler"}} {
		cmd := command{args: append([]string{s.stophook}, evidence...), env: env}.exec()
		if out, err := cmd.CombinedOutput(); err != nil {
			return hook{}, fmt.Errorf("stophook %s: %w: %s", evidence[0], err, out)
		}
	}
	return hook{stateDir: state, command: command{
		name:  "stophook hook",
		args:  []string{s.stophook, "hook", "--state-dir", state, "--now", now.Add(5 * time.Second).Format(time.RFC3339)},
		env:   env,
		stdin: stdin,
	}}, nil
}

// checkAnswer runs the hook once and makes sure that it passes with the deferral
// in its decision log: a hook that fails open would be fast, and wrong.
func (h hook) checkAnswer() (code string, err error) {
	cmd := h.exec()
	defer closeStdin(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("stophook hook: %w: %s", err, &stderr)
	}
	const want = "stop-hook.background_handoff_deferred"
	last, err := lastLine(filepath.Join(h.stateDir, "decisions.jsonl"))
	if err != nil {
		return "", err
	}
	if len(out) > 0 || !strings.Contains(last, want) {
		return "", fmt.Errorf("%w: stdout %q, stderr %q, last decision %.300q", errVerdict, out, &stderr, last)
	}
	return want, nil
}

func lastLine(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 64<<20)
	var last string
	for scanner.Scan() {
		last = scanner.Text()
	}
	return last, scanner.Err()
}

// commands lists what is compared, the hook first, and what this machine lacks.
func (s setup) commands(h hook, transcript string) (list []command, skipped []string, err error) {
	script := filepath.Join(s.dir, "hook.js")
	if err := os.WriteFile(script, []byte(nodeHook), 0o600); err != nil {
		return nil, nil, err
	}
	window := fmt.Sprint(windowBytes)
	list = []command{h.command}
	for _, c := range []command{
		{name: "tail -c " + window, args: []string{"tail", "-c", window, transcript}, bound: targetTail},
		{name: "node JSON.parse", args: []string{"node", script, transcript, window}, bound: targetNode},
	} {
		if _, err := exec.LookPath(c.args[0]); err != nil {
			skipped = append(skipped, c.args[0])
			continue
		}
		list = append(list, c)
	}
	return list, skipped, nil
}
