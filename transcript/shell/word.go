package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one shell word with its quotes removed.
type word struct {
	text string // parts that are not literal stand as ${name} or ${_}
	lit  bool   // text is what the program gets
	glob bool   // an unquoted * ? [ or { , }: the shell makes other words of it
	node *syntax.Word
	src  *source
}

// raw is the text as written in the script.
func (w word) raw() string {
	if w.node == nil || w.src == nil {
		return w.text
	}
	return w.src.textOf(w.node)
}

func (w word) line() int {
	if w.node == nil || w.src == nil {
		return 0
	}
	return w.src.lineOf(w.node.Pos())
}

// base is the name of the program that the word calls: the last path element
// without .exe; empty when it is not known. Who writes .exe is on a system that does
// not care for case.
func (w word) base() string {
	t := w.text
	if i := strings.LastIndexAny(t, `/\`); i >= 0 {
		t = t[i+1:]
	}
	if w.glob || !w.lit && strings.Contains(t, "$") {
		return ""
	}
	if n := len(t) - len(".exe"); n > 0 && strings.EqualFold(t[n:], ".exe") {
		t = strings.ToLower(t[:n])
	}
	return t
}

func (s *source) words(ws []*syntax.Word) []word {
	out := make([]word, 0, len(ws))
	for _, w := range ws {
		out = append(out, s.word(w))
	}
	return out
}

func (s *source) word(w *syntax.Word) word {
	out := word{lit: true, node: w, src: s}
	if w == nil {
		return out
	}
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			unquoted(&b, part.Value, &out.glob)
		case *syntax.SglQuoted:
			if part.Dollar {
				ansiC(&b, part.Value)
			} else {
				b.WriteString(part.Value)
			}
		case *syntax.DblQuoted:
			for _, q := range part.Parts {
				if l, ok := q.(*syntax.Lit); ok {
					unescape(&b, l.Value, "$`\"\\")
				} else {
					s.unknown(&b, q)
					out.lit = false
				}
			}
		case *syntax.ExtGlob:
			b.WriteString(s.textOf(part))
			out.glob = true
		default:
			s.unknown(&b, part)
			out.lit = false
		}
	}
	out.text = b.String()
	return out
}

// unknown writes what stands for a part that only the shell knows. A plain
// parameter keeps its name, so that the text of bash -c "cd $DIR && run &" is
// still a script; anything else becomes ${_}, because what it runs is looked at
// where it stands.
func (s *source) unknown(b *strings.Builder, part syntax.WordPart) {
	if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && (p.Short || p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Index == nil) {
		b.WriteString("${" + p.Param.Value + "}")
		return
	}
	b.WriteString("${_}")
}

// refs are the names of the parameters that a word mentions, "!" for $!, and
// "jobs" for $(jobs …).
func refs(w *syntax.Word) []string {
	if w == nil {
		return nil
	}
	var out []string
	var part func(p syntax.WordPart)
	part = func(p syntax.WordPart) {
		switch p := p.(type) {
		case *syntax.ParamExp:
			if p.Param != nil {
				out = append(out, p.Param.Value)
			}
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				part(q)
			}
		case *syntax.CmdSubst:
			if len(p.Stmts) > 0 {
				if c, ok := p.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "jobs" {
					out = append(out, "jobs")
				}
			}
		}
	}
	for _, p := range w.Parts {
		part(p)
	}
	return out
}

// heredoc is the text of a here-document or here-string as the program reads it.
func (s *source) heredoc(r *syntax.Redirect) (text string, line int, ok bool) {
	switch r.Op {
	case syntax.WordHdoc:
		w := s.word(r.Word)
		return w.text, s.lineOf(r.Word.Pos()) - 1, true
	case syntax.Hdoc, syntax.DashHdoc:
	default:
		return "", 0, false
	}
	if r.Hdoc == nil {
		return "", 0, true
	}
	verbatim := false
	for _, p := range r.Word.Parts {
		l, isLit := p.(*syntax.Lit)
		verbatim = verbatim || !isLit || strings.Contains(l.Value, `\`)
	}
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		switch l, isLit := p.(*syntax.Lit); {
		case isLit && verbatim:
			b.WriteString(l.Value)
		case isLit:
			unescape(&b, l.Value, "$`\\")
		default:
			s.unknown(&b, p)
		}
	}
	return b.String(), s.lineOf(r.Hdoc.Pos()) - 1, true
}
