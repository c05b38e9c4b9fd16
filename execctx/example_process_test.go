//go:build unix

package execctx_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/stophook/stophook/execctx"
)

// A command runs in the foreground; an exit code is no error.
func ExampleProcessContext_Exec() {
	ctx := context.Background()
	c := execctx.NewProcess(execctx.ProcessOptions{})
	h, err := c.Spawn(ctx, execctx.SpawnConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Destroy(ctx, h)

	result, err := c.Exec(ctx, h, execctx.ExecRequest{Command: "echo hello; echo trouble >&2; exit 3"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%sexit code %d\n", result.Output, *result.ExitCode)
	// Output:
	// hello
	// trouble
	// exit code 3
}

// A command that takes too long for its caller becomes a task, without being
// interrupted.
func ExampleForegroundCall_move() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c := execctx.NewProcess(execctx.ProcessOptions{})
	h, err := c.Spawn(ctx, execctx.SpawnConfig{CWD: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Destroy(ctx, h)

	call, err := execctx.StartExec(ctx, c, h, execctx.ExecRequest{
		Command:   "echo begun; until [ -e answer ]; do sleep 0.01; done; cat answer",
		OutputDir: "tasks", // makes it movable
	})
	if err != nil {
		log.Fatal(err)
	}
	exits := make(chan execctx.ExitInfo, 1)
	task, err := call.Move(execctx.MoveRequest{OnExit: func(info execctx.ExitInfo) { exits <- info }})
	if err != nil {
		log.Fatal(err) // execctx.ErrEnded: it was faster, and call.Result has its end
	}
	fmt.Println("moved to", task.TaskID, "as the same process:", task.PID == call.PID())

	if err := c.WriteFile(ctx, h, "answer", []byte("42\n")); err != nil {
		log.Fatal(err)
	}
	info := <-exits
	output, err := os.ReadFile(filepath.Clean(info.OutputPath))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %s\n%s", info.TaskID, info.Status, output)
	// Output:
	// moved to bash_1 as the same process: true
	// bash_1 exited
	// begun
	// 42
}
