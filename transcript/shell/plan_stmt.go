package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

func (p *planner) list(src *source, stmts []*syntax.Stmt) {
	for _, s := range stmts {
		p.stmt(src, s)
	}
}

func (p *planner) stmt(src *source, s *syntax.Stmt) {
	if s == nil || p.cut != "" {
		return
	}
	if p.level++; p.level > maxNesting {
		p.stop(fmt.Sprintf("commands are nested deeper than %d; the rest was not looked at", maxNesting))
		p.level--
		return
	}
	defer func() { p.level-- }()
	if !p.effort(1) {
		return
	}
	if !s.Background && !s.Coprocess && !s.Disown {
		p.body(src, s)
		return
	}
	kind := KindAmpersand
	if s.Disown {
		kind = KindDisown
	}
	if p.emit(event{kind: evJobOpen, job: kind, src: src, node: s}) {
		p.body(src, s)
		p.close(evJobClose)
	}
}

func (p *planner) body(src *source, s *syntax.Stmt) {
	for _, r := range s.Redirs {
		p.substs(src, r.Word)
		if r.Hdoc != nil {
			p.substs(src, r.Hdoc)
		}
		if r.Op == syntax.RdrIn {
			p.emit(event{kind: evRead, src: src, node: r, words: []word{src.word(r.Word)}})
		}
	}
	if s.Cmd == nil {
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		p.callExpr(src, s, c)
	case *syntax.Block:
		p.list(src, c.Stmts)
	case *syntax.Subshell:
		p.child(src, c, func() { p.list(src, c.Stmts) })
	case *syntax.BinaryCmd:
		p.binary(src, c)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			p.list(src, c.Cond)
			p.list(src, c.Then)
		}
	case *syntax.WhileClause:
		p.loop(src, c, func() { p.list(src, c.Cond); p.list(src, c.Do) })
	case *syntax.ForClause:
		p.forClause(src, c)
	case *syntax.CaseClause:
		p.substs(src, c.Word)
		for _, it := range c.Items {
			for _, w := range it.Patterns {
				p.substs(src, w)
			}
			p.list(src, it.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			p.funcs[c.Name.Value] = function{src: src, body: c.Body}
		}
	case *syntax.TimeClause:
		p.stmt(src, c.Stmt)
	case *syntax.TestClause:
		p.substs(src, c)
		p.emit(event{kind: evTest, src: src, node: c, words: testWords(src, c.X)})
	case *syntax.DeclClause:
		p.declClause(src, c)
	case *syntax.CoprocClause:
		name := "COPROC"
		if c.Name != nil {
			name = src.word(c.Name).text
		}
		if p.emit(event{kind: evJobOpen, job: KindCoproc, src: src, node: c, name: name + "_PID"}) {
			p.stmt(src, c.Stmt)
			p.close(evJobClose)
		}
	default: // arithmetic, let
		p.substs(src, c)
	}
}

func (p *planner) loop(src *source, node syntax.Node, body func()) {
	if p.emit(event{kind: evLoopOpen, src: src, node: node}) {
		body()
		p.close(evLoopClose)
	}
}

// forClause: the words that a loop runs over are made once, before it.
func (p *planner) forClause(src *source, c *syntax.ForClause) {
	if it, ok := c.Loop.(*syntax.WordIter); ok {
		for _, w := range it.Items {
			p.substs(src, w)
		}
		p.emit(event{kind: evBind, src: src, node: it, name: it.Name.Value, words: src.words(it.Items)})
		p.loop(src, c, func() { p.list(src, c.Do) })
		return
	}
	p.loop(src, c, func() {
		if c.Loop != nil {
			p.substs(src, c.Loop)
		}
		p.list(src, c.Do)
	})
}

func (p *planner) declClause(src *source, c *syntax.DeclClause) {
	words := []word{{text: c.Variant.Value, lit: true}}
	for _, a := range c.Args {
		p.substs(src, a)
		w := word{text: src.textOf(a), lit: a.Array == nil && a.Index == nil}
		if a.Value != nil {
			v := src.word(a.Value)
			w.lit = w.lit && v.lit
			if w.lit && a.Name != nil {
				w.text = a.Name.Value + "=" + v.text
			}
		}
		words = append(words, w)
	}
	p.emit(event{kind: evDecl, src: src, node: c, words: words})
	p.emit(event{kind: evAssign, src: src, node: c, assigns: c.Args})
}

// binary walks chains of && and || along their left spine with a loop, because
// a long line is no deep one.
func (p *planner) binary(src *source, c *syntax.BinaryCmd) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		p.pipeline(src, pipeStages(c))
		return
	}
	for _, s := range chain(c, func(op syntax.BinCmdOperator) bool { return op == syntax.AndStmt || op == syntax.OrStmt }) {
		p.stmt(src, s)
	}
}

func pipeStages(c *syntax.BinaryCmd) []*syntax.Stmt {
	return chain(c, func(op syntax.BinCmdOperator) bool { return op == syntax.Pipe || op == syntax.PipeAll })
}

// chain flattens the left spine of operators that want accepts.
func chain(c *syntax.BinaryCmd, want func(syntax.BinCmdOperator) bool) []*syntax.Stmt {
	var rev []*syntax.Stmt
	for {
		rev = append(rev, c.Y)
		x, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || !want(x.Op) || len(c.X.Redirs) > 0 || c.X.Background {
			rev = append(rev, c.X)
			break
		}
		c = x
	}
	for i, j := 0, len(rev)-1; i < j; i, j = i+1, j-1 {
		rev[i], rev[j] = rev[j], rev[i]
	}
	return rev
}

func (p *planner) pipeline(src *source, stages []*syntax.Stmt) {
	outer := p.pipe
	p.pipes++
	p.pipe = p.pipes
	for i, s := range stages {
		p.child(src, s, func() { p.stmt(src, s) })
		if i > 0 {
			p.feed(src, stages[i-1], s)
		}
	}
	p.pipe = outer
}

// substs plans the command and process substitutions inside a node.
func (p *planner) substs(src *source, n syntax.Node) {
	if p.cut != "" {
		return
	}
	if w, ok := n.(*syntax.Word); ok {
		if w == nil || len(w.Parts) == 0 {
			return
		}
		if len(w.Parts) == 1 {
			if _, plain := w.Parts[0].(*syntax.Lit); plain {
				return
			}
		}
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		if n != nil && !p.effort(1) {
			return false
		}
		switch n := n.(type) {
		case *syntax.CmdSubst:
			p.child(src, n, func() { p.list(src, n.Stmts) })
			return false
		case *syntax.ProcSubst:
			p.child(src, n, func() { p.list(src, n.Stmts) })
			return false
		}
		return true
	})
}

func testWords(src *source, x syntax.TestExpr) []word {
	var out []word
	syntax.Walk(x, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			out = append(out, src.word(w))
			return false
		}
		return true
	})
	return out
}
