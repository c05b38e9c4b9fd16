package session

import (
	"fmt"
	"io/fs"
)

// LockedError says that somebody else holds a session, or a subagent's thread,
// for writing.
type LockedError struct {
	ID   string
	PID  int // of the holder; 0: unknown
	Path string
}

func (e *LockedError) Error() string {
	if e.PID > 0 {
		return fmt.Sprintf("session: %s is in use by process %d: end it, or fork the session", e.ID, e.PID)
	}
	return fmt.Sprintf("session: %s is in use by another process: end it, or fork the session", e.ID)
}

// NotFoundError says that there is no such session. It is fs.ErrNotExist.
type NotFoundError struct {
	ID string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("session: there is no session %s: list them to see which there are", e.ID)
}

// Is makes the error fs.ErrNotExist.
func (e *NotFoundError) Is(target error) bool { return target == fs.ErrNotExist }

// RowTooLongError says that a row was not written because readers would skip it.
type RowTooLongError struct {
	Size, Max int // bytes
}

func (e *RowTooLongError) Error() string {
	return fmt.Sprintf("session: a row of %d bytes is above the limit of %d: shorten the result before recording it", e.Size, e.Max)
}
