package shell

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWaits_PO14_Denied(t *testing.T) {
	checkKinds(t, []kindRow{
		{"while with sleep", "while ! test -f x; do sleep 1; done", ks(KindSleepLoop)},
		{"until with sleep", "until [ -f x ]; do sleep 1; done", ks(KindSleepLoop)},
		{"waiting for a server waits in the shell too", "until curl -sf localhost:8080/health; do sleep 1; done", ks(KindSleepLoop)},
		{"for with sleep", "for i in 1 2 3; do curl x && break; sleep 2; done", ks(KindSleepLoop)},
		{"C-style for", "for ((i=0; i<9; i++)); do sleep 1; done", ks(KindSleepLoop)},
		{"select", "select x in a b; do sleep 1; done", ks(KindSleepLoop)},
		{"sleep in the condition", "while sleep 1; do test -f x && break; done", ks(KindSleepLoop)},
		{"sleep in a condition's list", "while ! grep -q ok log && sleep 1; do :; done", ks(KindSleepLoop)},
		{"sleep in a substitution", "while true; do x=$(sleep 1; cat f); done", ks(KindSleepLoop)},
		{"sleep in a subshell", "while true; do (sleep 1); done", ks(KindSleepLoop)},
		{"sleep in an if in a loop", "while true; do if x; then break; else sleep 5; fi; done", ks(KindSleepLoop)},
		{"sleep by path", "while true; do /bin/sleep 1; done", ks(KindSleepLoop)},
		{"sleep in quotes", `while true; do sl"ee"p 1; done`, ks(KindSleepLoop)},
		{"sleep escaped", `while true; do \sleep 1; done`, ks(KindSleepLoop)},
		{"sleep behind a wrapper", "while true; do timeout 5 command sleep 1; done", ks(KindSleepLoop)},
		{"sleep in a nested shell", "while true; do bash -c 'sleep 1'; done", ks(KindSleepLoop)},
		{"a loop in a nested shell", `timeout 60 bash -c "until [ -f x ]; do sleep 1; done"`, ks(KindSleepLoop)},
		{"a loop eight shells deep is seen at two", `sh -c "sh -c 'while :; do sleep 1; done'"`, ks(KindSleepLoop)},
		{"a loop in a heredoc fed to a shell", "bash <<EOF\nwhile true; do sleep 1; done\nEOF", ks(KindSleepLoop)},
		{"a loop in eval", `eval "while true; do sleep 1; done"`, ks(KindSleepLoop)},
		{"a loop in a substitution", "x=$(while true; do sleep 1; done)", ks(KindSleepLoop)},
		{"a function that is called in a loop", "nap() { sleep 1; }; while true; do nap; done", ks(KindSleepLoop)},
		{"a called function with the loop", "w() { while true; do sleep 1; done; }; w", ks(KindSleepLoop)},
		{"& makes no difference", "while true; do sleep 1; done & wait", ks(KindSleepLoop)},
		{"the innermost loop is named", "for f in a b; do while true; do sleep 1; done; done", ks(KindSleepLoop)},
		{"two loops", "while a; do sleep 1; done; until b; do sleep 1; done", ks(KindSleepLoop, KindSleepLoop)},
		{"read -t", "while true; do read -t 5 x; done", ks(KindSleepLoop)},
		{"read -t in a cluster", "while ! test -f x; do read -rt5 _ <> <(:); done", ks(KindSleepLoop)},
		{"a bounded follower in a loop", "while true; do timeout 5 tail -f log; done", ks(KindSleepLoop)},
		{"inotifywait", "while inotifywait -q x; do :; done", ks(KindSleepLoop)},
		{"python sleeps", "until test -f x; do python3 -c 'import time; time.sleep(1)'; done", ks(KindSleepLoop)},
		{"perl sleeps", "until test -f x; do perl -e 'select(undef,undef,undef,.5)'; done", ks(KindSleepLoop)},
		{"usleep", "until test -f x; do usleep 500; done", ks(KindSleepLoop)},
		{"polls and sleeps: sleeps", "while pgrep x; do sleep 1; done", ks(KindSleepLoop)},
		{"pgrep", "while pgrep -f server; do :; done", ks(KindPollLoop)},
		{"pidof", "while pidof server; do :; done", ks(KindPollLoop)},
		{"kill -0", "while kill -0 $pid 2>/dev/null; do :; done", ks(KindPollLoop)},
		{"kill -s 0", "while kill -s 0 $pid; do :; done", ks(KindPollLoop)},
		{"ps | grep", "while ps aux | grep -q '[s]erver'; do :; done", ks(KindPollLoop)},
		{"ps | grep with a stage between", "while ps aux | head -9 | grep -q x; do :; done", ks(KindPollLoop)},
		{"ps -p", "until ! ps -p $pid > /dev/null; do :; done", ks(KindPollLoop)},
		{"test -d /proc/PID", "while test -d /proc/$pid; do :; done", ks(KindPollLoop)},
		{"[ -d /proc/PID ]", "while [ -d /proc/1234 ]; do true; done", ks(KindPollLoop)},
		{"[[ -e /proc/PID ]]", `while [[ -e "/proc/$pid" ]]; do :; done`, ks(KindPollLoop)},
		{"pgrep in the body of a for", "for p in a b; do pgrep $p; done", ks(KindPollLoop)},
	}, (*Script).Waits, MayWait)
}

