package relation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/block/life"
	"infomall/store/document"
	"infomall/store/document/format"
	"infomall/store/page"
	"infomall/store/page/article"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/search"
	"infomall/store/words/match"
)

// responsesMax is how many responses a Reader keeps in its cache: those of a
// version, of the version before, and one that a late column of another row may
// still need.
const responsesMax = 3

// response is the stored response of one capture, together with what was
// computed from its body. Each part is computed once, when it is first needed.
type response struct {
	record.Payload
	ref     record.Ref
	options divide.Options

	ready, readable bool
	body            []byte // after content-decoding, in its own charset
	charset         string

	divided     bool
	page        *divide.Body // of a document, its markup divided into blocks
	meta        *markup.Meta
	labels      []label.Label
	links       []facts.Link
	linkOffsets []int // of links, ascending; nil before countLinks
	cut         []int // the indexes of the blocks at the level cutLevel
	cutLevel    int
	linked      bool
	found       foundIn // how well the page answers the question asked last
	formatKnown bool
	formatFound format.Found
	articled    bool
	article     *article.Article // what the page says of itself as an article; nil if the body is not a page
	site        *inSite          // how the blocks compare with the blocks of other pages of the host
}

// response returns the stored response of the capture that ref identifies. It
// keeps the last few responses in a cache. o says how the body is divided into
// blocks.
func (r *Reader) response(ctx context.Context, ref record.Ref, o divide.Options) (*response, error) {
	for i, res := range r.responses {
		if res.ref == ref {
			copy(r.responses[1:i+1], r.responses[:i])
			r.responses[0] = res
			return res, nil
		}
	}
	p, err := r.Snapshot.Payload(ctx, ref)
	if err != nil {
		return nil, err
	}
	res := &response{Payload: p, ref: ref, options: o}
	if len(r.responses) < responsesMax {
		r.responses = append(r.responses, nil)
	}
	copy(r.responses[1:], r.responses)
	r.responses[0] = res
	return res, nil
}

// text decodes the body into r.body and r.charset, and reports whether people
// can read it. It returns false if the archive does not have the body, if it is
// not a text, or if it cannot be decoded.
func (r *response) text() bool {
	if r.ready {
		return r.readable
	}
	r.ready = true
	if r.NoBody != "" || !IsText(r.Mime) {
		return false
	}
	body, err := Decode(&r.Payload)
	if err != nil || page.IsBinary(body) {
		return false
	}
	r.body, r.readable = body, true
	r.charset = charset.Find(body, message.Header(r.Head, "Content-Type"), r.Charset).Charset
	return true
}

// blocks returns the body divided into blocks, or nil if it cannot be divided
// because it is missing, empty or neither a text nor a document.
func (r *response) blocks() *divide.Body {
	if r.divided {
		return r.page
	}
	r.divided = true
	var body []byte
	if r.Payload.Document == nil {
		body = r.readBody()
	}
	if r.NoBody == "" && (len(body) > 0 || r.Payload.Document != nil) {
		r.page, _ = divide.OpenStored(&r.Payload, body, r.options)
	}
	return r.page
}

// document returns the document that the body is, such as a PDF, or nil if the body
// is a page, or was not read as a document.
func (r *response) document() *document.Document {
	if b := r.blocks(); b != nil {
		return b.Document
	}
	return nil
}

// readBody returns the body as the server sent it. Of a body that is larger
// than the limit up to which bodies are read, it returns the first part.
func (r *response) readBody() []byte {
	if r.Large != nil && r.ReadLimit > 0 {
		body, _ := r.First(r.ReadLimit + 1) // bytes lost to damage cannot be shown
		return body
	}
	return r.Body
}

// version returns the capture in the form that package life needs to compare
// versions. time and kind are those of the capture. digest identifies its body:
// versions with equal digests have equal bodies.
func (r *response) version(time record.Time, kind record.Kind, digest record.Digest) life.Version {
	size := r.Size
	if r.Large == nil {
		size = int64(len(r.Body))
	}
	v := life.Version{Time: time, Kind: kind, Digest: digest, Size: size, Body: r.blocks()}
	if v.Body != nil && v.Body.Document != nil && len(v.Body.Blocks) <= 1 {
		v.Body = nil // a document without text, such as a picture, is compared by its bytes
	}
	return v
}

// about returns what the page says about itself, such as its title and
// language. For a body without blocks, all fields are empty.
func (r *response) about() *markup.Meta {
	if r.meta == nil {
		r.meta = new(markup.Meta)
		if b := r.blocks(); b != nil {
			*r.meta = b.Page.Meta(b.Charset)
		}
	}
	return r.meta
}

// label returns the label of block n, such as label.Nav. A body that was not
// divided has the label label.Other.
func (r *response) label(n int) label.Label {
	b := r.blocks()
	if b == nil || n >= len(b.Blocks) {
		return label.Other // a body that was not divided has no label of its own
	}
	if r.labels == nil {
		r.labels = about.Labels(b.Tree)
	}
	return r.labels[n]
}

