package shell

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEvidenceCall(t *testing.T) {
	for _, r := range []struct{ reason, cmd, want string }{
		{"status", "stophook status --end-turn", "status"},
		{"status without flags", "stophook status", "status"},
		{"task", `stophook task "fix the build"`, "task"},
		{"name", "stophook name build-fix", "name"},
		{"absolute path", "/opt/bin/stophook status --end-turn", "status"},
		{"quoted path", `"/opt/my bin/stophook" status`, "status"},
		{"path behind a variable", `"$HOME/bin/stophook" status`, "status"},
		{".exe", `'C:\bin\stophook.exe' status`, "status"},
		{"quoted subcommand", `stophook "status"`, "status"},
		{"environment in front", "XDG_STATE_HOME=/x stophook status", "status"},
		{"env", "env A=b stophook status", "status"},
		{"wrappers", "timeout 10 nice stophook status", "status"},
		{"global flags", "stophook --state-dir /tmp/s --host=x -v status", "status"},
		{"a flag's value is no subcommand", "stophook --state-dir status status", "status"},
		{"redirection", "stophook status --end-turn 2>&1", "status"},
		{"to a file", "stophook status > box", "status"},
		{"into cat", "stophook status --end-turn | cat", "status"},
		{"into several filters", "stophook status 2>&1 | tee box | head -20", "status"},
		{"behind cd", "cd x && stophook status", "status"},
		{"behind other work", "git push; stophook status --end-turn", "status"},
		{"the last of two", "stophook status --end-turn; stophook task x", "task"},
		{"on the last line", "make\nstophook status\n", "status"},
		{"a subshell", "(cd x; stophook status)", "status"},
		{"a block", "{ stophook status; }", "status"},
		{"time", "time stophook status", "status"},
		{"negated", "! stophook status", "status"},
		{"a nested shell", "bash -lc 'cd x && stophook status'", "status"},
		{"a heredoc fed to a shell", "bash <<EOF\nstophook status\nEOF", "status"},
		{"eval", "eval 'stophook status'", "status"},
		{"a function", "f() { stophook status; }; f", "status"},
		{"kept in a variable", `box="$(stophook status)"`, "status"},
		{"a complaint behind ||", "stophook status --end-turn || echo failed", "status"},
		{"fed by a pipe", "echo x | stophook task -", "task"},
		{"a comment behind it", "stophook status # now", "status"},
		{"a text that mentions help", `stophook task "add --help"`, "task"},

		{"echo", "echo stophook status", ""},
		{"a comment", "# stophook status", ""},
		{"a quoted line", `"stophook status"`, ""},
		{"work behind &&", "stophook status --end-turn && rm x", ""},
		{"work behind ;", "stophook status; git push", ""},
		{"work behind it on a line", "stophook status\nmake", ""},
		{"printing what was kept", `x=$(stophook status); echo "$x"`, ""},
		{"work behind ||", "stophook status || make", ""},
		{"it stands behind || itself", "make || stophook status", ""},
		{"a pipe into work", "stophook status | xargs rm", ""},
		{"a pipe into a shell", "stophook status | sh", ""},
		{"in the background", "stophook status &", ""},
		{"help", "stophook status --help", ""},
		{"-h", "stophook task -h", ""},
		{"version", "stophook --version status", ""},
		{"no subcommand", "stophook", ""},
		{"another subcommand", "stophook check status", ""},
		{"a subcommand that is a variable", "stophook $SUB status", ""},
		{"a longer name", "stophook2 status", ""},
		{"another program's argument", "man stophook status", ""},
		{"where it is", "command -v stophook status", ""},
		{"one branch of an if", "if x; then stophook status; fi", ""},
		{"a condition", "if stophook status; then make; fi", ""},
		{"a loop", "for i in 1; do stophook status; done", ""},
		{"a function that is not called", "f() { stophook status; }", ""},
		{"a heredoc body", "cat <<EOF\nstophook status\nEOF", ""},
		{"a variable program", "$X/ status", ""},
		{"empty", "", ""},
	} {
		s := Parse(r.cmd, Options{})
		if got := s.EvidenceCall(); got != r.want || !s.Parsed {
			t.Errorf("%s: %q = %q, want %q (parsed %v)", r.reason, r.cmd, got, r.want, s.Parsed)
		} else if got != "" && !MayBeEvidence(r.cmd) {
			t.Errorf("%s: %q: the scan says no", r.reason, r.cmd)
		}
	}
}

