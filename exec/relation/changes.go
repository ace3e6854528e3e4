package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/record"
)

// changeRow is one change of a block.
type changeRow struct {
	rev *revision
	block.Match
	words int // index among all changes of the version, including blocks that stayed the same
}

// changes yields one row for each block of the cut that differs from the
// version before.
func (r *Reader) changes(ctx context.Context, n *Request) value.Rows {
	return render(n, changeFills, changeShape, differences(r.revisions(ctx, n), n.Level))
}

// differences yields the changes of each version, at a level of blocks. It
// leaves out blocks that stayed the same.
func differences(in iter.Seq2[*revision, error], level int) iter.Seq2[[]changeRow, error] {
	return func(yield func([]changeRow, error) bool) {
		var list []changeRow
		for rev, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			list = list[:0]
			for i, m := range rev.Changes(level) {
				if m.Op != block.Same {
					list = append(list, changeRow{rev, m, i})
				}
			}
			if len(list) > 0 && !yield(list, nil) {
				return
			}
		}
	}
}

// changeShape makes one row of each change in a batch. Its hidden columns name
// the captures and the kinds of the two versions, and the index of the change
// among all changes between them.
var changeShape = shape[[]changeRow]{
	func(list []changeRow) int { return len(list) },
	func(hidden []*value.Vector, list []changeRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			c := &list[i]
			packRef(hidden, i, c.rev.new)
			packRef(hidden[2:], i, c.rev.old)
			hidden[4].Ints[i] = int64(c.rev.Kind)
			hidden[5].Ints[i] = int64(c.rev.Before.Kind)
			hidden[6].Ints[i] = int64(c.words)
		}
	},
}

// side returns the version that shows the block, and the index of the block in
// it: the newer version, unless the block was removed.
func (c *changeRow) side() (*block.Revision, int) {
	if c.New < 0 {
		return c.rev.Before, c.Old
	}
	return c.rev.Revision, c.New
}

// sizeOf returns the size of block n in bytes, or 0 if n is negative.
func sizeOf(rev *block.Revision, n int) int64 {
	if n < 0 {
		return 0
	}
	return int64(rev.Tree.Blocks[n].End - rev.Tree.Blocks[n].Start)
}

// changeFills has the functions that compute the columns of the relation
// changes, by name. The late columns, which need the stored page, are not among
// them.
var changeFills = fills[[]changeRow]{
	"url":        textOf(value.URL, func(c *changeRow) string { return c.rev.url() }),
	"time":       timeOf(func(c *changeRow) record.Time { return c.rev.Time }),
	"not_before": timeOf(func(c *changeRow) record.Time { return c.rev.span.Previous[c.rev.row] }),
	"previous":   timeOf(func(c *changeRow) record.Time { return c.rev.span.PreviousVersion[c.rev.row] }),
	"as_of":      timeOf(func(c *changeRow) record.Time { return c.rev.span.AsOf[c.rev.row] }),
	"op":         textOf(value.Text, func(c *changeRow) string { return c.Op.String() }),
	"block": textOf(value.Text, func(c *changeRow) string {
		rev, n := c.side()
		return rev.Tree.Blocks[n].Path
	}),
	"identity": textOf(value.Text, func(c *changeRow) string {
		rev, n := c.side()
		return rev.Life[n].Identity()
	}),
	"bytes":      intOf(func(c *changeRow) int64 { return sizeOf(c.rev.Revision, c.New) }),
	"old_bytes":  intOf(func(c *changeRow) int64 { return sizeOf(c.rev.Before, c.Old) }),
	"similarity": floatOf(func(c *changeRow) float64 { return c.Similarity }),
}

// comparison is the comparison of two versions, made again for the late columns
// of their changes.
type comparison struct {
	old, new *response
	level    int
	changes  []block.Match
	words    []block.WordChange // nil until they are needed
	rev      *block.Revision
}

// wordChange returns which words change i added and removed.
func (c *comparison) wordChange(i int) block.WordChange {
	if c.words == nil {
		c.words = c.rev.Words(c.level)
	}
	return c.words[i]
}

// substantial reports whether change i concerns what the page says. If not,
// reason says what kind of change it is, such as "date".
func (c *comparison) substantial(i int) (reason string, ok bool) {
	if c.old.blocks() == nil || c.new.blocks() == nil {
		return "", true // A body that is not a text says something else with any other bytes.
	}
	m := c.changes[i]
	return block.Substantial(m.Op, c.old.partText(m.Old), c.new.partText(m.New))
}

// lateChange returns a function that computes the late columns of a change,
// which need the stored pages of both versions. hidden and row say which
// change.
func (r *Reader) lateChange(ctx context.Context, n *Request, hidden []*value.Vector, row int) (LateColumn, error) {
	new, err := r.response(ctx, unpackRef(hidden, row), options(n))
	if err != nil {
		return nil, err
	}
	old, err := r.response(ctx, unpackRef(hidden[2:], row), options(n))
	if err != nil {
		return nil, err
	}
	c := &r.compared
	if c.old != old || c.new != new {
		var h block.History
		h.Add(old.version(0, record.Kind(hidden[5].Ints[row]), record.Digest{}))
		rev := h.Add(new.version(1, record.Kind(hidden[4].Ints[row]), record.Digest{1}))
		*c = comparison{old: old, new: new, level: n.Level, changes: rev.Changes(n.Level), rev: rev}
	}
	i := int(hidden[6].Ints[row])
	return func(name string) (value.Value, error) { return changeFields[name](c, i), nil }, nil
}

// changeFields has the functions that compute the late columns of the relation
// changes from the two stored pages, by name. i is the index of the change.
var changeFields = map[string]func(c *comparison, i int) value.Value{
	"label": func(c *comparison, i int) value.Value {
		if m := c.changes[i]; m.New < 0 {
			return value.OfText(c.old.label(m.Old).String())
		}
		return value.OfText(c.new.label(c.changes[i].New).String())
	},
	"substantial": func(c *comparison, i int) value.Value {
		_, ok := c.substantial(i)
		return value.OfBool(ok)
	},
	"reason": func(c *comparison, i int) value.Value {
		reason, _ := c.substantial(i)
		return textOrNull(reason)
	},
	"topic":        func(c *comparison, i int) value.Value { return c.new.partTopic(c.changes[i].New) },
	"old_topic":    func(c *comparison, i int) value.Value { return c.old.partTopic(c.changes[i].Old) },
	"text":         func(c *comparison, i int) value.Value { return value.OfText(c.new.partText(c.changes[i].New)) },
	"old_text":     func(c *comparison, i int) value.Value { return value.OfText(c.old.partText(c.changes[i].Old)) },
	"added_text":   func(c *comparison, i int) value.Value { return value.OfText(c.wordChange(i).Added) },
	"removed_text": func(c *comparison, i int) value.Value { return value.OfText(c.wordChange(i).Removed) },
}
