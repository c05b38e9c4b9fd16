package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// runDeadline bounds every child process. It is no measurement: the hook's own
// deadline lies below it, so a child that reaches it hangs.
const runDeadline = time.Minute

func TestMain(m *testing.M) { testscript.Main(suite{m}, map[string]func(){"stophook": main}) }

// suite removes the built binary when the tests are over.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	defer os.RemoveAll(buildDir)
	return s.m.Run()
}

var buildDir string // where build put its binary; empty while nothing was built

// build makes the binary as a release would, once, for the tests in which the
// process itself matters: scripts run the same code inside the test binary.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "stophook-test-")
	if err != nil {
		return "", err
	}
	buildDir = dir
	path := filepath.Join(dir, "stophook")
	cmd := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func binary(tb testing.TB) string {
	tb.Helper()
	path, err := build()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// result is what a child process left.
type result struct {
	stdout, stderr string
	code           int
}

// child is one call of the real binary in an environment of its own: nothing of
// the developer's HOME, XDG folders or Claude session reaches it.
type child struct {
	dir   string // working folder, and home unless env says otherwise
	stdin []byte
	env   map[string]string
	args  []string
}

func (c child) command(tb testing.TB, ctx context.Context) *exec.Cmd {
	tb.Helper()
	bin := binary(tb)
	cmd := exec.CommandContext(ctx, bin, c.args...)
	cmd.Dir = c.dir
	cmd.Stdin = bytes.NewReader(c.stdin)
	// Later entries win, so a case's own HOME stands.
	cmd.Env = []string{"HOME=" + c.dir, "TMPDIR=" + c.dir,
		"PATH=" + filepath.Dir(bin) + string(os.PathListSeparator) + os.Getenv("PATH")}
	for k, v := range c.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	return cmd
}

func (c child) run(tb testing.TB) result {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runDeadline)
	defer cancel()
	cmd := c.command(tb, ctx)
	var out, errout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errout
	err := cmd.Run()
	if ctx.Err() != nil {
		tb.Fatalf("stophook %q did not end within %v", c.args, runDeadline)
	}
	r := result{stdout: out.String(), stderr: errout.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		r.code = exit.ExitCode()
	} else if err != nil {
		tb.Fatalf("stophook %q: %v", c.args, err)
	}
	return r
}
