package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/stophook/stophook/internal/term"
	"github.com/stophook/stophook/policy/sessions"
)

// noVerdict stands for the verdict of a session that had no stop yet.
const noVerdict = "none yet"

// printSessions is the table of sessions.
func (p *program) printSessions(r *sessions.Report) error {
	st, now := p.style(), p.now()
	t := table{rows: [][]string{{"LAST ACTIVE", "SESSION", "VERDICT", "BLOCKS", "BACKGROUND", "PROJECT", "NAME: TASK"}},
		paint: func(row, column int, text string) string {
			switch {
			case row == 0:
				return st.Bold(text)
			case column == 2 && text == noVerdict:
				return st.Dim(text)
			case column == 2:
				verdict, code, _ := strings.Cut(text, " ")
				return st.Verdict(verdict) + " " + code
			case column == 4 && strings.Contains(text, "open"):
				return st.Warn(text)
			}
			return text
		}}
	for _, s := range r.Sessions {
		t.rows = append(t.rows, []string{activeWords(s.Active, now), shortSession(idOrFolder(s)), verdictWords(s), blockWords(s.Blocks),
			backgroundWords(s), p.projectWords(s.Project), nameWords(s)})
	}
	out := bufio.NewWriter(p.stdout)
	t.print(out)
	for _, s := range r.Sessions {
		for _, note := range s.Notes {
			fmt.Fprintf(out, "%s %s: %s\n", st.Warn("note:"), shortSession(idOrFolder(s)), term.OneLine(note, 160))
		}
	}
	return out.Flush()
}

// table is lines of cells that stand below each other; the last is as long as it is.
type table struct {
	rows  [][]string
	paint func(row, column int, text string) string
}

func (t table) print(out *bufio.Writer) {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], len([]rune(cell)))
		}
	}
	for r, row := range t.rows {
		for i, cell := range row {
			out.WriteString(t.paint(r, i, cell))
			if strings.TrimSpace(strings.Join(row[i+1:], "")) == "" {
				break
			}
			out.WriteString(strings.Repeat(" ", widths[i]-len([]rune(cell))+2))
		}
		out.WriteByte('\n')
	}
}

func idOrFolder(s sessions.Session) string {
	if s.ID != "" {
		return s.ID
	}
	return s.Folder
}

// activeWords is an instant, and how long ago it was when that is easier to read.
func activeWords(at, now time.Time) string {
	words := at.UTC().Format("2006-01-02 15:04Z")
	switch ago := now.Sub(at); {
	case at.IsZero():
		return "unknown"
	case ago < 0 || ago >= 48*time.Hour:
		return words
	case ago < time.Minute:
		return words + " (now)"
	case ago < time.Hour:
		return fmt.Sprintf("%s (%dm ago)", words, int(ago.Minutes()))
	default:
		return fmt.Sprintf("%s (%dh ago)", words, int(ago.Hours()))
	}
}

func verdictWords(s sessions.Session) string {
	if s.Verdict == "" {
		return noVerdict
	}
	words := term.Word(s.Verdict) + " " + term.Word(strings.TrimPrefix(s.Code, "stop-hook."))
	if s.Shadow {
		words += " [shadow]"
	}
	if s.Ended {
		words += " [ended]"
	}
	return words
}

func blockWords(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d in a row", n)
}

// backgroundWords says what still runs or was never collected, or why nobody knows.
func backgroundWords(s sessions.Session) string {
	var parts []string
	switch s.Transcript {
	case sessions.TranscriptMissing:
		return "transcript is gone"
	case sessions.TranscriptUnread:
		return "transcript unread"
	case sessions.TranscriptUnknown:
		return "no transcript known"
	}
	if n := len(s.Handoffs); n > 0 {
		parts = append(parts, term.Plural(n, "open handoff"))
	}
	if n := len(s.Debt); n > 0 {
		parts = append(parts, fmt.Sprintf("%d uncollected", n))
	}
	return term.OrDash(strings.Join(parts, ", "))
}

// projectWords shows the end of a path, which tells projects apart.
func (p *program) projectWords(dir string) string {
	if rel, err := filepath.Rel(p.home, dir); dir != "" && p.home != "" && err == nil && filepath.IsLocal(rel) {
		dir = "~/" + filepath.ToSlash(rel)
	}
	runes := []rune(term.OneLine(dir, 1000))
	if len(runes) > 32 {
		return "…" + string(runes[len(runes)-31:])
	}
	return term.OrDash(string(runes))
}

func nameWords(s sessions.Session) string {
	switch {
	case s.Name == "" && s.Task == "":
		return ""
	case s.Task == "":
		return term.OneLine(s.Name, 30)
	case s.Name == "":
		return term.OneLine(s.Task, 60)
	}
	return term.OneLine(s.Name, 30) + ": " + term.OneLine(s.Task, 50)
}
