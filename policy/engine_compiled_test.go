package policy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/rego"
)

// compiledWriter writes the form that compiledReader reads. It lives in the tests
// because only the golden update needs it.
type compiledWriter struct {
	strs    []string
	strIdx  map[string]int
	terms   bytes.Buffer
	nTerms  int
	termIdx map[string]int // by encoded form, which names earlier terms by index
}

func appendNum(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func (w *compiledWriter) str(b []byte, s string) []byte {
	i, ok := w.strIdx[s]
	if !ok {
		i = len(w.strs)
		w.strIdx[s] = i
		w.strs = append(w.strs, s)
	}
	return appendNum(b, i)
}

func (w *compiledWriter) strList(b []byte, list []string) []byte {
	b = appendNum(b, len(list))
	for _, s := range list {
		b = w.str(b, s)
	}
	return b
}

// term gives the index of a term in the module's table. Equal terms share an
// entry, except comprehensions, which OPA may know by their address.
func (w *compiledWriter) term(t *ast.Term) int {
	list := func(b []byte, terms []*ast.Term) []byte {
		idx := make([]int, len(terms))
		for i, t := range terms {
			idx[i] = w.term(t)
		}
		b = appendNum(b, len(terms))
		for _, i := range idx {
			b = appendNum(b, i)
		}
		return b
	}
	var b []byte
	shared := true
	switch v := t.Value.(type) {
	case ast.Null:
		b = appendNum(b, termNull)
	case ast.Boolean:
		b = appendNum(b, map[ast.Boolean]int{false: termFalse, true: termTrue}[v])
	case ast.Number:
		b = w.str(appendNum(b, termNumber), string(v))
	case ast.String:
		b = w.str(appendNum(b, termString), string(v))
	case ast.Var:
		b = w.str(appendNum(b, termVar), string(v))
	case ast.Ref:
		b = list(appendNum(b, termRef), v)
	case *ast.Array:
		var terms []*ast.Term
		v.Foreach(func(t *ast.Term) { terms = append(terms, t) })
		b = list(appendNum(b, termArray), terms)
	case ast.Set:
		b = list(appendNum(b, termSet), v.Slice())
	case ast.Object:
		var pairs []int
		v.Foreach(func(k, v *ast.Term) { pairs = append(pairs, w.term(k), w.term(v)) })
		b = appendNum(appendNum(b, termObject), len(pairs)/2)
		for _, i := range pairs {
			b = appendNum(b, i)
		}
	case *ast.ArrayComprehension:
		b = w.comprehension(termArrayComp, v.Body, v.Term)
		shared = false
	case *ast.SetComprehension:
		b = w.comprehension(termSetComp, v.Body, v.Term)
		shared = false
	case *ast.ObjectComprehension:
		b = w.comprehension(termObjectComp, v.Body, v.Key, v.Value)
		shared = false
	case ast.Call:
		b = list(appendNum(b, termCall), v)
	default:
		panic(fmt.Sprintf("%T cannot be written yet: %v", v, t))
	}
	if i, ok := w.termIdx[string(b)]; ok && shared {
		return i
	}
	w.terms.Write(b)
	w.nTerms++
	w.termIdx[string(b)] = w.nTerms - 1
	return w.nTerms - 1
}

func (w *compiledWriter) comprehension(kind int, body ast.Body, terms ...*ast.Term) []byte {
	b := appendNum(nil, kind)
	for _, t := range terms {
		b = appendNum(b, w.term(t))
	}
	return w.body(b, body)
}

func location(b []byte, l *ast.Location) []byte { return appendNum(appendNum(b, l.Row), l.Col) }

func (w *compiledWriter) body(b []byte, body ast.Body) []byte {
	b = appendNum(b, len(body))
	for i, e := range body {
		if len(e.With) > 0 || e.Index != i {
			panic(fmt.Sprintf("%v: cannot be written yet: %v", e.Location, e))
		}
		flags := 0
		if e.Negated {
			flags |= flagNegated
		}
		if e.Generated {
			flags |= flagGenerated
		}
		switch terms := e.Terms.(type) {
		case *ast.Term:
			b = appendNum(location(appendNum(b, flags|flagSingle), e.Location), w.term(terms))
		case []*ast.Term:
			b = appendNum(location(appendNum(b, flags), e.Location), len(terms))
			for _, t := range terms {
				b = appendNum(b, w.term(t))
			}
		default:
			panic(fmt.Sprintf("%v: %T cannot be written yet", e.Location, terms))
		}
	}
	return b
}

func (w *compiledWriter) rule(b []byte, r *ast.Rule) []byte {
	flags := 0
	set := func(on bool, flag int) {
		if on {
			flags |= flag
		}
	}
	set(r.Default, flagDefault)
	set(r.Head.Assign, flagAssign)
	set(r.Else != nil, flagElse)
	set(r.Head.Key != nil, flagKey)
	set(r.Head.Value != nil, flagValue)
	b = location(appendNum(b, flags), r.Location)
	b = appendNum(w.str(b, string(r.Head.Name)), w.term(ast.NewTerm(r.Head.Reference)))
	b = appendNum(b, len(r.Head.Args))
	for _, t := range r.Head.Args {
		b = appendNum(b, w.term(t))
	}
	if r.Head.Key != nil {
		b = appendNum(b, w.term(r.Head.Key))
	}
	if r.Head.Value != nil {
		b = appendNum(b, w.term(r.Head.Value))
	}
	b = w.body(b, r.Body)
	if r.Else != nil {
		b = w.rule(b, r.Else)
	}
	return b
}

func (w *compiledWriter) module(m *ast.Module) []byte {
	w.terms.Reset()
	w.nTerms, w.termIdx = 0, map[string]int{}
	b := location(appendNum(nil, w.term(ast.NewTerm(m.Package.Path))), m.Package.Location)
	b = appendNum(b, len(m.Rules))
	for _, r := range m.Rules {
		b = w.rule(b, r)
	}
	return append(append(appendNum(nil, w.nTerms), w.terms.Bytes()...), b...)
}

func (w *compiledWriter) meta(b []byte, m *RuleMeta) []byte {
	flag := map[bool]int{true: 1}
	b = appendNum(w.str(b, m.Name), flag[m.Deferral])
	for _, s := range []string{m.Title, m.Description, m.Brief, m.Severity, m.Fail} {
		b = w.str(b, s)
	}
	b = appendNum(appendNum(b, flag[m.Deferrable]), m.Order)
	b = appendNum(w.str(b, m.File), m.Line)
	return w.strList(w.strList(b, m.Codes), m.Events)
}

func encodeCompiled(sum uint32, metas []*RuleMeta, modules map[string]*ast.Module) []byte {
	w := &compiledWriter{strIdx: map[string]int{}}
	rest := appendNum(nil, len(metas))
	for _, m := range metas {
		rest = w.meta(rest, m)
	}
	rest = appendNum(rest, len(modules))
	for _, file := range slices.Sorted(maps.Keys(modules)) {
		section := w.module(modules[file])
		rest = append(appendNum(w.str(rest, file), len(section)), section...)
	}
	head := appendNum([]byte(compiledMagic), int(sum))
	head = appendNum(head, len(w.strs))
	for _, s := range w.strs {
		head = append(appendNum(head, len(s)), s...)
	}
	return append(head, rest...)
}

func TestCompiled_MatchesSources(t *testing.T) {
	metas, modules, err := compileBuiltin()
	if err != nil {
		t.Fatal(err)
	}
	want := encodeCompiled(rego.Sum(), metas, modules)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("../rego/compiled.bin", want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if rego.Compiled() != string(want) {
		t.Fatal("rego/compiled.bin is not made of the sources and this OPA: run UPDATE_GOLDEN=1 go test ./policy -run Compiled_Matches")
	}
}

// TestCompiled_Stale: a form of other sources is not used, and the sources are.
func TestCompiled_Stale(t *testing.T) {
	if os.Getenv("UPDATE_GOLDEN") != "" {
		t.Skip("the form in this test binary is the one before the update")
	}
	all := func([]*RuleMeta, string) bool { return true }
	if _, _, err := decodeCompiled(rego.Compiled(), rego.Sum()+1, all); !errors.Is(err, errCompiled) {
		t.Errorf("got %v", err)
	}
	metas, modules, err := decodeCompiled(rego.Compiled(), rego.Sum(), all)
	if err != nil {
		t.Fatal(err)
	}
	wantMetas, wantModules, err := compileBuiltin()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantMetas, metas); diff != "" {
		t.Error(diff)
	}
	for file, want := range wantModules {
		for i, r := range want.Rules {
			if got := modules[file].Rules[i]; got.String() != r.String() || got.Location.Row != r.Location.Row {
				t.Errorf("%s:%d\nwant %v\ngot  %v", file, r.Location.Row, r, got)
			}
		}
	}
}

// TestCompiled_OnlyWhatIsNeeded: a Stop does not pay for the guard, nor the other way.
func TestCompiled_OnlyWhatIsNeeded(t *testing.T) {
	for event, want := range map[string]int{"Stop": 7, "PreToolUse": 2, "SubagentStop": 1} {
		e := newEngine(t, EngineOptions{Event: event})
		if got := len(e.compiler.Modules); got != want {
			t.Errorf("%s: %d modules, want %d", event, got, want)
		}
	}
}

// TestCompiled_BrokenNeverPanics: bytes that were changed are an error or decode
// to something; both leave the program alive.
func TestCompiled_BrokenNeverPanics(t *testing.T) {
	all := func([]*RuleMeta, string) bool { return true }
	rapid.Check(t, func(t *rapid.T) {
		b := []byte(rego.Compiled())
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			b[rapid.IntRange(len(compiledMagic)+6, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		b = b[:rapid.IntRange(len(b)/2, len(b)).Draw(t, "length")]
		_, _, err := decodeCompiled(string(b), rego.Sum(), all)
		if err != nil && !errors.Is(err, errCompiled) {
			t.Fatal(err)
		}
	})
}
