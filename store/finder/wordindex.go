package finder

import (
	"context"
	"io"
	"slices"
	"unsafe"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/disk"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/words/match"
)

// WordIndexer makes indexes of words. It remembers the facts of leaves from one index to the next,
// because the pages of a group may have leaves that other segments store. Only one goroutine may use
// it.
type WordIndexer struct {
	v     *Finder
	facts leafReader
	links linkIndexer
	// Each run is read into the memory of the run before. With new memory for each run, the index of a
	// million captures took a tenth more CPU time, and 168 MB of memory instead of 130.
	metas  segment.RunMemory // of the runs that the method findLeaves reads
	runs   segment.RunMemory // of the runs that the method open reads
	packed bool              // the last run that findLeaves read is in the form of static pools
}

// WordIndexer returns a WordIndexer for the segments of v.
func (v *Finder) WordIndexer() *WordIndexer {
	m := &WordIndexer{v: v, facts: leafReader{v: v}}
	m.links = linkIndexer{v: v, facts: &m.facts}
	return m
}

// Index writes to w one index of the words of the segments, which must be a group that
// WordGroups returned. If a run is damaged, the index records that, and a search reads the
// run's pages instead. Index calls progress after each run, with the number of runs done.
func (m *WordIndexer) Index(ctx context.Context, segments []*segment.Info, w io.Writer, progress func(runs int)) error {
	b, err := index.NewBuilder(w)
	if err != nil {
		return err
	}
	v := m.v
	x := &wordIndexer{v: v, of: m, packed: make(map[uint32]bool), ids: make(map[uint32]bool), facts: &m.facts, links: &m.links, used: make(map[segment.RunRef]*usedBlocks), unseen: make(map[uint32]bool), skipped: make(map[segment.RunRef][]bool), terms: make(map[index.Reading]runTerms)}
	if x.files, err = v.wordFiles(); err != nil {
		return err
	}
	for _, s := range segments {
		x.ids[s.ID] = true
	}
	for _, s := range slices.Backward(segments) {
		if err := x.findLeaves(ctx, v.Runs.Reader(s)); err != nil {
			return err
		}
	}
	done := 0
	for _, s := range segments {
		x.r = v.Runs.Reader(s)
		b.Begin(s.ID, index.Name{Number: s.Number(), Bytes: s.Bytes, CRC: s.CRC})
		for n := range uint32(s.Runs) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := x.open(ctx, n); disk.MayPass(err) {
				return err
			} else if err != nil {
				b.AddLost()
			} else if err := b.AddRun(&x.source); err != nil {
				return err
			}
			done++
			progress(done)
		}
	}
	return b.Finish(x.seen)
}

// wordIndexer reads the runs of segments and gives their words to an index.Builder.
type wordIndexer struct {
	v       *Finder
	of      *WordIndexer    // its memory is used
	packed  map[uint32]bool // the segments of the group that have a run in the form of static pools
	ids     map[uint32]bool // the IDs of the segments of the group
	r       *segment.Reader // the current segment
	run     *segment.Run
	entries []segment.Stored // of the current run
	same    []uint32         // for each entry, the first entry of the run with the same page
	source  index.Source
	outline facts.Outline
	reading index.Reading // of the last page that the method read has read
	shown   []byte        // memory of the last text that the method text has made
	links   *linkIndexer
	facts   *leafReader
	cuts    []facts.OutlineBlock // memory for the cuts of the run's pages
	spans   []segment.Span       // memory for the leaves of the run's pages

	asked uint32 // the last argument of inGroup, and its result; 0 is no segment
	in    bool

	main facts.MainPrinter // of the page that is read

	used     map[segment.RunRef]*usedBlocks // how the pages of the group use the blocks of each run of the group
	usedLast *usedBlocks                    // the last result of usedOf; nil at first
	usedRun  segment.RunRef                 // the run that usedLast describes

	files   *wordFiles
	skipped map[segment.RunRef][]bool  // for runs outside the group: whether the index of the run's segment lacks block n
	terms   map[index.Reading]runTerms // by the reading of the leaves
	termsAs index.Reading              // the reading that was asked for last
	termsIn runTerms                   // terms[termsAs], or nil
	unseen  map[uint32]bool            // segments outside the group that have no index, or whose index lacks a leaf that a page of the group uses
}

// runTerms has the results of index.File.TermsBefore for runs outside the group, in one reading.
type runTerms map[segment.RunRef][]int32

// skippedMost is the greatest number of runs in wordIndexer.skipped, and in a runTerms.
const skippedMost = 1 << 14

