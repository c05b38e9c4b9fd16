package shell_test

import (
	"fmt"

	"github.com/stophook/stophook/transcript/shell"
)

func ExampleParse() {
	cmd := "npm start > log 2>&1 &\nuntil curl -sf localhost; do sleep 1; done"
	if !shell.MayBackground(cmd) && !shell.MayWait(cmd) {
		return // nearly every command ends here, without a parse
	}
	s := shell.Parse(cmd, shell.Options{})
	for _, f := range s.Background() {
		fmt.Printf("line %d leaves running (%s): %s\n", f.Line, f.Kind, f.Text)
	}
	for _, f := range s.Waits() {
		fmt.Printf("line %d waits (%s): %s\n", f.Line, f.Kind, f.Text)
	}
	// Output:
	// line 1 leaves running (ampersand): npm start > log 2>&1 &
	// line 2 waits (sleep_loop): until curl -sf localhost; do sleep 1; done
}

func ExampleScript_Reads() {
	s := shell.Parse("tail -n 20 /tmp/claude/tasks/b4x.output | grep FAIL", shell.Options{})
	for _, path := range s.Reads() {
		fmt.Println(path, shell.OutputTaskID(path))
	}
	// Output: /tmp/claude/tasks/b4x.output b4x
}

func ExampleScript_EvidenceCall() {
	for _, cmd := range []string{"cd x && stophook status --end-turn | cat", "stophook status --end-turn && git push"} {
		fmt.Printf("%q\n", shell.Parse(cmd, shell.Options{}).EvidenceCall())
	}
	// Output:
	// "status"
	// ""
}

func ExampleParseFor() {
	s := shell.ParseFor("PowerShell", "Start-Process x", shell.Options{})
	fmt.Println(s.Parsed, s.Reason)
	// Output: false the tool PowerShell runs PowerShell, which is no shell script
}

func ExampleScript_Simple() {
	for _, c := range shell.Parse(`sudo git push "$REMOTE" main`, shell.Options{}).Simple() {
		fmt.Printf("%s %q exact=%v\n", c.Name, c.Args, c.Exact)
	}
	// Output:
	// sudo ["git" "push" "\"$REMOTE\"" "main"] exact=false
	// git ["push" "\"$REMOTE\"" "main"] exact=false
}
