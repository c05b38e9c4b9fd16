package supervised

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/stophook/stophook/execctx"
)

// smallDisk puts the lab's store on a disk of its own, with room for little.
func smallDisk(t *testing.T) *lab {
	l := newLab(t)
	store := filepath.Join(l.dir, "store")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	err := unix.Mount("tmpfs", store, "tmpfs", 0, "size=256k,mode=0700")
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENODEV) {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.eventually("the disk is nobody's", func() bool { return unix.Unmount(store, 0) == nil })
	})
	return l
}

func (l *lab) fill() (free func()) {
	l.Helper()
	name := filepath.Join(l.dir, "store", "filler")
	file, err := os.Create(name)
	if err != nil {
		l.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		l.Fatal(err)
	}
	return func() { _ = os.Remove(name) }
}

// The end of a task is on record although the disk is full by then.
func TestDiskFull_exit_EX83(t *testing.T) {
	l := smallDisk(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, awaitGo)
	free := l.fill()
	defer free()
	l.touch("go")
	l.wantCode(l.ended(c, h, got.TaskID), execctx.StatusExited, 3)
}

// Where even that room is gone, the task is not over until its end is on record.
func TestDiskFull_noRoom_EX83(t *testing.T) {
	l := smallDisk(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, awaitGo)
	if err := os.Remove(filepath.Join(l.dir, "store", got.TaskID, fileReserve)); err != nil {
		t.Fatal(err)
	}
	free := l.fill()
	l.touch("go")
	l.eventually("the command has ended", func() bool { return !runs(got.PID) })
	if entry := l.list(c, h)[0]; entry.Status != execctx.StatusRunning {
		t.Errorf("listed as %s", entry.Status)
	}
	free()
	l.wantCode(l.ended(c, h, got.TaskID), execctx.StatusExited, 3)
}

// A launch on a full disk fails and leaves nothing.
func TestDiskFull_launch_EX83(t *testing.T) {
	l := smallDisk(t)
	c, h := l.open(theHandle)
	free := l.fill()
	_, err := c.ExecBackground(t.Context(), h, l.request("touch begun; exec sleep 1000"))
	var failed *execctx.LaunchError
	if !errors.As(err, &failed) || !errors.Is(err, unix.ENOSPC) {
		t.Errorf("launch: %v, want a LaunchError for a full disk", err)
	}
	free()
	l.wantNothing(c, h)
	entries, _ := os.ReadDir(filepath.Join(l.dir, "store"))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prunedPrefix) {
			t.Errorf("%s is left", entry.Name())
		}
	}
}

// EX-83: who waits is woken by the system, and no thread waits with him.
func TestWait_holdsNoThread(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, awaitGo)
	threads := func() int { entries, _ := os.ReadDir("/proc/self/task"); return len(entries) }
	const many = 200
	before := threads()
	ends := make(chan *execctx.ExitInfo, many)
	for range many {
		go func() {
			info, _ := c.WaitBackground(t.Context(), h, got.TaskID, 0)
			ends <- info
		}()
	}
	l.eventually("all wait", func() bool {
		count := 0
		fds, _ := os.ReadDir("/proc/self/fd")
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasSuffix(to, "/"+fileAlive) {
				count++
			}
		}
		return count == many
	})
	if after := threads(); after > before+many/4 {
		t.Errorf("%d threads before, %d with %d waits", before, after, many)
	}
	l.touch("go")
	for range many {
		if info := <-ends; info == nil || info.Status != execctx.StatusExited {
			t.Fatalf("%+v", info)
		}
	}
}
