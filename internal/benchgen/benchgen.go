// Package benchgen writes large transcripts in the host's shapes, for
// benchmarks: a human prompt, then rounds of tool use and tool result of a few
// kB, every so often a copy of the host's own request of several hundred kB,
// and at a chosen distance from the end a handoff that nothing closes. With
// [Options.StopEvery] it is a session of many turns, some of which the Stop hook
// sent back.
//
// Start with [WriteFile]; [Write] does the same into any writer. The caller
// decides size, the handoff's distance and the seed; the same options give the
// same bytes. Memory stays at a few MB whatever the size.
package benchgen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"
)

// HandoffID is the task id of the one handoff in the file.
const HandoffID = "bhandoff1"

// SessionID is the session that all rows belong to.
const SessionID = "5e551013-0000-4000-8000-00000000b41c"

// ErrTooSmall means that the wanted handoff does not fit into the wanted size.
var ErrTooSmall = errors.New("benchgen: the size is smaller than the handoff's distance from the end")

// Options say what to write. The zero value of Seed is a seed like any other.
type Options struct {
	Size           int64     // bytes, reached within one round
	HandoffFromEnd int64     // bytes between the handoff and the end
	Now            time.Time // the instant of the last row; the handoff is 15 s older
	Seed           uint64
	// StopEvery makes a session of many turns: the bytes from one stop of the agent
	// to the next, on average; a single distance is between half and one and a half
	// of it. 0 is one long turn.
	StopEvery int64
}

// Info tells what was written.
type Info struct {
	Size          int64
	Rows          int
	HandoffOffset int64 // of the row that opens the handoff
	Stops         int   // final messages, the last one included
}

// WriteFile writes a transcript to a new file at path, which must not exist.
func WriteFile(path string, o Options) (Info, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Info{}, err
	}
	info, err := Write(file, o)
	if err := errors.Join(err, file.Close()); err != nil {
		return Info{}, fmt.Errorf("write %s: %w", path, err)
	}
	return info, nil
}

// WriteSparse makes a file of size bytes at path, which must not exist: a hole
// with the bytes of tail behind it. It takes no more room on disk than tail.
func WriteSparse(path, tail string, size int64) error {
	src, err := os.Open(tail)
	if err != nil {
		return err
	}
	defer src.Close()
	stat, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = dst.Seek(max(0, size-stat.Size()), io.SeekStart); err == nil {
		_, err = io.Copy(dst, src)
	}
	if err := errors.Join(err, dst.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// Write writes a transcript to w.
func Write(w io.Writer, o Options) (Info, error) {
	if o.Size < o.HandoffFromEnd {
		return Info{}, ErrTooSmall
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	g := &generator{out: buffered, random: rand.New(rand.NewPCG(o.Seed, 0x57095)), opts: o}
	g.fillPools()
	g.prompt()
	opened := false
	for round := 1; g.info.Size < o.Size && g.err == nil; round++ {
		if !opened && g.info.Size >= o.Size-o.HandoffFromEnd {
			opened = true
			g.handoff()
		}
		if round%requestCopyEvery == 0 {
			g.requestCopy(round)
			continue
		}
		g.toolRound(round)
		g.maybeStop(round)
	}
	g.finalText()
	g.info.Stops++
	return g.info, errors.Join(g.err, buffered.Flush())
}

// generator holds what rows share. After the first error it writes no more.
type generator struct {
	out      *bufio.Writer
	random   *rand.Rand
	opts     Options
	info     Info
	err      error
	line     bytes.Buffer
	parent   string
	nextStop int64    // the size at which the present turn ends
	texts    []string // for tool results
	requests []string // for request copies
}

// row writes one JSON line, unescaped as the host does it.
func (g *generator) row(v any) {
	if g.err != nil {
		return
	}
	g.line.Reset()
	enc := json.NewEncoder(&g.line)
	enc.SetEscapeHTML(false)
	if g.err = enc.Encode(v); g.err != nil {
		return
	}
	g.info.Size += int64(g.line.Len())
	g.info.Rows++
	_, g.err = g.out.Write(g.line.Bytes())
}
