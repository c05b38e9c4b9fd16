package shell

import (
	"cmp"
	"slices"
)

// Waits are the facts of the inline-waiter guard (PO-14), in the order of the
// text: places where the shell itself waits for something. It makes no
// difference whether such a loop stands behind &, since `loop & wait` waits too,
// nor what it waits for: until curl -sf localhost; do sleep 1; done is a
// sleep_loop like any other. A single sleep, wait and wait $pid, and loops that
// neither sleep nor ask for a process are no finding.
//
// A loop is reported once, the innermost one, as sleep_loop when its condition
// or body sleeps (also read -t, a follower under timeout, inotifywait; as far as
// the text of python -c and the like shows it), else as poll_loop when it asks
// for a process (pgrep, pidof, kill -0, ps -p, ps | grep, /proc/PID).
func (s *Script) Waits() []Finding {
	return guard(s.waits)
}

type loopState struct {
	ev     *event
	seq    int
	sleeps bool
	polls  bool
	ps     []int // pipelines in which ps stands
}

type waitFold struct {
	out   []found
	loops []*loopState
}

func (s *Script) waits() []Finding {
	if !s.Parsed {
		return nil
	}
	w := &waitFold{}
	for i := range s.plan {
		w.event(&s.plan[i], i)
	}
	for len(w.loops) > 0 {
		w.closeLoop()
	}
	if f, ok := s.sleepThenRead(); ok {
		w.out = append(w.out, f)
	}
	slices.SortStableFunc(w.out, func(a, b found) int { return cmp.Compare(a.seq, b.seq) })
	var out []Finding
	for _, f := range w.out {
		out = append(out, f.Finding)
	}
	return out
}

func (w *waitFold) event(e *event, seq int) {
	switch e.kind {
	case evLoopOpen:
		w.loops = append(w.loops, &loopState{ev: e, seq: seq})
	case evLoopClose:
		w.closeLoop()
	case evTest:
		if l := w.loop(); l != nil && anyProc(e.words) {
			l.polls = true
		}
	case evCall:
		if !e.call.local {
			w.call(e, seq)
		}
	}
}

func (w *waitFold) loop() *loopState {
	if len(w.loops) == 0 {
		return nil
	}
	return w.loops[len(w.loops)-1]
}

func (w *waitFold) closeLoop() {
	l := w.loop()
	w.loops = w.loops[:len(w.loops)-1]
	switch {
	case l.sleeps:
		w.out = append(w.out, found{l.ev.src.finding(KindSleepLoop, l.ev.node), l.seq})
	case l.polls:
		w.out = append(w.out, found{l.ev.src.finding(KindPollLoop, l.ev.node), l.seq})
	}
}

func (w *waitFold) call(e *event, seq int) {
	c, prog := e.call, e.call.prog()
	if k := standing(c); k != "" {
		w.out = append(w.out, found{e.src.finding(k, e.node), seq})
	}
	l := w.loop()
	if l == nil {
		return
	}
	l.sleeps = l.sleeps || sleeps(c)
	l.polls = l.polls || polls(prog)
	if c.pipe == 0 {
		return
	}
	if prog.name == "ps" {
		l.ps = append(l.ps, c.pipe)
	}
	if isGrep(prog.name) && slices.Contains(l.ps, c.pipe) {
		l.polls = true
	}
}

// sleepThenRead finds a pause and then a look into a file, in a script that does
// nothing else.
func (s *Script) sleepThenRead() (found, bool) {
	var first, reader *event
	seq, loops, jobs := 0, 0, 0
	for i := range s.plan {
		e := &s.plan[i]
		switch e.kind {
		case evLoopOpen:
			loops++
		case evLoopClose:
			loops--
		case evJobOpen:
			jobs++
		case evJobClose:
			jobs--
		case evCall:
			c := e.call
			if c.local || c.nested {
				continue
			}
			prog := c.prog()
			if !harmless(prog.name) {
				return found{}, false
			}
			switch {
			case first == nil && prog.name == "sleep" && loops == 0 && jobs == 0:
				first, seq = e, i
			case first != nil && reader == nil && readsFile(c):
				reader = e
			}
		}
	}
	if reader == nil {
		return found{}, false
	}
	f := first.src.finding(KindSleepThenRead, first.node)
	if first.src == reader.src {
		f.Text = cutText(first.src.slice(first.node.Pos(), reader.node.End()))
	}
	return found{f, seq}, true
}
