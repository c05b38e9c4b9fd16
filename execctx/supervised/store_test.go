//go:build unix

package supervised

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx"
)

// warnings collects what a context warns of.
type warnings struct {
	mu  sync.Mutex
	all []string
}

func (w *warnings) add(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, err.Error())
}

func (w *warnings) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.all, "\n")
}

func (l *lab) write(name, text string) {
	l.Helper()
	name = filepath.Join(l.dir, "store", name)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
}

// Torn, foreign and hostile files in a store are passed over, said once, and
// never deleted.
func TestStore_foreignFiles_EX83(t *testing.T) {
	l := newLab(t)
	l.write("bash_7/launch.json", `{"taskId":"bash_7","handleId":"the-han`)
	l.write("bash_8/exit.json", ``)
	l.write("bash_9/launch.json", `{"taskId":"bash_1","handleId":"the-handle"}`) // of another folder
	l.write("bash_10", "a file")
	l.write("bash_11/notes.txt", "mine")
	l.write("bash_12/launch.json/x", "a folder in its place")
	l.write("bash_99999999999999/launch.json", "{}")
	l.write("README", "mine")
	secret := filepath.Join(l.dir, "secret")
	if err := os.WriteFile(secret, []byte(`{"taskId":"bash_13","handleId":"the-handle","process":{"pid":1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.write("bash_13/x", "")
	for link, to := range map[string]string{"bash_13/launch.json": secret, "bash_14": l.dir} {
		if err := os.Symlink(to, filepath.Join(l.dir, "store", link)); err != nil {
			t.Fatal(err)
		}
	}
	var warned warnings
	c, h := l.open(theHandle, func(o *Options) { o.Warn = warned.add })
	for range 2 {
		if entries := l.list(c, h); len(entries) > 0 {
			t.Errorf("listed %+v", entries)
		}
	}
	for _, want := range []string{"bash_7/launch.json", "bash_8/exit.json", "bash_10", "bash_12/launch.json", "bash_13/launch.json", "bash_14"} {
		if strings.Count(warned.text(), want) != 1 {
			t.Errorf("%s is warned of %d times:\n%s", want, strings.Count(warned.text(), want), warned.text())
		}
	}
	got := l.launch(c, h, "exit 3")
	l.wantCode(l.ended(c, h, got.TaskID), execctx.StatusExited, 3)
	if _, err := c.Prune(t.Context(), 0, true); err != nil {
		t.Error(err)
	}
	if err := c.Destroy(t.Context(), h); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"bash_7/launch.json", "bash_10", "bash_12/launch.json/x", "README", "bash_13/launch.json", "bash_11/notes.txt"} {
		if !exists(filepath.Join(l.dir, "store", name)) {
			t.Errorf("%s was deleted", name)
		}
	}
}

// A store that others can write is refused, and one that cannot be made.
func TestStore_safe(t *testing.T) {
	l := newLab(t)
	open, file := filepath.Join(l.dir, "open"), filepath.Join(l.dir, "file")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	l.touch("file")
	for dir, want := range map[string]string{open: "writable for nobody else", file: "not a directory", "": "no store is given"} {
		if _, err := New(Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%q): %v, want %q", dir, err, want)
		}
	}
	c, _ := l.open(theHandle)
	info, err := os.Stat(c.opts.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the store has mode %v, %v", info.Mode(), err)
	}
	t.Setenv(supervisorMark, "1")
	if _, err := New(Options{Dir: l.dir}); err == nil || !strings.Contains(err.Error(), "RunIfSupervisor first") {
		t.Errorf("New in a program that was started as a supervisor: %v", err)
	}
}

// Nothing of an environment is in the store, nor on a command line.
func TestStore_holdsNoEnvironment(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	req := l.request("exec sleep 1000")
	req.Env = map[string]string{"TOKEN": "very-secret"}
	if _, err := c.ExecBackground(t.Context(), h, req); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(c.opts.Dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		if strings.Contains(string(data), "very-secret") {
			t.Errorf("%s holds it", name)
		}
		if info, _ := entry.Info(); info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(l.record("bash_1").Supervisor.PID), "cmdline"))
	if strings.Contains(string(line), "very-secret") {
		t.Errorf("the supervisor's command line is %q", line)
	}
}

// Prune deletes old records only, never the newest id, and logs when asked to.
func TestPrune_EX49(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	first := l.launch(c, h, "echo one")
	second := l.launch(c, h, "echo two")
	l.ended(c, h, first.TaskID)
	l.ended(c, h, second.TaskID)
	runs := l.launch(c, h, "exec sleep 1000")
	last := l.launch(c, h, "exit 3")
	l.ended(c, h, last.TaskID)
	if n, err := c.Prune(t.Context(), time.Hour, true); n != 0 || err != nil {
		t.Errorf("pruned %d, %v, and all is new", n, err)
	}
	l.write("bash_2/mine.txt", "mine")
	var warned warnings
	keeps, _ := l.open(otherHandle, func(o *Options) { o.Warn = warned.add })
	if n, err := keeps.Prune(t.Context(), 0, false); n != 2 || err != nil {
		t.Errorf("pruned %d, %v", n, err)
	}
	var ids []string
	for _, entry := range l.list(c, h) {
		ids = append(ids, entry.TaskID)
	}
	if strings.Join(ids, " ") != runs.TaskID+" "+last.TaskID {
		t.Errorf("left are %v", ids)
	}
	l.wantLog(first.OutputPath, "one\n")
	if found, _ := filepath.Glob(filepath.Join(c.opts.Dir, ".pruned-bash_2-*", "mine.txt")); len(found) != 1 || !strings.Contains(warned.text(), "they stay") {
		t.Errorf("a file that is not ours: %v, warned of %q", found, warned.text())
	}
	next := l.launch(c, h, "exit 4")
	l.ended(c, h, next.TaskID)
	if n, err := c.Prune(t.Context(), 0, true); n != 1 || err != nil || exists(last.OutputPath) {
		t.Errorf("pruned %d, %v, the log is there: %v", n, err, exists(last.OutputPath))
	}
	if entries := l.list(c, h); len(entries) != 2 {
		t.Errorf("listed %+v", entries)
	}
}

// What a prune that was killed left is cleared by the next.
func TestPrune_goesOn(t *testing.T) {
	l := newLab(t)
	l.write(prunedPrefix+"bash_1-x/exit.json", "{}")
	c, _ := l.open(theHandle)
	if _, err := c.Prune(t.Context(), 0, false); err != nil {
		t.Error(err)
	}
	if exists(filepath.Join(c.opts.Dir, prunedPrefix+"bash_1-x")) {
		t.Error("it is still there")
	}
}

// An offset stays good, and what is new comes once.
func TestReadOutput(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, "printf 0123456789; until [ -e go ]; do sleep 0.01; done; printf abc")
	var all []byte
	var next int64
	read := func(limit int) {
		data, at, err := c.ReadOutput(t.Context(), h, got.TaskID, next, limit)
		if err != nil || at != next+int64(len(data)) || len(data) > limit {
			t.Fatalf("%q, %d, %v", data, at, err)
		}
		all, next = append(all, data...), at
	}
	l.eventually("the first output", func() bool { read(4); return next == 10 })
	read(100)
	l.touch("go")
	l.ended(c, h, got.TaskID)
	read(100)
	if string(all) != "0123456789abc" || next != 13 {
		t.Errorf("%q, %d", all, next)
	}
	if data, next, err := c.ReadOutput(t.Context(), h, got.TaskID, 99, 10); len(data) > 0 || next != 99 || err != nil {
		t.Errorf("beyond the end: %q, %d, %v", data, next, err)
	}
	if _, _, err := c.ReadOutput(t.Context(), h, "bash_9", 0, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown task: %v", err)
	}
	if at, err := c.LastOutput(t.Context(), h, got.TaskID); err != nil || at.Before(got.StartedAt.Add(-time.Second)) {
		t.Errorf("last output %v, %v", at, err)
	}
	if _, err := c.LastOutput(t.Context(), h, "bash_9"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown task: %v", err)
	}
}

// Closing ends no task; handles are unknown afterwards.
func TestClose_EX81(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, "until [ -e go ]; do sleep 0.01; done; exit 3")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecBackground(t.Context(), h, l.request("true")); !errors.Is(err, execctx.ErrUnknownHandle) {
		t.Errorf("launch: %v", err)
	}
	if _, err := c.Spawn(t.Context(), execctx.SpawnConfig{}); err == nil {
		t.Error("a closed context gives handles")
	}
	again, h := l.open(theHandle)
	l.touch("go")
	l.wantCode(l.ended(again, h, got.TaskID), execctx.StatusExited, 3)
}

// A wait that is given up leaves no thread and no descriptor, and the task alone.
func TestWait_givenUp_EX7(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	got := l.launch(c, h, "exec sleep 1000")
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%2 == 0 {
				time.AfterFunc(time.Millisecond, cancel)
			}
			if info, err := c.WaitBackground(ctx, h, got.TaskID, 20*time.Millisecond); info != nil || err != nil {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
	all.Wait()
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasSuffix(to, "/alive") {
				t.Errorf("%s is still open", to)
			}
		}
	}
	if entry := l.list(c, h)[0]; entry.Status != execctx.StatusRunning {
		t.Errorf("the task is %s", entry.Status)
	}
}

// EX-82: a sweep is one value that can be written down and read again.
func TestList_isOneValue_EX82(t *testing.T) {
	l := newLab(t)
	c, h := l.open(theHandle)
	l.ended(c, h, l.launch(c, h, "echo out; exit 3").TaskID)
	l.ended(c, h, l.launch(c, h, "kill -9 $$").TaskID)
	l.launch(c, h, "exec sleep 1000")
	swept := l.list(c, h)
	data, err := json.Marshal(swept)
	if err != nil {
		t.Fatal(err)
	}
	var again []execctx.TaskEntry
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(swept, again); diff != "" || len(again) != 3 {
		t.Error(len(again), diff)
	}
}
