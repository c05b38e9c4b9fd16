package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The command of a hook. The first form needs a shell, which every client has but
// Claude Code on a Windows without Git Bash. The second needs none, and a client
// older than 2.1.139 would call the program without its argument and lose the gate
// in silence: it is for Windows only, where the first is sure to fail.
const (
	shellForm = `"command": "\"${CLAUDE_PLUGIN_ROOT}/bin/stophook\" hook"`
	execForm  = `"command": "${CLAUDE_PLUGIN_ROOT}/bin/stophook.exe", "args": ["hook"]`
)

const (
	manifestFile = ".claude-plugin/plugin.json"
	hooksFile    = "hooks/hooks.json"
	standIn      = "bin/stophook" // in the source, a script that looks for the program
)

// build makes target anew from source, with program in the place of the script. A
// program whose name ends in .exe makes it a plugin for Windows.
func build(source, target, program string) error {
	if err := clear(target); err != nil {
		return err
	}
	windows := strings.EqualFold(filepath.Ext(program), ".exe")
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(source, path)
		if err != nil || filepath.ToSlash(name) == standIn {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if windows && filepath.ToSlash(name) == hooksFile {
			data = bytes.ReplaceAll(data, []byte(shellForm), []byte(execForm))
		}
		return write(filepath.Join(target, name), data, 0o644)
	})
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return fmt.Errorf("%w: build the program first", err)
	}
	name := standIn
	if windows {
		name += ".exe"
	}
	return write(filepath.Join(target, filepath.FromSlash(name)), data, 0o755)
}

// clear removes what an earlier build left, and nothing else.
func clear(target string) error {
	entries, err := os.ReadDir(target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if name, _ := pluginName(target); name != "stophook" {
		return fmt.Errorf("%s is there and is no plugin of ours: remove it, or build elsewhere", target)
	}
	return os.RemoveAll(target)
}

func write(path string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}
