package execctx_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stophook/stophook/execctx"
)

// smallDisk gives a folder with room for size bytes.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENODEV) {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestProcessLog_diskFull_EX41(t *testing.T) {
	disk := smallDisk(t, "1m")
	c, h := newContext(t, execctx.ProcessOptions{})
	told := make(chan execctx.ExitInfo, 1)
	got := launch(t, c, h, "head -c 3000000 /dev/zero; touch full; until test -e go; do sleep 0.01; done; echo again; exit 5",
		in(disk), onExit(func(info execctx.ExitInfo) { told <- info }))
	until(t, "all was written", func() bool { _, err := os.Stat(filepath.Join(h.CWD, "full")); return err == nil })
	until(t, "all was counted", func() bool { return list(t, c, h)[0].BytesWritten == 3000000 })
	if status := list(t, c, h)[0].Status; status != execctx.StatusRunning {
		t.Fatalf("a full disk made the task %s", status)
	}
	t.Run("a launch says so and leaves nothing", func(t *testing.T) {
		_, err := c.ExecBackground(t.Context(), h, execctx.LaunchRequest{Command: "x", OutputDir: filepath.Join(disk, "deeper")})
		var failed *execctx.LaunchError
		if err != nil && !errors.As(err, &failed) {
			t.Error(err)
		}
	})
	// There is room again: later output is kept.
	size := int64(100_000)
	if err := os.Truncate(got.OutputPath, size); err != nil {
		t.Fatal(err)
	}
	touch(t, h, "go")
	info := recv(t, "the exit", told)
	if code, _ := info.Code(); code != 5 || info.Status != execctx.StatusExited {
		t.Errorf("ended as %+v", info)
	}
	wantWarning(t, info, "bytes of output could not be written", "no space left on device")
	if log := readLog(t, got.OutputPath); !strings.HasSuffix(log, "\x00again\n") || int64(len(log)) < size {
		t.Errorf("the log has %d bytes and ends in %q", len(log), log[max(0, len(log)-20):])
	}
	if n := list(t, c, h)[0].BytesWritten; n != 3000006 {
		t.Errorf("%d bytes written", n)
	}
}

// The marker itself may find no room.
func TestProcessLog_diskFullMarker(t *testing.T) {
	disk := smallDisk(t, "64k")
	c, fs, h := newFakes(t, execctx.ProcessOptions{})
	got := launch(t, c, h, "x", in(disk), limited(64<<10))
	fs.nth(1).print(strings.Repeat("x", 100_000))
	fs.nth(1).exit(0, 0)
	wantWarning(t, ended(t, c, h, got.TaskID), "34464 dropped bytes", "no space left on device")
	destroy(t, c, h)
}
