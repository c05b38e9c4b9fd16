package shell

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
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

// standing are the programs that wait by themselves, outside of loops too.
func standing(c *call) Kind {
	l := c.prog()
	switch l.name {
	case "watch":
		p := parseArgs(l.args(), optSpec{short: "nq", long: "interval equexit"})
		if len(p.rest) > 0 {
			return KindWatch
		}
	case "tail", "gtail":
		p := tailArgs(l)
		if p.has("pid") {
			return KindTailPID
		}
		if follows(l) && !c.bounded {
			return KindFollow
		}
	default:
		if follows(l) && !c.bounded {
			return KindFollow
		}
	}
	return ""
}

func tailArgs(l layer) parsedArgs {
	return parseArgs(l.args(), optSpec{short: "ncs", long: "lines bytes sleep-interval max-unchanged-stats pid", permute: true})
}

// follows tells the log readers that stay for new lines.
func follows(l layer) bool {
	switch l.name {
	case "tail", "gtail":
		return tailArgs(l).has("f", "F", "follow")
	case "journalctl":
		return parseArgs(l.args(), optSpec{short: "uptDgSUMo", long: "unit user-unit identifier priority output grep since until machine directory file", permute: true}).has("f", "follow")
	case "dmesg":
		return parseArgs(l.args(), optSpec{short: "FflnsK", permute: true}).has("w", "W", "follow", "follow-new")
	case "docker", "podman", "nerdctl", "kubectl", "docker-compose":
		return followsLogs(l)
	}
	return false
}

// followsLogs is docker logs -f, docker compose logs -f and kubectl logs -f.
func followsLogs(l layer) bool {
	args := l.args()
	for i, a := range args {
		switch {
		case a.text == "logs" || a.text == "log":
			return parseArgs(args[i+1:], optSpec{short: "ncl", long: "tail since until container selector namespace", permute: true}).has("f", "follow")
		case a.text == "run" || a.text == "exec":
			return false
		}
	}
	return false
}

// sleeps tells whether a call passes time.
func sleeps(c *call) bool {
	l := c.prog()
	switch l.name {
	case "sleep", "usleep", "gsleep", "inotifywait":
		return len(l.words) > 1
	case "read":
		p := parseArgs(l.args(), optSpec{short: "adinNptu"})
		t, ok := p.value("t")
		return ok && !(t.lit && isZero(t.text))
	case "python", "python3", "perl", "ruby", "node", "php", "lua":
		// Best effort: the words of the program text, not its meaning.
		for _, a := range l.args() {
			if strings.Contains(a.text, "sleep") || strings.Contains(a.text, "select(undef") || strings.Contains(a.text, "setTimeout") {
				return true
			}
		}
		return false
	}
	return follows(l) // under timeout, or it is a finding of its own
}

// polls tells whether a call asks if a process lives.
func polls(l layer) bool {
	switch l.name {
	case "pgrep", "pidof":
		return true
	case "kill":
		args := l.args()
		if len(args) == 0 {
			return false
		}
		if t := args[0].text; t == "-0" {
			return true
		} else if (t == "-s" || t == "-n") && len(args) > 1 {
			return args[1].text == "0" || args[1].text == "EXIT"
		}
	case "ps":
		p := parseArgs(l.args(), optSpec{short: "CgGopqstuUO", long: "pid ppid format user group sort tty"})
		return p.has("p", "pid", "q", "quick-pid")
	case "test", "[":
		return anyProc(l.args())
	}
	return false
}

// anyProc finds /proc/PID among the words of a test.
func anyProc(ws []word) bool {
	for _, w := range ws {
		if rest, ok := strings.CutPrefix(w.text, "/proc/"); ok && rest != "" && (rest[0] == '$' || rest[0] >= '0' && rest[0] <= '9') {
			return true
		}
	}
	return false
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

// harmless are the programs of a line that only waits and looks: those the rule
// names, and the other readers and movers that change nothing.
func harmless(name string) bool {
	switch name {
	case "sleep", "echo", "printf", "cat", "tail", "head", "grep", "ls", "wc", "date", "true", ":", "test",
		"[", "egrep", "fgrep", "rg", "less", "more", "cd", "pwd":
		return true
	}
	return false
}

// readsFile: a log reader with a file, by operand or by redirection.
func readsFile(c *call) bool {
	switch name := c.prog().name; {
	case name == "cat", name == "tail", name == "head", name == "less", name == "more", isGrep(name):
		if len(operands(c.prog())) > 0 {
			return true
		}
		for _, r := range c.redirs {
			if r.Op == syntax.RdrIn {
				return true
			}
		}
	}
	return false
}

func isGrep(name string) bool {
	switch name {
	case "grep", "egrep", "fgrep", "zgrep", "rg", "ggrep":
		return true
	}
	return false
}
