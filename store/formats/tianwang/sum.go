package tianwang

import (
	"bytes"
	"fmt"
	"io"

	"infomall/store/crc32c"
)

// sumName begins the line with the checksum of a record. The checksum is a
// CRC-32C of the head without this line, followed by the data.
const sumName = "crc32c: "

func sumLine(crc uint32) []byte { return fmt.Appendf(nil, "%s%08x\n", sumName, crc) }

// sumFault checks the record at the offset at, whose head is h, by its checksum, if it
// has one. The result why says what is wrong; it is "" if the checksum is right or
// there is none. err is a failure to read.
func (s *scanner) sumFault(at int64, h head) (why string, err error) {
	b, err := s.w.View(at, int(h.bytes))
	if err != nil {
		return "", err
	}
	if h.sum == "" {
		if nearSum(b) {
			why = "the line of its checksum is damaged"
		}
		return why, nil
	}
	before, after, ok := bytes.Cut(b, []byte("\n"+sumName+h.sum+"\n"))
	if !ok {
		return "the line of its checksum is damaged", nil
	}
	sum := crc32c.New()
	for _, part := range [][]byte{before, []byte("\n"), after[:len(after)-1]} {
		sum.Write(part)
	}
	if _, err := io.Copy(sum, io.NewSectionReader(s.r, at+h.bytes, h.length)); err != nil {
		return "", fmt.Errorf("read the record at byte %d: %w", at, err)
	}
	if got := fmt.Sprintf("%08x", sum.Sum32()); got != h.sum {
		return fmt.Sprintf("crc32c is %s, the head says %s: the record is damaged", got, h.sum), nil
	}
	return "", nil
}

// nearSum reports whether head has a line that was a checksum until one byte of the
// line's name, or of the bytes around the name, was damaged.
func nearSum(head []byte) bool {
	const half = len(sumName) / 2
	if !bytes.Contains(head, []byte(sumName[:half])) && !bytes.Contains(head, []byte(sumName[half:])) {
		return false // one of the two is left whole
	}
	for i := 0; i+len(sumName) <= len(head); i++ {
		wrong := 0
		for j := 0; j < len(sumName) && wrong < 2; j++ {
			if head[i+j] != sumName[j] {
				wrong++
			}
		}
		if wrong < 2 {
			return true
		}
	}
	return false
}
