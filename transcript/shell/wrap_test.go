package shell

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestWrappers_LookedThrough asks for the innermost program and its words.
func TestWrappers_LookedThrough(t *testing.T) {
	for _, r := range []struct {
		reason, cmd string
		want        []string
		bounded     bool
	}{
		{"none", "run a", []string{"run", "a"}, false},
		{"env with assignments", "env -i A=1 B=2 run a", []string{"run", "a"}, false},
		{"env -u", "env -u X -C /tmp run", []string{"run"}, false},
		{"env -S splits", "env -S 'A=1 run a' b", []string{"run", "a", "b"}, false},
		{"env alone", "env", []string{"env"}, false},
		{"sudo with a user and assignments", "sudo -u me -E A=1 run a", []string{"run", "a"}, false},
		{"sudo --user", "sudo --user me --preserve-env=X run", []string{"run"}, false},
		{"sudo -l runs nothing", "sudo -l run", []string{"sudo", "-l", "run"}, false},
		{"doas", "doas -u me run", []string{"run"}, false},
		{"timeout", "timeout 5 run", []string{"run"}, true},
		{"timeout with options", "timeout --foreground -k 1 -s KILL 5m run", []string{"run"}, true},
		{"timeout 0", "timeout 0 run", []string{"run"}, false},
		{"timeout without a command", "timeout 5", []string{"timeout", "5"}, false},
		{"gtimeout", "gtimeout 1h run", []string{"run"}, true},
		{"nice", "nice -n 10 run", []string{"run"}, false},
		{"nice -10", "nice -10 run", []string{"run"}, false},
		{"ionice", "ionice -c2 -n 7 run", []string{"run"}, false},
		{"stdbuf", "stdbuf -oL -e 0 run", []string{"run"}, false},
		{"unbuffer", "unbuffer -p run", []string{"run"}, false},
		{"the program time", `\time -f %e run`, []string{"run"}, false},
		{"the keyword time", "time -p run", []string{"run"}, false},
		{"nohup", "nohup run", []string{"run"}, false},
		{"setsid", "setsid -w run", []string{"run"}, false},
		{"command", "command -p run", []string{"run"}, false},
		{"command -v", "command -v run", []string{"command", "-v", "run"}, false},
		{"builtin", "builtin wait", []string{"wait"}, false},
		{"exec", "exec -a name run", []string{"run"}, false},
		{"xargs", "xargs -0 -I {} -P4 run x", []string{"run", "x", "${_}"}, false},
		{"xargs alone", "xargs -n 1", []string{"xargs", "-n", "1"}, false},
		{"busybox", "busybox sleep 1", []string{"sleep", "1"}, false},
		{"caffeinate", "caffeinate -t 60 -i run", []string{"run"}, false},
		{"taskset", "taskset -c 0 run", []string{"run"}, false},
		{"taskset of a process", "taskset -p 1234", []string{"taskset", "-p", "1234"}, false},
		{"xvfb-run", "xvfb-run -a -s '-screen 0' run", []string{"run"}, false},
		{"npx", "npx --yes -p pkg run", []string{"run"}, false},
		{"npx -c runs text", "npx -c 'run a'", []string{"npx", "-c", "run a"}, false},
		{"systemd-run --wait", "systemd-run --user --wait -p A=b run", []string{"run"}, false},
		{"systemd-run detached is not looked through", "systemd-run run", []string{"systemd-run", "run"}, false},
		{"flock", "flock -n /tmp/l run a", []string{"run", "a"}, false},
		{"flock on a descriptor", "flock 9", []string{"flock", "9"}, false},
		{"runuser", "runuser -u me -- run", []string{"run"}, false},
		{"find -exec", "find . -name x -exec run {} +", []string{"run", "{}"}, false},
		{"find without", "find . -name x", []string{"find", ".", "-name", "x"}, false},
		{"several", "sudo -E env A=1 nice timeout 5 nohup run a", []string{"run", "a"}, true},
		{"behind --", "sudo -- run -x", []string{"run", "-x"}, false},
	} {
		s := Parse(r.cmd, Options{})
		var got []string
		bounded := false
		for _, e := range s.plan {
			if e.kind == evCall && got == nil {
				for _, w := range e.call.prog().words {
					got = append(got, w.text)
				}
				bounded = e.call.bounded
			}
		}
		if d := cmp.Diff(r.want, got); d != "" || bounded != r.bounded {
			t.Errorf("%s: %s (bounded %v)\n(-want +got)\n%s", r.reason, r.cmd, bounded, d)
		}
	}
}

