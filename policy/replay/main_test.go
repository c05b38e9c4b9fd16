package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/fixtures"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a folder as the host keeps it, with a store of ledgers beside it.
type tree struct {
	dir   string
	store evidence.Store
}

func newTree(t testing.TB) *tree {
	t.Helper()
	return &tree{dir: filepath.Join(t.TempDir(), "projects"), store: evidence.Store{Dir: filepath.Join(t.TempDir(), "state")}}
}

func (x *tree) opts() Options {
	return Options{Config: policy.DefaultConfig(), Store: x.store}
}

// write puts a file below the folder.
func (x *tree) write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(x.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ledger puts a session's ledger into the store.
func (x *tree) ledger(t testing.TB, id string, data []byte) {
	t.Helper()
	session, err := x.store.Session(id)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(session.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(session.Path(), "ledger.jsonl"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// stopCase is a stored Stop event with its ledger, configuration and policies.
type stopCase struct {
	fixtures.Case
	id     string // of the session
	path   string // of the transcript, in a tree
	data   []byte
	stdin  []byte
	ledger []byte
	opts   Options
}

// stopCases puts every stored Stop event into a tree, each with a transcript and a
// ledger of its own.
func stopCases(t *testing.T, x *tree) []stopCase {
	t.Helper()
	var cases []stopCase
	for _, area := range []string{fixtures.Stop, fixtures.Captures} {
		for _, c := range fixtures.Load(t, area) {
			d := c.Materialise(t)
			s := stopCase{Case: c, stdin: d.Stdin, data: c.Read(t, fixtures.TranscriptFile), opts: x.opts()}
			var payload struct {
				ID string `json:"session_id"`
			}
			if err := json.Unmarshal(bytes.TrimLeft(d.Stdin, "\ufeff"), &payload); err != nil {
				t.Fatal(err)
			}
			s.id = payload.ID
			s.path = x.write(t, c.Name+"/session.jsonl", s.data)
			s.stdin = bytes.ReplaceAll(s.stdin, []byte(d.Transcript), []byte(s.path))
			if d.Ledger != "" {
				s.ledger = c.Read(t, fixtures.LedgerFile)
				x.ledger(t, s.id, s.ledger)
			}
			if d.Config != "" {
				config, _, err := policy.LoadConfig([]policy.Source{policy.ExplicitSource(d.Config)})
				if err != nil {
					t.Fatal(err)
				}
				s.opts.Config = config
			}
			if dir := filepath.Join(d.Path, fixtures.PolicyDir); d.Policy != "" {
				layers, err := policy.FindLayers(func(string) string { return "" }, "", "", []string{dir})
				if err != nil {
					t.Fatal(err)
				}
				s.opts.Layers = layers
			}
			cases = append(cases, s)
		}
	}
	return cases
}
