package decisionlog

import (
	"strings"
)

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
