//go:build unix

package execctx

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func put(t *testing.T, name, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteFile_mode(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "a", "b", "new")
	put(t, old, "before", 0o750)
	for name, want := range map[string]fs.FileMode{old: 0o750, fresh: 0o644} {
		if err := writeFile(t.Context(), name, []byte("after")); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if content(t, name) != "after" || info.Mode() != want {
			t.Errorf("%s: got %q with mode %v, want %v", name, content(t, name), info.Mode(), want)
		}
		if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) > 2 {
			t.Errorf("left beside it: %v", entries)
		}
	}
}

func TestWriteFile_links(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.MkdirAll(filepath.Join(dir, "deep", "er"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, real, "before", 0o600)
	for _, link := range [][2]string{
		{"deep/er/up", "../../real"}, {"one", "real"}, {"two", "one"}, {"into", "deep/er"},
		{"nowhere", "deep/fresh"}, {"loop", "loop"},
	} {
		if err := os.Symlink(link[1], filepath.Join(dir, link[0])); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, file string }{
		{"two", "real"}, {"into/up", "real"}, {"nowhere", "deep/fresh"},
	} {
		if err := writeFile(t.Context(), filepath.Join(dir, tt.name), []byte(tt.name)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := content(t, filepath.Join(dir, tt.file)); got != tt.name {
			t.Errorf("%s: %s holds %q", tt.name, tt.file, got)
		}
		if info, err := os.Lstat(filepath.Join(dir, tt.name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s: the link was replaced: %v", tt.name, err)
		}
	}
	if err := writeFile(t.Context(), filepath.Join(dir, "loop"), nil); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("a loop gives %v", err)
	}
}

func TestFiles_errors(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	put(t, file, "x", 0o644)
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	read := func(name string) error { _, err := readFile(t.Context(), name); return err }
	write := func(name string) error { return writeFile(t.Context(), name, []byte("y")) }
	list := func(name string) error { _, err := listFiles(t.Context(), name); return err }
	for _, tt := range []struct {
		what string
		err  error
		want error
	}{
		{"read what is missing", read(dir + "/none"), fs.ErrNotExist},
		{"read a folder", read(dir), syscall.EISDIR},
		{"read a pipe", read(pipe), errNotRegular},
		{"read below a file", read(file + "/x"), syscall.ENOTDIR},
		{"write a folder", write(dir), syscall.EISDIR},
		{"write a pipe", write(pipe), errNotRegular},
		{"write below a file", write(file + "/x"), syscall.ENOTDIR},
		{"list what is missing", list(dir + "/none"), fs.ErrNotExist},
		{"list a file", list(file), syscall.ENOTDIR},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.what, tt.err, tt.want)
		}
	}
}

func TestWriteFile_permission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everything")
	}
	name := filepath.Join(t.TempDir(), "file")
	put(t, name, "kept", 0o444)
	if err := writeFile(t.Context(), name, []byte("lost")); !errors.Is(err, fs.ErrPermission) || content(t, name) != "kept" {
		t.Errorf("got %v, and %q", err, content(t, name))
	}
}

// A reader finds the one content or the other, never a part or nothing.
func TestWriteFile_wholeOrNot(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	a, b := bytes.Repeat([]byte("a"), 1<<16), bytes.Repeat([]byte("b"), 1<<17)
	put(t, name, string(a), 0o644)
	var writers sync.WaitGroup
	for _, data := range [][]byte{a, b} {
		writers.Go(func() {
			for range 20 {
				if err := writeFile(t.Context(), name, data); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		got, err := readFile(t.Context(), name)
		if err != nil || !bytes.Equal(got, a) && !bytes.Equal(got, b) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	writers.Wait()
}

func TestListFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "b"), "12", 0o644)
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"c": "a", "d": "b", "e": "x"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := listFiles(t.Context(), dir)
	want := []FileInfo{{Name: "a", Dir: true}, {Name: "b", Size: 2}, {Name: "c", Dir: true}, {Name: "d", Size: 2}, {Name: "e", Size: 1}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
