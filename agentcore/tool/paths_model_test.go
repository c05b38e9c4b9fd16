package tool

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// snapshot reads all files below a folder, not through links.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		out[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The model is the kernel: what a path really is says filepath.EvalSymlinks, and
// whatever is written, nothing outside of the root changes.
func TestPaths_RT32_model(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	names := []string{"a", "b", "c"}
	targets := []string{"a", "b", "../b", "..", "../..", "../out", "../../out/a", "c/b", ".", "a/../b", "/", "ROOT/a", "OUT", "OUT/new", "none"}
	steps := []string{"a", "b", "c", "..", ".", "out", "root", "new", ""}
	base := realDir(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		top := filepath.Join(base, "case"+string(rune('0'+n%10)))
		if err := os.RemoveAll(top); err != nil {
			t.Fatal(err)
		}
		root, out := filepath.Join(top, "root"), filepath.Join(top, "out")
		writeFiles(t, top, "out/a", "out/b/a")
		if err := os.MkdirAll(root, 0o755); err != nil {
			t.Fatal(err)
		}
		dirs := []string{root}
		for range rapid.IntRange(1, 8).Draw(rt, "entries") {
			at := filepath.Join(rapid.SampledFrom(dirs).Draw(rt, "dir"), rapid.SampledFrom(names).Draw(rt, "name"))
			switch rapid.IntRange(0, 3).Draw(rt, "kind") {
			case 0:
				_ = os.WriteFile(at, []byte("in"), 0o644)
			case 1:
				if os.Mkdir(at, 0o755) == nil {
					dirs = append(dirs, at)
				}
			default:
				to := rapid.SampledFrom(targets).Draw(rt, "target")
				_ = os.Symlink(strings.NewReplacer("ROOT", root, "OUT", out).Replace(to), at)
			}
		}
		before := snapshot(t, out)
		p := mustPaths(t, root, PathOptions{Writable: []string{"."}})
		for range 4 {
			path := strings.Join(rapid.SliceOfN(rapid.SampledFrom(steps), 1, 5).Draw(rt, "path"), "/")
			if path == "" {
				continue
			}
			checkPath(rt, p, root, path)
		}
		if diff := cmp.Diff(before, snapshot(t, out)); diff != "" {
			rt.Fatalf("the outside changed:\n%s", diff)
		}
	})
}

func checkPath(t *rapid.T, p *Paths, root, path string) {
	abs := path
	if !filepath.IsAbs(path) {
		abs = root + "/" + path
	}
	place, err := p.Resolve(root, path, Write)
	if real, kernel := filepath.EvalSymlinks(abs); kernel == nil {
		if ok := inside(root, real); ok != (err == nil) || ok && (place.Real != real || !place.Exists) {
			t.Fatalf("%q is %s, and the policy says %+v, %v", path, real, place, err)
		}
	} else if err == nil && place.Exists {
		// new/../a is a for us, where the kernel misses new; the real path must hold.
		if real, err := filepath.EvalSymlinks(place.Real); err != nil || real != place.Real {
			t.Fatalf("%q does not exist (%v), and the policy says %+v", path, kernel, place)
		}
	}
	if err != nil {
		return
	}
	if !inside(root, place.Real) {
		t.Fatalf("%q was allowed as %s", path, place.Real)
	}
	created, err := place.WriteFile([]byte("written"))
	if err != nil {
		return
	}
	if got, err := os.ReadFile(place.Real); err != nil || string(got) != "written" || created == place.Exists {
		t.Fatalf("%q: wrote %s, which has %q, %v; created %v", path, place.Real, got, err, created)
	}
}

func TestPlace_swappedForALink(t *testing.T) {
	top, cwd := tree(t)
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}})
	resolve := func(path string) Place {
		place, err := p.Resolve(cwd, path, Write)
		if err != nil {
			t.Fatal(err)
		}
		return place
	}
	deep, file, fresh, nested := resolve("sub/deep.txt"), resolve("in.txt"), resolve("new.txt"), resolve("n1/n2/x")
	move := func(name, to string) {
		if err := os.Rename(filepath.Join(cwd, name), filepath.Join(cwd, name+".old")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		symlink(t, to, filepath.Join(cwd, name))
	}
	move("sub", "../ab")
	move("in.txt", "../ab/out.txt")
	move("new.txt", "../ab/new.txt")
	move("n1", "../ab")
	before := snapshot(t, filepath.Join(top, "ab"))
	for _, place := range []Place{deep, file, fresh, nested} {
		if f, err := place.Open(); !errors.Is(err, ErrChanged) {
			t.Errorf("open %s: %v, %v", place.Real, f, err)
		}
		if _, err := place.WriteFile([]byte("x")); !errors.Is(err, ErrChanged) {
			t.Errorf("write %s: %v", place.Real, err)
		}
		if _, err := place.Stat(); !errors.Is(err, ErrChanged) {
			t.Errorf("stat %s: %v", place.Real, err)
		}
		if err := place.Walk(t.Context(), func(Entry) error { return nil }); err == nil {
			t.Errorf("walk %s: no error", place.Real)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, filepath.Join(top, "ab"))); diff != "" {
		t.Errorf("the outside changed:\n%s", diff)
	}
}

