package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stophook/stophook/agentcore/tool"
)

func skipWithoutCommands(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no commands run on Windows")
	}
}

// What a model reads of the shell and of the tools for tasks under every offer.
// UPDATE_GOLDEN=1 writes it.
func TestOffers_AC2_AC15_AC16_D04(t *testing.T) {
	var ar txtar.Archive
	for _, o := range offers() {
		var b bytes.Buffer
		for _, made := range tool.AdaptAll(All(Options{}), o.offer) {
			if made.Name != "shell" && made.Name != "shell_kill" && made.Name != "wait_task" {
				continue
			}
			b.WriteString("# " + made.Name + "\n" + made.Description + "\n")
			if err := json.Indent(&b, made.Schema, "", "  "); err != nil {
				t.Fatal(err)
			}
			b.WriteString("\n")
		}
		ar.Files = append(ar.Files, txtar.File{Name: o.name, Data: b.Bytes()})
	}
	const file = "testdata/offers.txtar"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, txtar.Format(&ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(&ar))); diff != "" {
		t.Error(diff)
	}
}

func told(t *testing.T, o tool.Offer, name string) tool.Tool {
	t.Helper()
	for _, made := range tool.AdaptAll(All(Options{}), o) {
		if made.Name == name {
			return made
		}
	}
	return tool.Tool{}
}

func TestOffers_AC2_schemaAndTextGoTogether(t *testing.T) {
	for _, o := range offers() {
		made := told(t, o.offer, "shell")
		inSchema := strings.Contains(string(made.Schema), "run_in_background")
		inText := strings.Contains(made.Description, "background")
		if inSchema != o.offer.Background || inText != o.offer.Background {
			t.Errorf("%s: schema %v, text %v", o.name, inSchema, inText)
		}
		if got := told(t, o.offer, "shell_kill").Name != ""; got != (o.offer.Background && o.offer.Kill) {
			t.Errorf("%s: shell_kill %v", o.name, got)
		}
		if got := told(t, o.offer, "wait_task").Name != ""; got != (o.offer.Background && o.offer.Wait) {
			t.Errorf("%s: wait_task %v", o.name, got)
		}
	}
	quiet := interactive
	quiet.Handoff = false
	for _, name := range []string{"shell", "shell_kill", "wait_task"} {
		a, b := told(t, interactive, name), told(t, quiet, name)
		if diff := cmp.Diff(a.Description+string(a.Schema), b.Description+string(b.Schema)); diff != "" {
			t.Errorf("%s: AC-183: the model reads nothing of handoffs:\n%s", name, diff)
		}
	}
	plain, adapted := NewShell(ShellOptions{}), told(t, tool.Offer{}, "shell")
	if diff := cmp.Diff(plain.Description+string(plain.Schema), adapted.Description+string(adapted.Schema)); diff != "" {
		t.Errorf("without an offer the tool is as it was made:\n%s", diff)
	}
}

func TestOffers_AC15_AC16_words(t *testing.T) {
	inter := told(t, interactive, "shell").Description
	for _, want := range []string{"end your turn", "Do not poll", "<task-notification> wakes you", "wait_task only when the very next step needs the result"} {
		if !strings.Contains(inter, want) {
			t.Errorf("interactive: %q is missing", want)
		}
	}
	sub := told(t, tool.Offer{Background: true, Kill: true, Wait: true, Headless: true, Subagent: true}, "shell").Description
	for _, want := range []string{"return its task_id in your summary", "end your turn"} {
		if !strings.Contains(sub, want) {
			t.Errorf("subagent: %q is missing", want)
		}
	}
	head := told(t, tool.Offer{Background: true, Kill: true, Wait: true, Headless: true}, "shell").Description
	if !strings.Contains(head, "collect every task") || strings.Contains(head, "<task-notification>") || strings.Contains(sub, "collect every task") {
		t.Errorf("headless:\n%s\nsubagent:\n%s", head, sub)
	}
}

// There is no tool that lists tasks or reads their output (AC-14).
func TestAll_AC14_noListAndNoOutputTool(t *testing.T) {
	for _, name := range []string{"shell_output", "shell_list"} {
		if told(t, interactive, name).Name != "" {
			t.Errorf("%s is there", name)
		}
	}
}

func TestShell_AC3_noBackground(t *testing.T) {
	opts := Options{Shell: ShellOptions{NoBackground: true}}
	for _, made := range tool.AdaptAll(All(opts), interactive) {
		if made.Name == "shell_kill" || made.Name == "wait_task" || strings.Contains(made.Description+string(made.Schema), "background") {
			t.Errorf("%s: %s", made.Name, made.Description)
		}
	}
}

func TestShell_AC3_hostsOwnShellIsLeftAlone(t *testing.T) {
	own := tool.MustNew("shell", "Mine. run_in_background is mine too.", func(context.Context, *tool.Call, struct {
		RunInBackground bool `json:"run_in_background,omitempty"`
	}) (*tool.Result, error) {
		return &tool.Result{Text: "mine"}, nil
	})
	for _, o := range offers() {
		got := tool.AdaptAll([]tool.Tool{own}, o.offer)
		if len(got) != 1 || got[0].Description != own.Description || string(got[0].Schema) != string(own.Schema) {
			t.Errorf("%s: %+v", o.name, got)
		}
	}
}
