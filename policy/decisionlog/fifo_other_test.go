//go:build !unix

package decisionlog

import "errors"

func mkfifo(string) error { return errors.ErrUnsupported }
