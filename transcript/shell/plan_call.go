package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (p *planner) callExpr(src *source, s *syntax.Stmt, c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		p.substs(src, a)
	}
	if len(c.Args) == 0 {
		p.emit(event{kind: evAssign, src: src, node: c, assigns: c.Assigns})
		return
	}
	for _, w := range c.Args {
		p.substs(src, w)
	}
	p.run(src, s, src.words(c.Args))
}

// run plans one program and everything that it is told to run in turn.
func (p *planner) run(src *source, s *syntax.Stmt, words []word) {
	layers, bounded := layersOf(words)
	if len(layers) == 0 {
		return
	}
	outer := p.bounded
	p.bounded = p.bounded || bounded
	defer func() { p.bounded = outer }()

	c := &call{src: src, node: s, layers: layers, redirs: s.Redirs, bounded: p.bounded, pipe: p.pipe}
	if !p.emit(event{kind: evCall, src: src, node: s, call: c}) {
		return
	}
	prog := c.prog()
	if fn, ok := p.funcs[prog.name]; ok && len(layers) == 1 {
		c.local = true
		p.enter(prog.name, fn)
		return
	}
	if w := unwrap(prog); w.script {
		c.nested = true
		p.childScript(src, s, w.inner[0].text, w.inner[0].line()-1)
		return
	}
	switch {
	case isShell(prog.name):
		p.shellCall(src, s, c)
	case prog.name == "eval":
		c.nested = true
		p.script(joinText(prog.args()), src, wordLine(src, s, prog.args())-1)
	case prog.name == "trap":
		p.trap(src, prog.args())
	}
}

// enter plans the body of a function, once on each path: recursion ends there.
func (p *planner) enter(name string, fn function) {
	if slices.Contains(p.active, name) {
		return
	}
	p.active = append(p.active, name)
	p.stmt(fn.src, fn.body)
	p.active = p.active[:len(p.active)-1]
}

// shellCall plans the script of sh -c, or the one that a heredoc feeds.
func (p *planner) shellCall(src *source, s *syntax.Stmt, c *call) {
	text, ok, stdin := shellText(c.prog())
	if ok {
		c.nested = true
		p.childScript(src, s, text.text, text.line()-1)
		return
	}
	if !stdin {
		return // a script in a file
	}
	for _, r := range s.Redirs {
		if t, line, ok := src.heredoc(r); ok {
			c.nested = true
			p.childScript(src, s, t, line)
		}
	}
}

// feed plans the text that one stage of a pipeline prints into a shell:
// echo … | sh and cat <<EOF | bash.
func (p *planner) feed(src *source, from, to *syntax.Stmt) {
	x, ok := from.Cmd.(*syntax.CallExpr)
	y, ok2 := to.Cmd.(*syntax.CallExpr)
	if !ok || !ok2 || len(x.Args) == 0 || len(y.Args) == 0 {
		return
	}
	layers, _ := layersOf(src.words(y.Args))
	last := layers[len(layers)-1]
	if !isShell(last.name) {
		return
	}
	if _, _, stdin := shellText(last); !stdin {
		return
	}
	args := src.words(x.Args)
	switch args[0].base() {
	case "echo", "printf":
		args = args[1:]
		for len(args) > 0 && args[0].lit && len(args[0].text) == 2 && args[0].text[0] == '-' {
			args = args[1:]
		}
		// The escapes of printf and echo -e; plain echo is taken for it too.
		text := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(joinText(args))
		p.childScript(src, to, text, wordLine(src, from, args)-1)
	case "cat":
		for _, r := range from.Redirs {
			if t, line, ok := src.heredoc(r); ok {
				p.childScript(src, to, t, line)
			}
		}
	}
}

// trap remembers what runs when the shell exits.
func (p *planner) trap(src *source, args []word) {
	args = parseArgs(args, optSpec{}).rest
	if len(args) < 2 || args[0].text == "" || args[0].text == "-" {
		return
	}
	for _, sig := range args[1:] {
		if sig.text == "EXIT" || sig.text == "0" {
			p.traps = append(p.traps, trap{text: args[0], src: src})
			return
		}
	}
}

// childScript plans shell text as a process of its own: it knows no function of
// the shell around it.
func (p *planner) childScript(src *source, node syntax.Node, text string, line int) {
	outer, active := p.funcs, p.active
	p.funcs, p.active = map[string]function{}, nil
	p.child(src, node, func() {
		if n := p.parse(text, src, line); n != nil {
			p.shell(n)
		}
	})
	p.funcs, p.active = outer, active
}

// script plans shell text in the present process: eval and trap.
func (p *planner) script(text string, src *source, line int) {
	if n := p.parse(text, src, line); n != nil {
		p.list(n, n.stmts)
	}
}

// parse reads nested text; what is no script there is nothing to us, as the
// shell would refuse it too.
func (p *planner) parse(text string, src *source, line int) *source {
	if strings.TrimSpace(text) == "" || p.cut != "" {
		return nil
	}
	if src.depth+1 > p.opts.MaxDepth {
		p.stop(fmt.Sprintf("shells are nested deeper than %d; the rest was not looked at", p.opts.MaxDepth))
		return nil
	}
	if !p.effort(len(text)) {
		return nil
	}
	n, err := parseSource(text, max(line, src.line), src.depth+1, p.opts.MaxBytes)
	if err != nil {
		return nil
	}
	return n
}

func joinText(ws []word) string {
	var b strings.Builder
	for i, w := range ws {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// wordLine is the line of the first word, or of the statement.
func wordLine(src *source, s *syntax.Stmt, ws []word) int {
	if len(ws) > 0 && ws[0].line() > 0 {
		return ws[0].line()
	}
	return src.lineOf(s.Pos())
}
