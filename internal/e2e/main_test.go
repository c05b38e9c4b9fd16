package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(programs.dir)
		os.Exit(code)
	}))
}

// What all scenarios share: the client, and the programs under test.
var (
	theMode   = sync.OnceValues(func() (Mode, error) { return ParseMode(os.Getenv(EnvMode)) })
	theClient = sync.OnceValues(func() (*Client, error) {
		mode, err := theMode()
		if err != nil {
			return nil, err
		}
		return Locate(context.Background(), mode, os.Getenv)
	})
	programs struct {
		once sync.Once
		dir  string
		err  error
	}
)

func thePrograms() (string, error) {
	programs.once.Do(func() {
		if programs.dir, programs.err = os.MkdirTemp("", "e2e-bin-"); programs.err == nil {
			programs.err = Build(context.Background(), programs.dir)
		}
	})
	return programs.dir, programs.err
}

// stage begins a scenario with the real client. Where there is none the scenario is
// skipped under its name, and fails where the client is required.
func stage(t *testing.T, setup Setup) *Stage {
	t.Helper()
	t.Parallel()
	client, err := theClient()
	if err != nil {
		mode, _ := theMode()
		if reason := skipReason(mode, err); reason != "" {
			t.Skip(reason)
		}
		t.Fatal(err)
	}
	bin, err := thePrograms()
	if err != nil {
		t.Fatal(err)
	}
	return NewStage(t, client, bin, setup)
}

// skipReason is why a scenario is skipped; empty when it has to fail.
func skipReason(mode Mode, err error) string {
	if !errors.Is(err, ErrUnavailable) || mode == ModeRequire {
		return ""
	}
	return fmt.Sprintf("the real client: %v", err)
}
