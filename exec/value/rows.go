package value

import "iter"

// Rows is a stream of batches of rows. If there is an error, it is the last
// pair. Rows can be ranged over once. A batch is valid until the iteration
// moves on.
type Rows = iter.Seq2[*Batch, error]
