package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// EvidenceCall is "status", "task" or "name" when the last simple command that
// the script runs is the program stophook with that subcommand, and empty
// otherwise. What comes before it does not matter, since the evidence is taken
// after it; what comes behind does. Two things may follow: filters that print
// (| cat, | tee f), and a complaint behind || that runs only when there was no
// evidence. A call in the background, in one branch of an if, or for --help is
// none.
func (s *Script) EvidenceCall() string {
	return guard(s.evidence)
}

func (s *Script) evidence() string {
	if !s.Parsed || s.Reason != "" {
		return ""
	}
	e := &evidenceWalk{opts: s.opts, funcs: s.funcs}
	return e.list(s.root, s.root.stmts)
}

type evidenceWalk struct {
	opts  Options
	funcs map[string]function
	level int
}

func (e *evidenceWalk) list(src *source, stmts []*syntax.Stmt) string {
	for i := len(stmts) - 1; i >= 0; i-- {
		if _, decl := stmts[i].Cmd.(*syntax.FuncDecl); !decl {
			return e.stmt(src, stmts[i])
		}
	}
	return ""
}

func (e *evidenceWalk) stmt(src *source, s *syntax.Stmt) string {
	if e.level++; e.level > maxNesting {
		return ""
	}
	if s == nil || s.Background || s.Coprocess || s.Disown {
		return ""
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return e.call(src, s, c)
	case *syntax.Block:
		return e.list(src, c.Stmts)
	case *syntax.Subshell:
		return e.list(src, c.Stmts)
	case *syntax.TimeClause:
		return e.stmt(src, c.Stmt)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			return e.stmt(src, c.Y)
		case syntax.OrStmt:
			if complaint(src, c.Y) {
				return e.stmt(src, c.X)
			}
			return ""
		}
		return e.pipeline(src, pipeStages(c))
	}
	return ""
}

// pipeline counts when its last stage is evidence, or an earlier one behind
// which only filters stand.
func (e *evidenceWalk) pipeline(src *source, stages []*syntax.Stmt) string {
	for i := len(stages) - 1; i >= 0; i-- {
		if i == len(stages)-1 || !filter(src, stages[i]) {
			if ev := e.stmt(src, stages[i]); ev != "" {
				return ev
			}
		}
		if !filter(src, stages[i]) {
			return ""
		}
	}
	return ""
}

func (e *evidenceWalk) call(src *source, s *syntax.Stmt, c *syntax.CallExpr) string {
	if len(c.Args) == 0 {
		// box=$(stophook status) runs what stands in the substitution.
		if n := len(c.Assigns); n > 0 && c.Assigns[n-1].Value != nil {
			return e.subst(src, c.Assigns[n-1].Value)
		}
		return ""
	}
	layers, _ := layersOf(src.words(c.Args))
	prog := layers[len(layers)-1]
	if fn, ok := e.funcs[prog.name]; ok && len(layers) == 1 {
		return e.stmt(fn.src, fn.body)
	}
	if prog.name == "stophook" {
		return subcommand(prog.args())
	}
	if w := unwrap(prog); w.script {
		return e.script(src, w.inner[0].text, false)
	}
	if prog.name == "eval" {
		return e.script(src, joinText(prog.args()), true)
	}
	if !isShell(prog.name) {
		return ""
	}
	text, ok, stdin := shellText(prog)
	if ok {
		return e.script(src, text.text, false)
	}
	if stdin {
		for _, r := range s.Redirs {
			if t, _, ok := src.heredoc(r); ok {
				return e.script(src, t, false)
			}
		}
	}
	return ""
}

func (e *evidenceWalk) subst(src *source, w *syntax.Word) string {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return ""
	}
	if c, ok := parts[0].(*syntax.CmdSubst); ok {
		return e.list(src, c.Stmts)
	}
	return ""
}

func (e *evidenceWalk) script(src *source, text string, same bool) string {
	if src.depth+1 > e.opts.MaxDepth {
		return ""
	}
	n, err := parseSource(text, 0, src.depth+1, e.opts.MaxBytes)
	if err != nil {
		return ""
	}
	outer := e.funcs
	if !same {
		e.funcs = nil
	}
	defer func() { e.funcs = outer }()
	return e.list(n, n.stmts)
}

// subcommand reads the arguments of stophook. A flag in front of the subcommand
// may take a value: a word that is none of ours is taken for it.
func subcommand(args []word) string {
	sub := ""
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--":
			i = len(args)
		case t == "--help" || t == "-h" || t == "--version":
			return ""
		case sub != "" || !args[i].lit && !strings.HasPrefix(t, "-"):
			if sub == "" {
				return ""
			}
		case strings.HasPrefix(t, "-"):
			if !strings.Contains(t, "=") && i+1 < len(args) && !ours(args[i+1].text) && !strings.HasPrefix(args[i+1].text, "-") {
				i++
			}
		case ours(t):
			sub = t
		default:
			return ""
		}
	}
	return sub
}

func ours(sub string) bool { return sub == "status" || sub == "task" || sub == "name" }

// filter tells a stage of a pipeline that only passes text on.
func filter(src *source, s *syntax.Stmt) bool {
	switch progOf(src, s) {
	case "cat", "tail", "head", "grep", "egrep", "fgrep", "rg", "less", "more", "tee", "wc", "sed", "awk", "jq",
		"sort", "uniq", "cut", "tr", "col", "fold", "bat", "nl":
		return true
	}
	return false
}

// complaint tells what may stand behind ||: it runs only when the check failed.
func complaint(src *source, s *syntax.Stmt) bool {
	switch progOf(src, s) {
	case "echo", "printf", "true", "false", ":", "exit", "return":
		return true
	}
	return false
}

func progOf(src *source, s *syntax.Stmt) string {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || s.Background || s.Coprocess || s.Disown {
		return ""
	}
	layers, _ := layersOf(src.words(c.Args))
	return layers[len(layers)-1].name
}
