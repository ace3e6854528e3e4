package value

import "iter"

// Rows is a stream of batches. An error is the last pair. Rows can be ranged
// over once.
type Rows = iter.Seq2[*Batch, error]
