package exectest

import (
	"strings"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx"
)

// Command is a command of the suite: what a shell makes of it, and the same as a
// declaration, for contexts that only pretend.
type Command struct {
	Shell string // for /bin/sh -c

	Steps []Step
	// Endless: it runs until it is ended; Code and Signal do not count.
	Endless bool
	Code    int
	Signal  string // ends it from outside, as in SIGKILL
	Term    Term
}

// Step is one thing after another that a command does.
type Step struct {
	After     time.Duration
	AwaitFile string // goes on when it is there; relative to the working directory
	Print     string
	PrintEnv  string // prints a variable's value and a newline
}

// Term is what a command does about SIGTERM; the zero value: it ends.
type Term struct {
	Ignore bool
	After  time.Duration
	Print  string // after After
	Exits  bool   // by itself, with Code
	Code   int
}

const (
	tenKB     = 10240 // what printTenKB prints
	bigRow    = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
	bigScript = "i=0; while [ $i -lt 160 ]; do echo " + bigRow + "; i=$((i+1)); done"
	untilGo   = "until [ -e go ]; do sleep 0.01; done"
	untilEnd  = "until [ -e end ]; do sleep 0.01; done"
	goFile    = "go"
	endFile   = "end"
	envName   = "EXECTEST_GREETING"
)

// The commands by what they do. Whoever plays them finds them with Lookup.
const (
	succeed      = "exit 0"
	failWith3    = "exit 3"
	failWith143  = "exit 143"
	printHello   = "echo hello"
	printBoth    = "echo out; echo err >&2; echo again"
	printSum     = "printf 'a\\nb\\n' | grep -c . ; echo $((40+2))"
	printEnv     = "echo \"$" + envName + "\""
	printNothing = "if read line 2>/dev/null; then echo input; else echo no input; fi"
	printTenKB   = bigScript
	tenKBThenGo  = bigScript + "; " + untilGo
	sleepLong    = "sleep 600"
	helloSleep   = "echo begun; sleep 600"
	awaitGo      = untilGo + "; echo went"
	awaitGoEnd   = untilGo + "; echo fresh; " + untilEnd
	aroundGo     = "echo before; " + untilGo + "; echo after"
	ticks        = "i=0; while [ $i -lt 10 ]; do echo tick; sleep 0.02; i=$((i+1)); done"
	ignoreTerm   = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
	slowTerm     = "exec 2>/dev/null; trap 'sleep 0.1; echo bye; exit 5' TERM; echo ready; while :; do sleep 0.01; done"
	termItself   = "kill -TERM $$; sleep 600"
	killItself   = "kill -KILL $$; sleep 600"
	closeOutput  = "exec >/dev/null 2>&1; " + untilGo + "; exit 4"
	childHolds   = "(" + untilGo + "; echo late) & echo early"
	treeOfThree  = "sh -c 'sleep 600 & sleep 600' & echo ready; sleep 600"
	leaveChild   = "sleep 600 >/dev/null 2>&1 & echo $!"
)

func repeat(n int, steps ...Step) []Step {
	var all []Step
	for range n {
		all = append(all, steps...)
	}
	return all
}

// Commands gives all commands of the suite.
func Commands() []Command {
	big := Step{Print: strings.Repeat(bigRow+"\n", tenKB/(len(bigRow)+1))}
	await := Step{AwaitFile: goFile}
	short := 20 * time.Millisecond
	return []Command{
		{Shell: succeed},
		{Shell: failWith3, Code: 3},
		{Shell: failWith143, Code: 143},
		{Shell: printHello, Steps: []Step{{Print: "hello\n"}}},
		{Shell: printBoth, Steps: []Step{{Print: "out\n"}, {Print: "err\n"}, {Print: "again\n"}}},
		{Shell: printSum, Steps: []Step{{Print: "2\n42\n"}}},
		{Shell: printEnv, Steps: []Step{{PrintEnv: envName}}},
		{Shell: printNothing, Steps: []Step{{Print: "no input\n"}}},
		{Shell: printTenKB, Steps: []Step{{Print: big.Print[:4096]}, {After: short, Print: big.Print[4096:]}}},
		{Shell: tenKBThenGo, Steps: []Step{big, await}},
		{Shell: sleepLong, Endless: true},
		{Shell: helloSleep, Steps: []Step{{Print: "begun\n"}}, Endless: true},
		{Shell: awaitGo, Steps: []Step{await, {Print: "went\n"}}},
		{Shell: awaitGoEnd, Steps: []Step{await, {Print: "fresh\n"}, {AwaitFile: endFile}}},
		{Shell: aroundGo, Steps: []Step{{Print: "before\n"}, await, {Print: "after\n"}}},
		{Shell: ticks, Steps: repeat(10, Step{Print: "tick\n"}, Step{After: short})},
		{Shell: ignoreTerm, Steps: []Step{{Print: "ready\n"}}, Endless: true, Term: Term{Ignore: true}},
		{Shell: slowTerm, Steps: []Step{{Print: "ready\n"}}, Endless: true,
			Term: Term{After: 5 * short, Print: "bye\n", Exits: true, Code: 5}},
		{Shell: termItself, Signal: "SIGTERM"},
		{Shell: killItself, Signal: "SIGKILL"},
		{Shell: closeOutput, Steps: []Step{await}, Code: 4},
		{Shell: childHolds, Steps: []Step{{Print: "early\n"}, await, {Print: "late\n"}}},
		{Shell: treeOfThree, Steps: []Step{{Print: "ready\n"}}, Endless: true},
		{Shell: leaveChild, Steps: []Step{{Print: "1\n"}}},
	}
}

var byShell = sync.OnceValue(func() map[string]Command {
	table := map[string]Command{}
	for _, c := range Commands() {
		table[c.Shell] = c
	}
	return table
})

// Lookup finds a command of the suite by its shell text. A context that only
// pretends does what the command declares; one that runs a shell has no need of
// it.
func Lookup(shell string) (Command, bool) {
	c, ok := byShell()[shell]
	return c, ok
}

// Play makes [execctx.Mock] pretend the commands of the suite: it is for
// MockOptions.OnLaunch and OnExec. A command that the suite does not have exits
// with 127, as in a shell.
func Play(run execctx.MockRun) execctx.MockScript {
	c, ok := Lookup(run.Command)
	if !ok {
		return execctx.MockScript{
			Steps: []execctx.MockStep{{Print: "sh: " + run.Command + ": not found\n"}},
			Exit:  &execctx.MockExit{Code: 127},
		}
	}
	var script execctx.MockScript
	for _, s := range c.Steps {
		if s.PrintEnv != "" {
			s.Print = run.Env[s.PrintEnv] + "\n"
		}
		script.Steps = append(script.Steps, execctx.MockStep{After: s.After, AwaitFile: s.AwaitFile, Print: s.Print})
	}
	if !c.Endless {
		script.Exit = &execctx.MockExit{Code: c.Code, Signal: c.Signal}
	}
	switch term := c.Term; {
	case term.Ignore:
		script.Term = &execctx.MockTerm{Ignore: true}
	case term.Exits:
		exit := &execctx.MockExit{After: term.After, Code: term.Code, Print: term.Print}
		script.Term = &execctx.MockTerm{Exit: exit}
	}
	return script
}
