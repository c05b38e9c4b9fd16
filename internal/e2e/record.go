package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"github.com/stophook/stophook/policy/decisionlog"
)

// Decision is one line of the decision log.
type Decision struct {
	Event, Verdict, Code, Reason, SystemMessage string
	Session                                     string
	Shadow                                      bool
	At                                          time.Time
	Input                                       gjson.Result // as the rules saw it
	Result                                      gjson.Result
}

// Decisions is the decision log so far, in order. A log that cannot be read fails the
// test.
func (s *Stage) Decisions() []Decision {
	s.t.Helper()
	var all []Decision
	_, err := decisionlog.Read(filepath.Join(s.State, "decisions.jsonl"), decisionlog.Filter{}, func(e decisionlog.Event) error {
		d := Decision{Session: e.SessionID(), At: e.Timestamp, Input: document(e.Input), Result: document(e.Result)}
		d.Shadow, _ = e.Custom["shadow"].(bool)
		d.Event = d.Input.Get("host.event").String()
		d.Verdict, d.Code, d.Reason = d.Result.Get("verdict").String(), d.Result.Get("code").String(), d.Result.Get("reason").String()
		d.SystemMessage = d.Result.Get("system_message").String()
		all = append(all, d)
		return nil
	})
	if err != nil {
		s.t.Errorf("the decision log: %v", err)
	}
	return all
}

func document(v any) gjson.Result {
	data, err := json.Marshal(v)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.ParseBytes(data)
}

// Stops are the decisions about Stop.
func (s *Stage) Stops() []Decision { s.t.Helper(); return s.of("Stop") }

func (s *Stage) of(event string) []Decision {
	s.t.Helper()
	var some []Decision
	for _, d := range s.Decisions() {
		if d.Event == event {
			some = append(some, d)
		}
	}
	return some
}

// Transcript is the file of a session; empty while there is none.
func (s *Stage) Transcript(session string) string {
	found, _ := filepath.Glob(filepath.Join(s.Config, "projects", "*", session+".jsonl"))
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// Rows are the rows of a session's transcript so far. A last line that is not whole
// yet is left out.
func (s *Stage) Rows(session string) []gjson.Result {
	s.t.Helper()
	path := s.Transcript(session)
	if path == "" {
		return nil
	}
	data, err := readTolerant(path)
	if err != nil {
		s.t.Fatal(err)
	}
	var rows []gjson.Result
	for line := range bytes.Lines(data) {
		if bytes.HasSuffix(line, []byte("\n")) {
			rows = append(rows, gjson.ParseBytes(line))
		}
	}
	return rows
}

// RowsWhere are the rows in which every path has the value that is named with it, in
// gjson's syntax.
func (s *Stage) RowsWhere(session string, pairs ...string) []gjson.Result {
	s.t.Helper()
	var some []gjson.Result
	for _, row := range s.Rows(session) {
		if matches(row, pairs) {
			some = append(some, row)
		}
	}
	return some
}

func matches(row gjson.Result, pairs []string) bool {
	for i := 0; i+1 < len(pairs); i += 2 {
		if row.Get(pairs[i]).String() != pairs[i+1] {
			return false
		}
	}
	return true
}

// readTolerant reads a file that may not be there yet.
func readTolerant(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
