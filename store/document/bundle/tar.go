package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/record"
)

// Sizes and offsets in the header of a member of a tar, in bytes.
const (
	tarBlock       = 512
	tarChecksum    = 148
	tarChecksumEnd = 156
)

// isTar reports whether a body begins with the header of a member of a tar: its checksum
// is right.
func isTar(body []byte) bool {
	if len(body) < tarBlock || body[0] == 0 {
		return false
	}
	text := strings.Trim(string(body[tarChecksum:tarChecksumEnd]), " \x00")
	want, err := strconv.ParseUint(text, 8, 32)
	if err != nil {
		return false
	}
	sum := uint64(0)
	for i, c := range body[:tarBlock] {
		if i >= tarChecksum && i < tarChecksumEnd {
			c = ' '
		}
		sum += uint64(c)
	}
	return sum == want
}

func readTar(b *document.Builder, body []byte) error {
	at := bytes.NewReader(body)
	r := tar.NewReader(at)
	var members []member
	var names []string
	var fault error
	for len(members) <= membersMax {
		h, err := r.Next()
		if err != nil {
			if err != io.EOF {
				fault = fmt.Errorf("the tar is damaged or cut off after member %d: %w", len(members), err)
			}
			break
		}
		// A sparse file is listed only: its content is not as long as it says.
		m := member{name: h.Name, size: h.Size, bare: h.Typeflag != tar.TypeReg || h.PAXRecords["GNU.sparse.realsize"] != "" || h.PAXRecords["GNU.sparse.size"] != "", modified: record.NoTime}
		if when := record.At(h.ModTime); h.ModTime.Unix() > 0 && when <= record.MaxTime {
			m.modified = when
		}
		// The content of a member lies between two headers.
		start := len(body) - at.Len()
		if !m.bare && h.Size <= int64(len(body)-start) {
			m.content = body[start : start+int(h.Size)]
		}
		members, names = append(members, m), append(names, m.name)
	}
	toNames(names, false)
	for i := range members {
		members[i].name = names[i]
	}
	if err := addMembers(b, members); err != nil {
		return err
	}
	return fault
}
