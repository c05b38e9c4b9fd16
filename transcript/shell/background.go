package shell

import (
	"cmp"
	"slices"

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
	owner    *frame
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
	j.children, j.owner = child.left(), top
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
		js = f.jobsOf(append(names, a.Name.Value))
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
	// Each once: p="$p $p" would double the list every time.
	slices.SortStableFunc(out, func(a, b *job) int { return cmp.Compare(a.seq, b.seq) })
	return slices.Compact(out)
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
