package agenttest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"

	"github.com/stophook/stophook/agentcore"
)

// printer writes what happened, a line each. Lines of calls that run beside each
// other are put into the order of the calls.
type printer struct {
	neutral *strings.Replacer // folders
	settled chan struct{}     // whoever holds its one place may wait

	mu    sync.Mutex
	lines []string
	muted bool

	// block are lines that may have come in any order.
	block []blockLine
	order map[string]int    // of calls in their message
	calls map[string]string // tool by call, of the run's own agent
	names map[string]string // the latest call by tool
	roots map[string]string // the call of the run's own agent by subagent
	last  string            // call of the latest line that had one
	child bool              // the block has lines of subagents
}

type blockLine struct {
	call, text string
	start      bool
}

func newPrinter(work, state string) *printer {
	return &printer{settled: make(chan struct{}, 1), neutral: strings.NewReplacer(work, "$WORK", state, "$STATE"), order: map[string]int{}, calls: map[string]string{}, names: map[string]string{}, roots: map[string]string{}}
}

// event adds the line of an event, and gives it.
func (p *printer) event(e agentcore.Event) string {
	text := strings.Repeat("  ", e.Depth) + p.neutral.Replace(describe(e))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.learn(e)
	switch e.Kind {
	case agentcore.EventText, agentcore.EventThinking, agentcore.EventToolHead, agentcore.EventToolMore:
		return text // their message follows
	}
	p.add(p.rootCall(e), text, e.Kind == agentcore.EventToolStart, e.Depth > 0)
	return text
}

// learn keeps what later lines are ordered by.
func (p *printer) learn(e agentcore.Event) {
	switch e.Kind {
	case agentcore.EventMessage:
		if e.Depth == 0 {
			p.flushLocked()
			for i, b := range e.Message.ToolUses() {
				p.order[b.ID], p.calls[b.ID] = i, b.Name
			}
		}
	case agentcore.EventToolStart:
		p.names[e.Tool] = e.CallID
	case agentcore.EventChildStart:
		p.roots[e.Child] = cmp.Or(p.roots[e.Agent], e.CallID)
	}
}

// rootCall is the call of the run's own agent that an event belongs to.
func (p *printer) rootCall(e agentcore.Event) string {
	if e.Depth > 0 {
		return p.roots[e.Agent]
	}
	switch e.Kind {
	case agentcore.EventToolStart, agentcore.EventToolResult, agentcore.EventChildStart, agentcore.EventChildEnd:
		return e.CallID
	}
	return ""
}

func (p *printer) add(call, text string, start, child bool) {
	if p.muted {
		return
	}
	if call == "" {
		p.flushLocked()
		p.lines = append(p.lines, text)
		return
	}
	p.last = call
	p.child = p.child || child
	p.block = append(p.block, blockLine{call, text, start})
}

// settle waits until everybody else has come to a rest: what a call's goroutine showed
// before then stands before what it notes now.
func (p *printer) settle() {
	p.settled <- struct{}{}
	synctest.Wait()
	<-p.settled
}

// note adds a line from any goroutine; it stays behind the latest line of a call.
func (p *printer) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.neutral.Replace(fmt.Sprintf(format, args...))
	if p.muted {
		return
	}
	if len(p.block) > 0 {
		p.block = append(p.block, blockLine{call: p.last, text: text})
		return
	}
	p.lines = append(p.lines, text)
}

// line adds a line of the runner's.
func (p *printer) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.add("", p.neutral.Replace(fmt.Sprintf(format, args...)), false, false)
}

func (p *printer) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushLocked()
}

// flushLocked puts the lines of calls into order: all of them when subagents are
// among them, which run as they like; else only the starts that follow each other.
func (p *printer) flushLocked() {
	byCall := func(a, b blockLine) int { return cmp.Compare(p.order[a.call], p.order[b.call]) }
	if p.child {
		slices.SortStableFunc(p.block, byCall)
	}
	for from := 0; from < len(p.block); {
		to := from
		for to < len(p.block) && p.block[to].start {
			to++
		}
		slices.SortStableFunc(p.block[from:to], byCall)
		from = to + 1
	}
	for _, l := range p.block {
		p.lines = append(p.lines, l.text)
	}
	p.block, p.child = nil, false
}

// callOf is the id of the latest call of a tool that began.
func (p *printer) callOf(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.names[name]
}

func (p *printer) mute(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flushLocked()
	p.muted = on
}

func (p *printer) text() string {
	p.flush()
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n") + "\n"
}
