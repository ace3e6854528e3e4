package firstseen

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"infomall/store/record"
	"infomall/store/record/task"
)

// ErrEarlier is returned if a page is not later than the pages of the known texts. These texts are
// then useless, because Known does not say when each was seen. Begin again with NewKnown and all
// pages.
var ErrEarlier = errors.New("a page is older than the pages whose texts are known")

// Known holds the texts of earlier pages, so that a Finder need not read these pages again. The
// zero value has no texts. Known takes 16 bytes of memory per text.
type Known struct {
	// Until is the time of the latest page whose texts are known, or record.NoTime if there is
	// none.
	Until record.Time
	// Added is the latest time at which a capture that was read had been added to the archive. The
	// next reading can skip the captures that were added by then.
	Added record.Time
	list  []seen // sorted by text
	// The next fields say what has changed since Load: the new or changed elements of list, and the
	// Until and Added that were loaded.
	fresh  []seen
	loaded [2]record.Time
}

// NewKnown returns a Known without texts.
func NewKnown() *Known { return &Known{Until: record.NoTime, Added: record.NoTime} }

// seen is the hash of a text, with the hash of the URL that had the text, or the value several.
type seen struct {
	text uint64
	url  uint32
}

// several stands in place of the hash of a URL if several URLs had the text. No URL has this hash.
const several = 0

// merger looks up texts in a Known, in ascending order, and collects the changes to make in it.
type merger struct {
	known *Known
	next  int  // index in known.list
	was   seen // what find has found last
	has   bool // find has found the last text that it was asked for
	fresh []seen
}

// find returns the entry of a text in the Known. ok is false if it has no entry. Calls must come
// with ascending texts.
func (m *merger) find(text uint64) (s seen, ok bool) {
	if m.known == nil {
		return s, false
	}
	old := m.known.list
	for m.next < len(old) && old[m.next].text < text {
		m.next++
	}
	if m.has = m.next < len(old) && old[m.next].text == text; m.has {
		m.was = old[m.next]
		m.next++
	}
	return m.was, m.has
}

// add adds s, the entry of the text that find was called with last, or replaces the old entry.
func (m *merger) add(s seen) {
	if m.known != nil && !(m.has && s == m.was) {
		m.fresh = append(m.fresh, s)
	}
}

// finish stores the collected changes in the Known. The parameter last is the time of the
// latest page, or record.NoTime.
func (m *merger) finish(last record.Time) {
	if k := m.known; k != nil {
		k.list = merge(k.list, m.fresh)
		k.fresh = merge(k.fresh, m.fresh)
		k.Until = max(k.Until, last)
	}
}

// merge merges b into list. Both are sorted by text. Of a text in both, it takes the element of b.
// It moves the elements of list to their new places, from the last to the first, because a second
// list of all texts would take much memory. The caller must not use list, nor change b, afterwards.
func merge(list, b []seen) []seen {
	if len(list) == 0 {
		return b[:len(b):len(b)]
	}
	search := func(n int, text uint64) (int, bool) {
		return slices.BinarySearchFunc(list[:n], text, func(x seen, text uint64) int { return cmp.Compare(x.text, text) })
	}
	more, n := 0, len(list) // n elements were not moved yet
	for i := range b {
		if _, found := search(n, b[i].text); !found {
			more++
		}
	}
	list = slices.Grow(list, more)[:n+more]
	to := len(list)
	for i := len(b) - 1; i >= 0; i-- {
		from, found := search(n, b[i].text)
		after := from
		if found {
			after++
		}
		to -= n - after
		copy(list[to:], list[after:n])
		to--
		list[to], n = b[i], from
	}
	return list
}

// Len returns the number of texts.
func (k *Known) Len() int { return len(k.list) }

// rowTexts is how many texts a stored row has. seenBytes is how many bytes a text takes in the row:
// its hash of 8 bytes, and the hash of 4 bytes of the URL that had it.
const (
	rowTexts  = 4096
	seenBytes = 12
)

