//go:build unix

package hook_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/agentcore/hook"
	"github.com/stophook/stophook/policy/hookio"
)

// killLeft ends the process that a hook left behind on purpose.
func killLeft(t *testing.T, text string) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("what a hook starts and leaves behind is not ours to end: %v", err)
	}
}

// stubborn is a hook that ignores signals, and has a child and a grandchild that do,
// too. It writes their numbers to a file and then waits for ever.
func stubborn(file string) string {
	return fmt.Sprintf(`trap "" TERM INT HUP; (trap "" TERM INT HUP; sh -c 'echo $PPID $$ > %[1]s.new; mv %[1]s.new %[1]s; sleep 1000'; sleep 1000) & wait; sleep 1000`, file)
}

// await polls until the condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("never: %s", what)
		}
	}
}

// gone waits until the processes in the file are no more.
func gone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		// Who was killed may be a zombie until init looks: that is no process any more.
		await(t, "process "+word+" ends", func() bool { return syscall.Kill(pid, 0) != nil || zombie(pid) })
	}
}

func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}

// A hook that is out of time is ended with all that it started; the action goes on,
// and the person hears of it.
func TestRun_RT52_timeoutLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	// On a busy machine the hook may not have begun when its time is up: then it
	// gets more.
	for limit := 700 * time.Millisecond; ; limit *= 3 {
		s := load(t, hookio.Stop, script{"", stubborn(file), fmt.Sprintf(`,"timeout":%g`, limit.Seconds())},
			script{command: `echo '{"decision":"block","reason":"x"}'`})
		out := run(t, s, hookio.Payload{Event: hookio.Stop})
		if len(out.Failures) != 1 || out.Failures[0].Problem != "it ran out of time after "+limit.String()+" and was ended" || !out.Block || out.Reason != "x" {
			t.Fatalf("%+v", out)
		}
		if text := out.Failures[0].Error(); !strings.Contains(text, "settings.json:2) decided nothing: it ran out of time") {
			t.Errorf("%s", text)
		}
		if _, err := os.Stat(file); err == nil || limit > time.Minute {
			break
		}
	}
	gone(t, file)
}

func TestRun_RT52_cancelLeavesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pids")
	c := hook.NewCommands(load(t, hookio.Stop, script{command: stubborn(file)}), options(t))
	ctx, cancel := context.WithCancel(t.Context())
	type end struct {
		out hook.Outcome
		err error
	}
	ended := make(chan end, 1)
	go func() {
		out, err := c.Run(ctx, hookio.Payload{Event: hookio.Stop})
		ended <- end{out, err}
	}()
	await(t, "the hook runs", func() bool { _, err := os.Stat(file); return err == nil })
	cancel()
	e := <-ended
	if !errors.Is(e.err, context.Canceled) || e.out.Block || len(e.out.Failures) != 1 || e.out.Failures[0].Problem != "it was ended, because the run was" {
		t.Fatalf("%+v, %v", e.out, e.err)
	}
	gone(t, file)
}

// A hook has no terminal: it is the leader of a session of its own.
func TestRun_ownSession(t *testing.T) {
	out := run(t, load(t, hookio.UserPromptSubmit, script{command: `ps -o sid= -p $$ | tr -d ' '; echo $$`}), hookio.Payload{Event: hookio.UserPromptSubmit})
	if len(out.Context) != 1 {
		t.Fatalf("%+v", out)
	}
	sid, pid, _ := strings.Cut(out.Context[0], "\n")
	if sid != pid {
		t.Errorf("session %q of process %q", sid, pid)
	}
}
