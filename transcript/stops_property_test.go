package transcript

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/fixtures"
)

// solo reads a window for itself, without checking every row: what [tape.fill]
// must be equal to, also for windows that are small enough to be checked.
func solo(t failer, data []byte, end int64, o Options) *Session {
	o = o.withDefaults()
	w := &window{r: bytes.NewReader(data), size: end, start: max(0, end-o.Window)}
	if w.start > 0 {
		next, err := w.rowStart(w.start)
		if err != nil {
			t.Fatal(err)
		}
		w.start = next
	}
	if err := w.scanAll(); err != nil {
		t.Fatal(err)
	}
	return newSession(w, "t.jsonl", o)
}

type failer interface{ Fatal(...any) }

// shared reads the same through a tape that has come as far as pos.
func (t *tape) shared(end int64, o Options) *Session {
	o = o.withDefaults()
	w := t.bare(end)
	if w.start = max(0, end-o.Window); w.start > 0 {
		w.start, _ = w.rowStart(w.start)
	}
	if !t.fill(w) {
		return nil
	}
	return newSession(w, t.path, o)
}

// TestTape_sharesWhatReadFromReads: the session at any row of a random transcript is
// the same through the shared index as through a window of its own, in whatever
// order and however often it is asked for.
func TestTape_sharesWhatReadFromReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := session(t)
		for range rapid.IntRange(0, 2).Draw(t, "more") {
			data = append(data, session(t)...)
		}
		tape := newTape(bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{}, func(*Stop, *Moment) error { return nil })
		if err := tape.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		var ends []int64
		for i, c := range data {
			if c == '\n' {
				ends = append(ends, int64(i)+1)
			}
		}
		ends = append(ends, int64(len(data)))
		for range 4 {
			end := rapid.SampledFrom(ends).Draw(t, "end")
			o := options(t, len(data))
			want, got := solo(t, data, end, o), tape.shared(end, o)
			if got == nil {
				t.Fatal("nothing of so small a file may be forgotten")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("window of its own (-) and shared (+), end %d, options %+v:\n%s\n%s", end, o, diff, shorten(data))
			}
		}
	})
}

