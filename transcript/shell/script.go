package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Defaults of Options.
const (
	DefaultMaxBytes = 64 << 10
	DefaultMaxDepth = 8
)

// maxSteps and maxNesting bound the walk, whatever the input is: functions that
// call each other twice grow exponentially, and a stack overflow in Go cannot be
// recovered from.
const (
	maxSteps   = 20000
	maxNesting = 400
	maxText    = 200
	maxWork    = 1 << 20 // syntax nodes visited and bytes of nested scripts parsed
)

// Options bound the work. The zero value means the defaults.
type Options struct {
	// MaxBytes is the longest command that is parsed, in bytes; default 64 KiB.
	MaxBytes int
	// MaxDepth is how deep shells inside shells (sh -c, heredocs) are parsed; default 8.
	MaxDepth int
}

// Kind names what a finding is.
type Kind string

// Kinds of Background.
const (
	KindAmpersand       Kind = "ampersand" // cmd &
	KindNohup           Kind = "nohup"     // nohup cmd &
	KindSetsid          Kind = "setsid"    // setsid cmd &, setsid --fork cmd
	KindDisown          Kind = "disown"    // cmd & disown
	KindCoproc          Kind = "coproc"
	KindTmux            Kind = "tmux"
	KindScreen          Kind = "screen"
	KindContainer       Kind = "container" // docker run -d and its like
	KindSystemdRun      Kind = "systemd_run"
	KindAt              Kind = "at" // at, batch
	KindDaemonize       Kind = "daemonize"
	KindStartStopDaemon Kind = "start_stop_daemon"
	KindPM2             Kind = "pm2"
	KindSSH             Kind = "ssh"  // ssh -f
	KindSudo            Kind = "sudo" // sudo -b
)

// Kinds of Waits.
const (
	KindSleepLoop     Kind = "sleep_loop"
	KindPollLoop      Kind = "poll_loop"
	KindWatch         Kind = "watch"
	KindFollow        Kind = "follow"
	KindTailPID       Kind = "tail_pid"
	KindSleepThenRead Kind = "sleep_then_read"
)

// Finding is one fact about a place in a script.
type Finding struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // source text, cut at 200 bytes
	Line int    `json:"line"` // of the outermost command, from 1
}

// Command is one simple command whose name stands literally in the script.
type Command struct {
	Name string   `json:"name"` // as written, quotes removed
	Args []string `json:"args"` // never nil; an argument that is not literal is its source text
	Line int      `json:"line"`
	// Exact tells that every argument is literal, so that "$HOME" in Args is
	// five characters and not a variable.
	Exact bool `json:"exact"`
}

// Script is a command line that was parsed, or that could not be.
type Script struct {
	// Parsed is false when the text is no shell script that we can read; then
	// every question has the empty answer and Reason tells why.
	Parsed bool
	// Reason is empty unless Parsed is false, or a bound was reached and the
	// rest of the script was not looked at.
	Reason string

	root  *source
	plan  []event
	funcs map[string]function
	opts  Options
}

// Parse reads a command line as Bash, and as Zsh where Bash refuses. It never
// fails otherwise than by Parsed being false.
func Parse(command string, opts Options) (s *Script) {
	if opts.MaxBytes <= 0 {
		opts.MaxBytes = DefaultMaxBytes
	}
	if opts.MaxDepth <= 0 {
		opts.MaxDepth = DefaultMaxDepth
	}
	defer func() {
		if r := recover(); r != nil {
			s = unparsed(fmt.Sprintf("the parser gave up: %v", r))
		}
	}()
	root, err := parseSource(command, 0, 0, opts.MaxBytes)
	if err != nil {
		return unparsed(err.Error())
	}
	p := &planner{opts: opts, funcs: map[string]function{}}
	p.shell(root)
	return &Script{Parsed: true, Reason: p.cut, root: root, plan: p.out, funcs: p.funcs, opts: opts}
}

// ParseFor is Parse for the command of a host's tool. The text of tools that
// are known to speak another language is not parsed.
func ParseFor(tool, command string, opts Options) *Script {
	if speaksPowerShell(tool) {
		return unparsed("the tool " + tool + " runs PowerShell, which is no shell script")
	}
	switch toolName(tool) {
	case "cmd", "cmd_exe":
		return unparsed("the tool " + tool + " runs cmd.exe, which is no shell script")
	}
	return Parse(command, opts)
}

func unparsed(reason string) *Script { return &Script{Reason: reason} }

// guard keeps the promise that no question panics. It hides nothing that the
// fuzz test does not look for: there, parse and questions run without it.
func guard[T any](f func() T) (out T) {
	defer func() {
		if recover() != nil {
			var zero T
			out = zero
		}
	}()
	return f()
}

// source is a piece of script text: the command itself, or the text of a shell
// inside it.
type source struct {
	text  string
	line  int // how many lines of the outermost command precede the text
	depth int // shells around it
	stmts []*syntax.Stmt
}

func parseSource(text string, line, depth, maxBytes int) (*source, error) {
	if len(text) > maxBytes {
		return nil, fmt.Errorf("the command has %d bytes and is not parsed beyond %d", len(text), maxBytes)
	}
	if nesting(text) > maxNesting {
		return nil, fmt.Errorf("brackets are nested deeper than %d", maxNesting)
	}
	file, err := parseLang(text, syntax.LangBash)
	if err != nil {
		// Bash runs a script whose last heredoc is not closed, with a warning.
		if end := unclosedHeredoc(err); end != "" {
			if f, e := parseLang(text+"\n"+end+"\n", syntax.LangBash); e == nil {
				return &source{text: text, line: line, depth: depth, stmts: f.Stmts}, nil
			}
		}
		var zerr error
		if file, zerr = parseLang(text, syntax.LangZsh); zerr != nil {
			return nil, fmt.Errorf("not a shell script: %w", err)
		}
	}
	return &source{text: text, line: line, depth: depth, stmts: file.Stmts}, nil
}

func parseLang(text string, lang syntax.LangVariant) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(endComments(text, lang)), "")
}

func unclosedHeredoc(err error) string {
	_, rest, ok := strings.Cut(err.Error(), "unclosed here-document `")
	if !ok || !strings.HasSuffix(rest, "`") {
		return ""
	}
	return rest[:len(rest)-1]
}

// nesting is the deepest level of brackets, quotes not regarded: an upper bound
// is all that is needed to keep the parser's recursion small.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// slice is the source text of a node; positions are clamped, because a closing
// heredoc word may have been added for the parser.
func (s *source) slice(from, to syntax.Pos) string {
	a, b := int(from.Offset()), int(to.Offset())
	a, b = min(a, len(s.text)), min(b, len(s.text))
	if a >= b {
		return ""
	}
	return s.text[a:b]
}

func (s *source) textOf(n syntax.Node) string { return s.slice(n.Pos(), n.End()) }

func (s *source) lineOf(p syntax.Pos) int { return s.line + int(p.Line()) }

func (s *source) finding(kind Kind, n syntax.Node) Finding {
	return Finding{Kind: kind, Text: cutText(s.textOf(n)), Line: s.lineOf(n.Pos())}
}

// cutText cuts at 200 bytes, not inside a rune.
func cutText(t string) string {
	t = strings.TrimRight(t, " \t\r\n")
	if len(t) <= maxText {
		return t
	}
	n := maxText
	for n > maxText-4 && t[n]&0xC0 == 0x80 {
		n--
	}
	return t[:n]
}
