//go:build unix

package supervised

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The environment of processes that tests start: a name for the whole run, and
// where a process stops.
const (
	envRun       = "SUPERVISED_TEST_RUN"
	envPause     = "SUPERVISED_TEST_PAUSE"     // names of steps, with commas
	envPauseDir  = "SUPERVISED_TEST_PAUSE_DIR" // gets a file at-NAME, waits for go-NAME
	envHost      = "SUPERVISED_TEST_HOST"      // be a host, see host_test.go
	envHostStore = "SUPERVISED_TEST_STORE"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == SupervisorArg && os.Getenv(envPause) != "" {
		os.Exit(supervise(pauses()))
	}
	RunIfSupervisor()
	if os.Getenv(envHost) != "" {
		os.Exit(host(os.Stdin, os.Stdout))
	}
	os.Setenv(envRun, strconv.Itoa(os.Getpid()))
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if left := leftBehind(); len(left) > 0 {
			fmt.Fprintf(os.Stderr, "processes are left behind: %v\n", left)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// leftBehind waits for all processes that tests started to be gone, and gives
// those that stay.
func leftBehind() (left []string) {
	poll(10*time.Second, func() bool {
		left = started()
		return len(left) == 0
	})
	return left
}

// started lists living processes that are this program, or were started by its
// tests.
func started() []string {
	self, _ := os.Readlink("/proc/self/exe")
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range files {
		pid := filepath.Base(dir)
		if pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		exe, _ := os.Readlink(dir + "/exe")
		env, _ := os.ReadFile(dir + "/environ")
		if exe == self || bytes.Contains(env, []byte(envRun+"="+strconv.Itoa(os.Getpid())+"\x00")) {
			line, _ := os.ReadFile(dir + "/cmdline")
			stat, _ := os.ReadFile(dir + "/stat")
			if len(line) > 0 && !bytes.Contains(stat, []byte(") Z ")) {
				found = append(found, pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
	}
	return found
}

// poll looks until a condition is met, and tells whether it was.
func poll(patience time.Duration, met func() bool) bool {
	tick, limit := time.NewTicker(2*time.Millisecond), time.After(patience)
	defer tick.Stop()
	for !met() {
		select {
		case <-tick.C:
		case <-limit:
			return met()
		}
	}
	return true
}

// pauses stops at the steps that the environment names, until it is let on.
func pauses() func(string) {
	dir, names := os.Getenv(envPauseDir), strings.Split(os.Getenv(envPause), ",")
	return func(step string) {
		for _, name := range names {
			if name == step {
				_ = os.WriteFile(filepath.Join(dir, "at-"+step), []byte(strconv.Itoa(os.Getpid())), 0o600)
				poll(10*time.Minute, func() bool { return exists(filepath.Join(dir, "go-"+step)) || !exists(dir) }) // or the test is over
			}
		}
	}
}
