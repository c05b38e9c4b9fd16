package exectest

import (
	"context"
	"sync"
	"time"

	"github.com/stophook/stophook/execctx"
)

// broken is a mock of which some methods are wrong. Those that are nil are right.
type broken struct {
	*execctx.Mock
	capabilities func() execctx.Capabilities
	spawn        func(ctx context.Context, cfg execctx.SpawnConfig) (execctx.Handle, error)
	destroy      func(ctx context.Context, h execctx.Handle) error
	exec         func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error)
	start        func(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ForegroundCall, error)
	read         func(ctx context.Context, h execctx.Handle, name string) ([]byte, error)
	write        func(ctx context.Context, h execctx.Handle, name string, data []byte) error
	files        func(ctx context.Context, h execctx.Handle, name string) ([]execctx.FileInfo, error)
	launch       func(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error)
	kill         func(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error)
	list         func(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error)
	wait         func(ctx context.Context, h execctx.Handle, id string, timeout time.Duration) (*execctx.ExitInfo, error)
	reassign     func(ctx context.Context, req execctx.ReassignRequest) ([]execctx.TaskEntry, error)
	// exits changes every exit on its way out, and entries those in lists.
	exits func(execctx.ExitInfo) execctx.ExitInfo

	// notes of a fault between calls
	mu    sync.Mutex
	seen  map[string]int
	moved map[string][]execctx.TaskEntry
}

// count counts what happens under a name, from 1.
func (b *broken) count(name string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[string]int{}
	}
	b.seen[name]++
	return b.seen[name]
}

func (b *broken) Capabilities() execctx.Capabilities {
	if b.capabilities != nil {
		return b.capabilities()
	}
	return b.Mock.Capabilities()
}

func (b *broken) Spawn(ctx context.Context, cfg execctx.SpawnConfig) (execctx.Handle, error) {
	if b.spawn != nil {
		return b.spawn(ctx, cfg)
	}
	return b.Mock.Spawn(ctx, cfg)
}

func (b *broken) Destroy(ctx context.Context, h execctx.Handle) error {
	if b.destroy != nil {
		return b.destroy(ctx, h)
	}
	return b.Mock.Destroy(ctx, h)
}

func (b *broken) Exec(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ExecResult, error) {
	if b.exec != nil {
		return b.exec(ctx, h, req)
	}
	return b.Mock.Exec(ctx, h, req)
}

func (b *broken) StartExec(ctx context.Context, h execctx.Handle, req execctx.ExecRequest) (execctx.ForegroundCall, error) {
	if b.start != nil {
		return b.start(ctx, h, req)
	}
	return b.Mock.StartExec(ctx, h, req)
}

func (b *broken) ReadFile(ctx context.Context, h execctx.Handle, name string) ([]byte, error) {
	if b.read != nil {
		return b.read(ctx, h, name)
	}
	return b.Mock.ReadFile(ctx, h, name)
}

func (b *broken) WriteFile(ctx context.Context, h execctx.Handle, name string, data []byte) error {
	if b.write != nil {
		return b.write(ctx, h, name, data)
	}
	return b.Mock.WriteFile(ctx, h, name, data)
}

func (b *broken) ListFiles(ctx context.Context, h execctx.Handle, name string) ([]execctx.FileInfo, error) {
	if b.files != nil {
		return b.files(ctx, h, name)
	}
	return b.Mock.ListFiles(ctx, h, name)
}

func (b *broken) ExecBackground(ctx context.Context, h execctx.Handle, req execctx.LaunchRequest) (execctx.Launched, error) {
	if tell := req.OnExit; tell != nil && b.exits != nil {
		req.OnExit = func(info execctx.ExitInfo) { tell(b.exits(info)) }
	}
	if b.launch != nil {
		return b.launch(ctx, h, req)
	}
	return b.Mock.ExecBackground(ctx, h, req)
}

func (b *broken) changed(info *execctx.ExitInfo, err error) (*execctx.ExitInfo, error) {
	if info != nil && b.exits != nil {
		changed := b.exits(*info)
		return &changed, err
	}
	return info, err
}

func (b *broken) KillBackground(ctx context.Context, h execctx.Handle, id string) (*execctx.ExitInfo, error) {
	if b.kill != nil {
		return b.kill(ctx, h, id)
	}
	return b.changed(b.Mock.KillBackground(ctx, h, id))
}

func (b *broken) WaitBackground(ctx context.Context, h execctx.Handle, id string, timeout time.Duration) (*execctx.ExitInfo, error) {
	if b.wait != nil {
		return b.wait(ctx, h, id, timeout)
	}
	return b.changed(b.Mock.WaitBackground(ctx, h, id, timeout))
}

func (b *broken) ListBackground(ctx context.Context, h execctx.Handle) ([]execctx.TaskEntry, error) {
	if b.list != nil {
		return b.list(ctx, h)
	}
	entries, err := b.Mock.ListBackground(ctx, h)
	for i := range entries {
		if b.exits != nil && entries[i].Ended() {
			entries[i].ExitInfo = b.exits(entries[i].ExitInfo)
		}
	}
	return entries, err
}

func (b *broken) ReassignBackground(ctx context.Context, req execctx.ReassignRequest) ([]execctx.TaskEntry, error) {
	if b.reassign != nil {
		return b.reassign(ctx, req)
	}
	return b.Mock.ReassignBackground(ctx, req)
}