// TestMoment_isReadFrom: at every stop of every stored transcript and of random
// ones, with the windows of the default and of a small configuration.
func TestMoment_isReadFrom(t *testing.T) {
	moments := 0
	check := func(t failer, data []byte, windows ...int64) {
		r := bytes.NewReader(data)
		_, err := Walk(context.Background(), r, int64(len(data)), "t.jsonl", WalkOptions{}, func(s *Stop, m *Moment) error {
			for _, window := range windows {
				moments++
				o := Options{Now: s.Time.Add(time.Second), Window: window, SessionID: s.SessionID, LastAssistantMessage: &s.FinalText}
				want, err := ReadFrom(bytes.NewReader(data[:s.Offset]), s.Offset, "t.jsonl", o)
				if err != nil {
					return err
				}
				got, err := m.Session(o)
				if err != nil {
					return err
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatal("ReadFrom (-) and Moment.Session (+):\n" + diff)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, area := range []string{fixtures.Captures, fixtures.Cases, fixtures.Transcript, fixtures.Stop} {
		for _, c := range fixtures.Load(t, area) {
			check(t, c.Read(t, fixtures.TranscriptFile), 0, 64<<10, 900)
		}
	}
	for _, c := range fixtures.Generated(t) {
		data, err := os.ReadFile(c.Materialise(t).Transcript)
		if err != nil {
			t.Fatal(err)
		}
		check(t, data, 0, 1<<20)
	}
	if moments < 500 {
		t.Errorf("%d moments compared: the stored transcripts have more stops", moments)
	}
	rapid.Check(t, func(t *rapid.T) {
		var data []byte
		for range rapid.IntRange(1, 4).Draw(t, "sessions") {
			data = append(data, session(t)...)
		}
		check(t, data, 0, int64(rapid.IntRange(1, len(data)+1).Draw(t, "window")))
	})
}

// long writes a session of many turns through all the ways of the generator, large
// enough for windows that are shared and rows that are forgotten.
func long(t testing.TB, size int) []byte {
	t.Helper()
	g := rapid.Custom(func(t *rapid.T) []byte { return session(t) })
	var data []byte
	random := rand.New(rand.NewPCG(3, 9))
	for i := 0; len(data) < size; i++ {
		part := g.Example(i % 400)
		data = append(data, part...)
		if len(part) > 0 && part[len(part)-1] != '\n' {
			data = append(data, '\n')
		}
		if random.IntN(3) == 0 {
			data = append(data, lines(userRow("filler", "", []any{toolResult("t", string(bytes.Repeat([]byte("output "), 4000)))}))...)
		}
		n := strconv.Itoa(i)
		data = append(data, lines(human("p"+n, "", "go"), called("c"+n, "c"+n, "t"+n, "tool_use"), answered("r"+n, "t"+n),
			said("a"+n, "m"+n, "done", "end_turn"))...)
	}
	return data
}

// TestMoment_isReadFrom_large does the same where windows end in the middle of a
// large file, from a real file and from a reader.
func TestMoment_isReadFrom_large(t *testing.T) {
	data := long(t, 16<<20)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const window = 4 << 20
	shared, stops := 0, 0
	_, err = Walk(context.Background(), f, int64(len(data)), "t.jsonl", WalkOptions{Window: window}, func(s *Stop, m *Moment) error {
		stops++
		o := Options{Now: s.Time, Window: window, SessionID: s.SessionID}
		if m.tape.view(s.Offset, o.withDefaults()) != nil {
			shared++
		}
		if stops%2 == 0 {
			return nil
		}
		got, err := m.Session(o)
		if err != nil {
			return err
		}
		var r io.ReaderAt = f
		if stops%4 == 1 {
			r = bytes.NewReader(data)
		}
		want, err := ReadFrom(r, s.Offset, "t.jsonl", o)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Session{}, "Rows", "BadLines")); diff != "" {
			t.Fatalf("stop at %d: ReadFrom (-) and Moment.Session (+):\n%s", s.Offset, diff)
		}
		if want.Rows+want.BadLines != got.Rows+got.BadLines {
			t.Fatalf("stop at %d: %d and %d rows and bad lines", s.Offset, want.Rows+want.BadLines, got.Rows+got.BadLines)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if shared < 50 {
		t.Errorf("%d of %d stops were answered from the shared index: too few to prove anything", shared, stops)
	}
}

// A walk forgets what no window can hold, also of rows of two bytes.
func TestTape_forgets(t *testing.T) {
	data := bytes.Repeat([]byte("{}\n"), 3*maxMarks)
	data = append(data, lines(human("p", "", "go"), said("a", "m", "done", "end_turn"))...)
	stops := 0
	_, err := Walk(context.Background(), bytes.NewReader(data), int64(len(data)), "t.jsonl", WalkOptions{}, func(s *Stop, m *Moment) error {
		stops++
		if n := len(m.tape.marks); n > maxMarks {
			t.Errorf("%d rows are remembered, at most %d", n, maxMarks)
		}
		o := Options{Now: at0}
		want, err := ReadFrom(bytes.NewReader(data), s.Offset, "t.jsonl", o)
		if err != nil {
			return err
		}
		got, err := m.Session(o)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
	if err != nil || stops != 1 {
		t.Errorf("%d stops, %v", stops, err)
	}
}

// FuzzStops: any bytes are a transcript. Stops stand in order and inside the file,
// and short reads change nothing.
func FuzzStops(f *testing.F) {
	seeds(f, func(data []byte) { f.Add(data, uint64(len(data))) })
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		stops, seen := stopsOf(t, data)
		end := int64(0)
		for _, s := range stops {
			if s.FinalAt < end || s.Offset <= s.FinalAt || s.Offset > int64(len(data)) || s.Line < 1 || s.Line > seen.Lines || s.Sign == "" {
				t.Fatalf("stop %+v behind offset %d of %d", s, end, len(data))
			}
			end = s.Offset
		}
		if seen.Rows+seen.Bad > seen.Lines {
			t.Fatalf("%+v", seen)
		}
		random := rand.New(rand.NewPCG(seed, 1))
		short := shortReader{data, func(want int) int { return random.IntN(want + 1) }}
		var again []Stop
		_, err := Walk(context.Background(), short, int64(len(data)), "t.jsonl", WalkOptions{}, func(s *Stop, m *Moment) error {
			again = append(again, *s)
			_, err := m.Session(Options{Now: at0, Window: int64(seed%1000) + 1})
			return err
		})
		if err != nil || !slices.Equal(stops, again) {
			t.Fatalf("short reads change the stops: %v\n%+v\n%+v", err, stops, again)
		}
	})
}
