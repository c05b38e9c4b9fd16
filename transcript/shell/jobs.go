package shell

import (
	"strconv"
	"strings"
)

// The builtins that end or release the jobs of a shell: wait, fg, kill, disown.

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
			if !j.orphan && j.owner == top {
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
		for i := len(f.frames) - 1; i >= 0 && !j.gone; i-- {
			j.gone = f.frames[i] == j.owner
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
		if j.owner == top {
			j.Kind, j.orphan = KindDisown, !p.has("h")
		}
	}
	if !top.hadJob {
		// The job comes from where we cannot see, such as a sourced file.
		top.loose = append(top.loose, found{e.src.finding(KindDisown, e.node), f.seq})
	}
}
