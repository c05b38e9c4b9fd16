//go:build !unix

package decisionlog

import "os"

const openNoFollow = 0

// tryLock does nothing where there is no flock; append mode keeps lines apart.
func tryLock(*os.File) error { return nil }
