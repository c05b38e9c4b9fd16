package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/decisionlog"
)

// configFiles writes one file a layer, highest first, and returns their sources.
// "-" leaves a layer's file out.
func configFiles(t testing.TB, contents ...string) []Source {
	t.Helper()
	dir := t.TempDir()
	layers := []string{LayerOrg, LayerUser, LayerProject, LayerExplicit}
	var sources []Source
	for i, content := range contents {
		path := filepath.Join(dir, layers[i]+".yaml")
		sources = append(sources, Source{Layer: layers[i], Path: path})
		if content == "-" {
			continue
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return sources
}

func TestDefaultConfig_D32_D35_D38_D39(t *testing.T) {
	c := DefaultConfig()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"defer_minutes": 30, "remediation_cap": 5, "closing": "any_text", "task_scope": "session",
		"box_on_prose": false, "require_git_finalization": false, "block_style": "decision",
		"window_bytes": 8388608, "box_window_bytes": 262144, "rules": map[string]any{}, "params": map[string]any{},
		"log": map[string]any{"mask": []any{}, "enabled": true, "max_bytes": 16777216},
	}
	if diff := cmp.Diff(want, c.Effective()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.DeferFor() != 30*time.Minute {
		t.Error(c.DeferFor())
	}
	loaded, warnings, err := LoadConfig(configFiles(t, "-", "-", "-"))
	if err != nil || len(warnings) > 0 || !cmp.Equal(c, loaded) {
		t.Errorf("without files the defaults hold: %v %v\n%s", warnings, err, cmp.Diff(c, loaded))
	}
}

func TestLoadConfig_EveryKey(t *testing.T) {
	const yamlText = `# all keys
defer_minutes: 12
remediation_cap: 3
closing: ended
task_scope: turn
box_on_prose: true
require_git_finalization: true
block_style: feedback
window_bytes: 1048576
box_window_bytes: 65536
rules:
  status_check: {severity: warn}
  my_rule:
    severity: off
    fail: closed
log:
  enabled: false
  max_bytes: 1_048_576
  mask:
    - /input/hook/last_assistant_message
    - {op: upsert, path: /input/session/cwd, value: "***"}
params:
  owners: [a, b]
  limit: 3
  ratio: 0.5
  day: 2026-10-05
  nothing:
`
	const jsonText = "\xef\xbb\xbf{\n\t\"defer_minutes\": 12, \"remediation_cap\": 3.0, \"closing\": \"ended\", \"task_scope\": \"turn\", \"box_on_prose\": true," +
		"\"require_git_finalization\": true, \"block_style\": \"feedback\", \"window_bytes\": 1048576, \"box_window_bytes\": 65536," +
		"\"rules\": {\"status_check\": {\"severity\": \"warn\"}, \"my_rule\": {\"severity\": \"off\", \"fail\": \"closed\"}}," +
		"\"log\": {\"enabled\": false, \"max_bytes\": 1048576, \"mask\": [\"/input/hook/last_assistant_message\", {\"op\": \"upsert\", \"path\": \"/input/session/cwd\", \"value\": \"***\"}]}," +
		"\"params\": {\"owners\": [\"a\", \"b\"], \"limit\": 3, \"ratio\": 0.5, \"day\": \"2026-10-05\", \"nothing\": null}}"
	want := Config{
		DeferMinutes: 12, RemediationCap: 3, Closing: ClosingEnded, TaskScope: TaskScopeTurn, BoxOnProse: true,
		RequireGitFinalization: true, BlockStyle: BlockStyleFeedback, WindowBytes: 1 << 20, BoxWindowBytes: 64 << 10,
		Rules: map[string]RuleConfig{"status_check": {Severity: SeverityWarn}, "my_rule": {SeverityOff, FailClosed}},
		Log: LogConfig{MaxBytes: 1 << 20, Mask: []decisionlog.Mask{
			{Op: decisionlog.OpRemove, Path: "/input/hook/last_assistant_message"},
			{Op: decisionlog.OpUpsert, Path: "/input/session/cwd", Value: "***"},
		}},
		Params: map[string]any{"owners": []any{"a", "b"}, "limit": int64(3), "ratio": 0.5, "day": "2026-10-05", "nothing": nil},
	}
	for name, text := range map[string]string{"yaml": yamlText, "json with tabs and a BOM": jsonText} {
		got, warnings, err := LoadConfig(configFiles(t, text))
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %v", name, warnings, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%s: what was loaded must be valid: %v", name, err)
		}
	}
}

