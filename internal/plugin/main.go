// Command plugin builds the Claude Code plugin: the folder plugin/ with a program
// in it, looked over before anybody installs it.
//
// Start with [run]; [build] puts the folder together and [check] holds one against
// the shapes that the client accepts. The caller decides the source, the target and
// the program. Nothing is built over a folder that is no plugin of ours. Exit code 0
// when the folder is good, 1 when it is not, 2 for wrong arguments.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command without its process: arguments in, exit code out.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("plugin", flag.ContinueOnError)
	flags.SetOutput(stderr)
	source := flags.String("from", "plugin", "folder of the plugin's source")
	target := flags.String("to", "", "folder to build; empty: check the source only")
	program := flags.String("program", "", "stophook, built for the system of the plugin")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if (*target == "") != (*program == "") || flags.NArg() > 0 {
		fmt.Fprintln(stderr, "plugin: -to and -program go together, and nothing else follows, as in: plugin -to bin/plugin -program bin/stophook")
		return 2
	}
	dir := *source
	if *target != "" {
		if err := build(*source, *target, *program); err != nil {
			fmt.Fprintf(stderr, "plugin: %v\n", err)
			return 1
		}
		dir = *target
	}
	faults := check(dir)
	for _, f := range faults {
		fmt.Fprintf(stderr, "plugin: %s\n", f)
	}
	if len(faults) > 0 {
		return 1
	}
	fmt.Fprintf(stdout, "%s: a good plugin\n", dir)
	return 0
}
