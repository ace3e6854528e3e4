package op

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// blockRow is one block of the cut of one version.
type blockRow struct {
	rev     *revision
	n       int // of the version's tree
	ordinal int
	op      block.Op // not in the URL's first version
}

// blocks yields a row a block of the versions chosen, each at the cut that n
// asks for.
func (r *Runner) blocks(ctx context.Context, n *plan.Source) Rows {
	return render(n, blockFills, blockShape, cuts(r.revisions(ctx, n), n.Level))
}

// cuts yields the blocks of each version. Bodies that are no text have none.
func cuts(in iter.Seq2[*revision, error], level int) iter.Seq2[[]blockRow, error] {
	return func(yield func([]blockRow, error) bool) {
		var list []blockRow
		for rev, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if rev.Hidden() || rev.Body == nil {
				continue
			}
			list = list[:0]
			changes := rev.Changes(level)
			for i, n := range rev.Tree.Cut(level) {
				row := blockRow{rev: rev, n: n, ordinal: i + 1}
				if rev.Before != nil {
					row.op = changes[i].Op
				}
				list = append(list, row)
			}
			if len(list) > 0 && !yield(list, nil) {
				return
			}
		}
	}
}

var blockShape = shape[[]blockRow]{
	func(list []blockRow) int { return len(list) },
	func(hidden []*value.Vector, list []blockRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			packRef(hidden, i, list[i].rev.new)
			hidden[2].Ints[i] = int64(list[i].n)
		}
	},
}

func (b *blockRow) block() *block.Block { return &b.rev.Tree.Blocks[b.n] }

// change is what became of the block, as a query shows it.
func (b *blockRow) change() string {
	if b.rev.Before == nil {
		return record.ChangeFirst.String()
	}
	return b.op.String()
}

// blockFills computes the columns of blocks that need no more than the tree.
var blockFills = fills[[]blockRow]{
	"url":      textOf(value.URL, func(b *blockRow) string { return b.rev.url() }),
	"time":     timeOf(func(b *blockRow) record.Time { return b.rev.Time }),
	"block":    textOf(value.Text, func(b *blockRow) string { return b.block().Path }),
	"identity": textOf(value.Text, func(b *blockRow) string { return b.rev.Life[b.n].Identity }),
	"change":   textOf(value.Text, (*blockRow).change),
	"changed": boolOf(func(b *blockRow) bool {
		return b.rev.Before != nil && (b.op == block.Added || b.op == block.Edited)
	}),
	"bytes":      intOf(func(b *blockRow) int64 { return int64(b.block().End - b.block().Start) }),
	"first_seen": timeOf(func(b *blockRow) record.Time { return b.rev.Life[b.n].FirstSeen }),
	"parent":     textOf(value.Text, func(b *blockRow) string { return b.rev.Tree.Blocks[b.block().Parent].Path }),
	"depth":      intOf(func(b *blockRow) int64 { return int64(b.block().Depth) }),
	"ordinal":    intOf(func(b *blockRow) int64 { return int64(b.ordinal) }),
	"host":       textOf(value.Text, func(b *blockRow) string { return urlkey.Host(b.rev.url()) }),
}

// part is the range of block n; a body that is one block is that.
func (r *response) part(n int) (start, end int) {
	b := r.blocks()
	if n >= len(b.Blocks) {
		return 0, len(b.Page.Body)
	}
	return b.Blocks[n].Start, b.Blocks[n].End
}

func (r *response) partBytes(n int) []byte {
	start, end := r.part(n)
	return r.blocks().Page.Body[start:end]
}

// partText is what block n shows; "" where the body is no text.
func (r *response) partText(n int) string {
	b := r.blocks()
	if b == nil || n < 0 {
		return ""
	}
	start, end := r.part(n)
	return b.Page.TextRange(start, end, b.Charset)
}

// partTopic is what block n is about, NULL where the body is no text.
func (r *response) partTopic(n int) value.Value {
	b := r.blocks()
	if b == nil || n < 0 {
		return value.Value{}
	}
	return textOrNull(block.Topic(r.partBytes(n), b.Charset, b.Profile, block.TopicOptions{}))
}

// blockFields computes the columns of blocks that need the payload.
var blockFields = map[string]func(r *response, n int) value.Value{
	"label": func(r *response, n int) value.Value { return value.OfText(r.label(n).String()) },
	"topic": (*response).partTopic,
	"words": func(r *response, n int) value.Value {
		count := 0
		for range page.Words(r.partText(n)) {
			count++
		}
		return value.OfInt(int64(count))
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
	"html": func(r *response, n int) value.Value {
		return value.OfText(string(page.ToUTF8(r.partBytes(n), r.blocks().Charset)))
	},
}
