package exectest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/stophook/stophook/execctx"
)

func fileChecks() []check {
	return []check{
		{"EX-53: what is written is read", nil, checkFilesRoundTrip},
		{"EX-53: relative paths begin at the working directory", nil, checkFilesRelative},
		{"EX-53: folders are listed by name, not descending", nil, checkFilesList},
		{"EX-53: what is not there is fs.ErrNotExist", nil, checkFilesMissing},
		{"EX-53: commands see the files", nil, checkFilesSeen},
		{"EX-53: a file keeps its mode, a new one has 0644", []need{needDisk}, checkFilesMode},
	}
}

func checkFilesRoundTrip(e *env) {
	h := e.spawn()
	for _, text := range []string{"first", "", "the third, longer than the first\x00\xff\n"} {
		e.must(e.Context.WriteFile(e.ctx, h, "file", []byte(text)), "write")
		e.same("content", e.read(h, "file"), text)
	}
}

func checkFilesRelative(e *env) {
	h := e.spawn()
	e.touch(h, filepath.Join("a", "b", "file"))
	e.same("content by the absolute path", e.read(h, filepath.Join(h.CWD, "a", "b", "file")), "x")
}

func checkFilesList(e *env) {
	h := e.spawn()
	for _, name := range []string{"b", "c/deep", "a", "B"} {
		e.must(e.Context.WriteFile(e.ctx, h, name, []byte("1234")), "write "+name)
	}
	infos, err := e.Context.ListFiles(e.ctx, h, ".")
	e.must(err, "list")
	e.same("entries", infos, []execctx.FileInfo{{Name: "B", Size: 4}, {Name: "a", Size: 4}, {Name: "b", Size: 4}, {Name: "c", Dir: true}})
}

func checkFilesMissing(e *env) {
	h := e.spawn()
	if _, err := e.Context.ReadFile(e.ctx, h, "none"); !errors.Is(err, fs.ErrNotExist) {
		e.Errorf("read: %v, want %v", err, fs.ErrNotExist)
	}
	if _, err := e.Context.ListFiles(e.ctx, h, "none"); !errors.Is(err, fs.ErrNotExist) {
		e.Errorf("list: %v, want %v", err, fs.ErrNotExist)
	}
	e.touch(h, "file")
	if err := e.Context.WriteFile(e.ctx, h, filepath.Join("file", "below"), nil); err == nil {
		e.Error("a file was written below a file")
	}
}

func checkFilesSeen(e *env) {
	h := e.spawn()
	e.touch(h, goFile)
	e.wantResult(e.exec(h, execctx.ExecRequest{Command: awaitGo}), "went\n", 0, "")
}

func checkFilesMode(e *env) {
	if runtime.GOOS == "windows" {
		e.Skip("there are no such modes on Windows")
	}
	h := e.spawn()
	script := filepath.Join(h.CWD, "script")
	e.must(os.WriteFile(script, []byte("old"), 0o600), "write")
	e.must(os.Chmod(script, 0o750), "chmod")
	e.touch(h, "script")
	e.touch(h, "new")
	for name, want := range map[string]fs.FileMode{"script": 0o750, "new": 0o644} {
		info, err := os.Stat(filepath.Join(h.CWD, name))
		e.must(err, "stat")
		if got := info.Mode().Perm(); got != want {
			e.Errorf("%s has the mode %v, want %v", name, got, want)
		}
	}
}
