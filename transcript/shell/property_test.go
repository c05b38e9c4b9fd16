package shell

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// vocabulary has every word that a scan or a question looks for, and innocent
// ones around them.
var vocabulary = []string{
	"sleep", "5", "cat", "tail", "-f", "-n", "log", "watch", "journalctl", "docker", "logs", "run", "-d", "nginx", "pgrep", "kill", "-0",
	"ps", "-p", "1", "read", "-t", "test", "-e", "/proc/1", "inotifywait", "nohup", "setsid", "--fork", "disown", "tmux", "new", "screen", "-dm",
	"systemd-run", "at", "now", "batch", "coproc", "daemonize", "start-stop-daemon", "--background", "pm2", "start", "ssh", "-fN", "host", "sudo", "-b",
	"stophook", "status", "task", "name", "echo", "x", "wait", "$!", "timeout", "env", "A=1", "/bin/sleep", "~/stophook", "pidof", "dmesg", "-w",
}

// disguise writes a word with quotes that the shell removes again.
func disguise(t *rapid.T, w string) string {
	switch rapid.IntRange(0, 9).Draw(t, "disguise") {
	case 0:
		return "'" + w + "'"
	case 1:
		return `"` + w + `"`
	case 2, 3:
		i := rapid.IntRange(0, len(w)).Draw(t, "at")
		mid := rapid.SampledFrom([]string{`""`, `''`, `\` + "\n", `$""`, "\x00", `"$(true)"`, `$''`}).Draw(t, "mid")
		return w[:i] + mid + w[i:]
	case 4:
		i := rapid.IntRange(0, len(w)-1).Draw(t, "at")
		return w[:i] + `\` + w[i:]
	case 5:
		var b strings.Builder
		for _, c := range []byte(w) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return "$'" + b.String() + "'"
	}
	return w
}

func simpleText(t *rapid.T) string {
	var ws []string
	for range rapid.IntRange(1, 4).Draw(t, "words") {
		ws = append(ws, disguise(t, rapid.SampledFrom(vocabulary).Draw(t, "word")))
	}
	return strings.Join(ws, " ") + rapid.SampledFrom([]string{"", "", " 2>&1", " &>f", ">&2", " <f", ">f"}).Draw(t, "redir")
}

// scriptText draws a script that mostly parses, shells in shells included.
func scriptText(t *rapid.T, depth int) string {
	if depth == 0 {
		return simpleText(t)
	}
	a := scriptText(t, depth-1)
	switch rapid.IntRange(0, 17).Draw(t, "form") {
	case 0:
		return a + "&"
	case 1:
		return a + " &\n" + simpleText(t)
	case 2:
		return a + rapid.SampledFrom([]string{" && ", "&&", "||", "|", "|&", ";", "\n", " &", "&\n", "& ", "&!", "&|"}).Draw(t, "op") + simpleText(t)
	case 3:
		return "while " + simpleText(t) + "; do " + a + "\ndone"
	case 4:
		return "for i in 1 2; do " + a + "\ndone"
	case 5:
		return "( " + a + "\n)"
	case 6:
		return "x=$(" + a + "\n)"
	case 7:
		return "bash -c '" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	case 8:
		return `sh -c "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(a) + `"`
	case 9:
		var b strings.Builder
		for _, c := range []byte(a) {
			if c == '\n' {
				b.WriteString("'\n'")
			} else {
				b.WriteByte('\\')
				b.WriteByte(c)
			}
		}
		return "sh -c " + b.String()
	case 10:
		return "bash <<'EOF'\n" + a + "\nEOF"
	case 11:
		return "eval " + a
	case 12:
		return "f() { " + a + "\n}; f"
	case 13:
		return "printf '" + strings.NewReplacer("'", `'\''`, "\n", `\n`).Replace(a) + "' | sh"
	case 14:
		return "trap '" + strings.ReplaceAll(a, "'", `'\''`) + "' EXIT"
	case 15:
		return "eval '" + strings.ReplaceAll(a, "'", `'\''`) + "' " + rapid.SampledFrom([]string{"'&'", `\&`, `"&" x`, "x"}).Draw(t, "tail")
	case 16:
		return "until true; do\n" + a + "\ndone &"
	}
	return a
}

// checkScans: where the parse finds something, the scan must not have said no.
func checkScans(t interface{ Fatalf(string, ...any) }, cmd string) {
	s := Parse(cmd, Options{})
	if f := s.Background(); len(f) > 0 && !MayBackground(cmd) {
		t.Fatalf("MayBackground says no to %q: %v", cmd, f)
	}
	if f := s.Waits(); len(f) > 0 && !MayWait(cmd) {
		t.Fatalf("MayWait says no to %q: %v", cmd, f)
	}
	if e := s.EvidenceCall(); e != "" && !MayBeEvidence(cmd) {
		t.Fatalf("MayBeEvidence says no to %q: %v", cmd, e)
	}
}

func TestScans_NeverMissWhatTheParseFinds(t *testing.T) {
	parsed, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		cmd := scriptText(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		checkScans(t, cmd)
		s := Parse(cmd, Options{})
		if s.Parsed {
			parsed++
		}
		if len(s.Background()) > 0 || len(s.Waits()) > 0 || s.EvidenceCall() != "" {
			found++
		}
	})
	if parsed == 0 || found == 0 {
		t.Errorf("the generator proves nothing: %d parsed, %d with a finding", parsed, found)
	}
}

func TestScans_TokenSoup(t *testing.T) {
	tokens := append([]string{"&", "&&", ">", "<", "|", ";", "'", `"`, `\`, "$", "(", ")", "{", "}", "\n", " ", "#", "[[", "]]", "`", "\x00", "\r\n",
		"while", "do", "done", "until", "for", "bash -c", "eval", "if", "then", "fi", "case", "in", "esac", "<<EOF\n", "EOF\n", "$'"}, vocabulary...)
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 14).Draw(t, "n") {
			b.WriteString(rapid.SampledFrom(tokens).Draw(t, "token"))
			b.WriteString(rapid.SampledFrom([]string{" ", " ", ""}).Draw(t, "sep"))
		}
		checkScans(t, b.String())
	})
}

