package agentcore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/agentcore"
	"github.com/stophook/stophook/agentcore/model/scripted"
	"github.com/stophook/stophook/agentcore/session"
	"github.com/stophook/stophook/agentcore/task"
	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/agentcore/tool/builtin"
	"github.com/stophook/stophook/execctx"
)

// AC-80 to AC-84, D-51: over random sessions with tasks of any command, what a replay
// gives is what the live runs gave, each end once; with a host that paints banners at
// once, the same events in any order, and none a second time in a run.
func TestReplay_equalsLive_AC80to84_D51(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		commands := rapid.SliceOfN(rapid.StringMatching(`[a-z<>&"' \\]{1,12}`), 1, 4).Draw(rt, "commands")
		banner := rapid.Bool().Draw(rt, "banner")
		runs := rapid.IntRange(1, 3).Draw(rt, "runs")
		synctest.Test(t, func(t *testing.T) { replayed(t, commands, banner, runs) })
	})
}

func replayed(t *testing.T, commands []string, banner bool, runs int) {
	var mu sync.Mutex
	var live, painted []task.Event
	mock := execctx.NewMock(execctx.MockOptions{CWD: "/work"})
	var steps []scripted.Step
	for run := range runs {
		var calls []scripted.Tool
		for i, c := range commands {
			calls = append(calls, use("shell", obj{"command": fmt.Sprintf("%s %d.%d", c, run, i), "run_in_background": true}))
		}
		steps = append(steps, scripted.Step{Tools: calls}, scripted.Step{Text: "On their way."})
	}
	steps = append(steps, scripted.Step{Text: "I see."})
	s := setup(t, func(c *agentcore.Config) {
		c.Exec, c.Tools, c.Interactive = mock, builtin.All(builtin.Options{}), true
		c.Gate = tool.GateFunc(func(context.Context, tool.Request) (tool.Decision, error) {
			return tool.Decision{Permission: tool.Allow}, nil
		})
		if banner {
			c.OnTask = func(e task.Event) {
				mu.Lock()
				defer mu.Unlock()
				painted = append(painted, e)
			}
		}
	}, steps...)
	seen := func(e agentcore.Event) {
		if e.Kind == agentcore.EventTask {
			live = append(live, *e.Task)
		}
	}
	for run := range runs {
		s.run(fmt.Sprintf("go %d", run), seen)
		endAll(t, mock, s)
		synctest.Wait()
	}
	s.runWith(t.Context(), agentcore.RunOptions{}, seen)
	s.done()
	stored := agentcore.TaskEvents(s.sess.Thread)
	if len(stored) != runs*len(commands) {
		t.Errorf("%d events of %d tasks", len(stored), runs*len(commands))
	}
	if !banner {
		if diff := cmp.Diff(live, stored); diff != "" {
			t.Errorf("live and replay (-live +replay):\n%s", diff)
		}
		return
	}
	if len(live) > 0 {
		t.Errorf("painted a second time: %+v", live)
	}
	less := cmpopts.SortSlices(func(a, b task.Event) bool { return a.OutputPath < b.OutputPath })
	if diff := cmp.Diff(painted, stored, less); diff != "" {
		t.Errorf("live and replay (-live +replay):\n%s", diff)
	}
}

// endAll ends every task of the mock, with codes and signals in turn.
func endAll(t *testing.T, mock *execctx.Mock, s *stage) {
	t.Helper()
	running := mock.Running()
	if len(running) == 0 {
		t.Fatalf("no task runs; results: %+v", s.results())
	}
	for i, id := range running {
		exit := execctx.MockExit{Code: i % 3}
		if !mock.Exit(id, exit) {
			t.Fatalf("task %s did not end", id)
		}
	}
}

// FX-4, AC-80, AC-83, D-25, D-28: sessions of today and of before are replayed alike; the
// fixture says what it shows.
func TestReplay_storedTurns_FX4_AC80_AC83_D25_D28(t *testing.T) {
	file := filepath.Join("testdata", "replay.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, s := newSession(t)
	want := -1
	for i, f := range archive.Files {
		text := strings.TrimSpace(string(f.Data))
		switch filepath.Ext(f.Name) {
		case ".delivered":
			_, err = s.UserRow(session.UserRow{Text: text, Origin: session.Origin{Kind: session.OriginNotification}})
		case ".prompt":
			_, err = s.UserPrompt(session.Prompt{Text: text})
		default:
			want = i
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	events := agentcore.TaskEvents(s.Thread)
	got, err := json.MarshalIndent(events, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if os.Getenv("UPDATE_GOLDEN") != "" {
		archive.Files[want].Data = got
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(archive.Files[want].Data), string(got)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(events) != 3 {
		t.Errorf("%d events, want those of three ends", len(events))
	}
}
