package install

import "errors"

// Plan works out an installation. Nothing is written. A Change whose Before equals
// its After has nothing to do.
func Plan(opts Options) (*Change, error) { return nil, errors.New("not built yet") }

// PlanRemove works out how to take every entry of ours out of one file.
func PlanRemove(opts Options) (*Change, error) { return nil, errors.New("not built yet") }

// Apply writes the change.
func (c *Change) Apply() error { return errors.New("not built yet") }

// Files lists every settings file that is known for this machine and project,
// whether it exists or not.
func Files(env Env) []File { return nil }

// Found lists the entries that call stophook in all of [Files], in their order. A
// file that cannot be read or parsed is part of the error, and the entries of the
// others come back with it.
func Found(env Env) ([]Entry, error) { return nil, nil }
