package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// ErrEvent says that an input document is for another event than the engine.
var ErrEvent = errors.New("the engine was made for another event")

// Kinds of faults, stable names for tools.
const (
	KindUnreadable       = "unreadable"        // a file or folder that cannot be read
	KindParse            = "parse-error"       // what is no Rego
	KindRegoV0           = "rego-v0"           // Rego of before 1.0
	KindPackage          = "package-closed"    // a package that policies cannot be in
	KindPackageCollision = "package-collision" // a package that belongs to another rule or layer
	KindMetadataMissing  = "metadata-missing"
	KindMetadataInvalid  = "metadata-invalid"
	KindMetadataTwice    = "metadata-twice"
	KindBuiltin          = "forbidden-builtin" // clock, network, random numbers, environment
	KindShape            = "rule-shape"        // demand, defer or notice that is no set
	KindSilent           = "never-speaks"      // a rule that can say nothing
	KindAggregator       = "asks-aggregator"
	KindType             = "type-error"
	KindFunction         = "undefined-function"
	KindUnsafe           = "unsafe-variable"
	KindRecursion        = "recursion"
	KindCompile          = "compile-error" // what else the compiler refuses
)

// A PolicyError is one thing that is wrong with a policy, at its place.
type PolicyError struct {
	File    string // as a person can open it: the layer's root and the path in it
	Line    int    // from 1; 0 when the whole file or no file is meant
	Col     int    // from 1; 0 when unknown
	Message string
	Hint    string // what to do next; may be empty
	Layer   string // name of the layer that the file belongs to
	Kind    string // one of the Kind constants; empty for faults of an evaluation
	Key     string // of METADATA, such as custom.severity, when one of them is at fault
}

// Error gives `file:line: message`, and the hint on a second line.
func (e *PolicyError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString("\n  ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// PolicyErrors is everything that is wrong, in order of layer, file and line. It
// is what [NewEngine] and [Engine.Decide] return for faults in policies; find one
// with errors.As.
type PolicyErrors []*PolicyError

// Error joins the messages, one fault after the other.
func (e PolicyErrors) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.As find a single [*PolicyError].
func (e PolicyErrors) Unwrap() []error {
	list := make([]error, len(e))
	for i, p := range e {
		list[i] = p
	}
	return list
}

// at makes an error at a place in a file; loc may be nil.
func at(loc *ast.Location, layer, message, hint string) *PolicyError {
	e := &PolicyError{Message: message, Hint: hint, Layer: layer}
	if loc != nil {
		e.File, e.Line, e.Col = loc.File, loc.Row, loc.Col
	}
	return e
}

// fromOPA turns the errors of OPA's parser, compiler or evaluator into ours.
// layerOf names the layer of a file.
func fromOPA(err error, layerOf func(string) string) PolicyErrors {
	var list ast.Errors
	var one *ast.Error
	var run *topdown.Error
	var out PolicyErrors
	switch {
	case errors.As(err, &list):
		for _, e := range list {
			out = append(out, fromCompiler(e))
		}
	case errors.As(err, &one):
		out = append(out, fromCompiler(one))
	case errors.As(err, &run):
		out = append(out, at(run.Location, "", run.Code+": "+run.Message, ""))
	default:
		out = append(out, &PolicyError{Message: err.Error()})
	}
	for _, e := range out {
		e.Layer = layerOf(e.File)
	}
	return out
}

func fromCompiler(err *ast.Error) *PolicyError {
	e := at(err.Location, "", err.Code+": "+err.Message, hintFor(err.Message))
	e.Kind = kindOfOPA(err)
	return e
}

// kindOfOPA is our name for what OPA's parser or compiler found.
func kindOfOPA(err *ast.Error) string {
	switch {
	case err.Code == ast.ParseErr:
		return KindParse
	case strings.HasPrefix(err.Message, "undefined function"):
		return KindFunction
	case err.Code == ast.TypeErr:
		return KindType
	case err.Code == ast.UnsafeVarErr:
		return KindUnsafe
	case err.Code == ast.RecursionErr:
		return KindRecursion
	}
	return KindCompile
}

// hintFor explains the compile errors that policy authors meet first.
func hintFor(message string) string {
	switch {
	case strings.Contains(message, "is unsafe"):
		return "give the variable a value before it is used, or check the spelling"
	case strings.Contains(message, "undefined function"):
		return "check the spelling; functions that need the network, a clock or random numbers do not exist here"
	}
	return ""
}
