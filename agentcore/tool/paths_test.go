package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stophook/stophook/execctx"
)

// realDir is a temporary folder by its real name.
func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// writeFiles makes files below a folder, each with its name as content.
func writeFiles(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func symlink(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

func mustPaths(t testing.TB, cwd string, opts PathOptions) *Paths {
	t.Helper()
	p, err := NewPaths(cwd, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// tree is /a (the working directory), /ab beside it, and links between them.
func tree(t testing.TB) (top, cwd string) {
	top = realDir(t)
	cwd = filepath.Join(top, "a")
	writeFiles(t, top, "a/in.txt", "a/sub/deep.txt", "a/secret/key", "ab/out.txt", "lib/x.txt")
	for _, l := range [][2]string{
		{"../ab", "a/toOut"}, {"../ab/out.txt", "a/fileOut"}, {"sub", "a/toSub"}, {"../ab/new.txt", "a/dangling"},
		{"sub/new.txt", "a/danglingIn"}, {"loop2", "a/loop1"}, {"loop1", "a/loop2"}, {"secret", "a/open"},
		{filepath.Join(top, "a", "sub"), "a/absolute"}, {"in.txt/x", "a/throughFile"},
	} {
		symlink(t, l[0], filepath.Join(top, filepath.FromSlash(l[1])))
	}
	symlink(t, "a", filepath.Join(top, "alias"))
	return top, cwd
}

func TestPaths_RT32(t *testing.T) {
	top, cwd := tree(t)
	home := filepath.Join(top, "lib")
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}, Readable: []string{"../lib"}, Home: home,
		Deny: []string{"secret", "**/.env", "later"}, DenyWrite: []string{"*.lock"}})
	const outside, denied, unclear = "outside", "denied", "unclear"
	for _, tc := range []struct {
		reason, path string
		access       Access
		want         string // where it leads below top, or how it is refused
		exists       bool
	}{
		{"a file", "in.txt", Read, "a/in.txt", true},
		{"the folder itself", ".", Read, "a", true},
		{"its name, absolute", cwd, Write, "a", true},
		{"a new file", "new/er/x", Write, "a/new/er/x", false},
		{"dots", "./sub/../sub//deep.txt", Read, "a/sub/deep.txt", true},
		{"out and in again", "../a/in.txt", Read, "a/in.txt", true},
		{"up", "../ab/out.txt", Read, outside, false},
		{"a name that begins like the root's", top + "/ab/out.txt", Read, outside, false},
		{"above", "..", Read, outside, false},
		{"up from what does not exist", "none/../../ab/out.txt", Read, outside, false},
		{"and back", "none/../in.txt", Read, "a/in.txt", true},
		{"a link inside", "toSub/deep.txt", Read, "a/sub/deep.txt", true},
		{"an absolute one", "absolute/deep.txt", Write, "a/sub/deep.txt", true},
		{"the root by another name", top + "/alias/in.txt", Read, "a/in.txt", true},
		{"a link to a folder outside", "toOut/out.txt", Read, outside, false},
		{"a new file behind it", "toOut/new.txt", Write, outside, false},
		{"new folders behind it", "toOut/x/y/z", Write, outside, false},
		{"a link to a file outside", "fileOut", Write, outside, false},
		{"a dangling link to the outside", "dangling", Write, outside, false},
		{"a dangling link to the inside", "danglingIn", Write, "a/sub/new.txt", false},
		{"up from where a link leads", "toSub/../in.txt", Read, "a/in.txt", true},
		{"which is not where it stands", "toOut/../a/in.txt", Read, "a/in.txt", true},
		{"a circle", "loop1", Read, unclear, false},
		{"a circle on the way", "loop1/x", Write, unclear, false},
		{"through a file", "in.txt/x", Read, unclear, false},
		{"through a file by a link", "throughFile", Read, unclear, false},
		{"read only", "../lib/x.txt", Read, "lib/x.txt", true},
		{"not written", "../lib/x.txt", Write, outside, false},
		{"home", "~/x.txt", Read, "lib/x.txt", true},
		{"home itself", "~", Read, "lib", true},
		{"a file whose name begins so", "~x", Write, "a/~x", false},
		{"denied", "secret/key", Read, denied, false},
		{"the folder", "secret", Read, denied, false},
		{"by a link", "open/key", Read, denied, false},
		{"a new file in it", "open/new", Write, denied, false},
		{"by a pattern", "sub/.env", Write, denied, false},
		{"what does not exist yet", "later/x", Write, denied, false},
		{"a name like it", "secrets", Read, "a/secrets", false},
		{"read, not written", "x.lock", Read, "a/x.lock", false},
		{"written", "x.lock", Write, denied, false},
		{"no path", "", Read, unclear, false},
		{"NUL", "in.txt\x00", Read, unclear, false},
		{"a long name", strings.Repeat("x", 300), Write, unclear, false},
	} {
		place, err := p.Resolve(cwd, tc.path, tc.access)
		var pe *PathError
		switch tc.want {
		case outside, denied:
			if !errors.As(err, &pe) || pe.Err != nil || pe.Denied != (tc.want == denied) || !errors.Is(err, fs.ErrPermission) || pe.Path != tc.path {
				t.Errorf("%s: %q gives %+v, %v", tc.reason, tc.path, place, err)
			}
		case unclear:
			if !errors.As(err, &pe) || pe.Err == nil || errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %q gives %+v, %v", tc.reason, tc.path, place, err)
			}
		default:
			if err != nil || place.Real != filepath.Join(top, tc.want) || place.Exists != tc.exists {
				t.Errorf("%s: %q gives %+v, %v", tc.reason, tc.path, place, err)
			}
		}
	}
}

