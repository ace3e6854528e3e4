package bundle

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"

	"infomall/store/document"
	"infomall/store/record"
)

// errCut is returned for a zip file without the list of its members at the end.
var errCut = errors.New("the zip file is cut off or damaged: its list of members is missing")

// Flags and tags in the headers of a zip file.
const (
	zipEncrypted  = 1
	zipDescriptor = 8      // flag: the sizes come after the content
	zipUnixName   = 0x7075 // tag of the extra field that has the name in UTF-8
)

func readZip(b *document.Builder, body []byte) error {
	// The package zip reads the whole list of members into memory.
	if n := bytes.Count(body, []byte("PK\x01\x02")); n > 2*membersMax {
		return document.ErrLimit
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		members := localMembers(body)
		if len(members) == 0 {
			return errCut
		}
		if err := addMembers(b, members); err != nil {
			return err
		}
		return errCut
	}
	members := make([]member, 0, len(z.File))
	names := make([]string, len(z.File))
	dos := false
	for i, f := range z.File {
		if names[i] = unicodeName(f.Extra); names[i] == "" {
			names[i] = f.Name
		}
		if system := f.CreatorVersion >> 8; f.NonUTF8 && (system == 0 || system == 11) {
			dos = true
		}
		m := member{size: int64(min(f.UncompressedSize64, 1<<62)), encrypted: f.Flags&zipEncrypted != 0, bare: strings.HasSuffix(f.Name, "/"), modified: record.NoTime}
		if f.Modified.Year() > 1979 && f.Modified.Year() < 2108 {
			m.modified = record.At(f.Modified)
		}
		m.open = func() (io.Reader, error) { return f.Open() }
		members = append(members, m)
	}
	toNames(names, dos)
	for i := range members {
		members[i].name = names[i]
	}
	return addMembers(b, members)
}

// unicodeName returns the name in UTF-8 from the extra fields of a member, or "".
func unicodeName(extra []byte) string {
	for len(extra) >= 4 {
		tag, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; n > len(extra) {
			break
		}
		if tag == zipUnixName && n > 5 && extra[0] == 1 {
			return string(extra[5:n])
		}
		extra = extra[n:]
	}
	return ""
}

// localMembers returns the members of a zip file whose list of members is
// missing. It finds them by the headers before their contents.
func localMembers(body []byte) (members []member) {
	var names []string
	for at := 0; len(members) <= membersMax; {
		i := bytes.Index(body[at:], []byte("PK\x03\x04"))
		if i < 0 || len(body)-at-i < 30 {
			break
		}
		h := body[at+i : at+i+30]
		at += i + 4
		flags, method := binary.LittleEndian.Uint16(h[6:]), binary.LittleEndian.Uint16(h[8:])
		packed, size := int64(binary.LittleEndian.Uint32(h[18:])), int64(binary.LittleEndian.Uint32(h[22:]))
		nameEnd := at - 4 + 30 + int(binary.LittleEndian.Uint16(h[26:]))
		content := nameEnd + int(binary.LittleEndian.Uint16(h[28:]))
		if content > len(body) {
			break
		}
		name := string(body[at-4+30 : nameEnd])
		m := member{size: size, encrypted: flags&zipEncrypted != 0, bare: strings.HasSuffix(name, "/"), modified: dosTime(h[10:])}
		end := content + int(min(packed, int64(len(body)-content)))
		rest := body[content:end]
		if flags&zipDescriptor != 0 && len(rest) == 0 {
			m.size, rest = -1, body[content:]
		}
		switch method {
		case zip.Store:
			if m.size >= 0 {
				m.content = rest
			}
		case zip.Deflate:
			m.open = func() (io.Reader, error) { return flate.NewReader(bytes.NewReader(rest)), nil }
		}
		members, names = append(members, m), append(names, name)
		at = end
	}
	toNames(names, true)
	for i := range members {
		members[i].name = names[i]
	}
	return members
}

// dosTime returns the time in b, a time of day and a date as DOS has them.
func dosTime(b []byte) record.Time {
	clock, date := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
	if date == 0 {
		return record.NoTime
	}
	return record.At(time.Date(date>>9+1980, time.Month(date>>5&15), date&31, clock>>11, clock>>5&63, clock&31*2, 0, time.UTC))
}
