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
// it divides. Captures with equal bodies share it.
type analysis struct {
	page    segment.Page
	content uint64   // as in segment.Entry
	missing bool     // it says that nothing is there
	facts   []byte   // as in segment.Stored
	divided bool     // it is stored as layout and blocks
	plain   bool     // what divides is the body as it was sent
	single  bool     // it has one block at most, be that hidden
	leaf    [][]byte // facts of the block that all of the body is
	// open is the page as it divides, until the batch that brought it is
	// written; nil as well where it does not divide, or not to be stored so.
	open *block.Reading
}

// analyse reads a body. head is its response's, mime its media type.
func analyse(reader *block.Reader, body, head []byte, mime string) *analysis {
	a := &analysis{page: segment.NoPage, single: true}
	b := openPage(body, head, mime)
	if b == nil {
		return a
	}
	meta := b.Page.Meta(b.Charset)
	r := reader.Read(b)
	a.open = r
	a.page = segment.Page{
		Title: meta.Title, Lang: meta.Lang, Charset: b.Charset, Declared: b.Declared, NoArchive: meta.NoArchive,
		LinkCount: int64(r.Links), BlockCount: int64(len(r.Leaves)),
	}
	lead := b.Page.TextRange(0, min(len(b.Page.Body), leadBytes), b.Charset)
	a.page.Reason, a.missing = missing(b, meta.Title, lead)
	if a.page.Lang == "" {
		a.page.Lang = page.LangOf(lead)
	}
	// A single leaf that is all of the body is as good as the body.
	whole := len(r.Leaves) == 1 && len(b.Bytes(r.Leaves[0])) == len(b.Page.Body)
	if len(r.Leaves) > 0 && !whole {
		a.content = contentOf(r.Digests)
	}
	// Blocks are ranges of the decoded body. What was sent encoded is kept as
	// it was sent, since encoding it again would give other bytes.
	a.plain = len(b.Page.Body) == len(body) && (len(body) == 0 || &b.Page.Body[0] == &body[0])
	a.divided = len(r.Leaves) > 0 && !whole && a.plain
	a.facts = r.AppendFacts(nil, meta.Base, !a.plain)
	r.Close()
	if a.single = len(r.Blocks) <= 2; a.single && whole {
		// Of a small text that is much of its memory, and few are asked for more.
		a.leaf, a.open = r.Facts, nil
	}
	return a
}

// openPage divides a body; nil where it does not divide.
func openPage(body, head []byte, mime string) *block.Body {
	if len(body) > dividedMax {
		return nil
	}
	b, ok := block.Open(body, mime, record.Header(head, "Content-Type"), record.Header(head, "Content-Encoding"), block.Options{})
	if !ok {
		return nil
	}
	return b
}

// memory is what a takes beside the body's bytes, about.
func (a *analysis) memory() int64 {
	n := int64(len(a.facts)) + 300
	if a.open != nil {
		n += int64(len(a.open.Blocks))*80 + int64(len(a.open.Leaves))*80
	}
	return n
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
func contentOf(leaves []record.Digest) uint64 {
	ids := make([]segment.ID, len(leaves))
	for i, d := range leaves {
		ids[i] = segment.ID(d[:16])
	}
	slices.SortFunc(ids, func(a, b segment.ID) int { return bytes.Compare(a[:], b[:]) })
	sum := sha256.New()
	for _, id := range ids {
		sum.Write(id[:])
	}
	return max(1, binary.LittleEndian.Uint64(sum.Sum(nil)))
}

// contentFor gives the body of a staged capture as the segment takes it.
func (m *analyses) contentFor(s *staged) segment.Content {
	c := segment.Content{Body: s.body, Spool: s.spool}
	if s.read == nil || !s.read.plain {
		return c
	}
	if s.read.leaf != nil {
		c.Facts = s.read.leaf
		return c
	}
	r := m.open(s.read, s.body, s.Head, s.Mime)
	if r == nil {
		return c
	}
	c.Facts = r.Facts
	if s.read.divided {
		c.Layout = r.Layout()
		c.IDs, c.Leaves = make([]segment.ID, len(r.Leaves)), make([][]byte, len(r.Leaves))
		for i, n := range r.Leaves {
			c.IDs[i], c.Leaves[i] = segment.ID(r.Digests[i][:16]), r.Bytes(n)
		}
	}
	return c
}

// analysesMax is how many analyses an import remembers, to read a body once
// that many captures brought.
const analysesMax = 2048

// analyses remembers analyses by body and by what the response says of it.
type analyses struct {
	reader *block.Reader
	known  map[analysisKey]*analysis
}

type analysisKey struct {
	id             segment.ID
	mime, encoding string
	contentType    string
}

func newAnalyses() *analyses {
	return &analyses{reader: block.NewReader(), known: make(map[analysisKey]*analysis)}
}

func (m *analyses) of(id segment.ID, body, head []byte, mime string) *analysis {
	k := analysisKey{id, mime, record.Header(head, "Content-Encoding"), record.Header(head, "Content-Type")}
	a := m.known[k]
	if a == nil {
		a = analyse(m.reader, body, head, mime)
		if len(m.known) >= analysesMax {
			clear(m.known)
		}
		m.known[k] = a
	}
	return a
}

// open gives the page of which a is the analysis as it divides; nil if it does
// not.
func (m *analyses) open(a *analysis, body, head []byte, mime string) *block.Reading {
	if a.open == nil && a.facts != nil {
		if b := openPage(body, head, mime); b != nil {
			a.open = m.reader.Read(b)
			a.open.Close()
		}
	}
	return a.open
}

// close forgets the pages, and keeps what was read off them.
func (m *analyses) close() {
	for _, a := range m.known {
		a.open = nil
	}
}
