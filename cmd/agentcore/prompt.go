package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/term"
)

// maxPrompt bounds a prompt from stdin, in bytes; no model takes more.
const maxPrompt = 16 << 20

// prompt joins the text of --prompt and the arguments; `-` stands for stdin, as in
// `git diff | agentcore run -p "review this" -`. Nothing else makes us read stdin:
// a parent that leaves its own open must not make us wait.
func (p *program) prompt(flag string, args []string) (string, error) {
	var parts []string
	if strings.TrimSpace(flag) != "" && flag != "-" {
		parts = append(parts, flag)
	}
	if flag == "-" {
		args = append([]string{flag}, args...)
	}
	for i, arg := range args {
		switch {
		case arg != "-" && i > 0 && args[i-1] != "-":
			parts[len(parts)-1] += " " + arg // the words of one sentence
		case arg != "-":
			parts = append(parts, arg)
		case slices.Contains(args[:i], "-"):
			return "", errors.New("stdin (-) is named twice")
		default:
			piped, err := p.readStdin()
			if err != nil {
				return "", err
			}
			parts = append(parts, piped)
		}
	}
	text := strings.TrimSpace(strings.Join(parts, "\n\n"))
	if text == "" {
		return "", errors.New(`there is no prompt; give one with -p "TEXT", and - for what is piped in`)
	}
	return text, nil
}

func (p *program) readStdin() (string, error) {
	piped, err := io.ReadAll(io.LimitReader(p.stdin, maxPrompt+1))
	if err != nil {
		return "", fmt.Errorf("read the prompt from stdin: %w", err)
	}
	if len(piped) > maxPrompt {
		return "", fmt.Errorf("stdin holds more than %s, which is no prompt; name the file in the prompt and let the agent read it", term.Size(maxPrompt))
	}
	if len(strings.TrimSpace(string(piped))) == 0 {
		return "", errors.New("stdin (-) is empty: there is no prompt in it")
	}
	return string(piped), nil
}
