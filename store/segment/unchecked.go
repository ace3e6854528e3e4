package segment

import "sync/atomic"

// unchecked switches the comparison of checksums off.
var unchecked atomic.Bool

// SetUnchecked switches the comparison of all checksums off, or on again. It exists
// to test the tests: tests that damage files must fail with it.
func SetUnchecked(off bool) { unchecked.Store(off) }

// SumIs reports whether the checksum got equals want. It always reports true while
// SetUnchecked has switched comparison off.
func SumIs(got, want uint32) bool { return got == want || unchecked.Load() }
