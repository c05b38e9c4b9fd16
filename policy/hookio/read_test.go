package hookio_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stophook/stophook/policy/hookio"
)

func TestRead(t *testing.T) {
	torn := errors.New("pipe torn")
	tests := []struct {
		name, reason string
		in           string
		limit        int64
		want         error
	}{
		{"default", "0 means the default", plain, 0, nil},
		{"exact", "the limit itself is allowed", plain, int64(len(plain)), nil},
		{"one over", "nothing is read half", plain, int64(len(plain)) - 1, hookio.ErrTooLarge},
		{"largest number", "no overflow behind the limit", plain, 1<<63 - 1, nil},
		{"empty", "Decode says it, not Read", "", 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := hookio.Read(iotest.OneByteReader(strings.NewReader(tt.in)), tt.limit)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v: %s", err, tt.want, tt.reason)
			}
			if tt.want == nil && string(got) != tt.in {
				t.Errorf("read %q: %s", got, tt.reason)
			}
		})
	}
	if _, err := hookio.Read(iotest.ErrReader(torn), 0); !errors.Is(err, torn) || !strings.HasPrefix(err.Error(), "stdin: ") {
		t.Errorf("error %v, want the reader's own, named stdin", err)
	}
}
