package commit

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"

	"infomall/store/crc32c"
)

// formatText is the text of FORMAT.txt, a file in every archive. It describes the format
// for a reader who has the archive without this program.
//
//go:embed FORMAT.txt
var formatText string

// formatFile returns the content of the file FORMAT.txt: formatText, and a line with
// its checksum.
func formatFile() string {
	return formatText + string(formatSum([]byte(formatText)))
}

func formatSum(text []byte) []byte {
	return fmt.Appendf(nil, "\ncrc32c of all above: %08x\n", crc32c.Sum(text))
}

// CheckFormat returns an error if b, the content of a FORMAT.txt, does not match the
// checksum in its last line. Any version of the program may have written the file.
func CheckFormat(b []byte) error {
	if n := len(b) - len(formatSum(nil)); n < 0 || !bytes.Equal(b[n:], formatSum(b[:n])) {
		return errors.New("its content has changed since it was written; the next import or REINDEX writes it again")
	}
	return nil
}
