// Command trace tells which requirements no test proves. It reads the numbers
// of docs/requirements.md, collects the numbers that tests, fixtures and
// scripts carry, and lists the P0 numbers of the built parts that none does.
//
// Start with [run]; [parseDoc] reads the document, [collect] the tests. What
// counts as carrying a number is decided in [collect] and written down at the
// head of the document. Exit code 0 when nothing is missing, 1 when something
// is, 2 when the document or a test file cannot be read.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the command without its process: arguments in, exit code out.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("trace", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", ".", "root folder of the repository")
	asJSON := flags.Bool("json", false, "print one JSON object (stophook.trace/v1)")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	path := filepath.Join(*root, "docs", "requirements.md")
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintf(stderr, "trace: %v: run it in the root of the repository, or name that with -root\n", err)
		return 2
	}
	defer file.Close()
	doc, err := parseDoc(file, "docs/requirements.md")
	if err != nil {
		fmt.Fprintf(stderr, "trace: %v\n", err)
		return 2
	}
	refs, err := collect(os.DirFS(*root))
	if err != nil {
		fmt.Fprintf(stderr, "trace: %v\n", err)
		return 2
	}
	report := newReport(doc, refs)
	if *asJSON {
		err = report.writeJSON(stdout)
	} else {
		err = report.writeText(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "trace: write the report: %v\n", err)
		return 2
	}
	if len(report.Missing) > 0 {
		return 1
	}
	return 0
}
