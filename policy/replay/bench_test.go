package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stophook/stophook/internal/benchgen"
	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
)

// corpus writes transcripts with a stop every so many bytes, and returns their
// folder, the bytes and the stops.
func corpus(tb testing.TB, files int, size, every int64) (dir string, bytes int64, stops int) {
	tb.Helper()
	dir = tb.TempDir()
	for i := range files {
		folder := filepath.Join(dir, fmt.Sprintf("project%04d", i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			tb.Fatal(err)
		}
		info, err := benchgen.WriteFile(filepath.Join(folder, benchgen.SessionID+".jsonl"), benchgen.Options{Size: size,
			HandoffFromEnd: min(size/2, 1<<20), Now: time.Date(2026, 10, 5, 9, 0, 0, 0, time.UTC), Seed: uint64(i), StopEvery: every})
		if err != nil {
			tb.Fatal(err)
		}
		bytes += info.Size
		stops += info.Stops
	}
	return dir, bytes, stops
}

// BenchmarkReplay is the bar of 400 MB/s on two cores over warm transcripts with a
// stop every 300 kB to 1 MB, and what becomes of it when stops stand closer, or
// sessions are small.
func BenchmarkReplay(b *testing.B) {
	for _, bc := range []struct {
		files       int
		size, every int64
	}{{8, 32 << 20, 650_000}, {8, 32 << 20, 300_000}, {8, 32 << 20, 50_000}, {400, 500_000, 300_000}} {
		b.Run(fmt.Sprintf("%d_files_of_%dkB_stop_every_%dkB", bc.files, bc.size/1000, bc.every/1000), func(b *testing.B) {
			dir, bytes, stops := corpus(b, bc.files, bc.size, bc.every)
			b.SetBytes(bytes)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				r, err := Run(context.Background(), []string{dir}, Options{Config: policy.DefaultConfig(), Store: evidence.Store{Dir: dir}})
				if err != nil {
					b.Fatal(err)
				}
				if r.Totals.Stops != stops {
					b.Fatalf("%d stops, the files have %d", r.Totals.Stops, stops)
				}
			}
			b.ReportMetric(float64(stops)*float64(b.N)/b.Elapsed().Seconds(), "stops/s")
		})
	}
}
