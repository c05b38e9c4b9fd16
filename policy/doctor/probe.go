package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stophook/stophook/policy/decisionlog"
	"github.com/stophook/stophook/policy/hookio"
	"github.com/stophook/stophook/policy/install"
)

const (
	probeWait = 30 * time.Second // for one call, when the host would wait longer
	slowShare = 4                // a call that takes a quarter of the host's time is slow
	slowAfter = 3 * time.Second  // and so is one that a person waits for
)

// probes runs every entry as its host would.
func (e *exam) probes(ctx context.Context) {
	if len(e.entries) == 0 {
		return
	}
	dir, err := e.TempDir()
	if err != nil {
		e.add(Finding{ID: "probe_failed", Severity: Error, Title: "the installed hooks could not be tried out: no folder for a sample session", Detail: err.Error(),
			Todo: "make room in the folder for temporary files, or set TMPDIR"})
		return
	}
	defer os.RemoveAll(dir)
	for i, in := range e.entries {
		if e.unusable(in) || e.foreign(in) {
			continue // told already
		}
		p := &probe{exam: e, in: in, dir: filepath.Join(dir, fmt.Sprint(i))}
		if err := p.run(ctx); err != nil {
			e.add(Finding{ID: "probe_failed", Severity: Error, Title: "an installed hook could not be tried out", Detail: err.Error(), File: in.File, Line: in.Line})
		}
	}
}

// probe is one entry that is tried out in a folder of its own.
type probe struct {
	*exam
	in    entry
	dir   string
	shown bool // a finding of this entry was filed
}

// run calls the entry with a turn that has to be held and, when that works, with an
// event that always passes.
func (p *probe) run(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(p.dir, "state"), 0o700); err != nil {
		return err
	}
	s, err := newSample(p.in.Host, p.in.Event, p.dir, p.Project, p.Now())
	if err != nil {
		return err
	}
	r := p.call(ctx, s)
	if !p.works(r) {
		return nil
	}
	if !stops(p.in.Event) {
		return nil
	}
	p.holds(r, p.decision(s.session))
	if pass, ok := s.passing(); ok && !p.shown {
		if r := p.call(ctx, pass); p.works(r) && strings.TrimSpace(r.Stdout) != "" && !p.spoken(pass.session) {
			p.say(Error, "hook_noisy", "prints something when nothing is wrong, which the host may show or fail on", excerpt(r.Stdout),
				"let the command print nothing but the answer of stophook")
		}
	}
	if !p.shown {
		p.slow(r.Took)
	}
	if !p.shown {
		p.add(Finding{ID: "hook_holds", Severity: OK, Title: fmt.Sprintf("%s: a turn without evidence is held (%s, %s)", p.name(), p.in.Profile, r.Took.Round(time.Millisecond)),
			File: p.in.File, Line: p.in.Line})
	}
	return nil
}

// name is how findings call the entry.
func (p *probe) name() string {
	from := string(p.in.Scope)
	if p.in.plugin != "" {
		from = "plugin"
	}
	return fmt.Sprintf("%s, %s hook (%s)", install.Title(p.in.Host), p.in.Event, from)
}

// say files a finding about the entry: its name and what it does.
func (p *probe) say(s Severity, id, what, detail, todo string) {
	p.shown = true
	p.add(Finding{ID: id, Severity: s, Title: p.name() + " " + what, Detail: detail, File: p.in.File, Line: p.in.Line, Todo: todo})
}

// call starts the command as the host does: its line through a shell, or program
// and arguments as they are.
func (p *probe) call(ctx context.Context, s sample) Result {
	ctx, cancel := context.WithTimeout(ctx, min(probeWait, p.timeout()))
	defer cancel()
	c := Call{Dir: p.Project, Env: p.environ(s), Stdin: s.payload}
	if c.Dir == "" {
		c.Dir = p.dir
	}
	if p.in.Args == nil {
		c.Shell = p.in.Command
	} else {
		c.Path, c.Args = p.in.Command, p.in.Args
		if p.in.plugin != "" {
			c.Path = p.resolve(p.in)
		}
	}
	r := p.Start(ctx, c)
	if r.Err == nil && ctx.Err() != nil {
		r.Err = ctx.Err()
	}
	return r
}

// environ is the environment of the host, with a state folder that goes away.
// Home and configuration are the person's own: the command may name them, and the
// rules that count are those that are set.
func (p *probe) environ(s sample) []string {
	drop := []string{"XDG_STATE_HOME", "STOPHOOK_BYPASS", "STOPHOOK_SESSION_ID", "CLAUDE_CODE_SESSION_ID", "CLAUDE_ENV_FILE", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT",
		"CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ATTENDED"}
	env := slices.DeleteFunc(slices.Clone(p.Environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(drop, name)
	})
	env = append(env, "XDG_STATE_HOME="+filepath.Join(p.dir, "state"))
	if p.in.plugin != "" {
		env = append(env, "CLAUDE_PLUGIN_ROOT="+p.in.plugin)
	}
	if p.in.Host == hookio.HostClaudeCode {
		// Nobody is there to wake the session, so that the rules for background work
		// speak as well.
		env = append(env, "CLAUDE_PROJECT_DIR="+p.Project, "CLAUDE_CODE_SESSION_ID="+s.session, "CLAUDE_CODE_ENTRYPOINT=sdk-cli", "CLAUDE_CODE_SESSION_ATTENDED=0")
	}
	return env
}

