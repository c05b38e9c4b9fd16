package execctx

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// mockFiles is a file system in memory. Names are absolute and clean.
type mockFiles struct {
	files map[string]*mockFile
	dirs  map[string]bool
}

type mockFile struct{ data []byte }

func newMockFiles() mockFiles {
	return mockFiles{files: map[string]*mockFile{}, dirs: map[string]bool{"/": true}}
}

func (f *mockFiles) put(name string, file *mockFile) {
	f.makeDir(path.Dir(name))
	f.files[name] = file
}

func (f *mockFiles) remove(name string) { delete(f.files, name) }

func (f *mockFiles) makeDir(name string) {
	for !f.dirs[name] {
		f.dirs[name] = true
		name = path.Dir(name)
	}
}

func (f *mockFiles) read(name string) ([]byte, error) {
	if file := f.files[name]; file != nil {
		return slices.Clone(file.data), nil
	}
	if f.dirs[name] {
		return nil, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (f *mockFiles) write(name string, data []byte) error {
	if f.dirs[name] {
		return &fs.PathError{Op: "write", Path: name, Err: syscall.EISDIR}
	}
	if err := f.canMake(path.Dir(name)); err != nil {
		return err
	}
	f.put(name, &mockFile{data: slices.Clone(data)})
	return nil
}

// canMake tells whether a folder is there or can be made.
func (f *mockFiles) canMake(dir string) error {
	for ; !f.dirs[dir]; dir = path.Dir(dir) {
		if f.files[dir] != nil {
			return &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
		}
		if dir == path.Dir(dir) {
			break
		}
	}
	return nil
}

func (f *mockFiles) list(dir string) ([]FileInfo, error) {
	if f.files[dir] != nil {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: syscall.ENOTDIR}
	}
	if !f.dirs[dir] {
		return nil, &fs.PathError{Op: "list", Path: dir, Err: fs.ErrNotExist}
	}
	var infos []FileInfo
	for name, file := range f.files {
		if path.Dir(name) == dir {
			infos = append(infos, FileInfo{Name: path.Base(name), Size: int64(len(file.data))})
		}
	}
	for name := range f.dirs {
		if path.Dir(name) == dir && name != dir {
			infos = append(infos, FileInfo{Name: path.Base(name), Dir: true})
		}
	}
	slices.SortFunc(infos, func(a, b FileInfo) int { return strings.Compare(a.Name, b.Name) })
	return infos, nil
}

// ReadFile implements [Files].
func (m *Mock) ReadFile(ctx context.Context, h Handle, name string) (data []byte, err error) {
	err = m.withFiles(ctx, MockCall{Seam: MockSeamReadFile, Handle: h, Path: name}, func(full string) error {
		data, err = m.state.files.read(full)
		return err
	})
	return data, err
}

// WriteFile implements [Files].
func (m *Mock) WriteFile(ctx context.Context, h Handle, name string, data []byte) error {
	return m.withFiles(ctx, MockCall{Seam: MockSeamWriteFile, Handle: h, Path: name, Request: slices.Clone(data)}, func(full string) error {
		if err := m.state.files.write(full, data); err != nil {
			return err
		}
		m.state.wrote(full)
		return nil
	})
}

// ListFiles implements [Files].
func (m *Mock) ListFiles(ctx context.Context, h Handle, name string) (infos []FileInfo, err error) {
	err = m.withFiles(ctx, MockCall{Seam: MockSeamListFiles, Handle: h, Path: name}, func(full string) error {
		infos, err = m.state.files.list(full)
		return err
	})
	return infos, err
}

func (m *Mock) withFiles(ctx context.Context, call MockCall, do func(full string) error) error {
	if err := m.enter(ctx, call); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := m.state
	s.mu.Lock()
	defer s.mu.Unlock()
	owner, err := s.owner(call.Handle)
	if err != nil {
		return err
	}
	return do(m.abs(owner.CWD, call.Path))
}
