package policy

import "github.com/open-policy-agent/opa/v1/ast"

// Capabilities are what policies may use of OPA: its own list without what reads
// the network, the clock or chance (RG-1). Tools for authors compile with them, so
// that a test can call nothing that the hook would refuse. The value is the
// caller's own.
func Capabilities() *ast.Capabilities { return allowedCapabilities() }

// ErrorsOf gives an error of OPA's parser, compiler or evaluator the form of those
// that [NewEngine] returns: file, line, and what to do next. layer names the layer
// of every file; it may be empty.
func ErrorsOf(err error, layer string) PolicyErrors {
	return fromOPA(err, func(string) string { return layer })
}
