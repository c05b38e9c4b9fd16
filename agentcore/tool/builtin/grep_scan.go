package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/stophook/stophook/agentcore/tool"
)

// grepLine is how much of a line is shown, in bytes.
const grepLine = 400

// scan is one search over files.
type scan struct {
	re    *regexp.Regexp
	mode  string
	limit int
	span  int // lines of context

	out       strings.Builder
	given     int // lines or files
	files     int // that match
	matches   int // lines that match
	truncated bool
	large     []string
	failed    int // files that could not be read
	unread    int // folders that could not be read
}

func newScan(re *regexp.Regexp, in grepInput) *scan {
	s := &scan{re: re, mode: in.OutputMode, limit: in.HeadLimit, span: in.Context}
	if s.mode == "" {
		s.mode = grepContent
	}
	if s.limit == 0 {
		s.limit = grepHead
	}
	return s
}

// file searches one file. It gives fs.SkipAll when nothing more is wanted.
func (s *scan) file(ctx context.Context, name string, open func() (readCloser, error), maxFile int64) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	data, kind, err := readText(open, maxFile)
	switch {
	case errors.Is(err, errTooLarge):
		s.large = append(s.large, name)
		return nil
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		s.failed++
		return nil
	}
	if kind != "" {
		return nil
	}
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // $ is before a CRLF as well
	if !s.re.Match(data) {
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	var hits []int
	for i, line := range lines {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.re.Match(line) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 0 {
		return nil // it matched across lines only
	}
	s.files++
	s.matches += len(hits)
	return s.give(name, lines, hits)
}

// give writes what the mode wants of a file.
func (s *scan) give(name string, lines [][]byte, hits []int) error {
	if s.mode != grepContent {
		if s.given == s.limit {
			s.truncated = true
			return fs.SkipAll
		}
		s.given++
		if s.mode == grepCount {
			fmt.Fprintf(&s.out, "%s:%d\n", name, len(hits))
		} else {
			fmt.Fprintf(&s.out, "%s\n", name)
		}
		return nil
	}
	shown := -1 // the last line that was written
	for n, at := range hits {
		if s.given == s.limit {
			s.truncated = true
			return fs.SkipAll
		}
		from, to := max(at-s.span, shown+1), min(at+s.span, len(lines)-1)
		if n+1 < len(hits) {
			to = min(to, hits[n+1]-1)
		}
		if s.span > 0 && s.out.Len() > 0 && (shown < 0 || from > shown+1) {
			s.out.WriteString("--\n")
		}
		for i := from; i <= to; i++ {
			s.line(name, lines[i], i, i == at)
		}
		shown = max(shown, to)
		s.given++
	}
	return nil
}

// line writes one line, cut around the match where it is long.
func (s *scan) line(name string, line []byte, at int, hit bool) {
	mark := "-"
	start := 0
	if hit {
		mark = ":"
		if loc := s.re.FindIndex(line); loc != nil {
			start = loc[0]
		}
	}
	fmt.Fprintf(&s.out, "%s%s%d%s%s\n", name, mark, at+1, mark, tool.Safe(window(string(line), start)))
}

// window is the part of a line around a place.
func window(line string, at int) string {
	if len(line) <= grepLine {
		return line
	}
	from := max(0, min(at-grepLine/4, len(line)-grepLine))
	to := min(len(line), from+grepLine)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	out := line[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(line) {
		out += "…"
	}
	return out
}

func (s *scan) result() *tool.Result {
	var notes []string
	switch {
	case s.truncated && s.mode == grepContent:
		notes = append(notes, "only the first "+counted(s.given, "matching line")+" shown; narrow the search, or raise head_limit")
	case s.truncated:
		notes = append(notes, "only the first "+counted(s.given, "file")+" shown; narrow the search, or raise head_limit")
	case s.mode == grepCount && s.files > 0:
		notes = append(notes, counted(s.matches, "matching line")+" in "+counted(s.files, "file"))
	}
	if len(s.large) > 0 {
		notes = append(notes, counted(len(s.large), "file")+" too large to search, the first is "+s.large[0])
	}
	if s.failed > 0 {
		notes = append(notes, counted(s.failed, "file")+" could not be read")
	}
	if s.unread > 0 {
		notes = append(notes, counted(s.unread, "folder")+" could not be read")
	}
	text := s.out.String()
	if s.files == 0 {
		text = "No line matches.\n"
	}
	if len(notes) > 0 {
		text += "[" + strings.Join(notes, "; ") + "]\n"
	}
	return &tool.Result{Text: strings.TrimSuffix(text, "\n"),
		Structured: GrepOutput{Mode: s.mode, NumFiles: s.files, NumMatches: s.matches, Truncated: s.truncated}}
}
