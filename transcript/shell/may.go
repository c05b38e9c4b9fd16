package shell

import "strings"

// The scans below never say no where the parse would find something, so that a
// caller can skip the parse. They cost one or two passes over the bytes. Quotes
// and backslashes inside a name are stepped over (sl"ee"p), and a text with the
// escapes of $'…' is always worth a parse.

// MayBackground tells whether Background can find something.
func MayBackground(command string) bool {
	if loneAmpersand(command) || hasANSI(command) {
		return true
	}
	for i := 0; ; i++ {
		n := launcherName(i)
		if n == "" {
			return hasWord(command, "at")
		}
		if hasNeedle(command, n) {
			return true
		}
	}
}

func launcherName(i int) string {
	switch i {
	case 0:
		return "disown"
	case 1:
		return "setsid"
	case 2:
		return "tmux"
	case 3:
		return "screen"
	case 4:
		return "docker"
	case 5:
		return "podman"
	case 6:
		return "nerdctl"
	case 7:
		return "systemd-run"
	case 8:
		return "batch"
	case 9:
		return "coproc"
	case 10:
		return "daemon" // daemonize, start-stop-daemon
	case 11:
		return "pm2"
	case 12:
		return "ssh"
	case 13:
		return "sudo"
	}
	return ""
}

// MayWait tells whether Waits can find something.
func MayWait(command string) bool {
	if hasANSI(command) {
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
	return hasNeedle(command, "read") || hasNeedle(command, "kill") || hasWord(command, "ps") || hasNeedle(command, "/proc/")
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
	return strings.Contains(command, "stophook") || hasANSI(command) || hasNeedle(command, "stophook")
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
func hasNeedle(s, needle string) bool { return findNeedle(s, needle, false) }

// hasWord also demands that no letter or digit stands beside it.
func hasWord(s, needle string) bool { return findNeedle(s, needle, true) }

func findNeedle(s, needle string, word bool) bool {
	last := needle[len(needle)-1]
	for end := 0; ; end++ {
		j := strings.IndexByte(s[end:], last)
		if j < 0 {
			return false
		}
		end += j
		if word && alnum(byteAt(s, end+1)) {
			continue
		}
		i, k := end-1, len(needle)-2
		for k >= 0 && i >= 0 {
			if s[i] == needle[k] {
				i, k = i-1, k-1
			} else if junk(s[i]) {
				i--
			} else {
				break
			}
		}
		// printf 'a\nat …' | sh: the n in front of the name is an escape.
		if k < 0 && !(word && alnum(byteAt(s, i)) && byteAt(s, i-1) != '\\') {
			return true
		}
	}
}

func alnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// hasANSI finds $'…' with an escape in it, also where quoting hides it.
func hasANSI(s string) bool {
	if strings.IndexByte(s, '\\') < 0 {
		return false
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
