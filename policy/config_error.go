package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stophook/stophook/internal/nearest"
)

// What can be wrong with a config file. Every [ConfigError] wraps one of these.
var (
	ErrConfigUnreadable = errors.New("config file cannot be read")
	ErrConfigSyntax     = errors.New("config file is broken")
	ErrConfigUnknownKey = errors.New("unknown config key")
	ErrConfigType       = errors.New("config value has the wrong type")
	ErrConfigRange      = errors.New("config value is out of bounds")
)

// ConfigError is one thing wrong with one config file. Its message has the form
// FILE:LINE: KEY: what is wrong, what is allowed: what to do.
type ConfigError struct {
	File    string // empty for a Config built in Go
	Line    int    // from 1; 0 when unknown
	Key     string // dotted path, such as log.max_bytes; empty when the whole file is meant
	Value   string // as written, strings quoted and cut
	Allowed string // the allowed range or values, in words
	Problem string // what is wrong
	Advice  string // what to do next
	Err     error  // one of the sentinels above, possibly wrapping a cause
}

// Error implements error.
func (e *ConfigError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(fileLine(e.File, e.Line))
		b.WriteString(": ")
	}
	if e.Key != "" {
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	b.WriteString(e.Problem)
	if e.Allowed != "" {
		b.WriteString(", allowed is ")
		b.WriteString(e.Allowed)
	}
	if e.Advice != "" {
		b.WriteString(": ")
		b.WriteString(e.Advice)
	}
	return b.String()
}

// Unwrap gives the sentinel.
func (e *ConfigError) Unwrap() error { return e.Err }

// Warning tells that a lower layer tried to loosen, or to change, what a higher
// layer had decided. The higher layer's value stays.
type Warning struct {
	Key       string
	File      string // the lower layer's file, and its line
	Line      int
	Value     string // what it asked for
	KeptFile  string // the file whose value stays, and its line
	KeptLine  int
	KeptValue string
	// Neutral is set when neither value is stricter (block_style, params): then
	// the higher layer simply wins.
	Neutral bool
}

// String is the warning in one line, naming both files and what to do.
func (w Warning) String() string {
	at, kept := fileLine(w.File, w.Line), fileLine(w.KeptFile, w.KeptLine)
	if w.Neutral {
		return fmt.Sprintf("%s: %s: %s is ignored, %s from %s stays (the higher file decides): remove the line",
			at, w.Key, w.Value, w.KeptValue, kept)
	}
	return fmt.Sprintf("%s: %s: %s would loosen %s from %s, which stays (a lower file may only tighten): remove the line or ask for the other file to be changed",
		at, w.Key, w.Value, w.KeptValue, kept)
}

func fileLine(file string, line int) string {
	if line <= 0 {
		return file
	}
	return file + ":" + strconv.Itoa(line)
}

// showValue prints a value for a message: short, and strings in quotes so that an
// empty one or a stray blank can be seen.
func showValue(v any) string {
	const limit = 60
	s, isString := v.(string)
	if !isString {
		s = fmt.Sprint(v)
	}
	cut := len(s) > limit
	if cut {
		s = strings.ToValidUTF8(s[:limit], "")
	}
	if isString {
		s = strconv.Quote(s)
	}
	if cut {
		s += "..."
	}
	return s
}

// nearestKey is the candidate that was probably meant, or "" when none is close. A
// key that is right but stands at the wrong level is found by its last part.
func nearestKey(key string, here []string, everywhere []string) string {
	if near := nearest.Word(key, here); near != "" {
		return near
	}
	last := strings.ToLower(strings.ReplaceAll(key, "-", "_"))
	for _, c := range everywhere {
		if c[strings.LastIndexByte(c, '.')+1:] == last {
			return c
		}
	}
	return ""
}
