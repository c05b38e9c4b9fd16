package check

import (
	"slices"
	"strings"

	"github.com/stophook/stophook/internal/nearest"
)

// suggest asks for the nearest candidate, or lists all and adds what else to do.
func suggest(word string, candidates []string, otherwise string) string {
	if near := nearest.Word(word, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	list := slices.Sorted(slices.Values(candidates))
	const most = 24
	more := ""
	if len(list) > most {
		list, more = list[:most], ", ..."
	}
	hint := "there are " + strings.Join(list, ", ") + more
	if len(list) == 0 {
		hint = ""
	}
	if otherwise != "" && hint != "" {
		return hint + "; " + otherwise
	}
	return hint + otherwise
}
