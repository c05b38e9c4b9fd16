package task

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func code(n int) *int { return &n }

var morning = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

const logDir = "/data/sessions/s1/tasks/"

// build and dev are two ordinary ends.
func build() Exit {
	return Exit{TaskID: "bash_1", HandleID: "h1", Status: execctx.StatusExited, ExitCode: code(0), Command: "npm run build",
		OutputPath: logDir + "bash_1.20261005-090000-000.log", StartedAt: morning, EndedAt: morning.Add(4200 * time.Millisecond),
		Duration: 4200 * time.Millisecond}
}

func dev() Exit {
	return Exit{TaskID: "bash_2", HandleID: "h1", Status: execctx.StatusKilled, ExitCode: code(143), Signal: "SIGTERM", Command: "npm run dev",
		OutputPath: logDir + "bash_2.20261005-090000-000.log", StartedAt: morning, EndedAt: morning.Add(61 * time.Second),
		Duration: 61 * time.Second}
}

// written is what of an exit stands in its block: the text that is left of any bytes,
// no owner and no times beside an output file.
func written(e Exit) Exit {
	e.Status = e.status()
	for _, s := range []*string{&e.TaskID, &e.HandleID, &e.Signal, &e.Command, &e.OutputPath} {
		*s = clean(*s)
	}
	e.EndedAt = time.Time{}
	e.Duration = milliseconds(wholeMS(e.Duration))
	if e.OutputPath != "" {
		e.HandleID, e.StartedAt = "", time.Time{}
	} else if !e.StartedAt.IsZero() {
		e.StartedAt = atMilli(e.StartedAt.UnixMilli())
	}
	return e
}

// anyBytes are strings of all kinds: text, markup, references, bytes.
func anyBytes() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[<>&"'/a-z\r\n\t ;#x0-9\\-]*`),
		rapid.StringMatching(`(</?(command|task-id|task-notification|summary)>|&(lt|amp|#60|#x0);|\\u003[ce]|exit code [0-9])*`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
}

// anyExit are ends of tasks with any bytes in them; an id is never empty.
func anyExit() *rapid.Generator[Exit] {
	return rapid.Custom(func(t *rapid.T) Exit {
		e := Exit{
			TaskID:   rapid.OneOf(rapid.StringMatching(`bash_[1-9]`), rapid.Map(anyBytes(), func(s string) string { return "x" + s + " " })).Draw(t, "id"),
			HandleID: rapid.SampledFrom([]string{"", "h1", "h<2> "}).Draw(t, "handle"),
			Status:   rapid.SampledFrom([]execctx.TaskStatus{"", execctx.StatusExited, execctx.StatusKilled, execctx.StatusLost}).Draw(t, "status"),
			Signal:   rapid.OneOf(rapid.Just(""), rapid.Just("SIGTERM"), anyBytes()).Draw(t, "signal"),
			Command:  anyBytes().Draw(t, "command"),
			OutputPath: rapid.OneOf(rapid.Just(""), rapid.Map(anyBytes(), func(s string) string { return "/tasks/" + s })).
				Draw(t, "output"),
			Duration: time.Duration(rapid.Int64().Draw(t, "duration")),
		}
		if rapid.Bool().Draw(t, "has a code") {
			e.ExitCode = code(rapid.Int().Draw(t, "code"))
		}
		if rapid.Bool().Draw(t, "has a start") {
			e.StartedAt = morning.Add(time.Duration(rapid.Int64Range(-1e18, 1e18).Draw(t, "start")))
		}
		return e
	})
}
