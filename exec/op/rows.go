package op

import (
	"iter"

	"infomall/exec/value"
)

// Rows is a stream of batches. An error is the last pair. Rows can be ranged
// over once.
type Rows = iter.Seq2[*value.Batch, error]
