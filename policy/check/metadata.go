package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"go.yaml.in/yaml/v3"

	"github.com/stophook/stophook/internal/nearest"
	"github.com/stophook/stophook/policy"
)

// metadataKeys are the keys that OPA knows; it drops all others without a word.
func metadataKeys() []string {
	return []string{"scope", "title", "description", "related_resources", "authors", "organizations", "schemas", "compile", "custom", "entrypoint", "labels"}
}

// customKeys are the keys under custom that stophook reads. Others are the
// author's.
func customKeys() []string {
	return []string{"code", "codes", "severity", "deferrable", "fail", "events", "order", "brief"}
}

// A block is one METADATA comment of a file.
type block struct {
	row  int // of its first line
	end  int // of its last line
	root *yaml.Node
}

// blocks reads the METADATA of a file as YAML with lines. What is no YAML the
// parser has told already.
func blocks(m *ast.Module) []block {
	var list []block
	comments := m.Comments
	for i := 0; i < len(comments); i++ {
		if !ast.IsMetadataComment(comments[i]) {
			continue
		}
		b := block{row: comments[i].Location.Row, end: comments[i].Location.Row}
		var text bytes.Buffer
		for i+1 < len(comments) && comments[i+1].Location.Col == 1 && comments[i+1].Location.Row == b.end+1 && !ast.IsMetadataComment(comments[i+1]) {
			i++
			b.end++
			text.Write(bytes.TrimPrefix(comments[i].Text, []byte(" ")))
			text.WriteByte('\n')
		}
		var doc yaml.Node
		if yaml.Unmarshal(text.Bytes(), &doc) == nil && len(doc.Content) == 1 {
			b.root = doc.Content[0]
		}
		list = append(list, b)
	}
	return list
}

// pairs visits the keys and values of a mapping.
func pairs(n *yaml.Node, visit func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		visit(n.Content[i], n.Content[i+1])
	}
}

// lookup finds the key node at a dotted path.
func lookup(n *yaml.Node, path string) (found *yaml.Node) {
	head, rest, deeper := strings.Cut(path, ".")
	pairs(n, func(k, v *yaml.Node) {
		switch {
		case k.Value != head || found != nil:
		case !deeper:
			found = k
		default:
			if found = lookup(v, rest); found == nil {
				found = k
			}
		}
	})
	return found
}

// place is where a key of the block stands in the file.
func (b *block) place(key *yaml.Node) (line, col int) { return b.row + key.Line, key.Column + 2 }

// packageBlock is the METADATA block of the package clause, or nil.
func packageBlock(m *ast.Module) *block {
	list := blocks(m)
	for i := range list {
		if b := &list[i]; b.end < m.Package.Location.Row {
			for _, a := range m.Annotations {
				if a.Scope == "package" && a.Location.Row >= b.row && a.Location.Row <= b.end {
					return b
				}
			}
		}
	}
	return nil
}

// metadataLine is the line of a key of a rule's METADATA, or the line that was
// known before.
func (c *checker) metadataLine(f *file, key string, line int) (int, int) {
	b := packageBlock(f.module)
	if b == nil {
		return line, 0
	}
	for _, k := range []string{key, strings.TrimSuffix(key, "s"), key + "s"} {
		if n := lookup(b.root, k); n != nil && (n.Value == k[strings.LastIndexByte(k, '.')+1:]) {
			return b.place(n)
		}
	}
	return b.row, 1
}

// checkMetadata looks at every METADATA block of every file, and for comments that
// were meant to be one.
func (c *checker) checkMetadata() {
	for _, f := range c.files {
		if f.module == nil {
			continue
		}
		rule, _ := policy.RuleOf(f.module.Package)
		for _, b := range blocks(f.module) {
			c.checkKeys(f, &b, rule != "" && !f.test && b.end < f.module.Package.Location.Row)
		}
		for _, m := range f.module.Comments {
			c.checkLookalike(f, m)
		}
		if c.misplaced(f) {
			for _, b := range blocks(f.module) {
				if n := ourKey(&b); n != nil {
					c.add(f, Finding{Line: b.row, Col: 1, Kind: KindMetadataMisplaced,
						Message: "these METADATA describe the statement right below them, and the package of " + rule + " has none",
						Hint:    "move the block directly above the package line"})
				}
			}
		}
	}
}

