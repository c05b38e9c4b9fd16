package tool

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/stophook/stophook/transcript/shell"
)

// part is one simple command.
type part []word

// word is one word of a command. What the shell would still change is not literal.
type word struct {
	text    string
	literal bool
}

// fromSimple takes over a command that the transcript's parser found behind a
// wrapper.
func fromSimple(cmd shell.Command) part {
	p := part{{text: cmd.Name, literal: true}}
	for _, arg := range cmd.Args {
		p = append(p, word{text: arg, literal: cmd.Exact || !strings.ContainsAny(arg, "$`*?[{~\\\"'")})
	}
	return p
}

func words(args []*syntax.Word) part {
	p := make(part, len(args))
	for i, arg := range args {
		p[i] = wordOf(arg)
	}
	return p
}

// wordOf removes quotes. A word with a variable, a substitution, or an unquoted
// pattern, brace or tilde is not literal.
func wordOf(w *syntax.Word) word {
	var b strings.Builder
	literal := true
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			literal = unquote(&b, p.Value, false) && literal
		case *syntax.SglQuoted:
			literal = literal && !(p.Dollar && strings.Contains(p.Value, `\`))
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			literal = literal && !p.Dollar
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					unquote(&b, lit.Value, true)
				} else {
					literal = false
				}
			}
		default:
			literal = false
		}
	}
	return word{text: b.String(), literal: literal}
}

// unquote writes a literal without its backslashes, and tells whether the shell
// would leave it as it is.
func unquote(b *strings.Builder, s string, quoted bool) bool {
	literal := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0):
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case !quoted && (strings.IndexByte("*?[{", c) >= 0 || c == '~' && b.Len() == 0 || c == '$'):
			literal = false
		}
		b.WriteByte(c)
	}
	return literal
}

// base is the part with its program named without its folder.
func (p part) base() part {
	if len(p) == 0 || !p[0].literal || !strings.Contains(p[0].text, "/") {
		return p
	}
	q := slices.Clone(p)
	q[0].text = path.Base(q[0].text)
	return q
}

// opaque tells whether a part runs a script that cannot be read: eval "$x".
func (p part) opaque() bool {
	if len(p) == 0 {
		return false
	}
	if !slices.Contains([]string{"eval", "sh", "bash", "dash", "zsh", "ksh"}, path.Base(p[0].text)) {
		return false
	}
	return slices.ContainsFunc(p[1:], func(w word) bool { return !w.literal })
}
