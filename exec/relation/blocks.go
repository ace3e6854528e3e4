package relation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/life"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// blockRow is one block of the cut of one version.
type blockRow struct {
	url     string
	time    record.Time
	asOf    record.Time
	ref     record.Ref
	path    string
	parent  string
	depth   int
	ordinal int
	bytes   int
	life    life.Life
	first   bool // the block is of the URL's first version
	op      life.Op
}

// Blocks is the relation blocks.
var Blocks = listWithRefs(Relation{
	Name: "blocks", Doc: "one block of one version, at the level chosen by the setting level", Scoped: true,
	OfVersions: true, Cut: true, History: true, RefColumns: partRefColumns,
	Columns: []Column{
		urlOf("url", "canonical URL", func(b *blockRow) string { return b.url }),
		timeOf("time", "when the version was first seen", func(b *blockRow) record.Time { return b.time }),
		textOf("block", "path in the tree of this version, such as C.C.3", func(b *blockRow) string { return b.path }),
		textOf("identity", "name of the block, which stays the same while it is edited or moved", func(b *blockRow) string { return b.life.Identity() }),
		costly("label", value.Text, "main, nav, header, footer, aside, ad, form, list, media or other", blockLabel),
		costly("topic", value.Text, "topic of the block, in words from the block", ofChanged(func(c *life.Changed) value.Value { return textOrNull(c.Topic) }, (*response).partTopic)),
		textOf("change", "difference from the previous version: first, added, edited, moved or same", (*blockRow).change),
		boolOf("changed", "whether change is added or edited", func(b *blockRow) bool { return !b.first && (b.op == life.Added || b.op == life.Edited) }),
		intOf("bytes", "size of the block's html", func(b *blockRow) int64 { return int64(b.bytes) }),
		costly("words", value.Int, "number of words in the block", ofChanged(func(c *life.Changed) value.Value { return value.OfInt(int64(c.Words)) }, countWords)),
		costly("link_count", value.Int, "number of links in the block", ofChanged(func(c *life.Changed) value.Value { return value.OfInt(int64(c.Links)) }, countLinks)),
		timeOf("first_seen", "time of the first version that has the block", func(b *blockRow) record.Time { return b.life.FirstSeen }),
		costly("digest", value.Text, "sha256 of the block's html, in hex", blockDigest),
		textOf("parent", "path of the enclosing block", func(b *blockRow) string { return b.parent }),
		intOf("depth", "level of the block in the tree", func(b *blockRow) int64 { return int64(b.depth) }),
		intOf("ordinal", "position among the listed blocks of the version, from 1", func(b *blockRow) int64 { return int64(b.ordinal) }),
		textOf("host", "host of the URL", func(b *blockRow) string { return urlkey.Host(b.url) }),
		timeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(b *blockRow) record.Time { return b.asOf }).aside(),
		payload("substantial", value.Bool, "whether words other than dates, counters and the like were added or removed; true in a first version", ofSense(func(s life.Sense) value.Value { return value.OfBool(s.Substantial) })),
		payload("reason", value.Text, "why the change is not substantial: markup, order, date, time, counter, token", ofSense(func(s life.Sense) value.Value { return textOrNull(s.Reason) })),
		payload("importance", value.Float, "how specific the block is to its page: 0 if it belongs to the template of the host's pages of that month, 1 if no other page has it; NULL if the host has no other page", ofSite((*inSite).importance)),
		payload("site_label", value.Text, "label, corrected by importance", ofSite((*inSite).label)),
		payload("text", value.Text, "visible text of the block", ofBlock(func(r *response, n int) value.Value { return value.OfText(r.partText(n)) })),
		payload("html", value.Text, "html of the block, as UTF-8", ofBlock(htmlOf)),
		payload("simhash", value.Int, "fingerprint of the text: similar texts differ in few bits", blockSimhash),
	},
}, (*blockRow).refs, (*Reader).blocks)

