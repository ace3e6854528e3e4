package catalog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"infomall/store/crc32c"
	"infomall/store/disk/lines"
	"infomall/store/record"
	"infomall/store/record/task"
)

// kindBlockList is the word in the first line of a file that says it has a block-list.
const kindBlockList = "block-list"

// BlockListBytesMax is the greatest size of the file of a block-list, in bytes. That
// is enough for some 600,000 digests.
const BlockListBytesMax = 64 << 20

// errBlockList is the error for a damaged file of a block-list.
var errBlockList = errors.New("the block-list is damaged; restore the file from a copy of the archive (REPAIR POOL does it): without it nobody knows which captures must stay out, and nothing is imported")

// EncodeBlockList returns the content of the file of a block-list, which
// DecodeBlockList parses. FORMAT.md lists the fields.
func EncodeBlockList(l *task.BlockList) []byte {
	b := lines.Append(lines.New(kindBlockList), "next", l.Next)
	scopes := func(name string, list []task.BlockScope) {
		for _, s := range list {
			b = lines.Append(b, name, lines.Quoted(s.From), lines.Quoted(s.To))
		}
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		b = lines.Append(b, "entry", e.Number, e.Time, e.Captures, lines.Quoted(e.Reason), e.From, e.To)
		scopes("scope", e.Scopes)
		scopes("allowed", e.Allowed)
		for _, d := range e.Digests {
			b = lines.Append(b, "digest", hex.EncodeToString(d.SHA256[:]), hex.EncodeToString(d.SHA1[:]))
		}
	}
	return lines.Seal(b)
}

// DecodeBlockList parses the content b of the file of a block-list. An error means
// that the file is damaged.
func DecodeBlockList(b []byte) (*task.BlockList, error) {
	in, err := lines.Open(b, kindBlockList, errBlockList)
	if err != nil {
		return nil, err
	}
	l := &task.BlockList{}
	var none task.BlockEntry // takes lines that come before the first entry, which are damage
	e := &none
	for in.Next() {
		switch in.Text() {
		case "next":
			l.Next = in.Int()
		case "entry":
			l.Entries = append(l.Entries, task.BlockEntry{
				Number: in.Int(), Time: record.Time(in.Int()), Captures: in.Int(), Reason: in.Quoted(), From: record.Time(in.Int()), To: record.Time(in.Int()),
			})
			e = &l.Entries[len(l.Entries)-1]
		case "scope":
			e.Scopes = append(e.Scopes, readBlockScope(in))
		case "allowed":
			e.Allowed = append(e.Allowed, readBlockScope(in))
		case "digest":
			var d task.BodyDigest
			readHex(in, d.SHA256[:])
			readHex(in, d.SHA1[:])
			e.Digests = append(e.Digests, d)
		default:
			in.Fail()
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	// Each part is written once, in order and complete.
	if !bytes.Equal(EncodeBlockList(l), b) {
		return nil, errBlockList
	}
	return l, nil
}

func readBlockScope(in *lines.Reader) task.BlockScope {
	s, err := task.NewBlockScope(in.Quoted(), in.Quoted())
	if err != nil {
		in.Fail()
	}
	return s
}

// readHex decodes the next field, hexadecimal digits, into dst. It calls in.Fail if
// the digits do not fill dst exactly.
func readHex(in *lines.Reader, dst []byte) {
	b, err := hex.DecodeString(in.Text())
	if err != nil || len(b) != len(dst) {
		in.Fail()
		return
	}
	copy(dst, b)
}

// BlockList parses b, the content of the file of a block-list. f is the catalogue's
// entry for the file. BlockList returns an error if b is damaged, or if its size or
// checksum differs from f.
func (f File) BlockList(b []byte) (*task.BlockList, error) {
	l, err := DecodeBlockList(b)
	if err == nil && (int64(len(b)) != f.Bytes || crc32c.Sum(b) != f.CRC) {
		return nil, fmt.Errorf("%w: it is not the file that the catalogue names", errBlockList)
	}
	return l, err
}
