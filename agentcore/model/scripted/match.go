package scripted

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/stophook/stophook/agentcore/model"
)

// mismatch says what does not hold.
type mismatch struct {
	what, want, got string
}

// matcher is a Match with its patterns compiled.
type matcher struct {
	*Match
	patterns map[string]*regexp.Regexp // by their text
}

func compile(m *Match) (*matcher, error) {
	if m == nil {
		return nil, nil
	}
	c := &matcher{Match: m}
	for _, pattern := range []string{m.SystemMatches, m.TextMatches, m.ToolResultMatches} {
		if pattern == "" {
			continue
		}
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("pattern: %w", err)
		}
		if c.patterns == nil {
			c.patterns = map[string]*regexp.Regexp{}
		}
		c.patterns[pattern] = re
	}
	return c, nil
}

// match gives the first thing that does not hold, or nil. What named groups find
// goes into found, which may be nil.
func (m *matcher) match(req *model.Request, found map[string]string) *mismatch {
	if m == nil {
		return nil
	}
	last := model.Message{}
	if n := len(req.Messages); n > 0 {
		last = req.Messages[n-1]
	}
	if bad := m.texts("the system prompt", m.System, m.SystemMatches, found, func() string { return req.System }); bad != nil {
		return bad
	}
	if bad := m.texts("the text of the last message", m.Text, m.TextMatches, found, func() string { return textOf(last) }); bad != nil {
		return bad
	}
	if bad := m.texts("the tool results of the last message", m.ToolResult, m.ToolResultMatches, found, func() string { return resultsOf(last) }); bad != nil {
		return bad
	}
	if bad := m.texts("the conversation", m.Conversation, "", found, func() string { return conversation(req) }); bad != nil {
		return bad
	}
	if m.Without != "" && strings.Contains(conversation(req), m.Without) {
		return &mismatch{"the conversation", "without " + quote(m.Without), "with it"}
	}
	return m.facts(req, last)
}

func (m *matcher) texts(what, part, pattern string, found map[string]string, text func() string) *mismatch {
	if part == "" && pattern == "" {
		return nil
	}
	got := text()
	if !strings.Contains(got, part) {
		return &mismatch{what, "with " + quote(part), quote(got)}
	}
	if pattern == "" {
		return nil
	}
	re := m.patterns[pattern]
	groups := re.FindStringSubmatch(got)
	if groups == nil {
		return &mismatch{what, "like " + quote(pattern), quote(got)}
	}
	if found != nil {
		for i, name := range re.SubexpNames() {
			if name != "" {
				found[name] = groups[i]
			}
		}
	}
	return nil
}

func (m *matcher) facts(req *model.Request, last model.Message) *mismatch {
	if m.ToolError != nil {
		failed := slices.ContainsFunc(last.Content, func(b model.Block) bool { return b.Type == model.BlockToolResult && b.IsError })
		if failed != *m.ToolError {
			return &mismatch{"an error among the tool results", fmt.Sprint(*m.ToolError), fmt.Sprint(failed)}
		}
	}
	if m.Messages != nil && len(req.Messages) != *m.Messages {
		return &mismatch{"the number of messages", fmt.Sprint(*m.Messages), fmt.Sprint(len(req.Messages))}
	}
	if m.Model != "" && req.Model != m.Model {
		return &mismatch{"the model", quote(m.Model), quote(req.Model)}
	}
	offered := func(name string) bool {
		return slices.ContainsFunc(req.Tools, func(t model.ToolSpec) bool { return t.Name == name })
	}
	for _, name := range m.Tools {
		if !offered(name) {
			return &mismatch{"the tools", "with " + name, names(req.Tools)}
		}
	}
	for _, name := range m.WithoutTools {
		if offered(name) {
			return &mismatch{"the tools", "without " + name, names(req.Tools)}
		}
	}
	return nil
}

func names(tools []model.ToolSpec) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return "[" + strings.Join(all, " ") + "]"
}

func textOf(m model.Message) string {
	return joined(m, func(b model.Block) bool { return b.Type == model.BlockText })
}

func resultsOf(m model.Message) string {
	return joined(m, func(b model.Block) bool { return b.Type == model.BlockToolResult })
}

// joined gives the texts of the blocks that count, a line each.
func joined(m model.Message, counts func(model.Block) bool) string {
	var lines []string
	for _, b := range m.Content {
		switch {
		case !counts(b):
		case b.Type == model.BlockText:
			lines = append(lines, b.Text)
		case b.Type == model.BlockToolResult:
			lines = append(lines, textOf(model.Message{Content: b.Content}))
		}
	}
	return strings.Join(lines, "\n")
}

func conversation(req *model.Request) string {
	var all []string
	for _, m := range req.Messages {
		all = append(all, joined(m, func(model.Block) bool { return true }))
	}
	return strings.Join(all, "\n")
}

// quote keeps messages readable: the end of a long text is what is new in it.
func quote(text string) string {
	const most = 300
	if len(text) > most {
		text = "… " + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return fmt.Sprintf("%q", text)
}
