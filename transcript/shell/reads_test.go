package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReads_AC154(t *testing.T) {
	type row struct {
		reason, cmd string
		want        []string
	}
	l := func(s ...string) []string { return append([]string{}, s...) }
	for _, r := range []row{
		{"cat", "cat a b", l("a", "b")},
		{"quotes are removed", `cat "/tmp/x y/a" 'b'`, l("/tmp/x y/a", "b")},
		{"a backslash outside of quotes vanishes", `cat a\ b`, l("a b")},
		{"a Windows path in quotes stays", `cat 'C:\t\tasks\a.output'`, l(`C:\t\tasks\a.output`)},
		{"tail with a count", "tail -n 20 log", l("log")},
		{"tail with a joined count", "tail -n20 -c5 log", l("log")},
		{"tail -20", "tail -20 log", l("log")},
		{"tail +5", "tail +5 log", l("log")},
		{"tail --lines", "tail --lines 5 --quiet log", l("log")},
		{"head", "head -c 100 log", l("log")},
		{"options behind the file", "tail log -n 3", l("log")},
		{"less +F", "less +F log", l("log")},
		{"more", "more log", l("log")},
		{"sed -n", "sed -n '1,20p' log", l("log")},
		{"sed -e", "sed -n -e 1p -e 2p log", l("log")},
		{"sed -i writes", "sed -i s/a/b/ log", l()},
		{"grep", "grep -n -A 3 err log", l("log")},
		{"grep -e", "grep -e a -e b log", l("log")},
		{"grep --regexp=", "grep --regexp=a log", l("log")},
		{"grep of a pipe", "x | grep err", l()},
		{"grep -r of a directory", "grep -r err dir", l("dir")},
		{"rg", "rg -C 2 err log", l("log")},
		{"rg --files has no pattern", "rg --files dir", l("dir")},
		{"awk", "awk -F: '{print $1}' n=1 log", l("log")},
		{"awk -f", "awk -f p.awk log", l("log")},
		{"wc", "wc -l log", l("log")},
		{"bat", "bat -r 1:5 --paging never log", l("log")},
		{"tac", "tac log", l("log")},
		{"type", "type log", l("log")},
		{"Get-Content", "Get-Content -Path log -Tail 20", l("log")},
		{"gc", "gc log -Raw", l("log")},
		{"redirection", "jq . < log", l("log")},
		{"redirection of a loop", "while read x; do echo $x; done < log", l("log")},
		{"$(< file)", `echo "$(< log)"`, l("log")},
		{"output is not input", "cat a > b 2> c", l("a")},
		{"a pipeline", "cat a | tail -5 | grep x", l("a")},
		{"standard input", "cat -", l()},
		{"behind --", "cat -- -a", l("-a")},
		{"a variable is not literal", `cat "$HOME/a" b`, l("b")},
		{"a pattern is not literal", "cat *.log a?c [ab] b", l("b")},
		{"a quoted pattern is", "cat '*.log'", l("*.log")},
		{"braces are not literal", "cat {a,b} c{1..3}", l()},
		{"a substitution is not literal, and is looked into", "cat $(head -1 list)", l("list")},
		{"a heredoc is no file", "cat <<EOF\nx\nEOF", l()},
		{"behind a wrapper", "timeout 5 sudo cat log", l("log")},
		{"in a nested shell", "bash -c 'cat log'", l("log")},
		{"in a branch", "test -f a && cat a || cat b", l("a", "b")},
		{"in a called function only", "f() { cat a; }; g() { cat b; }; f", l("a")},
		{"each once", "cat a; tail a", l("a")},
		{"through find", "find . -name x -exec cat a \\;", l("a")},
		{"echo reads nothing", "echo cat a", l()},
		{"rm reads nothing", "rm log", l()},
		{"ANSI quotes", `cat $'a\tb\x41\101\u0042'`, l("a\tbAAB")},
		{"a task's output", "tail -50 /tmp/claude/-p/tasks/b1.output", l("/tmp/claude/-p/tasks/b1.output")},
	} {
		s := Parse(r.cmd, Options{})
		got := s.Reads()
		if d := cmp.Diff(r.want, append([]string{}, got...)); d != "" || !s.Parsed {
			t.Errorf("%s: %s (parsed %v)\n(-want +got)\n%s", r.reason, r.cmd, s.Parsed, d)
		}
	}
}

func TestOutputTaskID_AC154(t *testing.T) {
	for _, r := range []struct{ reason, path, want string }{
		{"the host's form", "/tmp/claude-1000/-p/s/tasks/bod89b0nb.output", "bod89b0nb"},
		{"relative", "tasks/a-B_9.output", "a-B_9"},
		{"backslashes", `C:\Temp\tasks\b1.output`, "b1"},
		{"mixed", `C:\Temp/tasks\b1.output`, "b1"},
		{"another folder that ends so", "/x/mytasks/b1.output", ""},
		{"no folder", "b1.output", ""},
		{"another extension", "/x/tasks/b1.log", ""},
		{"not the end", "/x/tasks/b1.output.bak", ""},
		{"a folder deeper", "/x/tasks/sub/b1.output", ""},
		{"no id", "/x/tasks/.output", ""},
		{"a charset outside", "/x/tasks/b 1.output", ""},
		{"a dot in the id", "/x/tasks/b.1.output", ""},
		{"a letter that is no ASCII", "/x/tasks/bé.output", ""},
		{"tasks twice", "/tasks/tasks/b1.output", "b1"},
		{"the extension in capitals", "/x/tasks/b1.OUTPUT", ""},
		{"empty", "", ""},
		{"only the folder", "tasks/", ""},
	} {
		if got := OutputTaskID(r.path); got != r.want {
			t.Errorf("%s: OutputTaskID(%q) = %q, want %q", r.reason, r.path, got, r.want)
		}
	}
}
