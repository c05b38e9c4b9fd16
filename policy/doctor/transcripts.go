package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

const (
	clockSlack = 2 * time.Minute // how far a stamp may lie ahead
	stampTail  = 256 << 10       // bytes of a transcript that are searched for its last stamp
)

// transcripts looks at the folders in which hosts keep sessions, and holds the
// clock against what they wrote last: the age of a handoff is told by it.
func (e *exam) transcripts() {
	for _, host := range []hookio.Host{hookio.HostClaudeCode, hookio.HostCodex} {
		dir, pattern := e.transcriptDir(host)
		if dir == "" || !e.has(host) {
			continue
		}
		_, err := os.ReadDir(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.add(Finding{ID: "transcripts_missing", Severity: Note, Title: fmt.Sprintf("%s has kept no session of this person yet", install.Title(host)),
				Detail: "A turn whose transcript cannot be read is let go.", File: dir,
				Todo: "if it has run here, see whether it runs with another HOME, or in a container"})
		case err != nil:
			e.add(Finding{ID: "transcripts_unreadable", Severity: Error, Title: fmt.Sprintf("the sessions of %s cannot be read, so every turn is let go", install.Title(host)),
				Detail: err.Error(), File: dir, Todo: "make the folder readable for the user who runs the agent"})
		default:
			e.newest(host, dir, pattern)
		}
	}
}

// transcriptDir is where a host keeps its sessions, and how their files are named
// below it.
func (e *exam) transcriptDir(host hookio.Host) (dir, pattern string) {
	if host == hookio.HostClaudeCode {
		if e.claudeDir() == "" {
			return "", ""
		}
		return filepath.Join(e.claudeDir(), "projects"), filepath.Join("*", "*.jsonl")
	}
	home := e.getenv("CODEX_HOME")
	if home == "" && e.Env.Home != "" {
		home = filepath.Join(e.Env.Home, ".codex")
	}
	if home == "" {
		return "", ""
	}
	return filepath.Join(home, "sessions"), filepath.Join("*", "*", "*", "rollout-*.jsonl")
}

// newest looks at the session that was written last.
func (e *exam) newest(host hookio.Host, dir, pattern string) {
	files, _ := filepath.Glob(filepath.Join(dir, pattern))
	latest, at := "", time.Time{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.ModTime().After(at) {
			latest, at = file, info.ModTime()
		}
	}
	if latest == "" {
		return
	}
	stamp, err := lastStamp(latest)
	switch {
	case err != nil:
		e.add(Finding{ID: "transcripts_unreadable", Severity: Error, Title: fmt.Sprintf("the latest session of %s cannot be read, so its turns are let go", install.Title(host)),
			Detail: err.Error(), File: latest, Todo: "make it readable for the user who runs the agent"})
	case stamp.Sub(e.Now()) > clockSlack:
		e.add(Finding{ID: "clock", Severity: Warning, Title: fmt.Sprintf("the clock is off: %s wrote %s ahead of it", install.Title(host), stamp.Sub(e.Now()).Round(time.Second)),
			Detail: fmt.Sprintf("The last row says %s, the clock here %s. Handoffs would be older or younger than they are.",
				stamp.UTC().Format(time.RFC3339), e.Now().UTC().Format(time.RFC3339)), File: latest, Todo: "set the clock (timedatectl, or that of the container's host)"})
	}
}

// lastStamp is the last time that stands in a transcript; zero when none does.
func lastStamp(path string) (time.Time, error) {
	f, err := os.Open(path)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, err
	}
	tail := make([]byte, min(info.Size(), stampTail))
	n, err := f.ReadAt(tail, info.Size()-int64(len(tail)))
	if n < len(tail) {
		return time.Time{}, err
	}
	const key = `"timestamp":"`
	for at := bytes.LastIndex(tail, []byte(key)); at >= 0; at = bytes.LastIndex(tail[:at], []byte(key)) {
		text, _, ok := bytes.Cut(tail[at+len(key):], []byte{'"'})
		if stamp, err := time.Parse(time.RFC3339Nano, string(text)); ok && err == nil {
			return stamp, nil
		}
	}
	return time.Time{}, nil
}