// Somebody swaps a folder for a link all the time. Nothing from outside is read.
func TestPlace_swappedMeanwhile(t *testing.T) {
	top, cwd := tree(t)
	real, link, spare := filepath.Join(cwd, "d"), filepath.Join(top, "link"), filepath.Join(top, "spare")
	writeFiles(t, top, "a/d/x", "ab/x")
	symlink(t, filepath.Join(top, "ab"), link)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(real, spare)
			_ = os.Rename(link, real)
			_ = os.Rename(real, link)
			_ = os.Rename(spare, real)
		}
	}()
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}})
	read := 0
	for n := range 1000 {
		place, err := p.Resolve(cwd, "d/x", Write)
		if err != nil {
			continue
		}
		if f, err := place.Open(); err == nil {
			data, err := io.ReadAll(f)
			_ = f.Close()
			if string(data) == "ab/x" {
				t.Errorf("the file outside was read (%v)", err)
				break
			}
			read++
		}
		if n%20 == 0 { // a write waits for the disk
			_, _ = place.WriteFile([]byte("written"))
		}
	}
	close(stop)
	<-done
	if got, err := os.ReadFile(filepath.Join(top, "ab", "x")); err != nil || string(got) != "ab/x" {
		t.Errorf("the file outside has %q, %v", got, err)
	}
	t.Logf("%d reads of 1000 were at a quiet moment", read)
}

func TestPlace_writeFile(t *testing.T) {
	top, cwd := tree(t)
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}, Readable: []string{filepath.Join(top, "lib", "x.txt")}})
	write := func(path, text string) (bool, error) {
		place, err := p.Resolve(cwd, path, Write)
		if err != nil {
			t.Fatal(err)
		}
		return place.WriteFile([]byte(text))
	}
	if err := os.Chmod(filepath.Join(cwd, "sub", "deep.txt"), 0o750); err != nil {
		t.Fatal(err)
	}
	if created, err := write("toSub/deep.txt", "1"); err != nil || created {
		t.Errorf("through a link: %v, %v", created, err)
	}
	info, err := os.Stat(filepath.Join(cwd, "sub", "deep.txt"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o750 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if created, err := write("danglingIn", "2"); err != nil || !created {
		t.Errorf("through a dangling link: %v, %v", created, err)
	}
	if created, err := write("n1/n2/x", "3"); err != nil || !created {
		t.Errorf("new folders: %v, %v", created, err)
	}
	if _, err := write("sub", "4"); err == nil {
		t.Error("a folder was written")
	}
	if _, err := write(".", "4"); err == nil {
		t.Error("the root was written")
	}
	place, err := p.Resolve(cwd, filepath.Join(top, "lib", "x.txt"), Read)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := place.Open(); err != nil {
		t.Errorf("a root that is one file: %v", err)
	} else {
		_ = f.Close()
	}
	if _, err := place.WriteFile(nil); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a place for reading was written: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cwd, "*", ".*tmp*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPlace_walk(t *testing.T) {
	_, cwd := tree(t)
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}, Deny: []string{"secret"}})
	place, err := p.Resolve(cwd, ".", Read)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = place.Walk(t.Context(), func(e Entry) error {
		mark := ""
		if e.Link {
			mark = " ->"
		}
		got = append(got, e.Rel+mark)
		return nil
	})
	want := []string{"absolute ->", "in.txt", "sub", "sub/deep.txt", "toSub ->"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	entries, err := place.ReadDir(t.Context())
	if err != nil || len(entries) != 4 {
		t.Errorf("%v, %v", entries, err)
	}
	n := 0
	err = place.Walk(t.Context(), func(Entry) error { n++; return fs.SkipAll })
	if err != nil || n != 1 {
		t.Errorf("SkipAll: %d, %v", n, err)
	}
}
