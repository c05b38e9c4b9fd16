package execctx_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/execctx/exectest"
)

// EX-52: the process context passes the suite that any other context can be held
// against.
func TestProcess_conformance_EX1to62(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the process context runs nothing on Windows (D-50)")
	}
	grace := 2 * time.Second
	exectest.Run(t, func(tb testing.TB) exectest.Subject {
		return exectest.Subject{
			Context:   execctx.NewProcess(execctx.ProcessOptions{MaxBackgroundTasks: 21, KillGrace: grace}),
			Dir:       tb.TempDir(),
			MaxTasks:  21,
			Grace:     grace,
			Processes: true,
			Disk:      true,
			Rounds:    50,
		}
	})
}
