package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Background is the work that the script leaves running when it returns, in the
// order of the text. A job that the same shell process waits for (wait, wait
// $pid, fg) or ends (kill, also from trap … EXIT) is not left. Programs that
// detach by themselves (tmux new -d, docker run -d) cannot be waited for.
func (s *Script) Background() []Finding {
	return guard(s.background)
}

func (s *Script) background() []Finding {
	if !s.Parsed {
		return nil
	}
	f := &folder{frames: []*frame{{}}}
	for i := range s.plan {
		f.seq = i
		f.event(&s.plan[i])
	}
	for len(f.frames) > 1 {
		f.closeShell()
	}
	left := f.frames[0].left()
	slices.SortStableFunc(left, func(a, b found) int { return cmp.Compare(a.seq, b.seq) })
	var out []Finding
	for _, l := range left {
		out = append(out, l.Finding)
	}
	return out
}

// found is a finding with its place in the plan.
type found struct {
	Finding
	seq int
}

// job is one background job of one shell process.
type job struct {
	found
	text     string // uncut, for pkill
	name     string // variable of a coproc
	gone     bool   // waited for, or killed
	orphan   bool   // disowned: the shell can no longer wait for it
	children []found
}

// frame is one shell process: only its own jobs can be waited for in it.
type frame struct {
	job    *job // when the process is itself a job
	jobs   []*job
	last   *job // $!
	loose  []found
	loops  int
	vars   map[string][]*job
	hadJob bool
}

// left are the findings of a process that has ended.
func (fr *frame) left() []found {
	out := fr.loose
	for _, j := range fr.jobs {
		if j.gone {
			out = append(out, j.children...)
		} else {
			out = append(out, j.found)
		}
	}
	return out
}

type folder struct {
	frames []*frame
	seq    int
}

func (f *folder) top() *frame { return f.frames[len(f.frames)-1] }

func (f *folder) event(e *event) {
	top := f.top()
	switch e.kind {
	case evShellOpen:
		f.frames = append(f.frames, &frame{last: top.last})
	case evShellClose:
		f.closeShell()
	case evJobOpen:
		j := &job{found: found{e.src.finding(e.job, e.node), f.seq}, text: e.src.textOf(e.node), name: e.name}
		j.orphan = e.job == KindDisown
		f.frames = append(f.frames, &frame{job: j, last: top.last})
	case evJobClose:
		f.closeJob()
	case evLoopOpen:
		top.loops++
	case evLoopClose:
		top.loops--
	case evAssign:
		for _, a := range e.assigns {
			f.assign(a)
		}
	case evBind:
		var js []*job
		for _, w := range e.words {
			js = append(js, f.jobsOf(refs(w.node))...)
		}
		top.bind(e.name, js)
	case evCall:
		f.call(e)
	}
}

func (f *folder) closeShell() {
	child := f.top()
	f.frames = f.frames[:len(f.frames)-1]
	if child.job != nil {
		f.endJob(child)
		return
	}
	top := f.top()
	top.loose = append(top.loose, child.left()...)
}

func (f *folder) closeJob() {
	child := f.top()
	f.frames = f.frames[:len(f.frames)-1]
	f.endJob(child)
}

func (f *folder) endJob(child *frame) {
	top, j := f.top(), child.job
	j.children = child.left()
	top.jobs, top.last, top.hadJob = append(top.jobs, j), j, true
	if j.name != "" {
		top.bind(j.name, []*job{j})
	}
}

func (fr *frame) bind(name string, js []*job) {
	if len(js) == 0 {
		return
	}
	if fr.vars == nil {
		fr.vars = map[string][]*job{}
	}
	fr.vars[name] = js
}

// assign follows pid=$! and pids+=($!), and copies of such variables.
func (f *folder) assign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	names := refs(a.Value)
	if a.Array != nil {
		for _, el := range a.Array.Elems {
			names = append(names, refs(el.Value)...)
		}
	}
	js := f.jobsOf(names)
	if a.Append || a.Index != nil {
		js = append(f.jobsOf([]string{a.Name.Value}), js...)
	}
	f.top().bind(a.Name.Value, js)
}

// jobsOf are the jobs that parameters stand for, in this process or one around it.
func (f *folder) jobsOf(names []string) []*job {
	var out []*job
	for _, n := range names {
		if n == "!" {
			if l := f.top().last; l != nil {
				out = append(out, l)
			}
			continue
		}
		for i := len(f.frames) - 1; i >= 0; i-- {
			fr := f.frames[i]
			if n == "jobs" && len(fr.jobs) > 0 {
				out = append(out, fr.jobs...)
				break
			}
			if js := fr.vars[n]; len(js) > 0 {
				out = append(out, js...)
				break
			}
		}
	}
	return out
}

func (f *folder) call(e *event) {
	c := e.call
	if c.local {
		return
	}
	for _, l := range c.layers {
		if k := launches(l); k != "" {
			f.top().loose = append(f.top().loose, found{e.src.finding(k, e.node), f.seq})
			break
		}
		if j := f.top().job; j != nil && j.Kind == KindAmpersand {
			switch l.name {
			case "nohup":
				j.Kind = KindNohup
			case "setsid":
				j.Kind = KindSetsid
			}
		}
	}
	prog := c.prog()
	switch prog.name {
	case "wait":
		f.wait(prog.args())
	case "fg":
		f.wait(orCurrent(prog.args()))
	case "kill":
		f.kill(prog.args())
	case "pkill", "killall":
		f.killByName(prog.args())
	case "disown":
		f.disown(e, prog.args())
	}
}

