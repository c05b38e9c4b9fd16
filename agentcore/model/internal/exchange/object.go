package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Object is a JSON object whose fields keep their order and their bytes, so that
// a block of a kind unknown here can be put together from its pieces and go back
// as it came.
type Object struct {
	fields []field
}

type field struct {
	name  string
	value json.RawMessage
}

// ReadObject reads an object. The last of two fields of one name counts.
func ReadObject(data []byte) (*Object, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("no JSON object")
	}
	o := &Object{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("read object: %w", err)
		}
		o.Set(name.(string), value) // a key of an object is a string, or Token fails
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("read object: %w", err)
	}
	return o, nil
}

// Get gives a field, or nil.
func (o *Object) Get(name string) json.RawMessage {
	for _, f := range o.fields {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

// Text gives a field that is a string.
func (o *Object) Text(name string) string {
	var text string
	_ = json.Unmarshal(o.Get(name), &text)
	return text
}

// Set sets a field, in its place or as the last one.
func (o *Object) Set(name string, value json.RawMessage) {
	for i := range o.fields {
		if o.fields[i].name == name {
			o.fields[i].value = value
			return
		}
	}
	o.fields = append(o.fields, field{name, value})
}

// SetText sets a field to a string.
func (o *Object) SetText(name, text string) { o.Set(name, String(text)) }

// Drop takes out the fields for which drop is true.
func (o *Object) Drop(drop func(name string, value json.RawMessage) bool) {
	kept := o.fields[:0]
	for _, f := range o.fields {
		if !drop(f.name, f.value) {
			kept = append(kept, f)
		}
	}
	o.fields = kept
}

// Each goes through the fields in order.
func (o *Object) Each(visit func(name string, value json.RawMessage)) {
	for _, f := range o.fields {
		visit(f.name, f.value)
	}
}

// JSON writes the object.
func (o *Object) JSON() json.RawMessage {
	out := []byte{'{'}
	for i, f := range o.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, String(f.name)...)
		out = append(out, ':')
		out = append(out, f.value...)
	}
	return append(out, '}')
}

// String writes a JSON string without the escapes that HTML would need.
func String(text string) json.RawMessage {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always encodes
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// Marshal writes any value without the escapes that HTML would need.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}
