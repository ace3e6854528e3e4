// Package derive computes what is read off a body when it is imported: what the page says, how
// it divides into blocks, and its fold: how its blocks relate to those of the earlier versions
// of its URL. The results depend only on the bodies, so REINDEX DERIVED can compute them again.
// The package does not read the archive: a FoldMaker gets the earlier versions from a Versions.
//
// A batch is the captures that an import has in memory and publishes together. The sense of a
// version says whether it differs from the version before in content, or only by noise such as
// a date or a counter. The history of a URL is how its blocks developed from version to version.
package derive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// Analysis is what was found out about a body when it was imported: what the page says, and how
// the body divides into blocks. Captures with equal bodies that are read in the same way share
// one Analysis.
type Analysis struct {
	title  string        // part of Page
	counts [2]int32      // part of Page: LinkCount and BlockCount
	page   *segment.Page // the other properties of Page, which most pages have in common; nil if it is segment.NoPage

	Content uint64     // a fingerprint of the leaves (blocks with text), see segment.Entry
	Missing bool       // the page says that nothing is there (a soft 404)
	Facts   []byte     // what was found out about the page, encoded, see segment.Stored
	As      *divide.As // how the body was read: as which MIME type, charset and so on
	Unsure  bool       // the charset is a guess that other pages of the host may correct
	Divided bool       // the body is stored as layout and blocks
	Plain   bool       // the body was sent without a content coding, so that its blocks are ranges of its bytes
	Single  bool       // the body has at most two blocks
	leaf    [][]byte   // facts of the block, if one block is the whole body; otherwise nil
	// rest is the divided page, kept until its batch is written. If the body was sent with a
	// content coding, the page is in open instead. Both are empty if the body does not divide,
	// or is a single block.
	rest *facts.Resting
	open *facts.Reading
}

// Page returns what the page says, such as its title.
func (a *Analysis) Page() segment.Page {
	if a.page == nil {
		return segment.NoPage
	}
	p := *a.page
	p.Title, p.LinkCount, p.BlockCount = a.title, int64(a.counts[0]), int64(a.counts[1])
	return p
}

// setPage makes p the Page of a. Analyses whose pages differ only in title and counts share the
// other properties.
func (m *Reader) setPage(a *Analysis, p segment.Page) {
	a.title, a.counts = p.Title, [2]int32{int32(p.LinkCount), int32(p.BlockCount)}
	p.Title, p.LinkCount, p.BlockCount = "", 0, 0
	if a.page = m.pages[p]; a.page == nil {
		if len(m.pages) >= analysesMax {
			clear(m.pages)
		}
		a.page = &p
		m.pages[p] = a.page
	}
}

// analyse reads a body in the way that the parameter as says, and returns the analysis.
func (m *Reader) analyse(body []byte, as *divide.As) *Analysis {
	a := &Analysis{Single: true, As: as}
	b, ok := m.Blocks.Open(body, *as, divide.Options{})
	if !ok {
		var links int
		if a.Facts, links = facts.Outside(body, *as); links > 0 {
			p := segment.NoPage
			p.LinkCount = int64(links)
			m.setPage(a, p)
		}
		return a
	}
	a.Unsure = b.Found.Unsure
	meta := b.Page.Meta(b.Charset)
	r := m.Blocks.Read(b)
	p := segment.Page{
		Title: meta.Title, Lang: meta.Lang, Charset: b.Found.Charset, Declared: b.Found.Declared, Source: b.Found.Source,
		Unread: b.Unread, ReadBytes: b.ReadBytes, NoArchive: meta.NoArchive,
		LinkCount: int64(r.Links), BlockCount: int64(len(r.Leaves)),
	}
	lead := b.Page.TextRange(0, min(len(b.Page.Body), leadBytes), b.Charset)
	p.Reason, a.Missing = missing(b, meta.Title, lead)
	if p.Lang == "" {
		p.Lang = page.LangOf(lead)
	}
	m.setPage(a, p)
	// A single leaf that is the whole body is stored as that body.
	whole := len(r.Leaves) == 1 && len(b.Bytes(r.Leaves[0])) == len(b.Page.Body)
	if len(r.Leaves) > 0 && !whole {
		a.Content = m.contentOf(r.Made)
	}
	// Blocks are ranges of the decoded body. A body that was sent encoded is kept
	// as it was sent, because encoding it again would give other bytes.
	a.Plain = len(b.Page.Body) == len(body) && (len(body) == 0 || &b.Page.Body[0] == &body[0])
	a.Divided = len(r.Leaves) > 0 && !whole && a.Plain && len(body) <= segment.DividedMax
	m.facts = r.AppendFacts(m.facts[:0], meta.Base, !a.Plain)
	a.Facts = bytes.Clone(m.facts)
	r.Close()
	if a.Single = len(r.Blocks) <= 2; a.Single && whole {
		// For a small text the open page is most of its memory, and few callers
		// need more than the facts.
		a.leaf = r.Facts()
	} else {
		a.keep(r)
	}
	return a
}

