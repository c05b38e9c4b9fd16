package benchgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var now = time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC)

func TestWrite(t *testing.T) {
	var out bytes.Buffer
	opts := Options{Size: 3 << 20, HandoffFromEnd: 1 << 20, Now: now, Seed: 7}
	info, err := Write(&out, opts)
	if err != nil {
		t.Fatal(err)
	}
	if int64(out.Len()) != info.Size || info.Size < opts.Size || info.Size > opts.Size+requestBytes*2 {
		t.Errorf("wrote %d bytes, info says %d, asked for %d", out.Len(), info.Size, opts.Size)
	}
	if d := info.Size - info.HandoffOffset; d < opts.HandoffFromEnd-requestBytes*2 || d > opts.HandoffFromEnd+requestBytes*2 {
		t.Errorf("handoff stands %d bytes from the end, asked for %d", d, opts.HandoffFromEnd)
	}
	var handoffs, copies, rows int
	for line := range bytes.Lines(out.Bytes()) {
		var row struct {
			Type          string
			ToolUseResult struct {
				BackgroundTaskID             string `json:"backgroundTaskId"`
				BackgroundedToDeliverMessage bool   `json:"backgroundedToDeliverMessage"`
			}
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("row %d: %v", rows, err)
		}
		rows++
		if row.ToolUseResult.BackgroundedToDeliverMessage && row.ToolUseResult.BackgroundTaskID == HandoffID {
			handoffs++
		}
		if row.Type == "api-request-blob" {
			copies++
			if len(line) < 300_000 {
				t.Errorf("a request copy of %d bytes: want several hundred kB", len(line))
			}
		}
	}
	if handoffs != 1 || copies == 0 || rows != info.Rows {
		t.Errorf("%d handoffs, %d request copies, %d rows (info says %d)", handoffs, copies, rows, info.Rows)
	}
}

func TestWrite_isDeterministic(t *testing.T) {
	var a, b, other bytes.Buffer
	opts := Options{Size: 1 << 20, HandoffFromEnd: 1 << 19, Now: now, Seed: 1}
	if _, err := Write(&a, opts); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(&b, opts); err != nil {
		t.Fatal(err)
	}
	opts.Seed = 2
	if _, err := Write(&other, opts); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) || bytes.Equal(a.Bytes(), other.Bytes()) {
		t.Error("the same seed must give the same bytes, and another one others")
	}
}

func TestWrite_refuses(t *testing.T) {
	if _, err := Write(&bytes.Buffer{}, Options{Size: 10, HandoffFromEnd: 20}); !errors.Is(err, ErrTooSmall) {
		t.Errorf("got %v, want ErrTooSmall", err)
	}
}

func TestWriteSparse(t *testing.T) {
	dir := t.TempDir()
	tail, sparse := filepath.Join(dir, "tail"), filepath.Join(dir, "sparse")
	if _, err := WriteFile(tail, Options{Size: 1 << 20, HandoffFromEnd: 1 << 19, Now: now}); err != nil {
		t.Fatal(err)
	}
	const size = 64 << 20
	if err := WriteSparse(sparse, tail, size); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(tail)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(sparse)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != size || !bytes.HasSuffix(got, want) {
		t.Errorf("%d bytes, want %d that end in the tail", len(got), size)
	}
	if len(bytes.Trim(got[:size-len(want)], "\x00")) != 0 {
		t.Error("the hole is not empty")
	}
	if err := WriteSparse(sparse, tail, size); !errors.Is(err, os.ErrExist) {
		t.Errorf("an existing file: got %v, want ErrExist", err)
	}
}

func TestWrite_stops(t *testing.T) {
	var out bytes.Buffer
	opts := Options{Size: 8 << 20, Now: now, Seed: 3, StopEvery: 200_000}
	info, err := Write(&out, opts)
	if err != nil {
		t.Fatal(err)
	}
	finals := bytes.Count(out.Bytes(), []byte(`"stop_reason":"end_turn"`))
	if finals != info.Stops || finals < 20 || finals > 80 {
		t.Errorf("%d final messages, info says %d, want about 40 of 8 MiB", finals, info.Stops)
	}
	for _, part := range []string{"Stop hook feedback:", "stophook status --end-turn", "stophook task"} {
		if !bytes.Contains(out.Bytes(), []byte(part)) {
			t.Errorf("no row has %q", part)
		}
	}
}
