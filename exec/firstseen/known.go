package firstseen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"infomall/exec/spill"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
)

// ErrEarlier is returned if a page is not later than the pages of the known texts. These texts are
// then useless, because Known does not say when each was seen. Begin again with NewKnown and all
// pages.
var ErrEarlier = errors.New("a page is older than the pages whose texts are known")

// Known holds the texts of earlier pages, so that a Finder need not read these pages again. It takes
// 12 bytes per text, in temporary files if the texts are many. Close it at the end.
type Known struct {
	// Until is the time of the latest page whose texts are known, or record.NoTime if there is
	// none.
	Until record.Time
	// Added is the latest time at which a capture that was read had been added to the archive. The
	// next reading can skip the captures that were added by then.
	Added  record.Time
	memory *spill.Memory
	list   *texts
	// The next fields say what has changed since Load: the new or changed elements of list, and the
	// Until and Added that were loaded.
	fresh  *texts
	loaded [2]record.Time
}

// NewKnown returns a Known without texts, which may use a small part of the memory m.
func NewKnown(m *spill.Memory) *Known {
	return &Known{Until: record.NoTime, Added: record.NoTime, memory: m, list: newTexts(m), fresh: newTexts(m)}
}

// Close removes the temporary files.
func (k *Known) Close() {
	k.list.rows.Close()
	k.fresh.rows.Close()
}

// seen is the hash of a text, with the hash of the URL that had the text, or the value several.
type seen struct {
	text uint64
	url  uint32
}

// several stands in place of the hash of a URL if several URLs had the text. No URL has this hash.
const several = 0

const (
	// rowTexts is how many texts a row has. seenBytes is how many bytes a text takes in the row:
	// its hash of 8 bytes, and the hash of 4 bytes of the URL that had it.
	rowTexts  = 4096
	seenBytes = 12
	// textsShare is the share of the memory that a list of texts may take, as a divisor. A list is
	// read in its order, so a temporary file is as good.
	textsShare = 32
)

// texts is a list of texts, sorted by their hashes, in the rows that are stored.
type texts struct {
	rows *spill.Spool
	row  []byte // the last row, until the method end
	n    int
}

func newTexts(m *spill.Memory) *texts { return &texts{rows: m.Spool(textsShare)} }

// add adds a text, whose hash is greater than those of all texts before.
func (t *texts) add(s seen) error {
	t.n++
	t.row = binary.LittleEndian.AppendUint64(t.row, s.text)
	t.row = binary.LittleEndian.AppendUint32(t.row, s.url)
	if len(t.row) < rowTexts*seenBytes {
		return nil
	}
	return t.end()
}

// end ends the last row. Call it after the last text.
func (t *texts) end() (err error) {
	if len(t.row) > 0 {
		err = t.rows.Add(t.row)
	}
	t.row = t.row[:0]
	return err
}

// reader returns a reader of the texts, which stands at the first text.
func (t *texts) reader() (*textReader, error) {
	r := &textReader{row: t.rows.Reader().Next}
	return r, r.next()
}

// textReader reads sorted texts one by one.
type textReader struct {
	row  func() (row []byte, ok bool, err error) // returns the next row
	rest []byte                                  // the rest of the current row
	at   seen                                    // the current text
	ok   bool                                    // there is a current text
}

// next goes to the next text.
func (r *textReader) next() (err error) {
	for len(r.rest) == 0 {
		if r.rest, r.ok, err = r.row(); err != nil || !r.ok {
			r.ok = false
			return err
		}
	}
	r.at = seen{binary.LittleEndian.Uint64(r.rest), binary.LittleEndian.Uint32(r.rest[8:])}
	r.rest = r.rest[seenBytes:]
	return nil
}

// merge returns the texts of all lists. Of a text in several lists, it takes that of the last.
func merge(m *spill.Memory, lists ...*textReader) (*texts, error) {
	all := newTexts(m)
	for {
		var s seen
		found := false
		for _, r := range lists {
			if r.ok && (!found || r.at.text <= s.text) {
				s, found = r.at, true
			}
		}
		if !found {
			return all, all.end()
		}
		if err := all.add(s); err != nil {
			return all, err
		}
		for _, r := range lists {
			if r.ok && r.at.text == s.text {
				if err := r.next(); err != nil {
					return all, err
				}
			}
		}
	}
}

// merger looks up texts in a Known, in ascending order, and makes the changes in it.
type merger struct {
	known *Known
	old   *textReader // of known.list
	was   seen        // what find has found last
	has   bool        // find has found the last text that it was asked for
	list  *texts      // known.list with the changes
	fresh *texts      // the changes
}

// newMerger returns a merger for k, which may be nil.
func newMerger(k *Known) (m *merger, err error) {
	m = &merger{known: k}
	if k != nil {
		m.list, m.fresh = newTexts(k.memory), newTexts(k.memory)
		m.old, err = k.list.reader()
	}
	return m, err
}

// find returns the entry of a text in the Known. ok is false if it has no entry. Calls must come
// with ascending texts, and add must follow each.
func (m *merger) find(text uint64) (s seen, ok bool, err error) {
	if m.known == nil {
		return s, false, nil
	}
	for m.old.ok && m.old.at.text < text {
		if err := errors.Join(m.list.add(m.old.at), m.old.next()); err != nil {
			return s, false, err
		}
	}
	if m.has = m.old.ok && m.old.at.text == text; m.has {
		m.was = m.old.at
		err = m.old.next()
	}
	return m.was, m.has, err
}

