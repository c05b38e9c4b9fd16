package scripted

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/stophook/stophook/internal/nearest"
)

// checkKeys looks for keys that the type of v does not have, at any depth, and
// for times without a unit, which YAML would take for nanoseconds.
func checkKeys(node *yaml.Node, v any) error {
	return checkNode(node, reflect.TypeOf(v).Elem(), "", 0)
}

func checkNode(node *yaml.Node, t reflect.Type, at string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%d: nested too deeply", node.Line)
	}
	if node.Kind == yaml.AliasNode {
		return checkNode(node.Alias, t, at, depth+1)
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[Value]():
		return nil
	case t == reflect.TypeFor[time.Duration]() && node.ShortTag() != "!!str" && node.Value != "0":
		return fmt.Errorf("%d: the time %s%s needs a unit, as in 20ms or 5s", node.Line, node.Value, at)
	case t.Kind() == reflect.Slice && node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			if err := checkNode(item, t.Elem(), at, depth+1); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct && node.Kind == yaml.MappingNode:
		return checkObject(node, t, at, depth)
	}
	return nil
}

func checkObject(node *yaml.Node, t reflect.Type, at string, depth int) error {
	fields, order := fieldsOf(t)
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		field, known := fields[key.Value]
		if !known {
			hint := "known are " + strings.Join(order, ", ")
			if near := nearest.Word(key.Value, order); near != "" {
				hint = fmt.Sprintf("did you mean %q?", near)
			}
			return fmt.Errorf("%d: unknown key %q%s: %s", key.Line, key.Value, at, hint)
		}
		if err := checkNode(node.Content[i+1], field, " in "+key.Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// fieldsOf gives the keys of a struct and their types. Types with an own form
// (times) have none.
func fieldsOf(t reflect.Type) (map[string]reflect.Type, []string) {
	fields := map[string]reflect.Type{}
	var order []string
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("yaml")
		if name == "" || name == "-" {
			continue
		}
		fields[name] = t.Field(i).Type
		order = append(order, name)
	}
	return fields, order
}
