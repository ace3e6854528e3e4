package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/segment"
)

// dividedMax is the size in bytes above which a body is stored undivided.
const dividedMax = 8 << 20

// analysis is what is read off a body when it comes in: what it says, and how
// it divides. It is immutable: captures with equal bodies share it.
type analysis struct {
	page    segment.Page
	content uint64 // as in segment.Entry
	missing bool   // it says that nothing is there
	layout  []byte // nil unless it is stored divided
	leaves  []span // of the body
}

// span is a range of a body.
type span struct{ start, end int32 }

// analyse reads a body. head is its response's, mime its media type.
func analyse(body, head []byte, mime string) *analysis {
	a := &analysis{page: segment.NoPage}
	if len(body) > dividedMax {
		return a
	}
	encoding := record.Header(head, "Content-Encoding")
	b, ok := block.Open(body, mime, record.Header(head, "Content-Type"), encoding, block.Options{})
	if !ok {
		return a
	}
	meta := b.Page.Meta(b.Charset)
	a.page = segment.Page{
		Title: meta.Title, Lang: meta.Lang, Charset: b.Charset, Declared: b.Declared, NoArchive: meta.NoArchive,
		LinkCount: int64(len(b.Page.Links(0, len(b.Page.Body), b.Charset))),
	}
	lead := b.Page.TextRange(0, min(len(b.Page.Body), leadBytes), b.Charset)
	a.page.Reason, a.missing = missing(b, meta.Title, lead)
	if a.page.Lang == "" {
		a.page.Lang = page.LangOf(lead)
	}
	leaves := b.Cut(0)
	a.page.BlockCount = int64(len(leaves))
	// A single leaf that is all of the body is as good as the body.
	whole := len(leaves) == 1 && len(b.Bytes(leaves[0])) == len(b.Page.Body)
	if len(leaves) > 0 && !whole {
		a.content = contentOf(b, leaves)
	}
	// Blocks are ranges of the decoded body. What was sent encoded is kept as
	// it was sent, since encoding it again would give other bytes.
	if len(leaves) > 0 && !whole && bytes.Equal(b.Page.Body, body) {
		a.layout = b.Layout()
		for _, n := range leaves {
			a.leaves = append(a.leaves, span{int32(b.Blocks[n].Start), int32(b.Blocks[n].End)})
		}
	}
	return a
}

// leadBytes is how much of a page's markup is read to tell its language by its
// letters, and whether it says at once that nothing is there.
const leadBytes = 16 << 10

// missing reports whether a page says that what was asked for is not there.
// lead is the text that its markup begins with: where that is too long already,
// the rest need not be read.
func missing(b *block.Body, title, lead string) (reason string, ok bool) {
	if len(lead) > page.MissingBytes {
		return "", false
	}
	if len(b.Page.Body) > leadBytes {
		lead = b.Page.Text(b.Charset)
	}
	return page.SoftMissing(title, lead)
}

// contentOf is a fingerprint of a page's leaves, whatever their order; never 0.
func contentOf(b *block.Body, leaves []int) uint64 {
	ids := make([]segment.ID, len(leaves))
	for i, n := range leaves {
		ids[i] = segment.BlockID(b.Bytes(n))
	}
	slices.SortFunc(ids, func(a, b segment.ID) int { return bytes.Compare(a[:], b[:]) })
	sum := sha256.New()
	for _, id := range ids {
		sum.Write(id[:])
	}
	return binary.LittleEndian.Uint64(sum.Sum(nil)) | 1
}

// contentFor gives the body of a staged capture as the segment takes it.
func (s *staged) contentFor() segment.Content {
	c := segment.Content{Body: s.body, Spool: s.spool}
	if s.read != nil && s.read.layout != nil {
		c.Layout = s.read.layout
		for _, l := range s.read.leaves {
			c.Leaves = append(c.Leaves, s.body[l.start:l.end])
		}
	}
	return c
}

// analysesMax is how many analyses an import remembers, to read a body once
// that many captures brought.
const analysesMax = 2048

// analyses remembers analyses by body and by what the response says of it.
type analyses map[analysisKey]*analysis

type analysisKey struct {
	id             segment.ID
	mime, encoding string
	contentType    string
}

func (m analyses) of(id segment.ID, body, head []byte, mime string) *analysis {
	k := analysisKey{id, mime, record.Header(head, "Content-Encoding"), record.Header(head, "Content-Type")}
	a := m[k]
	if a == nil {
		a = analyse(body, head, mime)
		if len(m) >= analysesMax {
			clear(m)
		}
		m[k] = a
	}
	return a
}
