package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrChanged is a file that somebody changed between the plan and its execution.
// Nothing was written; plan again.
var ErrChanged = errors.New("the file changed meanwhile")

// Apply writes the change: the file is saved to Backup first, then replaced in one
// step with its mode. Folders that are missing are made. A file that is not as it
// was when the change was planned is left alone, with [ErrChanged].
func (c *Change) Apply() error {
	if !c.Changes() {
		return nil
	}
	if err := c.unchanged(); err != nil {
		return err
	}
	if err := c.save(); err != nil {
		return err
	}
	if c.After == nil {
		if err := os.Remove(c.Target); err != nil {
			return fmt.Errorf("%s: cannot be removed: %w; remove it by hand", c.Path, pathless(err))
		}
	} else if err := c.replace(); err != nil {
		return err
	}
	for _, name := range c.drop {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: not needed any more and cannot be removed: %w", name, pathless(err))
		}
	}
	return nil
}

// unchanged compares the file with what the plan saw.
func (c *Change) unchanged() error {
	text, exists, err := readFile(c.Target)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Path, err)
	}
	if exists != c.Exists || !bytes.Equal(text, c.Before) {
		return fmt.Errorf("%s: %w, nothing was written; run this again", c.Path, ErrChanged)
	}
	return nil
}

// save writes the backup. A backup of an earlier life is moved out of the way of a
// file that did not exist, because it would be taken for what was there before.
func (c *Change) save() error {
	if !c.Exists && !c.removes {
		err := os.Rename(c.Path+backupSuffix, c.Path+previousSuffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: an old backup cannot be moved: %w", c.Path+backupSuffix, pathless(err))
		}
	}
	if c.Backup == "" {
		return nil
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(c.Target); err == nil {
		mode = info.Mode().Perm()
	}
	if err := write(c.Backup, c.Before, mode, nil); err != nil {
		return fmt.Errorf("%s: no backup can be written beside the settings, so they stay as they are: %w; make the folder writable", c.Backup, pathless(err))
	}
	return nil
}

// replace writes the new file beside the old one and renames it.
func (c *Change) replace() error {
	mode := fs.FileMode(0)
	var owner fs.FileInfo
	if info, err := os.Stat(c.Target); err == nil {
		mode, owner = info.Mode().Perm(), info
	}
	if err := os.MkdirAll(filepath.Dir(c.Target), 0o755); err != nil {
		return fmt.Errorf("%s: no folder for the settings: %w", c.Path, err)
	}
	err := write(c.Target, c.After, mode, owner)
	if err == nil {
		return nil
	}
	advice := "make the folder writable, or write the entries by hand (--dry-run shows them)"
	if c.Target != c.Path {
		advice = "it is a link to " + c.Target + "; " + advice
	}
	return fmt.Errorf("%s: cannot be written: %w; %s", c.Path, pathless(err), advice)
}

// write makes a file in one step. Mode 0 is that of any new file; owner is whose
// the file was, for a person who runs this as root.
func write(name string, data []byte, mode fs.FileMode, owner fs.FileInfo) error {
	f, err := beside(name)
	if err != nil {
		return err
	}
	temp := f.Name()
	defer os.Remove(temp) // nothing is there once it was renamed
	_, err = f.Write(data)
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if owner != nil {
		err = errors.Join(err, keepOwner(f, owner))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(temp, name)
}

// beside makes a new file in the folder of another. Unlike os.CreateTemp it leaves
// the mode to the person's umask.
func beside(name string) (*os.File, error) {
	for i := 0; ; i++ {
		temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d.stophook-new", filepath.Base(name), os.Getpid(), i))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil || !errors.Is(err, fs.ErrExist) || i == 100 {
			return f, err
		}
	}
}
