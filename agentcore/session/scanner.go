package session

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// scanner reads the rows of a file, one at a time.
type scanner struct {
	max  int  // bytes of a row that is looked at
	bad  int  // rows that are no JSON objects
	long int  // rows above max
	torn bool // the last byte is no newline

	in   *bufio.Reader // reused from file to file when it is set
	over func() bool   // asked after each row when it is set: that is enough
}

// readBuffer holds nearly every row whole, so that it needs no copy.
const readBuffer = 256 << 10

// each calls f for every row that is a whole JSON object, without its newline. The
// bytes are good until f returns. Memory is bounded by the longest row, and that
// by max.
func (s *scanner) each(r io.Reader, f func(row []byte)) error {
	in := s.in
	if in == nil {
		in = bufio.NewReaderSize(r, readBuffer)
	}
	in.Reset(r)
	var long []byte // the row in hand, when it is longer than the buffer
	size, first := 0, true
	for {
		part, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF) {
			return err
		}
		if n := len(part); n > 0 {
			s.torn = part[n-1] != '\n'
		}
		size += len(part)
		row := part
		if errors.Is(err, bufio.ErrBufferFull) || len(long) > 0 {
			if size <= s.max+1 {
				long = append(long, part...)
			}
			row = long
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > s.max+1 || size == s.max+1 && s.torn {
			s.long++
		} else {
			s.row(row, first, f)
		}
		if errors.Is(err, io.EOF) || s.over != nil && s.over() {
			return nil
		}
		size, first = 0, false
		if cap(long) > 4*readBuffer {
			long = nil // one huge row is no reason to hold so much
		}
		long = long[:0]
	}
}

func (s *scanner) row(row []byte, first bool, f func(row []byte)) {
	if first {
		row = bytes.TrimPrefix(row, []byte("\xef\xbb\xbf")) // editors of Windows
	}
	// A crash of the machine can leave NULs where a row was to be.
	row = bytes.Trim(row, " \t\r\n\x00")
	switch {
	case len(row) == 0:
	case wellFormed(row):
		f(row)
	default:
		s.bad++
	}
}