// ReadAs returns how the body of stored capture s was read when it was imported: with which
// MIME type, content coding and charset, and up to which size.
func ReadAs(s *segment.Stored) divide.As {
	as := divide.Sent(s.Head, s.Mime)
	as.Usual, as.Limit = ReadWith(&s.Page)
	return as
}

// ReadWith returns two of the settings with which page p was read when it was imported; divide.As
// has fields for them. usual is the charset that was guessed from other pages of the host, or ""
// if the charset came from the page itself. limit is the greatest number of bytes to read.
func ReadWith(p *segment.Page) (usual string, limit int64) {
	if p.Source == charset.SourceHost {
		usual = p.Charset
	}
	if limit = p.ReadBytes; limit == 0 && p.Source != "" {
		limit = divide.PageLimitMax // the whole body was read
	}
	return usual, limit
}

// like reports whether the analyses a and o of two bodies are equal, and each body is
// a single block. The two bodies can then share one Analysis. o may be nil.
func (a *Analysis) like(o *Analysis) bool {
	return a.leaf != nil && o != nil && o.leaf != nil && a.Page() == o.Page() && a.As == o.As && a.Unsure == o.Unsure && a.Content == o.Content && a.Missing == o.Missing && a.Plain == o.Plain &&
		bytes.Equal(a.Facts, o.Facts) && slices.EqualFunc(a.leaf, o.leaf, bytes.Equal)
}

// PageOf returns the Page of capture s: title, language, charset and so on. a is the analysis of
// the body of s. If the body is cut because its chunked transfer ended early, the field Unread
// of the result says so.
func (a *Analysis) PageOf(s *segment.Stored) segment.Page {
	p := a.Page()
	if p.Unread == "" && p.Source != "" && s.Body == segment.BodyOwn && message.IsCut(s.Framing) {
		p.Unread = fmt.Sprintf("transfer encoding chunked: unexpected EOF: only the first %d bytes are there", s.Bytes)
	}
	return p
}

// keep keeps the divided page r, in a compact form if r can be made again from the body as it was
// sent.
func (a *Analysis) keep(r *facts.Reading) {
	if a.Plain {
		a.rest = r.Rest()
	} else {
		a.open = r
	}
}

// Close frees the blocks of the divided page. The rest of the analysis stays valid.
func (a *Analysis) Close() { a.open, a.rest = nil, nil }

// memory returns an estimate of the memory that a takes, in bytes, without the body.
func (a *Analysis) memory() int64 {
	n := int64(len(a.Facts)) + 200 + a.rest.Memory()
	if a.open != nil {
		n += int64(len(a.open.Blocks))*80 + int64(len(a.open.Leaves))*80
	}
	return n
}

// leadBytes is how many bytes of a page's markup are read to guess its language from its
// letters, and to find out whether the page is a soft 404 (a page that says that nothing is
// there).
const leadBytes = 16 << 10

// missing reports whether page b is a soft 404 (a page that says that nothing is there), and
// returns the words that say so. lead is the text of the first leadBytes bytes of its markup.
// If lead is already too long for a soft 404, missing does not read the rest of the page.
func missing(b *divide.Body, title, lead string) (reason string, ok bool) {
	if len(lead) > page.MissingBytes {
		return "", false
	}
	if len(b.Page.Body) > leadBytes {
		lead = b.Page.Text(b.Charset)
	}
	return page.SoftMissing(title, lead)
}

