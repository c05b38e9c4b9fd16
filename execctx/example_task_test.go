//go:build unix

package execctx_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/stophook/stophook/execctx"
)

// scratch gives a context and a handle in a folder of its own, and what ends
// both.
func scratch(ctx context.Context) (c *execctx.ProcessContext, h execctx.Handle, end func()) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	c = execctx.NewProcess(execctx.ProcessOptions{})
	if h, err = c.Spawn(ctx, execctx.SpawnConfig{CWD: dir}); err != nil {
		log.Fatal(err)
	}
	return c, h, func() {
		if err := c.Destroy(ctx, h); err != nil {
			log.Print(err)
		}
		os.RemoveAll(dir)
	}
}

// A launch returns when the process was started. Its end is told by a callback,
// when all output is in the file.
func ExampleLaunch() {
	ctx := context.Background()
	c, h, end := scratch(ctx)
	defer end()

	exits := make(chan execctx.ExitInfo, 1)
	task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{
		Command:   "echo built; exit 2",
		OutputDir: "tasks",
		OnExit:    func(info execctx.ExitInfo) { exits <- info },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("started", task.TaskID)

	info := <-exits
	code, _ := info.Code()
	output, err := os.ReadFile(info.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s with %d\n%s", info.TaskID, info.Status, code, output)
	// Output:
	// started bash_1
	// bash_1 exited with 2
	// built
}

// A wait that gives nothing has not seen the end: the task goes on.
func ExampleWait() {
	ctx := context.Background()
	c, h, end := scratch(ctx)
	defer end()

	task, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{Command: "exec sleep 3600", OutputDir: "tasks"})
	if err != nil {
		log.Fatal(err)
	}
	info, err := execctx.Wait(ctx, c, h, task.TaskID, 10*time.Millisecond)
	fmt.Println("after a while:", info, err)

	info, err = execctx.Kill(ctx, c, h, task.TaskID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("after a kill:", info.Status, *info.ExitCode, info.Signal)
	// Output:
	// after a while: <nil> <nil>
	// after a kill: killed 143 SIGTERM
}

// An agent that goes away hands its running tasks to another, with the callback
// of that one. Destroying its handle does not end them then.
func ExampleReassign() {
	ctx := context.Background()
	c, child, end := scratch(ctx)
	defer end()
	parent, err := c.Spawn(ctx, execctx.SpawnConfig{HandleID: "parent", CWD: child.CWD})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = c.Destroy(ctx, parent) }()

	if _, err := execctx.Launch(ctx, c, child, execctx.LaunchRequest{
		Command:   "until [ -e go ]; do sleep 0.01; done",
		OutputDir: "tasks",
		OnExit:    func(execctx.ExitInfo) { fmt.Println("the child is told") },
	}); err != nil {
		log.Fatal(err)
	}
	exits := make(chan execctx.ExitInfo, 1)
	moved, err := execctx.Reassign(ctx, c, execctx.ReassignRequest{
		From: child, To: parent, OnExit: func(info execctx.ExitInfo) { exits <- info },
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Destroy(ctx, child); err != nil {
		log.Fatal(err)
	}
	fmt.Println("moved", moved[0].TaskID, "to", moved[0].HandleID)

	if err := c.WriteFile(ctx, parent, "go", nil); err != nil {
		log.Fatal(err)
	}
	info := <-exits
	fmt.Println("the parent is told:", info.TaskID, info.Status)
	// Output:
	// moved bash_1 to parent
	// the parent is told: bash_1 exited
}

// A task that is quiet for too long is told once, and left alone.
func ExampleLaunchRequest_stall() {
	ctx := context.Background()
	c, h, end := scratch(ctx)
	defer end()

	quiet := make(chan execctx.StallInfo, 1)
	if _, err := execctx.Launch(ctx, c, h, execctx.LaunchRequest{
		Command:      "echo 'Overwrite? [y/n]'; exec sleep 3600",
		OutputDir:    "tasks",
		StallTimeout: 200 * time.Millisecond,
		OnStall:      func(info execctx.StallInfo) { quiet <- info },
	}); err != nil {
		log.Fatal(err)
	}
	info := <-quiet
	output, err := os.ReadFile(info.OutputPath)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s is quiet after:\n%s", info.TaskID, output)
	// Output:
	// bash_1 is quiet after:
	// Overwrite? [y/n]
}