// misplaced reports whether the rule's METADATA stand elsewhere than above the
// package clause.
func (c *checker) misplaced(f *file) bool {
	rule, _ := policy.RuleOf(f.module.Package)
	if rule == "" || f.test {
		return false
	}
	found := false
	for _, g := range c.files {
		if g.test || g.module == nil || !g.module.Package.Path.Equal(f.module.Package.Path) {
			continue
		}
		if packageBlock(g.module) != nil {
			return false
		}
		if g == f {
			found = slices.ContainsFunc(blocks(f.module), func(b block) bool { return ourKey(&b) != nil })
		}
	}
	return found
}

// ourKey is custom.code or custom.codes of a block.
func ourKey(b *block) *yaml.Node {
	for _, k := range []string{"custom.code", "custom.codes"} {
		if n := lookup(b.root, k); n != nil && n.Value != "custom" {
			return n
		}
	}
	return nil
}

// checkKeys looks for keys that nobody reads.
func (c *checker) checkKeys(f *file, b *block, ours bool) {
	pairs(b.root, func(k, v *yaml.Node) {
		line, col := b.place(k)
		switch {
		case k.Value == "custom" && ours:
			c.checkCustom(f, b, v)
		case slices.Contains(metadataKeys(), k.Value):
		case slices.Contains(customKeys(), k.Value) || nearest.Word(k.Value, metadataKeys()) == "" && nearest.Word(k.Value, customKeys()) != "":
			name := k.Value
			if !slices.Contains(customKeys(), name) {
				name = nearest.Word(name, customKeys())
			}
			c.add(f, Finding{Line: line, Col: col, Kind: KindMetadataField, Message: "METADATA have no field " + k.Value + " at this level, so it is not read",
				Hint: "write it under custom: `custom: {" + name + ": ...}`"})
		default:
			c.add(f, Finding{Line: line, Col: col, Kind: KindMetadataField, Message: "METADATA have no field " + k.Value + ", so it is not read",
				Hint: suggest(k.Value, metadataKeys(), "what is yours stands under custom")})
		}
	})
}

func (c *checker) checkCustom(f *file, b *block, custom *yaml.Node) {
	pairs(custom, func(k, _ *yaml.Node) {
		line, col := b.place(k)
		near := nearest.Word(k.Value, customKeys())
		switch {
		case slices.Contains(customKeys(), k.Value):
		case near != "":
			c.add(f, Finding{Line: line, Col: col, Kind: KindMetadataField, Message: "custom." + k.Value + " is not read by anything",
				Hint: "did you mean " + near + "? If the key is meant, give it a name that is not so near"})
		case slices.Contains([]string{"title", "description", "schemas", "scope", "entrypoint"}, k.Value):
			c.add(f, Finding{Line: line, Col: col, Severity: SeverityWarning, Kind: KindMetadataField, Message: "custom." + k.Value + " is not read by anything",
				Hint: k.Value + " stands beside custom, not under it"})
		}
	})
}

// checkLookalike finds comments that OPA does not take for METADATA, though their
// author does.
func (c *checker) checkLookalike(f *file, m *ast.Comment) {
	text := strings.TrimSpace(string(m.Text))
	if !strings.EqualFold(strings.TrimRight(text, ": "), "metadata") || ast.IsMetadataComment(m) && strings.TrimRight(text, ": ") == text {
		return
	}
	next := strings.TrimSpace(f.line(m.Location.Row + 1))
	if !strings.HasPrefix(next, "#") {
		return
	}
	c.at(f, m.Location, Finding{Kind: KindMetadataMisplaced, Message: "this comment is not taken for METADATA",
		Hint: "the first line of a block is `# METADATA`, in capitals and in the first column"})
}
