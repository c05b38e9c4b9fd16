package policy

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// The built-in rules are compiled when the code is built, not when a turn ends:
// parsing and compiling them costs more than everything else the hook does. The
// test TestCompiled_MatchesSources makes rego/compiled.bin out of the compiler's
// own output and fails when the file is stale; [loadBuiltin] falls back to the
// sources then.
//
// The form: magic, checksum of the sources, strings, METADATA, then each module
// with its length and its own terms, of which each names only earlier ones.
// Numbers are unsigned varints.

// compiledMagic changes with the form.
const compiledMagic = "stophook-rego/1\n"

// errCompiled says that the compiled form cannot be read, or is not that of the sources.
var errCompiled = errors.New("compiled rules do not fit this program")

// Kinds of terms in the compiled form.
const (
	termNull = iota
	termFalse
	termTrue
	termNumber
	termString
	termVar
	termRef
	termArray
	termSet
	termObject
	termArrayComp
	termSetComp
	termObjectComp
	termCall
)

// Flags of rules and expressions in the compiled form.
const (
	flagNegated = 1 << iota
	flagGenerated
	flagDefault
	flagAssign
	flagElse
	flagKey
	flagValue
	flagSingle
)

// compiledReader reads the compiled form. The first error sticks and ends every
// loop, so that callers look at err once.
type compiledReader struct {
	in    string
	at    int
	strs  []string
	terms []*ast.Term
	file  string
	last  *ast.Location
	err   error
}

func (r *compiledReader) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("%w: broken at byte %d", errCompiled, r.at)
	}
	r.at = len(r.in)
}

