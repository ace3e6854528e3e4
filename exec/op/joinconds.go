package op

import (
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// Some joins have conditions besides equal keys. The rows of both sides with
// equal keys are then candidates: they are collected in a batch, the conditions
// are computed for the whole batch, and the candidates that meet them are
// results.

// candidates are pairs of rows that have equal keys.
type candidates struct {
	pairs  *value.Batch // the columns of the left side, then those of the right
	owners []int        // for each pair, the index of its left row in the batch of the left side
}

// probeConds is like probe for a join with conditions.
func (j *joiner) probeConds(t *joinTable, left value.Rows) error {
	c := &candidates{pairs: value.NewBatch(j.node.Columns())}
	for b, err := range j.leftKeys.each(left) {
		if err != nil {
			return err
		}
		m := matcher{joiner: j, left: b}
		for i := range b.N {
			at := j.match(t, i)
			for ; at >= 0; at = t.rows[at].next {
				if m.enough(i) {
					break
				}
				c.add(b, i, t.rows[at].row)
				if c.pairs.N < record.BatchRows {
					continue
				}
				if err := m.take(c, i); err != nil || j.stopped {
					return err
				}
			}
		}
		if err := m.take(c, b.N); err != nil || j.stopped {
			return err
		}
	}
	return nil
}

// add adds the pair of row i of b, a batch of the left side, and the encoded row
// right of the right side.
func (c *candidates) add(b *value.Batch, i int, right []byte) {
	for k, v := range b.Cols {
		c.pairs.Cols[k].Append(v, i)
	}
	spill.DecodeColumns(c.pairs.Cols[len(b.Cols):], string(right))
	c.pairs.N++
	c.owners = append(c.owners, i)
}

// matcher yields the results for one batch of the left side.
type matcher struct {
	*joiner
	left  *value.Batch
	done  int // rows of left before this index are finished
	found int // number of results for row done
}

// enough reports whether row i of the left side has its result, because the join takes only the
// first match and one was found.
func (m *matcher) enough(i int) bool {
	return m.node.One == plan.FirstRow && i == m.done && m.found > 0
}

// take tests the conditions on the candidates in c, yields the candidates for which they are true,
// and empties c. The caller has added all candidates of the left rows before row i. In an outer
// join, take also yields each of these left rows that has no match, with NULLs. It returns an error
// if a left row may have only one match and has more.
func (m *matcher) take(c *candidates, i int) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	if c.pairs.N == 0 {
		return m.finish(i)
	}
	meets, err := matching(m.conds, c.pairs)
	if err != nil {
		return err
	}
	for _, at := range meets {
		if err := m.finish(c.owners[at]); err != nil || m.stopped {
			return err
		}
		m.found++
		switch {
		case m.found > 1 && m.node.One == plan.OnlyRow:
			return m.severalRows()
		case m.found > 1 && m.node.One == plan.FirstRow:
			continue
		}
		for k, v := range c.pairs.Cols {
			m.out.Cols[k].Append(v, int(at))
		}
		m.out.N++
		if err := m.flush(); err != nil || m.stopped {
			return err
		}
	}
	c.pairs.Clear()
	c.owners = c.owners[:0]
	return m.finish(i)
}

// finish completes the rows of the left side before row i. In an outer join it yields those without
// a match, with NULLs.
func (m *matcher) finish(i int) error {
	for ; m.done < i; m.done++ {
		if m.found == 0 && m.node.Outer {
			m.emitLeft(m.left, m.done)
			m.emitNulls()
			if err := m.flush(); err != nil || m.stopped {
				return err
			}
		}
		m.found = 0
	}
	return nil
}

// pairsThatMeet is like pairs for a join with conditions.
func (j *joiner) pairsThatMeet(ordered *spill.Sorter, left []byte, same *spill.Spool) error {
	one := value.NewBatch(j.node.Left.Columns())
	spill.DecodeRow(one, left[8:])
	c := &candidates{pairs: value.NewBatch(j.node.Columns())}
	found := 0
	take := func() error {
		if c.pairs.N == 0 {
			return nil
		}
		meets, err := matching(j.conds, c.pairs)
		if err == nil {
			err = j.ctx.Err()
		}
		for _, at := range meets {
			if found++; err != nil || found > 1 && j.node.One == plan.FirstRow {
				break
			}
			if found > 1 && j.node.One == plan.OnlyRow {
				return j.severalRows()
			}
			j.row = spill.AppendRow(j.row[:0], c.pairs, int(at))
			err = ordered.Add(left[:8], j.row)
		}
		c.pairs.Clear()
		return err
	}
	for right, err := range same.All() {
		if err == nil {
			c.add(one, 0, right)
			if c.pairs.N == record.BatchRows {
				err = take()
			}
		}
		if err != nil {
			return err
		}
		if found > 0 && j.node.One == plan.FirstRow {
			break
		}
	}
	if err := take(); err != nil || found > 0 {
		return err
	}
	return j.unmatched(ordered, left)
}

// unmatched adds a row of the left side that has no match, with NULLs for the
// right side, to the sorter ordered. If the join is inner, it adds nothing. left
// begins with the number of the row.
func (j *joiner) unmatched(ordered *spill.Sorter, left []byte) error {
	if !j.node.Outer {
		return nil
	}
	j.row = append(j.row[:0], left[8:]...)
	for range len(j.out.Cols) - j.width {
		j.row = append(j.row, byte(value.Null))
	}
	return ordered.Add(left[:8], j.row)
}
