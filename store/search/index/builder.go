package index

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/page/charset"
	"infomall/store/segment"
	"infomall/store/words/match"
)

const (
	// readingsMax is the largest number of readings of a run for which AddRun makes documents.
	// The index says nothing of a page that has a further reading: the search reads the page
	// itself.
	readingsMax = 8
	// blockBytes is the size in bytes, before compression, at which the Builder ends a block
	// of the file. It is small because a reader decompresses a whole block to use one term or
	// one run. With half of it, the index of kafka takes 19 KB more, and no search is faster.
	blockBytes = 64 << 10
	// partBytes is the estimated size in bytes of the terms in memory at which the Builder
	// ends the current part and writes it.
	partBytes = 96 << 20
	// termBytes is an estimate of the bytes of memory that one term takes, without its letters,
	// while it is added and while terms are sorted. manyBytes is how many more a term takes that
	// has several places, without the bytes of its postings.
	termBytes, manyBytes = 80, 48
)

// Source is one run of a segment, as AddRun needs it to index the run.
type Source struct {
	Blocks int    // number of blocks
	Pages  []Page // one for each capture
	// Read returns the text that block n has in the reading, and the texts of those links in
	// the block that lead to other addresses. The text is valid until the next call.
	Read func(n int, as Reading) (text string, anchors []string)
	// Neutral reports whether the bytes of block n are plain ASCII.
	Neutral func(n int) bool
	// Skip reports whether no page of the segment has block n as a leaf. The block is then,
	// for example, a piece of a layout, or a picture, and its words are not indexed.
	Skip func(n int) bool
	// Leaves has the leaves of the page of each capture. It is nil for a page without leaves.
	Leaves [][]segment.Span
	// Terms returns the number of terms of some leaves in the reading: of count leaves of a run from
	// number from on. The run is not one that was added. Terms returns 0 if it does not know. A nil
	// Terms knows of no leaf.
	Terms func(run segment.RunRef, from, count uint32, as Reading) int
	// Targets returns the keys of the URLs to which capture i has links. known is false if the
	// links of the capture are not known. A key may come several times. A nil Targets means
	// that no capture has links.
	Targets func(i int) (keys []string, known bool)
	// Number is the number of the run in its segment.
	Number uint32
}

// Builder makes an index. Only one goroutine may use it.
type Builder struct {
	w      *bufio.Writer
	at     int64  // number of bytes written so far
	frames []byte // the block that was written last
	err    error
	table  []byte // the entries of the runs in the table of the file
	runs   int
	blocks [kinds][]byte // the entries of the blocks of each kind in the table of the file
	counts [kinds]int

	readings list[Reading]
	others   list[uint32] // IDs of other segments that store leaves of the pages
	pages    pageGroup
	own      map[segment.RunRef]*ownRun // the runs that were added so far
	current  *ownRun
	shapes   shapeGroup // the shapes of the documents of the current group of runs

	words    match.Terms
	docs     int     // number of documents so far
	docTerms []int32 // the number of terms of each document, up to the last one with terms
	alias    []int   // documents of earlier runs whose texts the current run has, too

	noted       []byte // the terms that note added, a zero byte after each
	notedJoined []bool // for each term in noted: words.Joined when note added it
	text        []byte // memory of linked: the noted terms of the current document
	textJoined  []bool
	names       []segmentRuns
	mostTerms   int // the largest value that terms.size() returned
	*builderMemory
}

// ownRun says which documents the blocks of one run of the index have.
type ownRun struct {
	doc      []int32 // the numbers of all documents, block after block
	at       []int32 // for each block: the index of its first document in doc; -1 if the block is skipped
	neutral  []bool  // for each block: it has the same text in all readings
	readings []Reading
}

// document returns the document of block n, read in the way that as describes, or -1 if the block
// has none.
func (o *ownRun) document(n uint32, as readAs) int {
	if int(n) >= len(o.at) || o.at[n] < 0 {
		return -1
	}
	if i := as.shape(int(o.at[n]), o.neutral[n]); i >= 0 {
		return int(o.doc[i])
	}
	return -1
}

// segmentRuns is a segment that the index covers, with the number of its runs.
type segmentRuns struct {
	Name
	id   uint32
	runs int
}

// The kinds of blocks of an index file.
const (
	kindTerms = iota
	kindPostings
	kindShapes
	kindPages
	kindUsers
	kindTargets
	kinds
)

