package transcript

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

const (
	// writtenLimit bounds each of the two texts kept of a file tool's call.
	writtenLimit = 2000
	// textsLimit bounds those of a whole turn, the latest calls first: they are
	// judged and logged at every stop. The last call that still finds room keeps its
	// texts whole.
	textsLimit = 64 << 10
)

// fileTool tells the tools that write files. Others have members of the same
// names that mean something else.
func fileTool(name string) bool {
	switch strings.TrimPrefix(name, "functions.") {
	case "Edit", "MultiEdit", "Write", "NotebookEdit", "edit", "write_file": // the last two are our own agent's
		return true
	}
	return false
}

// inputTexts are members of a call's input that few ask for. They are found in
// the one walk over the input and copied only where they are kept.
type inputTexts struct {
	description, written, replaced, edits gjson.Result
}

func (in *inputTexts) read(key string, v gjson.Result) {
	switch key {
	case "description":
		in.description = v
	case "new_string", "content", "new_source":
		in.written = v
	case "old_string":
		in.replaced = v
	case "edits":
		in.edits = v
	}
}

// keepTexts keeps what a file tool wrote and what it replaced, and returns how many
// bytes that is; without room it keeps nothing and says so. Only the turn's own
// calls are asked: texts are long, and nobody asks for those of older turns.
func (c *ToolCall) keepTexts(in inputTexts, room int) int {
	if !fileTool(c.Name) {
		return 0
	}
	if room <= 0 {
		c.Cut = c.Cut || str(in.written) != "" || str(in.replaced) != "" || in.edits.Exists()
		return 0
	}
	var written, replaced parts
	written.add(in.written)
	replaced.add(in.replaced)
	in.edits.ForEach(func(_, edit gjson.Result) bool {
		edit.ForEach(func(k, v gjson.Result) bool {
			switch k.Str {
			case "new_string":
				written.add(v)
			case "old_string":
				replaced.add(v)
			}
			return true
		})
		return !written.cut || !replaced.cut
	})
	c.Written, c.Replaced = written.String(), replaced.String()
	c.Cut = c.Cut || written.cut || replaced.cut
	return len(c.Written) + len(c.Replaced)
}

// parts joins texts by newlines, up to writtenLimit.
type parts struct {
	strings.Builder
	some, cut bool
}

func (p *parts) add(v gjson.Result) {
	s := str(v)
	if s == "" || p.cut {
		return
	}
	if p.some {
		s = "\n" + s
	}
	p.some = true
	if room := writtenLimit - p.Len(); len(s) > room {
		s, p.cut = cutWord(s, room), true
	}
	p.WriteString(s)
}

// cutWord is cut at the end of a word where there is one: half a key is no longer
// known for a secret when the text is logged.
func cutWord(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndexAny(s[:n], " \t\n\r"); i >= n-maxWord && i >= 0 {
		return s[:i]
	}
	return cut(s, n)
}

// maxWord is how far cutWord looks back.
const maxWord = 512

// failedExit reads the exit code that the host writes before the output of a
// command that failed: "Exit code 2" and the end of the line. Output cannot forge
// it, since it always stands first; a call that was refused or broken off has none.
func failedExit(result gjson.Result) *int {
	head, _, _ := strings.Cut(firstText(result), "\n")
	code, ok := strings.CutPrefix(head, "Exit code ")
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(strings.TrimSuffix(code, "\r"))
	if err != nil {
		return nil
	}
	return &n
}

// firstText is the text that a tool_result block begins with.
func firstText(b gjson.Result) string {
	c := b.Get("content")
	if c.Type == gjson.String {
		return c.Str
	}
	return str(c.Get("0.text"))
}
