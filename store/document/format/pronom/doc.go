// Package pronom makes the packed table of package format from the two files of
// signatures that the registry PRONOM publishes for the program DROID: the signatures
// of formats, and those of containers such as zip files. Only `go generate` and tests
// use it.
package pronom