// NewBuilder returns a Builder that writes an index to w. The caller calls Begin for each
// segment, then AddRun or AddLost for each run of the segment in order. At the end it
// calls Finish.
func NewBuilder(w io.Writer) (*Builder, error) {
	m, ok := memories.Get().(*builderMemory)
	if !ok {
		m = &builderMemory{terms: newDictionary(), texts: newTexts(), lists: newListWriter()}
		var err error
		if m.enc, err = newEncoder(zstd.SpeedBetterCompression); err == nil {
			m.fast, err = newEncoder(zstd.SpeedFastest)
		}
		if err != nil {
			return nil, err
		}
	}
	b := &Builder{w: bufio.NewWriter(w), builderMemory: m, own: make(map[segment.RunRef]*ownRun)}
	b.write([]byte{disk.FormatByte})
	return b, nil
}

// builderMemory is what a Builder allocates and a later one can use again. The indexes of a
// million captures in 20 pools then take 7.0 s of CPU time instead of 7.5 s.
type builderMemory struct {
	enc *zstd.Encoder
	// fast compresses terms and pages. They have few repetitions left, and a better level finds
	// short ones that cost more than they save. For terms it makes the index of kafka 1.4 KB
	// smaller, that of a million captures 1 MB larger, and a Builder take a fifth more CPU time.
	// For pages these are 3.4 KB, 41 KB and 6 %.
	fast  *zstd.Encoder
	terms dictionary
	texts texts

	users   users // the users of the leaves of the current group of runs
	targets targets
	lists   *listWriter

	block, numbers, letters, postings []byte // memory for blocks before they are compressed
}

// memories has the memory of Builders that are done.
var memories sync.Pool // of *builderMemory

// memoryMax is the largest estimate of the bytes of terms with which a Builder gives its
// memory to later Builders.
const memoryMax = 32 << 20

// newEncoder returns a compressor of this level.
func newEncoder(level zstd.EncoderLevel) (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
}

// free gives the memory of b to later Builders.
func (b *Builder) free() {
	if b.mostTerms <= memoryMax {
		b.texts.reset()
		b.users.reset()
		b.targets.reset(0)
		memories.Put(b.builderMemory)
	}
	b.builderMemory = nil
}

// Begin starts the segment with this ID. name identifies the segment's db-file. The runs
// added next belong to this segment.
func (b *Builder) Begin(id uint32, name Name) {
	b.names = append(b.names, segmentRuns{Name: name, id: id})
}

func (b *Builder) write(p []byte) {
	if b.err == nil {
		_, b.err = b.w.Write(p)
	}
	b.at += int64(len(p))
}

// addBlock compresses content, writes it as a block, and adds an entry for the block to
// the table. The entry begins with the bytes about, which say what the block describes: a
// run by its number, or a term. Each element of content gets a frame of its own.
func (b *Builder) addBlock(kind int, about []byte, content ...[]byte) {
	b.frames = b.frames[:0]
	enc := b.enc
	if kind == kindTerms || kind == kindPages {
		enc = b.fast
	}
	for _, c := range content {
		b.frames = enc.EncodeAll(c, b.frames)
	}
	t := append(b.blocks[kind], about...)
	t = binary.AppendUvarint(t, uint64(b.at))
	t = binary.AppendUvarint(t, uint64(len(b.frames)))
	b.blocks[kind] = binary.LittleEndian.AppendUint32(t, crc32c.Sum(b.frames))
	b.counts[kind]++
	b.write(b.frames)
}

// AddLost adds a run that cannot be read. A search must then read the pages of this run,
// and all pages that have leaves in it.
func (b *Builder) AddLost() {
	b.alias = b.alias[:0]
	b.beginRun(runLost, 0, 0, nil)
	b.pages.add(b, nil)
	b.endRun()
}

// documentsMax is the largest number of documents of an index. AddRun adds a run as lost
// if the run could exceed this number.
const documentsMax = 1 << 25

