package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build builds the programs under test into dir.
func Build(ctx context.Context, dir string) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", "urfave_cli_no_docs", "-o", dir+string(filepath.Separator), "./cmd/...")
	cmd.Dir = strings.TrimSpace(string(root))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/...: %w\n%s", err, out)
	}
	return nil
}

// Install puts the hooks into the client's settings, as a person would: with
// `stophook install FLAGS`.
func (s *Stage) Install(flags ...string) {
	s.t.Helper()
	s.Must(append([]string{"install"}, flags...)...)
}

// alsoHook calls the hook for one more event, from the project's local settings.
func (s *Stage) alsoHook(event string) {
	s.t.Helper()
	doc := map[string]any{"hooks": map[string]any{event: []any{map[string]any{"hooks": []any{
		map[string]any{"type": "command", "command": filepath.Join(s.bin, "stophook") + " hook"}}}}}}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.Project, ".claude"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Project, ".claude", "settings.local.json"), data, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}
