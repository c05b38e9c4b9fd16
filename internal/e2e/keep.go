package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// keep writes what a scenario left into a folder of its name below dir, without the
// paths of this machine. An empty dir keeps nothing.
func (s *Stage) keep(dir string) error {
	if dir == "" {
		return nil
	}
	dir = filepath.Join(dir, strings.ReplaceAll(s.t.Name(), "/", "-"))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string]string{}
	transcripts, _ := filepath.Glob(filepath.Join(s.Config, "projects", "*", "*.jsonl"))
	for _, path := range append(transcripts, filepath.Join(s.State, "decisions.jsonl"), filepath.Join(s.Config, "settings.json")) {
		data, err := readTolerant(path)
		if err != nil {
			return err
		}
		if data != nil {
			files[filepath.Base(path)] = string(data)
		}
	}
	ledgers, _ := filepath.Glob(filepath.Join(s.State, "sessions", "*", "*.json*"))
	for _, path := range ledgers {
		data, err := readTolerant(path)
		if err != nil {
			return err
		}
		files["state-"+filepath.Base(filepath.Dir(path))+"-"+filepath.Base(path)] = string(data)
	}
	for i, r := range s.runs {
		var b strings.Builder
		for _, e := range r.Events() {
			fmt.Fprintln(&b, strings.TrimSpace(e.Raw))
		}
		files[fmt.Sprintf("stream%d.jsonl", i+1)] = b.String()
		if text := r.Stderr(); text != "" {
			files[fmt.Sprintf("stderr%d.txt", i+1)] = text
		}
	}
	if s.API != nil {
		files["other-requests.txt"] = strings.Join(s.API.Other(), "\n")
		for _, r := range s.API.Requests() {
			files[fmt.Sprintf("request%02d.json", r.N)] = string(r.Body)
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(s.sanitise(text)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sanitise takes the paths and the key of this run out of a text.
func (s *Stage) sanitise(text string) string {
	slug := strings.NewReplacer("/", "-", ".", "-", "_", "-")
	return strings.NewReplacer(s.Project, "@PROJECT@", slug.Replace(s.Project), "@PROJECT-SLUG@", s.Home, "@HOME@",
		s.bin, "@BIN@", s.client.Path, "@CLIENT@", s.API.URL, "@API@", key, "@KEY@", s.id, "@RUN@").Replace(text)
}
