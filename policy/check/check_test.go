package check

import (
	"os"
	"testing"

	"github.com/stophook/stophook/internal/term"
)

func TestCheck_builtin(t *testing.T) {
	targets, err := Targets([]string{"../../rego"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Check(targets, Options{Builtin: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) > 0 || r.Rules < 7 || r.Files < 16 {
		r.WriteText(os.Stdout, term.Style{})
		t.Errorf("%d findings, %d files, %d rules", len(r.Findings), r.Files, r.Rules)
	}
}
