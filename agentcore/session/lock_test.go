package session

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func TestOpen_secondWriter_RT41(t *testing.T) {
	store := newStore(t)
	s := create(t, store)
	_, err := store.Open(s.ID())
	if locked, ok := errors.AsType[*LockedError](err); !ok || locked.PID != os.Getpid() || locked.ID != s.ID() {
		t.Errorf("error %v", err)
	}
	must(t, s.Close())
	must(t, s.Close())
	again := got[*Session](t)(store.Open(s.ID()))
	must(t, again.Close())
}

// holdEnv makes the test binary hold a session until its standard input ends.
const holdEnv = "SESSION_TEST_HOLD"

func TestHelperHold(t *testing.T) {
	path := os.Getenv(holdEnv)
	if path == "" {
		t.Skip("runs in a process of its own, for TestOpen_otherProcess_RT41")
	}
	store := got[*Store](t)(NewStore(Options{Root: path}))
	s := got[*Session](t)(store.Open("held"))
	prompt(t, s.Thread, "from the other process")
	os.Stdout.WriteString("ready\n")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // as a kill would: nothing is closed
}

func TestOpen_otherProcess_RT41(t *testing.T) {
	store := newStore(t)
	must(t, got[*Session](t)(store.Create(Meta{ID: "held"})).Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperHold$")
	cmd.Env = append(os.Environ(), holdEnv+"="+store.Root())
	stdin := got[io.WriteCloser](t)(cmd.StdinPipe())
	stdout := got[io.ReadCloser](t)(cmd.StdoutPipe())
	must(t, cmd.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	_, err := store.Open("held")
	if locked, ok := errors.AsType[*LockedError](err); !ok || locked.PID != cmd.Process.Pid {
		t.Errorf("error %v, the holder is %d", err, cmd.Process.Pid)
	}
	if list := got[[]Info](t)(store.List()); !list[0].InUse {
		t.Error("the session is not listed as in use")
	}
	must(t, stdin.Close())
	must(t, cmd.Wait())
	s := got[*Session](t)(store.Open("held"))
	defer s.Close()
	if n := len(s.Messages()); n != 1 {
		t.Errorf("%d messages", n)
	}
}

// The lock of a session that was deleted while somebody waited is worth nothing.
func TestTakeLock_deletedFolder(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "gone")
	if _, err := takeLock(gone, "gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	l := got[*lock](t)(takeLock(dir, "s"))
	must(t, os.WriteFile(filepath.Join(dir, "other"), []byte("7\n"), 0o600))
	if !inUse(dir) {
		t.Error("a held lock is not in use")
	}
	l.release()
	l.release()
	if inUse(dir) || inUse(gone) {
		t.Error("in use without a holder")
	}
}

func TestHolder_isNoNumber(t *testing.T) {
	for text, want := range map[string]int{"": 0, "12\n": 12, "x": 0, "-4": 0, "99999999999999999999999999999999999": 0} {
		path := filepath.Join(t.TempDir(), "lock")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		f := got[*os.File](t)(os.Open(path))
		if pid := holder(f); pid != want {
			t.Errorf("%q: %d, want %d", text, pid, want)
		}
		f.Close()
	}
}

// Many open, create, write, list and delete one session at once: there is never
// more than one writer, and nothing is left half done (RT-41).
func TestStore_manyAtOnce_RT41(t *testing.T) {
	store := newStore(t)
	var writers, opened, deleted atomic.Int64
	work := func(n int) error {
		s, err := store.Open("s")
		if errors.Is(err, fs.ErrNotExist) {
			s, err = store.Create(Meta{ID: "s"})
		}
		if _, locked := errors.AsType[*LockedError](err); locked || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return nil // somebody else was faster
		}
		if err != nil {
			return err
		}
		opened.Add(1)
		if writers.Add(1) != 1 {
			return errors.New("two writers")
		}
		_, err = s.UserPrompt(Prompt{Text: "x"})
		if s.Damage().BadRows > 0 {
			err = errors.New("a broken row")
		}
		writers.Add(-1)
		err = errors.Join(err, s.Close())
		if n%3 == 0 && store.Delete("s") == nil {
			deleted.Add(1)
		}
		_, listErr := store.List()
		return errors.Join(err, listErr)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for n := range 40 {
				if err := work(n); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if opened.Load() == 0 || deleted.Load() == 0 {
		t.Errorf("opened %d times, deleted %d times", opened.Load(), deleted.Load())
	}
	for try := 0; ; try++ { // whatever was left can be deleted
		if err := store.Delete("s"); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil || try > 1 {
			t.Fatal(err)
		}
	}
}

func TestErrors_sayWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"process 12":     &LockedError{ID: "s", PID: 12},
		"fork the":       &LockedError{ID: "s"},
		"list them":      &NotFoundError{ID: "s"},
		"shorten":        &RowTooLongError{Size: 2, Max: 1},
		"leave it empty": &NoRowError{ID: "s", UUID: "u"},
		"record the":     &NoCallError{CallID: "c"},
	} {
		if !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "session: ") {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
