// Package filelock excludes other openings of a file, also those of other processes,
// with locks that end with the process that holds them.
//
// Start with [TryLock]. Whether to wait, and what is told to the one who has to, is
// the caller's. A lock belongs to an opening of the file: goroutines of one process
// that opened it apart exclude each other. Where a system has no such locks, taking
// one is an error, and never looks like having it.
package filelock
