package session

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stophook/stophook/agentcore/model"
)

// turns writes a session of n turns, each a prompt, an answer with two calls,
// their results, and a final answer.
func turns(b testing.TB, n int) *Session {
	b.Helper()
	store, err := NewStore(Options{Root: b.TempDir()})
	must(b, err)
	s := got[*Session](b)(store.Create(Meta{CWD: "/home/dev/project", Model: "m-1", GitBranch: "main"}))
	output := strings.Repeat("some line of output, \"quoted\" and all\n", 20)
	for i := range n {
		turn(b, s, i, output)
	}
	return s
}

func turn(b testing.TB, s *Session, i int, output string) {
	b.Helper()
	c1, c2 := fmt.Sprintf("call_%d_1", i), fmt.Sprintf("call_%d_2", i)
	must(b, s.RunStart(Run{ID: "r"}))
	prompt(b, s.Thread, "Please look at the file and fix what is wrong with it.")
	answer(b, s.Thread, fmt.Sprintf("msg_%d_1", i), model.StopToolUse, model.Text("I look at it now, and run the tests."),
		use(c1, "Bash", `{"command":"go test ./...","description":"Run the tests"}`), use(c2, "read_file", `{"file_path":"/home/dev/project/main.go"}`))
	must(b, s.ToolResults(
		ToolResult{CallID: c1, Text: output, Structured: map[string]any{"stdout": output, "stderr": "", "interrupted": false}},
		ToolResult{CallID: c2, Text: output}))
	answer(b, s.Thread, fmt.Sprintf("msg_%d_2", i), model.StopEndTurn, model.Text("I fixed it: the loop ended one step early."))
	must(b, s.RunEnd(RunEnd{ID: "r", ModelCalls: 2, ToolCalls: 2}))
}

const benchTurns = 5000

// BenchmarkOpen resumes a session of 5,000 turns (issue 6, point 7: under 300 ms).
func BenchmarkOpen(b *testing.B) {
	s := turns(b, benchTurns)
	info, err := os.Stat(s.Path())
	must(b, err)
	must(b, s.Close())
	b.SetBytes(info.Size())
	b.ReportAllocs()
	store, id := s.store, s.ID()
	s = nil
	for b.Loop() {
		must(b, got[*Session](b)(store.Open(id)).Close())
	}
	b.ReportMetric(float64(info.Size())/(1<<20), "MiB")
	b.ReportMetric(float64(held(b, store, id))/(1<<20), "MiB-kept")
}

// held is how much memory an open session keeps.
func held(b testing.TB, store *Store, id string) uint64 {
	b.Helper()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := got[*Session](b)(store.Open(id))
	runtime.GC()
	runtime.ReadMemStats(&after)
	must(b, s.Close())
	return after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
}

// BenchmarkTurn records one turn with two calls: nine rows.
func BenchmarkTurn(b *testing.B) {
	s := turns(b, 1)
	defer s.Close()
	b.ReportAllocs()
	for i := 1; b.Loop(); i++ {
		turn(b, s, i, "ok")
	}
}

// BenchmarkMessages asks for the conversation of 5,000 turns.
func BenchmarkMessages(b *testing.B) {
	s := turns(b, benchTurns)
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		if len(s.Messages()) != 4*benchTurns {
			b.Fatal("messages are missing")
		}
	}
}

// BenchmarkList lists 100 sessions of 50 turns.
func BenchmarkList(b *testing.B) {
	s := turns(b, 50)
	must(b, s.Close())
	file := readFile(b, s.Path())
	for i := range 99 {
		id := fmt.Sprintf("s-%d", i)
		must(b, os.Mkdir(s.store.Dir(id), 0o700))
		must(b, os.WriteFile(s.store.Path(id), []byte(file), 0o600))
	}
	b.ReportAllocs()
	for b.Loop() {
		if len(got[[]Info](b)(s.store.List())) != 100 {
			b.Fatal("sessions are missing")
		}
	}
}

// What a resumed session holds is the conversation and not the file: results are
// in it twice, and every row says where it ran.
func TestMemory_isOfWhatIsKept(t *testing.T) {
	s := turns(t, 300)
	must(t, s.Close())
	info, err := os.Stat(s.Path())
	must(t, err)
	if kept := held(t, s.store, s.ID()); kept > uint64(info.Size()) {
		t.Errorf("%d bytes are held of a file of %d", kept, info.Size())
	}
}
