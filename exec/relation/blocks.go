package relation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"infomall/exec/value"
	"infomall/store/block"
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
	life    block.Life
	first   bool // the block is of the URL's first version
	op      block.Op
}

// blocks yields one row per block of the chosen versions, at the cut that n
// selects.
func (r *Reader) blocks(ctx context.Context, n *Request) value.Rows {
	if n.Changed && keptCut(n) && n.Choice.Kind != ChooseEach {
		return render(n, blockFills, blockShape, r.changedBlocks(ctx, n))
	}
	return render(n, blockFills, blockShape, cuts(r.revisions(ctx, n), n.Level))
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

// blockShape makes one row of each block in a batch. Its hidden columns name
// the version's first capture and the place of the block in the cut.
var blockShape = shape[[]blockRow]{
	func(list []blockRow) int { return len(list) },
	func(hidden []*value.Vector, list []blockRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			packRef(hidden, i, list[i].ref)
			hidden[2].Ints[i] = int64(list[i].ordinal)
		}
	},
}

// change returns the column change, such as "edited".
func (b *blockRow) change() string {
	if b.first {
		return record.ChangeFirst.String()
	}
	return b.op.String()
}

// blockFills has the functions that compute the columns of the relation blocks,
// by name. The late columns, which need the stored page, are not among them.
var blockFills = fills[[]blockRow]{
	"url":        textOf(value.URL, func(b *blockRow) string { return b.url }),
	"time":       timeOf(func(b *blockRow) record.Time { return b.time }),
	"block":      textOf(value.Text, func(b *blockRow) string { return b.path }),
	"identity":   textOf(value.Text, func(b *blockRow) string { return b.life.Identity() }),
	"change":     textOf(value.Text, (*blockRow).change),
	"changed":    boolOf(func(b *blockRow) bool { return !b.first && (b.op == block.Added || b.op == block.Edited) }),
	"bytes":      intOf(func(b *blockRow) int64 { return int64(b.bytes) }),
	"as_of":      timeOf(func(b *blockRow) record.Time { return b.asOf }),
	"first_seen": timeOf(func(b *blockRow) record.Time { return b.life.FirstSeen }),
	"parent":     textOf(value.Text, func(b *blockRow) string { return b.parent }),
	"depth":      intOf(func(b *blockRow) int64 { return int64(b.depth) }),
	"ordinal":    intOf(func(b *blockRow) int64 { return int64(b.ordinal) }),
	"host":       textOf(value.Text, func(b *blockRow) string { return urlkey.Host(b.url) }),
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
	return textOrNull(b.Topic(start, end))
}

// blockFields has the functions that compute the late columns of the relation
// blocks from the stored page, by name. n is the index of the block.
var blockFields = map[string]func(r *response, n int) value.Value{
	"label": func(r *response, n int) value.Value { return value.OfText(r.label(n).String()) },
	"topic": (*response).partTopic,
	"words": func(r *response, n int) value.Value {
		start, end := r.part(n)
		return value.OfInt(int64(words.Count(r.blocks().Text(start, end))))
	},
	"link_count": func(r *response, n int) value.Value {
		count := 0
		start, end := r.part(n)
		for _, l := range r.allLinks() {
			if start <= l.Offset && l.Offset < end {
				count++
			}
		}
		return value.OfInt(int64(count))
	},
	"digest": func(r *response, n int) value.Value {
		sum := sha256.Sum256(r.partBytes(n))
		return value.OfText(hex.EncodeToString(sum[:]))
	},
	"text": func(r *response, n int) value.Value { return value.OfText(r.partText(n)) },
	"simhash": func(r *response, n int) value.Value {
		var s words.Simhash
		s.Add(r.partText(n), 1)
		return value.OfInt(int64(s.Sum()))
	},
	"html": func(r *response, n int) value.Value {
		return value.OfText(string(charset.ToUTF8(r.partBytes(n), r.blocks().Charset)))
	},
}
