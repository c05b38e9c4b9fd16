package tool

// Paths says which files a session's tools may read and write, by real path.
type Paths struct{}