// blocks yields one row per block of the chosen versions, at the cut that n
// selects.
func (r *Reader) blocks(ctx context.Context, n *Request) iter.Seq2[[]blockRow, error] {
	if n.Changed && keptCut(n) && n.Choice.Kind != ChooseEach {
		return r.changedBlocks(ctx, n)
	}
	return cuts(r.revisions(ctx, n), n.Level)
}

// cuts yields the blocks of each version. A body that is not a text has none.
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

// appendCut appends the blocks of a version.
func appendCut(list []blockRow, rev *revision, level int) []blockRow {
	if rev.Hidden() || rev.Body == nil {
		return list
	}
	changes := rev.Changes(level)
	for i, n := range rev.Tree.Cut(level) {
		b := &rev.Tree.Blocks[n]
		row := blockRow{
			url: rev.url(), time: rev.Time, asOf: rev.span.AsOf[rev.row], ref: rev.new, path: b.Path, parent: rev.Tree.Blocks[b.Parent].Path, depth: b.Depth,
			ordinal: i + 1, bytes: b.End - b.Start, life: rev.Life[n], first: rev.Before == nil,
		}
		if !row.first {
			row.op = changes[i].Op
		}
		list = append(list, row)
	}
	return list
}

// refs names the version's first capture and the place of the block in the cut.
func (b *blockRow) refs(hidden []*value.Vector, i int) {
	packRef(hidden, i, b.ref)
	hidden[2].Ints[i] = int64(b.ordinal)
}

// change returns the column change, such as "edited".
func (b *blockRow) change() string {
	if b.first {
		return record.ChangeFirst.String()
	}
	return b.op.String()
}

// part returns the range of block n in the body: the whole body if it was not
// divided.
func (r *response) part(n int) (start, end int) {
	b := r.blocks()
	if n >= len(b.Blocks) {
		return 0, len(b.Page.Body)
	}
	return b.Blocks[n].Start, b.Blocks[n].End
}

// partBytes returns the bytes of block n.
func (r *response) partBytes(n int) []byte {
	start, end := r.part(n)
	return r.blocks().Page.Body[start:end]
}

// partText returns the text that block n shows, or "" if the body is not a text
// or n is negative.
func (r *response) partText(n int) string {
	b := r.blocks()
	if b == nil || n < 0 {
		return ""
	}
	start, end := r.part(n)
	return b.Page.TextRange(start, end, b.Charset)
}

// partTopic returns the topic of block n, or NULL if the body is not a text or
// n is negative.
func (r *response) partTopic(n int) value.Value {
	b := r.blocks()
	if b == nil || n < 0 {
		return value.Value{}
	}
	start, end := r.part(n)
	return textOrNull(about.TopicOf(b, start, end))
}

// countWords returns how many words block n shows.
func countWords(r *response, n int) value.Value {
	start, end := r.part(n)
	return value.OfInt(int64(words.Count(r.blocks().Text(start, end))))
}

// countLinks returns how many links block n contains.
func countLinks(r *response, n int) value.Value {
	count := 0
	start, end := r.part(n)
	for _, l := range r.allLinks() {
		if start <= l.Offset && l.Offset < end {
			count++
		}
	}
	return value.OfInt(int64(count))
}

// digestOf returns the sha256 of block n in hexadecimal.
func digestOf(r *response, n int) value.Value {
	sum := sha256.Sum256(r.partBytes(n))
	return value.OfText(hex.EncodeToString(sum[:]))
}

// htmlOf returns the part of the body that block n is, as UTF-8.
func htmlOf(r *response, n int) value.Value {
	return value.OfText(string(charset.ToUTF8(r.partBytes(n), r.blocks().Charset)))
}

// simhashOf returns the fingerprint of the text of block n.
func simhashOf(r *response, n int) value.Value {
	var s words.Simhash
	s.Add(r.partText(n), 1)
	return value.OfInt(int64(s.Sum()))
}