// TestNestedText finds the job in every way to hand text to a shell.
func TestNestedText(t *testing.T) {
	for _, r := range []struct {
		reason, cmd string
		found       bool
	}{
		{"-c behind options with values", "bash -o pipefail -O extglob -c 'x &'", true},
		{"--rcfile takes a value", "bash --rcfile f -c 'x &'", true},
		{"-c in the middle of a cluster", "bash -xce 'x &'", true},
		{"options behind -c", "bash -c -e 'x &'", true},
		{"-c and --", "bash -c -- 'x &'", true},
		{"zsh", "zsh -c 'x &'", true},
		{"by path", "/usr/bin/env bash -c 'x &'", true},
		{"script -c", "script -qec 'x &' /dev/null", true},
		{"script with the text last", "script -q /dev/null -c 'x &'", true},
		{"su with the text last", "su me -c 'x &'", true},
		{"runuser -c", "runuser me -c 'x &'", true},
		{"flock -c", "flock -w 5 f -c 'x &'", true},
		{"heredoc behind sudo", "sudo bash <<E\nx &\nE", true},
		{"heredoc with tabs", "bash <<-E\n\tx &\n\tE", true},
		{"heredoc with escapes", "bash <<E\necho \\$HOME; x &\nE", true},
		{"printf with lines", `printf 'a\nx &\n' | sh`, true},
		{"a script in a file", "bash run.sh 'x &'", false},
		{"arguments of the text", "bash -c x 'y &'", false},
		{"-s and a heredoc", "bash -s -- a <<E\nx &\nE", true},
		{"a heredoc for a script in a file", "bash run.sh <<E\nx &\nE", false},
		{"text that is no script", "bash -c 'if ( &'", false},
		{"empty text", "bash -c ''", false},
		{"fish reads another language", "fish -c 'x &'", false},
		{"python", "python3 -c 'x &'", false},
		{"echo into another program", "echo 'x &' | python3", false},
		{"trap for another signal", "trap 'x &' INT", false},
		{"trap for exit", "trap -- 'x &' INT EXIT", true},
		{"trap reset", "trap - EXIT", false},
	} {
		s := Parse(r.cmd, Options{})
		if got := len(s.Background()) > 0; got != r.found || !s.Parsed {
			t.Errorf("%s: %q: found %v (parsed %v %s)", r.reason, r.cmd, got, s.Parsed, s.Reason)
		}
	}
}

