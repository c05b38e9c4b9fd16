package session

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Info is one line of a list of sessions.
type Info struct {
	ID      string
	Path    string
	Title   string // recorded, else the first prompt, cut to one line
	CWD     string
	Model   string
	Created time.Time
	Last    time.Time // of the latest row with a time, else the file's
	Turns   int
	Size    int64 // of the transcript, bytes
	CostUSD float64
	ForkOf  string
	InUse   bool
	// Problem says what is wrong with a session that cannot be opened.
	Problem string
}

// List tells of every session of the store, the latest first. Broken ones are
// listed with their problem. It reads the ends of files: from the last run on,
// because the row of a run carries the totals up to then.
func (s *Store) List() ([]Info, error) {
	entries, err := os.ReadDir(filepath.Join(s.opts.Root, "sessions"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("session: list: %w", err)
	}
	list := make([]Info, 0, len(entries))
	in := bufio.NewReaderSize(nil, headWindow+1)
	for _, e := range entries {
		id := e.Name()
		if !e.IsDir() || checkID("session", id) != nil {
			continue // nothing that Create made
		}
		info := Info{ID: id, Path: s.Path(id), InUse: inUse(s.Dir(id))}
		if err := s.describe(&info, in); err != nil {
			info.Problem = problem(err)
			if folder, err := e.Info(); err == nil && info.Last.IsZero() {
				info.Last = folder.ModTime()
			}
		}
		list = append(list, info)
	}
	slices.SortFunc(list, func(a, b Info) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

var errNoRow = errors.New("no row of the transcript can be read")

func problem(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "it has no transcript"
	}
	return err.Error()
}

// How much is read from each end of a file before all of it is.
const (
	headWindow = 64 << 10
	tailWindow = 16 << 10
	longWindow = 512 << 10
)

// describe fills in what the transcript tells.
func (s *Store) describe(info *Info, in *bufio.Reader) error {
	f, err := os.Open(info.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return err
	}
	if !stat.Mode().IsRegular() {
		return errors.New("its transcript is no regular file")
	}
	info.Size, info.Last = stat.Size(), stat.ModTime()
	rows := scanner{max: s.opts.MaxRow, in: in}
	var head, tail tally
	short := info.Size <= headWindow
	if !short { // what the head is read for stands in its first rows
		rows.over = func() bool { return head.prompt != "" }
	}
	if err := head.read(rows, f, 0, min(info.Size, headWindow)); err != nil {
		return err
	}
	tail, rows.over = head, nil
	for _, window := range []int64{tailWindow, longWindow, info.Size} {
		if short {
			break
		}
		from := max(0, info.Size-window)
		tail = tally{}
		if err := tail.read(rows, f, from, info.Size); err != nil {
			return err
		}
		if tail.run || from == 0 {
			break
		}
	}
	if head.rows+tail.rows == 0 {
		return errNoRow
	}
	meta := tail.meta
	meta.fill(head.meta)
	info.Title, info.CWD, info.Model, info.ForkOf = cmp.Or(meta.Title, head.prompt), meta.CWD, meta.Model, meta.ForkOf
	info.Turns, info.CostUSD = tail.totals.Turns, tail.totals.CostUSD
	if at, err := time.Parse(time.RFC3339Nano, head.created); err == nil {
		info.Created = at.UTC()
	}
	if at, err := time.Parse(time.RFC3339Nano, tail.last); err == nil {
		info.Last = at.UTC()
	}
	return nil
}

// tally is what a part of a file tells of its session.
type tally struct {
	meta    Meta
	totals  Totals
	run     bool // a row of a run was there: totals are those of the whole file
	rows    int
	prompt  string // the first one, cut
	created string
	last    string
}

// read takes the rows in [from, to). A row that the window cuts is not one of
// them.
func (t *tally) read(rows scanner, r io.ReaderAt, from, to int64) error {
	return rows.each(io.NewSectionReader(r, from, to-from), t.row)
}

func (t *tally) row(row []byte) {
	t.rows++
	p := parse(row)
	if p.sidechain {
		return
	}
	if p.timestamp != "" {
		t.last = same(p.timestamp, t.last)
		t.created = cmp.Or(t.created, t.last)
	}
	switch p.typ {
	case "user":
		blocks := readBlocks(p.said().content)
		if !p.begins(blocks) {
			return
		}
		t.totals.Turns++
		if t.prompt == "" {
			for _, b := range blocks {
				t.prompt = cmp.Or(t.prompt, oneLine(b.Text))
			}
		}
	case typeMeta:
		if at := own(p.all.Get("createdAt")); at != "" {
			t.created = at
		}
		s := state{meta: t.meta}
		s.metaRow(&p)
		t.meta = s.meta
	case "summary":
		t.meta.Title = cmp.Or(oneLine(str(p.all.Get("summary"))), t.meta.Title)
	case typeRun:
		s := state{totals: t.totals}
		s.runRow(&p)
		t.totals, t.run = s.totals, true
		t.meta.Title = cmp.Or(oneLine(str(p.all.Get("title"))), t.meta.Title)
		t.meta.Model = cmp.Or(own(p.all.Get("model")), t.meta.Model)
	}
}

// oneLine is the beginning of a text without line breaks.
func oneLine(text string) string {
	const limit = 120
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	text = strings.Join(strings.Fields(clean(text)), " ")
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit-1]) + "…"
	}
	return strings.Clone(text)
}