func TestLoadConfig_RG3_Errors(t *testing.T) {
	tests := []struct {
		name, file string
		line       int
		key        string
		is         error
		message    []string // parts
		reason     string
	}{
		{"too long a deferral", "closing: ended\ndefer_minutes: 31\n", 2, "defer_minutes", ErrConfigRange, []string{"31 is out of bounds", "1 to 30 minutes", "default (30)"}, "no configuration defers longer than 30 minutes"},
		{"no deferral", "defer_minutes: 0", 1, "defer_minutes", ErrConfigRange, []string{"1 to 30"}, "below the range"},
		{"negative", "defer_minutes: -5", 1, "defer_minutes", ErrConfigRange, nil, "below the range"},
		{"enormous", "defer_minutes: 99999999999999999999", 1, "defer_minutes", ErrConfigRange, nil, "beyond 64 bits it is still too much"},
		{"float", "defer_minutes: 29.5", 1, "defer_minutes", ErrConfigType, []string{"no whole number"}, "whole minutes"},
		{"float beyond", "defer_minutes: 1e300", 1, "defer_minutes", ErrConfigRange, nil, "whole, and too much"},
		{"text", "defer_minutes: 30m", 1, "defer_minutes", ErrConfigType, []string{`"30m"`}, "a number is wanted"},
		{"list", "defer_minutes: [1]", 1, "defer_minutes", ErrConfigType, []string{"is a list"}, "a number is wanted"},
		{"cap", "remediation_cap: 8", 1, "remediation_cap", ErrConfigRange, []string{"1 to 7 blocks"}, "must stay below the host's own 8"},
		{"window", "window_bytes: 100", 1, "window_bytes", ErrConfigRange, []string{"65536 to 67108864 bytes"}, "too small to see a turn"},
		{"enum", "closing: never", 1, "closing", ErrConfigRange, []string{`"never"`, "ended or any_text"}, "closed set"},
		{"enum number", "closing: 1", 1, "closing", ErrConfigType, nil, "a word is wanted"},
		{"boolean", "box_on_prose: yes please", 1, "box_on_prose", ErrConfigType, []string{"true or false"}, "a boolean is wanted"},
		{"unknown", "defer_minuets: 5", 1, "defer_minuets", ErrConfigUnknownKey, []string{"did you mean defer_minutes?"}, "the nearest key is named"},
		{"dash for underscore", "task-scope: turn", 1, "task-scope", ErrConfigUnknownKey, []string{"did you mean task_scope?"}, "a common slip"},
		{"wrong level", "mask: []", 1, "mask", ErrConfigUnknownKey, []string{"did you mean log.mask?"}, "right name, wrong place"},
		{"far", "colour: red", 1, "colour", ErrConfigUnknownKey, []string{"params", "block_style"}, "nothing near: all are listed"},
		{"unknown in log", "log:\n  enabeld: true", 2, "log.enabeld", ErrConfigUnknownKey, []string{"did you mean enabled?"}, "nested keys too"},
		{"unknown in rule", "rules:\n  x:\n    severty: off", 3, "rules.x.severty", ErrConfigUnknownKey, []string{"did you mean severity?"}, "nested keys too"},
		{"rule name", "rules:\n  my-rule: {severity: off}", 2, "rules.my-rule", ErrConfigUnknownKey, []string{"package"}, "no package can be called so"},
		{"severity", "rules: {x: {severity: fatal}}", 1, "rules.x.severity", ErrConfigRange, []string{"off, observe, warn or block"}, "closed set"},
		{"rules as list", "rules:\n- x", 1, "rules", ErrConfigType, []string{"is a list"}, "names are keys"},
		{"mask path", "log:\n  mask:\n  - /labels/x", 2, "log.mask", ErrConfigRange, []string{"/input or /result"}, "OPA's rule"},
		{"top level list", "- a", 1, "", ErrConfigType, []string{"is a list"}, "no keys at all"},
		{"twice", "closing: ended\nclosing: any_text", 2, "", ErrConfigSyntax, []string{"twice"}, "which one counts would be a guess"},
		{"twice in JSON", "{\"closing\": \"ended\",\n\"closing\": \"ended\"}", 2, "", ErrConfigSyntax, []string{"twice"}, "JSON parsers take the last one in silence"},
		{"broken YAML", "closing: ended\n  x: [", 2, "", ErrConfigSyntax, nil, "the parser's line is kept"},
		{"broken JSON", "{\"closing\": \"ended\",,}", 1, "", ErrConfigSyntax, nil, "read as YAML, and broken there too"},
		{"second document", "closing: ended\n---\nclosing: any_text", 2, "", ErrConfigSyntax, []string{"second"}, "half of the file would be ignored"},
		{"alias", "params:\n  a: &x [1]\n  b: *x", 3, "", ErrConfigSyntax, []string{"alias"}, "a few aliases can grow without bound"},
		{"merge key", "params:\n  <<: {a: 1}", 2, "", ErrConfigSyntax, nil, "not supported"},
		{"infinite", "params: {x: .inf}", 1, "", ErrConfigSyntax, []string{".inf"}, "JSON cannot hold it"},
		{"custom tag", "params: {x: !secret y}", 1, "", ErrConfigSyntax, []string{"!secret"}, "nobody would resolve it"},
		{"binary", "\x00\x01", 0, "", ErrConfigSyntax, nil, "no text"},
		{"too deep", strings.Repeat("[", 200) + strings.Repeat("]", 200), 1, "", ErrConfigSyntax, []string{"deep"}, "bounded"},
		{"too large", "# " + strings.Repeat("x", MaxConfigBytes), 0, "", ErrConfigUnreadable, []string{"1 MiB"}, "bounded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sources := configFiles(t, tt.file)
			cfg, _, err := LoadConfig(sources)
			var ce *ConfigError
			if !errors.As(err, &ce) || !errors.Is(err, tt.is) {
				t.Fatalf("%s: want %v, got %v", tt.reason, tt.is, err)
			}
			if ce.File != sources[0].Path || ce.Line != tt.line || ce.Key != tt.key {
				t.Errorf("%s: at %s line %d key %q", tt.reason, ce.File, ce.Line, ce.Key)
			}
			for _, part := range append(tt.message, sources[0].Path, ce.Advice) {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q lacks %q", err, part)
				}
			}
			if ce.Advice == "" || strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("one line that says what to do: %q", err)
			}
			if err := cfg.Validate(); err != nil {
				t.Errorf("the config beside an error must be valid: %v", err)
			}
		})
	}
}

