package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/agentcore/tool"
)

func TestAll(t *testing.T) {
	var names, reads []string
	for _, made := range All(Options{}) {
		names = append(names, made.Name)
		if made.ReadOnly != made.Parallel || made.ReadOnly && made.Edits {
			t.Errorf("%s: read-only %v, parallel %v, edits %v", made.Name, made.ReadOnly, made.Parallel, made.Edits)
		}
		if made.ReadOnly && made.Name != "wait_task" { // nothing else among them starts a task
			reads = append(reads, made.Name)
		}
		if len(made.Description) < 100 || len(made.Description) > 2000 || strings.Contains(made.Description, "{") && made.Name == "shell" {
			t.Errorf("%s is described in %d bytes", made.Name, len(made.Description))
		}
		for _, word := range []string{"claude", "anthropic", "openai", "gpt", "ripgrep", "cursor"} {
			if strings.Contains(strings.ToLower(made.Description), word) {
				t.Errorf("%s: the description names %s", made.Name, word)
			}
		}
	}
	if diff := cmp.Diff([]string{"shell", "read_file", "write_file", "edit", "glob", "grep", "list_files", "shell_kill", "wait_task"}, names); diff != "" {
		t.Error(diff)
	}
	var only []string
	for _, made := range ReadOnly(Options{}) {
		only = append(only, made.Name)
	}
	if diff := cmp.Diff(reads, only); diff != "" {
		t.Error(diff)
	}
}

// What a description says of other tools is true.
func TestAll_descriptionsNameRealTools(t *testing.T) {
	for _, o := range offers() {
		reg, err := tool.NewRegistry(tool.AdaptAll(All(Options{}), o.offer)...)
		if err != nil {
			t.Fatal(err)
		}
		speakTruly(t, o.name, reg)
	}
}

func speakTruly(t *testing.T, offer string, reg *tool.Registry) {
	t.Helper()
	for _, made := range reg.Tools() {
		if n := len(made.Description); n > 2600 || strings.Contains(made.Description, "{") && made.Name == "shell" {
			t.Errorf("%s: %s is described in %d bytes", offer, made.Name, n)
		}
		for _, word := range strings.FieldsFunc(made.Description, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if !strings.Contains(word, "_") || strings.HasPrefix(word, "_") || word == "bash_" { // as in bash_1
				continue
			}
			_, isTool := reg.Get(word)
			if word == "task_id" && made.Name == "shell" {
				continue // it is what its result is called
			}
			if !isTool && !strings.Contains(string(made.Schema), `"`+word+`"`) {
				t.Errorf("%s: %s speaks of %s, which is neither a tool nor a property of it", offer, made.Name, word)
			}
		}
	}
}

func TestSubjects(t *testing.T) {
	reg, err := tool.NewRegistry(All(Options{})...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, input, want string }{
		{"shell", `{"command":"ls"}`, "ls"}, {"read_file", `{"path":"a"}`, "a"}, {"edit", `{"path":"a"}`, "a"},
		{"write_file", `{"path":"b"}`, "b"}, {"glob", `{"pattern":"*"}`, "."}, {"grep", `{"path":"x"}`, "x"}, {"list_files", `{}`, "."},
	} {
		made, _ := reg.Get(tc.name)
		if got := made.Subject(json.RawMessage(tc.input)); got != tc.want {
			t.Errorf("%s: %q", tc.name, got)
		}
	}
}
