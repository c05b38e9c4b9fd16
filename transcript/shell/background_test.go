package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kinds is what a table row compares: the kinds of the findings in order.
func kinds(fs []Finding) []Kind {
	out := []Kind{}
	for _, f := range fs {
		out = append(out, f.Kind)
	}
	return out
}

func ks(k ...Kind) []Kind { return append([]Kind{}, k...) }

type kindRow struct {
	reason string
	cmd    string
	want   []Kind
}

func checkKinds(t *testing.T, rows []kindRow, ask func(*Script) []Finding, may func(string) bool) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range rows {
		if r.reason == "" || seen[r.cmd] {
			t.Errorf("row %q: no reason, or there twice", r.cmd)
		}
		seen[r.cmd] = true
		s := Parse(r.cmd, Options{})
		if !s.Parsed {
			t.Errorf("%s\n%s\nnot parsed: %s", r.reason, r.cmd, s.Reason)
			continue
		}
		got := ask(s)
		if d := cmp.Diff(r.want, kinds(got)); d != "" {
			t.Errorf("%s\n%s\n(-want +got)\n%s", r.reason, r.cmd, d)
		}
		if len(got) > 0 && !may(r.cmd) {
			t.Errorf("%s\n%s\nthe scan says no, the parse finds %v", r.reason, r.cmd, got)
		}
	}
}

func TestBackground_AC164_AC165_LeftRunning(t *testing.T) {
	checkKinds(t, []kindRow{
		{"the plain form", "npm start &", ks(KindAmpersand)},
		{"redirections in front of it", "npm start > log 2>&1 &", ks(KindAmpersand)},
		{"no blank needed", "npm start&", ks(KindAmpersand)},
		{"several on one line", "a & b & c", ks(KindAmpersand, KindAmpersand)},
		{"an and-list as a whole", "cd x && npm start &", ks(KindAmpersand)},
		{"a pipeline as a whole", "a | tee log &", ks(KindAmpersand)},
		{"in the middle of a script", "echo 1\nserver &\necho 2", ks(KindAmpersand)},
		{"a comment that ends in a backslash ends with its line", "make #\\\nserver &", ks(KindAmpersand)},
		{"several of them", "# a \\\n# b \\\nmake # c \\\nserver &", ks(KindAmpersand)},
		{"a hash inside a word is no comment", "echo a#b \\\n&", ks(KindAmpersand)},
		{"nor is one in quotes", "echo '#' \\\nx; server &", ks(KindAmpersand)},
		{"nohup names the intention", "nohup npm start > log 2>&1 &", ks(KindNohup)},
		{"nohup behind cd", "cd /app && nohup ./run > /dev/null 2>&1 &", ks(KindNohup)},
		{"nohup behind a wrapper", "env A=1 nohup ./run &", ks(KindNohup)},
		{"setsid behind &", "setsid ./run &", ks(KindSetsid)},
		{"setsid --fork needs no &", "setsid --fork ./run", ks(KindSetsid)},
		{"setsid -f", "setsid -f ./run > log", ks(KindSetsid)},
		{"disown takes the job from wait", "./run & disown; wait", ks(KindDisown)},
		{"disown by variable", "./run & p=$!; disown $p; wait $p", ks(KindDisown)},
		{"disown of what a sourced file started", ". ./start.sh; disown -a", ks(KindDisown)},
		{"zsh's &!", "sleep 100 &!", ks(KindDisown)},
		{"a subshell", "( ./run & )", ks(KindAmpersand)},
		{"wait outside of a subshell does not reach its job", "( ./run & ); wait", ks(KindAmpersand)},
		{"a block is the same process, and nobody waits", "{ ./run & }", ks(KindAmpersand)},
		{"inside if", "if true; then ./run & fi", ks(KindAmpersand)},
		{"inside a loop", "for i in 1 2; do ./run $i & done", ks(KindAmpersand)},
		{"inside case", "case x in x) ./run & ;; esac", ks(KindAmpersand)},
		{"command substitution", "pid=$(./run > /dev/null & echo $!)", ks(KindAmpersand)},
		{"backquotes", "echo `./run &`", ks(KindAmpersand)},
		{"process substitution", "cat <( ./run & )", ks(KindAmpersand)},
		{"substitution in a heredoc body", "cat <<EOF\n$(./run &)\nEOF", ks(KindAmpersand)},
		{"substitution in arithmetic", "echo $(( $(./run & echo 1) + 1 ))", ks(KindAmpersand)},
		{"sh -c", "sh -c './run &'", ks(KindAmpersand)},
		{"bash -lc", `bash -lc "./run &"`, ks(KindAmpersand)},
		{"options in front of -c", "bash --norc -eo pipefail -c './run &'", ks(KindAmpersand)},
		{"a variable inside the text", `bash -c "cd $DIR && ./run &"`, ks(KindAmpersand)},
		{"two shells deep", `bash -c "sh -c './run &'"`, ks(KindAmpersand)},
		{"a shell in a wrapper", "timeout 60 sudo -u me bash -c './run &'", ks(KindAmpersand)},
		{"a heredoc fed to a shell", "bash <<'EOF'\n./run &\nEOF", ks(KindAmpersand)},
		{"a here-string fed to a shell", "sh <<< './run &'", ks(KindAmpersand)},
		{"echo into a shell", "echo './run &' | sh", ks(KindAmpersand)},
		{"cat heredoc into a shell", "cat <<'EOF' | bash -s\n./run &\nEOF", ks(KindAmpersand)},
		{"eval", `eval "./run &"`, ks(KindAmpersand)},
		{"a function that is called", "f() { ./run & }\nf", ks(KindAmpersand)},
	}, (*Script).Background, MayBackground)
}