// Rows yields k as rows to store, sorted by key. The first row has Until, Added and the number of
// texts; the others have the texts. A row is valid until the iteration moves on.
func (k *Known) Rows() iter.Seq[task.ResultRow] { return k.rows(k.list) }

// Changes yields rows in the form of Rows, but only with what has changed since k was loaded. To
// load the result, pass Load the old rows and then these.
func (k *Known) Changes() iter.Seq[task.ResultRow] { return k.rows(k.fresh) }

// Changed reports whether k has changed since it was loaded.
func (k *Known) Changed() bool {
	return len(k.fresh) > 0 || k.Until != k.loaded[0] || k.Added != k.loaded[1]
}

// rows yields the rows of Rows for the texts in list.
func (k *Known) rows(list []seen) iter.Seq[task.ResultRow] {
	return func(yield func(task.ResultRow) bool) {
		val := binary.AppendVarint(nil, int64(k.Until))
		val = binary.AppendVarint(val, int64(k.Added))
		val = binary.AppendUvarint(val, uint64(len(list)))
		key := make([]byte, 4)
		if !yield(task.ResultRow{Key: key, Value: val}) {
			return
		}
		n := uint32(0)
		for part := range slices.Chunk(list, rowTexts) {
			n++
			binary.BigEndian.PutUint32(key, n)
			val = val[:0]
			for _, s := range part {
				val = binary.LittleEndian.AppendUint64(val, s.text)
				val = binary.LittleEndian.AppendUint32(val, s.url)
			}
			if !yield(task.ResultRow{Key: key, Value: val}) {
				return
			}
		}
	}
}

// errRow is returned for rows that Rows did not make.
var errRow = errors.New("the stored texts of earlier pages are damaged")

const (
	// roomShare sets how much more room Load makes for texts than it needs: 1/roomShare of the
	// texts of a part.
	roomShare = 16
	// roomMax is the most texts for which Load makes room at once.
	roomMax = 1 << 24
)

// Load returns the Known that was stored as parts. The first part has the rows of Rows; each
// further part has rows of Changes, in the order in which they were stored. There must be at least
// one part.
func Load(parts ...iter.Seq2[task.ResultRow, error]) (*Known, error) {
	k := &Known{}
	lists := make([][]seen, len(parts))
	for i, in := range parts {
		if err := k.load(in, &lists[i]); err != nil {
			return nil, err
		}
	}
	k.list = lists[0] // with its room
	for _, list := range lists[1:] {
		k.list = merge(k.list, list)
	}
	k.loaded = [2]record.Time{k.Until, k.Added}
	return k, nil
}

// load reads the rows of one part. It sets the times of k, and appends the texts to list.
func (k *Known) load(in iter.Seq2[task.ResultRow, error], list *[]seen) error {
	n := 0
	for row, err := range in {
		if err != nil {
			return err
		}
		ok := len(row.Key) == 4 && binary.BigEndian.Uint32(row.Key) == uint32(n)
		if ok && n == 0 {
			until, size := binary.Varint(row.Value)
			added, more := binary.Varint(row.Value[max(size, 0):])
			ok = size > 0 && more > 0
			if ok {
				texts, left := binary.Uvarint(row.Value[size+more:])
				ok = left > 0 && size+more+left == len(row.Value)
				// Memory that is used for the first time takes long, so list grows once, with
				// room for the texts of later parts. A damaged row does not get more than roomMax.
				*list = make([]seen, 0, min(texts+texts/roomShare, roomMax))
			}
			k.Until, k.Added = record.Time(until), record.Time(added)
		} else if ok {
			ok = len(row.Value)%seenBytes == 0
			for b := row.Value; ok && len(b) > 0; b = b[seenBytes:] {
				s := seen{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])}
				ok = len(*list) == 0 || (*list)[len(*list)-1].text < s.text
				*list = append(*list, s)
			}
		}
		if !ok {
			return fmt.Errorf("row %d: %w", n+1, errRow)
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("no row: %w", errRow)
	}
	return nil
}
