package relation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"

	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/life"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// blockRow is one row of the relation blocks: one block of one version of a
// page. The cut, the level to which a page is divided, says which blocks it
// has.
type blockRow struct {
	url     string
	time    record.Time
	asOf    record.Time
	ref     record.Ref
	path    string
	parent  string
	section string // of a document, such as "page 12"
	depth   int
	ordinal int
	bytes   int
	life    life.Life // the history of the block through the versions
	first   bool      // the block is of the URL's first version
	op      life.Op   // what happened to the block since the version before; unset if first
}

// Blocks declares the relation blocks, which has one row per block of a
// version.
var Blocks = listWithRefs(Relation{
	Name: "blocks", Doc: "one block of one version, at the level chosen by the setting level", Scoped: true,
	OfVersions: true, OfURL: true, OfStored: true, Cut: true, History: true, RefColumns: partRefColumns,
	Columns: []Column{
		URLOf("url", "canonical URL", func(b *blockRow) string { return b.url }),
		TimeOf("time", "when the version was first seen", func(b *blockRow) record.Time { return b.time }),
		TextOf("block", "path in the tree of this version, such as C.C.3", func(b *blockRow) string { return b.path }),
		TextOf("identity", "name of the block, which stays the same while it is edited or moved", func(b *blockRow) string { return b.life.Identity() }).on(OnEarlier),
		costly("label", value.Text, "main, nav, header, footer, aside, ad, form, list, media or other", blockLabel),
		costly("topic", value.Text, "topic of the block, in words from the block", ofChanged(func(c *life.Changed) value.Value { return value.TextOrNull(c.Topic) }, (*response).partTopic)),
		TextOf("change", "difference from the previous version: first, added, edited, moved or same", (*blockRow).change).on(OnBefore),
		BoolOf("changed", "whether change is added or edited", func(b *blockRow) bool { return !b.first && (b.op == life.Added || b.op == life.Edited) }).on(OnBefore),
		IntOf("bytes", "size of the block's html", func(b *blockRow) int64 { return int64(b.bytes) }),
		costly("words", value.Int, "number of words in the block", ofChanged(func(c *life.Changed) value.Value { return value.OfInt(int64(c.Words)) }, countWords)),
		costly("link_count", value.Int, "number of links in the block", ofChanged(func(c *life.Changed) value.Value { return value.OfInt(int64(c.Links)) }, countLinks)),
		TimeOf("first_seen", "time of the first version that has the block", func(b *blockRow) record.Time { return b.life.FirstSeen }).on(OnEarlier),
		costly("digest", value.Text, "sha256 of the block's html, in hex", blockDigest),
		TextOf("parent", "path of the enclosing block", func(b *blockRow) string { return b.parent }),
		IntOf("depth", "level of the block in the tree", func(b *blockRow) int64 { return int64(b.depth) }),
		IntOf("ordinal", "position among the listed blocks of the version, from 1", func(b *blockRow) int64 { return int64(b.ordinal) }),
		TextOf("host", "host of the URL", func(b *blockRow) string { return urlkey.Host(b.url) }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(b *blockRow) record.Time { return b.asOf }).OnRequest(),
		TextOf("section", "page, slide, sheet, chapter, item or member of the document that has the block, such as page 12; NULL for pages of the web", func(b *blockRow) string { return b.section }).OnRequest(),
		payload("substantial", value.Bool, "whether words other than dates, counters and the like were added or removed; true in a first version", ofSense(func(s life.Sense) value.Value { return value.OfBool(s.Substantial) })).on(OnBefore),
		payload("reason", value.Text, "why the change is not substantial: markup, order, date, time, counter, token", ofSense(func(s life.Sense) value.Value { return value.TextOrNull(s.Reason) })).on(OnBefore),
		payload("importance", value.Float, "how specific the block is to its page: 0 if it belongs to the template of the host's pages of that month, 1 if no other page has it; NULL if the host has no other page", ofSite((*inSite).importance)),
		payload("site_label", value.Text, "label, corrected by importance", ofSite((*inSite).label)),
		payload("text", value.Text, "visible text of the block", ofBlock(func(r *response, n int) value.Value { return value.OfText(r.partText(n)) })).textOfPage(inOnePart, 0),
		payload("html", value.Text, "html of the block, as UTF-8", ofBlock(htmlOf)),
		payload("simhash", value.Int, "fingerprint of the text: similar texts differ in few bits", blockSimhash),
	},
}, (*blockRow).refs, (*Reader).blocks)

// blocks yields the rows of the relation blocks, several at a time: one row per
// block of each version that n chooses. The cut, the level to which pages are
// divided into blocks, is that of n. If the query keeps only changed blocks,
// blocks may leave out the others.
func (r *Reader) blocks(ctx context.Context, n *Request) iter.Seq2[[]blockRow, error] {
	if n.Changed && keptCut(n) && n.Choice.Kind != ChooseEach {
		return r.changedBlocks(ctx, n)
	}
	return cuts(r.revisions(ctx, n), n.Level)
}

