package hookio

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

// EnvVar is one variable for the tool calls of a session.
type EnvVar struct{ Name, Value string }

// AppendEnvFile adds `export NAME='value'` lines to the file that the host names
// in CLAUDE_ENV_FILE (claude-code section 8), where later shell calls of the
// session find them. All lines go out in one append, so that hooks which run
// beside this one cannot tear them. A variable whose last line in the file already
// says the same is left out, which makes a second call (resume, clear) free.
//
// The file is created with mode 0600 when it does not exist; its directory is not.
// Errors: [ErrNoEnvFile] for an empty path, [ErrEnvVar] for a name that is no shell
// name or a value with a line break or NUL, else the file's own. On an error
// nothing was written, except that a full disk can leave a part.
func AppendEnvFile(path string, vars ...EnvVar) (err error) {
	if path == "" {
		return ErrNoEnvFile
	}
	for _, v := range vars {
		if err := v.check(); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("environment file: %w", err)
	}
	defer func() {
		if cerr := f.Close(); cerr != nil && err == nil {
			err = fmt.Errorf("environment file: %w", cerr)
		}
	}()
	if info, err := f.Stat(); err != nil {
		return fmt.Errorf("environment file: %w", err)
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("environment file %s: not a regular file", path)
	}
	old, err := io.ReadAll(f)
	if err != nil {
		return fmt.Errorf("environment file: %w", err)
	}
	add := missing(old, vars)
	if len(add) == 0 {
		return nil
	}
	if _, err := f.Write(add); err != nil {
		return fmt.Errorf("environment file: %w", err)
	}
	return nil
}

// missing gives the lines that old does not end up with, ready to append.
func missing(old []byte, vars []EnvVar) []byte {
	var add []byte
	if n := len(old); n > 0 && old[n-1] != '\n' {
		// Somebody's last line is open; ours must not become its tail.
		add = append(add, '\n')
	}
	open := len(add)
	for _, v := range vars {
		line := v.line()
		if last := lastExport(add, v.Name); last != "" {
			if last == line {
				continue
			}
		} else if lastExport(old, v.Name) == line {
			continue
		}
		add = append(append(add, line...), '\n')
	}
	if len(add) == open {
		return nil
	}
	return add
}

// lastExport is the last line of text that exports name: in a shell the last
// assignment wins, so an earlier equal line proves nothing.
func lastExport(text []byte, name string) string {
	start := []byte("export " + name + "=")
	last := ""
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		if line = bytes.TrimRight(line, " \t\r"); bytes.HasPrefix(line, start) {
			last = string(line)
		}
	}
	return last
}

func (v EnvVar) check() error {
	for i := range len(v.Name) {
		switch c := v.Name[i]; {
		case c == '_', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', i > 0 && c >= '0' && c <= '9':
		default:
			return fmt.Errorf("%w: %q is no shell name: letters, digits and _, no digit first", ErrEnvVar, v.Name)
		}
	}
	if v.Name == "" {
		return fmt.Errorf("%w: the name is empty", ErrEnvVar)
	}
	if strings.ContainsAny(v.Value, "\n\r\x00") {
		return fmt.Errorf("%w: the value of %s holds a line break or NUL", ErrEnvVar, v.Name)
	}
	return nil
}

// line quotes the value for any POSIX shell: inside single quotes only the single
// quote itself means something.
func (v EnvVar) line() string {
	return "export " + v.Name + "='" + strings.ReplaceAll(v.Value, "'", `'\''`) + "'"
}