// contentOf returns a fingerprint of a page's leaves (blocks with text) that does
// not depend on their order. It is never 0.
func (m *Reader) contentOf(leaves []*facts.Leaf) uint64 {
	m.halves = m.halves[:0]
	for _, l := range leaves {
		m.halves = append(m.halves, [2]uint64{binary.BigEndian.Uint64(l.Digest[:]), binary.BigEndian.Uint64(l.Digest[8:])})
	}
	m.unsorted = sortIDs(m.halves, m.unsorted)
	all := m.sorted[:0]
	for _, id := range m.halves {
		all = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(all, id[0]), id[1])
	}
	m.sorted = all
	sum := sha256.Sum256(all)
	return max(1, binary.LittleEndian.Uint64(sum[:]))
}

// sortIDs sorts the digests ids in place. Because digests are evenly distributed, it first groups
// them by their first bits, and then sorts the few digests of each group. mem is working memory.
// The result is mem, which may have grown; the caller passes it to the next call.
func sortIDs(ids, mem [][2]uint64) [][2]uint64 {
	shift := 64 - bits.Len(uint(len(ids)))
	ends := make([]int32, 1<<(64-shift)) // where each group with the same first bits ends
	for _, id := range ids {
		ends[id[0]>>shift]++
	}
	sum := int32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	mem = append(mem[:0], ids...)
	for _, id := range mem {
		at := &ends[id[0]>>shift]
		ids[*at] = id
		*at++
	}
	from := int32(0)
	for _, to := range ends {
		if to-from > 1 {
			slices.SortFunc(ids[from:to], func(a, b [2]uint64) int {
				return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
			})
		}
		from = to
	}
	return mem
}

// Divide returns a body in the form that segment.Writer.Add takes: divided into blocks if
// a.Divided is set, otherwise whole. a is the analysis of the body, or nil if there is none. The
// result is valid until the next call of Divide.
func (m *Reader) Divide(a *Analysis, body []byte) segment.Content {
	c := segment.Content{Body: body}
	if a == nil || !a.Plain {
		return c
	}
	if a.leaf != nil {
		c.Facts = a.leaf
		return c
	}
	r := m.Open(a, body)
	if r == nil {
		return c
	}
	c.Facts = r.Facts()
	if a.Divided {
		c.Layout = r.Layout()
		m.ids, m.leaves = m.ids[:0], m.leaves[:0]
		for i, n := range r.Leaves {
			m.ids, m.leaves = append(m.ids, segment.ID(r.Made[i].Digest[:16])), append(m.leaves, r.Bytes(n))
		}
		c.IDs, c.Leaves = m.ids, m.leaves
	}
	return c
}

// analysesMax is how many analyses an import remembers. A body that many captures have is then
// usually analysed once.
const analysesMax = 2048

// Reader analyses bodies. It remembers the last analyses, so that equal bodies that are read in
// the same way (with the same MIME type, charset and so on) are analysed only once.
type Reader struct {
	Blocks *facts.Reader
	known  map[analysisKey]*Analysis
	pages  map[segment.Page]*segment.Page // the shared properties of pages, see setPage
	ways   map[divide.As]*divide.As       // the settings in known and in last; equal settings are one
	last   *Analysis                      // the last new analysis; a body that is a single block shares it if its analysis is equal
	Limit  int64                          // how many bytes of a body are read at most, see divide.As
	Memory int64                          // an estimate of the memory, in bytes, of the analyses made since the last Close

	// Working memory, used again for each page.
	halves, unsorted [][2]uint64 // digests of the leaves of a page, each in two halves
	sorted           []byte      // the sorted digests, one after the other
	facts            []byte      // the facts of a page
	ids              []segment.ID
	leaves           [][]byte
}

type analysisKey struct {
	id segment.ID
	as *divide.As // from Reader.ways
}

