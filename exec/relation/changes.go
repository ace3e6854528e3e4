package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/block/life"
	"infomall/store/record"
)

// changeRow is one row of the relation changes: what happened to one block from
// one version of a page to the next.
type changeRow struct {
	rev *revision // the newer version, which also holds the older
	life.Match
	words int // index among all changes of the version, including blocks that stayed the same
}

// Changes declares the relation changes, which has one row for each block that
// differs between a version and the version before.
var Changes = listWithRefs(Relation{
	Name: "changes", Doc: "one change of a block from one version to the next", Scoped: true,
	OfVersions: true, OfURL: true, OfStored: true, Cut: true, History: true, RefColumns: pairRefColumns,
	Columns: []Column{
		URLOf("url", "canonical URL", func(c *changeRow) string { return c.rev.url() }),
		TimeOf("time", "when the newer version was first seen", func(c *changeRow) record.Time { return c.rev.Time }),
		TimeOf("not_before", "time of the last capture of the older version", func(c *changeRow) record.Time { return c.rev.span.Previous[c.rev.row] }).needs(record.ColPrevious),
		TimeOf("previous", "when the older version was first seen", func(c *changeRow) record.Time { return c.rev.span.PreviousVersion[c.rev.row] }).needs(record.ColPrevious),
		TextOf("op", "added, edited, moved or removed", func(c *changeRow) string { return c.Op.String() }),
		TextOf("block", "path in the newer version's tree; in the older one's if removed", func(c *changeRow) string {
			rev, n := c.side()
			return rev.Tree.Blocks[n].Path
		}),
		TextOf("identity", "name of the block, which stays the same while it is edited or moved", func(c *changeRow) string {
			rev, n := c.side()
			return rev.Life[n].Identity()
		}).on(OnEarlier),
		costly("label", value.Text, "main, nav, header, footer, aside, ad, form, list, media or other", ofChange(func(c *comparison, i int) value.Value {
			if m := c.changes[i]; m.New < 0 {
				return value.OfText(c.old.label(m.Old).String())
			}
			return value.OfText(c.new.label(c.changes[i].New).String())
		})),
		costly("topic", value.Text, "topic of the block in the newer version", ofChange(func(c *comparison, i int) value.Value { return c.new.partTopic(c.changes[i].New) })),
		costly("old_topic", value.Text, "topic of the block in the older version", ofChange(func(c *comparison, i int) value.Value { return c.old.partTopic(c.changes[i].Old) })),
		costly("substantial", value.Bool, "whether words other than dates, counters and the like were added or removed", ofChange(func(c *comparison, i int) value.Value {
			_, ok := c.substantial(i)
			return value.OfBool(ok)
		})),
		costly("reason", value.Text, "why the change is not substantial: markup, order, date, time, counter, token", ofChange(func(c *comparison, i int) value.Value {
			reason, _ := c.substantial(i)
			return value.TextOrNull(reason)
		})),
		IntOf("bytes", "size of the block's html in the newer version; 0 if removed", func(c *changeRow) int64 { return sizeOf(c.rev.Revision, c.New) }),
		IntOf("old_bytes", "size of the block's html in the older version; 0 if added", func(c *changeRow) int64 { return sizeOf(c.rev.Before, c.Old) }),
		FloatOf("similarity", "share of words in common between old and new, from 0 to 1", func(c *changeRow) float64 { return c.Similarity }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(c *changeRow) record.Time { return c.rev.span.AsOf[c.rev.row] }).OnRequest(),
		payload("text", value.Text, "text of the block in the newer version", ofChange(func(c *comparison, i int) value.Value { return value.OfText(c.new.partText(c.changes[i].New)) })).textOfPage(inOnePart, 0),
		payload("old_text", value.Text, "text of the block in the older version", ofChange(func(c *comparison, i int) value.Value { return value.OfText(c.old.partText(c.changes[i].Old)) })).textOfPage(inOnePart, 2),
		payload("added_text", value.Text, "words added to the block, except words moved from another block", ofChange(func(c *comparison, i int) value.Value { return value.OfText(c.wordChange(i).Added) })).textOfPage(inParts, 0),
		payload("removed_text", value.Text, "words removed from the block, except words moved to another block", ofChange(func(c *comparison, i int) value.Value { return value.OfText(c.wordChange(i).Removed) })).textOfPage(inParts, 2),
	},
}, (*changeRow).refs, (*Reader).changes)