// AddRun adds the next run. It returns an error if the index cannot be written.
func (b *Builder) AddRun(s *Source) error {
	if b.docs+2*readingsMax*s.Blocks > documentsMax {
		b.AddLost()
		return b.err
	}
	var readings []int
	plain, neutral := false, true // neutral: plain ASCII has the same text in all readings
	for i := range s.Pages {
		p := &s.Pages[i]
		if !p.HasLeaves() {
			continue
		}
		n := b.readings.number(p.Reading)
		if !slices.Contains(readings, n) && len(readings) < readingsMax {
			neutral = neutral && charset.ASCIISafe(p.Reading.Charset) && (len(readings) == 0 || plain == p.Reading.Plain)
			plain = p.Reading.Plain
			readings = append(readings, n)
		}
	}
	slices.Sort(readings)
	own := &ownRun{at: make([]int32, 0, s.Blocks), neutral: make([]bool, 0, s.Blocks)}
	if len(readings) > 0 {
		own.doc = make([]int32, 0, s.Blocks)
	}
	for _, r := range readings {
		own.readings = append(own.readings, b.readings.all[r])
	}
	b.current = own
	flags, first := byte(runNeutral), b.docs
	b.alias = b.alias[:0]
	if len(readings) == 0 || !neutral {
		flags = 0
	}
	for n := range s.Blocks {
		own.at = append(own.at, int32(len(own.doc)))
		own.neutral = append(own.neutral, neutral && s.Neutral(n))
		switch {
		case len(readings) == 0:
			own.at[n] = -1
		case s.Skip(n):
			own.at[n] = -1
			b.shapes.flags = append(b.shapes.flags, shapeSkipped)
		case own.neutral[n]:
			text, anchors := s.Read(n, b.readings.all[readings[0]])
			b.document(text, anchors, shapeNeutral, first)
		default:
			flags &^= runNeutral
			for _, r := range readings {
				text, anchors := s.Read(n, b.readings.all[r])
				b.document(text, anchors, 0, first)
			}
		}
	}
	b.beginRun(flags, s.Blocks, b.docs-first, readings)
	b.own[segment.RunRef{Segment: b.names[len(b.names)-1].id, Run: s.Number}] = own
	for i := range s.Pages {
		at := i
		for s.Pages[at].Kind == PageSame {
			at = int(s.Pages[at].Same)
		}
		if p := &s.Pages[at]; p.HasLeaves() {
			p.Terms = rounded(b.use(s, s.Leaves[at], p.Reading))
		}
		b.users.captures++
		if s.Targets != nil {
			keys, known := s.Targets(i)
			if !known {
				b.targets.add(unknownTargets)
			}
			for _, key := range keys {
				b.targets.add(key)
			}
		}
		b.targets.users.captures++
	}
	b.special(s.Pages)
	b.pages.add(b, s.Pages)
	b.endRun()
	if b.terms.size() >= partBytes {
		b.endPart()
	}
	return b.err
}

// Of a Page.Terms above termsExact, termsDigits binary digits are kept. Versions of a long page then mostly have
// the same number: the index of kafka takes 2 KB less than with all digits. Short pages need the exact number: pages
// with equal scores have equal bounds by that, and a search for the best pages ranks few of them.
const termsExact, termsDigits = 256, 4

// rounded returns n rounded down to what is kept of it.
func rounded(n int) int {
	if n <= termsExact {
		return n
	}
	drop := bits.Len(uint(n)) - termsDigits
	return n >> drop << drop
}

// use records in b.users that the current capture has these leaves, and returns how many terms
// they have, as far as that is known. The leaves are of a page of s, and the parameter as is the
// reading of the page.
func (b *Builder) use(s *Source, leaves []segment.Span, as Reading) (terms int) {
	reading := b.readings.number(as)
	for _, l := range leaves {
		ref := segment.RunRef{Segment: l.Segment, Run: l.Run}
		own := b.own[ref]
		if own == nil {
			b.users.add(readRun{ref, reading}, l.N, l.Count)
			if s.Terms != nil {
				terms += s.Terms(ref, l.N, l.Count, as)
			}
			continue
		}
		in := readAsOf(own.readings, as)
		for n := l.N; n < l.N+l.Count; n++ {
			if doc := own.document(n, in); doc >= 0 {
				b.users.add(ownDocuments, uint32(doc), 1)
				terms += int(b.docTerms[doc])
			} else {
				b.users.add(readRun{ref, reading}, n, 1)
			}
		}
	}
	return terms
}

// The flags of a run in the table of the file.
const (
	runLost    = 1 << iota // the run could not be read
	runNeutral             // all its blocks are neutral or skipped
)

