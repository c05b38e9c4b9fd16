//go:build unix

package transcript

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// mapping maps a file with the given bytes.
func mapping(t testing.TB, data []byte) (*os.File, mapped) {
	f, err := os.CreateTemp(t.TempDir(), "*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	m, err := mapFile(f, 0, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return f, m
}

// TestScanMapped_TR16: rows looked at in the mapping are the rows read through a
// buffer, however the window is cut.
func TestScanMapped_TR16_isTheSameIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var data []byte
		for i := range rapid.IntRange(1, 12).Draw(rt, "rows") {
			typ := rapid.SampledFrom([]string{"user", "assistant", "api-request-blob", "system", "mode"}).Draw(rt, "type")
			row := fmt.Sprintf(`{"type":%q,"uuid":"u%d","message":{"role":"user","content":"%s"}}`, typ, i,
				bytes.Repeat([]byte("task-notification "), rapid.IntRange(0, 40).Draw(rt, "length")))
			data = append(data, row...)
			data = append(data, rapid.SampledFrom([]string{"\n", "\r\n", "\n\n", "\x00\n", "}\n"}).Draw(rt, "end")...)
		}
		if rapid.Bool().Draw(rt, "no final newline") {
			data = bytes.TrimRight(data, "\n")
		}
		size := int64(len(data))
		whole := index{launched: true}
		if _, _, err := whole.scan(bytes.NewReader(data), make([]byte, bufferSize), segment{stop: size}, size); err != nil {
			rt.Fatal(err)
		}
		_, m := mapping(t, data)
		cut := index{launched: true}
		for from := int64(0); from < size; {
			stop := min(size, from+int64(rapid.IntRange(1, 400).Draw(rt, "step")))
			part := index{launched: true}
			part.scanMapped(m, segment{from: from, stop: stop, inner: from > 0})
			cut.join(&part)
			from = stop
		}
		if diff := cmp.Diff(whole.entries, cut.entries, cmp.AllowUnexported(entry{})); diff != "" || whole.rows != cut.rows || whole.bad != cut.bad {
			rt.Fatalf("rows %d and %d, bad %d and %d, entries read (-) and mapped (+):\n%s", whole.rows, cut.rows, whole.bad, cut.bad, diff)
		}
	})
}

// A file that is cut while it is mapped faults at the missing pages. That must
// end this way of reading, not the process; other panics are no faults.
func TestGuarded_aFileThatShrinks(t *testing.T) {
	f, m := mapping(t, bytes.Repeat([]byte("x"), 3*os.Getpagesize()))
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if guarded(func() { _ = bytes.IndexByte(m.data, '\n') }) {
		t.Error("reading behind the end of a file must fault")
	}
	if !guarded(func() {}) {
		t.Error("nothing happened, and it counts as a fault")
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic that is no fault was swallowed")
		}
	}()
	guarded(func() { panic("bug") })
}

// What cannot be mapped is read: the facts are the same.
func TestScanAll_TR16_mappedAndRead(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat(small(), 2*splitFrom/len(small()))
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := int64(len(data))
	mappedWindow, err := openWindow(f, size, size, false)
	if err != nil {
		t.Fatal(err)
	}
	readWindow, err := openWindow(bytes.NewReader(data), size, size, false)
	if err != nil {
		t.Fatal(err)
	}
	if mappedWindow.block != nil {
		t.Error("the file was not mapped, so this compares nothing")
	}
	if diff := cmp.Diff(readWindow.entries, mappedWindow.entries, cmp.AllowUnexported(entry{})); diff != "" ||
		readWindow.rows != mappedWindow.rows || readWindow.bad != mappedWindow.bad {
		t.Errorf("rows %d and %d; read (-), mapped (+):\n%s", readWindow.rows, mappedWindow.rows, diff)
	}
}
