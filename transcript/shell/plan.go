package shell

import (
	"fmt"

	"mvdan.cc/sh/v3/syntax"
)

// The plan is the script as a flat list of what it does, in the order of the
// text: calls of programs, and brackets around loops, child shells and jobs.
// Everything that a question must look through (wrappers, nested shells,
// functions) is resolved here once, so that each question is one fold.

type eventKind uint8

const (
	evCall       eventKind = iota
	evDecl                 // export, declare, local: words
	evAssign               // assigns
	evBind                 // name takes words: for name in words
	evTest                 // [[ … ]]: words
	evRead                 // < words[0]
	evLoopOpen             // around condition and body
	evLoopClose            //
	evShellOpen            // a child process of the shell
	evShellClose           //
	evJobOpen              // cmd &, coproc: also a child process
	evJobClose             //
)

type event struct {
	kind    eventKind
	job     Kind // of evJobOpen
	src     *source
	node    syntax.Node
	call    *call
	words   []word
	assigns []*syntax.Assign
	name    string
}

// call is one run of a program.
type call struct {
	src     *source
	node    syntax.Node
	layers  []layer // outermost first, at least one
	redirs  []*syntax.Redirect
	bounded bool // inside a timeout
	pipe    int  // number of the pipeline, 0 for none
	local   bool // a function of this script, looked at where it stands
	nested  bool // a shell, eval or the like whose text was looked at
}

func (c *call) prog() layer { return c.layers[len(c.layers)-1] }

type function struct {
	src  *source
	body *syntax.Stmt
}

type planner struct {
	opts    Options
	out     []event
	cut     string // why the rest was not looked at
	level   int
	funcs   map[string]function
	active  []string // functions being called
	bounded bool
	pipe    int
	pipes   int
	work    int
	traps   []trap
}

type trap struct {
	text word
	src  *source
}

func (p *planner) emit(e event) bool {
	if len(p.out) >= maxSteps {
		p.stop(fmt.Sprintf("more than %d steps; the rest was not looked at", maxSteps))
		return false
	}
	p.out = append(p.out, e)
	return true
}

func (p *planner) stop(reason string) {
	if p.cut == "" {
		p.cut = reason
	}
}

// effort counts work that leaves no event behind, so that a function which is
// called a thousand times stays cheap whatever its body is.
func (p *planner) effort(n int) bool {
	if p.work += n; p.work > maxWork {
		p.stop(fmt.Sprintf("more than %d units of work; the rest was not looked at", maxWork))
		return false
	}
	return true
}

// shell plans a whole script in the present process, and at its end what it
// trapped for its exit.
func (p *planner) shell(src *source) {
	outer := p.traps
	p.traps = nil
	p.list(src, src.stmts)
	for _, t := range p.traps {
		p.script(t.text.text, t.src, t.text.line()-1)
	}
	p.traps = outer
}

// child plans body as a child process.
func (p *planner) child(src *source, node syntax.Node, body func()) {
	if !p.emit(event{kind: evShellOpen, src: src, node: node}) {
		return
	}
	body()
	p.close(evShellClose)
}

// close is not subject to the limit: brackets stay balanced.
func (p *planner) close(kind eventKind) { p.out = append(p.out, event{kind: kind}) }
