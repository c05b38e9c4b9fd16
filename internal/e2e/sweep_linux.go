package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// sweep waits for all processes that carry the variable (NAME=value) to end, kills those
// that do not within the given time, and names them. Commands that the client moved to
// the background are in sessions of their own, so no process group holds them all.
func sweep(variable string, wait time.Duration) []string {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	left := carriers(variable)
	for len(left) > 0 && pause(ctx, pollEvery) {
		left = carriers(variable)
	}
	var names []string
	for pid, name := range left {
		names = append(names, fmt.Sprintf("%d %s", pid, name))
		syscall.Kill(pid, syscall.SIGKILL)
	}
	return names
}

// carriers are the running processes that have the variable in their environment, with
// their command lines.
func carriers(variable string) map[int]string {
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00")) {
			continue // not ours to read, gone, or somebody else's
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		found[pid] = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))
	}
	return found
}
