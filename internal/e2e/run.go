package e2e

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// endWait is how long the client may take to end when its input has ended.
const endWait = 20 * time.Second

// Run is one process of the client, in print mode or with a stream of messages.
type Run struct {
	stage  *Stage
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil in print mode
	stderr *safeBuffer
	done   chan struct{} // closed when the process has ended and all output was read

	mu      sync.Mutex
	events  []gjson.Result
	changed chan struct{}
	code    int
}

// Print starts `claude -p PROMPT ARGS`.
func (s *Stage) Print(prompt string, args ...string) *Run {
	s.t.Helper()
	return s.start(false, append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose"}, args...))
}

// Stream starts the client with messages in both directions; see [Run.Say].
func (s *Stage) Stream(args ...string) *Run {
	s.t.Helper()
	return s.start(true, append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, args...))
}

func (s *Stage) start(talk bool, args []string) *Run {
	s.t.Helper()
	r := &Run{stage: s, cmd: exec.Command(s.client.Path, args...), stderr: &safeBuffer{}, done: make(chan struct{}), changed: make(chan struct{})}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = s.Project, s.environ(), r.stderr
	r.cmd.WaitDelay = 5 * time.Second // a child of the client may hold its stderr
	ownGroup(r.cmd)
	stdout, err := r.cmd.StdoutPipe()
	if err == nil && talk {
		r.stdin, err = r.cmd.StdinPipe()
	}
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.runs = append(s.runs, r)
	go r.read(stdout)
	return r
}

// read owns the process: it collects the output, and then waits.
func (r *Run) read(stdout io.Reader) {
	defer close(r.done)
	in := bufio.NewReader(stdout)
	for {
		line, err := in.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			r.mu.Lock()
			r.events = append(r.events, gjson.Parse(line))
			close(r.changed)
			r.changed = make(chan struct{})
			r.mu.Unlock()
		}
		if err != nil {
			break
		}
	}
	err := r.cmd.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code = r.cmd.ProcessState.ExitCode()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(r.stderr, err)
	}
}

// Say sends a message of a person.
func (r *Run) Say(text string) { r.stage.t.Helper(); r.send(text, nil) }

// SayNow sends a message of a person that cannot wait: a foreground command that has
// run for two seconds is moved to the background for it.
func (r *Run) SayNow(text string) {
	r.stage.t.Helper()
	r.send(text, map[string]any{"priority": "now"})
}

func (r *Run) send(text string, more map[string]any) {
	r.stage.t.Helper()
	doc := map[string]any{"type": "user", "uuid": newUUID(), "origin": map[string]any{"kind": "human"},
		"message": map[string]any{"role": "user", "content": text}, "parent_tool_use_id": nil, "session_id": ""}
	for name, value := range more {
		doc[name] = value
	}
	data, err := json.Marshal(doc)
	if err == nil {
		_, err = r.stdin.Write(append(data, '\n'))
	}
	if err != nil {
		r.stage.Fatalf("the message %q could not be sent: %v", text, err)
	}
}

func newUUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Events are the lines of the stream so far.
func (r *Run) Events() []gjson.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]gjson.Result(nil), r.events...)
}

// Await waits for an event that ok accepts and returns the first one.
func (r *Run) Await(what string, ok func(gjson.Result) bool) gjson.Result {
	r.stage.t.Helper()
	for seen := 0; ; {
		r.mu.Lock()
		changed, events := r.changed, r.events
		r.mu.Unlock()
		for ; seen < len(events); seen++ {
			if ok(events[seen]) {
				return events[seen]
			}
		}
		select {
		case <-changed:
		case <-r.done:
			if len(r.Events()) == seen {
				r.stage.Fatalf("the client ended without %s", what)
			}
		case <-r.stage.Ctx.Done():
			r.stage.Fatalf("waited in vain for %s: %v", what, context.Cause(r.stage.Ctx))
		}
	}
}

// AwaitResult waits for the n-th turn, from 1, to end, and returns its result event.
func (r *Run) AwaitResult(n int) gjson.Result {
	r.stage.t.Helper()
	seen := 0
	return r.Await(fmt.Sprintf("result %d", n), func(e gjson.Result) bool {
		if e.Get("type").String() == "result" {
			seen++
		}
		return seen == n
	})
}

// Session is the id of the session. Events before the client's init event may carry
// another one: a session that goes on shows a new id until it has been read.
func (r *Run) Session() string {
	r.stage.t.Helper()
	return r.Await("an init event", func(e gjson.Result) bool {
		return e.Get("type").String() == "system" && e.Get("subtype").String() == "init"
	}).Get("session_id").String()
}

// Close ends the input and returns the exit code of the client when it has ended.
func (r *Run) Close() int {
	r.stage.t.Helper()
	if r.stdin != nil {
		r.stdin.Close()
	}
	return r.Wait()
}

// Wait returns the exit code when the client has ended by itself.
func (r *Run) Wait() int {
	r.stage.t.Helper()
	select {
	case <-r.done:
	case <-r.stage.Ctx.Done():
		r.stage.Fatalf("the client did not end: %v", context.Cause(r.stage.Ctx))
	}
	return r.code
}

// Kill ends the client as a power cut would, it alone and not its children.
func (r *Run) Kill() {
	r.stage.t.Helper()
	if err := r.cmd.Process.Kill(); err != nil {
		r.stage.Fatalf("kill: %v", err)
	}
	<-r.done
}

// Stderr is what the client wrote there so far.
func (r *Run) Stderr() string { return r.stderr.String() }

// end is the last resort at the end of a stage.
func (r *Run) end() {
	if r.stdin != nil {
		r.stdin.Close()
	}
	wait := endWait
	if r.stage.t.Failed() || r.stdin == nil {
		wait = time.Second
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-r.done:
		return
	case <-timer.C:
		if !r.stage.t.Failed() {
			r.stage.t.Errorf("the client did not end within %v of the end of its input", wait)
		}
	}
	killGroup(r.cmd)
	<-r.done
}

// summary shows the events shortly.
func (r *Run) summary() string {
	var b strings.Builder
	for _, e := range r.Events() {
		text := e.Raw
		if r := []rune(text); len(r) > 300 {
			text = string(r[:300]) + "…"
		}
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(text))
	}
	if text := strings.TrimSpace(r.Stderr()); text != "" {
		fmt.Fprintf(&b, "stderr: %s\n", text)
	}
	return b.String()
}
