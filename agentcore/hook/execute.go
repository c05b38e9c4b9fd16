package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stophook/stophook/policy/hookio"
)

const (
	// maxStdout and maxStderr are how much of a hook's output is read, in bytes.
	// An answer's texts are far smaller (see [hookio.ReplyLimit]).
	maxStdout = 8 << 20
	maxStderr = 1 << 20
	// maxShown is how much of it a [Result] keeps.
	maxShown = 64 << 10
	// lingering is how long output is waited for after a hook has ended: a process
	// that it left behind may hold the pipes for ever.
	lingering = 2 * time.Second
)

// errTimeout is the cause of a hook's context when its time is up.
var errTimeout = errors.New("hook ran out of time")

// call is what all hooks of one [Commands.Run] share.
type call struct {
	commands *Commands
	event    hookio.EventName
	stdin    []byte
	env      []string
	dir      string
}

// run runs one hook to its end.
func (c *call) run(parent context.Context, h *configured) Result {
	limit := c.commands.limit(h)
	ctx, cancel := context.WithTimeoutCause(parent, limit, errTimeout)
	defer cancel()
	argv := c.argv(h)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	stdout, stderr := &buffer{most: maxStdout}, &buffer{most: maxStderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.stdin), stdout, stderr
	cmd.Env, cmd.Dir, cmd.WaitDelay = c.env, c.dir, lingering
	ownGroup(cmd)
	var killed atomic.Bool
	kill := cmd.Cancel
	cmd.Cancel = func() error {
		err := kill()
		killed.Store(err == nil)
		return err
	}

	start := c.commands.o.Now()
	err := cmd.Run()
	result := Result{Command: h.command, ExitCode: -1, Duration: c.commands.o.Now().Sub(start),
		Stdout: shown(stdout.data), Stderr: shown(stderr.data)}
	if state := cmd.ProcessState; state != nil {
		result.ExitCode = state.ExitCode()
	}
	if problem := c.problem(ctx, parent, limit, cmd.ProcessState, killed.Load(), err); problem != "" {
		result.Failure = c.failure(h, problem, err)
		return result
	}
	result.Reply = hookio.DecodeAnswer(c.event, stdout.data, stderr.data, result.ExitCode)
	if stdout.cut && result.ExitCode != 2 && bytes.HasPrefix(bytes.TrimSpace(stdout.data), []byte("{")) {
		result.Reply = hookio.Reply{Fault: fmt.Sprintf("it printed more than %d MiB, which is no answer", maxStdout>>20)}
	}
	if r := &result.Reply; r.ByExit {
		// As Claude Code words it: stderr is told with its command.
		r.Reason, r.PermissionReason = h.prefixed(r.Reason), h.prefixed(r.PermissionReason)
	}
	if result.Reply.Fault != "" {
		result.Failure = c.failure(h, result.Reply.Fault, nil)
	}
	return result
}

// problem says why a hook has no exit code to judge it by; empty: it has one.
func (c *call) problem(ctx, parent context.Context, limit time.Duration, state *os.ProcessState, killed bool, err error) string {
	// Windows has no signals: there, who was killed has an exit code all the same.
	ended := state != nil && state.Exited() && !(killed && runtime.GOOS == "windows")
	switch {
	case ended:
		return "" // it came to its own end, whatever happened meanwhile
	case state == nil && ctx.Err() == nil:
		return fmt.Sprintf("it could not be started: %v", err)
	case parent.Err() != nil:
		return "it was ended, because the run was"
	case errors.Is(context.Cause(ctx), errTimeout):
		return fmt.Sprintf("it ran out of time after %s and was ended", limit)
	}
	return fmt.Sprintf("it was ended from outside: %v", state)
}

func (c *call) failure(h *configured, problem string, err error) *Failure {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = nil // the problem says it
	}
	return &Failure{Event: c.event, Command: h.shown(), File: h.file, Line: h.line, Problem: problem, Err: err}
}

// argv is the command line of a hook.
func (c *call) argv(h *configured) []string {
	if h.args == nil {
		switch h.shell {
		case "powershell":
			return []string{powershell, "-NoProfile", "-NonInteractive", "-Command", h.command}
		case "bash":
			return []string{"bash", "-c", h.command}
		}
		return append(slices.Clone(c.commands.shell), h.command)
	}
	// No shell expands the one variable that such a hook may name.
	fill := strings.NewReplacer("${CLAUDE_PROJECT_DIR}", c.commands.o.ProjectDir)
	argv := []string{fill.Replace(h.command)}
	for _, a := range h.args {
		argv = append(argv, fill.Replace(a))
	}
	return argv
}

// shown is the command as texts name it.
func (h *configured) shown() string {
	return strings.Join(append([]string{h.command}, h.args...), " ")
}

func (h *configured) prefixed(text string) string {
	if text == "" {
		return ""
	}
	return "[" + h.shown() + "]: " + text
}

// buffer keeps the first bytes of an output, and drops the rest.
type buffer struct {
	data []byte
	most int
	cut  bool
}

func (b *buffer) Write(p []byte) (int, error) {
	room := b.most - len(b.data)
	if len(p) > room {
		b.cut = true
		b.data = append(b.data, p[:room]...)
		return len(p), nil // the hook must not be held up, or die of it
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

func shown(data []byte) string {
	if len(data) > maxShown {
		data = data[:maxShown]
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}
