package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/transcript"
)

// ours tells Claude Code, where handoffs exist and the shell knows its session.
func ours(h hookio.Host) bool { return h == hookio.HostClaudeCode || h == hookio.HostAuto }

// sessionFlag is what an evidence command needs beside its name where it runs: a
// space and --session with the id. Codex and Copilot tell their shells the session,
// too, but so does every session that they were started in, and which of the two is
// the inner one cannot be seen; the others tell nothing.
func sessionFlag(ev *hookio.Event) string {
	if ours(ev.Host) || ev.SessionID == "" {
		return ""
	}
	return " --session " + shellWord(ev.SessionID)
}

// shellWord quotes a word for a POSIX shell, when it has to be.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// AskedByPerson tells whether the prompt of a UserPromptSubmit event is a person's.
// Hosts other than Claude Code send the same event for what goes on by itself: blank
// for tool results (Qwen Code), and with our own reason after a block.
func AskedByPerson(ev *hookio.Event) bool {
	if ours(ev.Host) {
		return true
	}
	return strings.TrimSpace(ev.Prompt) != "" && !transcript.IsRemediation(ev.Prompt)
}

// ExitNotFiled is the exit code of an evidence command that may not write where
// evidence is kept, as in a host's sandbox: no effort of the agent can change that.
const ExitNotFiled = 3

// notFiled tells whether the turn's latest evidence command ended so.
func notFiled(t *transcript.Turn) bool {
	for _, c := range slices.Backward(t.Tools) {
		if c.Evidence != "" {
			return c.ExitCode != nil && *c.ExitCode == ExitNotFiled
		}
	}
	return false
}

// How long a stop waits for its own row. Copilot CLI wrote it within 15 ms of the
// call; what is later than a second does not come.
const (
	awaitStep  = 20 * time.Millisecond
	awaitTries = 50
)

// await lets Copilot CLI finish its transcript: it calls the hook first and writes
// the turn's last rows, the agent's words among them, a moment later. The row of
// this very call, which is never older than the call, ends the wait.
func (g *Gate) await(ev *hookio.Event) {
	if ev.Host != hookio.HostCopilot || ev.Timestamp.IsZero() || ev.TranscriptPath == "" {
		return
	}
	pause := g.Pause
	if pause == nil {
		pause = time.Sleep
	}
	path := hookio.ExpandHome(ev.TranscriptPath, g.Home)
	for range awaitTries {
		if at, ok := transcript.LastTime(path); !ok || !at.Before(ev.Timestamp) {
			return
		}
		pause(awaitStep)
	}
}
