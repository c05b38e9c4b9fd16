package transcript

import (
	"slices"
	"testing"
)

func TestEvidenceWords(t *testing.T) {
	for _, tt := range []struct {
		command string
		want    []string
	}{
		{"stophook task x", []string{"task"}},
		{`stophook task "x" && stophook name y && stophook status --end-turn`, []string{"task", "name", "status"}},
		{`'/opt/my bin/stophook' name y; stophook name z`, []string{"name"}},
		{`C:\bin\stophook.exe status --end-turn`, []string{"status"}},
		{`stophook hook; stophook tasks; stophook`, nil},
		{`cat stophook/task.go stophook-workshop task`, nil},
		{`stophook --state-dir /s status`, nil}, // flags of the program itself there are none
		{"", nil},
	} {
		if got := evidenceWords(tt.command); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.command, got, tt.want)
		}
	}
}
