package decisionlog

import "strings"

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// pemDashes opens and closes the lines around a PEM block.
const pemDashes = "-----"

// maxKeyScan bounds how far a key is looked at before it counts as one.
const maxKeyScan = 256

// maxRounds bounds the repetition of the walk; two are the rule.
const maxRounds = 8

// anchors marks the bytes at which a look around is worth it: every form that
// [Redact] knows contains one of them, and ordinary text few. It is a table
// because the scan touches every byte of every logged string.
var anchors = [256]bool{'-': true, '_': true, '=': true, ':': true, 'K': true, 'S': true, 'B': true, 'b': true, 'J': true, 'z': true}

// Redact replaces the secrets in s that can be known by their form: API keys of
// common services (sk-, sk-ant-, sk_live_, ghp_ and its kin, github_pat_, glpat-,
// npm_, hf_, AKIA and ASIA, AIza, xox?-), JSON web tokens, Bearer tokens, PEM
// private keys, user information in URLs, and values that are assigned to a name
// such as password, token, secret or api_key (with =, with :, or as a --flag).
//
// It never panics, is idempotent, returns s itself when there is nothing to hide,
// and its result is at most a few times as long as s. It errs towards hiding.
// What it cannot know is a secret without a telling form or name; use a [Mask]
// for those.
func Redact(s string) string {
	// A secret inside or right behind another can show only once the first is
	// gone. Each round leaves less to find; clean text takes one.
	for range maxRounds {
		next := redactOnce(s)
		if next == s {
			break
		}
		s = next
	}
	return s
}

// redactOnce replaces what one walk from left to right finds. It returns s itself
// when that is nothing.
func redactOnce(s string) string {
	var out []byte
	done := 0 // s[:done] is in out
	for i := 0; i < len(s); {
		if !anchors[s[i]] {
			i++
			continue
		}
		from, to := secretAt(s, i)
		if from < done || to <= i || s[from:to] == Redacted {
			i++
			continue
		}
		if out == nil {
			out = make([]byte, 0, len(s)+2*len(Redacted))
		}
		out = append(append(out, s[done:from]...), Redacted...)
		done, i = to, to
	}
	if out == nil {
		return s
	}
	return string(append(out, s[done:]...))
}

// secretAt looks around the anchor at i and returns the secret's bounds, or
// (-1, -1).
func secretAt(s string, i int) (from, to int) {
	switch s[i] {
	case '-':
		return dashSecret(s, i)
	case '_':
		return underscoreSecret(s, i)
	case '=', ':':
		if s[i] == ':' && strings.HasPrefix(s[i:], "://") {
			return userinfo(s, i+3)
		}
		return assignment(s, i)
	case 'K': // AKIA + 16
		return prefixed(s, i-1, "AKIA", isUpperDigit, 16, false)
	case 'S': // ASIA + 16
		return prefixed(s, i-1, "ASIA", isUpperDigit, 16, false)
	case 'z': // AIza + 35
		return prefixed(s, i-2, "AIza", isTokenByte, 30, false)
	case 'J': // eyJ, three parts of a JSON web token
		return webToken(s, i-2)
	default: // B, b
		return bearer(s, i)
	}
}

// prefixed matches prefix at start, on a word's beginning, followed by at least
// least bytes of the class. needDigit asks for a digit among them, which real
// keys have and words joined by dashes have not.
func prefixed(s string, start int, prefix string, class func(byte) bool, least int, needDigit bool) (from, to int) {
	if start < 0 || start > 0 && isAlnum(s[start-1]) || !strings.HasPrefix(s[start:], prefix) {
		return -1, -1
	}
	body := start + len(prefix)
	n, digit := 0, false
	// The bound keeps a text of nothing but beginnings from being read over and
	// over; the end of a match is found once it is one.
	for n < maxKeyScan && body+n < len(s) && class(s[body+n]) && !strings.HasPrefix(s[body+n:], pemDashes) {
		digit = digit || isDigit(s[body+n])
		n++
	}
	if n < least || needDigit && !digit {
		return -1, -1
	}
	return start, tokenEnd(s, body+n)
}

// tokenEnd is the end of the run of token bytes at i. It stops before a PEM
// header, which is a secret of its own and longer.
func tokenEnd(s string, i int) int {
	for i < len(s) && (isTokenByte(s[i]) || s[i] == '.' && i+1 < len(s) && isTokenByte(s[i+1])) {
		if s[i] == '-' && strings.HasPrefix(s[i:], pemDashes) {
			break
		}
		i++
	}
	return i
}

