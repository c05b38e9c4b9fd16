//go:build unix

package evidence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

func TestDefaultDir(t *testing.T) {
	for _, c := range []struct {
		reason, xdg, home, want string
	}{
		{"XDG_STATE_HOME wins", "/x/state", "/home/u", "/x/state/stophook"},
		{"the default of the XDG rules", "", "/home/u", "/home/u/.local/state/stophook"},
		{"a relative XDG path is to be ignored", "state", "/home/u", "/home/u/.local/state/stophook"},
		{"XDG alone is enough in a container without HOME", "/x", "", "/x/stophook"},
		{"neither", "", "", ""},
		{"both relative", "a", "b", ""},
	} {
		got, err := DefaultDir(func(string) string { return c.xdg }, c.home)
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q, %v; want %q", c.reason, got, err, c.want)
		}
		if err != nil && (!errors.Is(err, ErrNoStateDir) || !strings.Contains(err.Error(), "XDG_STATE_HOME")) {
			t.Errorf("%s: the error must say what to set: %v", c.reason, err)
		}
	}
}

func TestStoreSession_WithoutIDOrDir(t *testing.T) {
	if _, err := (Store{Dir: t.TempDir()}).Session(""); !errors.Is(err, ErrNoSession) {
		t.Errorf("empty id: %v", err)
	}
	if _, err := (Store{}).Session("a"); !errors.Is(err, ErrNoStateDir) {
		t.Errorf("no folder: %v", err)
	}
}

func TestFolderName_CL3(t *testing.T) {
	long := strings.Repeat("a", 101)
	for _, c := range []struct {
		reason, id, want string
		fold             bool
	}{
		{"a real session id stays readable", "3f2a9c1e-8b7d-4c65-9a01-0123456789ab", "3f2a9c1e-8b7d-4c65-9a01-0123456789ab", false},
		{"capitals are allowed", "Run_1.A", "Run_1.A", false},
		{"exactly 100 bytes", long[:100], long[:100], false},
		{"101 bytes are cut and hashed", long, long[:83] + "-", false},
		{"a slash cannot leave the folder", "../../etc/passwd", "_._.._etc_passwd-", false},
		{"dot names", "..", "_.-", false},
		{"a hidden folder would be overlooked", ".x", "_x-", false},
		{"not ASCII", "sitzung-ä", "sitzung-_-", false},
		{"NUL and newline", "a\x00b\n", "a_b_-", false},
		{"invalid UTF-8", "a\xff", "a_-", false},
		{"an id that looks hashed must not meet one that is", "a-0123456789abcdef", "a-0123456789abcdef-", false},
		{"where case is ignored, capitals need the hash", "A", "A-", true},
	} {
		got := folderName(c.id, c.fold)
		hashed := strings.HasSuffix(c.want, "-")
		if hashed && len(got) == len(c.want)+hashDigits {
			got = got[:len(c.want)]
		}
		if got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.reason, c.id, got, c.want)
		}
	}
}

