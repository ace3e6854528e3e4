package segment

import "fmt"

// Formats names the formats of what the package writes beside runs, a line each,
// for who keeps archives of every one.
func Formats() string {
	return fmt.Sprintf("facts %d\nchunks %d\ncensus %d\nnames %d\n", factsFormat, chunkFormat, censusFormat, namesFormat)
}
