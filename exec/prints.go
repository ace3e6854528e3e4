package exec

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"strconv"

	"infomall/exec/op"
	"infomall/store/record"
)

// Properties of kept prints: by what rules they were made, and when the
// duplicates were computed that were found by them.
const (
	propertyMade  = "made"
	propertyFound = "found"
)

// printsKept tells whether prints are kept from one time to the next. Keywords
// are weighed by what there is each time, and what quotes what is not remembered.
func (d *duplication) printsKept() bool {
	return d.method == methodMinHash || d.method == methodSimHash
}

func (d *duplication) printsName() string { return d.what() + " " + d.method }

// keptPrints are those of the last time, nil if there are none that are of use.
func keptPrints(ctx context.Context, snap op.Snapshot, d *duplication, made string) (*record.Result, error) {
	if !d.printsKept() {
		return nil, nil
	}
	list, err := snap.Results(ctx, record.ResultPrints)
	for i := range list {
		if list[i].Name == d.printsName() && list[i].Properties[propertyMade] == made {
			return &list[i], err
		}
	}
	return nil, err
}

// foundBy are the duplicates that were found by prints, nil if they are gone.
func foundBy(ctx context.Context, snap op.Snapshot, d *duplication, prints *record.Result) (*record.Result, error) {
	list, err := snap.Results(ctx, record.ResultDuplicates)
	for i := range list {
		if list[i].Name == d.what() && strconv.FormatInt(int64(list[i].Computed), 10) == prints.Properties[propertyFound] {
			return &list[i], err
		}
	}
	return nil, err
}

// savePrints keeps the prints of all that was compared, in the place of those of
// the last time. Without any, the next time begins anew.
func (s *Session) savePrints(ctx context.Context, c *comparison, found record.Result) error {
	if !c.printsKept() {
		return nil
	}
	if _, err := s.Archive.DropResult(ctx, record.ResultPrints, c.printsName()); err != nil {
		return err
	}
	_, err := s.Archive.SaveResult(ctx, record.Result{
		Kind: record.ResultPrints, Name: c.printsName(), Computed: found.Computed, AsOf: found.AsOf, Statement: found.Statement,
		Properties: map[string]string{propertyMade: s.printsMade(c.duplication), propertyFound: strconv.FormatInt(int64(found.Computed), 10)},
	}, c.prints())
	return err
}

// prints yields the rows to keep: mark, body, whether there are words, and if so
// the fingerprint and the numbers of bands.
func (c *comparison) prints() iter.Seq2[record.ResultRow, error] {
	return func(yield func(record.ResultRow, error) bool) {
		var val []byte
		for i := range c.list {
			x := &c.list[i]
			val = binary.LittleEndian.AppendUint64(val[:0], x.mark)
			val = binary.LittleEndian.AppendUint64(val, x.body)
			var err error
			if x.state != wordless {
				val = binary.LittleEndian.AppendUint64(val, x.print.simhash)
				c.raw, err = c.bands.read(x.print.bands, c.raw)
				val = append(val, c.raw...)
			}
			if !yield(record.ResultRow{Key: []byte(x.key), Value: val}, err) || err != nil {
				return
			}
		}
	}
}

var errPrint = errors.New("a print of what was compared is none that a program wrote")

// The least lengths of a print: of one without words, and of one with.
const (
	wordlessBytes = 2 * 8
	printBytes    = wordlessBytes + 8
)

// recall takes prints and duplicates of the last time for those that are the same
// still. Of a group that has lost a member the others are compared again, as it
// may be that nothing else held them together.
func (c *comparison) recall(ctx context.Context, made string) error {
	prints, err := keptPrints(ctx, c.run.Snapshot, c.duplication, made)
	if prints == nil || err != nil {
		return err
	}
	found, err := foundBy(ctx, c.run.Snapshot, c.duplication, prints)
	if found == nil || err != nil {
		return err
	}
	for row, err := range c.run.Snapshot.ResultRows(ctx, *prints, nil) {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && len(row.Value) < wordlessBytes {
			err = errPrint
		}
		if err != nil {
			return err
		}
		if i, ok := c.find(string(row.Key)); ok {
			if err := c.recallPrint(&c.list[i], row.Value); err != nil {
				return err
			}
		}
	}
	return c.recallGroups(ctx, found)
}

func (c *comparison) recallPrint(x *compared, val []byte) (err error) {
	switch {
	case binary.LittleEndian.Uint64(val) != x.mark:
		return nil
	case len(val) == wordlessBytes:
		x.state = wordless
		return nil
	case len(val) < printBytes:
		return errPrint
	}
	x.state = remembered
	x.body = binary.LittleEndian.Uint64(val[8:])
	x.print.simhash = binary.LittleEndian.Uint64(val[wordlessBytes:])
	x.print.bands, err = c.bands.add(val[printBytes:])
	return err
}

func (c *comparison) recallGroups(ctx context.Context, found *record.Result) error {
	members := make(map[int64][]uint32)
	broken := make(map[int64]bool)
	for row, err := range c.run.Snapshot.ResultRows(ctx, *found, nil) {
		if err != nil {
			return err
		}
		d, err := op.ParseDuplicate(row)
		if err != nil {
			return err
		}
		i, ok := c.find(string(row.Key))
		if !ok || c.list[i].state != remembered {
			broken[d.Group] = true
			continue
		}
		members[d.Group] = append(members[d.Group], uint32(i))
		c.before[uint32(i)] = d
	}
	for group, list := range members {
		for _, i := range list {
			if broken[group] {
				c.list[i].state = fresh
				delete(c.before, i)
			} else {
				c.groups.Join(list[0], i)
			}
		}
	}
	return nil
}
