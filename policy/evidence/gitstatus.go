package evidence

import (
	"errors"
	"strconv"
	"strings"
)

// worktree is what `git status --porcelain=v2 --branch -z` told.
type worktree struct {
	head     string // empty before the first commit
	branch   string // empty when detached
	detached bool
	upstream string
	tracked  bool // the upstream's branch exists, so ahead and behind are known
	ahead    int
	behind   int

	dirty      paths
	conflicts  int
	untracked  paths
	submodules paths // gitlinks with changes inside, or at another commit
}

// paths counts all and keeps the first few.
type paths struct {
	n     int
	first []string
}

const maxPaths = 10

func (p *paths) add(path string) {
	p.n++
	if len(p.first) < maxPaths {
		p.first = append(p.first, strings.ToValidUTF8(path, "\uFFFD"))
	}
}

var errStatusFormat = errors.New("git status answered in an unknown format")

// parseStatus reads NUL-ended records. With cut, the last record may be half.
func parseStatus(out string, cut bool) (worktree, error) {
	var w worktree
	for out != "" {
		rec, rest, whole := strings.Cut(out, "\x00")
		if !whole {
			if cut {
				break
			}
			return w, errStatusFormat
		}
		out = rest
		if len(rec) < 3 || rec[1] != ' ' {
			return w, errStatusFormat
		}
		var ok bool
		switch rec[0] {
		case '#':
			ok = w.header(rec[2:])
		case '1':
			ok = w.entry(rec, 9)
		case '2': // a rename; the old path is a record of its own
			ok = w.entry(rec, 10)
			_, out, _ = strings.Cut(out, "\x00")
		case 'u':
			w.conflicts++
			ok = w.entry(rec, 11)
		case '?':
			w.untracked.add(rec[2:])
			ok = true
		case '!':
			ok = true
		}
		if !ok {
			return w, errStatusFormat
		}
	}
	return w, nil
}

func (w *worktree) header(text string) bool {
	key, value, _ := strings.Cut(text, " ")
	switch key {
	case "branch.oid":
		if value != "(initial)" {
			w.head = value
		}
	case "branch.head":
		if w.detached = value == "(detached)"; !w.detached {
			w.branch = value
		}
	case "branch.upstream":
		w.upstream = value
	case "branch.ab":
		a, b, _ := strings.Cut(value, " ")
		var err, err2 error
		w.ahead, err = strconv.Atoi(strings.TrimPrefix(a, "+"))
		w.behind, err2 = strconv.Atoi(strings.TrimPrefix(b, "-"))
		w.tracked = err == nil && err2 == nil
		return w.tracked
	}
	return true // unknown headers are meant to be ignored
}

// entry reads a changed path; it is the last of n space-separated fields, the
// second is the XY pair and the third tells about submodules.
func (w *worktree) entry(rec string, n int) bool {
	f := strings.SplitN(rec, " ", n)
	if len(f) != n || len(f[1]) != 2 || len(f[2]) != 4 {
		return false
	}
	path := f[n-1]
	inSubmodule := f[2][0] == 'S' && f[2] != "S..."
	if inSubmodule {
		w.submodules.add(path)
	}
	// A submodule that only moved or changed inside is told as that; when its new
	// commit is staged, or it conflicts, there is something to commit here too.
	if !inSubmodule || f[1][0] != '.' {
		w.dirty.add(path)
	}
	return true
}
