package evidence

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	defaultGitTimeout = 5 * time.Second
	maxGitOutput      = 4 << 20 // bytes of one git call
	pipeGrace         = 250 * time.Millisecond
)

// GitOptions adjusts [CheckGit]. The zero value is the default.
type GitOptions struct {
	Git     string        // the program; default "git" on PATH
	Timeout time.Duration // for each git call; default 5 s
	Env     []string      // environment to start from; default the process's own
	// Start starts a prepared command; default (*exec.Cmd).Start.
	Start func(*exec.Cmd) error
	// AllowNoUpstream lets commits pass that no remote branch has, on a branch
	// without an upstream: for repositories that live on one machine.
	AllowNoUpstream bool
	MaxOutput       int // bytes taken from one git call; default 4 MiB
}

// output is what one git call gave.
type output struct {
	stdout string
	stderr string
	cut    bool // stdout exceeded the bound and git was stopped
	err    error
}

func (o GitOptions) run(ctx context.Context, dir string, args ...string) output {
	timeout := o.Timeout
	if timeout <= 0 {
		timeout = defaultGitTimeout
	}
	limit := o.MaxOutput
	if limit <= 0 {
		limit = maxGitOutput
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errGitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Git, args...)
	stdout, stderr := &capped{limit: limit}, &capped{limit: 16 << 10, quiet: true}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, gitEnv(o.Env), stdout, stderr
	cmd.WaitDelay = pipeGrace // for grandchildren that left the group and hold the pipe
	killGroup(cmd)
	start := o.Start
	if start == nil {
		start = (*exec.Cmd).Start
	}
	err := start(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if ctx.Err() != nil && err != nil {
		err = context.Cause(ctx)
	}
	out := output{stdout: stdout.buf.String(), stderr: strings.TrimSpace(stderr.buf.String()), cut: stdout.over, err: err}
	if out.cut && !errors.Is(err, errGitTimeout) {
		out.err = nil
	}
	return out
}

var (
	errGitTimeout = errors.New("git did not answer in time")
	errTooMuch    = errors.New("more output than wanted")
)

// capped keeps the first bytes. After those it fails, which closes the pipe and
// so ends the writer, or with quiet swallows the rest.
type capped struct {
	buf   bytes.Buffer
	limit int
	quiet bool
	over  bool
}

var _ io.Writer = (*capped)(nil)

func (c *capped) Write(p []byte) (int, error) {
	room := c.limit - c.buf.Len()
	if len(p) <= room {
		return c.buf.Write(p)
	}
	c.over = true
	c.buf.Write(p[:room])
	if c.quiet {
		return len(p), nil
	}
	return room, errTooMuch
}

// gitEnv drops every GIT_ variable that could point git at another repository,
// index or configuration than the folder's own, and forbids what a check must
// not do: write to the index, ask a person, talk to a network.
func gitEnv(base []string) []string {
	if base == nil {
		base = os.Environ()
	}
	env := make([]string, 0, len(base)+6)
	for _, kv := range base {
		key, _, _ := strings.Cut(kv, "=")
		if key == "LC_ALL" || key == "LANGUAGE" || strings.HasPrefix(key, "GIT_") && !harmless(key) {
			continue
		}
		env = append(env, kv)
	}
	return append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ASKPASS=", "SSH_ASKPASS=")
}

// harmless names the variables that say where git and its configuration are, and
// one that only widens the search for a repository.
func harmless(key string) bool {
	switch key {
	case "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH",
		"GIT_DISCOVERY_ACROSS_FILESYSTEM":
		return true
	}
	return false
}