// changes yields the rows of the relation changes, several at a time. For each
// version that n chooses, it yields one row per block that differs from the
// version before; blocks that stayed the same have no row.
func (r *Reader) changes(ctx context.Context, n *Request) iter.Seq2[[]changeRow, error] {
	return differences(r.revisions(ctx, n), n.Level)
}

// differences yields, for each version, its changes since the version before as
// one slice. level says how finely pages are divided into blocks. Blocks that
// stayed the same, and versions without changes, are left out. The slice is
// valid until the iteration moves on.
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
				if m.Op != life.Same {
					list = append(list, changeRow{rev, m, i})
				}
			}
			if len(list) > 0 && !yield(list, nil) {
				return
			}
		}
	}
}

// refs writes into row i of the hidden columns where c comes from: the refs of
// the newer and the older version, then the kinds of both (page, redirect and
// so on), then the index of c among all changes between the two, including
// blocks that stayed the same.
func (c *changeRow) refs(hidden []*value.Vector, i int) {
	packRef(hidden, i, c.rev.new)
	packRef(hidden[2:], i, c.rev.old)
	hidden[4].Ints[i] = int64(c.rev.Kind)
	hidden[5].Ints[i] = int64(c.rev.Before.Kind)
	hidden[6].Ints[i] = int64(c.words)
}

// side returns a version in which the changed block exists, and the index of
// the block in that version. This is the newer version, or the older one if the
// block was removed.
func (c *changeRow) side() (*life.Revision, int) {
	if c.New < 0 {
		return c.rev.Before, c.Old
	}
	return c.rev.Revision, c.New
}

// sizeOf returns the size of block n of the version rev in bytes. It returns 0
// if n is negative, which means that the version does not have the block.
func sizeOf(rev *life.Revision, n int) int64 {
	if n < 0 {
		return 0
	}
	return int64(rev.Tree.Blocks[n].End - rev.Tree.Blocks[n].Start)
}

// comparison is the result of comparing two versions of a page. The late
// columns of the relation changes, which need the stored pages, are computed
// from it.
type comparison struct {
	old, new *response
	level    int
	changes  []life.Match
	words    []life.WordChange // nil until they are needed
	senses   []life.Sense      // of changes; nil until they are needed
	rev      *life.Revision
}

// wordChange returns the words that change i added to its block, and those that
// it removed. i is an index in c.changes.
func (c *comparison) wordChange(i int) life.WordChange {
	if c.words == nil {
		c.words = c.rev.Words(c.level)
	}
	return c.words[i]
}

// substantial reports whether change i of c.changes concerns what the page
// says. If not, reason says what kind of change it is, such as "date";
// otherwise reason is "".
func (c *comparison) substantial(i int) (reason string, ok bool) {
	if c.senses == nil {
		c.senses = c.rev.Senses(c.level)
	}
	return c.senses[i].Reason, c.senses[i].Substantial
}

// ofChange returns the code of a late column (one that needs stored pages) of
// the relation changes. f computes the value of the column for change i of a
// comparison of two versions, which holds their pages.
func ofChange(f func(c *comparison, i int) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		c, err := l.comparison()
		if err != nil {
			return value.Value{}, err
		}
		return f(c, l.number(6)), nil
	}
}

// comparison returns the comparison of the two versions that the hidden columns
// of the current row name. It makes the comparison again only if the row before
// was of other versions.
func (l *LateRow) comparison() (*comparison, error) {
	new, err := l.reader.response(l.ctx, l.ref(0), options(l.request))
	if err != nil {
		return nil, err
	}
	old, err := l.reader.response(l.ctx, l.ref(2), options(l.request))
	if err != nil {
		return nil, err
	}
	c := &l.reader.compared
	if c.old != old || c.new != new {
		var h life.History
		h.Add(old.version(0, record.Kind(l.number(5)), record.Digest{}))
		rev := h.Add(new.version(1, record.Kind(l.number(4)), record.Digest{1}))
		*c = comparison{old: old, new: new, level: l.request.Level, changes: rev.Changes(l.request.Level), rev: rev}
	}
	return c, nil
}
