package proc

import (
	"errors"
	"fmt"
	"os"
)

// Missing is what of a command's output is not in its log.
type Missing struct {
	Past   int64 // bytes dropped, past the limit
	Lost   int64 // bytes that could not be written
	Failed error // why, the first time
}

// CloseLog ends a log: marker on a line of its own when output was dropped
// (EX-39), then the file is closed. It says, in sentences, what is missing from
// it, and whether the name that the log had leads elsewhere by now. The file must
// be readable.
func CloseLog(file *os.File, path, marker string, m Missing) (warnings []string) {
	if m.Past > 0 {
		if err := writeMarker(file, marker); err != nil {
			warnings = append(warnings, fmt.Sprintf("the note of %d dropped bytes could not be written to the output file: %v", m.Past, err))
		}
	}
	gone := isGone(file, path)
	if err := file.Close(); err != nil && m.Failed == nil {
		m.Failed = err
	}
	switch {
	case m.Lost > 0:
		warnings = append(warnings, fmt.Sprintf("%d bytes of output could not be written to the output file: %v", m.Lost, m.Failed))
	case m.Failed != nil:
		warnings = append(warnings, fmt.Sprintf("the end of the output may be missing from its file: %v", m.Failed))
	}
	if gone {
		warnings = append(warnings, "the output file was removed or replaced while the command ran: its output is lost")
	}
	return warnings
}

// writeMarker looks at how the file ends: nobody has to remember it.
func writeMarker(file *os.File, marker string) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if size := info.Size(); size > 0 {
		var last [1]byte
		if _, err := file.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			marker = "\n" + marker
		}
	}
	_, err = file.WriteString(marker)
	return err
}

// isGone tells whether a name leads to another file or to none.
func isGone(file *os.File, path string) bool {
	ours, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(ours, named)
}
