package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/stophook/stophook/policy/evidence"
)

const (
	diskFull = 1 << 20  // bytes; below it the next write fails
	diskLow  = 64 << 20 // bytes; the decision log alone may take 48 MiB
)

// state looks at the folder of evidence and logs.
func (e *exam) state() {
	if e.StateDir == "" {
		e.add(Finding{ID: "state_unknown", Severity: Error, Title: "no folder for evidence is known, so no turn can be held", Todo: "set HOME, or XDG_STATE_HOME to an absolute path"})
		return
	}
	before := len(e.report.Findings)
	info, err := os.Stat(e.StateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.writable(nearest(e.StateDir), "will be made below")
		e.disk(nearest(e.StateDir))
		e.stateWorks(before, "evidence can be kept, in a folder that is made at the first stop")
		return
	case err != nil:
		e.add(Finding{ID: "state_unreadable", Severity: Error, Title: "the state folder cannot be reached, so no turn can be held", Detail: err.Error(),
			File: e.StateDir, Todo: "make it readable for the user who runs the agent"})
		return
	case !info.IsDir():
		e.add(Finding{ID: "state_no_folder", Severity: Error, Title: "the state folder is a file, so no turn can be held", File: e.StateDir, Todo: "move the file away"})
		return
	case e.Mine != nil && !e.Mine(info):
		e.add(Finding{ID: "state_not_yours", Severity: Error, Title: "the state folder belongs to somebody else, who can change what proves a turn",
			File: e.StateDir, Todo: "move it away; stophook makes one of your own"})
		return
	}
	e.open(info)
	e.links()
	e.writable(e.StateDir, "is")
	e.disk(e.StateDir)
	e.stateWorks(before, "evidence can be kept")
	e.oldSessions()
}

// stateWorks says that all is well, when nothing was found since.
func (e *exam) stateWorks(since int, title string) {
	if len(e.report.Findings) == since {
		e.add(Finding{ID: "state", Severity: OK, Title: title, File: e.StateDir})
	}
}

// open finds folders that others can look into, and closes them on request.
func (e *exam) open(info fs.FileInfo) {
	dirs := []string{e.StateDir}
	infos := []fs.FileInfo{info}
	if sub, err := os.Lstat(filepath.Join(e.StateDir, "sessions")); err == nil && sub.IsDir() {
		dirs, infos = append(dirs, filepath.Join(e.StateDir, "sessions")), append(infos, sub)
	}
	for i, dir := range dirs {
		mode := infos[i].Mode().Perm()
		if e.Env.GOOS == "windows" || mode&0o077 == 0 {
			continue
		}
		f := Finding{ID: "state_open", Severity: Warning, Title: fmt.Sprintf("others can look into the state folder (mode %04o)", mode), File: dir,
			Todo: "chmod 700 " + dir}
		if mode&0o022 != 0 {
			f.Severity, f.Title = Error, fmt.Sprintf("others can write into the state folder (mode %04o), and so forge or remove evidence", mode)
		}
		f.repair = func() (string, error) {
			if err := os.Chmod(dir, 0o700); err != nil {
				return "", err
			}
			return fmt.Sprintf("%s is closed to others (%04o to 0700)", dir, mode), nil
		}
		e.add(f)
	}
}

// links finds what stophook refuses to write through.
func (e *exam) links() {
	for name, wanted := range map[string]fs.FileMode{"sessions": fs.ModeDir, "decisions.jsonl": 0} {
		path := filepath.Join(e.StateDir, name)
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Type() == wanted {
			continue
		}
		what := "is not what it should be"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "is a symbolic link"
		}
		f := Finding{ID: "state_link", Severity: Error, Title: fmt.Sprintf("%s %s, so no evidence can be kept", name, what), File: path, Todo: "remove it"}
		if name != "sessions" {
			f.Severity, f.Title = Warning, fmt.Sprintf("%s %s, so no decision is logged", name, what)
		}
		e.add(f)
	}
}

// writable tries to make a file, which is the one answer that is never wrong.
func (e *exam) writable(dir, how string) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		e.add(Finding{ID: "state_unwritable", Severity: Error, Title: "the state folder cannot be written, so no turn can be held",
			Detail: fmt.Sprintf("It %s %s: %v", how, dir, err), File: e.StateDir, Todo: "make it writable for the user who runs the agent, or set XDG_STATE_HOME"})
	}
}

func (e *exam) disk(dir string) {
	if e.Free == nil {
		return
	}
	free, err := e.Free(dir)
	if err != nil || free >= diskLow {
		return
	}
	f := Finding{ID: "disk_full", Severity: Warning, Title: fmt.Sprintf("the disk of the state folder is almost full: %d MiB are left", free>>20), File: dir,
		Todo: "make room; `stophook sessions --prune 30d` removes what is kept of old sessions"}
	if free < diskFull {
		f.Severity, f.Title = Error, "the disk of the state folder is full, so no turn can be held"
	}
	e.add(f)
}

// oldSessions finds what nobody will ask for again.
func (e *exam) oldSessions() {
	store := evidence.Store{Dir: e.StateDir, Now: e.Now}
	folders, err := store.Folders()
	if err != nil {
		return // links has told why
	}
	before := e.Now().Add(-prunedAge)
	old, size := 0, int64(0)
	for _, f := range folders {
		if f.Changed.Before(before) {
			old++
			size += f.Size
		}
	}
	if old == 0 {
		return
	}
	e.add(Finding{ID: "old_sessions", Severity: Note, Title: fmt.Sprintf("evidence of %d sessions is older than 30 days (%d KiB)", old, (size+1023)>>10),
		File: filepath.Join(e.StateDir, "sessions"), Todo: "run `stophook sessions --prune 30d`",
		repair: func() (string, error) {
			told, err := store.Prune(before, false)
			gone := 0
			for _, p := range told {
				if p.Kept == "" {
					gone++
				}
			}
			return fmt.Sprintf("%d of %d old sessions were removed", gone, len(told)), err
		}})
}

// nearest is the deepest folder on the way to dir that exists.
func nearest(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}
