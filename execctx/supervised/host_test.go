//go:build unix

package supervised

import "io"

func host(io.Reader, io.Writer) int { return 0 }
