package hook

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxEnvFile bounds an environment file, in bytes.
const maxEnvFile = 1 << 20

// ReadEnvFile reads what SessionStart hooks left in the file of CLAUDE_ENV_FILE: the
// variables for later commands of the session, as NAME=value, in the order of the file;
// of two with one name the last counts. A missing file has none.
//
// It is a list of variables, and no script is run: lines of the form export NAME=value
// or NAME=value are read, the value plain or quoted. Any other line is left out, and
// what it is stands in skipped, with its number and without the value.
func ReadEnvFile(path string) (env, skipped []string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() > maxEnvFile:
		return nil, nil, fmt.Errorf("environment file %s: no regular file of at most %d bytes", path, maxEnvFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	for i, line := range strings.Split(strings.TrimPrefix(string(text), "\uFEFF"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, raw, ok := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "export ")), "=")
		value, plain := unquoted(raw)
		switch {
		case !ok || !shellName(name):
			skipped = append(skipped, fmt.Sprintf("line %d is no export NAME=value", i+1))
		case !plain:
			skipped = append(skipped, fmt.Sprintf("line %d: the value of %s needs a shell to be read", i+1, name))
		default:
			env = append(env, name+"="+value)
		}
	}
	return env, skipped, nil
}

// unquoted reads one word of the shell that nothing expands.
func unquoted(word string) (value string, plain bool) {
	var b strings.Builder
	for i := 0; i < len(word); {
		switch c := word[i]; c {
		case '\'':
			end := strings.IndexByte(word[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			b.WriteString(word[i+1 : i+1+end])
			i += end + 2
		case '"':
			n, ok := doubleQuoted(&b, word[i+1:])
			if !ok {
				return "", false
			}
			i += n + 2
		case '\\':
			if i+1 == len(word) {
				return "", false
			}
			b.WriteByte(word[i+1])
			i += 2
		default:
			if strings.IndexByte(" \t$`;&|<>()#*?[~!", c) >= 0 {
				return "", false
			}
			b.WriteByte(c)
			i++
		}
	}
	return b.String(), !strings.Contains(b.String(), "\x00")
}

// doubleQuoted reads up to the closing quote, and gives what stands before it.
func doubleQuoted(b *strings.Builder, s string) (n int, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i, true
		case c == '$' || c == '`':
			return 0, false
		case c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`", s[i+1]) >= 0:
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
	}
	return 0, false
}

func shellName(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
