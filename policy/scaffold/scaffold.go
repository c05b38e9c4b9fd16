// Package scaffold makes the folder of a new rule: METADATA, a rule that works, a
// test, and two cases, ready to edit.
//
// Start with [New]. The caller decides the folder of policies, the name, and what
// kind of rule it is: for Stop, for PreToolUse, or a deferral.
//
// What is promised: what is made passes `stophook check`, `stophook fmt --check`
// and `stophook test` as it is. Nothing that exists is overwritten, and a folder
// appears whole or not at all.
package scaffold

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/stophook/stophook/policy/schema"
)

//go:embed templates
var templates embed.FS

// ErrExists is wrapped when there is something of the rule's name.
var ErrExists = errors.New("exists already")

// Options say what to make.
type Options struct {
	Dir      string // the folder of policies; made when it is missing
	Name     string // of the rule: lower-case letters, digits and _
	Title    string // default: the name in words
	Code     string // default: project.NAME
	Event    string // Stop (default) or PreToolUse
	Deferral bool   // a deferral instead of a rule; Stop only
}

// A Result lists what was made.
type Result struct {
	Dir   string   `json:"dir"`   // of the rule
	Files []string `json:"files"` // all that were made, with their folders; the schema too when it was missing
	Cases []string `json:"cases"` // folders of the cases
}

// New makes the folder of a rule, and beside it schemas/input.json unless it is
// there: the schema that the METADATA name, for editors and for `opa check
// --schema`. It fails before it writes anything when an option is wrong, or when
// something of that name exists.
func New(opts Options) (*Result, error) {
	if err := opts.fill(); err != nil {
		return nil, err
	}
	dir := filepath.Join(opts.Dir, opts.Name)
	if _, err := os.Lstat(dir); err == nil {
		return nil, fmt.Errorf("%s: %w; nothing was changed: choose another name, or remove it first", dir, ErrExists)
	}
	files, err := opts.render()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(opts.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("folder of policies: %w", err)
	}
	tmp, err := os.MkdirTemp(opts.Dir, ".new-*")
	if err != nil {
		return nil, fmt.Errorf("folder of policies: %w", err)
	}
	defer os.RemoveAll(tmp)
	r := &Result{Dir: dir}
	for _, name := range slices.Sorted(keys(files)) {
		if err := writeFile(filepath.Join(tmp, filepath.FromSlash(name)), files[name]); err != nil {
			return nil, err
		}
		r.Files = append(r.Files, filepath.Join(dir, filepath.FromSlash(name)))
		if path.Base(name) == "want.json" {
			r.Cases = append(r.Cases, filepath.Join(dir, filepath.FromSlash(path.Dir(name))))
		}
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return nil, fmt.Errorf("%s: cannot be made: %w", dir, err)
	}
	made, err := writeSchema(opts.Dir)
	if made != "" {
		r.Files = append(r.Files, made)
	}
	return r, err
}

func keys(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, data, 0o644)
}

// writeSchema puts the schema of the input where `schema.input` is looked for.
func writeSchema(dir string) (made string, err error) {
	text, err := schema.Get("input")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "schemas", "input.json")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	return name, errors.Join(err, f.Close())
}

// kind is the folder of templates.
func (o *Options) kind() string {
	switch {
	case o.Deferral:
		return "deferral"
	case o.Event == "PreToolUse":
		return "tool"
	}
	return "stop"
}

// render makes the files, by their names in the rule's folder. A deferral comes
// with a rule that it puts off: it lifts nothing of the layers above its own.
func (o *Options) render() (map[string][]byte, error) {
	data := map[string]string{"Name": o.Name, "Code": o.Code, "Title": yamlText(o.Title), "Text": regoText(o.Title, o.kind() == "stop"), "Deferrable": "false"}
	files := map[string][]byte{}
	if err := render(files, o.kind(), data); err != nil {
		return nil, err
	}
	if o.Deferral {
		due := map[string]string{"Name": o.Name + "_due", "Code": o.Code + "_due", "Title": yamlText(o.Title + ": what is due"), "Text": "Tests", "Deferrable": "true"}
		if err := render(files, "stop", due); err != nil {
			return nil, err
		}
	}
	root := "templates/cases/" + o.kind()
	err := fs.WalkDir(templates, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := templates.ReadFile(p)
		if path.Base(p) == "want.json" && err == nil {
			text, err = fill(p, data)
		}
		files["cases/"+strings.ReplaceAll(o.Name, "_", "-")+"-"+strings.TrimPrefix(p, root+"/")] = text
		return err
	})
	return files, err
}

// render makes a policy and its test.
func render(files map[string][]byte, kind string, data map[string]string) error {
	for _, suffix := range []string{"", "_test"} {
		text, err := fill("templates/"+kind+suffix+".rego.tmpl", data)
		if err != nil {
			return err
		}
		files[data["Name"]+suffix+".rego"] = text
	}
	return nil
}

func fill(name string, data map[string]string) ([]byte, error) {
	t, err := template.New(path.Base(name)).Option("missingkey=error").ParseFS(templates, name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// yamlText is a title as YAML: quoted when it could mean something else.
func yamlText(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != ' ' && r != '-' && r != '_'
	}) < 0
	if plain && (s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z') && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	return quote(s)
}

// regoText is a title inside of a Rego string, which may be the format of sprintf.
func regoText(s string, isFormat bool) string {
	q := quote(s)
	if q = q[1 : len(q)-1]; isFormat {
		q = strings.ReplaceAll(q, "%", "%%")
	}
	return q
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a text cannot fail
	return strings.TrimSpace(b.String())
}