func orCurrent(args []word) []word {
	if len(args) == 0 {
		return []word{{text: "%%", lit: true}}
	}
	return args
}

func (f *folder) wait(args []word) {
	top := f.top()
	p := parseArgs(args, optSpec{short: "p"})
	if len(p.rest) == 0 {
		for _, j := range top.jobs {
			if !j.gone && !j.orphan {
				j.gone = true
				if p.has("n") && top.loops == 0 {
					return // wait -n waits for one
				}
			}
		}
		return
	}
	for _, a := range p.rest {
		for _, j := range f.target(a) {
			if !j.orphan && slices.Contains(top.jobs, j) {
				j.gone = true
			}
		}
	}
}

// target are the jobs that an argument of wait, kill or disown names. What
// cannot be resolved ($1, $(cat pid)) counts for the latest job.
func (f *folder) target(a word) []*job {
	top := f.top()
	if spec, ok := strings.CutPrefix(a.text, "%"); ok && a.lit {
		return top.spec(spec)
	}
	if a.lit {
		return nil
	}
	if js := f.jobsOf(refs(a.node)); len(js) > 0 {
		return js
	}
	if top.last != nil {
		return []*job{top.last}
	}
	return nil
}

func (fr *frame) spec(spec string) []*job {
	switch spec {
	case "", "%", "+":
		if fr.last != nil {
			return []*job{fr.last}
		}
		return nil
	case "-":
		if n := len(fr.jobs); n > 1 {
			return fr.jobs[n-2 : n-1]
		}
		return nil
	}
	if n, err := strconv.Atoi(spec); err == nil {
		if n >= 1 && n <= len(fr.jobs) {
			return fr.jobs[n-1 : n]
		}
		return nil
	}
	for _, j := range fr.jobs {
		if strings.HasPrefix(j.text, spec) || spec[0] == '?' && strings.Contains(j.text, spec[1:]) {
			return []*job{j}
		}
	}
	return nil
}

func (f *folder) kill(args []word) {
	sig := "TERM"
	switch {
	case len(args) == 0:
		return
	case args[0].text == "-l" || args[0].text == "-L":
		return
	case (args[0].text == "-s" || args[0].text == "-n") && len(args) > 1:
		sig, args = args[1].text, args[2:]
	case args[0].lit && len(args[0].text) > 1 && args[0].text[0] == '-' && args[0].text != "--":
		sig, args = args[0].text[1:], args[1:]
	}
	if !deadly(sig) {
		return
	}
	for _, a := range args {
		if a.lit && (a.text == "0" || a.text == "-1") {
			for i := range f.frames {
				f.end(f.frames[i].jobs)
			}
			continue
		}
		f.end(f.target(a))
	}
}

// end marks jobs as killed, unless the killer is itself in the background and
// does so at some later time.
func (f *folder) end(js []*job) {
	for _, j := range js {
		for i := len(f.frames) - 1; i >= 0; i-- {
			if slices.Contains(f.frames[i].jobs, j) {
				j.gone = true
				break
			}
			if f.frames[i].job != nil {
				break
			}
		}
	}
}

// killByName takes pkill -f TEXT and killall NAME for the jobs whose text
// contains it literally.
func (f *folder) killByName(args []word) {
	if len(args) == 0 {
		return
	}
	for _, a := range args[:len(args)-1] {
		if strings.HasPrefix(a.text, "-") && !deadly(a.text[1:]) {
			return
		}
	}
	pattern := args[len(args)-1]
	if !pattern.lit || pattern.text == "" || pattern.text[0] == '-' {
		return
	}
	for _, fr := range f.frames {
		for _, j := range fr.jobs {
			if strings.Contains(j.text, pattern.text) {
				f.end([]*job{j})
			}
		}
	}
}

// deadly tells the signals that end a program unless it objects.
func deadly(sig string) bool {
	switch strings.TrimPrefix(strings.ToUpper(sig), "SIG") {
	case "0", "CONT", "18", "STOP", "19", "TSTP", "20", "CHLD", "17", "WINCH", "28", "USR1", "10", "USR2", "12":
		return false
	}
	return true
}

func (f *folder) disown(e *event, args []word) {
	top := f.top()
	p := parseArgs(args, optSpec{})
	var js []*job
	switch {
	case len(p.rest) > 0:
		for _, a := range p.rest {
			js = append(js, f.target(a)...)
		}
	case p.has("a", "r"):
		js = top.jobs
	case top.last != nil:
		js = []*job{top.last}
	}
	for _, j := range js {
		if slices.Contains(top.jobs, j) {
			j.Kind, j.orphan = KindDisown, !p.has("h")
		}
	}
	if !top.hadJob {
		// The job comes from where we cannot see, such as a sourced file.
		top.loose = append(top.loose, found{e.src.finding(KindDisown, e.node), f.seq})
	}
}