// timeout is how long the host waits.
func (p *probe) timeout() time.Duration {
	unit, usual := time.Second, 600*time.Second
	switch p.in.Host {
	case hookio.HostGemini, hookio.HostQwen:
		unit, usual = time.Millisecond, 60*time.Second
	case hookio.HostCopilot:
		usual = 30 * time.Second
	case hookio.HostCursor, install.HostDroid:
		usual = 60 * time.Second
	}
	if p.in.Timeout > 0 {
		return time.Duration(p.in.Timeout * float64(unit))
	}
	return usual
}

// works tells whether the command ran to its end and printed what a host reads.
func (p *probe) works(r Result) bool {
	todo := "run the command by hand, then `stophook install` again"
	switch {
	case errors.Is(r.Err, context.DeadlineExceeded):
		p.say(Error, "hook_slow", fmt.Sprintf("did not answer within %s, and the host lets the turn go", min(probeWait, p.timeout())), "",
			"find out what it waits for; `stophook log` shows how long the hook itself takes")
	case r.Err != nil:
		p.say(Error, "hook_fails", "cannot be started", r.Err.Error(), todo)
	case r.Code != hookio.ExitCode:
		p.say(Error, "hook_fails", fmt.Sprintf("fails with exit code %d, and the host lets the turn go", r.Code), excerpt(r.Stderr), todo)
	case !legal(p.in.Host, p.in.Event, r.Stdout):
		p.say(Error, "hook_illegal", "prints what the host cannot read, and the answer is lost", excerpt(r.Stdout),
			"let the command print nothing but the answer of stophook")
	default:
		return true
	}
	return false
}

// holds judges the answer to the turn that has to be held, beside the decision that
// the call has logged.
func (p *probe) holds(r Result, logged decisionlog.Line) {
	verdict, code := logged.Get("result.verdict").Str, logged.Get("result.code").Str
	failure := logged.Get("error.message").Str
	switch {
	case blocks(p.in.Host, r.Stdout):
	case failure != "":
		p.say(Error, "hook_failed", "cannot judge a turn, and lets it go", excerpt(failure), "correct it; `stophook log --verbose` shows more")
	case logged.Get("custom.shadow").Bool():
		p.say(Note, "hook_observes", "only observes: turns are judged and logged, none is held", "", "run `stophook install --profile ritual` to hold them")
	case len(logged.Raw) == 0 && strings.TrimSpace(r.Stdout) != "":
		p.say(Warning, "hook_unclear", "answers, and lets a turn without evidence go", excerpt(r.Stdout), "see what the message says")
	case len(logged.Raw) == 0 && (strings.Contains(p.in.Command, "--state-dir") || slices.Contains(p.in.Args, "--state-dir")):
		p.say(Warning, "hook_lets_pass", "lets a turn without evidence go", "Its command names a state folder of its own, so its reasons cannot be seen here.",
			"run `stophook log --state-dir DIR --verbose` with that folder")
	case len(logged.Raw) == 0:
		p.say(Error, "hook_silent", "lets a turn without evidence go: it ran, and stophook was not reached", excerpt(r.Stderr), "run `stophook install` again")
	case verdict == "block":
		p.say(Error, "hook_silent", "decides to hold a turn, and the host is not told", excerpt(r.Stderr), "let the command pass the output of stophook on")
	case p.in.Host != hookio.HostClaudeCode:
		p.say(Note, "hook_answers", fmt.Sprintf("answers (%s); whether it holds a turn cannot be shown with a sample of this host", code), "", "")
	default:
		p.say(Warning, "hook_lets_pass", fmt.Sprintf("lets a turn without evidence go (%s)", code), logged.Get("result.system_message").Str,
			"see which rules the configuration switches off: `stophook policy list`")
	}
}

// decision is what the call has logged about a session; empty when it has not.
func (p *probe) decision(session string) decisionlog.Line {
	var last decisionlog.Line
	_, err := decisionlog.ReadLines(filepath.Join(p.dir, "state", "stophook", "decisions.jsonl"), decisionlog.Filter{SessionID: session},
		func(l decisionlog.Line) error {
			last = decisionlog.ParseLine(slices.Clone(l.Raw))
			return nil
		})
	if err != nil {
		return decisionlog.Line{}
	}
	return last
}

// spoken tells whether stophook itself had something to say.
func (p *probe) spoken(session string) bool {
	d := p.decision(session)
	return d.Get("result.system_message").Str != "" || d.Get("result.verdict").Str == "block"
}

// slow compares the time of a call with what the host and a person put up with.
func (p *probe) slow(took time.Duration) {
	if limit := p.timeout() / slowShare; took < min(limit, slowAfter) {
		return
	}
	p.say(Warning, "hook_slow", fmt.Sprintf("takes %s, and the host waits %s", took.Round(time.Millisecond), p.timeout()), "",
		"see what else the command does; the hook alone takes some 10 ms")
}

// excerpt is the beginning of what a program printed.
func excerpt(text string) string {
	line := firstLine(text)
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	if line == "" {
		return "It printed nothing."
	}
	return line
}
