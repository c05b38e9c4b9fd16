package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/policy/policytest"
)

// watching is `stophook test --watch DIR` with ticks that the test gives.
func watching(t *testing.T, dir string, steps func(tick func(), output func() string, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var out, errout bytes.Buffer
		p := &program{stdout: &out, stderr: &errout, getenv: func(string) string { return "" }, now: time.Now}
		set := flag.NewFlagSet("test", flag.ContinueOnError)
		set.Bool("watch", true, "")
		set.String("format", "text", "")
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ticks, done := make(chan time.Time), make(chan error, 1)
		go func() {
			done <- p.testWatch(ctx, cli.NewContext(nil, set, nil), policytest.Options{Dirs: []string{dir}}, ticks)
		}()
		synctest.Wait()
		steps(func() {
			ticks <- time.Now()
			synctest.Wait()
		}, func() string {
			text := out.String() + errout.String()
			out.Reset()
			errout.Reset()
			return text
		}, stop)
		stop()
		if err := <-done; err != nil {
			t.Errorf("Ctrl-C ends with %v, and should be no failure", err)
		}
	})
}

func TestTestWatch_RunsAgainWhenAFileChanges(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a_test.rego")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("package a_test\n\ntest_x if true\n")
	watching(t, dir, func(tick func(), output func() string, stop func()) {
		for _, tt := range []struct {
			reason, text string // what is written; nothing when empty
			want         []string
		}{
			{"the first run comes at once", "", []string{"ok    ", "watching " + dir + "; Ctrl-C ends"}},
			{"nothing changes", "", nil},
			{"a test that fails does not end it", "package a_test\n\ntest_xy if false\n", []string{"changed: " + file, "--- FAIL: data.a_test.test_xy", "watching"}},
			{"nor does a file that is broken", "package a_test\n\ntest_xyz if {\n", []string{"changed: " + file, "a_test.rego:4: rego_parse_error", "watching"}},
			{"repaired", "package a_test\n\ntest_repaired if true\n", []string{"changed: " + file, "ok    ", "watching"}},
		} {
			if tt.text != "" {
				write(tt.text)
			}
			tick()
			tick() // quiet for one tick
			got := output()
			if len(tt.want) == 0 && got != "" {
				t.Errorf("%s: output %q", tt.reason, got)
			}
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("%s: %q is not in %q", tt.reason, part, got)
				}
			}
		}
		// The folder goes away while it is watched: told, and waited for.
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		tick()
		tick()
		if got := output(); !strings.Contains(got, "there is no such file or folder") || !strings.Contains(got, "watching") {
			t.Errorf("the folder is gone: %q", got)
		}
	})
}

// Signals end a watch between runs and in the middle of one, without a report.
func TestTestWatch_Stopped(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a_test.rego"), []byte("package a_test\n\ntest_x if true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	watching(t, dir, func(_ func(), output func() string, stop func()) {
		stop()
		synctest.Wait()
		output()
	})
	var out bytes.Buffer
	p := &program{stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	set.Bool("watch", true, "")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := p.testWatch(ctx, cli.NewContext(nil, set, nil), policytest.Options{Dirs: []string{dir}}, nil); err != nil || out.Len() > 0 {
		t.Errorf("%v, output %q", err, out.String())
	}
}
