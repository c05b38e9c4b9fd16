package policytest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
	"github.com/stophook/stophook/policy/hookio"
)

// The files of a case.
const (
	WantFile       = "want.json"
	StdinFile      = "stdin.json"
	TranscriptFile = "transcript.jsonl"
	LedgerFile     = "ledger.jsonl"
	ConfigFile     = "config.yaml"
)

// caseDirMark stands for the case's folder in stdin.json and in want.json's env.
const caseDirMark = "@CASE_DIR@"

// A Case is a recorded or written event with the answer that is wanted. It is
// never changed once it is loaded.
type Case struct {
	Dir   string // as it was named
	Want  Want
	Event *hookio.Event
	Env   map[string]string // want.json's, with the folder put in; never nil
	// Config is the path of config.yaml; empty when the case has none.
	Config string

	ledger []byte // nil: none
}

// LoadCase reads the folder of a case. An error is one or several joined
// [CaseError] values: everything that is wrong with its files.
func LoadCase(dir string) (*Case, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", dir, err)
	}
	l := caseLoader{c: &Case{Dir: dir, Env: map[string]string{}}, abs: abs}
	l.listFiles()
	l.readWant()
	l.readStdin()
	l.readLedger()
	if err := errors.Join(l.errs...); err != nil {
		return nil, err
	}
	return l.c, nil
}

type caseLoader struct {
	c     *Case
	abs   string
	files map[string]bool
	errs  []error
}

func (l *caseLoader) file(name string) string { return path.Join(filepath.ToSlash(l.c.Dir), name) }

func (l *caseLoader) fail(name string, line int, format string, args ...any) {
	l.errs = append(l.errs, &CaseError{File: l.file(name), Line: line, Message: fmt.Sprintf(format, args...)})
}

// listFiles refuses what nobody would read: a misspelt ledger.jsonl would
// otherwise be a case without evidence.
func (l *caseLoader) listFiles() {
	l.files = map[string]bool{}
	err := fs.WalkDir(os.DirFS(l.c.Dir), ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case strings.HasSuffix(p, ".rego"):
			l.fail(p, 0, "a policy inside of a case would be in force for all cases; move it out of the case")
		case !strings.Contains(p, "/"):
			l.files[p] = true
			if !knownFile(p) {
				l.fail(p, 0, "nothing reads this file; a case has %s, and optional %s, %s and *.md",
					strings.Join([]string{WantFile, StdinFile, TranscriptFile}, ", "), LedgerFile, ConfigFile)
			}
		}
		return nil
	})
	if err != nil {
		l.errs = append(l.errs, &CaseError{File: l.c.Dir, Message: "cannot be read: " + err.Error()})
	}
	if l.files[ConfigFile] {
		l.c.Config = l.file(ConfigFile)
	}
}

func knownFile(name string) bool {
	switch name {
	case WantFile, StdinFile, TranscriptFile, LedgerFile, ConfigFile:
		return true
	}
	return strings.HasSuffix(name, ".md")
}

func (l *caseLoader) read(name string) ([]byte, bool) {
	data, err := os.ReadFile(filepath.Join(l.c.Dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.fail(name, 0, "the file is missing")
	case err != nil:
		l.fail(name, 0, "cannot be read: %v", err)
	}
	return data, err == nil
}

func (l *caseLoader) readWant() {
	data, ok := l.read(WantFile)
	if !ok {
		return
	}
	want, err := ParseWant(l.file(WantFile), data)
	if err != nil {
		l.errs = append(l.errs, err)
	}
	l.c.Want = want
	for k, v := range want.Env {
		l.c.Env[k] = strings.ReplaceAll(v, caseDirMark, l.abs)
	}
}

func (l *caseLoader) readStdin() {
	data, ok := l.read(StdinFile)
	if !ok {
		return
	}
	quoted, _ := json.Marshal(l.abs) // a string cannot fail
	ev, err := hookio.Decode(bytes.ReplaceAll(data, []byte(caseDirMark), quoted[1:len(quoted)-1]), hookio.HostAuto)
	if err != nil {
		if bad, ok := errors.AsType[*hookio.DecodeError](err); ok {
			l.fail(StdinFile, bad.Line, "%s", bad.Reason)
		} else {
			l.fail(StdinFile, 0, "the file is empty; it holds what the host sends to the hook")
		}
		return
	}
	l.c.Event = ev
	for _, odd := range ev.Odd {
		l.fail(StdinFile, 0, "%s", odd)
	}
	if ev.Name == "" {
		l.fail(StdinFile, 0, `"hook_event_name" is missing, so nobody knows what happened; a Stop event has "Stop"`)
	}
	named := hookio.ExpandHome(ev.TranscriptPath, l.c.Env["HOME"])
	own := filepath.Join(l.abs, TranscriptFile)
	inside := strings.HasPrefix(named, l.abs+string(filepath.Separator))
	switch {
	case l.files[TranscriptFile] && filepath.Clean(named) != own:
		l.fail(StdinFile, 0, `"transcript_path" is %q, so %s would not be read; write "%s/%s"`, ev.TranscriptPath, TranscriptFile, caseDirMark, TranscriptFile)
	case !l.files[TranscriptFile] && inside && filepath.Clean(named) == own:
		l.fail(TranscriptFile, 0, "the file is missing, and %s names it", StdinFile)
	}
}

// readLedger refuses lines that stophook would skip: an author means every one.
func (l *caseLoader) readLedger() {
	if !l.files[LedgerFile] {
		return
	}
	data, ok := l.read(LedgerFile)
	if !ok {
		return
	}
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		var e evidence.Event
		if err := e.UnmarshalJSON(line); err != nil {
			l.fail(LedgerFile, n, "this is no event of a ledger: %v", err)
		}
	}
	if l.c.Event != nil && l.c.Event.SessionID == "" {
		l.fail(StdinFile, 0, `"session_id" is missing, so %s belongs to no session`, LedgerFile)
	}
	l.c.ledger = data
}

// store puts the evidence of the case into a folder of its own below temp.
func (c *Case) store(temp string) (evidence.Store, error) {
	st := evidence.Store{Dir: temp}
	if c.ledger == nil {
		return st, nil
	}
	session, err := st.Session(c.Event.SessionID)
	if err != nil {
		return st, err
	}
	if err := os.MkdirAll(session.Path(), 0o700); err != nil {
		return st, err
	}
	return st, os.WriteFile(filepath.Join(session.Path(), LedgerFile), c.ledger, 0o600)
}

// config is what the case is decided with: its own file first, then the one that
// the caller named, which can only add to it or make it stricter.
func (c *Case) config(extra string) (policy.Config, []policy.Warning, error) {
	var sources []policy.Source
	for _, file := range []string{c.Config, extra} {
		if file != "" {
			sources = append(sources, policy.ExplicitSource(file))
		}
	}
	return policy.LoadConfig(sources)
}
