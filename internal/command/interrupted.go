package command

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interrupted is a context that ends with Ctrl-C or a termination. The caller calls
// the function when it no longer listens; from then on both end the program again.
func Interrupted() (context.Context, func()) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}
