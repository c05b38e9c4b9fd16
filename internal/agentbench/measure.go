package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/internal/figures"
)

// measureTurns times turns with one call each, in an empty session and behind more and
// more others, and what such a turn allocates: it must not grow with the conversation.
func measureTurns(s setup, t *figures.Table) error {
	for _, before := range slices.Compact([]int{0, min(10, s.long), s.long / 5, s.long}) {
		took, bytes, err := s.turnsAfter(before)
		if err != nil {
			return err
		}
		where := "in a new session"
		if before > 0 {
			where = fmt.Sprintf("behind %d others", before)
		}
		t.Duration("a turn with a tool call, "+where, took, targetTurn)
		t.Bytes("allocated for it", bytes, targetTurnBytes)
	}
	plain, err := s.plainWrites()
	if err != nil {
		return err
	}
	t.Duration("three plain writes of 500 bytes, to compare", plain, 0)
	return nil
}

// turnsAfter gives time and bytes of one turn, as the median of rounds.
func (s setup) turnsAfter(before int) (time.Duration, int64, error) {
	var times, bytes []time.Duration // the median knows durations; bytes are counted in them
	for round := range s.rounds {
		store, err := s.store(fmt.Sprintf("turns-%d-%d", before, round))
		if err != nil {
			return 0, 0, err
		}
		sess, err := store.Create(session.Meta{CWD: s.dir})
		if err != nil {
			return 0, 0, err
		}
		if err := fill(sess, before); err != nil {
			return 0, 0, err
		}
		a, err := s.agent(sess, s.turns)
		if err != nil {
			return 0, 0, err
		}
		allocated := total()
		start := time.Now()
		if err := finish(a); err != nil {
			return 0, 0, err
		}
		times = append(times, time.Since(start)/time.Duration(s.turns))
		bytes = append(bytes, time.Duration(total()-allocated)/time.Duration(s.turns))
		if err := sess.Close(); err != nil {
			return 0, 0, err
		}
	}
	return figures.Median(times), int64(figures.Median(bytes)), nil
}

// total is how many bytes were ever allocated.
func total() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// kept is the heap that is in use after a collection.
func kept() int64 {
	runtime.GC()
	runtime.GC() // what finalizers held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// plainWrites times what a turn's rows cost the disk alone.
func (s setup) plainWrites() (time.Duration, error) {
	f, err := os.Create(filepath.Join(s.dir, "plain"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	row := make([]byte, 500)
	start := time.Now()
	for range 3 * s.turns {
		if _, err := f.Write(row); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(s.turns), nil
}

// measureResume times what stands between a stored session and its next request.
func measureResume(s setup, t *figures.Table) error {
	store, err := s.store("resume")
	if err != nil {
		return err
	}
	sess, err := store.Create(session.Meta{CWD: s.dir})
	if err != nil {
		return err
	}
	if err := fill(sess, s.long); err != nil {
		return err
	}
	id := sess.ID()
	if err := sess.Close(); err != nil {
		return err
	}
	var times []time.Duration
	var memory int64
	for range s.rounds {
		before := kept()
		start := time.Now()
		sess, err := store.Open(id)
		if err != nil {
			return err
		}
		a, err := s.agent(sess, 0)
		if err != nil {
			return err
		}
		if len(sess.Messages()) == 0 {
			return fmt.Errorf("the resumed session has no messages")
		}
		times = append(times, time.Since(start))
		memory = kept() - before
		runtime.KeepAlive(a)
		if err := sess.Close(); err != nil {
			return err
		}
	}
	info, err := os.Stat(store.Path(id))
	if err != nil {
		return err
	}
	t.Duration(fmt.Sprintf("until the first request of a session of %d turns", s.long), figures.Median(times), targetResume)
	t.Bytes("the transcript", info.Size(), 0)
	t.Bytes("memory kept of it", memory, info.Size())
	return nil
}

// measureAgents runs many agents beside each other, and looks what they leave.
func measureAgents(s setup, t *figures.Table) error {
	const calls = 10
	store, err := s.store("agents")
	if err != nil {
		return err
	}
	var agents []*agentcore.Agent
	var sessions []*session.Session
	before, running := kept(), runtime.NumGoroutine()
	for range s.agents {
		sess, err := store.Create(session.Meta{CWD: s.dir})
		if err != nil {
			return err
		}
		a, err := s.agent(sess, calls)
		if err != nil {
			return err
		}
		agents, sessions = append(agents, a), append(sessions, sess)
	}
	idle := kept() - before
	errs := make([]error, len(agents))
	var wg sync.WaitGroup
	start := time.Now()
	for i, a := range agents {
		wg.Go(func() { errs[i] = finish(a) })
	}
	wg.Wait()
	took := time.Since(start)
	for i, sess := range sessions {
		if errs[i] == nil {
			errs[i] = sess.Close()
		}
		if errs[i] != nil {
			return errs[i]
		}
	}
	t.Duration(fmt.Sprintf("%d agents with %d calls each, together", s.agents, calls), took, 0)
	t.Duration("for one turn of one of them", took/time.Duration(s.agents*(calls+1)), targetTurn)
	t.Bytes("an agent that waits", idle/int64(s.agents), 64<<10)
	if left := settled(running); left > 0 {
		return fmt.Errorf("%d goroutines are left", left)
	}
	t.Note("no goroutine is left of them")
	return nil
}

// settled gives how many goroutines there are more than before, once those that have
// done their work are gone, or after some seconds.
func settled(before int) int {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if left := runtime.NumGoroutine() - before; left <= 0 || time.Now().After(end) {
			return left
		}
	}
}