// usedBlocks says how the blocks of a run are used: element n has the uses of block n. It has no
// elements for the last blocks if they have no use.
type usedBlocks []blockUse

// blockUse is a set of uses of a block.
type blockUse uint8

const (
	usedAsLeaf  blockUse = 1 << iota // the block is a leaf of a page
	usedForMore                      // it is something else, such as the layout of a page
)

// add records a use of count blocks. The number of the first one is from.
func (b *usedBlocks) add(from, count uint32, use blockUse) {
	if count == 0 {
		return
	}
	if more := int(from+count) - len(*b); more > 0 {
		*b = append(*b, make([]blockUse, more)...)
	}
	list := (*b)[from : from+count]
	for n := range list {
		list[n] |= use
	}
}

// noLeaf reports whether block n is used, but is not a leaf of any page.
func (b usedBlocks) noLeaf(n int) bool { return n < len(b) && b[n] == usedForMore }

// usedOf returns the element of x.used for a run. Many calls for the same run follow each other.
func (x *wordIndexer) usedOf(run segment.RunRef) *usedBlocks {
	if x.usedLast == nil || x.usedRun != run {
		of := x.used[run]
		if of == nil {
			of = new(usedBlocks)
			x.used[run] = of
		}
		x.usedLast, x.usedRun = of, run
	}
	return x.usedLast
}

// findLeaves reads the captures of segment r, and records in x.used how they use the blocks of the
// group. It leaves out runs that cannot be read.
//
// It reads the last run first. The first runs are then still in memory when the runs are indexed,
// however many there are.
func (x *wordIndexer) findLeaves(ctx context.Context, r *segment.Reader) error {
	for n := uint32(r.Info.Runs); n > 0; {
		n--
		if err := ctx.Err(); err != nil {
			return err
		}
		meta, err := x.metaOf(r, n)
		if disk.MayPass(err) {
			return err
		}
		if err != nil || meta.Len() == 0 {
			continue
		}
		_, _, mimes, err := meta.Keys()
		if err != nil {
			continue
		}
		for i, mime := range mimes {
			recipe, _, err := meta.Recipe(uint32(i))
			if err != nil {
				break // all recipes of the run are damaged
			}
			layout := recipe.Layout
			if layout == 0 && !isPage(mime) {
				layout = ^uint32(0)
			}
			for _, s := range recipe.Spans {
				first := min(layout, s.Count) // so many blocks of the span are layout
				layout -= first
				if x.inGroup(s.Segment) {
					used := x.usedOf(segment.RunRef{Segment: s.Segment, Run: s.Run})
					used.add(s.N, first, usedForMore)
					used.add(s.N+first, s.Count-first, usedAsLeaf)
				}
			}
		}
	}
	return nil
}

// metaOf returns the meta of run n of segment r, valid until the next call.
func (x *wordIndexer) metaOf(r *segment.Reader, n uint32) (meta *segment.Meta, err error) {
	if x.of.packed { // then this run is probably packed, too
		meta, err = x.v.Runs.OpenedMeta(r, n)
	} else {
		meta, err = x.v.Runs.CachedMeta(r, n, &x.of.metas)
	}
	if err == nil {
		x.of.packed = meta.Packed()
		x.packed[r.Info.ID] = x.packed[r.Info.ID] || meta.Packed()
	}
	return meta, err
}

// inGroup reports whether a segment belongs to the group for which x makes an index.
func (x *wordIndexer) inGroup(id uint32) bool {
	if id != x.asked {
		x.asked, x.in = id, x.ids[id]
	}
	return x.in
}

// isPage reports whether a body with this media type may be a page.
func isPage(mime string) bool { return page.IsMarkup(mime) || mime == "text/plain" }