// allLinks returns the links of the response: first those of its headers, then
// those of its body, in their order.
func (r *response) allLinks() []facts.Link {
	if r.linked {
		return r.links
	}
	r.linked = true
	if b := r.blocks(); b != nil && b.Document != nil {
		r.links = documentLinks(b)
	} else if b != nil {
		r.links = facts.Links(b)
	} else if r.NoBody == "" {
		r.links = facts.OutsideLinks(divide.Outside(r.readBody(), divide.AsOf(&r.Payload)))
	}
	return r.links
}

// inCut returns the index, among all blocks of the body, of a block given by
// its place, from 0, among the blocks of one level. For a body that was not
// divided, it returns 1, which is past the end.
func (r *response) inCut(level, place int) int {
	b := r.blocks()
	if b == nil || len(b.Blocks) <= 1 {
		return 1
	}
	return r.cutAt(level)[place]
}

// cutAt returns the blocks at a level, as indexes in the list of all blocks of the body, which must
// be divided. It keeps the last result.
func (r *response) cutAt(level int) []int {
	if r.cut == nil || r.cutLevel != level {
		r.cut, r.cutLevel = r.blocks().Cut(level), level
	}
	return r.cut
}

// partAt returns the index of the block that contains the byte at offset of the body, if the body is
// divided down to the given level. It returns 0 if the body is not divided or no block contains the
// byte.
func (r *response) partAt(level, offset int) int {
	b := r.blocks()
	if b == nil {
		return 0
	}
	cut := r.cutAt(level)
	i, _ := slices.BinarySearchFunc(cut, offset, func(n, at int) int { return cmp.Compare(b.Blocks[n].End-1, at) })
	if i < len(cut) && b.Blocks[cut[i]].Start <= offset {
		return cut[i]
	}
	return 0
}

// decodedBytesMax bounds the size in bytes of a body after its content-coding,
// such as gzip, is removed.
const decodedBytesMax = 64 << 20

// Decode returns the body of p without its content-coding, such as gzip. If the
// body is damaged or too large, it returns the first part. It returns an error
// if the body cannot be decoded at all.
func Decode(p *record.Payload) ([]byte, error) {
	body, _, err := coding.DecodePart(p.Body, message.Codings(p.Head), decodedBytesMax)
	return body, err
}

// IsText reports whether bodies of the media type mime are texts that people
// can read. It reports true for "", a type that is not known.
func IsText(mime string) bool {
	if mime == "" || strings.HasPrefix(mime, "text/") {
		return true
	}
	for _, part := range []string{"html", "xml", "json", "javascript", "ecmascript"} {
		if strings.Contains(mime, part) {
			return true
		}
	}
	return false
}

// snippet returns an excerpt of the text of r around the words of q: of its best block,
// or of the whole text if the block alone does not have all words.
func (r *response) snippet(q *match.Query) value.Value {
	start, end := r.part(r.inCut(facts.KeptLevel, r.answer(q).Place))
	text := r.page.Text(start, end)
	if !q.Matches(text) {
		text = r.page.Page.Text(r.page.Charset)
	}
	return value.OfText(expr.Snippet(text, q))
}

// foundIn is how well a page answers the search query of.
type foundIn struct {
	of   *match.Query
	best search.Best
}

// answer returns how well the page answers the search query q. The body must be a text.
func (r *response) answer(q *match.Query) search.Best {
	if r.found.of != q {
		r.found = foundIn{q, search.Rank(q, r.wordsOf(q))}
	}
	return r.found.best
}

// wordsOf returns the occurrences of the words of q in the page. The body must be a text.
// wordsOf counts leaf by leaf, like Snapshot.Words.
func (r *response) wordsOf(q *match.Query) *search.Page {
	b := r.page
	page := &search.Page{Title: strings.TrimSpace(r.about().Title)}
	add := func(l label.Label) *search.Block {
		page.Blocks = append(page.Blocks, search.Block{Label: l, Counts: make([]int, len(q.Atoms())), Linked: make([]int, len(q.Atoms()))})
		return &page.Blocks[len(page.Blocks)-1]
	}
	counts := make([]int, len(q.Atoms()))
	count := func(to *search.Block, start, end int) {
		clear(counts)
		to.Terms += q.Count(b.Text(start, end), counts)
		if slices.Max(counts) == 0 {
			return
		}
		for i, c := range counts {
			to.Counts[i] += c
		}
		for _, a := range b.Anchors(start, end) {
			q.Count(a, to.Linked)
		}
	}
	if len(b.Blocks) <= 1 {
		count(add(label.Other), 0, len(b.Page.Body))
		return page
	}
	leaves := b.Cut(0)
	for _, n := range b.Cut(facts.KeptLevel) {
		to := add(r.label(n))
		for len(leaves) > 0 && leaves[0] < b.Blocks[n].Next {
			count(to, b.Blocks[leaves[0]].Start, b.Blocks[leaves[0]].End)
			leaves = leaves[1:]
		}
	}
	return page
}
