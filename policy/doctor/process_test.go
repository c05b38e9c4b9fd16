//go:build unix

package doctor_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/policy/doctor"
)

func TestStart(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		reason         string
		call           doctor.Call
		stdout, stderr string
		code           int
		err            error
	}{
		{"a line for the shell", doctor.Call{Shell: `echo "$A" && pwd && cat && echo no >&2; exit 3`, Env: []string{"A=b c", "PATH=" + os.Getenv("PATH")}, Stdin: []byte("in\n")},
			"b c\n" + dir + "\nin\n", "no\n", 3, nil},
		{"a program with arguments that no shell sees", doctor.Call{Path: "/bin/echo", Args: []string{"$A", "b  c"}}, "$A b  c\n", "", 0, nil},
		{"stdin that nobody reads", doctor.Call{Shell: "exit 0", Stdin: []byte(strings.Repeat("x", 1<<20))}, "", "", 0, nil},
		{"a program that is not there", doctor.Call{Path: filepath.Join(dir, "nothing")}, "", "", 0, fs.ErrNotExist},
		{"a command that is not there", doctor.Call{Shell: "/no/such/program"}, "", "*", 127, nil},
	} {
		tt.call.Dir = dir
		r := doctor.Start(context.Background(), tt.call)
		if r.Stdout != tt.stdout || tt.stderr != "*" && r.Stderr != tt.stderr || r.Code != tt.code || !errors.Is(r.Err, tt.err) {
			t.Errorf("%s: %+v", tt.reason, r)
		}
	}
}

func TestStart_Bounded(t *testing.T) {
	r := doctor.Start(context.Background(), doctor.Call{Shell: "head -c 3000000 /dev/zero", Env: []string{"PATH=" + os.Getenv("PATH")}})
	if r.Err != nil || len(r.Stdout) != 1<<20 {
		t.Errorf("%d bytes were kept, %v", len(r.Stdout), r.Err)
	}
}

// A process that hangs is ended with the context.
func TestStart_Ends(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "ready")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan doctor.Result)
	go func() {
		done <- doctor.Start(ctx, doctor.Call{Shell: "mkfifo '" + fifo + "' && echo up > '" + fifo + "' && exec cat '" + fifo + "'", Env: []string{"PATH=" + os.Getenv("PATH")}})
	}()
	for { // the fifo is made by the process
		if _, err := os.Stat(fifo); err == nil {
			break
		}
	}
	if text, err := os.ReadFile(fifo); err != nil || string(text) != "up\n" {
		t.Errorf("%q, %v", text, err)
	}
	cancel()
	if r := <-done; !errors.Is(r.Err, context.Canceled) {
		t.Errorf("%+v", r)
	}
}

func TestFree(t *testing.T) {
	if n, err := doctor.Free(t.TempDir()); err != nil || n <= 0 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := doctor.Free(filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a folder that is not there has room")
	}
	info, err := os.Stat(t.TempDir())
	if err != nil || !doctor.Mine(info) {
		t.Errorf("a folder of this process is somebody else's (%v)", err)
	}
}
