package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names of the layers, from the highest to the lowest.
const (
	LayerOrg      = "org"
	LayerUser     = "user"
	LayerProject  = "project"
	LayerExplicit = "explicit"
	LayerFlag     = "flag" // policies of --policy
)

// OrgConfigPath is where an organisation's file stands on every machine.
const OrgConfigPath = "/etc/stophook/config.yaml"

// MaxConfigBytes bounds a config file.
const MaxConfigBytes = 1 << 20

// Source is one config file to read. A file that does not exist is fine, unless
// Required is set.
type Source struct {
	Layer    string // for people; the order of the list is what ranks sources
	Path     string
	Required bool
}

// DefaultSources lists the standard files in their order: org, user
// ($XDG_CONFIG_HOME/stophook/config.yaml, or ~/.config when that is unset or not
// absolute, as XDG asks) and project (projectDir/.stophook/config.yaml). An empty
// home or projectDir leaves its layer out. Append [ExplicitSource] for --config.
func DefaultSources(getenv func(string) string, home, projectDir string) []Source {
	sources := []Source{{Layer: LayerOrg, Path: OrgConfigPath}}
	dir := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		dir = ""
		if home != "" {
			dir = filepath.Join(home, ".config")
		}
	}
	if dir != "" {
		sources = append(sources, Source{Layer: LayerUser, Path: filepath.Join(dir, "stophook", "config.yaml")})
	}
	if projectDir != "" {
		sources = append(sources, Source{Layer: LayerProject, Path: filepath.Join(projectDir, ".stophook", "config.yaml")})
	}
	return sources
}

// ExplicitSource is the file of --config. It must exist: who names a file wants
// it to count.
func ExplicitSource(path string) Source {
	return Source{Layer: LayerExplicit, Path: path, Required: true}
}

// LoadConfig reads the sources, highest layer first, over [DefaultConfig].
//
// The highest layer that sets a key decides it, loosely or strictly within the
// bounds; a lower one may only make it stricter (DESIGN section 4). Which way is
// stricter is documented key by key in config_keys.go. What a lower layer could
// not do comes back as warnings, which name both files. Params are decided key by
// key, and masks add up.
//
// The error joins every [ConfigError] of every file, so that one run shows all
// there is to fix. The Config is valid also then: it holds every setting that was
// in order, so that a broken project file cannot undo what a higher file asked
// for (fail: closed, for example). Files are only read; nothing is cached.
func LoadConfig(sources []Source) (Config, []Warning, error) {
	return ProfileRitual.LoadConfig(sources)
}

// LoadConfig is the function of that name over the configuration of a profile.
func (p Profile) LoadConfig(sources []Source) (Config, []Warning, error) {
	var m configMerger
	var errs []error
	for _, src := range sources {
		settings, fileErrs := readSource(src)
		errs = append(errs, fileErrs...)
		for i := range settings {
			m.add(src.Path, &settings[i])
		}
	}
	cfg := p.Config()
	for i := range m.order {
		cfg.set(m.order[i], m.inForce[m.order[i]].value)
	}
	return cfg, m.warnings, errors.Join(errs...)
}

// readSource reads one file. The YAML parser runs only when there is a file.
func readSource(src Source) ([]configSetting, []error) {
	data, err := readConfigFile(src.Path)
	if errors.Is(err, fs.ErrNotExist) && !src.Required {
		return nil, nil
	}
	if err != nil {
		return nil, []error{&ConfigError{
			File: src.Path, Problem: "cannot be read: " + err.Error(),
			Advice: "make it a readable file of at most 1 MiB, or remove it",
			Err:    fmt.Errorf("%w: %w", ErrConfigUnreadable, err),
		}}
	}
	root, err := parseDocument(data)
	if err != nil {
		return nil, []error{syntaxError(src.Path, err)}
	}
	return parseSettings(root, src.Path)
}

func readConfigFile(path string) ([]byte, error) {
	// Look before opening: a FIFO or a device would block the hook.
	info, err := os.Stat(path)
	if err != nil {
		return nil, pathless(err)
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	if info.Size() > MaxConfigBytes {
		return nil, errors.New("is " + strconv.FormatInt(info.Size(), 10) + " bytes long")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, pathless(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxConfigBytes+1))
	if err != nil {
		return nil, pathless(err)
	}
	if len(data) > MaxConfigBytes {
		return nil, errors.New("grows while it is read")
	}
	return data, nil
}

// pathless drops the path from an error that is printed behind it.
func pathless(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// syntaxError finds the line in a parser's message ("yaml: line 3: ...").
func syntaxError(file string, err error) error {
	e := &ConfigError{File: file, Problem: "is broken: " + err.Error(), Advice: "correct the line, or remove the file", Err: fmt.Errorf("%w: %w", ErrConfigSyntax, err)}
	var le *configLineError
	if errors.As(err, &le) {
		e.Line, e.Problem = le.line, le.msg
		return e
	}
	if _, rest, ok := strings.Cut(err.Error(), "line "); ok {
		digits, msg, _ := strings.Cut(rest, ":")
		if n, convErr := strconv.Atoi(digits); convErr == nil {
			e.Line, e.Problem = n, "is broken:"+msg
		}
	}
	return e
}