// shapeGroup encodes the shapes of the documents of consecutive runs. Each column gets a frame of its own: in one
// frame, the shapes of kafka take 76,376 bytes instead of 62,866.
type shapeGroup struct {
	flags []byte // for each block of a run: the flags below. A block that is not neutral has an element for each reading of the run
	terms []byte // for each element of flags but shapeSkipped: a uvarint with the number of terms
	back  []byte // for each shapeAlias: a uvarint that says how many documents back the earlier document is
}

// The flags of a shape. In memory, they are the lowest bits of a number, and the number of terms is above them.
const (
	shapeNeutral = 1 << iota
	shapeOpen
	shapeParting
	shapeLink  // the whole text is the text of one link
	shapeLinks // the next document has the texts of the links in this one
	shapeAlias // an earlier document has the same text; in memory, shapes do not have this flag
	shapeBits  = 5

	// shapeSkipped stands for a skipped block. It cannot be confused with a document, because no document is both open
	// and parting.
	shapeSkipped = shapeOpen | shapeParting
)

// put adds the shape x, which may have the flag shapeNeutral. back is how many documents back the earlier document
// with the same text is, or 0 if there is none.
func (g *shapeGroup) put(x uint64, back int) {
	flags := byte(x & (1<<shapeBits - 1))
	if back > 0 {
		flags |= shapeAlias
		g.back = binary.AppendUvarint(g.back, uint64(back))
	}
	g.flags, g.terms = append(g.flags, flags), binary.AppendUvarint(g.terms, x>>shapeBits)
}

// linkGap is the distance, in terms, that the Builder puts between the texts of two links.
// It is so large that no phrase and no NEAR matches across two links.
const linkGap = match.NearMax + 1

// document adds text, which a block of the current run has, to the index. If an earlier
// document has the same text, document refers to that one. first is the number of the
// first document that was new in this run. anchors are the texts of the links in text.
func (b *Builder) document(text string, anchors []string, flags uint64, first int) {
	of, known := b.texts.add(text, anchors)
	if known {
		b.current.doc = append(b.current.doc, of.doc)
		b.shapes.put(of.shape|flags, b.docs-int(of.doc))
		if int(of.doc) < first {
			b.alias = append(b.alias, int(of.doc))
		}
		return
	}
	doc := b.docs
	b.current.doc = append(b.current.doc, int32(doc))
	b.noted, b.notedJoined = b.noted[:0], b.notedJoined[:0]
	for b.words.ReadPart(text); b.words.Next(); {
		b.term(b.words.Count - 1)
		if len(anchors) > 0 {
			b.note()
		}
	}
	s := b.words.Shape()
	shape := uint64(s.Terms) << shapeBits
	if s.Open {
		shape |= shapeOpen
	}
	if s.Parting {
		shape |= shapeParting
	}
	b.docs++
	b.docTerms = append(b.docTerms, int32(s.Terms))
	if shape |= b.linked(anchors); b.docs > len(b.docTerms) {
		b.docTerms = append(b.docTerms, 0) // the texts of links belong to no page of their own
	}
	of.doc, of.shape = int32(doc), shape
	b.shapes.put(shape|flags, 0)
}

// note appends the current term to b.noted, so that linked can compare the terms of the
// text with the terms of a link.
func (b *Builder) note() {
	b.noted = append(append(b.noted, b.words.Term()...), 0)
	b.notedJoined = append(b.notedJoined, b.words.Joined)
}

// linked adds one more document, with the texts of the links of the current document. It
// adds none if these texts have no terms. It also adds none if there is only one link and
// the text of that link is the whole current document. linked returns shapeLinks if it
// added a document, shapeLink in the last case, and otherwise 0.
func (b *Builder) linked(anchors []string) (flags uint64) {
	if len(anchors) == 0 {
		return 0
	}
	// The terms of the text move to text and joined, and b.noted gets other memory.
	b.noted, b.text = b.text, b.noted
	b.notedJoined, b.textJoined = b.textJoined, b.notedJoined
	text, joined := b.text, b.textJoined
	withTerms := 0
	for _, a := range anchors {
		b.noted, b.notedJoined = b.noted[:0], b.notedJoined[:0]
		for b.words.Read(a); b.words.Next(); {
			b.note()
		}
		if len(b.notedJoined) > 0 {
			withTerms++
		}
		if len(b.notedJoined) > 0 && bytes.Equal(b.noted, text) && slices.Equal(b.notedJoined[1:], joined[1:]) && len(anchors) == 1 {
			return shapeLink
		}
	}
	if withTerms == 0 {
		return 0
	}
	n := 0
	for _, a := range anchors {
		from := n
		for b.words.Read(a); b.words.Next(); n++ {
			b.term(n)
		}
		if n > from {
			n += linkGap
		}
	}
	b.docs++
	return shapeLinks
}

