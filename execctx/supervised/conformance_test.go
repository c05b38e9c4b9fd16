//go:build unix

package supervised

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

// The suite that every context passes, with a new context on the same store as a
// new process would have it.
func TestSupervised_conformance_EX80_EX83(t *testing.T) {
	grace := 2 * time.Second
	rounds := 10
	if testing.Short() {
		rounds = 3
	}
	exectest.Run(t, func(tb testing.TB) exectest.Subject {
		dir := tb.TempDir()
		open := func() execctx.ExecutionContext {
			c, err := New(Options{
				Dir: filepath.Join(dir, "store"), MaxBackgroundTasks: 21, KillGrace: grace,
				Warn: func(err error) { tb.Errorf("warned: %v", err) },
			})
			if err != nil {
				tb.Fatal(err)
			}
			tb.Cleanup(func() {
				if err := c.Close(); err != nil {
					tb.Error(err)
				}
			})
			return c
		}
		return exectest.Subject{
			Context: open(), Dir: dir, MaxTasks: 21, Grace: grace, Processes: true, Disk: true, Reopen: open, Rounds: rounds,
		}
	})
}
