package shell

import "strings"

// optSpec tells which options of a program take a value as a word of its own.
// Everything else about an option can be seen from the text.
type optSpec struct {
	short string // letters that take a value
	long  string // long names that take a separate value, blank separated
	bools string // when not empty: the long names that take none; all others do
	// permute: options may stand behind operands, as with GNU tools.
	permute bool
}

type option struct {
	name string // without dashes
	val  word
	has  bool
}

type parsedArgs struct {
	opts []option
	rest []word // the operands; with permute false, everything from the first operand on
}

func (p parsedArgs) has(names ...string) bool {
	for _, o := range p.opts {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

func (p parsedArgs) value(names ...string) (word, bool) {
	for _, o := range p.opts {
		for _, n := range names {
			if o.name == n && o.has {
				return o.val, true
			}
		}
	}
	return word{}, false
}

func parseArgs(args []word, spec optSpec) parsedArgs {
	var p parsedArgs
	for i := 0; i < len(args); i++ {
		t := args[i].text
		switch {
		case t == "--":
			p.rest = append(p.rest, args[i+1:]...)
			return p
		case len(t) < 2 || t[0] != '-':
			if !spec.permute {
				p.rest = append(p.rest, args[i:]...)
				return p
			}
			p.rest = append(p.rest, args[i])
		case strings.HasPrefix(t, "--"):
			name, val, eq := strings.Cut(t[2:], "=")
			o := option{name: name, has: eq}
			if eq {
				o.val = word{text: val, lit: args[i].lit}
			} else if spec.longValue(name) && i+1 < len(args) {
				i++
				o.val, o.has = args[i], true
			}
			p.opts = append(p.opts, o)
		default:
			i += p.cluster(args[i:], spec)
		}
	}
	return p
}

// cluster reads -abc, and tells how many further words it used.
func (p *parsedArgs) cluster(args []word, spec optSpec) int {
	t := args[0].text
	for j := 1; j < len(t); j++ {
		o := option{name: t[j : j+1]}
		if strings.IndexByte(spec.short, t[j]) < 0 {
			p.opts = append(p.opts, o)
			continue
		}
		if j+1 < len(t) {
			o.val, o.has = word{text: t[j+1:], lit: args[0].lit}, true
			p.opts = append(p.opts, o)
			return 0
		}
		if len(args) > 1 {
			o.val, o.has = args[1], true
			p.opts = append(p.opts, o)
			return 1
		}
		p.opts = append(p.opts, o)
	}
	return 0
}

func (s optSpec) longValue(name string) bool {
	if s.bools != "" {
		return !hasName(s.bools, name)
	}
	return hasName(s.long, name)
}

// hasName looks for a name in a blank separated list without splitting it.
func hasName(list, name string) bool {
	if name == "" {
		return false
	}
	for off := 0; ; {
		i := strings.Index(list[off:], name)
		if i < 0 {
			return false
		}
		a, b := off+i, off+i+len(name)
		if (a == 0 || list[a-1] == ' ') && (b == len(list) || list[b] == ' ') {
			return true
		}
		off = b
	}
}
