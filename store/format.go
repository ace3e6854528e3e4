package store

import (
	_ "embed"
	"fmt"
	"hash/crc32"
)

// formatText travels with every archive, for whoever finds one without us.
//
//go:embed FORMAT.txt
var formatText string

// formatFile is the content of FORMAT.txt: the text, and a line with its
// checksum.
func formatFile() string {
	return fmt.Sprintf("%s\ncrc32c of all above: %08x\n", formatText, crc32.Checksum([]byte(formatText), castagnoli))
}
