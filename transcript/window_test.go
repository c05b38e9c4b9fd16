package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stophook/stophook/internal/benchgen"
	"pgregory.net/rapid"
)

// small is a session with a handoff in the middle.
func small() []byte {
	return lines(human("u1", "", "go"), assistantRow("a1", "u1", []any{toolUse("t1", "Bash", m{"command": "x"})}),
		handoffRow("r1", "a1", "t1", "b1"), assistantRow("a2", "r1", []any{text("waiting")}), human("u2", "a2", "and?"))
}

// TestRead_TR1_TR3_D33_everyWindow cuts a file at every byte: the first whole row
// is the first one read, and nothing else depends on where the window begins.
func TestRead_TR1_TR3_D33_everyWindow(t *testing.T) {
	t.Parallel()
	data := small()
	for _, name := range []string{"with a final newline", "without"} {
		for window := 1; window <= len(data)+2; window++ {
			o := Options{Now: at0, Window: int64(window)}
			want, got := naiveRead(data, "t.jsonl", o), read(t, data, o)
			if diff := cmp.Diff(want, got, comparable); diff != "" {
				t.Fatalf("%s, window %d:\n%s", name, window, diff)
			}
			if got.WindowOffset > 0 && got.WindowOffset < got.Size && data[got.WindowOffset-1] != '\n' {
				t.Fatalf("%s, window %d begins at %d, inside a row", name, window, got.WindowOffset)
			}
		}
		data = data[:len(data)-1]
	}
}

func TestRead_TR1_D32_defaultWindow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason   string
		distance int // from the handoff row's first byte to the end
		want     []string
	}{
		{"D-32: 8 MB are 8×1024×1024 bytes, and a row that begins there is whole", 8 << 20, []string{"b1"}},
		{"D-33: a row that begins one byte earlier is cut", 8<<20 + 1, []string{}},
		{"8,000,000 bytes are well inside", 8_000_000, []string{"b1"}},
	}
	for _, tt := range tests {
		row := lines(handoffRow("r1", "a1", "t1", "b1"))
		rest := tt.distance - len(row)
		filler := bytes.Repeat([]byte("{\"type\":\"mode\",\"x\":\""+strings.Repeat("y", 977)+"\"}\n"), rest/1000+1)
		filler = filler[len(filler)-rest:]
		filler[0] = ' ' // whatever is cut off there, it is one broken line
		data := slices.Concat(lines(human("u1", "", "go")), row, filler)
		if got := open(read(t, data, Options{}), "any_text"); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v", tt.reason, got)
		}
	}
}

func TestRead_TR2_TR13_windowsAreSeparate(t *testing.T) {
	t.Parallel()
	box := func(id string) obj { return assistantRow(id, "u1", []any{text(BoxMarker + "abcd1234 ──┐")}) }
	data := lines(human("u1", "", "go"), handoffRow("r1", "u1", "t1", "b1"), box("a1"),
		obj{{"type", "api-request-blob"}, {"x", strings.Repeat("z", 300<<10)}}, box("a2"))
	s := read(t, data, Options{})
	if len(s.Turn.Boxes) != 1 || s.Turn.Boxes[0].Offset < 300<<10 {
		t.Errorf("the box window of 256 KiB holds one box, got %+v", s.Turn.Boxes)
	}
	if got := open(s, "any_text"); len(got) != 1 {
		t.Errorf("TR-2: the handoff lies behind the box window and counts, got %v", got)
	}
	if s := read(t, data, Options{BoxWindow: 1 << 20}); len(s.Turn.Boxes) != 2 {
		t.Errorf("a larger box window holds both, got %+v", s.Turn.Boxes)
	}
	if s := read(t, data, Options{Window: 1 << 10}); len(s.Handoffs) != 0 || len(s.Turn.Boxes) != 1 {
		t.Errorf("a smaller window holds the last row only, got %+v %+v", s.Handoffs, s.Turn.Boxes)
	}
}

func TestRead_D33_oneHugeRow(t *testing.T) {
	t.Parallel()
	data := lines(human("u1", "", strings.Repeat("long ", 100_000)))
	s := read(t, data[:len(data)-1], Options{Window: 1000})
	if s.Rows != 0 || s.BadLines != 0 || !slices.Contains(s.Blind, BlindWindowCut) {
		t.Errorf("a window inside one row sees nothing and says so: %+v", s)
	}
}

