// Package term writes text for people: colours where a terminal wants them, and
// text of sessions, policies and files made safe to print.
//
// Start with [For], which gives the [Style] of an output, and [OneLine] or
// [Visible] for every text that comes from outside. Nothing here holds state.
package term

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
)

// Style colours text for a terminal; its zero value leaves text as it is.
type Style struct{ on bool }

// For gives the style of an output: on for a terminal, unless NO_COLOR is set or
// TERM is dumb.
func For(out io.Writer, getenv func(string) string) Style {
	return Style{on: Interactive(out) && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"}
}

// Interactive reports whether out is a terminal, where progress may be drawn.
func Interactive(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}

// Paint wraps text in an SGR code such as "1;31".
func (s Style) Paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold is for headings, Dim for what is beside the point, Warn for what needs a
// look, Bad and Good for failed and passed.
func (s Style) Bold(t string) string { return s.Paint("1", t) }
func (s Style) Dim(t string) string  { return s.Paint("2", t) }
func (s Style) Warn(t string) string { return s.Paint("33", t) }
func (s Style) Bad(t string) string  { return s.Paint("1;31", t) }
func (s Style) Good(t string) string { return s.Paint("1;32", t) }

// Verdict colours a verdict: green, red, blue.
func (s Style) Verdict(v string) string {
	switch v {
	case "block":
		return s.Paint("1;31", v)
	case "defer":
		return s.Paint("1;34", v)
	}
	return s.Paint("1;32", v)
}

// Visible makes text of a session, a policy or a file safe to print: what could
// steer the terminal becomes a space. Line breaks stay.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d) {
			return ' '
		}
		return r
	}, s)
}

// OneLine makes text fit one line of n columns: control characters and line
// breaks become spaces, the rest is cut with an ellipsis.
func OneLine(s string, n int) string {
	s = strings.Join(strings.Fields(Visible(s)), " ")
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

// FirstLine is what stands before the first line break.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// Word is a short text that the host chose, such as an id.
func Word(s string) string { return OneLine(s, 60) }

// Words lists short texts, with commas.
func Words(list []string) string {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = Word(s)
	}
	return strings.Join(shown, ", ")
}

// OrDash shows an empty text as a dash.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Plural is a count with its noun.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Count is a whole number.
func Count(n int) string { return fmt.Sprintf("%d", n) }

// Clock prints an instant of a session; the day stands in the file.
func Clock(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format("15:04:05Z")
}

// Size is a number of bytes in binary units.
func Size(n int64) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}

// Wrap breaks text into lines of at most n columns, between words; lines behind
// the first begin with indent, which counts. A word longer than that stays whole.
func Wrap(s string, n int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(Visible(s)) {
		wide := len([]rune(word))
		switch {
		case column == 0:
		case column+1+wide > n:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += wide
	}
	return b.String()
}
