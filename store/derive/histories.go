package derive

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"

	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/timeline"
)

// Histories remembers the histories of the URLs that an import saw last, as of the
// URL's last version. The next version of the URL, in a later batch, is compared
// with the history without reading that version again. A history depends only on
// the versions in it. The caller says which versions these are, so changes by other
// processes make no difference.
//
// Histories are kept in a compact form: a page takes a tenth of its body, and each
// leaf takes its bytes once, however many pages have it. To read a page from the
// archive takes several times as long as to compact its history and continue with
// it.
//
// A nil *Histories remembers nothing.
type Histories struct {
	young, old map[string]history
	turn       uint32 // counter of young
	bytes      int64  // size of young
	bytesMax   int64  // largest size of each of the two generations
}

type history struct {
	versions uint64 // sum of the versions up to it
	history  life.Resting
}

// historyBytes is about how much memory a tail takes besides its history.
const historyBytes = 200

func (t *history) size() int64 { return t.history.Bytes() + historyBytes }

// NewHistories returns an empty memory of histories, which takes at most twice
// bytesMax.
func NewHistories(bytesMax int64) *Histories {
	return &Histories{young: make(map[string]history), turn: 1, bytesMax: bytesMax}
}

// remember stores the history of a URL.
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

// at returns the history of a URL as of its last version. The bool is false if the
// history is not remembered, or if the versions up to it do not have that sum.
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

// versionSums returns, for each version among the captures of a URL, a sum over the
// versions up to it. The index is that of the capture.
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
