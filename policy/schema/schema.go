// Package schema holds the JSON Schemas of the documents that stophook reads and
// writes: input (what policies see), decision (what they answer), config (what
// users set) and facts (what `stophook scan --json` prints).
//
// Start with [Get]. There is nothing to decide, and nothing is parsed here: a
// schema is a text in the program.
//
// What is promised: within one version (the v1 of the file's name) keys are only
// added, every property has a description, and objects of ours admit no other
// keys than those listed. Free are only what hosts and policy authors fill: hook,
// tool.input, params, and extra keys of a task. The dialect is draft-07, the
// newest that OPA's own checker knows, so the input schema also serves to check
// policies against it (`opa check --schema`); properties that are free for that
// checker too stand without a list of keys.
package schema

import (
	"embed"
	"errors"
	"fmt"
	"strings"
)

//go:embed input.v1.json decision.v1.json config.v1.json facts.v1.json
var files embed.FS

// ErrUnknown is wrapped when there is no schema of a name.
var ErrUnknown = errors.New("unknown schema")

// Names lists the schemas, in the order in which a reader meets them.
func Names() []string { return []string{"input", "decision", "config", "facts"} }

// Get returns the current schema of a document as JSON text, which the caller
// may change. The name is one of [Names]; "stophook.input/v1", as documents call
// themselves, works as well.
func Get(name string) ([]byte, error) {
	short := Short(name)
	for _, known := range Names() {
		if short == known {
			return files.ReadFile(short + ".v1.json")
		}
	}
	return nil, fmt.Errorf("%w %q: use one of %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

// Short is the name of [Names] for a name that [Get] takes; it does not check that
// there is one.
func Short(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "stophook."), "/v1")
}
