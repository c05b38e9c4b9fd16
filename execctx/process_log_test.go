//go:build unix

package execctx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

// logged says what a log has to hold when text was kept of an output.
func logged(text string, kept int) string {
	if kept == 0 || kept >= len(text) {
		return text
	}
	head := text[:kept]
	if !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + execctx.TruncatedMarker(int64(len(text)-kept))
}

func TestProcessLog_cap_EX39_EX46(t *testing.T) {
	c, fs, h := newFakes(t, execctx.ProcessOptions{MaxBackgroundTasks: execctx.NoTaskLimit})
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		chunks := rapid.SliceOf(rapid.StringOfN(rapid.RuneFrom([]rune("ab\n")), 0, 10, -1)).Draw(rt, "chunks")
		kept := rapid.IntRange(0, 40).Draw(rt, "kept")
		got := launch(t, c, h, "x", limited(int64(kept)))
		n++
		for _, chunk := range chunks {
			fs.nth(n).print(chunk)
		}
		text := strings.Join(chunks, "")
		if strings.Contains(readLog(t, got.OutputPath), "truncated") {
			rt.Error("the marker is there before the end")
		}
		fs.nth(n).exit(0, 0)
		if log, want := readLog(t, got.OutputPath), logged(text, kept); log != want {
			rt.Errorf("log %q, want %q", log, want)
		}
		entry := list(t, c, h)[n-1]
		if entry.BytesWritten != int64(len(text)) || entry.Warnings != nil {
			rt.Errorf("%d bytes written, want %d; warnings %q", entry.BytesWritten, len(text), entry.Warnings)
		}
	})
}

// A writer of a gigabyte is not slowed down by its cap to more than the reading
// takes, ends by itself, and its exit is told.
func TestProcessLog_gigabyte_EX40(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	const size, kept = 1 << 30, 1 << 20
	told := make(chan execctx.ExitInfo, 1)
	got := launch(t, c, h, fmt.Sprintf("head -c %d /dev/zero; exit 3", size), limited(kept), onExit(func(info execctx.ExitInfo) { told <- info }))
	info := recv(t, "the exit", told)
	if code, _ := info.Code(); info.Status != execctx.StatusExited || code != 3 || info.Warnings != nil {
		t.Errorf("ended as %+v", info)
	}
	log := readLog(t, got.OutputPath)
	if want := strings.Repeat("\x00", kept) + "\n" + execctx.TruncatedMarker(size-kept); log != want {
		t.Errorf("the log has %d bytes and ends in %q", len(log), log[max(0, len(log)-80):])
	}
	if entry := list(t, c, h)[0]; entry.BytesWritten != size {
		t.Errorf("%d bytes written", entry.BytesWritten)
	}
}

func TestProcessLog_noCap_EX39(t *testing.T) {
	size := int64(64 << 20)
	if text := os.Getenv("STOPHOOK_TEST_LOG_BYTES"); text != "" {
		var err error
		if size, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	c, h := newContext(t, execctx.ProcessOptions{})
	got := launch(t, c, h, fmt.Sprintf("head -c %d /dev/zero", size))
	ended(t, c, h, got.TaskID)
	if info, err := os.Stat(got.OutputPath); err != nil || info.Size() != size {
		t.Errorf("%v, %v, want %d bytes", info, err, size)
	}
}

// wantWarning wants one that says all parts.
func wantWarning(t *testing.T, info execctx.ExitInfo, parts ...string) {
	t.Helper()
	for _, warning := range info.Warnings {
		found := true
		for _, part := range parts {
			found = found && strings.Contains(warning, part)
		}
		if found {
			return
		}
	}
	t.Errorf("no warning of %q in %q", parts, info.Warnings)
}

func TestProcessLog_directoryRemoved(t *testing.T) {
	c, h := newContext(t, execctx.ProcessOptions{})
	told := make(chan execctx.ExitInfo, 1)
	got := launch(t, c, h, "until test -e go; do sleep 0.01; done; echo late; exit 4", onExit(func(info execctx.ExitInfo) { told <- info }))
	if err := os.RemoveAll(filepath.Dir(got.OutputPath)); err != nil {
		t.Fatal(err)
	}
	touch(t, h, "go")
	info := recv(t, "the exit", told)
	if code, _ := info.Code(); code != 4 || info.Status != execctx.StatusExited {
		t.Errorf("ended as %+v", info)
	}
	wantWarning(t, info, "removed")
	if entry := list(t, c, h)[0]; entry.BytesWritten != int64(len("late\n")) {
		t.Errorf("%d bytes written", entry.BytesWritten)
	}
	t.Run("the next launch makes it again", func(t *testing.T) {
		got := launch(t, c, h, "echo there")
		if info := ended(t, c, h, got.TaskID); info.Warnings != nil || readLog(t, got.OutputPath) != "there\n" {
			t.Errorf("%+v", info)
		}
	})
}

func TestProcessLog_faults(t *testing.T) {
	for name, test := range map[string]struct {
		harm func(t *testing.T, c *execctx.ProcessContext, h execctx.Handle, got execctx.Launched)
		want []string
	}{
		"a closed descriptor": {func(t *testing.T, c *execctx.ProcessContext, h execctx.Handle, got execctx.Launched) {
			if err := c.CloseLog(h, got.TaskID); err != nil {
				t.Fatal(err)
			}
		}, []string{"8 bytes", "closed"}},
		"a file that was replaced": {func(t *testing.T, _ *execctx.ProcessContext, _ execctx.Handle, got execctx.Launched) {
			if err := os.Remove(got.OutputPath); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(got.OutputPath, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"replaced"}},
		"a file that was emptied": {func(t *testing.T, _ *execctx.ProcessContext, _ execctx.Handle, got execctx.Launched) {
			if err := os.Truncate(got.OutputPath, 0); err != nil {
				t.Fatal(err)
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c, fs, h := newFakes(t, execctx.ProcessOptions{})
			got := launch(t, c, h, "x", limited(9))
			fs.nth(1).print("first")
			test.harm(t, c, h, got)
			fs.nth(1).print("second")
			fs.nth(1).print("third")
			fs.nth(1).exit(0, 0)
			info := ended(t, c, h, got.TaskID)
			if test.want != nil {
				wantWarning(t, info, test.want...)
			} else if log := readLog(t, got.OutputPath); info.Warnings != nil || log != "seco\n"+execctx.TruncatedMarker(7) {
				t.Errorf("log %q, warnings %q", log, info.Warnings)
			}
			if entry := list(t, c, h)[0]; entry.BytesWritten != 16 {
				t.Errorf("%d bytes written, want 16", entry.BytesWritten)
			}
		})
	}
}
