package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Block is one piece of what the model says: a text, or the use of a tool.
type Block struct {
	Text  string
	Tool  string         // name of the tool; empty for a text
	Input map[string]any // of the tool
}

// Text is a block of words.
func Text(words string) Block { return Block{Text: words} }

// Use is the use of a tool.
func Use(tool string, input map[string]any) Block {
	if input == nil {
		input = map[string]any{}
	}
	return Block{Tool: tool, Input: input}
}

// Bash runs a command in the foreground.
func Bash(command string) Block {
	return Use("Bash", map[string]any{"command": command, "description": "Run " + firstWord(command)})
}

// BackgroundBash runs a command in the background, as the model's own wish.
func BackgroundBash(command string) Block {
	b := Bash(command)
	b.Input["run_in_background"] = true
	return b
}

func firstWord(command string) string {
	if words := strings.Fields(command); len(words) > 0 {
		return words[0]
	}
	return "nothing"
}

// Reply is one answer of the scripted model. The first reply of the script that is
// not used up and fits the request is given.
type Reply struct {
	// When is a regular expression that must be found in the newest user text; "."
	// matches line ends, too. Results of tools begin with "TOOL_RESULT ". Empty fits
	// everything.
	When string
	// First and NotFirst are the same for the first user text of the conversation: it
	// tells a subagent from the main thread.
	First, NotFirst string
	// Repeat keeps the reply in the script after it was given, and allows that it never
	// is. Every other reply must be given exactly once.
	Repeat bool
	// Delay is waited before the first byte; default none.
	Delay time.Duration
	// Hold, when set, is waited for in the middle of the answer, before its last block:
	// close it to let the model go on.
	Hold <-chan struct{}
	// Blocks are what is said. Say makes them from the request instead, when set.
	Blocks []Block
	Say    func(*Request) []Block
}

// Says makes the reply of blocks to a newest text that when is found in.
func Says(when string, blocks ...Block) Reply { return Reply{When: when, Blocks: blocks} }

// Always makes a reply that may be given any number of times.
func Always(when string, blocks ...Block) Reply {
	return Reply{When: when, Blocks: blocks, Repeat: true}
}

// line is a reply with its expressions compiled.
type line struct {
	Reply
	when, first, notFirst *regexp.Regexp
	given                 int
}

func compile(r Reply) (*line, error) {
	l := &line{Reply: r}
	for _, e := range []struct {
		text string
		to   **regexp.Regexp
	}{{r.When, &l.when}, {r.First, &l.first}, {r.NotFirst, &l.notFirst}} {
		if e.text == "" {
			continue
		}
		re, err := regexp.Compile("(?s)" + e.text)
		if err != nil {
			return nil, fmt.Errorf("a reply's expression %q: %w", e.text, err)
		}
		*e.to = re
	}
	return l, nil
}

func (l *line) fits(req *Request) bool {
	return (l.Repeat || l.given == 0) &&
		(l.when == nil || l.when.MatchString(req.Newest)) &&
		(l.first == nil || l.first.MatchString(req.First)) &&
		(l.notFirst == nil || !l.notFirst.MatchString(req.First))
}

func (l *line) blocks(req *Request) []Block {
	if l.Say != nil {
		return l.Say(req)
	}
	return l.Blocks
}

// name is how a reply is called in messages.
func (l *line) name() string {
	if l.When == "" {
		return "the reply without When"
	}
	return fmt.Sprintf("the reply to %q", l.When)
}