func TestScans_AreCheapNoes(t *testing.T) {
	for _, cmd := range []string{
		"go test ./... 2>&1 | tee log", "cd /x && go build && ls -la", "git diff --stat HEAD~1 &> out", "grep -rn 'foo$' . |& head",
	} {
		if MayBackground(cmd) || MayBeEvidence(cmd) {
			t.Errorf("%q: an everyday command is sent to the parser", cmd)
		}
	}
	for _, cmd := range []string{"go test ./...", "for f in *.go; do gofmt -l $f; done", "npm install && npm run build"} {
		if MayWait(cmd) {
			t.Errorf("%q: an everyday command is sent to the parser", cmd)
		}
	}
}

// TestBackground_AgainstModel draws starts, waits and kills, and keeps the set
// of living jobs beside them.
func TestBackground_AgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		alive := map[int]bool{}
		n := 0
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 6).Draw(t, "step") {
			case 0, 1, 2:
				n++
				alive[n] = true
				fmt.Fprintf(&b, "job %d & p%d=$!\n", n, n)
			case 3:
				b.WriteString("wait\n")
				clear(alive)
			case 4:
				if n > 0 {
					i := rapid.IntRange(1, n).Draw(t, "job")
					b.WriteString(rapid.SampledFrom([]string{fmt.Sprintf("wait $p%d\n", i), fmt.Sprintf("kill \"$p%d\"\n", i), fmt.Sprintf("wait %%%d\n", i), fmt.Sprintf("( kill -9 ${p%d} )\n", i)}).Draw(t, "how"))
					delete(alive, i)
				}
			case 5:
				if n > 0 {
					i := rapid.IntRange(1, n).Draw(t, "job")
					b.WriteString(rapid.SampledFrom([]string{fmt.Sprintf("kill -0 $p%d\n", i), fmt.Sprintf("( wait $p%d )\n", i), fmt.Sprintf("echo wait $p%d\n", i)}).Draw(t, "no"))
				}
			case 6:
				b.WriteString("make && echo ok 2>&1\n")
			}
		}
		want := []string{}
		for i := 1; i <= n; i++ {
			if alive[i] {
				want = append(want, fmt.Sprintf("job %d &", i))
			}
		}
		got := []string{}
		for _, f := range Parse(b.String(), Options{}).Background() {
			got = append(got, f.Text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n(-want +got)\n%s", b.String(), d)
		}
	})
}

