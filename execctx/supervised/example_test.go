//go:build unix

package supervised_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/supervised"
)

// A task outlives the context that launched it, and the program: another one on
// the same store and handle finds it. The program's main begins with
// supervised.RunIfSupervisor().
func Example() {
	ctx := context.Background()
	session, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(session)
	store := filepath.Join(session, "tasks")

	first, err := supervised.New(supervised.Options{Dir: store})
	if err != nil {
		log.Fatal(err)
	}
	h, err := first.Spawn(ctx, execctx.SpawnConfig{HandleID: "agent-1", CWD: session})
	if err != nil {
		log.Fatal(err)
	}
	_, err = first.ExecBackground(ctx, h, execctx.LaunchRequest{
		Command:   "until [ -e answer ]; do sleep 0.01; done; cat answer; exit 3",
		OutputDir: store,
	})
	if err != nil {
		log.Fatal(err)
	}
	first.Close() // or the program is killed

	second, err := supervised.New(supervised.Options{Dir: store})
	if err != nil {
		log.Fatal(err)
	}
	defer second.Close()
	h, err = second.Spawn(ctx, execctx.SpawnConfig{HandleID: "agent-1", CWD: session})
	if err != nil {
		log.Fatal(err)
	}
	defer second.Destroy(ctx, h) // ends what still runs
	tasks, err := second.ListBackground(ctx, h)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tasks[0].TaskID, tasks[0].Status)
	if err := second.WriteFile(ctx, h, "answer", []byte("42\n")); err != nil {
		log.Fatal(err)
	}
	info, err := second.WaitBackground(ctx, h, tasks[0].TaskID, time.Minute)
	if err != nil || info == nil {
		log.Fatal(info, err)
	}
	output, _, err := second.ReadOutput(ctx, h, info.TaskID, 0, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %d: %s", info.Status, *info.ExitCode, output)
	// Output:
	// bash_1 running
	// exited 3: 42
}
