// Package builtin holds the tools that a coding agent needs.
package builtin

import "github.com/stophook/stophook/agentcore/tool"

// Options sets up the tools. The zero value is usable.
type Options struct {
	Shell ShellOptions
}

// ShellOptions sets up the shell tool. The zero value is usable.
type ShellOptions struct{}

// All gives every tool, in a fixed order.
func All(Options) []tool.Tool { return nil }

// ReadOnly gives the tools that change nothing.
func ReadOnly(Options) []tool.Tool { return nil }