func TestFolderName_NeverShared(t *testing.T) {
	safe := regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$`)
	id := rapid.OneOf(rapid.StringN(1, 40, 200), rapid.StringMatching(`[aA._/ -]{1,4}`), rapid.StringMatching(`a{98,103}`))
	rapid.Check(t, func(t *rapid.T) {
		fold := rapid.Bool().Draw(t, "fold")
		a := id.Draw(t, "a")
		// The nastiest second id is the folder name of the first.
		b := rapid.OneOf(id, rapid.Just(folderName(a, fold))).Draw(t, "b")
		fa, fb := folderName(a, fold), folderName(b, fold)
		if !safe.MatchString(fa) {
			t.Fatalf("%q gives the unsafe name %q", a, fa)
		}
		if fold {
			fa, fb = strings.ToLower(fa), strings.ToLower(fb)
		}
		// A clean id's folder name is the id itself, so b may just be a again.
		if a != b && fa == fb {
			t.Fatalf("%q and %q share %q", a, b, fa)
		}
	})
}

func TestReading_CreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := testSession(t, dir, "s")
	if log := mustEvents(t, s); len(log.Events)+log.Bad != 0 {
		t.Errorf("a missing ledger is an empty log, got %+v", log)
	}
	if st, err := s.Load(); err != nil || st.V != 1 || st.Remediation.Count != 0 {
		t.Errorf("a missing state is a fresh one, got %+v, %v", st, err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("reading made %s", dir)
	}
	mustAppend(t, s, Event{Kind: SessionStarted})
	if _, err := os.Lstat(filepath.Join(s.Path(), stateName)); !os.IsNotExist(err) {
		t.Error("appending made a state")
	}
}

func TestModes_FoldersAndFilesAreClosedToOthers(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0)) // the modes must not rely on the umask
	dir := filepath.Join(t.TempDir(), "a", "state")
	s := testSession(t, dir, "s")
	write := func() {
		mustAppend(t, s, Event{Kind: SessionStarted})
		if err := s.Update(context.Background(), func(st *State) error { st.Ended = !st.Ended; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	check := func(reason string) {
		t.Helper()
		want := map[string]os.FileMode{".": 0o700, "ledger.jsonl": 0o600, "state.json": 0o600, "lock": 0o600, "..": 0o700}
		for name, mode := range want {
			info, err := os.Stat(filepath.Join(s.Path(), name))
			if err != nil || info.Mode().Perm() != mode {
				t.Errorf("%s: %s has mode %v (%v), want %v", reason, name, info.Mode(), err, mode)
			}
		}
	}
	write()
	check("when made")
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("the state folder has mode %v", info.Mode())
	}
	for _, name := range []string{".", "..", "ledger.jsonl", "lock"} {
		if err := os.Chmod(filepath.Join(s.Path(), name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write()
	check("when somebody had opened them")
}

func TestLinks_AreNeverFollowed(t *testing.T) {
	ops := map[string]func(*Session) error{
		"append": func(s *Session) error { return s.Append(context.Background(), Event{Kind: SessionStarted}) },
		"events": func(s *Session) error { _, err := s.Events(); return err },
		"load":   func(s *Session) error { _, err := s.Load(); return err },
		"update": func(s *Session) error {
			return s.Update(context.Background(), func(st *State) error { st.Ended = true; return nil })
		},
	}
	for _, c := range []struct {
		reason string
		link   string // below the store's folder
		folder bool   // the link's target
		ops    string // that touch it
	}{
		{"all sessions", "sessions", true, "append events load update"},
		{"one session", "sessions/s", true, "append events load update"},
		{"ledger", "sessions/s/ledger.jsonl", false, "append events"},
		{"state", "sessions/s/state.json", false, "load update"},
		{"lock", "sessions/s/lock", false, "append update"},
	} {
		for _, dangling := range []bool{false, true} {
			for _, op := range strings.Fields(c.ops) {
				dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "target")
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, c.link)), 0o700); err != nil {
					t.Fatal(err)
				}
				switch {
				case dangling:
				case c.folder:
					if err := os.MkdirAll(outside, 0o755); err != nil {
						t.Fatal(err)
					}
				default:
					mustWrite(t, outside, "precious")
				}
				if err := os.Symlink(outside, filepath.Join(dir, c.link)); err != nil {
					t.Fatal(err)
				}
				err := ops[op](testSession(t, dir, "s"))
				var unsafe *UnsafePathError
				if !errors.As(err, &unsafe) || unsafe.Path != filepath.Join(dir, c.link) || !strings.Contains(unsafe.Problem, "symbolic link") {
					t.Errorf("%s of a linked %s (dangling %v): %v", op, c.reason, dangling, err)
				}
				checkUntouched(t, outside, dangling, c.folder)
			}
		}
	}
}

func checkUntouched(t *testing.T, outside string, dangling, folder bool) {
	t.Helper()
	switch {
	case dangling:
		if _, err := os.Lstat(outside); !os.IsNotExist(err) {
			t.Errorf("something was made through the link at %s", outside)
		}
	case folder:
		if left, _ := os.ReadDir(outside); len(left) != 0 {
			t.Errorf("something was made through the link in %s", outside)
		}
	case mustRead(t, outside) != "precious":
		t.Errorf("the target was changed")
	}
}

func TestTemp_PlantedLinkIsReplacedNotFollowed(t *testing.T) {
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: SessionStarted})
	target := filepath.Join(t.TempDir(), "target")
	mustWrite(t, target, "precious")
	if err := os.Symlink(target, filepath.Join(s.Path(), stateTemp)); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(context.Background(), func(st *State) error { st.Ended = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if mustRead(t, target) != "precious" {
		t.Error("the temporary file was written through a link")
	}
	if st, err := s.Load(); err != nil || !st.Ended {
		t.Errorf("state %+v, %v", st, err)
	}
}

func TestOddFiles_AreErrorsAndNeverHang(t *testing.T) {
	for _, c := range []struct {
		reason, name string
		make         func(string) error
	}{
		{"a pipe would hang an open for reading", ledgerName, func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"a pipe as state", stateName, func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"a pipe as lock", lockName, func(p string) error { return syscall.Mkfifo(p, 0o600) }},
		{"a folder as ledger cannot be read", ledgerName, func(p string) error { return os.Mkdir(p, 0o700) }},
	} {
		s := testSession(t, t.TempDir(), "s")
		if err := os.MkdirAll(s.Path(), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := c.make(filepath.Join(s.Path(), c.name)); err != nil {
			t.Fatal(err)
		}
		_, readErr := s.Events()
		_, loadErr := s.Load()
		var unsafe *UnsafePathError
		for _, err := range []error{
			errors.Join(readErr, loadErr, s.Append(context.Background(), Event{Kind: SessionStarted})),
		} {
			if !errors.As(err, &unsafe) || !strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s: %v", c.reason, err)
			}
		}
	}
	s := testSession(t, t.TempDir(), "s")
	mustWrite(t, filepath.Join(s.store.Dir, sessionsFolder), "a file")
	if _, err := s.Events(); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a file in place of the sessions: %v", err)
	}
}

func TestUnreadable_IsAnErrorAndNotEmpty_D37(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("the superuser reads files of mode 0; TestOddFiles covers errors that bind everybody")
	}
	s := testSession(t, t.TempDir(), "s")
	mustAppend(t, s, Event{Kind: SessionStarted})
	if err := os.Chmod(filepath.Join(s.Path(), ledgerName), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Events(); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
