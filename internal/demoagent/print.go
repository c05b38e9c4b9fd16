package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/stophook/stophook/internal/term"
)

// indent is where what is said begins.
const indent = "         "

func (s *stage) title(text string) { fmt.Fprintf(s.out, "%s\n\n", s.code("1", text)) }

// event prints one line of the story: who, what.
func (s *stage) event(who, what string) { fmt.Fprintf(s.out, "%-8s %s\n", who, what) }

func (s *stage) quote(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if !strings.ContainsAny(line, "│─") { // a box stays as it is
			line = term.Wrap(line, 96, indent)
		}
		fmt.Fprintf(s.out, "%s%s\n", indent, s.code("2", line))
	}
}

// code colours text for a terminal.
func (s *stage) code(sgr, text string) string { return term.For(s.out, os.Getenv).Paint(sgr, text) }
