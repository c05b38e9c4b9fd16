package tool

import (
	"errors"
	"io/fs"
	"testing"
)

// What errors say, word for word: they are shown to people.
func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	for _, tc := range []struct {
		err  error
		is   error
		want string
	}{
		{&NameError{Name: "a b"}, nil, `"a b" is no name for a tool: use 1 to 64 letters, digits, _ and -`},
		{&NameError{Name: "a", Duplicate: true}, nil, `there are two tools with the name "a": rename one, or leave it out`},
		{&SchemaError{Tool: "a", Err: cause}, cause, "tool a: input schema: cause"},
		{&PanicError{Tool: "a", Value: cause}, cause, "tool a panicked: cause"},
		{&PanicError{Tool: "a", Value: 3}, nil, "tool a panicked: 3"},
		{&RuleError{Rule: "x(", Why: "the last parenthesis is missing"}, nil, `permission rule "x(": the last parenthesis is missing`},
		{&PathError{Path: "a", Err: cause}, cause, `"a": cause`},
		{&PathError{Path: "/a", Real: "/a", Denied: true, Access: Write}, fs.ErrPermission, `"/a" may not be used to write: the policy of this session excludes it`},
	} {
		if got := tc.err.Error(); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
		if tc.is != nil && !errors.Is(tc.err, tc.is) {
			t.Errorf("%v is not %v", tc.err, tc.is)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"*", "", true}, {"a*", "abc", true}, {"*c", "abc", true}, {"a*c", "ac", true},
		{"a*a", "a", false}, {"a*b*c", "aXbYc", true}, {"a*b*c", "aXcYb", false}, {"**", "x", true}, {"a*b", "ab b", true},
	} {
		if got := wildcard(tc.pattern, tc.text); got != tc.want {
			t.Errorf("%q against %q: %v", tc.pattern, tc.text, got)
		}
	}
}
