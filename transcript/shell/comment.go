package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxMends bounds how often a text is parsed again; each pass mends every comment
// that the one before made visible.
const maxMends = 64

// endComments makes comments end with their line. The parser takes a backslash at the
// end of a comment for one that joins lines; to shells it is a part of the comment,
// and what stands on the next line runs. The text keeps its length, and with it every
// position.
func endComments(text string, lang syntax.LangVariant) string {
	if !commentMayGoOn(text) {
		return text
	}
	for range maxMends {
		file, err := syntax.NewParser(syntax.Variant(lang), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
		if err != nil {
			return text
		}
		mended := []byte(text)
		syntax.Walk(file, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.Comment); ok {
				from := min(int(c.Hash.Offset()), len(text))
				if end := strings.IndexByte(text[from:], '\n'); end > 0 && text[from+end-1] == '\\' {
					mended[from+end-1] = ' '
				}
			}
			return true
		})
		if string(mended) == text {
			return text
		}
		text = string(mended)
	}
	return text
}

// commentMayGoOn is cheap, so that ordinary commands are parsed once.
func commentMayGoOn(text string) bool {
	if !strings.Contains(text, "\\\n") {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\\\n") && strings.Contains(line, "#") {
			return true
		}
	}
	return false
}
