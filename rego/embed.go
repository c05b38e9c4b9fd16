// Package rego holds the built-in policies: one folder a rule, with its tests
// beside it, and the aggregator in main.
//
// [FS] gives the sources; [Compiled] the form of them that the hook loads, which
// package policy reads. A new rule is a folder with its .rego files, a line in the
// embed list below, and `UPDATE_GOLDEN=1 go test ./policy -run Compiled_Matches`.
//
// The sources are the truth: a compiled form with another [Sum] is not used.
package rego

import (
	"embed"
	"hash/crc32"
	"io/fs"
)

// The tests beside the rules stay out of the binary, so the files are named.
//
//go:embed main/main.rego
//go:embed status_check/status_check.rego
//go:embed status_box/status_box.rego
//go:embed task_declared/task_declared.rego
//go:embed session_named/session_named.rego
//go:embed background_debt/background_debt.rego
//go:embed inline_waiter/inline_waiter.rego
//go:embed background_handoff/background_handoff.rego
var sources embed.FS

//go:embed compiled.bin
var compiled string

// FS gives the sources as a tree of FOLDER/NAME.rego.
func FS() fs.FS { return sources }

// Compiled gives the compiled form of the sources; package policy knows how to read it.
func Compiled() string { return compiled }

// Sum is a checksum of the sources, in the order of their names. It tells a stale
// compiled form from a fresh one; it protects against nobody.
func Sum() uint32 {
	var sum uint32
	var buf [2048]byte
	dirs, _ := sources.ReadDir(".")
	for _, d := range dirs {
		f, err := sources.Open(d.Name() + "/" + d.Name() + ".rego")
		if err != nil {
			return 0 // a folder without its file: no form fits
		}
		for n := 1; n > 0; {
			n, _ = f.Read(buf[:])
			sum = crc32.Update(sum, crc32.IEEETable, buf[:n])
		}
	}
	return sum
}