// NewReader returns a Reader that remembers no analysis yet.
func NewReader() *Reader {
	return &Reader{Blocks: facts.NewReader(), known: make(map[analysisKey]*Analysis), pages: make(map[segment.Page]*segment.Page), ways: make(map[divide.As]*divide.As)}
}

// Known returns the remembered analysis of the body with this ID, read in the way
// that the parameter as says. It returns nil if there is none.
func (m *Reader) Known(id segment.ID, as divide.As) *Analysis {
	return m.known[analysisKey{id, m.ways[as]}]
}

// Of returns the analysis of a body that was sent with this head and MIME type. id
// is the ID of the body. The body is read only if its analysis is not remembered.
func (m *Reader) Of(id segment.ID, body, head []byte, mime string) *Analysis {
	as := divide.Sent(head, mime)
	as.Limit = m.Limit
	return m.As(id, body, as)
}

// As returns the analysis of a body that is read in the way that the parameter as
// says. id is the ID of the body. The body is read only if its analysis is not
// remembered.
func (m *Reader) As(id segment.ID, body []byte, as divide.As) *Analysis {
	way := m.ways[as]
	if way == nil {
		if len(m.ways) >= analysesMax { // the analyses in known would not be found again
			clear(m.ways)
			clear(m.known)
		}
		way = new(divide.As)
		*way = as
		m.ways[as] = way
	}
	k := analysisKey{id, way}
	a := m.known[k]
	if a == nil {
		if a = m.analyse(body, way); a.like(m.last) {
			a = m.last
		} else {
			m.last = a
			m.Memory += a.memory()
		}
		if len(m.known) >= analysesMax {
			clear(m.known)
		}
		m.known[k] = a
	}
	return a
}

// Open returns the page in body, divided into blocks and with the facts of its blocks.
// a is the analysis of body. Open returns nil if body does not divide into blocks.
func (m *Reader) Open(a *Analysis, body []byte) *facts.Reading {
	switch {
	case a.open != nil || a.Facts == nil:
		return a.open
	case a.rest != nil:
		return a.rest.Reading(body)
	}
	b, ok := m.Blocks.Open(body, *a.As, divide.Options{})
	if !ok {
		return nil
	}
	r := m.Blocks.Read(b)
	r.Close()
	if a.leaf == nil {
		a.keep(r) // otherwise other bodies share a
	}
	return r
}

// Close frees the divided pages of all remembered analyses, and sets Memory to 0. The analyses
// stay valid, and m can be used again.
func (m *Reader) Close() {
	m.Memory = 0
	for _, a := range m.known {
		a.Close()
	}
	clear(m.leaves[:cap(m.leaves)])
}

// Forget frees the memory of parts and leaves of pages that m has read.
func (m *Reader) Forget() { m.Blocks = facts.NewReader() }

// Classify sets the fields of e that depend on the analysis a of its body: Content, and Kind if
// the page is a soft 404. Before the call, the kind of e must be the kind that its headers say.
func (a *Analysis) Classify(e *segment.Entry) {
	e.Content = a.Content
	if a.Missing && e.Kind == record.KindPage {
		e.Kind = record.KindSoftMissing
	}
	if e.Kind != record.KindPage {
		e.Content = 0 // only pages have blocks
	}
}

// ClassifiedPage returns the Page of capture s, as PageOf does, but without what its kind does not
// have. Classify has set that kind.
func (a *Analysis) ClassifiedPage(s *segment.Stored) segment.Page {
	p := a.PageOf(s)
	if s.Kind != record.KindSoftMissing {
		p.Reason = ""
	}
	if s.Kind != record.KindPage {
		p.BlockCount = -1
	}
	return p
}

// Location returns the target of a Location header as a canonical URL. written is
// the value of the header, base is the canonical URL of the response. The target is
// resolved like that of a link, so it is the URL of the capture to which the redirect
// leads. If the target is not a valid URL, Location returns written unchanged, because
// the capture is a redirect all the same.
func Location(base, written string) string {
	if written == "" {
		return ""
	}
	u, err := urlkey.Resolve(base, written)
	if err != nil {
		return written
	}
	return u
}
