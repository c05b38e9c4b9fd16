//go:build !unix

package tool

import (
	"io/fs"
	"os"
)

const openFlags = 0

func keepOwner(*os.File, fs.FileInfo) {}
