package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/stophook/stophook/agentcore/tool"
	"github.com/stophook/stophook/execctx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// workspace is a folder on disk with all tools on it.
type workspace struct {
	t   testing.TB
	dir string
	env *tool.Env
	reg *tool.Registry
}

// newWorkspace writes files by their slashed names; one that ends in / is a folder.
func newWorkspace(t testing.TB, files map[string]string) *workspace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &workspace{t: t, dir: dir, env: &tool.Env{Handle: execctx.Handle{ID: "h", Type: "process", CWD: dir}}}
	for name, content := range files {
		w.write(name, content)
	}
	w.use(Options{})
	return w
}

func (w *workspace) use(opts Options) {
	w.t.Helper()
	reg, err := tool.NewRegistry(All(opts)...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.reg = reg
}

func (w *workspace) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *workspace) write(name, content string) {
	w.t.Helper()
	dir := w.path(name)
	if !strings.HasSuffix(name, "/") {
		dir = filepath.Dir(dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if dir == w.path(name) {
		return
	}
	if err := os.WriteFile(w.path(name), []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) read(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *workspace) link(name, target string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

// call runs a tool with an input, which is JSON or becomes it.
func (w *workspace) call(name string, input any) *tool.Result {
	w.t.Helper()
	return w.callContext(context.Background(), name, input)
}

func (w *workspace) callContext(ctx context.Context, name string, input any) *tool.Result {
	w.t.Helper()
	raw, ok := input.(string)
	if !ok {
		data, err := json.Marshal(input)
		if err != nil {
			w.t.Fatal(err)
		}
		raw = string(data)
	}
	res, err := w.reg.Run(ctx, &tool.Call{ID: "t1", Name: name, Input: json.RawMessage(raw), Env: w.env})
	if err != nil {
		w.t.Fatalf("%s %s: %v", name, raw, err)
	}
	return res
}

// said is a result as goldens have it, with the names of the folder and of the one
// above it replaced.
func (w *workspace) said(res *tool.Result) string {
	text := strings.NewReplacer(w.dir, "@DIR@", filepath.Dir(w.dir), "@UP@").Replace(res.Text)
	if res.IsError {
		text = "error: " + text
	}
	return strings.TrimRight(text, "\n") + "\n"
}
