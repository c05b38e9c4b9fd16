package policy

import (
	"errors"
	"maps"
	"time"

	"github.com/stophook/stophook/policy/decisionlog"
)

// The closed sets of the enumerated keys. Within a set the constants are listed
// from the loosest to the strictest, which is also the order of layering.
const (
	ClosingEnded   = "ended"    // only a notice that the host carried closes a handoff
	ClosingAnyText = "any_text" // any notification text that names the task closes it

	TaskScopeSession = "session" // a task is declared once a session
	TaskScopeTurn    = "turn"    // and again for every human prompt

	BlockStyleDecision = "decision" // a block is sent as a decision
	BlockStyleFeedback = "feedback" // a block is sent as additional context

	SeverityOff     = "off"
	SeverityObserve = "observe"
	SeverityWarn    = "warn"
	SeverityBlock   = "block"

	FailOpen   = "open"
	FailClosed = "closed"
)

// The bounds of RG-3. They are constants and not configuration on purpose: no
// file can defer longer than 30 minutes (002, D-35), and the cap stays below the
// host's own 8 blocks (D-38).
const (
	MinDeferMinutes = 1
	MaxDeferMinutes = 30

	MinRemediationCap = 1
	MaxRemediationCap = 7

	MinWindowBytes = 64 << 10
	MaxWindowBytes = 64 << 20

	MinBoxWindowBytes = 4 << 10
	MaxBoxWindowBytes = 8 << 20

	MinLogBytes = 64 << 10
	MaxLogBytes = 1 << 30
)

// Config is `stophook.config/v1`: every threshold and switch that a user may
// set, as data (RG-3). Start from [DefaultConfig] or [LoadConfig]; the zero value
// is out of bounds. A Config is a plain value; it may be shared as long as
// nobody writes to its maps.
type Config struct {
	// DeferMinutes is how long an open handoff defers, in minutes, 1 to 30;
	// default 30 (D-35).
	DeferMinutes int `json:"defer_minutes"`
	// RemediationCap is how many blocks in a row one cycle may have, 1 to 7;
	// default 5 (D-38). The stop after the last one passes with a message.
	RemediationCap int `json:"remediation_cap"`
	// Closing says what ends a handoff: any_text (default, the rule of the ADR)
	// or ended.
	Closing string `json:"closing"`
	// TaskScope says how often a task must be declared: session (default) or turn.
	TaskScope string `json:"task_scope"`
	// BoxOnProse demands the status box on turns without tool calls too; default
	// false (D-39).
	BoxOnProse bool `json:"box_on_prose"`
	// RequireGitFinalization makes the status check refuse while owned work is
	// not committed and pushed; default false (PO-2).
	RequireGitFinalization bool `json:"require_git_finalization"`
	// BlockStyle is how a block is written on the wire: decision (default) or
	// feedback.
	BlockStyle string `json:"block_style"`
	// WindowBytes is how much of the transcript's end is read, in bytes, 64 KiB to
	// 64 MiB; default 8 MiB (TR-1, D-32).
	WindowBytes int64 `json:"window_bytes"`
	// BoxWindowBytes is the window of the status box, in bytes, 4 KiB to 8 MiB;
	// default 256 KiB (TR-13, D-32).
	BoxWindowBytes int64 `json:"box_window_bytes"`
	// Rules overrides single rules by name. A rule that is not listed has the
	// severity of its METADATA and fails open.
	Rules map[string]RuleConfig `json:"rules"`
	// Log configures the decision log.
	Log LogConfig `json:"log"`
	// Params is handed to policies as it is; nothing of ours reads it.
	Params map[string]any `json:"params"`
}

// RuleConfig overrides one rule. An empty field leaves the rule's own value.
type RuleConfig struct {
	Severity string `json:"severity,omitempty"` // block, warn, observe or off
	Fail     string `json:"fail,omitempty"`     // open or closed: what a rule that cannot run means
}

// LogConfig configures the decision log.
type LogConfig struct {
	// Mask lists what is erased or replaced in logged events, in OPA's syntax.
	Mask []decisionlog.Mask `json:"mask"`
	// Enabled is whether decisions are logged; default true.
	Enabled bool `json:"enabled"`
	// MaxBytes is the size in bytes at which the log rotates, 64 KiB to 1 GiB;
	// default 16 MiB.
	MaxBytes int64 `json:"max_bytes"`
}

// DefaultConfig is the configuration of a machine without any config file. Its
// maps are fresh and belong to the caller.
func DefaultConfig() Config {
	return Config{
		DeferMinutes:   30,
		RemediationCap: 5,
		Closing:        ClosingAnyText,
		TaskScope:      TaskScopeSession,
		BlockStyle:     BlockStyleDecision,
		WindowBytes:    8 << 20,
		BoxWindowBytes: 256 << 10,
		Rules:          map[string]RuleConfig{},
		Log:            LogConfig{Enabled: true, MaxBytes: decisionlog.DefaultMaxBytes},
		Params:         map[string]any{},
	}
}

// DeferFor is DeferMinutes as a duration.
func (c Config) DeferFor() time.Duration { return time.Duration(c.DeferMinutes) * time.Minute }

// Effective is the configuration as the input document carries it: every key is
// there, numbers are int or whatever the file's params held (int64, float64,
// json.Number), and the result shares only the values of Params with c.
// A rule override holds the keys that were set, and no others, because the
// default of a severity is known to the rule alone.
func (c Config) Effective() map[string]any {
	rules := make(map[string]any, len(c.Rules))
	for name, r := range c.Rules {
		m := make(map[string]any, 2)
		if r.Severity != "" {
			m["severity"] = r.Severity
		}
		if r.Fail != "" {
			m["fail"] = r.Fail
		}
		rules[name] = m
	}
	mask := make([]any, 0, len(c.Log.Mask))
	for _, m := range c.Log.Mask {
		mask = append(mask, m.Document())
	}
	params := make(map[string]any, len(c.Params))
	maps.Copy(params, c.Params)
	return map[string]any{
		"defer_minutes":            c.DeferMinutes,
		"remediation_cap":          c.RemediationCap,
		"closing":                  c.Closing,
		"task_scope":               c.TaskScope,
		"box_on_prose":             c.BoxOnProse,
		"require_git_finalization": c.RequireGitFinalization,
		"block_style":              c.BlockStyle,
		"window_bytes":             int(c.WindowBytes),
		"box_window_bytes":         int(c.BoxWindowBytes),
		"rules":                    rules,
		"log":                      map[string]any{"mask": mask, "enabled": c.Log.Enabled, "max_bytes": int(c.Log.MaxBytes)},
		"params":                   params,
	}
}

// Validate checks the bounds of a Config that was built in Go instead of read
// from files. It returns the same typed errors as [LoadConfig] (joined
// [ConfigError] values), with no file and no line in them.
func (c Config) Validate() error {
	root, err := nodeOf(c.Effective())
	if err != nil {
		return &ConfigError{Key: "params", Problem: err.Error(), Advice: "use what JSON can hold", Err: ErrConfigType}
	}
	_, errs := parseSettings(root, "")
	return errors.Join(errs...)
}
