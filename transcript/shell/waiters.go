package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