// TestJobs has the ways to name a job.
func TestJobs(t *testing.T) {
	checkKinds(t, []kindRow{
		{"the previous job", "aa & bb & wait %-", ks(KindAmpersand)},
		{"the previous of one", "aa & wait %-", ks(KindAmpersand)},
		{"by its beginning", "aa & bb & wait %aa %bb", ks()},
		{"by its content", "aa -x & wait '%?-x'", ks()},
		{"by a beginning that none has", "aa & wait %cc", ks(KindAmpersand)},
		{"a number that none has", "aa & wait %7", ks(KindAmpersand)},
		{"none at all", "wait %1; wait %%; kill %+", ks()},
		{"wait for a literal pid", "aa & wait 1234", ks(KindAmpersand)},
		{"kill -l lists", "aa & kill -l", ks(KindAmpersand)},
		{"kill alone", "aa & kill", ks(KindAmpersand)},
		{"kill -s TERM", "aa & kill -s TERM $!", ks()},
		{"kill the group", "aa & kill -- -$!", ks()},
		{"kill all", "aa & bb & kill $(jobs -p)", ks()},
		{"kill through a subshell", "aa & p=$!; ( kill $p )", ks()},
		{"killall", "node a.js & killall node", ks()},
		{"pkill of another", "node a.js & pkill python", ks(KindAmpersand)},
		{"pkill with a mild signal", "node a.js & pkill -USR1 node", ks(KindAmpersand)},
		{"pkill with nothing", "node a.js & pkill; pkill -f", ks(KindAmpersand)},
		{"fg of a number", "aa & bb & fg %1", ks(KindAmpersand)},
		{"disown -h leaves it to wait", "aa & disown -h; wait", ks()},
		{"disown -h, and nobody waits", "aa & disown -h", ks(KindDisown)},
		{"disown -a", "aa & bb & disown -a", ks(KindDisown, KindDisown)},
		{"disown by number", "aa & bb & disown %1; wait", ks(KindDisown)},
		{"a list that doubles", `p=x; aa & p=$!; p="$p $p"; p="$p $p"; wait $p`, ks()},
		{"an element of an array", "aa & a[0]=$!; bb & a[1]=$!; wait ${a[@]}", ks()},
		{"compose run -d", "docker compose run -d web", ks(KindContainer)},
		{"compose up --wait", "docker compose up --wait", ks(KindContainer)},
		{"docker container run", "docker container run -d x", ks(KindContainer)},
		{"docker exec -d", "docker exec -d web run", ks(KindContainer)},
		{"docker alone", "docker; docker container; docker compose", ks()},
	}, (*Script).Background, MayBackground)
}

func TestAnsiC(t *testing.T) {
	for _, r := range []struct{ reason, in, want string }{
		{"the named ones", `$'\n\t\r\e\\\'\"'`, "\n\t\r\x1b\\'\""},
		{"hex", `$'\x41\x4a\x4Bg'`, "AJKg"},
		{"octal", `$'\101\0\7x'`, "A\x00\x07x"},
		{"unicode", `$'\u00e9\U0001F600'`, "é😀"},
		{"unknown stays without its backslash", `$'\q'`, "q"},
		{"double quotes keep most backslashes", `"a\qb\$\"\\"`, `a\qb$"\`},
		{"a line continuation vanishes", "\"a\\\nb\"", "ab"},
		{"unquoted", `a\ b\'c`, "a b'c"},
	} {
		got := Parse("echo "+r.in, Options{}).Simple()
		if len(got) != 1 || len(got[0].Args) != 1 || got[0].Args[0] != r.want {
			t.Errorf("%s: %s = %+v, want %q", r.reason, r.in, got, r.want)
		}
	}
}

// TestScript_ConcurrentUse is for the race detector.
func TestScript_ConcurrentUse(t *testing.T) {
	s := Parse("trap 'kill $p' EXIT; a & p=$!; while true; do sleep 1; done; cat f; stophook status", Options{})
	done := make(chan string)
	for range 4 {
		go func() {
			s.Background()
			s.Waits()
			s.Reads()
			s.Simple()
			done <- s.EvidenceCall()
		}()
	}
	for range 4 {
		select {
		case ev := <-done:
			if ev != "status" {
				t.Errorf("EvidenceCall = %q", ev)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a question does not come back")
		}
	}
}

// TestOutputTaskID_AgainstModel builds paths from parts, so that the answer is known.
func TestOutputTaskID_AgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[A-Za-z0-9_-]{1,12}`).Draw(t, "id")
		front := rapid.SampledFrom([]string{"", "/", "/a/b/", `C:\x\`, `\\srv\s\`, "x y/"}).Draw(t, "front")
		sep := rapid.SampledFrom([]string{"/", `\`}).Draw(t, "sep")
		if got := OutputTaskID(front + "tasks" + sep + id + ".output"); got != id {
			t.Fatalf("got %q, want %q", got, id)
		}
		bad := rapid.SampledFrom([]string{front + "xtasks" + sep + id + ".output", front + "tasks" + sep + id + ".log", "tasks" + sep + id + ".output.1", front + id + ".output"}).Draw(t, "bad")
		if got := OutputTaskID(bad); got != "" {
			t.Fatalf("%q gives %q", bad, got)
		}
	})
}