func TestWaits_PO14_DeniedOutsideOfLoops(t *testing.T) {
	checkKinds(t, []kindRow{
		{"watch", "watch -n 1 ls", ks(KindWatch)},
		{"watch under timeout waits as well", "timeout 60 watch 'tail log'", ks(KindWatch)},
		{"tail -f", "tail -f log", ks(KindFollow)},
		{"tail -F", "tail -F log", ks(KindFollow)},
		{"tail -f behind the file", "tail log -f", ks(KindFollow)},
		{"tail --follow=name", "tail --follow=name log", ks(KindFollow)},
		{"tail -100f", "tail -100f log", ks(KindFollow)},
		{"tail -fn 20", "tail -fn 20 log", ks(KindFollow)},
		{"tail -n 20 -f into grep", "tail -n 20 -f log | grep -m1 ready", ks(KindFollow)},
		{"tail -f behind sudo", "sudo -u x tail -f log", ks(KindFollow)},
		{"timeout 0 is no limit", "timeout 0 tail -f log", ks(KindFollow)},
		{"journalctl -f", "journalctl -f", ks(KindFollow)},
		{"journalctl -fu", "journalctl -n -fu nginx", ks(KindFollow)},
		{"dmesg -w", "dmesg -w", ks(KindFollow)},
		{"docker logs -f", "docker logs -f web", ks(KindFollow)},
		{"docker compose logs -f", "docker compose -f a.yml logs --tail 5 -f", ks(KindFollow)},
		{"kubectl logs -f", "kubectl -n ns logs -f pod", ks(KindFollow)},
		{"tail --pid", "tail --pid=1234 -f /dev/null", ks(KindTailPID)},
		{"tail --pid of a variable", "tail --pid $pid -f /dev/null", ks(KindTailPID)},
		{"tail --pid under timeout", "timeout 60 tail --pid=$pid -f /dev/null", ks(KindTailPID)},
		{"sleep, then cat", "sleep 30; cat /tmp/out", ks(KindSleepThenRead)},
		{"sleep && tail", "sleep 30 && tail -n 20 /tmp/out", ks(KindSleepThenRead)},
		{"sleep, echo, head", "sleep 5; echo ---; head -5 out", ks(KindSleepThenRead)},
		{"sleep, then grep a file", "sleep 5; grep -c ok out", ks(KindSleepThenRead)},
		{"sleep, then less", "sleep 5; less out", ks(KindSleepThenRead)},
		{"sleep, then read by redirection", "sleep 5; cat < out", ks(KindSleepThenRead)},
		{"sleep, then a pipeline of readers", "sleep 5; cat out | tail -20 | grep err", ks(KindSleepThenRead)},
		{"sleep, then a variable file", "sleep 5; cat \"$LOG\"", ks(KindSleepThenRead)},
		{"on two lines", "sleep 60\ntail -20 out", ks(KindSleepThenRead)},
		{"cd hides nothing", "cd /tmp && sleep 5 && cat out", ks(KindSleepThenRead)},
		{"in a nested shell", "bash -c 'sleep 5; cat out'", ks(KindSleepThenRead)},
		{"inside if with a test", "if [ -f out ]; then sleep 5; cat out; fi", ks(KindSleepThenRead)},
		{"sleep under timeout", "timeout 60 sleep 30; cat out", ks(KindSleepThenRead)},
		{"assignments are harmless", "LOG=/tmp/out; sleep 5; cat $LOG", ks(KindSleepThenRead)},
		{"escapes of $'…'", `$'\x73leep' 5; cat out`, ks(KindSleepThenRead)},
	}, (*Script).Waits, MayWait)
}

