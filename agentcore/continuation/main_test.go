package continuation_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if script := os.Getenv(fakeVariable); script != "" {
		fakeClient(script)
		return
	}
	goleak.VerifyTestMain(m)
}

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with testdata/<name>.txt. The texts are read by models and
// people, so a change of one is a change of behaviour: read it before it is written.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	got += "\n"
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the text is not as in %s (-want +got), go test -update writes it anew:\n%s", file, diff)
	}
}

// says checks that a text holds all of the words, in any case.
func says(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			t.Errorf("the text does not say %q:\n%s", w, text)
		}
	}
}

// saysNot checks that a text holds none of the words.
func saysNot(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			t.Errorf("the text says %q:\n%s", w, text)
		}
	}
}
