package session

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/model"
	"github.com/stophook/stophook/agentcore/session/sessiontest"
)

// fullDisk takes so many bytes and no more.
type fullDisk struct {
	*rowLog
	room int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.f.Write(p)
	}
	n, err := d.f.Write(p[:d.room])
	d.room = 0
	return n, errors.Join(err, syscall.ENOSPC)
}

// A row that lacks its newline only is whole, and known.
func TestAppend_fullDiskAtTheNewline_RT40(t *testing.T) {
	s := create(t, newStore(t))
	prompt(t, s.Thread, "a")
	row := readFile(t, s.Path())
	row = row[strings.Index(row, "\n")+1:]
	s.log.out = &fullDisk{rowLog: &s.log, room: len(row) - 1}
	if _, err := s.UserPrompt(Prompt{Text: "b"}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	s.log.out = s.log.f
	// Its parent is longer than null, so it did not fit: nothing of it is told.
	if n := len(s.Messages()[0].Content); n != 1 {
		t.Fatalf("%d prompts", n)
	}
	prompt(t, s.Thread, "c")
	file := readFile(t, s.Path())
	row = file[strings.LastIndex(strings.TrimSpace(file), "\n")+1:]
	s.log.out = &fullDisk{rowLog: &s.log, room: len(row) - 1}
	if _, err := s.UserPrompt(Prompt{Text: "d"}); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	s.log.out = s.log.f
	live := show(s.Messages())
	if !strings.Contains(live, `"d"`) {
		t.Errorf("messages\n%s", live)
	}
	prompt(t, s.Thread, "e")
	live = show(s.Messages())
	s = reopen(t, s)
	if d := s.Damage(); show(s.Messages()) != live || d.BadRows != 1 {
		t.Errorf("%+v, messages\n%s", d, show(s.Messages()))
	}
}

// A full disk at every byte of an append of three rows: what the thread tells is
// what the file holds, and goes on when there is room again (RT-40).
func TestAppend_fullDisk_RT40(t *testing.T) {
	blocks := []model.Block{model.Text("one"), use("call_1", "Bash", `{}`), use("call_2", "Bash", `{}`)}
	size := 0
	for room := 0; room == 0 || room < size; room += 17 {
		s := create(t, newStore(t))
		prompt(t, s.Thread, "go")
		s.log.out = &fullDisk{rowLog: &s.log, room: room}
		if _, err := s.Assistant(&model.Message{ID: "m", Content: blocks}, ""); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("room for %d bytes: error %v", room, err)
		}
		live := show(s.Messages())
		if err := sessiontest.Valid(s.Messages()); err != nil {
			t.Fatal(err)
		}
		copied := got[*Session](t)(s.store.Fork(s.ID(), ""))
		if diff := cmp.Diff(live, show(copied.Messages())); diff != "" {
			t.Fatalf("room for %d bytes (-live +file):\n%s", room, diff)
		}
		must(t, copied.Close())
		s.log.out = s.log.f
		prompt(t, s.Thread, "again")
		live = show(s.Messages())
		s = reopen(t, s)
		if diff := cmp.Diff(live, show(s.Messages())); diff != "" || !strings.Contains(live, "again") {
			t.Fatalf("room for %d bytes, later (-live +file):\n%s", room, diff)
		}
		if size == 0 {
			before := len(readFile(t, s.Path()))
			got[string](t)(s.Assistant(&model.Message{ID: "m", Content: blocks}, ""))
			size = len(readFile(t, s.Path())) - before
		}
		must(t, s.Close())
	}
}

// countWrites counts calls of write.
type countWrites struct {
	*rowLog
	n int
}

func (c *countWrites) Write(p []byte) (int, error) {
	c.n++
	return c.f.Write(p)
}

func TestAppend_oneWrite_RT40(t *testing.T) {
	s := create(t, newStore(t))
	count := &countWrites{rowLog: &s.log}
	s.log.out = count
	for i, op := range []func() error{
		func() error { _, err := s.UserPrompt(Prompt{Text: "a"}); return err },
		func() error {
			_, err := s.Assistant(&model.Message{Content: []model.Block{model.Text("a"), use("c", "n", `{}`)}}, "")
			return err
		},
		func() error { return s.ToolResults(ToolResult{CallID: "c", Text: "x"}) },
		func() error { return s.Steer(Steer{Text: "b"}) },
	} {
		must(t, op())
		if count.n != i+1 {
			t.Errorf("step %d: %d writes", i, count.n)
		}
	}
}

