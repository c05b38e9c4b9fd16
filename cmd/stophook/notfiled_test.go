package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/stophook/stophook/internal/command"
	"github.com/stophook/stophook/policy"
)

// A shell that may not write the evidence is told apart from everything that the
// agent can repair: the stop hook reads the exit code.
func TestNotFiled(t *testing.T) {
	other := errors.New("the disk is full")
	tests := []struct {
		err    error
		code   int
		reason string
	}{
		{fmt.Errorf("record: %w", &os.PathError{Op: "open", Path: "/state/lock", Err: syscall.EROFS}), policy.ExitNotFiled, "a sandbox that mounts the rest read-only"},
		{fmt.Errorf("record: %w", &os.PathError{Op: "open", Path: "/state/lock", Err: fs.ErrPermission}), policy.ExitNotFiled, "a sandbox that refuses"},
		{other, 0, "not what a sandbox says"},
	}
	for _, tt := range tests {
		p := &program{getenv: func(string) string { return "" }, home: "/home/dev"}
		got := p.notFiled(cli.NewContext(cli.NewApp(), nil, nil), tt.err)
		var exit *command.ExitError
		switch {
		case tt.code == 0 && got != tt.err:
			t.Errorf("%v became %v: %s", tt.err, got, tt.reason)
		case tt.code != 0 && (!errors.As(got, &exit) || exit.Code != tt.code || !strings.Contains(got.Error(), "Nothing was filed")):
			t.Errorf("%v: %v, want code %d: %s", tt.err, got, tt.code, tt.reason)
		}
	}
}
