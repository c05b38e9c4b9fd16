package shell

import "strings"

// ParseLiteral is [ParseFor] for the questions of what a command certainly did
// ([Script.EvidenceCall], [Script.Reads]). It also reads PowerShell that is so plain
// that Bash would do the same. What such a script puts into the background, or waits
// for, it does not know, so do not ask it that.
func ParseLiteral(tool, command string, opts Options) *Script {
	if s := ParseFor(tool, command, opts); s.Parsed || !speaksPowerShell(tool) {
		return s
	}
	text, ok := plainPowerShell(command)
	if !ok {
		return unparsed("this PowerShell is not plain enough to be read as a shell script")
	}
	return Parse(text, opts)
}

// speaksPowerShell tells the tools whose text is PowerShell.
func speaksPowerShell(tool string) bool {
	switch toolName(tool) {
	case "powershell", "pwsh", "powershell_command":
		return true
	}
	return false
}

// toolName is a tool's name without its namespace, in lower case.
func toolName(tool string) string {
	name := strings.ToLower(tool)
	return name[strings.LastIndexByte(name, '.')+1:] // functions.exec_command
}

// plainPowerShell turns a PowerShell command line into one that Bash reads alike, and
// tells whether it could. Only programs with literal arguments, in pipelines and
// lists, mean the same in both: there a backslash is a letter, and & in front of a
// quoted path calls it. Whatever has blocks, variables or escapes is left alone.
func plainPowerShell(command string) (string, bool) {
	if strings.ContainsAny(command, "{}()$`@#<>%*?[]!=") {
		return "", false
	}
	var b strings.Builder
	quote, begins := byte(0), true
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote, begins = c, false
		case c == '&' && begins:
			continue
		case c == ';' || c == '|' || c == '\n' || c == '\r':
			begins = true
		case c == '&' && i+1 < len(command) && command[i+1] == '&':
			b.WriteByte(c)
			i++
			begins = true
		case c != ' ' && c != '\t':
			begins = false
		}
		if c == '\\' {
			c = '/'
		}
		b.WriteByte(c)
	}
	return b.String(), quote == 0
}
