package store

import (
	"encoding/binary"
	"hash/maphash"

	"infomall/store/block"
	"infomall/store/record"
)

// tails remembers the histories of the URLs that an import saw last, each as it
// stands at the URL's last version: what comes next of the URL, in a later
// batch, is compared with that without reading it again. A history depends on
// nothing but the versions in it; so whoever asks says which these are, and what
// others did to the archive meanwhile makes no difference.
type tails struct {
	young, old map[string]tail
	bytes      int64 // of young
	bytesMax   int64 // of each of the two
}

type tail struct {
	versions uint64 // sum of the versions up to it
	history  block.History
}

func newTails(bytesMax int64) *tails {
	return &tails{young: make(map[string]tail), bytesMax: bytesMax}
}

// remember takes the history of a URL.
func (m *tails) remember(key string, versions uint64, h block.History) {
	h.Rest()
	if _, ok := m.young[key]; !ok {
		m.bytes += h.Bytes()
	}
	if m.bytes > m.bytesMax {
		m.old, m.young, m.bytes = m.young, make(map[string]tail), h.Bytes()
	}
	m.young[key] = tail{versions, h}
}

// at gives the history of a URL at the last of its versions, if these have that
// sum.
func (m *tails) at(key string, versions uint64) (block.History, bool) {
	t, ok := m.young[key]
	if !ok {
		t, ok = m.old[key]
	}
	return t.history, ok && t.versions == versions
}

// versionSums gives, for each version among the captures of a URL, by its place,
// the sum of the versions up to it.
func versionSums(all []located) []uint64 {
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
