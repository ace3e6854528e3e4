package segment

import "sync/atomic"

// unchecked turns checksums off.
var unchecked atomic.Bool

// SetUnchecked turns the comparison of checksums off, or on again. It is for
// tests of the tests: those that damage files must fail with it.
func SetUnchecked(off bool) { unchecked.Store(off) }

// SumIs reports whether a checksum is as it should be.
func SumIs(got, want uint32) bool { return got == want || unchecked.Load() }
