package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// ref is one place where a test carries a number.
type ref struct {
	ID   string `json:"id"`
	File string `json:"file"`
	Line int    `json:"line"`
}

func (r ref) String() string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// collect walks the tree and returns what its tests carry, in path order.
// Counted are names of test functions and all strings of Go tests (reasons,
// subtests' names), Rego tests, want.json of the fixtures and txtar scripts.
// Comments of Go tests are not: a comment does not show up when a test fails.
func collect(tree fs.FS) ([]ref, error) {
	var refs []ref
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipDir(name) {
				return fs.SkipDir
			}
			return nil
		}
		read := readerOf(name)
		if read == nil {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		found, err := read(name, data)
		refs = append(refs, found...)
		return err
	})
	return refs, err
}

// skipDir leaves out what is not ours, what is built, and this tool's own
// tests, whose examples would prove every requirement.
func skipDir(name string) bool {
	base := path.Base(name)
	return name != "." && strings.HasPrefix(base, ".") ||
		name == "bin" || name == "tools" || base == "node_modules" || name == "internal/trace"
}

type reader func(name string, data []byte) ([]ref, error)

// readerOf picks how a file carries numbers; nil when it cannot.
func readerOf(name string) reader {
	switch {
	case strings.HasSuffix(name, "_test.go"):
		return goRefs
	case strings.HasSuffix(name, "_test.rego"):
		return regoRefs
	case strings.HasSuffix(name, ".txtar"), strings.HasPrefix(name, "fixtures/") && path.Base(name) == "want.json":
		return textRefs
	}
	return nil
}

// goRefs reads one Go test file.
func goRefs(name string, data []byte) ([]ref, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var refs []ref
	add := func(pos token.Pos, ids []string) {
		for _, id := range ids {
			refs = append(refs, ref{ID: id, File: name, Line: set.Position(pos).Line})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && isTestName(n.Name.Name) {
				add(n.Pos(), numbersInName(n.Name.Name))
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				add(n.Pos(), numbersInText(text))
			}
		}
		return true
	})
	return refs, nil
}

func isTestName(name string) bool {
	for _, p := range []string{"Test", "Fuzz", "Example", "Benchmark"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// regoRefs reads a Rego test file: names of its tests, and its text, comments
// included, because a Rego test has no other place for a reason.
func regoRefs(name string, data []byte) ([]ref, error) {
	refs, err := textRefs(name, data)
	for n, line := range lines(data) {
		if !strings.HasPrefix(line, "test_") {
			continue
		}
		end := strings.IndexFunc(line, func(r rune) bool { return r != '_' && (r > 0x7f || !isAlnum(byte(r))) })
		if end < 0 {
			end = len(line)
		}
		for _, id := range numbersInRuleName(line[:end]) {
			refs = append(refs, ref{ID: id, File: name, Line: n})
		}
	}
	return refs, err
}

// textRefs reads any text, line by line.
func textRefs(name string, data []byte) ([]ref, error) {
	var refs []ref
	for n, line := range lines(data) {
		for _, id := range numbersInText(line) {
			refs = append(refs, ref{ID: id, File: name, Line: n})
		}
	}
	return refs, nil
}

// lines yields the lines of data, counted from 1.
func lines(data []byte) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		scanner := bufio.NewScanner(bytes.NewReader(data))
		scanner.Buffer(nil, len(data)+1)
		for n := 1; scanner.Scan(); n++ {
			if !yield(n, scanner.Text()) {
				return
			}
		}
	}
}