func TestAppend_tornLine_RT40(t *testing.T) {
	store := newStore(t)
	place(t, store, "s", []byte(`{"type":"user","message":{"content":"whole, without its newline"}}`))
	s := got[*Session](t)(store.Open("s"))
	if d := s.Damage(); d.BadRows != 0 || !d.Torn {
		t.Errorf("%+v", d)
	}
	prompt(t, s.Thread, "b")
	s = reopen(t, s)
	if d := s.Damage(); d.BadRows != 0 || d.Torn || len(s.Messages()[0].Content) != 2 {
		t.Errorf("%+v, messages\n%s", d, show(s.Messages()))
	}
}

func TestAppend_closed(t *testing.T) {
	s := create(t, newStore(t))
	must(t, s.Close())
	if _, err := s.UserPrompt(Prompt{Text: "a"}); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
	if len(s.Messages()) != 0 {
		t.Error("a message that was not written is told")
	}
}

func TestSync_everyPolicy(t *testing.T) {
	for _, policy := range []SyncPolicy{SyncNever, SyncRuns, SyncRows} {
		opts := testOptions(t.TempDir())
		opts.Sync = policy
		s := create(t, got[*Store](t)(NewStore(opts)))
		must(t, s.RunStart(Run{ID: "r"}))
		prompt(t, s.Thread, "a")
		must(t, s.RunEnd(RunEnd{ID: "r"}))
		must(t, s.Close())
	}
}

func TestRows_aboveTheLimit(t *testing.T) {
	opts := testOptions(t.TempDir())
	opts.MaxRow = 2000
	var warned []string
	opts.Warn = func(m string) { warned = append(warned, m) }
	store := got[*Store](t)(NewStore(opts))
	s := create(t, store)
	prompt(t, s.Thread, "a")
	_, err := s.UserPrompt(Prompt{Text: strings.Repeat("x", 2000)})
	if long, ok := errors.AsType[*RowTooLongError](err); !ok || long.Max != 2000 || long.Size <= 2000 {
		t.Errorf("error %v", err)
	}
	if n := len(s.Messages()); n != 1 {
		t.Errorf("%d messages", n)
	}
	// Another writer had a higher limit.
	other := got[*Store](t)(NewStore(Options{Root: store.Root()}))
	must(t, s.Close())
	s2 := got[*Session](t)(other.Open(s.ID()))
	prompt(t, s2.Thread, strings.Repeat("y", 600_000))
	prompt(t, s2.Thread, "b")
	must(t, s2.Close())
	s3 := got[*Session](t)(store.Open(s.ID()))
	defer s3.Close()
	if d := s3.Damage(); d.LongRows != 1 || d.BadRows != 0 || len(warned) != 1 || len(s3.Messages()[0].Content) != 2 {
		t.Errorf("%+v, warned %q, messages\n%s", d, warned, show(s3.Messages()))
	}
}

func TestRows_tooDeep(t *testing.T) {
	s := create(t, newStore(t))
	deep := strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999)
	if _, err := s.Assistant(&model.Message{Content: []model.Block{use("c", "n", `{"a":`+deep+`}`)}}, ""); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("error %v", err)
	}
	prompt(t, s.Thread, strings.Repeat("[", 30_000)) // in a text it is no nesting
	s = reopen(t, s)
	if len(s.Messages()) != 1 || s.Damage().BadRows != 0 {
		t.Errorf("%+v", s.Damage())
	}
	place(t, s.store, "deep", []byte(`{"type":"user","a":`+strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)+"}\n"))
	other := got[*Session](t)(s.store.Open("deep"))
	defer other.Close()
	if d := other.Damage(); d.BadRows != 1 {
		t.Errorf("%+v", d)
	}
}

func TestScanner_bufferSizes(t *testing.T) {
	for _, n := range []int{readBuffer - 20, readBuffer - 10, readBuffer, readBuffer + 1, 3 * readBuffer, 5 * readBuffer} {
		row := `{"a":"` + strings.Repeat("x", n) + `"}`
		for _, tail := range []string{"", "\n", "\n{}\n"} {
			s := scanner{max: len(row)}
			var rows []int
			must(t, s.each(strings.NewReader("{}\n"+row+tail), func(r []byte) { rows = append(rows, len(r)) }))
			if len(rows) < 2 || rows[1] != len(row) || s.bad+s.long > 0 || s.torn != (tail == "") {
				t.Errorf("%d bytes, tail %q: rows %v, %+v", n, tail, rows, s)
			}
			s = scanner{max: len(row) - 1}
			rows = nil
			must(t, s.each(strings.NewReader("{}\n"+row+tail), func(r []byte) { rows = append(rows, len(r)) }))
			if s.long != 1 || s.bad != 0 {
				t.Errorf("%d bytes above the limit: rows %v, %+v", n, rows, s)
			}
		}
	}
}
