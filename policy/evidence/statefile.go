package evidence

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

// ErrStateUnknown means that state.json cannot be understood, so how often this
// session was blocked is unknown. Whoever gets it must not block (D-38).
var ErrStateUnknown = errors.New("the session's state is unknown")

// CorruptStateError tells where a state was that could not be understood. It is
// [ErrStateUnknown].
type CorruptStateError struct {
	Path    string
	MovedTo string // where [Session.Update] put it; empty from [Session.Load]
	Err     error
}

func (e *CorruptStateError) Error() string {
	if e.MovedTo != "" {
		return fmt.Sprintf("%s is corrupt (%v); it was moved to %s and a new one begins", e.Path, e.Err, e.MovedTo)
	}
	return fmt.Sprintf("%s is corrupt: %v", e.Path, e.Err)
}

// Unwrap gives ErrStateUnknown and the cause.
func (e *CorruptStateError) Unwrap() []error { return []error{ErrStateUnknown, e.Err} }

const (
	stateName    = "state.json"
	stateTemp    = "state.json.tmp"
	stateCorrupt = "state.json.corrupt"
	maxState     = 64 << 10 // bytes; ours has some 300
	maxCorrupt   = 100      // copies kept aside before a person must look
)

// Load reads the state without a lock, which is safe because it is only ever
// replaced whole. No file is a fresh state. A corrupt one is a
// [*CorruptStateError]; it stays in place until the next [Session.Update] moves
// it, so call that too, or the session never gets a state again.
func (s *Session) Load() (State, error) {
	dir, err := s.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return State{V: stateVersion}, nil
	}
	if err != nil {
		return State{}, err
	}
	defer dir.close()
	st, _, err := loadState(dir)
	return st, err
}

func loadState(dir folder) (State, []byte, error) {
	f, err := dir.open(stateName, forRead)
	if errors.Is(err, fs.ErrNotExist) {
		return State{V: stateVersion}, nil, nil
	}
	if err != nil {
		return State{}, nil, err
	}
	defer f.close()
	if f.size > maxState {
		return State{}, nil, &CorruptStateError{Path: f.path, Err: fmt.Errorf("%d bytes are too many", f.size)}
	}
	data, err := f.readFrom(0)
	if err != nil {
		return State{}, nil, err
	}
	var st State
	if err := st.UnmarshalJSON(bytes.TrimPrefix(data, []byte(byteOrderMark))); err != nil {
		return State{}, nil, &CorruptStateError{Path: f.path, Err: err}
	}
	return st, data, nil
}

// Update changes the state under the session's lock. fn sees the state as it is
// now, and an error of fn leaves it as it was. A state that fn did not change is
// not written.
//
// A caller that wants to block must count here first and block only when Update
// returned nil. A corrupt state is moved aside, fn is not called, and the
// [*CorruptStateError] makes this stop pass; the next one starts counting at 0,
// so there are never more consecutive blocks than the cap (D-38).
func (s *Session) Update(ctx context.Context, fn func(*State) error) error {
	return s.locked(ctx, func(dir folder) error {
		st, before, err := loadState(dir)
		if corrupt := (*CorruptStateError)(nil); errors.As(err, &corrupt) {
			return setAside(dir, corrupt)
		}
		if err != nil {
			return err
		}
		if err := fn(&st); err != nil {
			return err
		}
		after, err := st.MarshalJSON()
		if err != nil {
			return err
		}
		if after = append(after, '\n'); bytes.Equal(before, after) {
			return nil
		}
		if len(after) > maxState {
			return fmt.Errorf("the new state of %s has %d bytes, more than %d", dir.path, len(after), maxState)
		}
		return replaceState(dir, after)
	})
}

func replaceState(dir folder, data []byte) error {
	f, err := dir.open(stateTemp, forExclusive)
	if errors.Is(err, fs.ErrExist) {
		// Left by a crash, or planted: never written to, always made anew.
		if err := dir.remove(stateTemp); err != nil {
			return fmt.Errorf("remove the old %s in %s: %w", stateTemp, dir.path, err)
		}
		f, err = dir.open(stateTemp, forExclusive)
	}
	if err != nil {
		return err
	}
	if err := f.write(data); err != nil {
		f.close()
		return err
	}
	if err := f.close(); err != nil {
		return fmt.Errorf("close %s: %w", f.path, err)
	}
	return dir.rename(stateTemp, stateName)
}

// setAside keeps every corrupt state under a name of its own.
func setAside(dir folder, corrupt *CorruptStateError) error {
	for n := 1; n <= maxCorrupt; n++ {
		name := stateCorrupt
		if n > 1 {
			name += "." + strconv.Itoa(n)
		}
		taken, err := dir.exists(name)
		if err != nil {
			return errors.Join(corrupt, err)
		}
		if taken {
			continue
		}
		if err := dir.rename(stateName, name); err != nil {
			return errors.Join(corrupt, err)
		}
		corrupt.MovedTo = filepath.Join(filepath.Dir(corrupt.Path), name)
		return corrupt
	}
	return fmt.Errorf("%w; %d older ones lie beside it: find out what damages them, then remove them", corrupt, maxCorrupt)
}