func TestWaits_PO14_Pass(t *testing.T) {
	checkKinds(t, []kindRow{
		{"a pause before work", "sleep 1; npm test", ks()},
		{"a single sleep", "sleep 5", ks()},
		{"wait for a child", "npm test & pid=$!; wait $pid", ks()},
		{"wait", "wait", ks()},
		{"a loop that works", "for f in *.go; do gofmt -l $f; done", ks()},
		{"a loop that reads", "while read -r l; do echo $l; done < file", ks()},
		{"read -t 0 does not wait", "while read -t 0; do read x; done", ks()},
		{"read -u takes a value with t", "while read -u 3 t; do :; done", ks()},
		{"wait in a loop", "for p in $pids; do wait $p; done", ks()},
		{"a concurrency limit", "while (( $(jobs -r | wc -l) > 3 )); do wait -n; done", ks()},
		{"sleep before a loop", "sleep 1; for f in a b; do echo $f; done", ks()},
		{"sleep after a loop", "for f in a b; do make $f; done; sleep 1", ks()},
		{"the words of a for are made once", "for p in $(pgrep x); do kill $p; done", ks()},
		{"a list of processes into a loop", "pgrep x | while read p; do kill $p; done", ks()},
		{"a redirection of a loop runs once", "while read p; do kill $p; done < <(pgrep x)", ks()},
		{"kill with a signal in a loop", "for p in $pids; do kill -9 $p; done", ks()},
		{"ps without grep", "for i in 1 2; do ps aux; done", ks()},
		{"ps and an unrelated grep", "for i in 1 2; do ps aux > x; grep y x; done", ks()},
		{"/proc/mounts is no process", "while [ -e /proc/mounts ]; do break; done", ks()},
		{"pgrep outside of a loop", "pgrep -f server && echo up", ks()},
		{"kill -0 outside of a loop", "kill -0 $pid", ks()},
		{"a heredoc body", "cat > w.sh <<'EOF'\nwhile true; do sleep 1; done\nEOF", ks()},
		{"a heredoc for python", "python3 <<EOF\nimport time\nwhile True: time.sleep(1)\nEOF", ks()},
		{"a quoted loop", "echo 'while true; do sleep 1; done'", ks()},
		{"a commented loop", "# while true; do sleep 1; done\nls", ks()},
		{"a function that is not called", "f() { while true; do sleep 1; done; }", ks()},
		{"a function by the name of sleep", "sleep() { :; }; while true; do sleep 1; break; done", ks()},
		{"a function is called outside of the loop", "nap() { sleep 1; }; nap; while x; do y; done", ks()},
		{"an argument by the name of sleep", "for i in a; do grep sleep $i; done", ks()},
		{"tail without -f", "tail -n 50 log", ks()},
		{"tail of a file with an f", "tail -20 foo.log", ks()},
		{"-f in the value of -n is a mistake, not a follower", "tail -n -f", ks()},
		{"a bounded follower", "timeout 10 tail -f log", ks()},
		{"a bounded follower in a nested shell", "timeout 10 sh -c 'tail -f log | grep x'", ks()},
		{"journalctl without -f", "journalctl -u nginx -n 50", ks()},
		{"docker logs", "docker logs --tail 50 web", ks()},
		{"compose file, no follower", "docker compose -f a.yml logs", ks()},
		{"docker exec runs something else", "docker exec web logs -f", ks()},
		{"npm's watch script is npm", "npm run watch", ks()},
		{"watch asks for its version", "watch --version", ks()},
		{"inotifywait once", "inotifywait -e close_write x", ks()},
		{"read before sleep", "cat out; sleep 5", ks()},
		{"sleep, no reader", "sleep 5; ls; date", ks()},
		{"sleep, reader without a file", "sleep 5; echo x | cat", ks()},
		{"sleep, grep of a pipe", "sleep 5; echo x | grep x", ks()},
		{"sleep, work, read", "sleep 1; make > out; cat out", ks()},
		{"started in the same line", "npm start > log & sleep 5; cat log", ks()},
		{"another program looks", "sleep 5; curl -s localhost", ks()},
		{"wait for the child, then read", "sleep 5; wait $p; cat log", ks()},
		{"an unknown program", "sleep 5; $CMD; cat log", ks()},
		{"a heredoc is no file", "sleep 5; cat <<EOF\nx\nEOF", ks()},
		{"a heredoc that writes a file", "sleep 1; cat > f <<EOF\nx\nEOF", ks()},
		{"empty", "", ks()},
	}, (*Script).Waits, MayWait)
}

func TestWaits_PO14_TextAndLine(t *testing.T) {
	cmd := "cd x\nwhile true; do\n  sleep 1\ndone\n"
	want := []Finding{{KindSleepLoop, "while true; do\n  sleep 1\ndone", 2}}
	if d := cmp.Diff(want, Parse(cmd, Options{}).Waits()); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	want = []Finding{{KindSleepThenRead, "sleep 5 && tail log", 1}}
	if d := cmp.Diff(want, Parse("sleep 5 && tail log; date", Options{}).Waits()); d != "" {
		t.Errorf("from the pause to the reader (-want +got)\n%s", d)
	}
}
