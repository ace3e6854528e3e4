// Package zipped reads the members of a zip file that is a document, such as a
// Word file or a book. What the members have unpacked is bounded, for each member
// and for all of them together. Of a file that was cut short it reads the members
// that are before the end, because archives often have such files.
package zipped

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"infomall/store/document"
)

// errEncrypted is returned for a member that is encrypted.
var errEncrypted = errors.New("encrypted")

// errMissing is returned for a member that the zip file does not have.
var errMissing = errors.New("missing")

// File is a zip file whose members can be read by name. Case does not matter in a
// name.
type File struct {
	members map[string]*zip.File
	rescued map[string]header // of a file without a directory: members by name
	body    []byte
	left    int64 // bytes that may still be unpacked
}

// errCut is returned by Err for a file that is cut short.
var errCut = errors.New("cut short or damaged: members of the zip file may be missing")

// A member may unpack to ratioMax times its packed size plus freeBytes. Members of real documents
// unpack to less than 200 times their size; those of a zip bomb unpack to up to 1032 times.
const (
	ratioMax  = 400
	freeBytes = 1 << 20
)

// Is reports whether body begins like a zip file.
func Is(body []byte) bool { return bytes.HasPrefix(body, []byte("PK\x03\x04")) }

// MimeType returns the content of the member mimetype of a zip file, which says that the file is a
// book or an OpenDocument file, or "" if there is none. It must be the first member, and not be
// compressed, but programs that pack a file again sort its members.
func MimeType(body []byte, l document.Limits) string {
	const name = "mimetype"
	mime := first(body, name)
	if mime != "" || !Is(body) || !bytes.Contains(body, []byte(name)) {
		return strings.TrimSpace(mime)
	}
	z, err := Open(body, l)
	if err != nil {
		return ""
	}
	content, _ := z.Read(name)
	return strings.TrimSpace(string(content[:min(len(content), mimeMax)]))
}

// mimeMax is the largest number of bytes of a member mimetype that are read.
const mimeMax = 255

// first returns the content of the first member if it is called name and is not compressed. It
// returns "" otherwise.
func first(body []byte, name string) string {
	const header = 30 // bytes before the name
	if len(body) < header+len(name) || !Is(body) || body[8] != 0 || body[9] != 0 {
		return ""
	}
	size := int(body[22]) | int(body[23])<<8
	from := header + (int(body[26]) | int(body[27])<<8)
	if from > len(body) || string(body[header:from]) != name {
		return ""
	}
	from += int(body[28]) | int(body[29])<<8
	if from > len(body) {
		return ""
	}
	text := body[from:min(len(body), from+mimeMax)]
	if size > 0 {
		return string(text[:min(size, len(text))])
	}
	// The size stands after the content: the content ends where a signature begins.
	text, _, _ = bytes.Cut(text, []byte("PK"))
	return string(text)
}

// Open returns the zip file body, whose members may unpack to l.Unpacked bytes
// together.
func Open(body []byte, l document.Limits) (*File, error) {
	f := &File{body: body, left: l.WithDefaults().Unpacked}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		if f.rescued = headers(body); len(f.rescued) == 0 {
			return nil, fmt.Errorf("damaged: %w", err)
		}
		return f, nil
	}
	f.members = make(map[string]*zip.File, len(z.File))
	for _, m := range z.File {
		if name := fold(m.Name); f.members[name] == nil {
			f.members[name] = m
		}
	}
	return f, nil
}

// fold returns the form of a member's name under which Has and Read find it.
func fold(name string) string {
	return strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
}

// Err returns errCut if the zip file has no directory, so that only a part of its
// members may be known, and nil otherwise.
func (f *File) Err() error {
	if f.rescued != nil {
		return errCut
	}
	return nil
}

// Has reports whether the zip file has a member with that name.
func (f *File) Has(name string) bool {
	name = fold(name)
	_, rescued := f.rescued[name]
	return rescued || f.members[name] != nil
}

// Read returns the content of a member. If the member is damaged or too large, Read
// returns what could be read before that place, and an error: errMissing,
// errEncrypted, document.ErrLimit or that of the decompressor.
func (f *File) Read(name string) ([]byte, error) {
	r, packed, claimed, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	most := min(f.left, freeBytes+ratioMax*min(packed, 1<<40))
	// The claimed size saves copies. It is believed up to the bound only.
	buf := bytes.NewBuffer(make([]byte, 0, min(max(claimed, 0), most)+2*bytes.MinRead))
	_, err = buf.ReadFrom(io.LimitReader(r, most+1))
	content := buf.Bytes()
	if int64(len(content)) > most {
		content, err = content[:most], document.ErrLimit
	}
	f.left -= int64(len(content))
	if err != nil {
		return content, fmt.Errorf("%s: %w", document.Clean(name), err)
	}
	return content, nil
}

// open opens a member. packed is its size in the zip file. claimed is its unpacked size according
// to the zip file, which may be wrong.
func (f *File) open(name string) (r io.ReadCloser, packed, claimed int64, err error) {
	if h, ok := f.rescued[fold(name)]; ok {
		r, packed, err = h.open(f.body)
		return r, packed, 0, err
	}
	m := f.members[fold(name)]
	if m == nil {
		return nil, 0, 0, fmt.Errorf("%s: %w", document.Clean(name), errMissing)
	}
	if m.Flags&encrypted != 0 {
		return nil, 0, 0, errEncrypted
	}
	if r, err = m.Open(); err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w", document.Clean(name), err)
	}
	return r, int64(m.CompressedSize64), int64(min(m.UncompressedSize64, 1<<40)), nil
}
