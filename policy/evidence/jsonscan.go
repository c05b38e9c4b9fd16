package evidence

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The hook reads hundreds of small flat objects and then exits, so it pays the
// reflection set-up of encoding/json every time and never gets to use it twice.
// This file walks the members of one object and leaves what is unusual (escapes,
// nested values) to encoding/json. It accepts exactly what encoding/json accepts.

var errNotObject = errors.New("not a JSON object")

// stamp is RFC 3339 with nine digits, so that the text sorts like the time.
const stamp = "2006-01-02T15:04:05.000000000Z07:00"

// scanObject calls member for each member of the object in data, in order. The
// raw value is a part of data, without surrounding space.
func scanObject(data []byte, member func(key, raw []byte) error) error {
	i := skipSpace(data, 0)
	if i == len(data) || data[i] != '{' {
		return errNotObject
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return onlySpace(data[i+1:])
	}
	for {
		end, err := valueEnd(data, i)
		if err != nil || data[i] != '"' {
			return errNotObject
		}
		key, err := textBytes(data[i:end])
		if err != nil {
			return err
		}
		if i = skipSpace(data, end); i == len(data) || data[i] != ':' {
			return errNotObject
		}
		i = skipSpace(data, i+1)
		if end, err = valueEnd(data, i); err != nil {
			return err
		}
		if err := member(key, data[i:end]); err != nil {
			return err
		}
		i = skipSpace(data, end)
		switch {
		case i == len(data):
			return errNotObject
		case data[i] == '}':
			return onlySpace(data[i+1:])
		case data[i] != ',':
			return errNotObject
		}
		i = skipSpace(data, i+1)
	}
}

func onlySpace(rest []byte) error {
	if skipSpace(rest, 0) != len(rest) {
		return errNotObject
	}
	return nil
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// valueEnd finds the end of the valid JSON value that starts at i.
func valueEnd(data []byte, i int) (int, error) {
	if i >= len(data) {
		return 0, errNotObject
	}
	end, plain := i, true
	switch data[i] {
	case '"':
		end, plain = stringEnd(data, i)
	case '{', '[':
		end, plain = nestedEnd(data, i), false
	default:
		for end < len(data) && strings.IndexByte(" \t\r\n,}]", data[end]) < 0 {
			end++
		}
		plain = end == i+1 && data[i] >= '0' && data[i] <= '9'
	}
	if end <= i || end > len(data) || !plain && !json.Valid(data[i:end]) {
		return 0, errNotObject
	}
	return end, nil
}

// stringEnd returns the index behind the closing quote (0 when there is none),
// and whether the string has no escape, hence needs no further check.
func stringEnd(data []byte, i int) (int, bool) {
	plain := true
	for i++; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1, plain
		case c == '\\':
			plain = false
			i++
		case c < 0x20:
			return 0, false
		}
	}
	return 0, false
}

func nestedEnd(data []byte, i int) int {
	for depth := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			end, _ := stringEnd(data, i)
			if end == 0 {
				return 0
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// textBytes is the decoded string of a raw JSON string; null gives nothing.
func textBytes(raw []byte) ([]byte, error) {
	if string(raw) == "null" {
		return nil, nil
	}
	if len(raw) >= 2 && raw[0] == '"' {
		inner := raw[1 : len(raw)-1]
		if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
			return inner, nil
		}
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return []byte(s), err
}

func readText(raw []byte, into *string) error {
	b, err := textBytes(raw)
	*into = string(b)
	return err
}

func readInt(raw []byte, into *int) error {
	n, err := strconv.Atoi(string(raw))
	*into = n
	return err
}

func readBool(raw []byte, into *bool) error {
	switch string(raw) {
	case "true", "false":
		*into = string(raw) == "true"
		return nil
	}
	return errors.New("not a boolean: " + string(raw))
}

func readTime(raw []byte, into *time.Time) error {
	b, err := textBytes(raw)
	if err != nil || len(b) == 0 {
		return err
	}
	t, err := time.Parse(time.RFC3339Nano, string(b))
	*into = t.UTC()
	return err
}

// appendText appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendText(dst []byte, s string) []byte {
	const hexDigits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r < 0x20 || r == 0x7f || r == 0x2028 || r == 0x2029:
			dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// appendKey appends a comma and `"key":`; key must need no escape.
func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

func appendField(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendText(appendKey(dst, key), value)
}

func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, '"')
	dst = t.UTC().AppendFormat(dst, stamp)
	return append(dst, '"')
}
