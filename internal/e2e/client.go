package e2e

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Environment variables that say how these tests are run.
const (
	EnvMode  = "STOPHOOK_E2E"       // see [Mode]
	EnvCache = "STOPHOOK_E2E_CACHE" // where clients are kept; default stophook-e2e in the person's cache folder
	EnvKeep  = "STOPHOOK_E2E_KEEP"  // a folder for sanitised copies of what each scenario left
)

// Mode says when the client is used.
type Mode string

// The values of [EnvMode].
const (
	ModeCached  Mode = ""        // when it is in the cache already: nothing is fetched
	ModeOn      Mode = "on"      // it is installed when it is not there; a skip is allowed
	ModeRequire Mode = "require" // as on, and a skip is a failure
	ModeOff     Mode = "off"     // never
)

// ErrUnavailable is wrapped by every reason for which the client cannot be had here.
var ErrUnavailable = errors.New("the client is not available")

const (
	npmPackage = "@anthropic-ai/claude-code"
	// installTime bounds the installation, 400 MB over the network included.
	installTime = 4 * time.Minute
)

// The lock file pins the version and the checksums of every platform's package, and
// npm holds what it fetches against them.
//
//go:embed npm/package.json npm/package-lock.json
var pinned embed.FS

// Client is the real client.
type Client struct {
	Path    string // of its binary
	Version string
}

// ParseMode reads the value of [EnvMode].
func ParseMode(text string) (Mode, error) {
	switch m := Mode(text); m {
	case ModeCached, ModeOn, ModeRequire, ModeOff:
		return m, nil
	}
	return ModeOff, fmt.Errorf("%s=%q: use on, require or off, or leave it unset to run when the client is in the cache", EnvMode, text)
}

// Version is the client that is pinned.
func Version() string {
	doc, err := pinned.ReadFile("npm/package.json")
	if err != nil {
		panic(err) // it is embedded
	}
	return gjson.GetBytes(doc, "dependencies."+gjson.Escape(npmPackage)).String()
}

// Locate finds the pinned client in the cache, and installs it when mode allows. An
// error that wraps [ErrUnavailable] is a reason to skip; every other one is a fault.
func Locate(ctx context.Context, mode Mode, getenv func(string) string) (*Client, error) {
	if mode == ModeOff {
		return nil, fmt.Errorf("%w: %s=off", ErrUnavailable, EnvMode)
	}
	cache, err := cacheDir(getenv)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(cache, "claude-code-"+Version())
	binary, err := findBinary(home)
	if errors.Is(err, fs.ErrNotExist) {
		if mode == ModeCached {
			return nil, fmt.Errorf("%w: %s %s is not in %s; `make e2e` installs it", ErrUnavailable, npmPackage, Version(), cache)
		}
		if err := install(ctx, home); err != nil {
			return nil, err
		}
		binary, err = findBinary(home)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: npm has no package for this platform: %w", ErrUnavailable, err)
	}
	c := &Client{Path: binary}
	return c, c.check(ctx)
}

func cacheDir(getenv func(string) string) (string, error) {
	if dir := getenv(EnvCache); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "stophook-e2e"), nil
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".cache", "stophook-e2e"), nil
	}
	return "", fmt.Errorf("%w: no folder for it: set %s", ErrUnavailable, EnvCache)
}

// findBinary is the binary of the one platform package that npm chose.
func findBinary(home string) (string, error) {
	found, err := filepath.Glob(filepath.Join(home, "node_modules", npmPackage+"-*", "claude*"))
	if err != nil {
		return "", err
	}
	for _, path := range found {
		if name := filepath.Base(path); name == "claude" || name == "claude.exe" {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s: no claude in it: %w", home, fs.ErrNotExist)
}

// install fetches the pinned packages into a folder beside home, which takes its name
// when all is there: a run that was ended half-way leaves no half client.
func install(ctx context.Context, home string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("%w: npm is not on PATH", ErrUnavailable)
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(home), ".installing-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) // nothing is there when it was renamed
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := pinned.ReadFile("npm/" + name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	// The binary is an optional package, and needs no Node.js of any version: what the
	// person's .npmrc says about these must not matter. Its registry and proxy do.
	cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--include=optional", "--engine-strict=false",
		"--no-audit", "--no-fund", "--no-progress", "--loglevel=error", "--fetch-retries=1")
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		text := npmError(string(out))
		if strings.Contains(text, "EINTEGRITY") {
			return fmt.Errorf("npm fetched something else than %s %s: %s", npmPackage, Version(), text)
		}
		return fmt.Errorf("%w: npm could not install %s %s: %w: %s", ErrUnavailable, npmPackage, Version(), err, text)
	}
	if err := os.Rename(dir, home); err != nil {
		if _, there := findBinary(home); there == nil {
			return nil // another run was faster
		}
		return err
	}
	return nil
}

// npmError is what npm said, in one line.
func npmError(out string) string {
	var parts []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "npm error"))
		noise := strings.HasPrefix(line, "A complete log") || strings.HasPrefix(line, "npm warn") || strings.HasPrefix(line, "at ")
		if line != "" && !noise {
			parts = append(parts, line)
		}
	}
	text := strings.Join(parts, "; ")
	if r := []rune(text); len(r) > 400 {
		text = string(r[:400]) + "…"
	}
	return text
}

// check runs the binary once: it may be one that this machine cannot run.
func (c *Client) check(ctx context.Context) error {
	home, err := os.MkdirTemp("", "stophook-e2e-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Path, "--version")
	cmd.Env = environ(home, "", nil)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s does not run here: %w: %.200s", ErrUnavailable, c.Path, err, out)
	}
	c.Version, _, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
	if c.Version != Version() {
		return fmt.Errorf("%s is version %q, want %s; remove its folder, and `make e2e` installs the right one", c.Path, c.Version, Version())
	}
	return nil
}