// cuts yields, for each version, the rows of all its blocks at the given level
// as one slice. The slice is valid until the iteration moves on. A version that
// has no blocks, because its body is not a text, yields nothing.
func cuts(in iter.Seq2[*revision, error], level int) iter.Seq2[[]blockRow, error] {
	return func(yield func([]blockRow, error) bool) {
		var list []blockRow
		for rev, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if list = appendCut(list[:0], rev, level); len(list) > 0 && !yield(list, nil) {
				return
			}
		}
	}
}

// appendCut appends to list one row per block of the version rev, divided down
// to the given level, and returns list. It appends nothing if rev is not a page
// or its body has no blocks.
func appendCut(list []blockRow, rev *revision, level int) []blockRow {
	if rev.Hidden() || rev.Body == nil {
		return list
	}
	changes := rev.Changes(level)
	for i, n := range rev.Tree.Cut(level) {
		b := &rev.Tree.Blocks[n]
		row := blockRow{
			url: rev.url(), time: rev.Time, asOf: rev.span.AsOf[rev.row], ref: rev.new, path: b.Path, parent: rev.Tree.Blocks[b.Parent].Path, section: rev.Tree.SectionOf(n), depth: b.Depth,
			ordinal: i + 1, bytes: b.End - b.Start, life: rev.Life[n], first: rev.Before == nil,
		}
		if !row.first {
			row.op = changes[i].Op
		}
		list = append(list, row)
	}
	return list
}

// refs writes into row i of the hidden columns where b comes from: the ref of
// the version's first capture, then the number of the block in the version,
// from 1.
func (b *blockRow) refs(hidden []*value.Vector, i int) {
	packRef(hidden, i, b.ref)
	hidden[2].Ints[i] = int64(b.ordinal)
}

// change returns the value of the column change: "first" in the first version
// of a URL, otherwise what happened to the block since the version before, such
// as "edited".
func (b *blockRow) change() string {
	if b.first {
		return record.ChangeFirst.String()
	}
	return b.op.String()
}

// part returns the bytes [start, end) of the body that block n takes. If n is
// past the last block, because the body was not divided, it returns the range
// of the whole body. The body must be a text.
func (r *response) part(n int) (start, end int) {
	b := r.blocks()
	if n >= len(b.Blocks) {
		return 0, len(b.Page.Body)
	}
	return b.Blocks[n].Start, b.Blocks[n].End
}

// partBytes returns the bytes of block n, in the charset of the body. If the
// body was not divided, these are all its bytes.
func (r *response) partBytes(n int) []byte {
	start, end := r.part(n)
	return r.blocks().Page.Body[start:end]
}

// partText returns the text that a reader sees of block n, or "" if the body is
// not a text or n is negative.
func (r *response) partText(n int) string {
	b := r.blocks()
	if b == nil || n < 0 {
		return ""
	}
	start, end := r.part(n)
	return b.Page.TextRange(start, end, b.Charset)
}

// partTopic returns the topic of block n: a few words taken from the block. It
// returns NULL if the block has no topic, the body is not a text, or n is
// negative.
func (r *response) partTopic(n int) value.Value {
	b := r.blocks()
	if b == nil || n < 0 {
		return value.Value{}
	}
	start, end := r.part(n)
	return value.TextOrNull(about.TopicOf(b, start, end))
}

// countWords returns as an Int how many words the visible text of block n has.
func countWords(r *response, n int) value.Value {
	start, end := r.part(n)
	return value.OfInt(int64(words.Count(r.blocks().Text(start, end))))
}

// countLinks returns as an Int how many links block n contains.
func countLinks(r *response, n int) value.Value {
	if r.linkOffsets == nil {
		r.linkOffsets = []int{}
		for _, l := range r.allLinks() {
			r.linkOffsets = append(r.linkOffsets, l.Offset)
		}
		slices.Sort(r.linkOffsets)
	}
	start, end := r.part(n)
	first, _ := slices.BinarySearch(r.linkOffsets, start)
	after, _ := slices.BinarySearch(r.linkOffsets, end)
	return value.OfInt(int64(max(after-first, 0)))
}

// digestOf returns as a Text the SHA-256 of the HTML of block n, in
// hexadecimal.
func digestOf(r *response, n int) value.Value {
	sum := sha256.Sum256(r.partBytes(n))
	return value.OfText(hex.EncodeToString(sum[:]))
}

// htmlOf returns the HTML of block n as a Text, converted to UTF-8.
func htmlOf(r *response, n int) value.Value {
	return value.OfText(string(charset.ToUTF8(r.partBytes(n), r.blocks().Charset)))
}

// simhashOf returns as an Int the simhash of the text of block n: a fingerprint
// that differs in few bits between similar texts.
func simhashOf(r *response, n int) value.Value {
	var s words.Simhash
	s.Add(r.partText(n), 1)
	return value.OfInt(int64(s.Sum()))
}
