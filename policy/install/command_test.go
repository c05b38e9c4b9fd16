package install

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stophook/stophook/policy/hookio"
)

func TestParseCall(t *testing.T) {
	for _, tc := range []struct {
		reason, command string
		args            []string
		program         string // empty: not ours
		profile         Profile
	}{
		{"plain", "/usr/local/bin/stophook hook", nil, "/usr/local/bin/stophook", ProfileRitual},
		{"by name", "stophook hook --profile evidence", nil, "stophook", ProfileEvidence},
		{"an equals sign", "stophook hook --profile=observe --shadow", nil, "stophook", ProfileObserve},
		{"single quotes", "'/opt/my tools/stophook' hook", nil, "/opt/my tools/stophook", ProfileRitual},
		{"a quote in the path", `'/opt/it'\''s/stophook' hook`, nil, "/opt/it's/stophook", ProfileRitual},
		{"double quotes", `"/opt/my tools/stophook" hook`, nil, "/opt/my tools/stophook", ProfileRitual},
		{"a backslash", `/opt/my\ tools/stophook hook`, nil, "/opt/my tools/stophook", ProfileRitual},
		{"assignments and exec", "A=1 B_2=x exec stophook hook", nil, "stophook", ProfileRitual},
		{"env", "env STOPHOOK_BYPASS=1 stophook hook", nil, "stophook", ProfileRitual},
		{"an operator ends it", "stophook hook || true", nil, "stophook", ProfileRitual},
		{"Windows", `C:\Users\me\go\bin\stophook.exe hook --profile background`, nil, `C:\Users\me\go\bin\stophook.exe`, ProfileBackground},
		{"Windows, quoted", `"C:\Program Files\stophook\stophook.exe" hook`, nil, `C:\Program Files\stophook\stophook.exe`, ProfileRitual},
		{"Windows, slashes and case", `C:/tools/Stophook.EXE hook`, nil, `C:/tools/Stophook.EXE`, ProfileRitual},
		{"Windows share", `\\server\share\stophook.exe hook`, nil, `\\server\share\stophook.exe`, ProfileRitual},
		{"PowerShell's call", `& "C:\Program Files\stophook.exe" hook`, nil, `C:\Program Files\stophook.exe`, ProfileRitual},
		{"exec form", `C:\Program Files\stophook.exe`, []string{"hook", "--profile", "evidence"}, `C:\Program Files\stophook.exe`, ProfileEvidence},
		{"exec form without arguments", "/usr/bin/stophook", []string{}, "", ""},
		{"another command of ours", "stophook status", nil, "", ""},
		{"our name in another", "/usr/bin/stophook-workshop hook", nil, "", ""},
		{"our name as an argument", "notify stophook hook", nil, "", ""},
		{"ours behind an operator", "true; stophook hook", nil, "", ""},
		{"nothing", "", nil, "", ""},
		{"a quote that does not end", "'stophook hook", nil, "", ""},
	} {
		got, ok := parseCall(tc.command, tc.args)
		if ok != (tc.program != "") || got.program != tc.program || ok && got.profile() != tc.profile {
			t.Errorf("%s: %+v, %v", tc.reason, got, ok)
		}
	}
}

// What is written is read again as it was meant.
func TestCommandLine_property(t *testing.T) {
	all := hosts()
	rapid.Check(t, func(t *rapid.T) {
		dir := rapid.StringMatching(`/[ -~é]{0,20}`).Draw(t, "dir")
		if rapid.Bool().Draw(t, "windows") {
			dir = `C:\` + rapid.StringMatching(`[ !#%-)+-.0-9;=@-_a-{}~\\]{0,20}`).Draw(t, "folder")
		}
		h := all[rapid.IntRange(0, len(all)-1).Draw(t, "host")]
		want := call{program: dir + "/stophook", args: hookArgs(h, rapid.SampledFrom(Profiles()).Draw(t, "profile"))}
		got, ok := parseCall(want.commandLine(), nil)
		if !ok || got.program != want.program || !slices.Equal(got.args, want.args) {
			t.Fatalf("%q is read as %+v, want %+v", want.commandLine(), got, want)
		}
	})
}

// Codex trusts a hook by the hash of its command: a version in it, or another order,
// would ask the person again after every upgrade.
func TestHookArgs_areStable(t *testing.T) {
	for host, want := range map[hookio.Host]string{
		hookio.HostClaudeCode: "/bin/stophook hook --profile evidence",
		hookio.HostCodex:      "/bin/stophook hook --host codex --profile evidence",
		HostDroid:             "/bin/stophook hook --host droid --profile evidence",
	} {
		h, _ := findHost(host)
		if got := (call{program: "/bin/stophook", args: hookArgs(h, ProfileEvidence)}).commandLine(); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
	for _, h := range hosts() {
		if name, err := hookio.ParseHost(string(h.name)); h.flag && (err != nil || name != h.name) {
			t.Errorf("--host %s is no host that hook knows: %v", h.name, err)
		}
	}
}
