package execctx_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

// A whole push scenario is declared ahead and played on a clock that the test
// moves.
func ExampleMock_push() {
	clock := exectest.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	mock := execctx.NewMock(execctx.MockOptions{
		Clock: clock,
		OnLaunch: func(execctx.MockRun) execctx.MockScript {
			return execctx.MockScript{
				Steps: []execctx.MockStep{{After: 10 * time.Second, Print: "12 tests, 1 failed\n"}},
				Exit:  &execctx.MockExit{After: 5 * time.Second, Code: 1},
			}
		},
	})
	ctx := context.Background()
	handle, _ := mock.Spawn(ctx, execctx.SpawnConfig{})
	task, _ := execctx.Launch(ctx, mock, handle, execctx.LaunchRequest{
		Command: "make test", OutputDir: "/tasks",
		OnExit: func(info execctx.ExitInfo) {
			log, _ := mock.ReadFile(ctx, handle, info.OutputPath)
			fmt.Printf("%s %s with %d after %d ms: %s", info.TaskID, info.Status, *info.ExitCode, info.DurationMS, log)
		},
	})
	fmt.Println(task.OutputPath)
	clock.Advance(time.Minute)
	// Output:
	// /tasks/bash_1.20260301-120000-000.log
	// bash_1 exited with 1 after 15000 ms: 12 tests, 1 failed
}

// In a durable context nothing is told: a new owner of the handle finds what
// ended.
func ExampleMock_pull() {
	mock := execctx.NewMock(execctx.MockOptions{DetachedTasks: execctx.DetachedDurable})
	ctx := context.Background()
	handle, _ := mock.Spawn(ctx, execctx.SpawnConfig{HandleID: "session-7"})
	_, _ = execctx.Launch(ctx, mock, handle, execctx.LaunchRequest{Command: "train", OutputDir: "/tasks"})

	mock.Exit("bash_1", execctx.MockExit{Signal: "SIGKILL"}) // nobody listens

	later := mock.Reopen()
	handle, _ = later.Spawn(ctx, execctx.SpawnConfig{HandleID: "session-7"})
	tasks, _ := execctx.List(ctx, later, handle)
	for _, task := range tasks {
		fmt.Println(task.TaskID, task.Command, task.Status, *task.ExitCode, task.Signal)
	}
	// Output:
	// bash_1 train killed 137 SIGKILL
}
