package hookio_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares got with a file under testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	path = filepath.Join("testdata", filepath.FromSlash(path))
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; UPDATE_GOLDEN=1 writes it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), UPDATE_GOLDEN=1 rewrites it:\n%s", path, diff)
	}
}

// payloads gives every recorded payload as "host/name". None at all is a
// failure: a moved folder must not turn the tests green.
func payloads(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "payloads", "*", "*.json"))
	if err != nil || len(files) < 10 {
		t.Fatalf("testdata/payloads holds %d files (%v), too few to be the whole set", len(files), err)
	}
	all := make(map[string][]byte, len(files))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(f)), filepath.Base(f)))
		all[name] = data
	}
	return all
}

// claimed fails for every file of a golden folder that no test asked for.
func claimed(t *testing.T, folder string, names map[string]bool) {
	t.Helper()
	root := filepath.Join("testdata", folder)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err == nil && !names[filepath.ToSlash(rel)] {
			t.Errorf("%s: no case writes this golden file; delete it", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// utf16le and utf16be spell ASCII text in UTF-16 with its mark.
func utf16le(s string) []byte { return wide(s, []byte{0xff, 0xfe}, 0) }
func utf16be(s string) []byte { return wide(s, []byte{0xfe, 0xff}, 1) }

func wide(s string, mark []byte, low int) []byte {
	out := bytes.Clone(mark)
	for _, r := range s {
		unit := [2]byte{}
		unit[low] = byte(r)
		unit[1-low] = byte(r >> 8)
		out = append(out, unit[0], unit[1])
	}
	return out
}
