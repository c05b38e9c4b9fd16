package shell

import "strings"

// layer is one command as its program sees it: what is written, or what is left
// when a wrapper in front of it is taken away.
type layer struct {
	name  string // program, empty when unknown
	words []word // words[0] is the program
}

func (l layer) args() []word { return l.words[1:] }

// wrapped is what taking a wrapper away tells.
type wrapped struct {
	inner   []word
	bounded bool // a time limit
	script  bool // inner[0] is shell text
}

// layersOf peels the wrappers from a command, from the outside to the inside.
// There is always one layer at least.
func layersOf(words []word) (layers []layer, bounded bool) {
	for len(words) > 0 && len(layers) < 32 {
		l := layer{name: words[0].base(), words: words}
		layers = append(layers, l)
		w := unwrap(l)
		if w.script || len(w.inner) == 0 {
			return layers, bounded
		}
		bounded = bounded || w.bounded
		words = w.inner
	}
	return layers, bounded
}

// unwrap takes one wrapper away. Programs that do not run their arguments have
// no inner words.
func unwrap(l layer) wrapped {
	args := l.args()
	switch l.name {
	case "builtin", "noglob", "nocorrect", "chronic", "busybox", "toybox", "nohup", "setsid", "unbuffer":
		return wrapped{inner: parseArgs(args, optSpec{}).rest}
	case "command":
		p := parseArgs(args, optSpec{})
		if p.has("v", "V") {
			return wrapped{} // asks where a program is, and runs nothing
		}
		return wrapped{inner: p.rest}
	case "exec":
		return wrapped{inner: parseArgs(args, optSpec{short: "a"}).rest}
	case "env":
		return unwrapEnv(args)
	case "sudo", "doas":
		return unwrapSudo(args)
	case "timeout", "gtimeout":
		p := parseArgs(args, optSpec{short: "sk", long: "signal kill-after"})
		if len(p.rest) < 2 {
			return wrapped{}
		}
		d := p.rest[0]
		return wrapped{inner: p.rest[1:], bounded: !d.lit || !isZero(d.text)}
	case "nice":
		return wrapped{inner: parseArgs(args, optSpec{short: "n", long: "adjustment"}).rest}
	case "ionice":
		p := parseArgs(args, optSpec{short: "cnpPu", long: "class classdata pid pgid uid"})
		return wrapped{inner: p.rest}
	case "stdbuf":
		return wrapped{inner: parseArgs(args, optSpec{short: "ioe", long: "input output error"}).rest}
	case "time", "gtime":
		return wrapped{inner: parseArgs(args, optSpec{short: "of", long: "output format"}).rest}
	case "caffeinate":
		return wrapped{inner: parseArgs(args, optSpec{short: "tw"}).rest}
	case "taskset", "chrt":
		p := parseArgs(args, optSpec{short: "TPD"})
		if p.has("p") || len(p.rest) < 2 {
			return wrapped{}
		}
		return wrapped{inner: p.rest[1:]}
	case "xvfb-run":
		return wrapped{inner: parseArgs(args, optSpec{short: "efnpsw", long: "error-file auth-file server-num server-args xauth-protocol wait"}).rest}
	case "npx", "bunx":
		p := parseArgs(args, optSpec{short: "pc", long: "package call"})
		if p.has("c", "call") {
			return wrapped{}
		}
		return wrapped{inner: p.rest}
	case "xargs", "gxargs":
		p := parseArgs(args, optSpec{short: "aEILnPsdJRS", long: "arg-file delimiter max-args max-procs max-chars process-slot-var"})
		if len(p.rest) == 0 {
			return wrapped{}
		}
		// What comes from standard input is one more argument, and unknown.
		return wrapped{inner: append(p.rest[:len(p.rest):len(p.rest)], word{text: "${_}"})}
	case "systemd-run":
		p := systemdRunArgs(args)
		if !systemdAttached(p) {
			return wrapped{}
		}
		return wrapped{inner: p.rest}
	case "flock", "su", "runuser", "script":
		return unwrapScript(l.name, args)
	case "find":
		return wrapped{inner: findExec(args)}
	}
	return wrapped{}
}

