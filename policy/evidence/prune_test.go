//go:build unix

package evidence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// aged makes a session's files as old as age.
func aged(t *testing.T, st Store, id string, age time.Duration, files ...string) string {
	t.Helper()
	s, err := st.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(s.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(-age)
	for _, name := range files {
		path := filepath.Join(s.Path(), name)
		if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(s.Path(), at, at); err != nil {
		t.Fatal(err)
	}
	return s.Path()
}

func TestFolders(t *testing.T) {
	st := Store{Dir: filepath.Join(t.TempDir(), "state")}
	if got, err := st.Folders(); err != nil || got != nil {
		t.Errorf("no store: %v, %v", got, err)
	}
	aged(t, st, "s-1", time.Hour, "ledger.jsonl", "state.json")
	odd := filepath.Base(aged(t, st, "../odd", time.Hour, "ledger.jsonl"))
	aged(t, st, "bare", 2*time.Hour)
	sessions := filepath.Join(st.Dir, "sessions")
	if err := errors.Join(os.WriteFile(filepath.Join(sessions, "file"), nil, 0o600), os.Symlink(st.Dir, filepath.Join(sessions, "link"))); err != nil {
		t.Fatal(err)
	}
	got, err := st.Folders()
	want := []Folder{{Name: odd, Size: 5}, {Name: "bare", ID: "bare"}, {Name: "s-1", ID: "s-1", Size: 10}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Folder{}, "Changed")); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, f := range got {
		if age := time.Since(f.Changed); age < 59*time.Minute || age > 3*time.Hour {
			t.Errorf("%s is %v old", f.Name, age)
		}
	}
	if _, err := (Store{}).Folders(); !errors.Is(err, ErrNoStateDir) {
		t.Errorf("without a folder: %v", err)
	}
}

func TestFolders_ALinkIsNoStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "sessions")); err != nil {
		t.Fatal(err)
	}
	if _, err := (Store{Dir: dir}).Folders(); !errors.As(err, new(*UnsafePathError)) {
		t.Errorf("got %v", err)
	}
}

func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	for _, dry := range []bool{true, false} {
		st := Store{Dir: t.TempDir(), LockWait: time.Millisecond}
		all := map[string]string{
			"young":   aged(t, st, "young", time.Hour, "ledger.jsonl", "state.json", "lock"),
			"renewed": aged(t, st, "renewed", 40*day, "ledger.jsonl"),
			"old":     aged(t, st, "old", 40*day, "ledger.jsonl", "state.json", "state.json.tmp", "state.json.corrupt.2", "lock"),
			"bare":    aged(t, st, "bare", 40*day),
			"foreign": aged(t, st, "foreign", 40*day, "ledger.jsonl", "notes.txt"),
			"held":    aged(t, st, "held", 40*day, "ledger.jsonl", "lock"),
		}
		if err := os.WriteFile(filepath.Join(all["renewed"], "state.json"), nil, 0o600); err != nil {
			t.Fatal(err) // one file that is young is enough
		}
		outside := t.TempDir()
		if err := os.Symlink(outside, filepath.Join(st.Dir, "sessions", "linked")); err != nil {
			t.Fatal(err)
		}
		held, err := st.Session("held")
		if err != nil {
			t.Fatal(err)
		}
		var told []Pruned
		err = held.locked(context.Background(), func(folder) error {
			told, err = st.Prune(time.Now().Add(-30*day), dry)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, p := range told {
			got[p.ID] = p.Kept
		}
		want := map[string]string{"old": "", "bare": "", "held": ErrLockTimeout.Error(),
			"foreign": filepath.Join(all["foreign"], "notes.txt") + " is not of stophook: look what it is"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("dry %t:\n%s", dry, diff)
		}
		for id, path := range all {
			_, err := os.Stat(path)
			gone := errors.Is(err, os.ErrNotExist)
			if goes := !dry && (id == "old" || id == "bare"); gone != goes {
				t.Errorf("dry %t: %s is gone: %t", dry, id, gone)
			}
		}
		if dry {
			if _, err := os.Stat(filepath.Join(all["bare"], "lock")); err == nil {
				t.Error("a dry run made a lock")
			}
		}
	}
}

// A folder whose file turned young between the listing and the lock stays.
func TestPrune_UsedMeanwhile(t *testing.T) {
	st := Store{Dir: t.TempDir()}
	path := aged(t, st, "s1", 48*time.Hour, "ledger.jsonl")
	folders, err := st.Folders()
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	if err := os.WriteFile(filepath.Join(path, "ledger.jsonl"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := st.prune(folders[0], time.Now().Add(-24*time.Hour), false); err == nil || !strings.Contains(err.Error(), "just now") {
		t.Errorf("got %v", err)
	}
}
