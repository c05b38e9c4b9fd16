package session

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/tidwall/gjson"
)

// Fork copies a session up to and including the row with the uuid at (empty: all
// of it) into a new one, which is opened. The original may be in use.
//
// The copies keep their uuids and times. They get the new session id and are
// marked with forkedFrom, so that readers take no task of the original for one of
// the fork. What is only the original's stays there: totals, queued messages,
// subagents' threads, the output of tasks.
func (s *Store) Fork(id, at string) (*Session, error) {
	if err := checkID("session", id); err != nil {
		return nil, err
	}
	f, err := os.Open(s.Path(id))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &NotFoundError{ID: id}
		}
		return nil, fmt.Errorf("session: open %s: %w", id, err)
	}
	defer f.Close()
	meta, found, err := s.survey(f, at)
	if err != nil {
		return nil, fmt.Errorf("session: read %s: %w", id, err)
	}
	if at != "" && !found {
		return nil, &NoRowError{ID: id, UUID: at}
	}
	meta.ID, meta.ForkOf = "", id
	fork, err := s.Create(meta)
	if err != nil {
		return nil, err
	}
	if err := fork.copyFrom(f, id, at); err != nil {
		fork.Close()
		return nil, errors.Join(err, os.RemoveAll(s.Dir(fork.ID())))
	}
	fork.base = fork.Meta()
	return fork, nil
}

// NoRowError says that a session has no row to fork at.
type NoRowError struct {
	ID, UUID string
}

func (e *NoRowError) Error() string {
	return fmt.Sprintf("session: %s has no row %s in its conversation: leave it empty to fork at the end", e.ID, e.UUID)
}

// survey reads what a session is, and whether it has the row.
func (s *Store) survey(f *os.File, at string) (meta Meta, found bool, err error) {
	var st state
	rows := scanner{max: s.opts.MaxRow}
	err = rows.each(whole(f), func(row []byte) {
		p := parse(row)
		found = found || at != "" && p.uuid == at && p.copied()
		if !p.copied() {
			st.apply(row)
		}
	})
	return st.meta, found, err
}

// whole reads a file from its first byte, wherever it was left.
func whole(f *os.File) io.Reader { return io.NewSectionReader(f, 0, math.MaxInt64) }

// copied tells the rows that a fork takes along: those of the conversation.
func (p *parsed) copied() bool {
	switch p.typ {
	case "user", "assistant", "attachment", "system":
		return !p.sidechain
	}
	return false
}

// copyFrom appends the rows of another session.
func (s *Session) copyFrom(f *os.File, id, at string) error {
	var out line
	var failed error
	done := false
	flush := func() {
		if failed == nil && len(out.b) > 0 {
			_, failed = s.log.append(out.b)
		}
		out.b = out.b[:0]
	}
	rows := scanner{max: s.opts.MaxRow}
	err := rows.each(whole(f), func(row []byte) {
		p := parse(row)
		if done || failed != nil || !p.copied() {
			return
		}
		out.fork(&p, s.id, id)
		if done = at != "" && p.uuid == at; done || len(out.b) >= readBuffer {
			flush()
		}
	})
	flush()
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("session: copy %s: %w", id, err)
	}
	s.state = state{}
	return s.load()
}

// fork appends a row with another session id and the mark of a copy.
func (l *line) fork(p *parsed, id, from string) {
	l.b = append(l.b, '{')
	first := true
	p.all.ForEach(func(k, v gjson.Result) bool {
		if k.Str == "sessionId" || k.Str == "forkedFrom" {
			return true
		}
		if !first {
			l.b = append(l.b, ',')
		}
		first = false
		l.b = append(l.b, k.Raw...)
		l.b = append(l.b, ':')
		l.b = append(l.b, v.Raw...)
		if k.Str == "uuid" && p.uuid != "" { // in front of the message, which can be long
			l.str("sessionId", id)
			l.mark(from, p.uuid)
		}
		return true
	})
	if p.uuid == "" {
		l.str("sessionId", id)
		l.mark(from, "")
	}
	l.b = append(l.b, '}', '\n')
}

func (l *line) mark(session, uuid string) {
	l.key("forkedFrom")
	l.b = append(l.b, '{')
	l.str("sessionId", session)
	l.opt("messageUuid", uuid)
	l.b = append(l.b, '}')
}
