//go:build !unix

package evidence

import (
	"errors"
	"fmt"
)

// Without openat and flock the promises of this package cannot be kept, so
// every session answers errors.ErrUnsupported; a hook then reports that its
// evidence is unavailable and allows.

type folder struct{ path string }

type file struct {
	path string
	size int64
}

type openMode int

const (
	forRead openMode = iota
	forAppend
	forLock
	forExclusive
)

func openFolder(base string, _ []string, _ bool) (folder, error) {
	return folder{}, fmt.Errorf("session evidence in %s: this system has no flock: %w", base, errors.ErrUnsupported)
}

func (folder) close()                              {}
func (folder) open(string, openMode) (file, error) { return file{}, errors.ErrUnsupported }
func (folder) exists(string) (bool, error)         { return false, errors.ErrUnsupported }
func (folder) rename(string, string) error         { return errors.ErrUnsupported }
func (folder) remove(string) error                 { return errors.ErrUnsupported }
func (folder) removeFolder(string) error           { return errors.ErrUnsupported }
func (folder) list() ([]string, error)             { return nil, errors.ErrUnsupported }
func (file) close() error                          { return nil }
func (file) readFrom(int64) ([]byte, error)        { return nil, errors.ErrUnsupported }
func (file) write([]byte) error                    { return errors.ErrUnsupported }
func (file) tryLock() (bool, error)                { return false, errors.ErrUnsupported }
func (file) unlock()                               {}
