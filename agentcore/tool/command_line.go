package tool

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/stophook/stophook/transcript/shell"
)

// commandLine is what a command of the shell is made of.
type commandLine struct {
	text   string
	broken bool // it is no script that can be parsed
	unsure bool // shells read it in different ways
	// strict holds the parts for rules that allow, once for each of the shells that
	// may read the text. contained tells whether they are all that there is.
	strict    [][]part
	contained bool
	// seen holds the parts for rules that deny, those behind wrappers among them.
	seen []part
}

// readCommand parses a command both as the standard has it and as Bash does: the
// shell of a context may be either, and they read $'…' and braces differently.
func readCommand(text string) *commandLine {
	c := &commandLine{text: strings.TrimSpace(text), contained: true}
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		c.broken, c.contained = true, false
		return c
	}
	script := shell.Parse(text, shell.Options{})
	if !script.Parsed || script.Reason != "" || goesOn(text) { // its bounds hold for the parsers below as well
		c.broken, c.contained = true, false
		return c
	}
	bash, posix := c.read(text, syntax.LangBash), c.read(text, syntax.LangPOSIX)
	c.broken = !bash && !posix
	if !posix {
		// A plain shell runs what comes before the text that it cannot read, and reads
		// some of what Bash has in a way of its own.
		for _, odd := range []string{"$'", "$\"", "((", "&>"} {
			c.unsure = c.unsure || strings.Contains(text, odd)
		}
		if strings.Contains(text, "&>") {
			c.read(strings.ReplaceAll(text, "&>", "& >"), syntax.LangPOSIX)
		}
	}
	for _, cmd := range script.Simple() {
		c.seen = append(c.seen, fromSimple(cmd))
	}
	return c
}

// goesOn tells whether a comment ends in a backslash. The parser takes the next line
// for a part of the comment then, and shells run it.
func goesOn(text string) bool {
	suspect := false
	for line := range strings.Lines(text) {
		suspect = suspect || strings.Contains(line, "#") && strings.HasSuffix(line, "\\\n")
	}
	if !suspect {
		return false
	}
	found := false
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX} {
		file, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
		if err != nil {
			return true
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Comment); ok {
				line, _, _ := strings.Cut(text[min(int(c.Hash.Offset()), len(text)):], "\n")
				found = found || strings.HasSuffix(line, "\\")
			}
			return true
		})
	}
	return found
}

// read adds the parts of a text as one shell reads it; false if it cannot be read to
// its end, and then only those before.
func (c *commandLine) read(text string, lang syntax.LangVariant) bool {
	var file syntax.File
	whole := true
	for stmt, err := range syntax.NewParser(syntax.Variant(lang)).StmtsSeq(strings.NewReader(text)) {
		if err != nil {
			whole = false
			break
		}
		file.Stmts = append(file.Stmts, stmt)
	}
	parts, contained := simpleCommands(&file)
	c.strict = append(c.strict, parts)
	c.contained = c.contained && contained && whole
	c.seen = append(c.seen, parts...)
	return whole
}

// simpleCommands gives the simple commands of a script. contained is false if it
// has something that a rule about words does not cover.
func simpleCommands(file *syntax.File) (parts []part, contained bool) {
	contained = true
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.File, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted, *syntax.CmdSubst,
			*syntax.Subshell, *syntax.Block, *syntax.BinaryCmd, *syntax.IfClause, *syntax.WhileClause, *syntax.WordIter,
			*syntax.CaseClause, *syntax.CaseItem, *syntax.Comment, *syntax.TimeClause:
		case *syntax.Stmt:
			contained = contained && !n.Coprocess && !n.Disown
		case *syntax.CallExpr:
			contained = contained && len(n.Assigns) == 0
			if len(n.Args) > 0 {
				parts = append(parts, words(n.Args))
			}
		case *syntax.DeclClause:
			contained = false
			p := part{{text: n.Variant.Value, literal: true}}
			for range n.Args {
				p = append(p, word{})
			}
			parts = append(parts, p)
		case *syntax.ParamExp:
			contained = contained && plainParam(n)
		case *syntax.ForClause:
			contained = contained && harmlessLoop(n)
		case *syntax.Redirect:
			contained = contained && harmlessRedirect(n)
		default:
			contained = false
		}
		return true
	})
	return parts, contained
}

// plainParam is $x or ${x}. Other forms set variables, or run what is in them.
func plainParam(p *syntax.ParamExp) bool {
	return p.Short || !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil &&
		p.Names == 0 && p.Exp == nil && p.NestedParam == nil && p.Flags == nil && len(p.Modifiers) == 0
}

// harmlessLoop is a loop over words whose variable is a local one by its looks:
// for PATH in … would choose the programs of what follows.
func harmlessLoop(f *syntax.ForClause) bool {
	iter, ok := f.Loop.(*syntax.WordIter)
	if !ok || f.Select {
		return false
	}
	name := iter.Name.Value
	return name == strings.ToLower(name) && !strings.HasSuffix(name, "_proxy")
}

// harmlessRedirect reads and writes no file.
func harmlessRedirect(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	if r.Word == nil {
		return false
	}
	to := wordOf(r.Word)
	switch r.Op {
	case syntax.DplOut, syntax.DplIn:
		return to.literal && (to.text == "-" || len(to.text) == 1 && to.text[0] >= '0' && to.text[0] <= '9')
	case syntax.RdrOut, syntax.AppOut, syntax.RdrIn, syntax.RdrAll, syntax.AppAll:
		return to.literal && to.text == "/dev/null"
	}
	return false
}

// hit tells whether a pattern matches any part.
func (c *commandLine) hit(p commandPattern) hit {
	if p.whole != "" && p.whole == c.text {
		return yes
	}
	found := no
	if c.broken || c.unsure {
		found = maybe
	}
	for _, part := range c.seen {
		base := part.base()
		switch {
		case p.matches(base, false) || p.matches(part, false):
			return yes
		case part.opaque() || p.matches(base, true):
			found = maybe
		}
	}
	return found
}

// allowedBy gives the rule that allows the first part, if each part has one.
func (c *commandLine) allowedBy(rules []rule) string {
	for _, r := range rules {
		if r.command.whole != "" && r.command.whole == c.text {
			return r.text
		}
	}
	if !c.contained || len(c.strict) == 0 {
		return ""
	}
	first := ""
	for _, parts := range c.strict {
		if len(parts) == 0 {
			return ""
		}
		for _, part := range parts {
			i := slices.IndexFunc(rules, func(r rule) bool { return r.command.matches(part, false) })
			if i < 0 {
				return ""
			}
			first = cmpOr(first, rules[i].text)
		}
	}
	return first
}
