package scripted

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/stophook/stophook/agentcore/model"
)

// Load reads a script from a file, see [Parse].
func Load(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("scripted: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a script: an object with steps, see [Script], or the list of steps
// alone, in YAML or JSON. name is the file's in messages. A key that is unknown
// is an error with its line and the nearest one that is known.
func Parse(name string, data []byte) (*Model, error) {
	script, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("scripted: %s:%w", name, err)
	}
	return newModel(name, script)
}

// parse gives errors that begin with a line.
func parse(data []byte) (Script, error) {
	var script Script
	root, err := read(data)
	if err != nil {
		return script, err
	}
	if root == nil {
		return script, errors.New("1: there is no script: give a list of steps")
	}
	list := root
	if root.Kind == yaml.SequenceNode {
		if err := decodeNode(root, &script.Steps); err != nil {
			return script, err
		}
	} else {
		if err := decodeNode(root, &script); err != nil {
			return script, err
		}
		list = field(root, "steps")
	}
	if len(script.Steps) == 0 {
		return script, fmt.Errorf("%d: there are no steps", root.Line)
	}
	for i := range script.Steps {
		script.Steps[i].line = list.Content[i].Line
	}
	return script, nil
}

// read makes a tree of YAML or JSON. JSON has its own reader: the escapes in its
// strings are not YAML's.
func read(data []byte) (*yaml.Node, error) {
	if text := bytes.TrimSpace(data); len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		return readJSON(data)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf(" %w", err) // says the line by itself
	}
	if doc.Kind != yaml.DocumentNode {
		return nil, nil
	}
	return doc.Content[0], nil
}

func decodeNode(node *yaml.Node, v any) error {
	if err := checkKeys(node, v); err != nil {
		return err
	}
	if err := node.Decode(v); err != nil {
		return fmt.Errorf("%d: %w", node.Line, err)
	}
	return nil
}

func field(object *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i+1]
		}
	}
	return &yaml.Node{}
}

// UnmarshalYAML reads any value as JSON.
func (v *Value) UnmarshalYAML(node *yaml.Node) error {
	raw, err := appendJSON(nil, node, 0)
	if err != nil {
		return err
	}
	*v = raw
	return nil
}

// UnmarshalYAML reads a name, or an object with a name.
func (w *Wait) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		w.Name = node.Value
		return nil
	}
	type plain Wait
	return node.Decode((*plain)(w))
}

// validate finds steps that say nothing or contradict themselves.
func (s Step) validate() error {
	switch {
	case s.Answer != nil:
		return nil
	case len(s.Content) > 0 && (s.Text != "" || s.Thinking != "" || len(s.Tools) > 0):
		return errors.New("content is in place of thinking, text and tools: give one or the other")
	case s.Error != nil && s.Cut != nil:
		return errors.New("a stream ends with an error or is cut: give one of them")
	case s.Wait != nil && s.Wait.Name == "":
		return errors.New("wait needs the name that is released")
	case len(s.parts()) == 0 && s.Error == nil && s.Cut == nil && s.StopReason == "":
		return errors.New("the step answers nothing: give text, tools, error or cut (or a stop_reason when an empty answer is meant)")
	case s.Chunk < 0 || s.Delay < 0 || s.Pause < 0:
		return errors.New("chunk, delay and pause cannot be negative")
	}
	if s.Error != nil && !knownKind(s.Error.Kind) {
		return fmt.Errorf("error kind %q is unknown: see model.Kind", s.Error.Kind)
	}
	for i, part := range s.parts() {
		if err := part.validate(); err != nil {
			return fmt.Errorf("block %d: %w", i+1, err)
		}
	}
	return nil
}

func (p Part) validate() error {
	set := 0
	for _, is := range []bool{p.Text != "", p.Thinking != "", p.Redacted != "", p.Tool != nil, p.Raw != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return errors.New("a block is one of text, thinking, redacted, tool and raw")
	case p.Tool != nil && p.Tool.Name == "":
		return errors.New("a tool call needs a name")
	case p.Tool != nil && p.Tool.Input != nil && p.Tool.InputText != "":
		return errors.New("a tool call has input or input_text, not both")
	case p.Tool != nil && p.Tool.Input != nil && p.Tool.Input[0] != '{':
		return fmt.Errorf("the input of a tool is an object, not %s: use input_text for what is none", p.Tool.Input)
	case p.Raw != nil && p.Raw[0] != '{':
		return errors.New("a raw block is an object")
	}
	return nil
}

func knownKind(k model.Kind) bool {
	switch k {
	case "", model.KindRateLimited, model.KindUsageLimit, model.KindOverloaded, model.KindServer, model.KindNetwork, model.KindIncomplete,
		model.KindAuth, model.KindInvalid, model.KindContextTooLong:
		return true
	}
	return false
}
