package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// progressEvery is how often a bar is drawn at most: often enough to move, seldom
// enough to cost nothing.
const progressEvery = 100 * time.Millisecond

// Progress is one line on a terminal that says how far long work has come. A nil
// *Progress draws nothing. Safe for concurrent use.
type Progress struct {
	out   io.Writer
	what  string
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	drawn time.Time
	wide  int // columns of the latest line, to wipe it
}

// NewProgress makes a bar for work named what, on a terminal; nil where out is
// none, and where the terminal cannot move its cursor.
func NewProgress(out io.Writer, what string, getenv func(string) string, now func() time.Time) *Progress {
	if !Interactive(out) || getenv("TERM") == "dumb" {
		return nil
	}
	return &Progress{out: out, what: what, now: now, began: now()}
}

// Bytes tells that done of total bytes are through.
func (p *Progress) Bytes(done, total int64) {
	if p == nil || total <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	done = min(max(done, 0), total)
	p.draw(line(p.what, done, total, now.Sub(p.began)))
}

// Clear wipes the line, before anything else is printed.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wide > 0 {
		fmt.Fprintf(p.out, "\r%s\r", strings.Repeat(" ", p.wide))
		p.wide = 0
	}
}

func (p *Progress) draw(text string) {
	wide := len([]rune(text))
	fmt.Fprintf(p.out, "\r%s%s", text, strings.Repeat(" ", max(0, p.wide-wide)))
	p.wide = max(p.wide, wide)
}

// line is the text of the bar: what, a bar of 24 columns, percent, amount, and
// the time that is left when it can be told.
func line(what string, done, total int64, took time.Duration) string {
	const columns = 24
	full := int(done * columns / total)
	text := fmt.Sprintf("%s [%s%s] %3d %%  %s of %s", what, strings.Repeat("=", full), strings.Repeat(" ", columns-full),
		done*100/total, Size(done), Size(total))
	if took >= time.Second && done > 0 {
		left := time.Duration(float64(took) / float64(done) * float64(total-done))
		text += fmt.Sprintf("  %s left", left.Round(time.Second))
	}
	return text
}