// TestRead_D33_splitPoint puts the middle of a large window, where two goroutines
// meet, at many places around the rows that matter.
func TestRead_D33_splitPoint(t *testing.T) {
	t.Parallel()
	filler := func(n int) string { return `{"type":"api-request","x":"` + strings.Repeat("y", n-30) + `"}` }
	middle := lines(handoffRow("r1", "u1", "t1", "b1"), assistantRow("a2", "u1", []any{text("x")}),
		human("n1", "r1", notification("b1", "completed")), handoffRow("r2", "u1", "t2", "b2"))
	for shift := 0; shift < len(middle)+40; shift += 31 {
		data := slices.Concat(lines(human("u1", "", "go"), filler(splitFrom/2+100)), middle, lines(filler(splitFrom/2-len(middle)+2*shift)))
		s := read(t, data, Options{})
		if got := open(s, "any_text"); !slices.Equal(got, []string{"b2"}) || s.Rows != 7 || s.BadLines != 0 {
			t.Fatalf("shift %d: open %v, %d rows, %d bad", shift, got, s.Rows, s.BadLines)
		}
	}
}

// TestRead_TR15_needlesAcrossParts moves long rows over the border between two
// parts of the buffer, so that every needle is cut at every byte.
func TestRead_TR15_needlesAcrossParts(t *testing.T) {
	t.Parallel()
	rows := []struct {
		reason string
		row    obj
	}{
		{"a receipt", handoffRow("r1", "u1", "t1", "b1")},
		{"a notice, named once", assistantRow("a2", "u1", []any{text("<task-notification>b0")})},
		{"a recorded end", userRow("k1", "u1", []any{toolResult("t9", "stopped")}, kv{"toolUseResult", m{"message": "stopped", "task_id": "b0"}})},
		{"a call", assistantRow("a3", "u1", []any{toolUse("t3", "Bash", m{"command": "x", "run_in_background": true})})},
		{"a failed result", userRow("k2", "u1", []any{toolResult("t0", "no", true)})},
		{"a subagent", userRow("k3", "u1", []any{toolResult("t5", "ok")}, kv{"toolUseResult", m{"status": "async_launched", "agentId": "a7"}})},
	}
	filler := strings.Repeat("x", bufferSize)
	// The search for notices learns which of two anchors is the rarer one, and
	// looks at the other now and then: it may change between the two parts.
	often := density{hits: 1 << 20, bytes: 1 << 20}
	learnt := []index{{launched: true}, {launched: true, searches: 14, k: often}, {launched: true, searches: 14, hyphen: often}}
	flags := func(x index, body string, n int) entry {
		data := `{"filler":"` + filler[:n] + `",` + body[1:]
		if _, _, err := x.scan(strings.NewReader(data), make([]byte, bufferSize), segment{stop: int64(len(data))}, int64(len(data))); err != nil || len(x.entries) != 1 {
			t.Fatalf("%v, entries %v", err, x.entries)
		}
		e := x.entries[0]
		e.n -= int32(n)
		return e
	}
	for _, r := range rows {
		body := style{}.line(r.row)
		want := flags(learnt[0], body, headLimit) // the head is out of reach either way
		// The first part of a long row ends at the border; the overlap goes on.
		border := bufferSize - 2*around - len(`{"filler":"`)
		for before := -2*around - 2; before <= len(body)+4; before++ {
			for _, x := range learnt {
				if got := flags(x, body, min(border-before, len(filler))); got != want {
					t.Fatalf("%s, from %d bytes before the border: got %+v, want %+v", r.reason, before, got, want)
				}
			}
		}
	}
}

// vanishing is a file that shrank after its size was asked.
type vanishing struct {
	data []byte
	err  error
}

func (v vanishing) ReadAt(p []byte, off int64) (int, error) {
	if off >= int64(len(v.data)) {
		return 0, v.err
	}
	n := copy(p, v.data[off:])
	if n < len(p) {
		return n, v.err
	}
	return n, nil
}

func TestRead_TR12_shrinkingFile(t *testing.T) {
	t.Parallel()
	data := small()
	for end := 0; end <= len(data); end++ {
		for _, more := range []int64{0, 1, 5000, 3 << 20} {
			s, err := ReadFrom(vanishing{data[:end], io.EOF}, int64(len(data))+more, "t.jsonl", Options{Now: at0})
			if err != nil {
				t.Fatalf("what is left of a shrunken file is read, got %v", err)
			}
			whole := bytes.Count(data[:end], []byte("\n"))
			if s.Rows < whole || s.Rows > whole+1 {
				t.Fatalf("%d bytes left hold %d rows, got %d", end, whole, s.Rows)
			}
		}
	}
	broken := errors.New("input/output error")
	s, err := ReadFrom(vanishing{nil, broken}, 100, "t.jsonl", Options{Now: at0})
	if !errors.Is(err, broken) || !slices.Contains(s.Blind, BlindUnreadable) {
		t.Errorf("TR-12: an unreadable file is blind and says why: %v %v", err, s.Blind)
	}
	s, err = ReadFrom(vanishing{data[:100], broken}, 100<<10, "t.jsonl", Options{Now: at0})
	if !errors.Is(err, broken) || !slices.Contains(s.Blind, BlindUnreadable) || len(s.Handoffs) > 0 {
		t.Errorf("TR-12: neither is one that breaks in the middle: %v %v", err, s.Blind)
	}
}