func (r *compiledReader) num() int {
	var n uint
	for shift := uint(0); r.at < len(r.in) && shift < 63; shift += 7 {
		b := r.in[r.at]
		r.at++
		n |= uint(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
	r.fail()
	return 0
}

// count reads a number of things that each take at least one byte.
func (r *compiledReader) count() int {
	n := r.num()
	if n > len(r.in)-r.at {
		r.fail()
		return 0
	}
	return n
}

func (r *compiledReader) raw(n int) string {
	if n > len(r.in)-r.at {
		r.fail()
		return ""
	}
	s := r.in[r.at : r.at+n]
	r.at += n
	return s
}

func (r *compiledReader) str() string {
	if i := r.num(); i < len(r.strs) {
		return r.strs[i]
	}
	r.fail()
	return ""
}

func (r *compiledReader) term() *ast.Term {
	if i := r.num(); i < len(r.terms) {
		return r.terms[i]
	}
	r.fail()
	return ast.NullTerm()
}

func (r *compiledReader) termList() []*ast.Term {
	list := make([]*ast.Term, r.count())
	for i := range list {
		list[i] = r.term()
	}
	return list
}

func (r *compiledReader) ref() ast.Ref {
	ref, ok := r.term().Value.(ast.Ref)
	if !ok {
		r.fail()
	}
	return ref
}

// location shares what lies on one line, which most neighbours do.
func (r *compiledReader) location() *ast.Location {
	row, col := r.num(), r.num()
	if r.last == nil || r.last.Row != row || r.last.File != r.file {
		r.last = &ast.Location{File: r.file, Row: row, Col: col}
	}
	return r.last
}

func (r *compiledReader) value() ast.Value {
	switch kind := r.num(); kind {
	case termNull:
		return ast.Null{}
	case termFalse, termTrue:
		return ast.Boolean(kind == termTrue)
	case termNumber:
		return ast.Number(r.str())
	case termString:
		return ast.String(r.str())
	case termVar:
		return ast.Var(r.str())
	case termRef:
		return ast.Ref(r.termList())
	case termArray:
		return ast.NewArray(r.termList()...)
	case termSet:
		return ast.NewSet(r.termList()...)
	case termObject:
		pairs := make([][2]*ast.Term, r.count())
		for i := range pairs {
			pairs[i] = [2]*ast.Term{r.term(), r.term()}
		}
		return ast.NewObject(pairs...)
	case termArrayComp:
		return &ast.ArrayComprehension{Term: r.term(), Body: r.body()}
	case termSetComp:
		return &ast.SetComprehension{Term: r.term(), Body: r.body()}
	case termObjectComp:
		return &ast.ObjectComprehension{Key: r.term(), Value: r.term(), Body: r.body()}
	case termCall:
		return ast.Call(r.termList())
	}
	r.fail()
	return ast.Null{}
}

func (r *compiledReader) body() ast.Body {
	body := make(ast.Body, r.count())
	slab := make([]ast.Expr, len(body))
	for i := range body {
		flags := r.num()
		e := &slab[i]
		e.Index, e.Negated, e.Generated = i, flags&flagNegated != 0, flags&flagGenerated != 0
		e.Location = r.location()
		if flags&flagSingle != 0 {
			e.Terms = r.term()
		} else {
			e.Terms = r.termList()
		}
		body[i] = e
	}
	return body
}

func (r *compiledReader) rule(m *ast.Module) *ast.Rule {
	flags := r.num()
	rule := &ast.Rule{Module: m, Default: flags&flagDefault != 0, Location: r.location()}
	head := &ast.Head{Name: ast.Var(r.str()), Reference: r.ref(), Assign: flags&flagAssign != 0, Location: rule.Location}
	if args := r.termList(); len(args) > 0 {
		head.Args = args
	}
	if flags&flagKey != 0 {
		head.Key = r.term()
	}
	if flags&flagValue != 0 {
		head.Value = r.term()
	}
	rule.Head, rule.Body = head, r.body()
	if flags&flagElse != 0 && r.err == nil {
		rule.Else = r.rule(m)
	}
	return rule
}

func (r *compiledReader) module(file string) *ast.Module {
	r.file = file
	n := r.count()
	slab := make([]ast.Term, n)
	r.terms = make([]*ast.Term, 0, n)
	for i := range slab {
		slab[i].Value = r.value()
		r.terms = append(r.terms, &slab[i])
	}
	m := &ast.Module{Package: &ast.Package{Path: r.ref(), Location: r.location()}}
	m.Rules = make([]*ast.Rule, r.count())
	for i := range m.Rules {
		m.Rules[i] = r.rule(m)
	}
	m.SetRegoVersionSpan(ast.RegoVersionSpanOf(ast.RegoV1))
	return m
}

func (r *compiledReader) meta() *RuleMeta {
	m := &RuleMeta{
		Name: r.str(), Deferral: r.num() == 1, Title: r.str(), Description: r.str(), Brief: r.str(),
		Severity: r.str(), Fail: r.str(), Deferrable: r.num() == 1, Order: r.num(),
		LayerName: LayerBuiltin, File: r.str(), Line: r.num(),
	}
	m.Codes, m.Events = r.strList(), r.strList()
	return m
}

func (r *compiledReader) strList() []string {
	list := make([]string, r.count())
	for i := range list {
		list[i] = r.str()
	}
	return list
}

// decodeCompiled reads the compiled form of the built-in layer, whose sources
// have the checksum sum. Modules that want refuses, by their file, are skipped.
func decodeCompiled(in string, sum uint32, want func([]*RuleMeta, string) bool) ([]*RuleMeta, map[string]*ast.Module, error) {
	r := &compiledReader{in: in}
	if r.raw(len(compiledMagic)) != compiledMagic || r.num() != int(sum) {
		return nil, nil, errCompiled
	}
	r.strs = make([]string, r.count())
	for i := range r.strs {
		r.strs[i] = r.raw(r.num())
	}
	metas := make([]*RuleMeta, r.count())
	for i := range metas {
		metas[i] = r.meta()
	}
	modules := make(map[string]*ast.Module, len(metas)+1)
	for range r.count() {
		file, length := r.str(), r.count()
		if !want(metas, file) {
			r.raw(length)
			continue
		}
		modules[file] = r.module(file)
	}
	if r.err == nil && r.at != len(r.in) {
		r.fail()
	}
	return metas, modules, r.err
}
