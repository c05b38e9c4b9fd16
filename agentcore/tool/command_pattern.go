package tool

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandPattern is what a rule says about commands.
type commandPattern struct {
	whole string   // a command line that is meant exactly
	words []string // of one simple command, * for any number of words
	open  bool     // more words may follow
	none  bool     // no simple command: only the whole can match
}

// parsePattern reads git status, git commit:* and npm run * --fix.
func parsePattern(text string) commandPattern {
	var p commandPattern
	text, p.open = strings.CutSuffix(text, ":*")
	if !p.open {
		p.whole = text
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Stmts[0].Redirs) > 0 || file.Stmts[0].Background || file.Stmts[0].Negated {
		p.none = true
		return p
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		p.none = true
		return p
	}
	for _, w := range call.Args {
		p.words = append(p.words, wordOf(w).text)
	}
	return p
}

// matches tells whether the pattern matches a simple command. A word that is not
// literal is matched by * only; with loosely it stands for any words, which tells
// whether the pattern may match.
func (p commandPattern) matches(command part, loosely bool) bool {
	if p.none || len(p.words) == 0 || len(command) == 0 {
		return false
	}
	n, m := len(p.words), len(command)
	// can[j]: the first i words of the pattern match the first j of the command.
	can := make([]bool, m+1)
	can[0] = true
	free := func(j int) bool { return loosely && !command[j].literal }
	for j := range m {
		can[j+1] = can[j] && free(j)
	}
	for i := range n {
		next := make([]bool, m+1)
		for j := 0; j <= m; j++ {
			switch {
			case p.words[i] == "*":
				next[j] = can[j] || j > 0 && next[j-1]
			case j > 0:
				w := command[j-1]
				next[j] = can[j-1] && w.literal && wildcard(p.words[i], w.text) ||
					free(j-1) && (can[j] || can[j-1] || next[j] || next[j-1])
			}
		}
		can = next
	}
	if !p.open {
		return can[m]
	}
	for _, ok := range can {
		if ok {
			return true
		}
	}
	return false
}
