package replay

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stophook/stophook/policy"
	"github.com/stophook/stophook/policy/evidence"
)

func cpu() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func TestZZ(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("ZN"))
	if n == 0 { t.Skip("no") }
	every, _ := strconv.Atoi(os.Getenv("ZEVERY"))
	dir, bytes, _ := corpus(t, 8, 32<<20, int64(every))
	runtime.GC()
	c, w := cpu(), time.Now()
	var stops int
	for range n {
		r, err := Run(context.Background(), []string{dir}, Options{Config: policy.DefaultConfig(), Store: evidence.Store{Dir: dir}})
		if err != nil { t.Fatal(err) }
		stops = r.Totals.Stops
	}
	d := cpu() - c
	var ru syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &ru)
	fmt.Printf("every %d: %d stops, cpu %v/run = %.0f MB/s on two cores (wall %.0f MB/s), %v per stop, maxrss %d MB\n", every, stops, d/time.Duration(n),
		float64(bytes)*float64(n)/1e6/d.Seconds()*2, float64(bytes)*float64(n)/1e6/time.Since(w).Seconds(), d/time.Duration(n*stops), ru.Maxrss/1024)
}