func unwrapEnv(args []word) wrapped {
	p := parseArgs(args, optSpec{short: "uCS", long: "unset chdir split-string"})
	rest := p.rest
	if s, ok := p.value("S", "split-string"); ok && s.lit {
		var front []word
		for _, f := range strings.Fields(s.text) {
			front = append(front, word{text: f, lit: true})
		}
		rest = append(front, rest...)
	}
	return wrapped{inner: skipAssigns(rest)}
}

func unwrapSudo(args []word) wrapped {
	p := parseArgs(args, optSpec{
		short: "ugphCrtTUDRa",
		long:  "user group prompt host close-from role type command-timeout other-user chdir chroot auth-type",
	})
	if p.has("l", "list", "v", "validate", "K", "remove-timestamp", "e", "edit", "V", "version") {
		return wrapped{}
	}
	return wrapped{inner: skipAssigns(p.rest)}
}

// unwrapScript handles programs that take a command either as words or as shell
// text behind -c.
func unwrapScript(name string, args []word) wrapped {
	switch name {
	case "flock":
		p := parseArgs(args, optSpec{short: "wEc", long: "timeout wait conflict-exit-code command"})
		if s, ok := p.value("c", "command"); ok {
			return wrapped{inner: []word{s}, script: true}
		}
		if len(p.rest) < 2 {
			return wrapped{}
		}
		if t := p.rest[1].text; (t == "-c" || t == "--command") && len(p.rest) > 2 {
			return wrapped{inner: p.rest[2:3], script: true}
		}
		return wrapped{inner: p.rest[1:]}
	case "script":
		p := parseArgs(args, optSpec{short: "cEIOBTmo", long: "command echo log-in log-out log-io log-timing logging-format output-limit", permute: true})
		if s, ok := p.value("c", "command"); ok {
			return wrapped{inner: []word{s}, script: true}
		}
	case "su", "runuser":
		spec := optSpec{short: "cgGswuT", long: "command group supp-group shell whitelist-environment user"}
		if p := parseArgs(args, spec); name == "runuser" && p.has("u", "user") {
			return wrapped{inner: p.rest}
		}
		spec.permute = true
		if s, ok := parseArgs(args, spec).value("c", "command"); ok {
			return wrapped{inner: []word{s}, script: true}
		}
	}
	return wrapped{}
}

// findExec are the words between -exec and its end.
func findExec(args []word) []word {
	for i, a := range args {
		switch a.text {
		case "-exec", "-execdir", "-ok", "-okdir":
			for j := i + 1; j < len(args); j++ {
				if args[j].text == ";" || args[j].text == "+" {
					return args[i+1 : j]
				}
			}
			return args[i+1:]
		}
	}
	return nil
}

func skipAssigns(ws []word) []word {
	for len(ws) > 0 {
		name, _, ok := strings.Cut(ws[0].text, "=")
		if !ok || name == "" || strings.ContainsAny(name, "/ ") {
			return ws
		}
		ws = ws[1:]
	}
	return ws
}

// isZero tells a duration of nothing: timeout 0 is no limit, read -t 0 no wait.
func isZero(d string) bool {
	d = strings.TrimRight(d, "smhd")
	return d != "" && strings.Trim(d, "0.") == ""
}

// isShell tells whether a program reads POSIX-like shell text.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "rbash":
		return true
	}
	return false
}

// shellText is the text behind -c of a shell, and whether the shell reads its
// script from standard input instead.
func shellText(l layer) (text word, ok, stdin bool) {
	args, c := l.args(), false
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--" || t == "-":
			args = args[i+1:]
			return firstOr(args, c)
		case strings.HasPrefix(t, "--"):
			if t == "--rcfile" || t == "--init-file" {
				i++
			}
		case len(t) > 1 && (t[0] == '-' || t[0] == '+'):
			if t[0] == '-' && strings.IndexByte(t, 'c') > 0 {
				c = true
			}
			if strings.IndexByte(t, 's') > 0 && !c {
				return word{}, false, true
			}
			if last := t[len(t)-1]; last == 'o' || last == 'O' {
				i++
			}
		default:
			return firstOr(args[i:], c)
		}
	}
	return word{}, false, !c
}

func firstOr(args []word, c bool) (word, bool, bool) {
	if len(args) == 0 {
		return word{}, false, !c
	}
	return args[0], c, false
}
