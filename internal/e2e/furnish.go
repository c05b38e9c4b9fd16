package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// furnish writes what the client would ask a person for, and the project.
func (s *Stage) furnish(setup Setup) error {
	settings := map[string]any{
		// What the scripts use. What stophook needs itself is install's business.
		"permissions": map[string]any{"allow": []string{"Bash", "Agent", "Task", "TaskStop", "TaskOutput", "Read"}, "defaultMode": "default"},
	}
	for name, value := range setup.Settings {
		settings[name] = value
	}
	state := map[string]any{
		// Nothing that the client would move to settings.json: then it would rewrite that file.
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "lastOnboardingVersion": s.client.Version,
		"customApiKeyResponses": map[string]any{"approved": []string{key[len(key)-20:]}, "rejected": []string{}},
		"projects": map[string]any{s.Project: map[string]any{
			"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": []string{}}},
	}
	files := map[string]any{filepath.Join(s.Config, "settings.json"): settings, filepath.Join(s.Config, ".claude.json"): state}
	if setup.Config != "" {
		files[filepath.Join(s.Project, ".stophook", "config.yaml")] = setup.Config
	}
	for name, text := range setup.Policies {
		files[filepath.Join(s.Project, ".stophook", "policies", filepath.FromSlash(name))] = text
	}
	for _, dir := range []string{s.Project, filepath.Join(s.Home, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for path, doc := range files {
		text, ok := doc.(string)
		if !ok {
			data, err := json.MarshalIndent(doc, "", "  ")
			if err != nil {
				return err
			}
			text = string(data) + "\n"
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// environ is the isolated environment below home.
func environ(home, bin string, more []string) []string {
	path := os.Getenv("PATH")
	if bin != "" {
		path = bin + string(os.PathListSeparator) + path
	}
	return append([]string{"PATH=" + path, "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, ".claude"),
		"TMPDIR=" + filepath.Join(home, "tmp"), "CLAUDE_CODE_TMPDIR=" + filepath.Join(home, "tmp"),
		"ANTHROPIC_API_KEY=" + key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1", "IS_SANDBOX=1", "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/bash", "USER=stage",
		"GIT_CONFIG_NOSYSTEM=1"}, more...)
}

func (s *Stage) environ() []string {
	return environ(s.Home, s.bin, append([]string{"ANTHROPIC_BASE_URL=" + s.API.URL, marker + "=" + s.id,
		// Whatever would leave this machine comes to the fake API instead, which calls it a fault.
		"HTTP_PROXY=" + s.API.URL, "HTTPS_PROXY=" + s.API.URL, "NO_PROXY=127.0.0.1,localhost"}, s.extra...))
}
