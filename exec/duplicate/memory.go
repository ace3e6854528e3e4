package duplicate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"strconv"

	"infomall/exec/relation"
	"infomall/exec/relation/result"
	"infomall/store/record/task"
)

// The names of properties of stored prints: the rules by which the prints were made, and the time
// at which the duplicates found with them were computed.
const (
	propertyMade  = "made"
	propertyFound = "found"
)

// printsKept reports whether DEDUP stores the prints of the texts (the numbers
// by which the method finds candidates) for the next DEDUP. It does so for the
// methods minhash and simhash. The methods keywords and containment store no
// prints: the weights of keywords depend on all pages of a DEDUP, and for
// containment all texts are compared again.
func (d *duplication) printsKept() bool {
	return d.method == methodMinHash || d.method == methodSimHash
}

// printsName returns the name under which the archive stores the prints, such
// as "pages minhash".
func (d *duplication) printsName() string { return d.what() + " " + d.method }

// keptPrints returns the prints that the last DEDUP stored (the numbers by
// which it found candidates). It returns nil if there are none, or if they were
// made by rules other than those in made, a text that printsMade returned.
func keptPrints(ctx context.Context, snap relation.Snapshot, d *duplication, made string) (*task.Result, error) {
	if !d.printsKept() {
		return nil, nil
	}
	list, err := snap.Results(ctx, task.ResultPrints)
	for i := range list {
		if list[i].Name == d.printsName() && list[i].Properties[propertyMade] == made {
			return &list[i], err
		}
	}
	return nil, err
}

// foundBy returns the duplicates that a DEDUP stored together with the given
// prints. It returns nil if these duplicates were removed since.
func foundBy(ctx context.Context, snap relation.Snapshot, d *duplication, prints *task.Result) (*task.Result, error) {
	list, err := snap.Results(ctx, task.ResultDuplicates)
	for i := range list {
		if list[i].Name == d.what() && strconv.FormatInt(int64(list[i].Computed), 10) == prints.Properties[propertyFound] {
			return &list[i], err
		}
	}
	return nil, err
}

// savePrints stores the prints of all compared pages, in place of the prints of
// the last DEDUP. found is the stored result with the duplicates of this DEDUP.
// For a method without stored prints, savePrints does nothing.
func (c *comparison) savePrints(ctx context.Context, found task.Result) error {
	if !c.printsKept() {
		return nil
	}
	if _, err := c.s.Archive().DropResult(ctx, task.ResultPrints, c.printsName()); err != nil {
		return err
	}
	_, err := c.s.Archive().SaveResult(ctx, task.Result{
		Kind: task.ResultPrints, Name: c.printsName(), Computed: found.Computed, AsOf: found.AsOf, Statement: found.Statement,
		Properties: map[string]string{propertyMade: c.printsMade(), propertyFound: strconv.FormatInt(int64(found.Computed), 10)},
	}, c.printRows())
	return err
}

// printRows yields the rows of prints for the archive to store, one per page. A
// row has the mark (a number that changes when the page changes) and a hash of
// the body. If the page has words, it also has the fingerprint and the numbers
// of the MinHash bands.
func (c *comparison) printRows() iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		var val []byte
		for i := range c.list {
			x := &c.list[i]
			p, err := c.printOf(x)
			val = appendPrint(append(val[:0], make([]byte, markBytes)...), p)
			if x.state == wordless {
				val = val[:wordlessBytes]
			}
			a, key, aboutErr := c.aboutOf(x)
			binary.LittleEndian.PutUint64(val, a.mark)
			err = cmp.Or(err, aboutErr)
			if !yield(task.ResultRow{Key: key, Value: val}, err) || err != nil {
				return
			}
		}
	}
}

// errPrint is the error for a stored print that is too short.
var errPrint = errors.New("a stored print of a comparison is damaged")

// The least lengths of a stored print, in bytes.
const (
	markBytes     = 8                 // the mark before the print
	wordlessBytes = markBytes + 8     // the print of a text without words
	printBytes    = wordlessBytes + 8 // the print of a text with words
)

// recall takes over the stored prints and duplicates of the last DEDUP for
// pages that did not change since. If a group lost a member, its other members
// are compared again, because the lost member may have been the only link
// between them. made names the rules for making prints; if the stored prints
// were made by other rules, recall does nothing.
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
		i, ok, err := c.find(row.Key)
		if ok {
			err = c.recallPrint(&c.list[i], row.Value)
		}
		if err != nil {
			return err
		}
	}
	return c.recallGroups(ctx, found)
}

// recallPrint takes over the stored print val of page x: it sets the page's
// print, body and state. If the page has changed since, recallPrint does
// nothing.
func (c *comparison) recallPrint(x *compared, val []byte) (err error) {
	a, _, err := c.aboutOf(x)
	switch {
	case err != nil || binary.LittleEndian.Uint64(val) != a.mark:
		return err
	case len(val) == wordlessBytes:
		x.state = wordless
	case len(val) < printBytes:
		return errPrint
	default:
		x.state = remembered
	}
	x.print, err = c.prints.add(val[markBytes:])
	return err
}

// recallGroups joins the pages of each group that the last DEDUP found, if all
// its members are still there and did not change. The members of other groups
// become fresh (to be compared again). found is the stored result with these
// groups.
func (c *comparison) recallGroups(ctx context.Context, found *task.Result) error {
	members := make(map[int64][]uint32)
	broken := make(map[int64]bool)
	for row, err := range c.run.Snapshot.ResultRows(ctx, *found, nil) {
		if err != nil {
			return err
		}
		d, err := result.ParseDuplicate(row)
		if err != nil {
			return err
		}
		i, ok, err := c.find(row.Key)
		if err != nil {
			return err
		}
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
