package decisionlog

import "strings"

// nameClass says how sure a name makes us that its value is a secret.
type nameClass int

const (
	noSecret   nameClass = iota
	token                // token, key, auth: also ordinary words of prose and code
	passphrase           // password and the like
)

// secretNames are the endings of telling names, without separators.
var secretNames = [...]struct {
	end   string
	class nameClass
}{
	{"password", passphrase}, {"passwd", passphrase}, {"passphrase", passphrase}, {"pwd", passphrase},
	{"secret", passphrase}, {"apikey", token}, {"accesskey", token}, {"secretkey", passphrase},
	{"privatekey", passphrase}, {"token", token}, {"authorization", token}, {"credential", token}, {"credentials", token},
}

// maxName bounds how far a name is followed backwards.
const maxName = 64

// classOf judges a name by its end: GITHUB_TOKEN, X-Api-Key and clientSecret
// count, max_tokens and tokenizer do not.
func classOf(name string) nameClass {
	if len(name) == 0 || strings.IndexByte("dtenysDTENYS", name[len(name)-1]) < 0 {
		return noSecret
	}
	// The longest ending is 13 letters, and separators may stand between.
	var letters [16]byte
	n := len(letters)
	for i := len(name) - 1; i >= 0 && n > 0; i-- {
		c := name[i]
		if c == '_' || c == '-' || c == '.' {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		n--
		letters[n] = c
	}
	tail := string(letters[n:])
	for i := range secretNames {
		if strings.HasSuffix(tail, secretNames[i].end) {
			return secretNames[i].class
		}
	}
	return noSecret
}

// nameBefore returns the name that ends at end, and whether it is quoted. A blank
// and quotes, also escaped ones as in JSON inside a string, may follow it.
func nameBefore(s string, end int) (name string, quoted bool) {
	i := end
	for i > 0 && i > end-8 && (s[i-1] == ' ' || s[i-1] == '"' || s[i-1] == '\'' || s[i-1] == '\\') {
		quoted = quoted || s[i-1] == '"' || s[i-1] == '\''
		i--
	}
	start := i
	for start > 0 && i-start < maxName && (isTokenByte(s[start-1]) || s[start-1] == '.') {
		start--
	}
	return s[start:i], quoted
}

// assignment matches the value behind NAME= or NAME:.
func assignment(s string, i int) (from, to int) {
	name, quoted := nameBefore(s, i)
	class := classOf(name)
	if class == noSecret {
		return -1, -1
	}
	v := i + 1
	if v < len(s) && (s[v] == '=' || s[v] == '>') { // ==, := and => are code
		v++
	}
	colon := s[i] == ':'
	return secretValue(s, v, class, colon && !quoted)
}

// flagValue matches the value behind --NAME and a blank; start is behind the
// dashes.
func flagValue(s string, start int) (from, to int) {
	end := start
	for end < len(s) && end-start < maxName && isTokenByte(s[end]) {
		end++
	}
	if end >= len(s) || s[end] != ' ' || classOf(s[start:end]) == noSecret {
		return -1, -1
	}
	from, to = secretValue(s, end, classOf(s[start:end]), false)
	if from >= 0 && s[from] == '-' { // the next flag
		return -1, -1
	}
	return from, to
}

// secretValue finds the bounds of a value, quoted or bare. doubtful is set where
// the assignment may be a sentence ("token: the next word"); a bare value then
// has to look like a secret.
func secretValue(s string, v int, class nameClass, doubtful bool) (from, to int) {
	for v < len(s) && (s[v] == ' ' || s[v] == '\t') {
		v++
	}
	slashes := 0
	for v+slashes < len(s) && s[v+slashes] == '\\' {
		slashes++
	}
	if q := v + slashes; q < len(s) && (s[q] == '"' || s[q] == '\'') {
		from = q + 1
		to = quotedEnd(s, from, s[q], slashes)
	} else {
		from = afterScheme(s, v)
		to = from
		if from > v { // "Basic ..." is a header, and what follows no short word
			class = passphrase
		}
		for to < len(s) && s[to] > ' ' && strings.IndexByte("\"'`,;&|<>)}]\\", s[to]) < 0 {
			to++
		}
		if strings.HasPrefix(s[from:], pemDashes) || strings.HasPrefix(s[from:], Redacted) {
			to = from
		}
		value := s[from:to]
		if doubtful && (strings.Contains(value, "[redacted") || class == passphrase && len(value) < 6 || class == token && (len(value) < 8 || !hasDigitOrLong(value))) {
			return -1, -1
		}
	}
	// A PEM block is longer than its line; it is found at its own dashes.
	if pem := strings.Index(s[from:to], pemDashes+"BEGIN "); pem >= 0 {
		to = from + pem
	}
	if strings.ReplaceAll(s[from:to], Redacted, "") == "" { // empty, or hidden already
		return -1, -1
	}
	return from, to
}

// afterScheme skips "Basic " and its kin, so that the credential is hidden and
// not the word before it.
func afterScheme(s string, v int) int {
	for _, scheme := range [...]string{"basic ", "bearer ", "token ", "digest "} {
		if len(s)-v >= len(scheme) && strings.EqualFold(s[v:v+len(scheme)], scheme) {
			return v + len(scheme)
		}
	}
	return v
}

// quotedEnd is where a quoted value ends: at the same quote behind as many
// backslashes as before the opening one, at the end of the line when there is
// none.
func quotedEnd(s string, i int, quote byte, slashes int) int {
	run := 0
	for ; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '\\':
			run++
			continue
		case s[i] == quote && slashes == 0 && run%2 == 0:
			return i
		case s[i] == quote && slashes > 0 && run <= slashes:
			return i - run
		}
		run = 0
	}
	return i
}

// isSecretName reports whether a string below this object key is to be hidden
// whatever it looks like.
func isSecretName(key string) bool { return classOf(key) != noSecret }