func TestLoadConfig_AllErrorsAtOnceAndTheRestStands(t *testing.T) {
	cfg, _, err := LoadConfig(configFiles(t,
		"defer_minutes: 99\nrules: {status_check: {fail: closed}}\nclosing: never", "}", "defer_minutes: 7"))
	if got := strings.Count(err.Error(), "\n"); got != 2 {
		t.Errorf("three errors in two files, one line each, got:\n%v", err)
	}
	if cfg.Rules["status_check"].Fail != FailClosed || cfg.DeferMinutes != 7 || cfg.Closing != ClosingAnyText {
		t.Errorf("what was in order must stand, so that fail: closed survives a slip elsewhere: %+v", cfg)
	}
}

func TestLoadConfig_MissingAndUnreadable(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := mkfifo(fifo); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		source Source
		bad    bool
		reason string
	}{
		{"missing", Source{Path: filepath.Join(dir, "no", "such.yaml")}, false, "no file is the rule"},
		{"missing but named", ExplicitSource(filepath.Join(dir, "typo.yaml")), true, "who names a file wants it to count"},
		{"directory", Source{Path: dir}, true, "cannot be read"},
		{"fifo", Source{Path: fifo}, true, "would block the hook"},
		{"below a file", Source{Path: filepath.Join(fifo, "config.yaml")}, true, "odd enough to tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := LoadConfig([]Source{tt.source})
			if errors.Is(err, ErrConfigUnreadable) != tt.bad || (err != nil) != tt.bad {
				t.Errorf("%s: got %v", tt.reason, err)
			}
			if tt.bad && strings.Count(err.Error(), tt.source.Path) != 1 {
				t.Errorf("the path must be named once: %v", err)
			}
		})
	}
}

func TestLoadConfig_EmptyValuesCountAsNotSet(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "rules:\n#  x: y\nlog:\nparams:\nclosing:\n", "---\n", "null"} {
		cfg, _, err := LoadConfig(configFiles(t, text))
		if err != nil || !cmp.Equal(cfg, DefaultConfig()) {
			t.Errorf("%q: %v\n%s", text, err, cmp.Diff(DefaultConfig(), cfg))
		}
	}
}

