package task_test

import (
	"fmt"
	"time"

	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/execctx"
)

// An end is queued, latched, told, and known again after a restart.
func Example() {
	code := 0
	exit := task.FromExit(execctx.Handle{ID: "h1"}, execctx.ExitInfo{TaskID: "bash_1", Status: execctx.StatusExited, ExitCode: &code,
		Command: "go test ./... > out", OutputPath: "/s/tasks/bash_1.20261005-090000-000.log", DurationMS: 4200},
		time.Date(2026, 10, 5, 9, 0, 4, 0, time.UTC))

	var queue task.Queue
	latch := task.NewLatch()
	if !latch.Has(exit.Key()) {
		queue.AddExit(exit)
	}

	var told []string // goes into the session, each a row with the mark of a notification
	for _, e := range queue.Exits() {
		latch.Add(e.Key())
		queue.Remove(e.Key())
		told = append(told, e.Block())
	}
	fmt.Println(told[0])
	fmt.Println(task.FromBlocks(told).Has(exit.Key()), queue.Pending())
	// Output:
	// <task-notification>
	// <task-id>bash_1</task-id>
	// <status>exited</status>
	// <exit-code>0</exit-code>
	// <command>go test ./... &gt; out</command>
	// <output-file>/s/tasks/bash_1.20261005-090000-000.log</output-file>
	// <duration-ms>4200</duration-ms>
	// <summary>go test ./... &gt; out (4.2s) — exited 0</summary>
	// </task-notification>
	// true false
}

// The notification of another program is read too.
func ExampleParse() {
	n, ok := task.Parse(`<task-notification>
<task-id>bzg2hipdn</task-id>
<status>failed</status>
<summary>Background command "make" failed with exit code 2</summary>
</task-notification>`)
	code, known := n.Exit.Code()
	fmt.Println(ok, n.TaskID, n.Exit.Status, code, known)
	// Output: true bzg2hipdn exited 2 true
}

// What a person sees of a stored session.
func ExampleTurn_Split() {
	stored := task.Turn{Marks: true, Delivered: true, Texts: []string{
		task.Exit{TaskID: "bash_1", Status: execctx.StatusKilled, Signal: "SIGTERM", Command: "npm run dev", OutputPath: "/s/bash_1.log", Duration: time.Minute}.Block(),
	}}
	notices, texts := stored.Split()
	fmt.Println(notices[0].Exit.Banner(), len(texts))
	// Output: ⌁ bash_1 killed 60.0s /s/bash_1.log 0
}
