package main

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
)

// style colours text for a terminal; its zero value leaves text as it is.
type style struct{ on bool }

// style is on for a terminal, unless NO_COLOR is set or TERM is dumb.
func (p *program) style() style {
	f, ok := p.stdout.(*os.File)
	if !ok || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return style{}
	}
	st, err := f.Stat()
	return style{on: err == nil && st.Mode()&os.ModeCharDevice != 0}
}

func (s style) paint(code, text string) string {
	if !s.on {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(t string) string { return s.paint("1", t) }
func (s style) dim(t string) string  { return s.paint("2", t) }
func (s style) warn(t string) string { return s.paint("33", t) }

// verdict colours a verdict: green, red, blue.
func (s style) verdict(v string) string {
	switch v {
	case "block":
		return s.paint("1;31", v)
	case "defer":
		return s.paint("1;34", v)
	}
	return s.paint("1;32", v)
}

// visible makes text of a session, a policy or a file safe to print: what could
// steer the terminal becomes a space. Line breaks stay.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != 0x200c && r != 0x200d) {
			return ' '
		}
		return r
	}, s)
}

// oneLine makes text fit one line of n columns: control characters and line
// breaks become spaces, the rest is cut with an ellipsis.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(visible(s)), " ")
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// word is a short text that the host chose, such as an id.
func word(s string) string { return oneLine(s, 60) }

func words(list []string) string {
	shown := make([]string, len(list))
	for i, s := range list {
		shown[i] = word(s)
	}
	return strings.Join(shown, ", ")
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func count(n int) string { return fmt.Sprintf("%d", n) }

// clock prints an instant of a session; the day stands in the file.
func clock(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format("15:04:05Z")
}

func size(n int64) string {
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