func TestSimple(t *testing.T) {
	c := func(line int, exact bool, words ...string) Command {
		return Command{Name: words[0], Args: append([]string{}, words[1:]...), Line: line, Exact: exact}
	}
	for _, r := range []struct {
		reason, cmd string
		want        []Command
	}{
		{"one", "git push -f", []Command{c(1, true, "git", "push", "-f")}},
		{"no arguments are an empty list", "ls", []Command{c(1, true, "ls")}},
		{"quotes are removed", `git commit -m "a b"`, []Command{c(1, true, "git", "commit", "-m", "a b")}},
		{"what is not literal stands as written", `rm -rf "$D"/x *.o`, []Command{c(1, false, "rm", "-rf", `"$D"/x`, "*.o")}},
		{"a dollar in quotes is exact", "echo '$D'", []Command{c(1, true, "echo", "$D")}},
		{"a list", "a && b | c; d", []Command{c(1, true, "a"), c(1, true, "b"), c(1, true, "c"), c(1, true, "d")}},
		{"lines", "a\nb\n\nc", []Command{c(1, true, "a"), c(2, true, "b"), c(4, true, "c")}},
		{"a wrapper and what it wraps", "sudo -u x git push", []Command{c(1, true, "sudo", "-u", "x", "git", "push"), c(1, true, "git", "push")}},
		{"a nested shell and its text", "bash -c 'a b'", []Command{c(1, true, "bash", "-c", "a b"), c(1, true, "a", "b")}},
		{"a substitution first, then its command", "a $(b)", []Command{c(1, true, "b"), c(1, false, "a", "$(b)")}},
		{"declarations", `export A=1 B="x y"`, []Command{c(1, true, "export", "A=1", "B=x y")}},
		{"a variable name is not there", "$CMD x", nil},
		{"a function where it is called", "f() { a; }; f 1", []Command{c(1, true, "f", "1"), c(1, true, "a")}},
		{"xargs brings one unknown argument", "xargs rm", []Command{c(1, true, "xargs", "rm"), c(1, false, "rm", "${_}")}},
		{"assignments alone are none", "A=1", nil},
	} {
		if d := cmp.Diff(r.want, Parse(r.cmd, Options{}).Simple()); d != "" {
			t.Errorf("%s: %s\n(-want +got)\n%s", r.reason, r.cmd, d)
		}
	}
}

func TestParse_Bounds(t *testing.T) {
	long := strings.Repeat("a;", 33<<10)
	deep := "x &"
	for i := range 10 {
		end := "E" + string(rune('a'+i))
		deep = "sh <<'" + end + "'\n" + deep + "\n" + end
	}
	twice := "f0() { x & }\n"
	for i := range 25 {
		a, b := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 0 {
			b = "f0"
		}
		twice += a + "() { " + b + "; " + b + "; }\n"
	}
	for _, r := range []struct {
		reason, cmd string
		parsed      bool
		why         string
	}{
		{"a fine one says nothing", "ls", true, ""},
		{"over 64 KiB", long, false, "65536"},
		{"an open quote", "echo 'x", false, "not a shell script"},
		{"no shell at all", "if (", false, "not a shell script"},
		{"brackets beyond any script", strings.Repeat("(", 60000), false, "nested deeper"},
		{"shells beyond the depth", deep, true, "shells are nested deeper than 8"},
		{"functions that double", twice + "y\n", true, "more than"},
		{"nested ifs beyond any script", strings.Repeat("if a; then ", 3000) + "b" + strings.Repeat("; fi", 3000), true, "nested deeper"},
		{"a long and-list is not deep", strings.Repeat("a && ", 9000) + "b", true, ""},
		{"a long pipeline is not deep", strings.Repeat("a | ", 4000) + "b", true, ""},
		{"recursion ends", "f() { f; g; }; g() { f; }; f", true, ""},
	} {
		s := Parse(r.cmd, Options{})
		if s.Parsed != r.parsed || !strings.Contains(s.Reason, r.why) || (r.why == "") != (s.Reason == "") {
			t.Errorf("%s: parsed %v, reason %q; want %v, %q", r.reason, s.Parsed, s.Reason, r.parsed, r.why)
		}
		if !s.Parsed && (s.Background() != nil || s.Waits() != nil || s.Reads() != nil || s.Simple() != nil || s.EvidenceCall() != "") {
			t.Errorf("%s: an unparsed script has answers", r.reason)
		}
	}
	if got := Parse("sh -c 'x &'", Options{MaxDepth: 1}).Background(); len(got) != 1 {
		t.Errorf("depth 1 is one shell inside: got %v", got)
	}
	if s := Parse("12345", Options{MaxBytes: 4}); s.Parsed {
		t.Error("MaxBytes is not regarded")
	}
	text := Parse("echo "+strings.Repeat("é", 300)+" &", Options{}).Background()[0].Text
	if len(text) > 200 || !strings.HasSuffix(text, "é") {
		t.Errorf("text is cut at %d bytes, inside a rune: %q", len(text), text)
	}
}

func TestParseFor(t *testing.T) {
	for _, r := range []struct {
		tool   string
		parsed bool
	}{
		{"Bash", true}, {"Shell", true}, {"shell_command", true}, {"functions.exec_command", true},
		{"PowerShell", false}, {"powershell", false}, {"pwsh", false}, {"functions.PowerShell", false},
	} {
		s := ParseFor(r.tool, "Get-Content x &", Options{})
		if s.Parsed != r.parsed || s.Parsed == (s.Reason != "") {
			t.Errorf("%s: parsed %v, reason %q", r.tool, s.Parsed, s.Reason)
		}
	}
}