func TestPaths_nil(t *testing.T) {
	top, cwd := tree(t)
	var p *Paths
	if place, err := p.Resolve(cwd, "in.txt", Write); err != nil || place.Root != cwd {
		t.Errorf("%+v, %v", place, err)
	}
	if place, err := p.Resolve(filepath.Join(top, "alias"), "in.txt", Write); err != nil || place.Root != cwd {
		t.Errorf("a working directory that is a link: %+v, %v", place, err)
	}
	if _, err := p.Resolve(cwd, "toOut/out.txt", Read); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("%v", err)
	}
	if _, err := p.Resolve("relative", "x", Read); err == nil {
		t.Error("a working directory that is not absolute")
	}
}

func TestPaths_errors(t *testing.T) {
	_, cwd := tree(t)
	for _, opts := range []PathOptions{
		{Readable: []string{"none"}}, {Writable: []string{"loop1"}}, {Writable: []string{""}},
		{Deny: []string{"[a"}}, {Deny: []string{"loop1"}}, {DenyWrite: []string{"a\x00"}},
	} {
		if _, err := NewPaths(cwd, opts); err == nil {
			t.Errorf("%+v is taken", opts)
		}
	}
}

func TestPaths_message(t *testing.T) {
	top, cwd := tree(t)
	p := mustPaths(t, cwd, PathOptions{Writable: []string{"."}, Deny: []string{"secret"}})
	for path, want := range map[string]string{
		"toOut/x":      `"toOut/x" leads to TOP/ab/x, which is outside of what this session may write: TOP/a`,
		"/etc/nothing": `"/etc/nothing" is outside of what this session may write: TOP/a`,
		"secret/key":   `"secret/key" leads to TOP/a/secret/key, which may not be used to write: the policy of this session excludes it`,
	} {
		_, err := p.Resolve(cwd, path, Write)
		if got := strings.ReplaceAll(fmt.Sprint(err), top, "TOP"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if _, err := mustPaths(t, cwd, PathOptions{}).Resolve(cwd, "x", Read); !strings.HasSuffix(err.Error(), "may read: nothing") {
		t.Error(err)
	}
}

func TestEnv_resolve(t *testing.T) {
	top, cwd := tree(t)
	tasks := filepath.Join(top, "ab")
	env := &Env{Handle: execctx.Handle{Type: "process", CWD: cwd}, TasksDir: tasks}
	if _, err := env.Resolve(t.Context(), filepath.Join(tasks, "out.txt"), Read); err != nil {
		t.Errorf("AC-14: the output of tasks cannot be read: %v", err)
	}
	if _, err := env.Resolve(t.Context(), filepath.Join(tasks, "out.txt"), Write); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the output of tasks can be written: %v", err)
	}
	env.Paths = mustPaths(t, cwd, PathOptions{Readable: []string{"sub"}})
	if _, err := env.Resolve(t.Context(), "toOut/out.txt", Read); err != nil {
		t.Errorf("beside a policy: %v", err)
	}
	if _, err := env.Resolve(t.Context(), "in.txt", Read); err == nil {
		t.Error("the policy does not hold")
	}
}

// realPather is a context elsewhere that knows its links.
type realPather struct {
	*execctx.Mock
	links map[string]string
}

func (r realPather) RealPath(_ context.Context, _ execctx.Handle, path string) (string, error) {
	if to, ok := r.links[path]; ok {
		return to, nil
	}
	return path, nil
}

func TestEnv_resolveElsewhere(t *testing.T) {
	mock := execctx.NewMock(execctx.MockOptions{})
	env := &Env{Exec: mock, Handle: execctx.Handle{Type: "mock", CWD: "/proj"}}
	for path, ok := range map[string]bool{"x": true, "/proj/a/b": true, "../x": false, "a/../../x": false, "/projx": false} {
		if _, err := env.Resolve(t.Context(), path, Write); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	env.Exec = realPather{mock, map[string]string{"/proj/link": "/etc", "/other": "/proj/x"}}
	if _, err := env.Resolve(t.Context(), "link", Read); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a link that the context knows: %v", err)
	}
	if place, err := env.Resolve(t.Context(), "y", Read); err != nil || place.Real != "/proj/y" {
		t.Errorf("%+v, %v", place, err)
	}
}