// TestParse_BoundedTime repeats what makes a parser or a fold slow, up to the
// size limit. The bound is a hundred times what it takes: it tells quadratic
// from cubic, not fast from slow.
func TestParse_BoundedTime(t *testing.T) {
	for _, unit := range []string{
		"if ", "( ", "$((a[", "sudo ", "env A=1 ", "eval a;", "sh -c a;", "kill 0;a &", "a & pids+=($!);", "p=\"$p $p\";a & p=$!;", "pkill a;b &", "a && ", "a | ",
		"f(){ bash -c 'a;a;a;a;a;a;a;a;a;a'; };f;f;f;f;",
	} {
		start := time.Now()
		s := Parse(strings.Repeat(unit, 64000/len(unit))+"a", Options{})
		s.Background()
		s.Waits()
		s.Reads()
		s.Simple()
		s.EvidenceCall()
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%q repeated: %v", unit, d)
		}
	}
}

// FuzzParse: any bytes, no panic (the questions are asked without the guard that
// would hide one), bounded time, balanced brackets, and scans that miss nothing.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a & b & wait", "sh -c 'x &'", "while true; do sleep 1; done", "sleep 5; cat f", "bash <<EOF\nx &\nEOF", "f() { f; }; f",
		"stophook status | cat", "cat $'\\x41\\u0042\\101'", "trap 'kill $p' EXIT; a & p=$!", "coproc X { a; }; wait $X_PID", "a=(1 $(b &))", "[[ -d /proc/1 ]]",
		"x[$(a &)]=1", "${a:-$(b &)}", "case a in (b) c ;; esac", "((", "$((", "`a", "a <<'E'", "kill", "kill -s", "wait %", "wait %?", "disown %9", "tail -", "env -S", "sed -e",
		"find . -exec", "docker run", "tmux ; ; new -d", "timeout", "sh -c", "eval", "echo -n | sh", "printf | sh", "flock a -c", "su -c", "a &!", "time", "!", "{ }",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cmd string) {
		start := time.Now()
		s := Parse(cmd, Options{})
		if strings.Contains(s.Reason, "gave up") {
			t.Fatalf("panic: %s", s.Reason)
		}
		s.background()
		s.waits()
		s.reads()
		s.simple()
		s.evidence()
		checkScans(t, cmd)
		open := 0
		for _, e := range s.plan {
			switch e.kind {
			case evLoopOpen, evShellOpen, evJobOpen:
				open++
			case evLoopClose, evShellClose, evJobClose:
				open--
			}
			if open < 0 {
				t.Fatal("a bracket of the plan closes before it opens")
			}
		}
		if open != 0 {
			t.Fatalf("%d brackets of the plan stay open", open)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Fatalf("%v for %d bytes", d, len(cmd))
		}
	})
}

func BenchmarkMayBackground(b *testing.B) {
	cmd := strings.Repeat("go test ./... 2>&1 | tee log && git status --short; ", 10)
	b.SetBytes(int64(len(cmd)))
	for b.Loop() {
		if MayBackground(cmd) {
			b.Fatal("an everyday command")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	cmd := "cd /app && npm start > log 2>&1 & pid=$!; sleep 3; curl -s localhost:3000/health; kill $pid"
	for b.Loop() {
		if len(Parse(cmd, Options{}).Background()) != 0 {
			b.Fatal("nothing is left")
		}
	}
}
