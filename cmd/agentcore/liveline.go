package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/internal/term"
)

// liveEvery is how often the line is drawn at most while text streams, liveTick how
// often when nothing comes, for the clock in it.
const (
	liveEvery = 100 * time.Millisecond
	liveTick  = time.Second
)

// liveWidth is how wide the line is: it must not wrap, or it cannot be wiped.
const liveWidth = 78

// liveLine is one line on a terminal that says what the agent is at. A nil one draws
// nothing. Close ends its goroutine.
type liveLine struct {
	out   io.Writer
	now   func() time.Time
	began time.Time
	stop  chan struct{}
	gone  sync.WaitGroup

	mu     sync.Mutex
	drawn  time.Time
	wide   int
	turn   int
	calls  []liveCall // that run now
	tokens int64
	chars  int // of the answer that comes
	waits  int // tasks that are waited for, between runs
}

type liveCall struct{ id, what string }

func newLiveLine(out io.Writer, getenv func(string) string, now func() time.Time) *liveLine {
	if !term.Interactive(out) || getenv("TERM") == "dumb" {
		return nil
	}
	l := &liveLine{out: out, now: now, began: now(), stop: make(chan struct{})}
	l.gone.Go(l.tick)
	return l
}

func (l *liveLine) tick() {
	ticker := time.NewTicker(liveTick)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			l.mu.Lock()
			if l.wide > 0 { // a line that was wiped waits for the next event
				l.draw()
			}
			l.mu.Unlock()
		case <-l.stop:
			return
		}
	}
}

// event follows the run, subagents included.
func (l *liveLine) event(e agentcore.Event) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	hurry := true
	l.waits = 0
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
		l.chars = 0
	case agentcore.EventToolStart:
		l.calls = append(l.calls, liveCall{e.CallID, e.Tool + " " + subject(e.Input)})
	case agentcore.EventToolResult:
		for i, c := range l.calls {
			if c.id == e.CallID {
				l.calls = append(l.calls[:i], l.calls[i+1:]...)
				break
			}
		}
	default:
		return
	}
	if hurry || l.now().Sub(l.drawn) >= liveEvery {
		l.draw()
	}
}

// subject is what a person wants to see of a call's input: the command, the path, the
// pattern.
func subject(input json.RawMessage) string {
	var in struct{ Command, Path, Pattern, Description, Prompt string }
	if json.Unmarshal(input, &in) != nil {
		return string(input)
	}
	return cmp.Or(strings.TrimSpace(in.Command+" "+in.Pattern+" "+in.Path), in.Description, in.Prompt)
}

// waiting says that the agent rests until a task ends.
func (l *liveLine) waiting(tasks int) {
	if l == nil || tasks == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waits = tasks
	l.draw()
}

func (l *liveLine) draw() {
	l.drawn = l.now()
	what := "thinking"
	if l.chars > 0 {
		what = fmt.Sprintf("answering, %d characters", l.chars)
	}
	if l.waits > 0 {
		what = "waiting for " + term.Plural(l.waits, "task")
	} else if n := len(l.calls); n > 0 {
		what = l.calls[n-1].what
		if n > 1 {
			what = fmt.Sprintf("%d calls, %s", n, what)
		}
	}
	head := fmt.Sprintf("turn %d  %s tokens  %s  ", l.turn, term.Count(int(l.tokens)), l.drawn.Sub(l.began).Truncate(time.Second))
	text := head + term.OneLine(what, max(liveWidth-len(head), 10))
	fmt.Fprintf(l.out, "\r%s%s", text, strings.Repeat(" ", max(l.wide-len(text), 0)))
	l.wide = len(text)
}

// clear wipes the line, before anything else is printed.
func (l *liveLine) clear() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wide > 0 {
		fmt.Fprintf(l.out, "\r%s\r", strings.Repeat(" ", l.wide))
		l.wide = 0
	}
}

// close wipes the line for good.
func (l *liveLine) close() {
	if l == nil {
		return
	}
	close(l.stop)
	l.gone.Wait()
	l.clear()
}
