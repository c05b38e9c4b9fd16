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
		if made.ReadOnly {
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
	if diff := cmp.Diff([]string{"shell", "read_file", "write_file", "edit", "glob", "grep", "list_files"}, names); diff != "" {
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
	reg, err := tool.NewRegistry(All(Options{})...)
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range reg.Tools() {
		for _, word := range strings.FieldsFunc(made.Description, func(r rune) bool { return !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if !strings.Contains(word, "_") || strings.HasPrefix(word, "_") {
				continue
			}
			_, isTool := reg.Get(word)
			if !isTool && !strings.Contains(string(made.Schema), `"`+word+`"`) {
				t.Errorf("%s speaks of %s, which is neither a tool nor a property of it", made.Name, word)
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