func TestRead_TR12_blind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked.jsonl")
	if err := os.WriteFile(locked, small(), 0o000); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ reason, path, want string }{
		{"the host named no file", "", BlindNoPath},
		{"no such file", filepath.Join(dir, "none.jsonl"), BlindMissing},
		{"no such folder", filepath.Join(dir, "none", "t.jsonl"), BlindMissing},
		{"a folder is no transcript", dir, BlindUnreadable},
		{"a file in the place of a folder", filepath.Join(locked, "t.jsonl"), BlindUnreadable},
		{"a path with a NUL", "a\x00b", BlindUnreadable},
	}
	if os.Geteuid() != 0 { // root reads everything
		tests = append(tests, struct{ reason, path, want string }{"not ours to read", locked, BlindUnreadable})
	}
	for _, tt := range tests {
		last := BoxMarker + "abcd1234 ┐"
		s, err := Read(tt.path, Options{Now: at0, SessionID: "s-1", LastAssistantMessage: &last})
		if err == nil {
			t.Errorf("%s: no error", tt.reason)
		}
		if diff := cmp.Diff([]string{tt.want}, s.Blind); diff != "" {
			t.Errorf("%s:\n%s", tt.reason, diff)
		}
		if len(s.Handoffs)+len(s.Tasks) > 0 || s.Turn.Complete || s.SessionID != "s-1" {
			t.Errorf("%s: a blind session knows nothing but what it was told: %+v", tt.reason, s)
		}
		if s.Turn.FinalText != last || len(s.Turn.Boxes) != 1 {
			t.Errorf("%s: the payload's text is known all the same: %+v", tt.reason, s.Turn)
		}
	}
	if _, err := Read("", Options{}); !errors.Is(err, ErrNoPath) {
		t.Errorf("ErrNoPath can be asked for, got %v", err)
	}
}

// allocated tells the bytes that f takes from the heap, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Not parallel: TotalAlloc is the whole process's.
func TestRead_TR1_TR15_memoryOfHugeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 2 << 30
	if err := os.Truncate(path, size); err != nil {
		t.Skipf("this file system takes no sparse file: %v", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(slices.Concat([]byte("\n"), small()), size); err != nil {
		t.Fatal(err)
	}
	var s *Session
	got := allocated(func() { s, err = Read(path, Options{Now: at0}) })
	if err != nil || len(s.Handoffs) != 1 {
		t.Fatalf("%v %+v", err, s)
	}
	if got > 4<<20 {
		t.Errorf("2 GiB of which 8 MiB are one row of NUL bytes took %d bytes", got)
	}
}

func TestRead_TR15_memoryOfLargeWindow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	info, err := benchgen.WriteFile(path, benchgen.Options{Size: 9 << 20, HandoffFromEnd: 6 << 20, Now: at0})
	if err != nil {
		t.Fatal(err)
	}
	var s *Session
	got := allocated(func() { s, err = Read(path, Options{Now: at0, SessionID: benchgen.SessionID}) })
	if err != nil || !slices.Equal(open(s, "any_text"), []string{benchgen.HandoffID}) || s.Handoffs[0].OpenedAt.Offset != info.HandoffOffset {
		t.Fatalf("%v %+v", err, s.Handoffs)
	}
	if got > 6<<20 {
		t.Errorf("a usual window of 8 MiB took %d bytes", got)
	}
}

