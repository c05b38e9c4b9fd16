package shell

import "strings"

// Reads are the files that the script's reading commands name literally (cat,
// tail, head, less, sed, grep, awk and their like), and the files behind <, in
// the order of the text, each once. Words that the shell would still change
// ($x, *.log) are left out.
func (s *Script) Reads() []string {
	return guard(s.reads)
}

func (s *Script) reads() []string {
	var out []string
	add := func(w word) {
		if !w.lit || w.glob || w.text == "" || w.text == "-" {
			return
		}
		for _, o := range out {
			if o == w.text {
				return
			}
		}
		out = append(out, w.text)
	}
	for i := range s.plan {
		switch e := &s.plan[i]; e.kind {
		case evRead:
			add(e.words[0])
		case evCall:
			if e.call.local {
				continue
			}
			for _, w := range operands(e.call.prog()) {
				add(w)
			}
		}
	}
	return out
}

// OutputTaskID is the id in a path that ends in tasks/ID.output, as the host
// names the output files of its background tasks (AC-154); empty for any other
// path. Backslashes count as slashes.
func OutputTaskID(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	rest, ok := strings.CutSuffix(path, ".output")
	if !ok {
		return ""
	}
	dir, id := "", rest
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		dir, id = rest[:i+1], rest[i+1:]
	}
	before, ok := strings.CutSuffix(dir, "tasks/")
	if !ok || before != "" && !strings.HasSuffix(before, "/") || id == "" {
		return ""
	}
	for i := 0; i < len(id); i++ {
		switch c := id[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return ""
		}
	}
	return id
}

// operands are the file arguments of a reading command.
func operands(l layer) []word {
	args := l.args()
	switch l.name {
	case "cat", "tac", "gcat":
		return parseArgs(args, optSpec{permute: true}).rest
	case "nl":
		return parseArgs(args, optSpec{short: "bdfhilnsvw", permute: true}).rest
	case "wc":
		return parseArgs(args, optSpec{permute: true}).rest
	case "tail", "gtail":
		return noPlus(tailArgs(l).rest)
	case "head", "ghead":
		return parseArgs(args, optSpec{short: "nc", long: "lines bytes", permute: true}).rest
	case "less", "more":
		return noPlus(parseArgs(args, optSpec{short: "bDhjkoOpPtTxyzn", permute: true}).rest)
	case "bat", "batcat":
		return parseArgs(args, optSpec{short: "lrHm", long: "language line-range highlight-line map-syntax theme style paging wrap color tabs terminal-width file-name", permute: true}).rest
	case "sed", "gsed":
		p := parseArgs(args, optSpec{short: "efl", long: "expression file line-length", permute: true})
		if p.has("i", "in-place") {
			return nil // writes
		}
		return behindPattern(p, "e", "expression", "f", "file")
	case "awk", "gawk", "mawk", "nawk":
		p := parseArgs(args, optSpec{short: "Fvf", long: "field-separator assign file"})
		return noAssigns(behindPattern(p, "f", "file"))
	case "grep", "egrep", "fgrep", "zgrep", "ggrep":
		p := parseArgs(args, optSpec{short: "efmABCdD", long: "regexp file max-count after-context before-context context directories devices include exclude exclude-dir exclude-from label binary-files", permute: true})
		return behindPattern(p, "e", "regexp", "f", "file")
	case "rg":
		p := parseArgs(args, optSpec{short: "efmABCgtTrjMdE", long: "regexp file max-count after-context before-context context glob iglob type type-not replace threads max-columns max-depth encoding color colors sort sortr", permute: true})
		if p.has("files") {
			return p.rest
		}
		return behindPattern(p, "e", "regexp", "f", "file")
	case "type":
		return parseArgs(args, optSpec{permute: true}).rest
	}
	if strings.EqualFold(l.name, "get-content") || strings.EqualFold(l.name, "gc") {
		return getContent(args)
	}
	return nil
}

// behindPattern drops the pattern or program, which is the first operand unless
// an option brought it.
func behindPattern(p parsedArgs, given ...string) []word {
	if p.has(given...) || len(p.rest) == 0 {
		return p.rest
	}
	return p.rest[1:]
}

func noPlus(ws []word) []word {
	out := ws[:0:0]
	for _, w := range ws {
		if !strings.HasPrefix(w.text, "+") {
			out = append(out, w)
		}
	}
	return out
}

// noAssigns drops awk's var=value operands.
func noAssigns(ws []word) []word {
	out := ws[:0:0]
	for _, w := range ws {
		name, _, ok := strings.Cut(w.text, "=")
		if ok && name != "" && !strings.ContainsAny(name, "/.-") {
			continue
		}
		out = append(out, w)
	}
	return out
}

// getContent reads the arguments of PowerShell's Get-Content, which can stand in
// the text of a POSIX-like shell on Windows.
func getContent(args []word) []word {
	var out []word
	for i := 0; i < len(args); i++ {
		t := strings.ToLower(args[i].text)
		if !strings.HasPrefix(t, "-") {
			out = append(out, args[i])
			continue
		}
		switch t {
		case "-raw", "-wait", "-force", "-asbytestream":
		case "-path", "-literalpath", "-pspath":
			if i++; i < len(args) {
				out = append(out, args[i])
			}
		default: // -Tail 20, -Encoding utf8
			i++
		}
	}
	return out
}
