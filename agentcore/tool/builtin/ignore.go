package builtin

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stophook/stophook/agentcore/tool"
)

// maxIgnoreFile is the largest .gitignore that is heeded.
const maxIgnoreFile = 1 << 20

// ignorer knows the .gitignore files of a walk: those above its start up to the
// repository's folder, and those of the folders that it goes through.
type ignorer struct {
	rules []ignoreRule // later ones win
}

// ignoreRule is one line.
type ignoreRule struct {
	base     string // the folder of the file, below the start; "" is the start
	up       string // the start, seen from a folder above it
	pattern  string
	anchored bool
	folder   bool // for folders only
	negated  bool
}

// above reads the files of the start and of the folders above it.
func (g *ignorer) above(ctx context.Context, t *target) {
	type found struct{ data, up string }
	var files []found
	dir, up := t.place.Path, ""
	for range 64 {
		data, ok := g.read(ctx, t.env, filepath.Join(dir, ".gitignore"))
		if ok {
			files = append(files, found{data, up})
		}
		if _, err := t.env.Resolve(ctx, filepath.Dir(dir), tool.Read); err != nil || dir == filepath.Dir(dir) || hasGit(ctx, t.env, dir) {
			break
		}
		up = path.Join(filepath.Base(dir), up)
		dir = filepath.Dir(dir)
	}
	for i := len(files) - 1; i >= 0; i-- {
		g.add(files[i].data, "", files[i].up)
	}
}

func hasGit(ctx context.Context, env *tool.Env, dir string) bool {
	t, err := resolve(ctx, env, filepath.Join(dir, ".git"), tool.Read)
	if err != nil {
		return false
	}
	_, err = t.stat(ctx)
	return err == nil
}

// enter reads the file of a folder that the walk goes into, and forgets those of
// folders that it has left.
func (g *ignorer) enter(ctx context.Context, t *target, rel string) {
	kept := g.rules[:0]
	for _, r := range g.rules {
		if r.base == "" || strings.HasPrefix(rel, r.base+"/") {
			kept = append(kept, r)
		}
	}
	g.rules = kept
	if data, ok := g.read(ctx, t.env, filepath.Join(t.place.Path, filepath.FromSlash(rel), ".gitignore")); ok {
		g.add(data, rel, "")
	}
}

// read gives a .gitignore file; one that cannot be read names nothing.
func (g *ignorer) read(ctx context.Context, env *tool.Env, name string) (string, bool) {
	t, err := resolve(ctx, env, name, tool.Read)
	if err != nil || t.local && !t.place.Exists {
		return "", false
	}
	data, kind, err := readText(func() (readCloser, error) { return t.open(ctx) }, maxIgnoreFile)
	return string(data), err == nil && kind == ""
}

func (g *ignorer) add(data, base, up string) {
	for line := range strings.Lines(data) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " \t")
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r := ignoreRule{base: base, up: up}
		line, r.negated = strings.CutPrefix(line, "!")
		line = strings.TrimPrefix(line, `\`) // of \# and \!
		line, r.folder = strings.CutSuffix(line, "/")
		r.anchored = strings.Contains(line, "/")
		r.pattern = strings.TrimPrefix(line, "/")
		r.pattern = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(r.pattern) // braces are plain here
		if doublestar.ValidatePattern(r.pattern) {
			g.rules = append(g.rules, r)
		}
	}
}

// ignores tells whether the last rule that matches says so.
func (g *ignorer) ignores(rel string, dir bool) bool {
	for i := len(g.rules) - 1; i >= 0; i-- {
		r := g.rules[i]
		if r.folder && !dir || !r.matches(rel) {
			continue
		}
		return !r.negated
	}
	return false
}

func (r ignoreRule) matches(rel string) bool {
	below := rel
	if r.base != "" {
		var ok bool
		if below, ok = strings.CutPrefix(rel, r.base+"/"); !ok {
			return false
		}
	}
	if !r.anchored {
		return doublestar.MatchUnvalidated(r.pattern, lastName(rel))
	}
	return doublestar.MatchUnvalidated(r.pattern, path.Join(r.up, below))
}
