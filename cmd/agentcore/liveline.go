package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/internal/term"
)

// liveEvery is how often the line is drawn at most while text streams.
const liveEvery = 100 * time.Millisecond

// liveWidth is how wide the line is: it must not wrap, or it cannot be wiped.
const liveWidth = 78

// liveLine is one line on a terminal that says what the agent is at. A nil one draws
// nothing.
type liveLine struct {
	out   io.Writer
	now   func() time.Time
	began time.Time
	drawn time.Time
	wide  int

	turn   int
	calls  []string // that run now
	tokens int64
	chars  int // of the answer that comes
}

func newLiveLine(out io.Writer, getenv func(string) string, now func() time.Time) *liveLine {
	if !term.Interactive(out) || getenv("TERM") == "dumb" {
		return nil
	}
	return &liveLine{out: out, now: now, began: now()}
}

// event follows the run, subagents included.
func (l *liveLine) event(e agentcore.Event) {
	if l == nil {
		return
	}
	hurry := true
	switch e.Kind {
	case agentcore.EventTurnStart:
		if e.Depth == 0 {
			l.turn = e.Turn
		}
		l.chars = 0
	case agentcore.EventText, agentcore.EventThinking, agentcore.EventToolMore:
		l.chars += len(e.Text)
		hurry = false
	case agentcore.EventMessage:
		l.tokens += e.Usage.Total()
	case agentcore.EventToolStart:
		l.calls = append(l.calls, e.CallID+"\x00"+e.Tool+" "+string(e.Input))
	case agentcore.EventToolResult:
		for i, c := range l.calls {
			if strings.HasPrefix(c, e.CallID+"\x00") {
				l.calls = append(l.calls[:i], l.calls[i+1:]...)
				break
			}
		}
	default:
		return
	}
	if now := l.now(); hurry || now.Sub(l.drawn) >= liveEvery {
		l.drawn = now
		l.draw()
	}
}

func (l *liveLine) draw() {
	what := "thinking"
	if l.chars > 0 {
		what = fmt.Sprintf("answering (%d characters)", l.chars)
	}
	if n := len(l.calls); n > 0 {
		_, what, _ = strings.Cut(l.calls[n-1], "\x00")
		if n > 1 {
			what = fmt.Sprintf("%d calls, %s", n, what)
		}
	}
	head := fmt.Sprintf("turn %d  %s tokens  %s  ", l.turn, term.Count(int(l.tokens)), l.now().Sub(l.began).Truncate(time.Second))
	text := head + term.OneLine(what, max(liveWidth-len(head), 10))
	fmt.Fprintf(l.out, "\r%s%s", text, strings.Repeat(" ", max(l.wide-len(text), 0)))
	l.wide = len(text)
}

// clear wipes the line, before anything else is printed.
func (l *liveLine) clear() {
	if l == nil || l.wide == 0 {
		return
	}
	fmt.Fprintf(l.out, "\r%s\r", strings.Repeat(" ", l.wide))
	l.wide = 0
}