// open sets x.source to what will be indexed of run n of segment x.r: its blocks, and the page
// of each capture. An error means that the run cannot be read.
func (x *wordIndexer) open(ctx context.Context, n uint32) error {
	run, err := x.load(n)
	if err != nil {
		return err
	}
	if _, err := run.Content(); err != nil {
		return err
	}
	x.run = run
	ref := segment.RunRef{Segment: x.r.Info.ID, Run: n}
	blocks := run.BlockCount()
	kept, damage := run.Facts()
	x.facts.begin(ref, blocks, kept)
	x.cuts, x.spans = x.cuts[:0], x.spans[:0]
	x.source = index.Source{
		Number: n, Blocks: blocks, Read: x.text, Terms: x.termsOf, Pages: x.source.Pages[:0], Leaves: x.source.Leaves[:0],
		Neutral: func(n int) bool { return charset.IsASCII(x.block(n)) },
		Skip:    x.usedOf(ref).noLeaf,
	}
	if run.Meta.Len() == 0 {
		return nil
	}
	if damage != nil {
		return damage
	}
	if x.same, err = run.Meta.AppendSame(x.same[:0]); err != nil {
		return err
	}
	if x.entries, err = run.Meta.AppendPages(x.entries[:0]); err != nil {
		return err
	}
	for i := range x.entries {
		e := &x.entries[i]
		p := index.Page{Kind: index.PageUnknown}
		x.source.Leaves = append(x.source.Leaves, nil)
		switch {
		case e.Body != segment.BodyNone && (e.Bytes == 0 || !isPage(e.Mime)):
			p.Kind = index.PageNone
		case e.Body == segment.BodyNone || e.Page.Charset == "" || e.Page.ReadBytes != 0:
		case int(x.same[i]) < i:
			p.Kind, p.Same = index.PageSame, x.same[i]
		case e.Body == segment.BodyOwn:
			if x.read(&p, e, kept.Page(uint32(i))) {
				p.Kind = index.PageOwn
			} else if x.outline.Leaves == 0 && x.empty(ctx, record.Ref{Segment: x.r.Info.ID, Run: n, N: uint32(i)}) {
				p.Kind = index.PageEmpty
			}
		case e.Change != record.ChangeSame:
			x.held(ctx, &p, timeline.Place{Seg: x.r, Run: n, N: uint32(i)}, e)
		}
		x.source.Pages = append(x.source.Pages, p)
	}
	x.source.Targets = func(i int) ([]string, bool) {
		return x.links.of(ctx, timeline.Place{Seg: x.r, Run: n, N: uint32(i)}, &x.entries[i])
	}
	return nil
}

// load returns run n of segment x.r. The run is valid until the next call.
//
// The content of a run in the form of static pools is needed to decompress other runs, so such runs
// are kept in memory as long as there is room.
func (x *wordIndexer) load(n uint32) (*segment.Run, error) {
	if x.packed[x.r.Info.ID] {
		return x.v.Runs.Run(x.r, n)
	}
	return x.v.Runs.Lend(x.r, n, &x.of.runs)
}

// block returns block n of the current run.
func (x *wordIndexer) block(n int) []byte {
	b, _ := x.run.Block(uint32(n)) // unreachable error: the content is there, and n is below the number of blocks
	return b
}

// text returns the text of block n of the current run, and the texts of those links in it that
// lead to other URLs. The parameter as says how the block is read. The text is valid until the next
// call: with a new string for each text, the index of a million captures takes 5 % more CPU time.
func (x *wordIndexer) text(n int, as index.Reading) (string, []string) {
	if t := &x.facts.texts[n]; t.In(as.Charset, as.Plain) {
		return t.Text, t.Anchors
	}
	b := &divide.Body{Plain: as.Plain, Charset: as.Charset}
	shown, anchors := b.AppendTextAndAnchors(x.shown[:0], x.block(n))
	x.shown = shown
	return unsafe.String(unsafe.SliceData(shown), len(shown)), anchors
}

// read sets p to the page whose body entry e stores, and adds the leaves of the page to x.source.
// encoded has the facts of the body. read returns false if the body is not stored in leaves.
func (x *wordIndexer) read(p *index.Page, e *segment.Stored, encoded []byte) bool {
	if x.outline.Read(encoded) != nil || x.outline.Inline {
		return false
	}
	from := len(x.spans)
	x.spans = appendLeaves(x.spans, e.Recipe.Spans, e.Recipe.Layout)
	leaves := x.spans[from:len(x.spans):len(x.spans)]
	if !inLeaves(&e.Recipe, leaves, x.outline.Leaves) {
		return false
	}
	p.Title = e.Page.Title
	if string(x.outline.Charset) != x.reading.Charset {
		x.reading.Charset = string(x.outline.Charset)
	}
	x.reading.Plain = x.outline.Plain
	p.Reading = x.reading
	x.cuts = append(x.cuts, x.outline.Cut...)
	p.Cut = x.cuts[len(x.cuts)-len(x.outline.Cut) : len(x.cuts) : len(x.cuts)]
	var err error
	if p.Print, p.Printed, err = x.print(leaves); err != nil {
		return false
	}
	for _, s := range leaves {
		x.look(s)
	}
	x.source.Leaves[len(x.source.Leaves)-1] = leaves
	return true
}