// term adds to the postings that the current document has the current term at position n,
// counted in terms.
func (b *Builder) term(n int) {
	b.terms.add(b.words.Term(), b.words.Letter, int32(b.docs), n, b.words.Joined)
}

// beginRun adds the entry of the next run to the table of the file.
func (b *Builder) beginRun(flags byte, blocks, docs int, readings []int) {
	t := append(b.table, flags)
	t = binary.AppendUvarint(t, uint64(blocks))
	t = binary.AppendUvarint(t, uint64(docs))
	slices.Sort(b.alias)
	b.alias = slices.Compact(b.alias)
	t = binary.AppendUvarint(t, uint64(len(b.alias)))
	before := 0
	for _, doc := range b.alias {
		t = binary.AppendUvarint(t, uint64(doc-before))
		before = doc
	}
	t = binary.AppendUvarint(t, uint64(len(readings)))
	for _, r := range readings {
		t = binary.AppendUvarint(t, uint64(r))
	}
	b.table = t
	if flags&runLost != 0 {
		b.table = append(b.table, 0, 0) // no captures, no special ones
	}
}

// special adds to the table the number of captures of the run, and the list of its special
// captures. A capture is special if its leaves do not show which words it has. The list
// stores each as the distance from the number of the special capture before, times 2, plus
// 1 if the capture has no text.
func (b *Builder) special(pages []Page) {
	var all []byte
	count, before := 0, 0
	for i, p := range pages {
		if p.Kind == PageSame {
			p = pages[p.Same]
		}
		if p.HasLeaves() || p.Kind == PageEmpty {
			continue
		}
		x := uint64(i-before) << 1
		if p.Kind == PageNone {
			x |= 1
		}
		all = binary.AppendUvarint(all, x)
		count, before = count+1, i
	}
	b.table = binary.AppendUvarint(b.table, uint64(len(pages)))
	b.table = append(binary.AppendUvarint(b.table, uint64(count)), all...)
}

// endRun ends the current run. It also writes the shapes, pages, users and targets
// collected from several runs if they are large enough for a block.
func (b *Builder) endRun() {
	b.runs++
	b.names[len(b.names)-1].runs++
	if len(b.shapes.flags)+len(b.shapes.terms)+len(b.shapes.back) >= blockBytes/8 {
		b.endShapes()
	}
	if b.pages.bytes >= blockBytes {
		b.endPages()
	}
	if b.users.full() {
		b.endUsers()
	}
	if b.targets.full() {
		b.endTargets()
	}
}

func (b *Builder) endUsers() {
	var about []byte
	about, b.block = b.users.encode(b.others.number, b.lists, b.block[:0])
	b.addBlock(kindUsers, append(binary.AppendUvarint(nil, uint64(b.runs)), about...), b.block)
	b.users.reset()
}

func (b *Builder) endShapes() {
	g := &b.shapes
	b.block = packed.AppendSized(b.block[:0], g.flags)
	n := len(b.block)
	b.block = packed.AppendSized(b.block, g.terms)
	b.addBlock(kindShapes, binary.AppendUvarint(nil, uint64(b.runs)), b.block[:n], b.block[n:], g.back)
	g.flags, g.terms, g.back = g.flags[:0], g.terms[:0], g.back[:0]
}

func (b *Builder) endPages() {
	b.block = b.pages.appendTo(b.block[:0])
	b.addBlock(kindPages, binary.AppendUvarint(nil, uint64(b.runs)), b.block)
	b.pages.reset()
}

