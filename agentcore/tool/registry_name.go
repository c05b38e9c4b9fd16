package tool

import (
	"fmt"
	"strings"

	"github.com/stophook/stophook/internal/nearest"
)

// unknown is what a model hears that calls a tool which is not there.
func (r *Registry) unknown(name string) *Result {
	names := r.Names()
	var b strings.Builder
	fmt.Fprintf(&b, "There is no tool %q.", Safe(clip(name, 100)))
	if near := nearest.Word(name, names); near != "" {
		fmt.Fprintf(&b, " Did you mean %s?", near)
	}
	if len(names) == 0 {
		b.WriteString(" No tools are available.")
	} else {
		fmt.Fprintf(&b, " Available tools: %s.", strings.Join(names, ", "))
	}
	return &Result{Text: b.String(), IsError: true}
}

// validName tells whether a name is one that every model's interface takes.
func validName(name string) bool {
	if len(name) == 0 || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}