// print returns the fingerprint of the main text of the page in x.outline. leaves are the
// spans of its leaves. ok is false if the page has no main text.
func (x *wordIndexer) print(leaves []segment.Span) (print uint64, ok bool, err error) {
	spans := leaves
	if slices.ContainsFunc(leaves, func(s segment.Span) bool { return !x.inGroup(s.Segment) }) {
		if spans, err = x.v.Runs.Spans(segment.Recipe{Spans: leaves}); err != nil {
			return 0, false, err
		}
	}
	x.main.Begin(&x.outline)
	if err := x.facts.each(spans, func(n int, l *knownLeaf) { x.main.Add(n, &l.LeafFacts) }); err != nil {
		return 0, false, err
	}
	print, ok = x.main.Sum()
	return print, ok, nil
}

// empty reports whether the text of a capture's page has no word. It is called for a page that
// is stored as one block and has no leaf.
func (x *wordIndexer) empty(ctx context.Context, ref record.Ref) bool {
	p, err := x.v.Payload(ctx, ref)
	if err != nil || p.NoBody != "" || p.Large != nil {
		return false
	}
	b, ok := divide.OpenStored(&p, p.Body, divide.Options{})
	if !ok {
		return false
	}
	var terms match.Terms
	terms.Read(b.Page.Text(b.Charset))
	return !terms.Next()
}

// held sets p to the page of entry e, whose body another entry stores. The parameter at is the
// place of e. If the two entries were read in different ways, or the body cannot be read, held
// leaves p as it is.
func (x *wordIndexer) held(ctx context.Context, p *index.Page, at timeline.Place, e *segment.Stored) {
	o, where, err := x.v.Owner(ctx, at, e)
	if err != nil || o == nil || o.Page.Charset != e.Page.Charset || o.Mime != e.Mime || o.Page.ReadBytes != 0 {
		return
	}
	kept, err := x.facts.factsOf(where.Seg, where.Run)
	if err != nil {
		return
	}
	if !x.read(p, o, kept.Page(where.N)) {
		if x.outline.Leaves == 0 && x.empty(ctx, record.Ref{Segment: at.Seg.Info.ID, Run: at.Run, N: at.N}) {
			p.Kind = index.PageEmpty
		}
		return
	}
	p.Kind, p.Title = index.PageHeld, e.Page.Title
	p.Holder = index.Holder{RunRef: segment.RunRef{Segment: where.Seg.Info.ID, Run: where.Run}, N: where.N}
}

// look checks that the words of the leaves in span s, which a page of the group uses, are in an
// index. If s is in a segment outside the group, and that segment has no index with all these
// leaves, look adds the segment to x.unseen.
func (x *wordIndexer) look(s segment.Span) {
	if x.inGroup(s.Segment) || x.unseen[s.Segment] {
		return
	}
	ref := segment.RunRef{Segment: s.Segment, Run: s.Run}
	list, ok := x.skipped[ref]
	if !ok {
		other := x.v.Runs.Segment(s.Segment)
		if other == nil {
			x.unseen[s.Segment] = true
			return
		}
		f, ok := x.files.file(other.Info)
		if !ok || s.Run >= f.runs {
			x.unseen[s.Segment] = true
			return
		}
		var err error
		if list, err = f.Skipped(f.first + s.Run); err != nil {
			x.unseen[s.Segment] = true
			return
		}
		if len(x.skipped) >= skippedMost {
			clear(x.skipped)
		}
		x.skipped[ref] = list
	}
	for k := range s.Count {
		if n := int(s.N + k); n < len(list) && list[n] {
			x.unseen[s.Segment] = true
		}
	}
}

// termsOf does what index.Source.Terms does. It asks the index of the run's segment.
func (x *wordIndexer) termsOf(run segment.RunRef, from, count uint32, as index.Reading) int {
	if x.termsIn == nil || x.termsAs != as {
		if x.terms[as] == nil {
			x.terms[as] = make(runTerms)
		}
		x.termsAs, x.termsIn = as, x.terms[as]
	}
	before, ok := x.termsIn[run]
	if !ok {
		if s := x.v.Runs.Segment(run.Segment); s != nil {
			if f, ok := x.files.file(s.Info); ok && run.Run < f.runs {
				before, _ = f.TermsBefore(f.first+run.Run, as) // a smaller number is right, too
			}
		}
		if len(x.termsIn) >= skippedMost {
			clear(x.termsIn)
		}
		x.termsIn[run] = before
	}
	if uint64(from)+uint64(count) >= uint64(len(before)) {
		return 0
	}
	return int(before[from+count] - before[from])
}

// seen returns the number of the db-file of segment id, or 0 if the segment is in x.unseen: then
// its index lacks leaves that pages of the group use.
func (x *wordIndexer) seen(id uint32) uint32 {
	s := x.v.Runs.Segment(id)
	if s == nil || x.unseen[id] {
		return 0
	}
	return s.Info.Number()
}
