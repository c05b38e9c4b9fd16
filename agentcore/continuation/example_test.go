package continuation_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/stophook/stophook/agentcore/continuation"
)

const maxTurns = 200

// client is a command line of Claude Code.
type client struct{ path string }

// run runs it once, folds what it prints, and tells how it ended.
func (c client) run(ctx context.Context, s *continuation.Stream, prompt, resume string) (*continuation.StreamResult, error) {
	args := []string{"-p", "--output-format", "stream-json", "--verbose", "--max-turns", strconv.Itoa(maxTurns),
		"--append-system-prompt", continuation.Instruction(continuation.Reader{Dialect: continuation.Claude})}
	if resume != "" {
		args = append(args, "--resume", resume)
	}
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Stdin, cmd.Stderr = strings.NewReader(prompt), os.Stderr // a prompt may begin with a dash
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var result *continuation.StreamResult
	lines := bufio.NewReader(out)
	for result == nil { // not to the end: what was left running may hold the pipe
		line, err := lines.ReadBytes('\n') // of any length
		result = s.Line(line)
		if err != nil {
			break
		}
	}
	// The exit code says no more than the result does, where there is one.
	if err := cmd.Wait(); result == nil {
		return nil, errors.Join(errors.New("claude ended without a result"), err)
	}
	return result, nil
}

// turn runs it for one prompt of a person, as often as it takes until its background
// work is collected or given up. The notices are for the person.
func (c client) turn(ctx context.Context, prompt string) (answer string, notices []string, err error) {
	var stream continuation.Stream // of the turn, not of a run
	turn := continuation.NewTurn(continuation.Policy{Dialect: continuation.Claude}, &stream.Calls)
	session := ""
	for {
		result, err := c.run(ctx, &stream, prompt, session)
		if err != nil {
			return answer, notices, err
		}
		answer = result.Text
		step := turn.Ended(continuation.Outcome{Ending: result.Ending(), Aborted: ctx.Err() != nil, Turns: result.Turns, Requested: maxTurns})
		notices = append(notices, step.Notices...)
		if step.Over() {
			return answer, notices, nil
		}
		prompt, session = step.Prompt, result.SessionID
	}
}

// A host that runs Claude Code without a person around it.
func Example_claudeHeadless() {
	answer, notices, err := client{"claude"}.turn(context.Background(), "build it and run the tests")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer)
	for _, notice := range notices {
		fmt.Fprintln(os.Stderr, "warning:", notice)
	}
}

// The same rules for an agent of our own, whose tasks have ids.
func ExampleLedger() {
	var ledger continuation.Ledger
	turn := continuation.NewTurn(continuation.Policy{}, &ledger)

	ledger.Launch(continuation.Task{ID: "bash_1", Command: "make test", OutputPath: "/s/tasks/bash_1-0192.output"})
	ledger.Launch(continuation.Task{ID: "bash_2", Command: "make lint", OutputPath: "/s/tasks/bash_2-0192.output"})
	ledger.Outcome("bash_1", "") // wait_task told how it ended

	step := turn.Ended(continuation.Outcome{Ending: continuation.Success})
	fmt.Println(step.Rung, turn.Outstanding(), strings.Contains(step.Prompt, "bash_2"))

	// The rescue run only talks.
	step = turn.Ended(continuation.Outcome{Ending: continuation.Success})
	fmt.Println(step.Over(), len(step.Notices))
	// Output:
	// nudge 1 true
	// true 1
}

func ExampleShouldNudge() {
	fmt.Println(continuation.ShouldNudge(continuation.NudgeState{Ending: continuation.Success, Outstanding: 1}))
	fmt.Println(continuation.ShouldNudge(continuation.NudgeState{Ending: continuation.ErrorMaxTurns, Outstanding: 1}))
	// Output:
	// true
	// false
}
