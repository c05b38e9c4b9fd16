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

func isDigit(c byte) bool      { return '0' <= c && c <= '9' }
func isUpperDigit(c byte) bool { return isDigit(c) || 'A' <= c && c <= 'Z' }
func isAlnum(c byte) bool      { return isUpperDigit(c) || 'a' <= c && c <= 'z' }
func isTokenByte(c byte) bool  { return isAlnum(c) || c == '_' || c == '-' }

// hasDigitOrLong tells a token from a word.
func hasDigitOrLong(s string) bool {
	return len(s) >= 20 || strings.ContainsAny(s, "0123456789")
}
