package shell

import "strings"

// The scans below never say no where the parse would find something, so that a
// caller can skip the parse. They cost one or two passes over the bytes. Quotes
// and backslashes inside a name are stepped over (sl"ee"p), and a text with the
// escapes of $'…' is always worth a parse.

// MayBackground tells whether Background can find something.
func MayBackground(command string) bool {
	if loneAmpersand(command) || hidden(command) {
		return true
	}
	for i := 0; i < len(command); i++ {
		if launcherEnds(command, i) {
			return true
		}
	}
	return false
}

// launcherEnds tells whether the name of a program that can detach ends at i.
// One pass for all names: this is asked of every shell call of a transcript.
func launcherEnds(s string, i int) bool {
	switch s[i] {
	case 'n': // md-run is systemd-run, daemon is daemonize and start-stop-daemon
		return endsAt(s, i, "disown") || endsAt(s, i, "screen") || endsAt(s, i, "podman") || endsAt(s, i, "md-run") || endsAt(s, i, "daemon")
	case 'd':
		return endsAt(s, i, "setsid")
	case 'x':
		return endsAt(s, i, "tmux")
	case 'r':
		return endsAt(s, i, "docker")
	case 'l':
		return endsAt(s, i, "nerdctl")
	case 'h':
		return endsAt(s, i, "batch") || endsAt(s, i, "ssh")
	case 'c':
		return endsAt(s, i, "coproc")
	case '2':
		return endsAt(s, i, "pm2")
	case 'o':
		return endsAt(s, i, "sudo")
	case 't':
		return wordEndsAt(s, i, "at")
	}
	return false
}

// MayWait tells whether Waits can find something.
func MayWait(command string) bool {
	if hidden(command) {
		return true
	}
	for i := 0; ; i++ {
		n := waiterName(i)
		if n == "" {
			break
		}
		if hasNeedle(command, n) {
			return true
		}
	}
	if !hasNeedle(command, "while") && !hasNeedle(command, "until") && !hasNeedle(command, "for") {
		return false
	}
	return hasNeedle(command, "read") || hasNeedle(command, "kill") || hasNeedle(command, "ps") || hasNeedle(command, "/proc/")
}

func waiterName(i int) string {
	switch i {
	case 0:
		return "sleep"
	case 1:
		return "watch"
	case 2:
		return "tail"
	case 3:
		return "journalctl"
	case 4:
		return "dmesg"
	case 5:
		return "log" // docker logs -f
	case 6:
		return "inotifywait"
	case 7:
		return "pgrep"
	case 8:
		return "pidof"
	case 9:
		return "select" // the loop, and perl's select(undef, …)
	case 10:
		return "setTimeout"
	}
	return ""
}

// MayBeEvidence tells whether EvidenceCall can find something.
func MayBeEvidence(command string) bool {
	return strings.Contains(command, "stophook") || hidden(command) || hasNeedle(command, "stophook") || shouted(command)
}

// shouted finds the program where case does not count: in front of an .exe.
func shouted(command string) bool {
	return (strings.Contains(command, ".exe") || strings.Contains(command, ".EXE")) && strings.Contains(strings.ToLower(command), "stophook")
}

// loneAmpersand finds an & that is not visibly part of && &> >& <& |& or ;&. The
// operator must be adjacent and its first byte not escaped; whatever is doubtful
// counts as found.
func loneAmpersand(s string) bool {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], '&')
		if j < 0 {
			return false
		}
		j += i
		next, prev, before := byteAt(s, j+1), byteAt(s, j-1), byteAt(s, j-2)
		switch {
		case prev == '\\':
			return true
		case (prev == '>' || prev == '<' || prev == '|' || prev == ';') && before != '\\' && before != prev:
			i = j + 1
		case next == '&':
			i = j + 2
		case next == '>':
			i = j + 2
		default:
			return true
		}
	}
}

func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

// junk are the bytes that can stand inside a name and vanish: quotes, escapes,
// line continuations, and NUL, which shells drop.
func junk(c byte) bool {
	switch c {
	case '\'', '"', '\\', '\n', '\r', '$', 0:
		return true
	}
	return false
}

// hasNeedle looks for needle with junk between its bytes.
func hasNeedle(s, needle string) bool {
	last := needle[len(needle)-1]
	for end := 0; ; end++ {
		j := strings.IndexByte(s[end:], last)
		if j < 0 {
			return false
		}
		if end += j; endsAt(s, end, needle) {
			return true
		}
	}
}

// endsAt tells whether needle, with junk between its bytes, ends at end.
func endsAt(s string, end int, needle string) bool { return startOf(s, end, needle) >= 0 }

// wordEndsAt also demands that no letter or digit stands beside it; in front of
// it, one that belongs to an escape does: printf 'a\nat …' | sh.
func wordEndsAt(s string, end int, needle string) bool {
	if alnum(byteAt(s, end+1)) {
		return false
	}
	i := startOf(s, end, needle)
	return i >= 0 && (!alnum(byteAt(s, i-1)) || byteAt(s, i-2) == '\\')
}

func startOf(s string, end int, needle string) int {
	k := len(needle) - 1
	for i := end; i >= 0; i-- {
		switch {
		case s[i] == needle[k]:
			if k == 0 {
				return i
			}
			k--
		case i == end || !junk(s[i]):
			return -1
		}
	}
	return -1
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// hidden tells text in which bytes need not stand beside each other as the parser
// sees them: $'…' with an escape in it, also where quoting hides it, the one
// escape of printf that can stand inside a name, and NUL bytes, which the parser
// drops (so a backslash escapes what stands behind them).
func hidden(s string) bool {
	if strings.IndexByte(s, 0) >= 0 {
		return true
	}
	if strings.IndexByte(s, '\\') < 0 {
		return false
	}
	if strings.Contains(s, `\\\n`) { // printf 'sl\\\neep 1' | sh: a line continuation
		return true
	}
	for i := 0; i < len(s); i++ {
		j := strings.IndexByte(s[i:], '$')
		if j < 0 {
			return false
		}
		i += j
		for k := i + 1; k < len(s) && junk(s[k]); k++ {
			if s[k] == '\'' {
				return true
			}
		}
	}
	return false
}
