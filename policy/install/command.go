package install

import (
	"path"
	"slices"
	"strings"
)

// call is a command line that starts stophook hook.
type call struct {
	program string
	args    []string // behind the program, "hook" first
}

// hookArgs are the arguments of an installed hook. They change with the profile
// and the host only, so that an upgrade keeps the command.
func hookArgs(h host, profile Profile) []string {
	args := []string{"hook"}
	if h.flag {
		args = append(args, "--host", string(h.name))
	}
	if profile != ProfileRitual {
		args = append(args, "--profile", string(profile))
	}
	return args
}

// quote writes one word for sh. A path of Windows is put in double quotes, which
// cmd, PowerShell (with its call operator) and the sh of Git all understand.
func quote(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("/._-+:=@%,", r)
	}
	switch {
	case word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0:
		return word
	case windowsPath(word) && !strings.ContainsAny(word, "\"$`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func windowsPath(s string) bool {
	return len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') || strings.HasPrefix(s, `\\`)
}

// commandLine is the shell form.
func (c call) commandLine() string {
	words := make([]string, 0, len(c.args)+1)
	words = append(words, quote(c.program))
	for _, a := range c.args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

// profile is what the arguments say.
func (c call) profile() Profile {
	for i, a := range c.args {
		if value, ok := strings.CutPrefix(a, "--profile="); ok {
			return Profile(value)
		}
		if a == "--profile" && i+1 < len(c.args) {
			return Profile(c.args[i+1])
		}
	}
	return ProfileRitual
}

// parseCall recognises a command of ours: the program is named stophook, wherever it
// lies, and its first argument is hook. Assignments, exec and env in front of it, as
// people add them, do not hide it. args is nil in the shell form.
func parseCall(command string, args []string) (call, bool) {
	words := append([]string{command}, args...)
	if args == nil {
		words = splitWords(command)
	}
	for len(words) > 0 && (words[0] == "exec" || words[0] == "env" || words[0] == "command" || words[0] == "&" || assignment(words[0])) {
		words = words[1:]
	}
	if len(words) < 2 || !ours(words[0]) || words[1] != "hook" {
		return call{}, false
	}
	return call{program: words[0], args: words[1:]}, true
}

// ours tells whether a path ends in our name.
func ours(program string) bool {
	name := path.Base(strings.ReplaceAll(program, `\`, "/"))
	return name == "stophook" || strings.EqualFold(name, "stophook.exe")
}

func assignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}

// splitWords splits a command line as sh does, as far as one simple command goes:
// it ends at an operator. The backslashes of a Windows path are no escapes here.
func splitWords(line string) []string {
	var words []string
	var word strings.Builder
	inWord := false
	windows := windowsPath(strings.TrimLeft(line, `"'& `))
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\'':
			inWord = true
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				end = len(line) - i - 1
			}
			word.WriteString(line[i+1 : i+1+end])
			i += 1 + end
		case c == '"':
			inWord = true
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"$`\\", line[i+1]) >= 0 && !windows {
					i++
				}
				word.WriteByte(line[i])
			}
		case c == '\\' && !windows && i+1 < len(line):
			inWord = true
			i++
			word.WriteByte(line[i])
		case c == ' ' || c == '\t' || c == '\n':
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		case slices.Contains([]byte(";|<>"), c) || c == '&' && (inWord || len(words) > 0):
			i = len(line)
		default:
			inWord = true
			word.WriteByte(c)
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}

// evidence are the commands that the agent runs in a profile.
func evidence(profile Profile) []string {
	switch profile {
	case ProfileRitual:
		return []string{"status", "task", "name"}
	case ProfileEvidence:
		return []string{"status"}
	}
	return nil
}