func TestBackground_AC165_Launchers(t *testing.T) {
	checkKinds(t, []kindRow{
		{"coproc", "coproc ./run", ks(KindCoproc)},
		{"tmux new -d", "tmux new -d -s x 'npm start'", ks(KindTmux)},
		{"tmux new-session with the flag in a cluster", "tmux -L sock new-session -ds x npm start", ks(KindTmux)},
		{"screen -dm", "screen -dm npm start", ks(KindScreen)},
		{"screen -dmS", "screen -dmS name npm start", ks(KindScreen)},
		{"docker run -d", "docker run -d --rm -p 80:80 nginx", ks(KindContainer)},
		{"docker run -itd", "docker run -itd ubuntu", ks(KindContainer)},
		{"docker run --detach", "docker --context c run --name x --detach nginx", ks(KindContainer)},
		{"podman", "podman run -d nginx", ks(KindContainer)},
		{"compose up -d", "docker compose -f a.yml up -d", ks(KindContainer)},
		{"docker-compose up --detach", "docker-compose up --detach db", ks(KindContainer)},
		{"systemd-run", "systemd-run --user --unit=x ./run", ks(KindSystemdRun)},
		{"at", "echo ./run | at now", ks(KindAt)},
		{"at -f", "at -f job.sh now + 1 minute", ks(KindAt)},
		{"batch", "batch < job.sh", ks(KindAt)},
		{"daemonize", "daemonize -p x.pid /usr/bin/run", ks(KindDaemonize)},
		{"start-stop-daemon", "start-stop-daemon --start --background --exec /usr/bin/run", ks(KindStartStopDaemon)},
		{"start-stop-daemon, short", "start-stop-daemon -S -b -x /usr/bin/run", ks(KindStartStopDaemon)},
		{"pm2 start", "pm2 start app.js", ks(KindPM2)},
		{"pm2 through npx", "npx -y pm2 start app.js", ks(KindPM2)},
		{"ssh -f", "ssh -fN -L 8080:localhost:80 host", ks(KindSSH)},
		{"sudo -b", "sudo -b ./run", ks(KindSudo)},
		{"absolute path and quotes", `"/usr/bin/tmux" 'new' -"d"`, ks(KindTmux)},
		{"a launcher in a job that is waited for still runs", "tmux new -d x & wait", ks(KindTmux)},
		{"xargs into a shell", "ls | xargs -I{} sh -c './run {} &'", ks(KindAmpersand)},
		{"find -exec", "find . -name x -exec sh -c './run &' \\;", ks(KindAmpersand)},
		{"flock -c", "flock /tmp/l -c './run &'", ks(KindAmpersand)},
		{"su -c", "su - me -c './run &'", ks(KindAmpersand)},
		{"wait waits only for the named one", "a & p=$!\nb &\nwait $p", ks(KindAmpersand)},
		{"wait $! is the latest", "a & b & wait $!", ks(KindAmpersand)},
		{"wait -n waits for one", "a & b & wait -n", ks(KindAmpersand)},
		{"wait before the job", "wait; a &", ks(KindAmpersand)},
		{"kill -0 ends nothing", "a & kill -0 $!", ks(KindAmpersand)},
		{"kill -STOP ends nothing", "a & kill -STOP %1", ks(KindAmpersand)},
		{"a killer in the background comes later", "a & p=$!; (sleep 60; kill $p) &", ks(KindAmpersand, KindAmpersand)},
		{"a job in a job that is waited for is not", "( a & ) & wait", ks(KindAmpersand)},
		{"a job in a job that is left is part of it", "( a & b & ) &", ks(KindAmpersand)},
		{"the end of a heredoc that bash would forgive", "./run &\ncat <<EOF\nx", ks(KindAmpersand)},
		{"escaped twice, text of a nested shell", `sh -c ./run\ \&`, ks(KindAmpersand)},
		{"escapes of $'…'", `sh -c $'./run \x26'`, ks(KindAmpersand)},
	}, (*Script).Background, MayBackground)
}