// add adds s, the entry of the text that find was called with last, or replaces the old entry.
func (m *merger) add(s seen) error {
	if m.known == nil {
		return nil
	}
	if !m.has || s != m.was {
		if err := m.fresh.add(s); err != nil {
			return err
		}
	}
	return m.list.add(s)
}

// finish stores the changes in the Known. The parameter last is the time of the latest page, or
// record.NoTime.
func (m *merger) finish(last record.Time) error {
	k := m.known
	if k == nil {
		return nil
	}
	for m.old.ok {
		if err := errors.Join(m.list.add(m.old.at), m.old.next()); err != nil {
			return err
		}
	}
	if err := errors.Join(m.list.end(), m.fresh.end()); err != nil {
		return err
	}
	defer k.list.rows.Close()
	defer k.fresh.rows.Close()
	defer m.fresh.rows.Close()
	k.list, k.Until = m.list, max(k.Until, last)
	before, err := k.fresh.reader()
	if err != nil {
		return err
	}
	now, err := m.fresh.reader()
	if err != nil {
		return err
	}
	k.fresh, err = merge(k.memory, before, now)
	return err
}

// Len returns the number of texts.
func (k *Known) Len() int { return k.list.n }

// Rows yields k as rows to store, sorted by key. The first row has Until, Added and the number of
// texts; the others have the texts. A row is valid until the iteration moves on.
func (k *Known) Rows() iter.Seq2[task.ResultRow, error] { return k.rows(k.list) }

// Changes yields rows in the form of Rows, but only with what has changed since k was loaded. To
// load the result, pass Load the old rows and then these.
func (k *Known) Changes() iter.Seq2[task.ResultRow, error] { return k.rows(k.fresh) }

// Changed reports whether k has changed since it was loaded.
func (k *Known) Changed() bool {
	return k.fresh.n > 0 || k.Until != k.loaded[0] || k.Added != k.loaded[1]
}

// rows yields the rows of Rows for the texts in list.
func (k *Known) rows(list *texts) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		val := binary.AppendVarint(nil, int64(k.Until))
		val = binary.AppendVarint(val, int64(k.Added))
		val = binary.AppendUvarint(val, uint64(list.n))
		key := make([]byte, 4)
		if !yield(task.ResultRow{Key: key, Value: val}, nil) {
			return
		}
		n := uint32(0)
		for row, err := range list.rows.All() {
			n++
			binary.BigEndian.PutUint32(key, n)
			if !yield(task.ResultRow{Key: key, Value: row}, err) || err != nil {
				return
			}
		}
	}
}

// errRow is returned for rows that Rows did not make.
var errRow = errors.New("the stored texts of earlier pages are damaged")

// Load returns the Known that was stored as parts, which may use a small part of the memory m. The
// first part has the rows of Rows; each further part has rows of Changes, in the order in which they
// were stored. There must be at least one part.
func Load(m *spill.Memory, parts ...iter.Seq2[task.ResultRow, error]) (k *Known, err error) {
	k = NewKnown(m)
	lists := make([]*textReader, len(parts))
	for i, in := range parts {
		next, stop := iter.Pull2(in)
		defer stop()
		if lists[i], err = k.stored(next); err != nil {
			return nil, err
		}
	}
	if k.list, err = merge(m, lists...); err != nil {
		k.Close()
		return nil, err
	}
	k.loaded = [2]record.Time{k.Until, k.Added}
	return k, nil
}

// stored returns a reader of the texts of one part, whose rows next returns. It sets the times of k.
func (k *Known) stored(next func() (task.ResultRow, error, bool)) (*textReader, error) {
	n := uint32(0)
	row := func() (val []byte, ok bool, err error) {
		row, err, ok := next()
		if err == nil && ok && (len(row.Key) != 4 || binary.BigEndian.Uint32(row.Key) != n) {
			err = fmt.Errorf("row %d: %w", n+1, errRow)
		}
		n++
		return row.Value, ok, err
	}
	head, ok, err := row()
	if err != nil {
		return nil, err
	}
	r := packed.Reader{B: head}
	k.Until, k.Added = record.Time(r.Varint()), record.Time(r.Varint())
	left := r.Uvarint()
	if !ok || r.Bad || len(r.B) > 0 {
		return nil, fmt.Errorf("row 1: %w", errRow)
	}
	last, begun := uint64(0), false
	texts := &textReader{row: func() ([]byte, bool, error) {
		val, ok, err := row()
		if err != nil {
			return nil, false, err
		}
		for b := val; len(b) > 0; b = b[seenBytes:] {
			if len(b) < seenBytes || left == 0 || begun && binary.LittleEndian.Uint64(b) <= last {
				return nil, false, fmt.Errorf("row %d: %w", n, errRow)
			}
			last, begun = binary.LittleEndian.Uint64(b), true
			left--
		}
		if !ok && left > 0 {
			return nil, false, fmt.Errorf("row %d: %w", n, errRow)
		}
		return val, ok, nil
	}}
	return texts, texts.next()
}
