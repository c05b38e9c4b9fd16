package proc_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stophook/stophook/execctx/internal/proc"
)

func TestEnd_Warnings_EX51(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  proc.End
		want []string
	}{
		{"nothing to say", proc.End{Code: 3}, nil},
		{"lost", proc.End{Lost: true}, []string{proc.LostEnd}},
		{"escaped, unknown who", proc.End{Escaped: true}, []string{
			"a process left the process group, as a daemon does, and still held the output: it was not ended, and what it writes later is not kept"}},
		{"escaped and left", proc.End{Escaped: true, Holders: []int{7, 8}, Survivors: []int{9}}, []string{
			"processes 7, 8 left the process group, as a daemon does, and still held the output: it was not ended, and what it writes later is not kept",
			"process 9 of the process group still ran when the command was over: ended at the latest when the handle is destroyed"}},
	} {
		if diff := cmp.Diff(tt.want, tt.end.Warnings()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCloseLog_EX39(t *testing.T) {
	const marker = "<marker/>\n"
	for _, tt := range []struct {
		name, text, want string
		missing          proc.Missing
		warnings         []string
	}{
		{name: "nothing is missing", text: "a\n", want: "a\n"},
		{name: "a line of its own", text: "a\nb", missing: proc.Missing{Past: 2}, want: "a\nb\n" + marker},
		{name: "after a whole line", text: "a\n", missing: proc.Missing{Past: 2}, want: "a\n" + marker},
		{name: "nothing was kept", missing: proc.Missing{Past: 2}, want: marker},
		{name: "lost", text: "a", missing: proc.Missing{Lost: 3, Failed: errors.New("full")}, want: "a",
			warnings: []string{"3 bytes of output could not be written to the output file: full"}},
	} {
		path := filepath.Join(t.TempDir(), "log")
		file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(tt.text); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.warnings, proc.CloseLog(file, path, marker, tt.missing)); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", tt.name, diff)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.name, got, err, tt.want)
		}
		if file.Close() == nil {
			t.Errorf("%s: the file was left open", tt.name)
		}
	}
}