func TestBackground_AC164_NothingLeft(t *testing.T) {
	checkKinds(t, []kindRow{
		{"and-list", "a && b", ks()},
		{"redirect of stderr", "a 2>&1", ks()},
		{"redirect of both", "a &> log", ks()},
		{"append of both", "a &>> log", ks()},
		{"pipe of both", "a |& tee log", ks()},
		{"descriptor duplication", "a >&2 <&3", ks()},
		{"closing a descriptor", "exec 3>&-", ks()},
		{"a comment", "a # b & c", ks()},
		{"double quotes", `echo "a & b"`, ks()},
		{"single quotes", "echo 'a &'", ks()},
		{"escaped", `echo a \& b`, ks()},
		{"a URL in quotes", "curl 'http://x/?a=1&b=2'", ks()},
		{"a commit message", `git commit -m "server & client at rest"`, ks()},
		{"a test", "[[ a && b ]]", ks()},
		{"arithmetic", "echo $((5 & 3))", ks()},
		{"an arithmetic command", "(( x & 1 ))", ks()},
		{"let", "let 'x = 5 & 3'", ks()},
		{"a heredoc body", "cat <<'EOF' > run.sh\n./run &\nEOF", ks()},
		{"a heredoc for another program", "python3 - <<EOF\na & b\nEOF", ks()},
		{"case fallthrough", "case x in a) b ;& c) d ;;& esac", ks()},
		{"plain nohup stays in front", "nohup make", ks()},
		{"plain setsid waits", "setsid make", ks()},
		{"setsid -w", "setsid -w make", ks()},
		{"a function that is not called", "f() { ./run & }", ks()},
		{"wait", "a & b & wait", ks()},
		{"wait on a later line", "a > 1 &\nb > 2 &\nwait\ncat 1 2", ks()},
		{"wait for a variable", "a & pid=$!\necho x\nwait $pid", ks()},
		{"wait for a quoted variable", `a & pid=$!; wait "$pid"`, ks()},
		{"wait for ${}", `a & pid=$!; wait ${pid}`, ks()},
		{"export is an assignment too", "a & export pid=$!; wait $pid", ks()},
		{"wait for a copy", "a & p=$!; q=$p; wait $q", ks()},
		{"wait for two", "a & x=$!; b & y=$!; wait $x $y", ks()},
		{"an array of pids", `for i in 1 2; do a & pids+=($!); done; for p in "${pids[@]}"; do wait $p; done`, ks()},
		{"a string of pids", `a & pids="$!"; b & pids="$pids $!"; wait $pids`, ks()},
		{"wait $!", "a & wait $!", ks()},
		{"wait %1", "a & b & wait %1 %2", ks()},
		{"wait for the current job", "a & wait %%", ks()},
		{"wait for $(jobs -p)", "a & b & wait $(jobs -p)", ks()},
		{"wait -n in a loop", "a & b & while wait -n; do :; done", ks()},
		{"wait in one branch", "a & if x; then wait; fi", ks()},
		{"wait behind ||", "a & b || exit 1; wait", ks()},
		{"wait in the subshell that started it", "( a & wait )", ks()},
		{"the block and its shell are one process", "{ a & b & }; wait", ks()},
		{"wait in the nested shell", "bash -c 'a & wait'", ks()},
		{"eval is the same process", "eval 'a &'; wait", ks()},
		{"a function is the same process", "f() { a & }; f; wait", ks()},
		{"wait in a function", "done_() { wait; }; a & done_", ks()},
		{"an argument that nobody can resolve", "w() { wait $1; }; a & w $!", ks()},
		{"a pid out of a file", "a & echo $! > p; wait $(cat p)", ks()},
		{"fg", "set -m; a & fg", ks()},
		{"coproc that is waited for", "coproc a; wait $COPROC_PID", ks()},
		{"a named coproc", "coproc W { a; }; wait $W_PID", ks()},
		{"killed", "npm start & p=$!; sleep 3; curl localhost; kill $p", ks()},
		{"killed with a signal", "a & p=$!; kill -9 $p", ks()},
		{"killed by job number", "a & kill %1", ks()},
		{"killed by name", "npm start & curl localhost; pkill -f 'npm start'", ks()},
		{"killed through the port", "npm start & curl x; kill $(lsof -ti:3000)", ks()},
		{"killed through xargs", "npm start & lsof -ti:3000 | xargs kill -9", ks()},
		{"killed at exit", "trap 'kill $p' EXIT; a & p=$!; curl localhost", ks()},
		{"killed at exit by a function", "stop() { kill 0; }; trap stop EXIT; a & b", ks()},
	}, (*Script).Background, MayBackground)
}