// endPart writes the terms of the current part, sorted, and their postings.
func (b *Builder) endPart() {
	numbers, letters, postings := b.numbers[:0], b.letters[:0], b.postings[:0]
	var room [16]byte // for the postings of a term that has only one place
	var before sortedTerm
	end := func() {
		// In two frames they take less space: kafka's terms 113,985 bytes instead of 129,699.
		b.block = packed.AppendSized(b.block[:0], numbers)
		b.addBlock(kindTerms, packed.AppendSized(nil, before.letters), b.block, letters)
		b.addBlock(kindPostings, nil, postings)
		numbers, letters, postings, before = numbers[:0], letters[:0], postings[:0], sortedTerm{}
	}
	b.terms.inOrder(func(of sortedTerm, t dictTerm) {
		bytes, n := b.terms.end(t, room[:])
		same := of.shared(&before)
		numbers = binary.AppendUvarint(numbers, uint64(same))
		numbers = binary.AppendUvarint(numbers, uint64(len(of.letters)-same))
		letters = append(letters, of.letters[same:]...)
		docs := uint64(n) << 1
		if t.more&termLetter != 0 {
			docs |= 1
		}
		numbers = binary.AppendUvarint(numbers, docs)
		numbers = binary.AppendUvarint(numbers, uint64(len(bytes)))
		postings = append(postings, bytes...)
		if before = of; len(numbers)+len(letters) >= blockBytes || len(postings) >= blockBytes {
			end()
		}
	})
	if len(numbers) > 0 {
		end()
	}
	b.numbers, b.letters, b.postings = numbers, letters, postings
	b.mostTerms = max(b.mostTerms, b.terms.size())
	b.terms.reset()
	b.blocks[kindTerms] = append(b.blocks[kindTerms], partEnd...)
}

// partEnd marks in the table the end of a part. It takes the place of the last term of a
// next block.
var partEnd = []byte{0}

// Finish writes the rest of the index. The Builder must not be used after that. Finish
// does not close the writer. The function seen is called for each segment outside the
// index that stores leaves of the pages. It returns the number of that segment's db-file
// if the index of that segment skips none of these leaves, otherwise 0; see Other.Number.
func (b *Builder) Finish(seen func(segment uint32) (number uint32)) error {
	if b.terms.size() > 0 {
		b.endPart()
	}
	b.endShapes()
	b.endPages()
	b.endUsers()
	b.endTargets()
	t := []byte{Version}
	t = binary.AppendUvarint(t, uint64(len(b.names)))
	for _, n := range b.names {
		t = binary.AppendUvarint(t, uint64(n.Number))
		t = binary.AppendUvarint(t, uint64(n.Bytes))
		t = binary.LittleEndian.AppendUint32(t, n.CRC)
		t = binary.AppendUvarint(t, uint64(n.runs))
	}
	t = binary.AppendUvarint(t, uint64(len(b.readings.all)))
	for _, r := range b.readings.all {
		t = packed.AppendSized(t, r.Charset)
		plain := byte(0)
		if r.Plain {
			plain = 1
		}
		t = append(t, plain)
	}
	t = binary.AppendUvarint(t, uint64(len(b.others.all)))
	for _, id := range b.others.all {
		t = binary.AppendUvarint(t, uint64(id))
		t = binary.AppendUvarint(t, uint64(seen(id)))
	}
	for kind, of := range b.blocks {
		t = binary.AppendUvarint(t, uint64(b.counts[kind]))
		t = packed.AppendSized(t, of)
	}
	t = binary.AppendUvarint(t, uint64(b.runs))
	t = append(t, b.table...)
	b.write(b.endOf(t))
	if b.err == nil {
		b.err = b.w.Flush()
	}
	b.free()
	return b.err
}

// endOf compresses the table and returns the last bytes of the file: the compressed table
// and the tail.
func (b *Builder) endOf(table []byte) []byte {
	frame := b.enc.EncodeAll(table, nil)
	size, sum := uint32(len(frame)), crc32c.Sum(frame)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(frame, size), sum)
}

// list gives each distinct value a number, from 0 on, in the order of first use.
type list[T comparable] struct {
	all  []T
	of   map[T]int
	last int // the last result of the method number
}

// number returns the number of v, and adds v if it is not in the list. Most calls ask for the value
// of the last call.
func (l *list[T]) number(v T) int {
	if l.last < len(l.all) && l.all[l.last] == v {
		return l.last
	}
	n, ok := l.of[v]
	if !ok {
		if l.of == nil {
			l.of = make(map[T]int)
		}
		n = len(l.all)
		l.of[v] = n
		l.all = append(l.all, v)
	}
	l.last = n
	return n
}
