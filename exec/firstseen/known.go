package firstseen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"infomall/store/record"
	"infomall/store/record/task"
)

// ErrEarlier is returned if a page is not later than the pages of the known texts. Known texts
// are then of no use, because they do not say when they were seen: begin without them.
var ErrEarlier = errors.New("a page is older than the pages whose texts are known")

// Known has the texts of earlier pages, for a Finder that gets only later ones. The zero value
// has none. It takes 16 bytes of memory for each text.
type Known struct {
	// Until is the time of the latest page, or record.NoTime if there was none.
	Until record.Time
	// Added is when the last of the captures was added to the archive that were read. A caller
	// that keeps a Known may use it to choose the captures to read next.
	Added record.Time
	list  []seen // sorted by text
}

// NewKnown returns a Known without texts.
func NewKnown() *Known { return &Known{Until: record.NoTime, Added: record.NoTime} }

// seen is a text with the hash of the URL that had it, or several.
type seen struct {
	text uint64
	url  uint32
}

// several stands for several URLs. No URL has this hash.
const several = 0

// merger looks up texts, which come ascending, in a Known, and makes its next list.
type merger struct {
	known *Known
	next  int // index in known.list
	list  []seen
}

// find returns what is known of a text. ok is false if it is not known.
func (m *merger) find(text uint64) (s seen, ok bool) {
	if m.known == nil {
		return s, false
	}
	old := m.known.list
	for m.next < len(old) && old[m.next].text < text {
		m.list = append(m.list, old[m.next])
		m.next++
	}
	if m.next == len(old) || old[m.next].text > text {
		return s, false
	}
	m.next++
	return old[m.next-1], true
}

// add adds a text to the next list.
func (m *merger) add(s seen) {
	if m.known != nil {
		m.list = append(m.list, s)
	}
}

// finish stores the next list. last is the time of the latest page, or record.NoTime.
func (m *merger) finish(last record.Time) {
	if k := m.known; k != nil {
		k.list = append(m.list, k.list[m.next:]...)
		k.Until = max(k.Until, last)
	}
}

// Len returns the number of texts.
func (k *Known) Len() int { return len(k.list) }

// rowTexts is how many texts a row has, of seenBytes bytes each.
const (
	rowTexts  = 4096
	seenBytes = 12
)

// Rows yields k as rows to store, sorted by key: first the times, then the texts. A row is valid
// until the next one.
func (k *Known) Rows() iter.Seq[task.ResultRow] {
	return func(yield func(task.ResultRow) bool) {
		val := binary.AppendVarint(nil, int64(k.Until))
		val = binary.AppendVarint(val, int64(k.Added))
		key := make([]byte, 4)
		if !yield(task.ResultRow{Key: key, Value: val}) {
			return
		}
		n := uint32(0)
		for part := range slices.Chunk(k.list, rowTexts) {
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

// Load returns the Known whose rows in yields.
func Load(in iter.Seq2[task.ResultRow, error]) (*Known, error) {
	k := &Known{}
	n := 0
	for row, err := range in {
		if err != nil {
			return nil, err
		}
		ok := len(row.Key) == 4 && binary.BigEndian.Uint32(row.Key) == uint32(n)
		if ok && n == 0 {
			until, size := binary.Varint(row.Value)
			added, more := binary.Varint(row.Value[max(size, 0):])
			ok = size > 0 && more > 0 && size+more == len(row.Value)
			k.Until, k.Added = record.Time(until), record.Time(added)
		} else if ok {
			ok = len(row.Value)%seenBytes == 0
			for b := row.Value; ok && len(b) > 0; b = b[seenBytes:] {
				s := seen{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])}
				ok = len(k.list) == 0 || k.list[len(k.list)-1].text < s.text
				k.list = append(k.list, s)
			}
		}
		if !ok {
			return nil, fmt.Errorf("row %d: %w", n+1, errRow)
		}
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("no row: %w", errRow)
	}
	return k, nil
}
