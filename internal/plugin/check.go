package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// manifest is plugin.json as far as it is used here. The client knows more keys; one
// that is not here is a typing error until somebody needs it.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Author      map[string]string `json:"author"`
	Homepage    string            `json:"homepage"`
	Repository  string            `json:"repository"`
	License     string            `json:"license"`
	Keywords    []string          `json:"keywords"`
}

// marketplace is marketplace.json: a list with this one plugin in it, so that the
// folder can be installed as it stands.
type marketplace struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Owner       map[string]string `json:"owner"`
	Plugins     []struct {
		Name        string `json:"name"`
		Source      string `json:"source"`
		Description string `json:"description"`
	} `json:"plugins"`
}

// hooks is hooks.json.
type hooks struct {
	Description string             `json:"description"`
	Hooks       map[string][]group `json:"hooks"`
}

type group struct {
	Matcher string    `json:"matcher"`
	Hooks   []handler `json:"hooks"`
}

type handler struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// skill is the front matter of a SKILL.md.
type skill struct {
	Name         string `yaml:"name"`
	Description  string `yaml:"description"`
	AllowedTools string `yaml:"allowed-tools"`
}

const maxDescription = 1024 // bytes, of a skill

// check lists what is wrong with the plugin in dir; nothing when it is good.
func check(dir string) (faults []string) {
	fault := func(name, format string, args ...any) {
		faults = append(faults, filepath.Join(dir, name)+": "+fmt.Sprintf(format, args...))
	}
	var m manifest
	if err := readJSON(filepath.Join(dir, manifestFile), &m); err != nil {
		fault(manifestFile, "%v", err)
	} else if m.Name != "stophook" || m.Description == "" || m.Author["name"] == "" || !semantic(m.Version) {
		fault(manifestFile, "wants the name stophook, a version of three numbers, a description and an author")
	}
	const list = ".claude-plugin/marketplace.json"
	var market marketplace
	if err := readJSON(filepath.Join(dir, list), &market); err != nil {
		fault(list, "%v", err)
	} else if len(market.Plugins) != 1 || market.Plugins[0].Name != m.Name || market.Plugins[0].Source != "./" || market.Owner["name"] == "" {
		fault(list, "wants an owner and one plugin, %s from ./", m.Name)
	}
	h, err := readHooks(dir)
	if err != nil {
		fault(hooksFile, "%v", err)
	}
	for event, groups := range h.Hooks {
		for _, g := range groups {
			for _, one := range g.Hooks {
				if err := checkHandler(dir, one); err != nil {
					fault(hooksFile, "%s: %v", event, err)
				}
			}
		}
	}
	const text = "skills/stophook/SKILL.md"
	if s, err := readSkill(filepath.Join(dir, text)); err != nil {
		fault(text, "%v", err)
	} else if s.Name != "stophook" || s.Description == "" || len(s.Description) > maxDescription {
		fault(text, "wants the name of its folder and a description of at most %d bytes", maxDescription)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "README.md")); err != nil || len(data) == 0 {
		fault("README.md", "is what people read before they install a plugin, and is missing")
	}
	return faults
}

// checkHandler holds one hook against the two forms, and looks for its program.
func checkHandler(dir string, h handler) error {
	if h.Type != "command" {
		return fmt.Errorf("is of type %q, want command", h.Type)
	}
	text, err := json.Marshal(h.Command)
	if err != nil {
		return err
	}
	form, program := `"command": `+string(text), standIn
	if h.Args != nil {
		args, err := json.Marshal(h.Args)
		if err != nil {
			return err
		}
		form, program = form+`, "args": `+string(args), standIn+".exe"
	}
	if form != shellForm && form != execForm {
		return fmt.Errorf("calls %s, want %s; people approve hooks by their command, so it stays the same from version to version", form, shellForm)
	}
	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(program)))
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || h.Args == nil && info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s is no program: chmod 755 it", program)
	}
	return nil
}

func pluginName(dir string) (string, error) {
	var m manifest
	err := readJSON(filepath.Join(dir, manifestFile), &m)
	return m.Name, err
}

func readHooks(dir string) (h hooks, err error) {
	if err := readJSON(filepath.Join(dir, hooksFile), &h); err != nil {
		return h, err
	}
	if len(h.Hooks["Stop"]) == 0 {
		return h, errors.New("has no Stop hook, which is the gate")
	}
	return h, nil
}

// readJSON is strict: the client warns of unknown keys, and a second document
// behind the first would be lost.
func readJSON(path string, into any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the object")
	}
	return nil
}

func readSkill(path string) (s skill, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	_, rest, opened := strings.Cut(string(data), "---\n")
	head, body, closed := strings.Cut(rest, "\n---\n")
	if !opened || !closed || !strings.HasPrefix(string(data), "---\n") || strings.TrimSpace(body) == "" {
		return s, errors.New("wants a front matter between two lines of --- and a text behind it")
	}
	d := yaml.NewDecoder(strings.NewReader(head))
	d.KnownFields(true)
	return s, d.Decode(&s)
}

// semantic reports whether v is three numbers with dots.
func semantic(v string) bool {
	parts := strings.Split(v, ".")
	for _, p := range parts {
		if p == "" || strings.Trim(p, "0123456789") != "" {
			return false
		}
	}
	return len(parts) == 3
}