func dashSecret(s string, i int) (from, to int) {
	switch {
	case strings.HasPrefix(s[i:], pemDashes):
		return privateKey(s, i)
	case i >= 2 && s[i-1] == 'k' && s[i-2] == 's':
		if strings.HasPrefix(s[i:], "-ant-") {
			return prefixed(s, i-2, "sk-ant-", isTokenByte, 8, false)
		}
		return prefixed(s, i-2, "sk-", isTokenByte, 16, true)
	case i >= 4 && strings.HasPrefix(s[i-4:], "xox"):
		if strings.IndexByte("abeprs", s[i-1]) >= 0 {
			return prefixed(s, i-4, s[i-4:i+1], isTokenByte, 8, false)
		}
	case i >= 5 && s[i-1] == 't':
		return prefixed(s, i-5, "glpat-", isTokenByte, 16, false)
	case i >= 1 && s[i-1] == '-':
		return flagValue(s, i+1)
	}
	return -1, -1
}

func underscoreSecret(s string, i int) (from, to int) {
	switch {
	case i >= 3 && s[i-3] == 'g' && s[i-2] == 'h':
		if strings.IndexByte("oprsu", s[i-1]) >= 0 {
			return prefixed(s, i-3, s[i-3:i+1], isTokenByte, 16, false)
		}
	case strings.HasPrefix(s[i:], "_pat_") && i >= 6:
		return prefixed(s, i-6, "github_pat_", isTokenByte, 16, false)
	case i >= 2 && s[i-1] == 'k' && (s[i-2] == 's' || s[i-2] == 'r'):
		for _, kind := range [...]string{"_live_", "_test_"} {
			if strings.HasPrefix(s[i:], kind) {
				return prefixed(s, i-2, s[i-2:i+len(kind)], isTokenByte, 8, false)
			}
		}
	case i >= 3 && s[i-1] == 'm':
		return prefixed(s, i-3, "npm_", isAlnum, 30, false)
	case i >= 2 && s[i-1] == 'f':
		return prefixed(s, i-2, "hf_", isAlnum, 30, false)
	}
	return -1, -1
}

// webToken matches eyJ....eyJ....signature, at the beginning of a run of token
// bytes only.
func webToken(s string, start int) (from, to int) {
	if start < 0 || start > 0 && isTokenByte(s[start-1]) || !strings.HasPrefix(s[start:], "eyJ") {
		return -1, -1
	}
	dot := start
	for dot < len(s) && isTokenByte(s[dot]) {
		dot++
	}
	if !strings.HasPrefix(s[dot:], ".eyJ") {
		return -1, -1
	}
	return start, tokenEnd(s, dot)
}

// bearer matches the token behind "Bearer ", in any case.
func bearer(s string, i int) (from, to int) {
	const word = "bearer"
	body := i + len(word) + 1
	if body > len(s) || !strings.EqualFold(s[i:i+len(word)], word) || s[body-1] != ' ' {
		return -1, -1
	}
	end := body
	for end < len(s) && (isTokenByte(s[end]) || strings.IndexByte(".+/~=", s[end]) >= 0) {
		if s[end] == '-' && strings.HasPrefix(s[end:], pemDashes) {
			break
		}
		end++
	}
	if end-body < 8 || !hasDigitOrLong(s[body:end]) {
		return -1, -1
	}
	return body, end
}

// privateKey matches a PEM block of a private key, to the end of the text when
// the block is cut off.
func privateKey(s string, i int) (from, to int) {
	const begin = pemDashes + "BEGIN "
	if !strings.HasPrefix(s[i:], begin) {
		return -1, -1
	}
	head := s[i+len(begin):]
	head = head[:min(len(head), 40)]
	label, _, ok := strings.Cut(head, pemDashes)
	if !ok || !strings.Contains(label, "PRIVATE KEY") {
		return -1, -1
	}
	bodyAt := i + len(begin) + len(label) + len(pemDashes)
	const finish = pemDashes + "END "
	n := strings.Index(s[bodyAt:], finish)
	if n < 0 {
		return i, len(s)
	}
	end := bodyAt + n + len(finish)
	if n = strings.Index(s[end:min(len(s), end+60)], pemDashes); n < 0 {
		return i, len(s)
	}
	return i, end + n + len(pemDashes)
}

// userinfo matches what stands between :// and @ in a URL.
func userinfo(s string, start int) (from, to int) {
	at := -1
	for i := start; i < len(s); i++ {
		switch c := s[i]; {
		case c == '@':
			at = i // the last @ before the path ends the user information
			continue
		case c > ' ' && strings.IndexByte("/?#\"'`<>\\|", c) < 0 && c != 0x7f:
			continue
		}
		break
	}
	if at <= start {
		return -1, -1
	}
	return start, at
}

func isDigit(c byte) bool      { return '0' <= c && c <= '9' }
func isUpperDigit(c byte) bool { return isDigit(c) || 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool      { return isUpperDigit(c) || 'a' <= c && c <= 'z' }
func isTokenByte(c byte) bool  { return isAlnum(c) || c == '_' || c == '-' }

// hasDigitOrLong tells a token from a word.
func hasDigitOrLong(s string) bool {
	return len(s) >= 20 || strings.ContainsAny(s, "0123456789")
}
