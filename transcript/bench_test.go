package transcript

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stophook/stophook/internal/benchgen"
)

// BenchmarkRead8MiB_TR16 reads a usual window: rounds of tool use, copies of
// requests of 400 kB, a handoff 6 MiB before the end.
func BenchmarkRead8MiB_TR16(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.jsonl")
	if _, err := benchgen.WriteFile(path, benchgen.Options{Size: 20 << 20, HandoffFromEnd: 6 << 20, Now: at0}); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(DefaultWindow)
	b.ReportAllocs()
	for b.Loop() {
		s, err := Read(path, Options{Now: at0, SessionID: benchgen.SessionID})
		if err != nil || len(open(s, "any_text")) != 1 {
			b.Fatalf("%v, handoffs %v", err, s.Handoffs)
		}
	}
}

// BenchmarkRead8MiBHostOrder is the same with the assistant's messages before
// their types, as the host writes them.
func BenchmarkRead8MiBHostOrder_TR16(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.jsonl")
	if _, err := benchgen.WriteFile(path, benchgen.Options{Size: 9 << 20, HandoffFromEnd: 6 << 20, Now: at0}); err != nil {
		b.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		if before, after, ok := bytes.Cut(line, []byte(`"type":"assistant",`)); ok {
			out.Write(before)
			out.Write(bytes.TrimSuffix(after, []byte("}\n")))
			out.WriteString(`,"requestId":"req_1","type":"assistant"}` + "\n")
		} else {
			out.Write(line)
		}
	}
	data = out.Bytes()
	b.SetBytes(int64(min(len(data), DefaultWindow)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := ReadFrom(bytes.NewReader(data), int64(len(data)), path, Options{Now: at0, SessionID: benchgen.SessionID})
		if err != nil || len(open(s, "any_text")) != 1 || !s.Turn.IsToolTurn {
			b.Fatalf("%v, handoffs %v", err, s.Handoffs)
		}
	}
}

// BenchmarkReadSmall reads a session of five rows from a file.
func BenchmarkReadSmall_TR16(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, small(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(small())))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(path, Options{Now: at0}); err != nil {
			b.Fatal(err)
		}
	}
}
