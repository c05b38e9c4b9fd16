package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On Windows the agent's shell is PowerShell or Git's Bash, and paths have
// backslashes and .exe.
func TestParseLiteral_Windows(t *testing.T) {
	for _, tt := range []struct {
		reason, tool, command, evidence string
		reads                           []string
	}{
		{"by name", "PowerShell", `stophook status --end-turn`, "status", nil},
		{"a path with backslashes, which are letters here", "PowerShell", `C:\bin\stophook.exe status --end-turn`, "status", nil},
		{"a quoted path wants the call operator", "PowerShell", `& "C:\Program Files\stophook\stophook.exe" status --end-turn`, "status", nil},
		{"a share, and another spelling", "pwsh", `& '\\srv\tools\StopHook.EXE' task 'fix it'`, "task", nil},
		{"behind other commands", "PowerShell", "dotnet test; echo ok\r\n& 'C:\\b\\stophook.exe' name x\r\n", "name", nil},
		{"joined by &&", "PowerShell", `git push && & "C:\b\stophook.exe" status --end-turn`, "status", nil},
		{"other work behind it", "PowerShell", `stophook status --end-turn; dotnet test`, "", nil},
		{"in the background", "PowerShell", `stophook status --end-turn &`, "", nil},
		{"a block may not run", "PowerShell", `if ($x) { stophook status }`, "", nil},
		{"a variable may be anything", "PowerShell", `& $hook status`, "", nil},
		{"a line that goes on", "PowerShell", "stophook `\n status", "", nil},
		{"a comment", "PowerShell", `echo # stophook status`, "", nil},
		{"a quote that is not closed", "PowerShell", `echo "stophook status`, "", nil},
		{"output is read", "PowerShell", `Get-Content -Tail 20 C:\Users\dev\AppData\Local\Temp\claude\tasks\bjob01.output`, "", []string{"C:/Users/dev/AppData/Local/Temp/claude/tasks/bjob01.output"}},
		{"by its short name, and from a share", "PowerShell", `gc '\\srv\tmp\tasks\bjob01.output' -Raw`, "", []string{"//srv/tmp/tasks/bjob01.output"}},
		{"output that is written over", "PowerShell", `echo x > C:\t\tasks\bjob01.output`, "", nil},
		{"Bash takes backslashes away, so this ran nothing of ours", "Bash", `C:\bin\stophook.exe status --end-turn`, "", nil},
		{"quoted in Bash", "Bash", `"C:\bin\stophook.exe" status --end-turn`, "status", nil},
		{"Git's Bash", "Bash", `/c/bin/STOPHOOK.EXE status --end-turn`, "status", nil},
		{"slashes forward", "Bash", "make\r\nC:/bin/stophook.exe status --end-turn\r\n", "status", nil},
		{"another program of a name that differs in case", "Bash", `StopHook status`, "", nil},
		{"cmd.exe is not read", "cmd", `stophook status`, "", nil},
	} {
		s := ParseLiteral(tt.tool, tt.command, Options{})
		if tt.evidence != "" && !MayBeEvidence(tt.command) {
			t.Errorf("%s: %s would not be looked into", tt.reason, tt.command)
		}
		if got := s.EvidenceCall(); got != tt.evidence {
			t.Errorf("%s: %q of %s, want %q", tt.reason, got, tt.command, tt.evidence)
		}
		if diff := cmp.Diff(tt.reads, s.Reads()); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// Only what is certain may be asked of PowerShell: ParseFor, which answers what waits
// and what stays behind, still says that it cannot know.
func TestParseFor_PowerShellStaysUnparsed(t *testing.T) {
	if s := ParseFor("PowerShell", "stophook status", Options{}); s.Parsed || s.Reason == "" {
		t.Errorf("parsed %t, reason %q", s.Parsed, s.Reason)
	}
}
