package evidence

import (
	"crypto/rand"
	"io"
	"strings"
	"time"
)

const (
	// BoxPrefix begins every status box; a check id of 8 characters [0-9a-z]
	// follows, and then a space. A reader of transcripts looks for it.
	BoxPrefix = "┌─ stophook check "

	checkIDLength = 8
	maxBoxColumns = 72
	minBoxColumns = 44
	labelColumns  = 9
)

// Box is the status box: what the agent shows to prove that the check with this
// id is the one it ran. Empty values have a text of their own.
type Box struct {
	CheckID string
	Session string
	Task    string
	Name    string
	Git     string // see GitReport.Summary
	At      time.Time
}

// String draws the box: 7 lines, at most 72 columns, as narrow as its content
// allows, since the agent has to repeat it. There is no newline at the end.
func (b Box) String() string {
	rows := [][2]string{
		{"session", orElse(b.Session, "unknown")},
		{"name", orElse(b.Name, "not named yet")},
		{"task", orElse(b.Task, "not declared yet")},
		{"git", orElse(b.Git, "not checked")},
		{"time", b.At.UTC().Format("2006-01-02 15:04:05 UTC")},
	}
	width := minBoxColumns
	for i, r := range rows {
		rows[i][1] = cut(strings.TrimSpace(printable(r[1])), maxBoxColumns-4-labelColumns)
		width = max(width, 4+labelColumns+columns(rows[i][1]))
	}
	first := BoxPrefix + printable(b.CheckID) + " "
	var out strings.Builder
	out.Grow(8 * 3 * width)
	out.WriteString(first + strings.Repeat("─", max(1, width-1-columns(first))) + "┐\n")
	for _, r := range rows {
		label := r[0] + strings.Repeat(" ", labelColumns-len(r[0]))
		out.WriteString("│ " + label + r[1] + strings.Repeat(" ", width-4-labelColumns-columns(r[1])) + " │\n")
	}
	out.WriteString("└" + strings.Repeat("─", width-2) + "┘")
	return out.String()
}

func orElse(s, other string) string {
	if strings.TrimSpace(printable(s)) == "" {
		return other
	}
	return s
}

// NewCheckID makes an id of 8 characters [0-9a-z], some 41 random bits. A nil
// or failing reader is replaced by crypto/rand, so there always is an id.
func NewCheckID(random io.Reader) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyz"
	if random == nil {
		random = rand.Reader
	}
	var id [checkIDLength]byte
	for n := 0; n < len(id); {
		var b [1]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			random = rand.Reader
			continue
		}
		// 252 is the largest multiple of 36 in a byte: above it the first four
		// digits would come up more often.
		if b[0] < 252 {
			id[n] = digits[b[0]%36]
			n++
		}
	}
	return string(id[:])
}
