package check

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"

	"github.com/stophook/stophook/policy"
)

// Format gives the text of a policy file as OPA's formatter writes it, with lines
// that end in a line feed and without a byte order mark. Name is for errors, which
// are [policy.PolicyErrors] with the line. An empty file stays empty.
//
// With v1 set, a file in Rego v0 is migrated: the result is Rego v1, without the
// imports that only v0 needs. Without it such a file is an error.
func Format(name string, src []byte, v1 bool) ([]byte, error) {
	text := bytes.TrimPrefix(src, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	opts := format.Opts{RegoVersion: ast.RegoV1, ParserOptions: &ast.ParserOptions{RegoVersion: ast.RegoV1, ProcessAnnotation: true}, DropRedundantDirectiveImports: v1}
	_, errs := policy.ParsePolicy(name, string(text))
	if len(errs) > 0 && errs[0].Kind == policy.KindRegoV0 && v1 {
		opts.ParserOptions.RegoVersion = ast.RegoV0
	} else if len(errs) > 0 {
		return nil, asWritten(errs)
	}
	out, err := format.SourceWithOpts(name, text, opts)
	if err != nil {
		return nil, asWritten(policy.ErrorsOf(err, ""))
	}
	// What the formatter gives back must be what it was given.
	if _, errs := policy.ParsePolicy(name, string(out)); len(errs) > 0 {
		return nil, fmt.Errorf("%s: cannot be formatted: the result would not parse (%s); change that line by hand", name, errs[0].Message)
	}
	return out, nil
}

func asWritten(errs policy.PolicyErrors) error {
	for _, e := range errs {
		if e.Message = strings.Replace(e.Message, "rego_parse_error: ", "", 1); e.Kind == policy.KindParse {
			e.Hint = ""
		}
	}
	return errs
}

// A Formatted is one file and its formatted text.
type Formatted struct {
	Path          string
	Before, After []byte
	Err           error // the file could not be read, or does not parse
}

// Changed reports whether the file is not formatted.
func (f *Formatted) Changed() bool { return f.Err == nil && !bytes.Equal(f.Before, f.After) }

// FormatFiles formats what the paths name: .rego files, and folders with all .rego
// files below them but for folders that begin with a dot. Nothing is written;
// [Formatted.Write] does that. A path that does not exist, and finding no file at
// all, is an error; what is wrong with a file is in its result.
func FormatFiles(paths []string, v1 bool) ([]Formatted, error) {
	var list []Formatted
	for _, p := range paths {
		files, err := regoFiles(p)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if slices.ContainsFunc(list, func(o Formatted) bool { return o.Path == f }) {
				continue
			}
			r := Formatted{Path: f}
			if r.Before, r.Err = os.ReadFile(f); r.Err == nil {
				r.After, r.Err = Format(filepath.ToSlash(f), r.Before, v1)
			}
			list = append(list, r)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoPolicies, strings.Join(paths, ", "))
	}
	return list, nil
}

func regoFiles(p string) ([]string, error) {
	st, err := os.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: there is no such file or folder", p)
	case err != nil:
		return nil, err
	case !st.IsDir():
		return []string{p}, nil
	}
	var list []string
	err = filepath.WalkDir(p, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && at != p:
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(at, ".rego"):
			list = append(list, at)
		}
		return nil
	})
	return list, err
}

// Write puts the formatted text in the place of the file: in one step, so that
// nobody sees half a file, and with the file's mode. A symbolic link stays one; the
// file it leads to is replaced.
func (f *Formatted) Write() error {
	if !f.Changed() {
		return nil
	}
	target, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return err
	}
	st, err := os.Stat(target)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".stophook-fmt-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(f.After)
	if err = errors.Join(err, tmp.Chmod(st.Mode().Perm()), tmp.Sync(), tmp.Close()); err != nil {
		return fmt.Errorf("%s: cannot be written: %w", f.Path, err)
	}
	return os.Rename(tmp.Name(), target)
}
