package stophook_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

const (
	maxFileLines     = 600
	maxFunctionLines = 80
)

// source is one parsed Go file of the repository.
type source struct {
	name string
	set  *token.FileSet
	ast  *ast.File
}

func (s source) test() bool { return strings.HasSuffix(s.name, "_test.go") }

func (s source) line(n ast.Node) int { return s.set.Position(n.Pos()).Line }

// span counts the lines that a node takes.
func (s source) span(n ast.Node) int { return s.set.Position(n.End()).Line - s.line(n) + 1 }

// tableLines counts the lines of a test's tables of cases: they are data, and a
// long table is no long function.
func (s source) tableLines(fn *ast.FuncDecl) int {
	lines := 0
	ast.Inspect(fn, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		switch table.Type.(type) {
		case *ast.ArrayType, *ast.MapType:
			lines += s.span(table) - 1 // its first line belongs to the statement
			return false
		}
		return true
	})
	return lines
}

// walk calls visit for every file that is ours: not git's, not built, not a
// tool's module.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := path.Base(name); name == "bin" || base == ".git" || base == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		visit(name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sources parses all Go files; at least one must be there, so that a rule
// never passes because nothing was looked at.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	set := token.NewFileSet()
	walk(t, func(name string) {
		if path.Ext(name) != ".go" {
			return
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		all = append(all, source{name, set, file})
	})
	if len(all) == 0 {
		t.Fatal("no Go file found")
	}
	return all
}

func TestHouse_sizes(t *testing.T) {
	for _, src := range sources(t) {
		if n := src.set.File(src.ast.FileStart).LineCount(); n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d: split it by type", src.name, n, maxFileLines)
		}
		for _, decl := range src.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := src.span(fn)
			if src.test() {
				n -= src.tableLines(fn)
			}
			if n > maxFunctionLines {
				t.Errorf("%s:%d: %s has %d lines, at most %d", src.name, src.line(fn), fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
}

func TestHouse_packageDocs(t *testing.T) {
	for name, p := range listPackages(t) {
		if p.Name == "" || name == "" {
			continue // tests only
		}
		if p.Doc == "" {
			t.Errorf("%s has no package doc: say what it does, where to start, what the user decides, what is promised", p.ImportPath)
		}
	}
}

// A pattern compiled at package level is compiled at every start of the hook,
// used or not.
func TestHouse_noPatternsAtStart(t *testing.T) {
	for _, src := range sources(t) {
		if src.test() {
			continue
		}
		for _, decl := range src.ast.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			ast.Inspect(gen, func(n ast.Node) bool {
				if _, ok := n.(*ast.FuncLit); ok {
					return false // runs when called
				}
				if sel := called(n); strings.HasPrefix(sel, "regexp.MustCompile") {
					t.Errorf("%s:%d: %s at package level: match by hand, or compile in sync.OnceValue", src.name, src.line(n), sel)
				}
				return true
			})
		}
	}
}

func TestHouse_testsDoNotSleep(t *testing.T) {
	for _, src := range sources(t) {
		if !src.test() {
			continue
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			if called(n) == "time.Sleep" {
				t.Errorf("%s:%d: time.Sleep in a test: inject the clock, or wait for the event", src.name, src.line(n))
			}
			return true
		})
	}
}

func TestHouse_skipsHaveReasons(t *testing.T) {
	for _, src := range sources(t) {
		if !src.test() {
			continue
		}
		ast.Inspect(src.ast, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch sel.Sel.Name {
			case "SkipNow":
				t.Errorf("%s:%d: SkipNow gives no reason: use Skip", src.name, src.line(n))
			case "Skip", "Skipf":
				if !isTesting(sel.X) {
					return true
				}
				if len(call.Args) == 0 || emptyString(call.Args[0]) {
					t.Errorf("%s:%d: a skip without a reason", src.name, src.line(n))
				}
			}
			return true
		})
	}
}

// isTesting tells t.Skip from a Skip of something else, by the names that a
// testing.T, B, F or TB goes by.
func isTesting(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "t" || id.Name == "b" || id.Name == "f" || id.Name == "tb")
}

func emptyString(x ast.Expr) bool {
	lit, ok := x.(*ast.BasicLit)
	return ok && (lit.Value == `""` || lit.Value == "``")
}

// called gives "pkg.Func" for a call of that form, else nothing.
func called(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if id, ok := sel.X.(*ast.Ident); ok {
		return id.Name + "." + sel.Sel.Name
	}
	return ""
}

// Paths of the machine on which something was written or recorded do not
// belong into the repository: they mean nothing elsewhere.
func TestHouse_noDeveloperPaths(t *testing.T) {
	walk(t, func(name string) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Errorf("%v", err)
			return
		}
		for n, line := range strings.Split(string(data), "\n") {
			if found := developerPath(line); found != "" {
				t.Errorf("%s:%d: a developer's path (%s…)", name, n+1, found)
			}
		}
	})
}

// developerPath returns the first absolute path of a developer's machine in
// line. A folder of the same name below another one is none.
func developerPath(line string) string {
	for _, folder := range []string{"work", "root", "farm"} {
		dir := "/" + folder + "/"
		for at := 0; ; {
			i := strings.Index(line[at:], dir)
			if i < 0 {
				break
			}
			at += i
			if at == 0 || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~@}/*)$", rune(line[at-1])) {
				return dir
			}
			at += len(dir)
		}
	}
	return ""
}

func TestDeveloperPath(t *testing.T) {
	for _, tc := range []struct {
		reason, line, want string
	}{
		{"at the start", "/wo" + "rk/main", "/wo" + "rk/"},
		{"in quotes", `"/ro` + `ot/.cache"`, "/ro" + "ot/"},
		{"a folder below another", "docs/work/x and ~/work/y", ""},
		{"no folder", "/workshop", ""},
		{"behind one that is none", "a/work/b /fa" + "rm/c", "/fa" + "rm/"},
	} {
		if got := developerPath(tc.line); got != tc.want {
			t.Errorf("%s: %q gives %q, want %q", tc.reason, tc.line, got, tc.want)
		}
	}
}
