package execctx

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: a new file gets the owner of its folder.
func keepOwner(*os.File, fs.FileInfo) {}
