package terms

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/term"
)

// Version is one version of a page whose terms are counted.
type Version struct {
	Ref         record.Ref
	First, Last record.Time // its first and its last capture
	AsOf        record.Time // the period that it is counted in, or NoTime
	Lang        string      // language of the page, or "" if it is not known
}

// Row is how often one term occurs in the versions of a period.
type Row struct {
	Term        string
	New         bool   // the term is a new word
	Lang        string // most frequent language of the pages with the term, or ""
	Versions    int64  // number of versions with the term
	Leaves      int64  // number of different texts of leaves with the term; 0 unless Counter.Leaves is set
	First, Last record.Time
	AsOf        record.Time // of the period
}

// Pages is how a Counter reads the pages of versions.
type Pages interface {
	// Leaves appends to dst the stored leaves of the page of a version. The parameter as that it
	// returns is to be passed to LeafText. ok is false if the page has to be read.
	Leaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) (leaves []search.LeafRef, as search.Reading, ok bool, err error)
	// LeafText returns the text of a stored leaf. If it returns an error, the whole page is read
	// instead.
	LeafText(l search.LeafRef, as search.Reading) (string, error)
	// Texts reads a page and calls f with the text of each of its leaves. An error of f ends Texts
	// and is returned.
	Texts(ctx context.Context, ref record.Ref, f func(text string) error) error
}

// Counter counts terms. Only one goroutine may use it.
type Counter struct {
	Pages  Pages
	Memory spill.Memory // the memory that all parts of a Counter share
	Only   *term.Set    // the terms that are counted; nil means all
	Leaves bool         // sets Row.Leaves
	Langs  bool         // sets Row.Lang
}

// Rows counts the terms of versions. It yields the rows sorted by period, and then by the
// bytes of the term. A row is valid until the iteration moves on.
func (c *Counter) Rows(ctx context.Context, versions iter.Seq2[*Version, error]) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		if err := c.rows(ctx, versions, func(r *Row) bool { return yield(r, nil) }); err != nil && err != errStopped {
			yield(nil, err)
		}
	}
}

// rows does the work of Rows. It returns errStopped after yield has returned false.
func (c *Counter) rows(ctx context.Context, versions iter.Seq2[*Version, error], yield func(*Row) bool) error {
	all, err := c.sorted(ctx, versions)
	if err != nil {
		return err
	}
	defer all.Close()
	count := newCount(ctx, c)
	defer count.close()
	if c.Only.MayHaveNew() {
		if count.reader.New, err = c.newWords(ctx, all); err != nil {
			return err
		}
	}
	for b, err := range all.All() {
		if err != nil {
			return err
		}
		v := decodeVersion(b)
		if err := count.add(&v); err != nil {
			return err
		}
	}
	return count.rows(yield)
}

// sorted returns the versions, sorted by the place where they are stored and then by AsOf. Versions
// that share leaves thus come close to each other.
func (c *Counter) sorted(ctx context.Context, versions iter.Seq2[*Version, error]) (*spill.Spool, error) {
	s := c.Memory.Sorter(ctx, 4)
	defer s.Close()
	var key, val []byte
	for v, err := range versions {
		if err != nil {
			return nil, err
		}
		key, val = v.encode(key[:0], val[:0])
		if err := s.Add(key, val); err != nil {
			return nil, err
		}
	}
	all := c.Memory.Spool(16)
	var row []byte
	for r, err := range s.Sorted() {
		if err == nil {
			row = append(append(row[:0], r.Key...), r.Val...)
			err = all.Add(row)
		}
		if err != nil {
			all.Close()
			return nil, err
		}
	}
	return all, nil
}

// encode appends the encoded version to key and val. Keys sort by Ref and AsOf.
func (v *Version) encode(key, val []byte) ([]byte, []byte) {
	key = binary.BigEndian.AppendUint32(key, v.Ref.Segment)
	key = binary.BigEndian.AppendUint32(key, v.Ref.Run)
	key = binary.BigEndian.AppendUint32(key, v.Ref.N)
	key = appendPeriod(key, v.AsOf)
	val = binary.AppendVarint(val, int64(v.First))
	val = binary.AppendVarint(val, int64(v.Last))
	return key, append(val, v.Lang...)
}

// decodeVersion returns the version that encode encoded; b is its key followed by its value.
func decodeVersion(b []byte) (v Version) {
	v.Ref = record.Ref{Segment: binary.BigEndian.Uint32(b), Run: binary.BigEndian.Uint32(b[4:]), N: binary.BigEndian.Uint32(b[8:])}
	v.AsOf, b = periodOf(b[12:])
	first, n := binary.Varint(b)
	last, m := binary.Varint(b[n:])
	v.First, v.Last, v.Lang = record.Time(first), record.Time(last), string(b[n+m:])
	return v
}

// newWords returns the words in the leaves of versions that no list of words has.
func (c *Counter) newWords(ctx context.Context, versions *spill.Spool) (*term.NewWords, error) {
	// The runs of each leaf are sorted by their hash. What FindNew forgets depends on the order of
	// texts, and must not depend on where texts are stored or how often.
	sorter := c.Memory.Sorter(ctx, 4)
	defer sorter.Close()
	var reader term.Reader
	var runs, key []byte
	add := func(text string) error {
		if runs = reader.AppendRuns(runs[:0], text); len(runs) == 0 {
			return nil
		}
		key = binary.BigEndian.AppendUint64(key[:0], hashOf(runs))
		return sorter.Add(key, runs)
	}
	seen := newLeafMemory[bool](c.Memory.Bytes/16, func(bool) int64 { return 1 })
	p := pageReader{ctx: ctx, pages: c.Pages}
	last, read := record.Ref{}, false
	for b, err := range versions.All() {
		if err != nil {
			return nil, err
		}
		v := decodeVersion(b)
		if read && v.Ref == last {
			continue // the same version in another period
		}
		last, read = v.Ref, true
		err = p.read(v.Ref, func(l search.LeafRef, as search.Reading) error {
			met := seen.at(l, as)
			if *met {
				return nil
			}
			text, err := c.Pages.LeafText(l, as)
			if err != nil {
				return errUnread
			}
			*met = true
			return add(text)
		}, add)
		if err != nil {
			return nil, err
		}
	}
	if sorter.Empty() {
		return nil, nil
	}
	texts := c.Memory.Spool(16)
	defer texts.Close()
	var before []byte
	for r, err := range sorter.Sorted() {
		if err != nil {
			return nil, err
		}
		if slices.Equal(r.Val, before) {
			continue
		}
		before = append(before[:0], r.Val...)
		if err := texts.Add(r.Val); err != nil {
			return nil, err
		}
	}
	return term.FindNew(func(yield func(string, error) bool) {
		for b, err := range texts.All() {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(string(b), err) || err != nil {
				return
			}
		}
	}, c.Memory.Bytes/8)
}