func TestRead_TR15_memoryOfManyRows(t *testing.T) {
	row := []byte("{\"type\":\"user\"}\n")
	data := slices.Concat(lines(handoffRow("r1", "", "t1", "b1")), bytes.Repeat(row, 1_000_000), lines(handoffRow("r2", "", "t2", "b2")))
	var s *Session
	got := allocated(func() { s = read(t, data, Options{Window: 64 << 20, Now: at0}) })
	if !slices.Equal(s.Blind, []string{BlindTooManyRows}) || s.Rows != 1_000_002 {
		t.Errorf("rows forgotten are rows not seen: %v, %d rows", s.Blind, s.Rows)
	}
	if diff := cmp.Diff([]string{"b2"}, open(s, "any_text")); diff != "" {
		t.Errorf("the newest rows are kept:\n%s", diff)
	}
	if got > 64<<20 {
		t.Errorf("a million rows took %d bytes", got)
	}
	data = slices.Concat(bytes.Repeat(row, maxEntries+1), lines(handoffRow("r2", "", "t2", "b2")))
	if s := read(t, data, Options{Validate: true}); !slices.Equal(s.Blind, []string{BlindTooManyRows}) || len(s.Handoffs) != 1 {
		t.Errorf("read in one piece: blind %v, handoffs %v", s.Blind, s.Handoffs)
	}
}

// TestIndex_TR16_noAllocationPerRow holds the first pass to what makes it fast.
func TestIndex_TR16_noAllocationPerRow(t *testing.T) {
	o := assistantRow("a1", "u1", []any{text("some words"), toolUse("t1", "Bash", m{"command": "ls"})})
	run := func(n int) float64 {
		data := bytes.Repeat(lines(o, human("u1", "", "go"), handoffRow("r1", "a1", "t1", "b1")), n)
		return testing.AllocsPerRun(5, func() {
			var x index
			x.entries = make([]entry, 0, maxEntries)
			if _, _, err := x.scan(bytes.NewReader(data), make([]byte, bufferSize), segment{stop: int64(len(data))}, int64(len(data))); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := run(10), run(1000); many > few {
		t.Errorf("the first pass allocates by row: %v for 30 rows, %v for 3,000", few, many)
	}
}

func TestRead_TR15_longRowsOfEveryLength(t *testing.T) {
	t.Parallel()
	for _, n := range []int{bufferSize - 2*around - 1, bufferSize - 2*around, bufferSize - 1, bufferSize, bufferSize + 1, 2*bufferSize - 2*around, 2 * bufferSize} {
		for _, less := range []int{-2, -1, 0, 1, 2} {
			head := `{"type":"user","message":{"role":"user","content":"`
			tail := `"},"uuid":"x","timestamp":"2026-10-05T09:00:00Z"}`
			row := head + strings.Repeat("k", n+less-len(head)-len(tail)) + tail
			s := read(t, []byte(row+"\n"+row), Options{})
			if s.Rows != 2 || s.BadLines != 0 || s.Turn.Origin != "human" || s.Turn.StartedAt.Offset != int64(len(row)+1) {
				t.Errorf("rows of %d bytes: %s", len(row), fmt.Sprintf("%d rows, %d bad, turn %+v", s.Rows, s.BadLines, s.Turn.StartedAt))
			}
		}
	}
}

// TestScanAll_TR16_segments: however the window is cut into segments, every row
// is indexed once, request copies and rows longer than a segment included.
func TestScanAll_TR16_segments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		for i := range rapid.IntRange(1, 12).Draw(t, "rows") {
			row := fmt.Sprintf(`{"type":%q,"uuid":"u%d","message":{"role":"user","content":"%s"}}`,
				rapid.SampledFrom([]string{"user", "assistant", "api-request-blob", "system", "mode"}).Draw(t, "type"), i,
				strings.Repeat("task-notification ", rapid.IntRange(0, 40).Draw(t, "length")))
			data = append(append(data, row...), '\n')
		}
		if rapid.Bool().Draw(t, "no final newline") {
			data = data[:len(data)-1]
		}
		size := int64(len(data))
		whole := index{launched: true}
		if _, _, err := whole.scan(bytes.NewReader(data), make([]byte, bufferSize), segment{stop: size}, size); err != nil {
			t.Fatal(err)
		}
		cut := index{launched: true}
		for from, first := int64(0), true; from < size; first = false {
			stop := min(size, from+int64(rapid.IntRange(1, 400).Draw(t, "step")))
			part := index{launched: true}
			if _, _, err := part.scan(bytes.NewReader(data), make([]byte, bufferSize), segment{from: from, stop: stop, inner: !first}, size); err != nil {
				t.Fatal(err)
			}
			cut.join(&part)
			from = stop
		}
		if diff := cmp.Diff(whole.entries, cut.entries, cmp.AllowUnexported(entry{})); diff != "" || whole.rows != cut.rows || whole.bad != cut.bad {
			t.Fatalf("rows %d and %d, bad %d and %d, entries in one piece (-) and in segments (+):\n%s", whole.rows, cut.rows, whole.bad, cut.bad, diff)
		}
	})
}