func TestLoadConfig_ALargeFileIsReadInOnePass(t *testing.T) {
	var many, wrong strings.Builder
	many.WriteString("params:\n")
	for i := range 40_000 {
		fmt.Fprintf(&many, "  key%d: %d\n", i, i)
		fmt.Fprintf(&wrong, "key%d: %d\n", i, i)
	}
	cfg, _, err := LoadConfig(configFiles(t, many.String()))
	if err != nil || len(cfg.Params) != 40_000 {
		t.Errorf("%d params, %v", len(cfg.Params), err)
	}
	if _, _, err := LoadConfig(configFiles(t, wrong.String()+"key39999: 1\n")); !errors.Is(err, ErrConfigSyntax) {
		t.Errorf("a key that comes twice is found among many: %v", err)
	}
	if _, _, err := LoadConfig(configFiles(t, wrong.String())); err == nil || strings.Count(err.Error(), "\n") != maxConfigErrors-1 {
		t.Errorf("a flood of mistakes must not flood the message")
	}
}

func TestDefaultSources(t *testing.T) {
	tests := []struct {
		name, xdg, home, project string
		want                     []string
		reason                   string
	}{
		{"all", "/x", "/h", "/p", []string{"org /etc/stophook/config.yaml", "user /x/stophook/config.yaml", "project /p/.stophook/config.yaml"}, "highest first"},
		{"home", "", "/h", "/p", []string{"org /etc/stophook/config.yaml", "user /h/.config/stophook/config.yaml", "project /p/.stophook/config.yaml"}, "XDG's default"},
		{"relative xdg", "x", "/h", "", []string{"org /etc/stophook/config.yaml", "user /h/.config/stophook/config.yaml"}, "XDG asks for absolute paths"},
		{"nobody", "", "", "", []string{"org /etc/stophook/config.yaml"}, "no home, no project"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range DefaultSources(func(string) string { return tt.xdg }, tt.home, tt.project) {
				got = append(got, s.Layer+" "+s.Path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestValidate_RG3_GoBuiltConfigs(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		key    string
	}{
		{"deferral", func(c *Config) { c.DeferMinutes = 31 }, "defer_minutes"},
		{"cap", func(c *Config) { c.RemediationCap = 0 }, "remediation_cap"},
		{"closing", func(c *Config) { c.Closing = "" }, "closing"},
		{"rule", func(c *Config) { c.Rules = map[string]RuleConfig{"x": {Severity: "loud"}} }, "rules.x.severity"},
		{"mask", func(c *Config) { c.Log.Mask = []decisionlog.Mask{{Op: "drop", Path: "/input"}} }, "log.mask"},
		{"params", func(c *Config) { c.Params = map[string]any{"f": func() {}} }, "params"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := DefaultConfig()
			tt.change(&c)
			var ce *ConfigError
			if err := c.Validate(); !errors.As(err, &ce) || ce.Key != tt.key || ce.Line != 0 {
				t.Errorf("got %v", err)
			}
		})
	}
	if err := (Config{}).Validate(); err == nil {
		t.Error("the zero value is out of bounds")
	}
}

func FuzzParseDocument(f *testing.F) {
	for _, s := range []string{"", "a: 1", "{\"a\": [1, null]}", "rules: {x: {severity: off}}", "log: {mask: [/input]}", "a: &b\n- *b"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := parseDocument(data)
		if err != nil {
			_ = syntaxError("f", err).Error()
			return
		}
		settings, _ := parseSettings(root, "f")
		var m configMerger
		for i := range settings {
			m.add("f", &settings[i])
		}
		cfg := DefaultConfig()
		for _, key := range m.order {
			cfg.set(key, m.inForce[key].value)
		}
		if err := cfg.Validate(); err != nil {
			t.Fatalf("a loaded config is out of bounds: %v", err)
		}
	})
}

// rapidConfig is a file as a list of key: value lines, each valid.
func rapidConfig(t *rapid.T, label string) map[string]any {
	out := map[string]any{}
	for _, spec := range configSpecs() {
		if spec.kind == keyMasks || !rapid.Bool().Draw(t, label+spec.path) {
			continue
		}
		switch spec.kind {
		case keyInt:
			out[spec.path] = rapid.Int64Range(spec.min, spec.max).Draw(t, "int")
		case keyBool:
			out[spec.path] = rapid.Bool().Draw(t, "bool")
		default:
			out[spec.path] = rapid.SampledFrom(spec.values).Draw(t, "enum")
		}
	}
	return out
}
