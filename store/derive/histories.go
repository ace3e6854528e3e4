package derive

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/timeline"
)

// Histories remembers, for the URLs that an import read most recently, the history of
// their blocks up to the last version. The next version of a URL, in a later batch, is
// compared with that history, so the last version need not be read again. Each history
// is kept with a checksum over its versions. The caller asks for it by that checksum,
// so it gets no history if another process has added versions.
//
// Histories are kept in a compact form. A page takes a tenth of the size of its
// body, and each leaf (block with text) is stored once, however many pages have it.
// Reading a page from the archive takes several times as long as compacting its
// history and continuing with it.
//
// A nil *Histories remembers nothing.
type Histories struct {
	young, old map[string]history // by key of the URL; when young is full, it becomes old
	turn       uint32             // how many maps young there were, with the current one
	bytes      int64              // size of young in bytes
	bytesMax   int64              // greatest size of each of the two maps, in bytes
}

// history is the history of the blocks of one URL.
type history struct {
	versions uint64 // checksum over the versions in the history, see versionSums
	history  life.Resting
}

// historyBytes is an estimate of the memory, in bytes, that a URL in Histories takes besides
// its history.
const historyBytes = 200

func (t *history) size() int64 { return t.history.Bytes() + historyBytes }

// NewHistories returns empty Histories. They take at most twice bytesMax bytes of
// memory.
func NewHistories(bytesMax int64) *Histories {
	return &Histories{young: make(map[string]history), turn: 1, bytesMax: bytesMax}
}

// remember stores h, the history of the URL with this key. versions is the checksum
// over the versions in h (see versionSums).
func (m *Histories) remember(key string, versions uint64, h life.History) {
	if m == nil {
		return
	}
	rest, newly := h.Rest(m.turn)
	t := history{versions, rest}
	if before, ok := m.young[key]; ok {
		m.bytes -= before.size()
	}
	m.bytes += t.size() + newly
	if m.bytes > m.bytesMax {
		m.old, m.young, m.turn = m.young, make(map[string]history), m.turn+1
		t.history, newly = h.Rest(m.turn)
		m.bytes = t.size() + newly
	}
	m.young[key] = t
}

// Has reports whether the history of a URL is remembered up to the version that begins at the
// last of the given captures. captures has all captures of the URL up to that one, settled by
// timeline.Settle.
func (m *Histories) Has(captures []timeline.Capture) bool {
	if m == nil {
		return false
	}
	last := len(captures) - 1
	t, ok := m.young[captures[last].Key]
	if !ok {
		t, ok = m.old[captures[last].Key]
	}
	return ok && t.versions == versionSums(captures)[last]
}

// at returns the remembered history of the URL with this key. versions is the checksum over the
// versions that the history must have (see versionSums). The bool is false if no history is
// remembered, or if it has other versions.
func (m *Histories) at(key string, versions uint64) (life.History, bool) {
	if m == nil {
		return life.History{}, false
	}
	t, ok := m.young[key]
	if !ok {
		t, ok = m.old[key]
	}
	if !ok || t.versions != versions {
		return life.History{}, false
	}
	h, err := t.history.History()
	if err != nil {
		panic(fmt.Sprintf("store: a history that rests in memory: %v", err))
	}
	return h, true
}

// versionSums returns one element for each capture of a URL. If a version begins at capture
// all[i], element i is a checksum over that version and all versions before it. Otherwise
// element i is 0.
func versionSums(all []timeline.Capture) []uint64 {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	sums := make([]uint64, len(all))
	var b []byte
	for i := range all {
		e := &all[i]
		if e.Change == record.ChangeSame {
			continue
		}
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(e.Time))
		b = append(append(b, byte(e.Kind)), e.ID[:]...)
		h.Write(b)
		sums[i] = h.Sum64()
	}
	return sums
}

var sumSeed = maphash.MakeSeed()
