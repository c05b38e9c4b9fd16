package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/stophook/stophook/policy/schema"
)

// load parses a schema.
func load(t testing.TB, name string) map[string]any {
	t.Helper()
	data, err := schema.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return doc
}

// checker validates documents with OPA's json.match_schema, the implementation
// that policies themselves can call.
type checker struct {
	query    ast.Body
	compiler *ast.Compiler
	schema   *ast.Term
}

func newChecker(t testing.TB, name string) *checker {
	t.Helper()
	compiler := ast.NewCompiler()
	query, err := compiler.QueryCompiler().Compile(ast.MustParseBody("json.match_schema(input.doc, input.schema, result)"))
	if err != nil {
		t.Fatal(err)
	}
	return &checker{query: query, compiler: compiler, schema: ast.NewTerm(ast.MustInterfaceToValue(load(t, name)))}
}

// errors lists what the schema has against a document, as "field: problem".
func (c *checker) errors(t interface {
	Helper()
	Fatalf(string, ...any)
}, doc any) []string {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatalf("%v", err)
	}
	value, err := ast.ValueFromReader(strings.NewReader(string(data)))
	if err != nil {
		t.Fatalf("%v", err)
	}
	input := ast.NewTerm(ast.NewObject(ast.Item(ast.StringTerm("doc"), ast.NewTerm(value)), ast.Item(ast.StringTerm("schema"), c.schema)))
	rs, err := topdown.NewQuery(c.query).WithCompiler(c.compiler).WithInput(input).WithStrictBuiltinErrors(true).Run(context.Background())
	if err != nil || len(rs) != 1 {
		t.Fatalf("match_schema: %v, %d results", err, len(rs))
	}
	var out []string
	list := rs[0][ast.Var("result")].Value.(*ast.Array).Elem(1).Value.(*ast.Array)
	list.Foreach(func(e *ast.Term) {
		o, _ := ast.JSON(e.Value)
		m := o.(map[string]any)
		out = append(out, fmt.Sprint(m["field"], ": ", m["desc"]))
	})
	slices.Sort(out)
	return out
}

// edit changes a copy of a document at a dotted path; nil values delete.
func edit(t testing.TB, doc map[string]any, path string, value any) map[string]any {
	t.Helper()
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	var at any = root
	parts := strings.Split(path, ".")
	for _, p := range parts[:len(parts)-1] {
		switch v := at.(type) {
		case map[string]any:
			at = v[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil {
				t.Fatal(err)
			}
			at = v[i]
		}
	}
	m, ok := at.(map[string]any)
	if !ok {
		t.Fatalf("%s leads nowhere", path)
	}
	last := parts[len(parts)-1]
	if value == nil {
		if _, ok := m[last]; !ok {
			t.Fatalf("%s is not there", path)
		}
		delete(m, last)
	} else {
		m[last] = value
	}
	return root
}

// walk visits every sub-schema.
func walk(v any, path string, visit func(path string, s map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(path, v)
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if k == "enum" || k == "default" || k == "required" {
				continue
			}
			walk(v[k], path+"/"+k, visit)
		}
	case []any:
		for i, x := range v {
			walk(x, path+"/"+strconv.Itoa(i), visit)
		}
	}
}
