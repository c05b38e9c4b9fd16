package task

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stophook/stophook/execctx"
	"github.com/stophook/stophook/transcript"
)

// A stored session gives the structured events again (AC-80, AC-81).
func TestEventsFromTurns_resynthesizesTaskNotificationEventsOnReplay_AC80_AC81_AC82(t *testing.T) {
	turns := []Turn{
		{Marks: true, Texts: []string{"build it"}},
		{Marks: true, Delivered: true, Texts: []string{build().Block(), Stall{TaskID: "bash_2"}.Block(), dev().Block()}},
	}
	got, err := json.MarshalIndent(EventsFromTurns(turns), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "events.json", string(got))
	if diff := cmp.Diff([]Event{EventOf(build()), EventOf(dev())}, EventsFromTurns(turns)); diff != "" {
		t.Errorf("live and replayed differ (-live +replayed):\n%s", diff)
	}
}

// Live and replayed events are the same for any exits (AC-82, D-51).
func TestEventsFromTurns_sameAsLive_AC82_D51(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var live []Event
		var turns []Turn
		told := NewLatch()
		for _, e := range rapid.SliceOf(anyExit()).Draw(t, "exits") {
			if !told.Add(e.Key()) && e.Key().unique() {
				continue // a task has one end
			}
			live = append(live, EventOf(e))
			turns = append(turns, Turn{Marks: true, Delivered: true, Texts: []string{e.Block()}}, Turn{Marks: true, Texts: []string{anyBytes().Draw(t, "prompt")}})
		}
		if diff := cmp.Diff(live, EventsFromTurns(turns)); diff != "" {
			t.Fatalf("(-live +replayed):\n%s", diff)
		}
	})
}

// One event for each end, wherever it stands twice (D-51).
func TestEventsFromTurns_oneEventForEachExit_D51_AC84(t *testing.T) {
	turn := Turn{Delivered: true, Texts: []string{build().Block()}}
	if got := EventsFromTurns([]Turn{turn, turn}); len(got) != 1 {
		t.Errorf("%d events", len(got))
	}
	old := Turn{Delivered: true, Texts: []string{"<task-notification><task-id>bash_1</task-id><status>exited</status></task-notification>"}}
	if got := EventsFromTurns([]Turn{old, old}); len(got) != 2 {
		t.Errorf("%d events of old blocks, which nothing tells to be one", len(got))
	}
}

// What a person typed or a tool printed is text in a session of ours; a history without
// marks goes by its first words and a known shape of id, and never latches (AC-83, D-28).
func TestTurn_forgedAndImported_AC83_D28(t *testing.T) {
	odd := build()
	odd.TaskID = "rm -rf"
	both := build().Block() + "\n" + odd.Block()
	for name, test := range map[string]struct {
		turn   Turn
		events int
	}{
		"delivered":                 {Turn{Marks: true, Delivered: true, Texts: []string{odd.Block()}}, 1},
		"typed":                     {Turn{Marks: true, Texts: []string{build().Block()}}, 0},
		"imported":                  {Turn{Texts: []string{build().Block()}}, 1},
		"imported from Claude Code": {Turn{Texts: []string{claude}}, 1},
		"imported, not in front":    {Turn{Texts: []string{"look: " + build().Block()}}, 0},
		"imported, not the first":   {Turn{Texts: []string{"look", build().Block()}}, 0},
		"imported, unknown id":      {Turn{Texts: []string{odd.Block()}}, 0},
		"imported, one unknown id":  {Turn{Texts: []string{both}}, 0},
		"delivered, but no block":   {Turn{Delivered: true, Texts: []string{"words"}}, 0},
		"nothing":                   {Turn{}, 0},
	} {
		if got := EventsFromTurns([]Turn{test.turn}); len(got) != test.events {
			t.Errorf("%s: %d events, want %d", name, len(got), test.events)
		}
		notices, texts := test.turn.Split()
		if test.events == 0 && (len(notices) > 0 || !cmp.Equal(test.turn.Texts, texts)) {
			t.Errorf("%s: text was lost: %q", name, texts)
		}
	}
	for id, want := range map[string]bool{"bash_1": true, "bzg2hipdn": true, "a0cc61079be4be05b": true, "bash_0": false, "b1": false, "bZg2hipdn": false, "b/g2hipdn": false, "1zg2hipdn": false} {
		if knownID(id) != want {
			t.Errorf("%s: known %v", id, !want)
		}
	}
}

// The banner stands for the block, live and replayed, and the block is not shown as text
// too (AC-80, AC-84, AC-113).
func TestBanner_rendersForLiveAndReplayedWithNoDuplicateTextBlock_AC84_AC113(t *testing.T) {
	notices, texts := Turn{Marks: true, Delivered: true, Texts: []string{build().Block() + "\n" + dev().Block() + "\n", "and a prompt"}}.Split()
	if diff := cmp.Diff([]string{"and a prompt"}, texts); diff != "" {
		t.Errorf("shown twice (-want +got):\n%s", diff)
	}
	for i, live := range []Exit{build(), dev()} {
		if got := notices[i].Exit.Banner(); got != live.Banner() {
			t.Errorf("replayed %q, live %q", got, live.Banner())
		}
	}
}

func TestBanner_AC113(t *testing.T) {
	for want, e := range map[string]Exit{
		"⌁ bash_1 exited (0) 4.2s " + build().OutputPath: build(),
		"⌁ bash_2 killed 61.0s " + dev().OutputPath:      dev(),
		"⌁ bash_3 lost 0.0s /t/3":                        {TaskID: "bash_3", Status: execctx.StatusLost, OutputPath: "/t/3"},
		"⌁ bash_4 exited (2) 0.0s":                       {TaskID: "bash_4", ExitCode: code(2)},
		"⌁ bash_5 exited 0.0s /a�b�[31m":                 {TaskID: "bash_5", OutputPath: "/a\nb\x1b[31m"},
	} {
		if got := e.Banner(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if e.Clean() != (e.TaskID == "bash_1") {
			t.Errorf("%s: clean %v", want, e.Clean())
		}
	}
}

// Readers of transcripts find the same task and end in what we write, whatever stands in
// the command: one system (D-01, D-02).
func TestBlock_readByPackageTranscript_D01_D02(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyExit().Draw(t, "exit")
		e.TaskID = rapid.StringMatching(`bash_[1-9]`).Draw(t, "id")
		notices := transcript.Notices(e.Block() + "\n" + e.Block())
		if len(notices) != 2 {
			t.Fatalf("%d notices in %s", len(notices), e.Block())
		}
		n := notices[0]
		if diff := cmp.Diff([]string{e.TaskID}, n.TaskIDs); diff != "" || n.Status != string(e.status()) {
			t.Fatalf("status %q; ids (-want +got):\n%s", n.Status, diff)
		}
		if c, known := e.Code(); known && (n.ExitCode == nil || *n.ExitCode != c) {
			t.Fatalf("code %v, want %d", n.ExitCode, c)
		}
	})
	for _, text := range []string{claude, build().Block(), strings.Replace(claude, "completed", "failed", 1), strings.Replace(claude, "<status>completed</status>", "", 1)} {
		theirs := transcript.Notices(text)[0]
		ours, ok := Parse(text)
		if !ok || ours.TaskID != theirs.TaskIDs[0] || ours.ToolUseID != theirs.ToolUseID || (ours.Exit != nil) != theirs.Terminal() {
			t.Errorf("ours %+v, theirs %+v", ours, theirs)
		}
	}
}