func TestBackground_AC164_LaunchersInFront(t *testing.T) {
	checkKinds(t, []kindRow{
		{"tmux without -d", "tmux new -s x", ks()},
		{"tmux asks", "tmux ls", ks()},
		{"screen in front", "screen -S x", ks()},
		{"docker in front", "docker run --rm -it ubuntu bash", ks()},
		{"-d belongs to the program in the container", "docker run --rm ubuntu date -d now", ks()},
		{"-d belongs to docker ps", "docker ps -d", ks()},
		{"detach switched off", "docker run --detach=false nginx", ks()},
		{"compose up in front", "docker compose up", ks()},
		{"systemd-run --wait", "systemd-run --wait ./run", ks()},
		{"systemd-run --scope", "systemd-run --user --scope ./run", ks()},
		{"systemd-run --pipe", "systemd-run -P ./run", ks()},
		{"at lists", "at -l", ks()},
		{"the word at", "echo at now", ks()},
		{"start-stop-daemon in front", "start-stop-daemon --start --exec /usr/bin/run", ks()},
		{"pm2 list", "pm2 list", ks()},
		{"pm2 start --no-daemon", "pm2 start --no-daemon app.js", ks()},
		{"ssh in front", "ssh host uptime", ks()},
		{"ssh's command has an -f", "ssh host rm -f x", ks()},
		{"sudo in front", "sudo make install", ks()},
		{"a variable command", "$CMD", ks()},
		{"command -v runs nothing", "command -v tmux", ks()},
		{"which names it", "which setsid tmux", ks()},
		{"empty", "", ks()},
		{"a comment alone", "# a &", ks()},
	}, (*Script).Background, MayBackground)
}

func TestBackground_TextAndLine(t *testing.T) {
	cmd := "echo 1\n  npm start > log & # why\nbash -c '\n\n./run &'\nbash <<EOF\nx\ny &\nEOF\n"
	want := []Finding{
		{KindAmpersand, "npm start > log &", 2},
		{KindAmpersand, "./run &", 5},
		{KindAmpersand, "y &", 8},
	}
	if d := cmp.Diff(want, Parse(cmd, Options{}).Background()); d != "" {
		t.Errorf("lines are those of the outermost command (-want +got)\n%s", d)
	}
}
