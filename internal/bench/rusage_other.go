//go:build !unix

package main

import "os"

// maxRSS cannot tell the peak here.
func maxRSS(*os.ProcessState) (int64, bool) { return 0, false }
