package op

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
)

// keyTable numbers distinct keys in the order in which they come: 0, 1 and so on. It
// takes about 20 bytes for a key, besides the key itself, and has no pointer for the
// garbage collector to follow.
type keyTable struct {
	seed maphash.Seed
	// slots is a hash table. A slot has half of the hash of a key, and the number of the
	// key plus 1; 0 is an empty slot. There are 2^n slots.
	slots []uint64
	// at says where each key is: the index of its chunk, and its offset there. A chunk
	// has the length of the key as a uvarint, and then the key.
	at      []uint64
	chunks  [][]byte
	fetched uint64 // keeps the reading of slots in fetch from being left out
}

// keyChunk is the size in bytes of a chunk of a keyTable. A longer key has a chunk of
// its own.
const keyChunk = 1 << 18

// slotsFirst is how many slots a keyTable has at first.
const slotsFirst = 1 << 8

// reset removes all keys, and gives back their memory.
func (t *keyTable) reset() {
	*t = keyTable{seed: maphash.MakeSeed(), slots: make([]uint64, slotsFirst)}
}

// size returns how many keys there are.
func (t *keyTable) size() int { return len(t.at) }

// key returns the key with number i. The caller must not change it.
func (t *keyTable) key(i int) []byte {
	b := t.chunks[t.at[i]>>32][uint32(t.at[i]):]
	n, k := binary.Uvarint(b)
	return b[k : k+int(n) : k+int(n)]
}

// hash returns the hash of a key, which the callers of find pass to it.
func (t *keyTable) hash(key []byte) uint64 { return maphash.Bytes(t.seed, key) }

// fetch reads the slots of the table in which find will look for keys with these hashes. The
// processor then loads all these slots from memory at the same time, and find does not wait for
// each. This takes a third off the time of a table that is larger than the processor's caches.
func (t *keyTable) fetch(hashes []uint64) {
	mask := uint64(len(t.slots) - 1)
	var all uint64
	for _, h := range hashes {
		all |= t.slots[h>>32&mask]
	}
	t.fetched = all
}

// find returns the number of key, whose hash is hash. If the key is new, fresh is true,
// and the table has a copy of the key.
func (t *keyTable) find(key []byte, hash uint64) (i int, fresh bool) {
	at, i := t.slot(key, hash)
	if i >= 0 {
		return i, false
	}
	t.slots[at] = hash&^(1<<32-1) | uint64(len(t.at)+1)
	t.add(key)
	if len(t.at) > len(t.slots)/4*3 {
		t.grow()
	}
	return len(t.at) - 1, true
}

// known returns the number of key, whose hash is hash, if the table has it.
func (t *keyTable) known(key []byte, hash uint64) (i int, ok bool) {
	_, i = t.slot(key, hash)
	return i, i >= 0
}

// slot returns the number of key, whose hash is hash, and its slot. If the table does not have the key,
// the number is -1, and the slot is where the key belongs.
func (t *keyTable) slot(key []byte, hash uint64) (at uint64, i int) {
	mask := uint64(len(t.slots) - 1)
	high := hash &^ (1<<32 - 1)
	at = high >> 32 & mask
	for ; t.slots[at] != 0; at = (at + 1) & mask {
		if t.slots[at]&^(1<<32-1) != high {
			continue
		}
		if i := int(uint32(t.slots[at])) - 1; bytes.Equal(t.key(i), key) {
			return at, i
		}
	}
	return at, -1
}

// add appends a copy of key to the keys.
func (t *keyTable) add(key []byte) {
	need := len(key) + binary.MaxVarintLen32
	last := len(t.chunks) - 1
	if last < 0 || cap(t.chunks[last])-len(t.chunks[last]) < need {
		t.chunks = append(t.chunks, make([]byte, 0, max(need, t.chunkBytes())))
		last++
	}
	c := t.chunks[last]
	t.at = append(t.at, uint64(last)<<32|uint64(len(c)))
	t.chunks[last] = append(binary.AppendUvarint(c, uint64(len(key))), key...)
}

// chunkBytes returns how large the next chunk is. The first chunks are small, so that
// few groups take little memory.
func (t *keyTable) chunkBytes() int { return min(keyChunk, 1<<10<<min(len(t.chunks), 8)) }

// grow doubles the number of slots.
func (t *keyTable) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	mask := uint64(len(t.slots) - 1)
	for _, s := range old {
		if s == 0 {
			continue
		}
		at := s >> 32 & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = s
	}
}

// bytes returns an estimate of the memory that one more key of this length takes, in bytes.
func (t *keyTable) bytes(length int) int64 {
	const slot = 16 // with the empty slots around it, and with room that a slice grows by
	return int64(length) + int64(bits.Len(uint(length))/7) + 1 + 8 + slot
}

// all returns the numbers of all keys.
func (t *keyTable) all() []uint32 {
	list := make([]uint32, t.size())
	for i := range list {
		list[i] = uint32(i)
	}
	return list
}

// sort sorts list, a list of numbers of keys, in the order of these keys.
func (t *keyTable) sort(list []uint32) {
	// Most keys differ in their first bytes, which are compared without a look at the
	// key.
	type prefixed struct {
		prefix uint64
		i      uint32
	}
	keys := make([]prefixed, len(list))
	for k, i := range list {
		var first [8]byte
		copy(first[:], t.key(int(i)))
		keys[k] = prefixed{binary.BigEndian.Uint64(first[:]), i}
	}
	slices.SortFunc(keys, func(a, b prefixed) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(t.key(int(a.i)), t.key(int(b.i)))
	})
	for k := range keys {
		list[k] = keys[k].i
	}
}

// keyColumns holds the keys of groups as values. For most types, a value is decoded from the key in
// the keyTable. Values of other types are kept in a vector.
type keyColumns struct {
	types []value.Type
	raw   []bool          // whether the column is read in its raw form; nil if none is
	kept  []*value.Vector // nil for a column that is read back
}

// reset removes all values.
func (k *keyColumns) reset() {
	k.kept = make([]*value.Vector, len(k.types))
	for i, t := range k.types {
		if !value.FromKey(t) {
			k.kept[i] = value.NewVector(t, 0)
		}
	}
}

// add adds the key of the next group, which is in row i of cols. It returns an estimate of the
// memory that this takes, in bytes.
func (k *keyColumns) add(cols []*value.Vector, i int) (bytes int64) {
	for c, kept := range k.kept {
		if kept != nil {
			v := held(cols[c].At(i))
			kept.AppendValue(v)
			bytes += 24 + int64(len(v.Text))
		}
	}
	return bytes
}

// emit appends the values of the key of group g to the first columns of out. key is the key of g in
// the keyTable. emit leaves out each column c for which skip(c) is true.
func (k *keyColumns) emit(out *value.Batch, g int, key []byte, skip func(c int) bool) {
	for c, kept := range k.kept {
		if skip(c) {
			key = value.SkipKey(k.types[c], key)
		} else if kept != nil {
			out.Cols[c].Append(kept, g)
			key = value.SkipKey(kept.Type, key)
		} else {
			key = out.Cols[c].AppendOfKey(key)
			if v := out.Cols[c]; k.raw != nil && k.raw[c] && !v.IsNull(len(v.Texts)-1) {
				v.Texts[len(v.Texts)-1] = relation.Shown(v.Texts[len(v.Texts)-1])
			}
		}
	}
}

// noColumn is a function for emit that skips no column.
func noColumn(int) bool { return false }

// values returns the key of group g as values.
func (k *keyColumns) values(g int, key []byte) []value.Value {
	out := value.Batch{Cols: make([]*value.Vector, len(k.types))}
	for c, t := range k.types {
		out.Cols[c] = value.NewVector(t, 0)
	}
	k.emit(&out, g, key, noColumn)
	list := make([]value.Value, len(k.types))
	for c, col := range out.Cols {
		if col.Type != value.Null {
			list[c] = col.At(0)
		}
	}
	return list
}

// states holds the states of one aggregate for all groups. A plain count takes only 8 bytes per
// group.
type states struct {
	agg    *plan.Aggregate
	counts []int64   // of a Count without Distinct
	full   [][]state // of the others; each slice has statesChunk of them
	n      int       // groups in full
}

// statesChunk is how many states are allocated together.
const statesChunk = 64

// counted reports whether the aggregate is a plain count, so that its state is one number.
func (s *states) counted() bool { return s.agg.Func == plan.Count && !s.agg.Distinct }

// add adds an empty state for the next group. It returns an estimate of the memory that this takes,
// in bytes.
func (s *states) add() (bytes int64) {
	if s.counted() {
		s.counts = append(s.counts, 0)
		return 10
	}
	if s.n%statesChunk == 0 {
		s.full = append(s.full, make([]state, statesChunk))
	}
	s.n++
	return stateBytes
}

// at returns the state of group g. It must not be called if counted is true.
func (s *states) at(g int) *state { return &s.full[g/statesChunk][g%statesChunk] }

// addRange adds the rows i of col with from <= i < to to group g.
func (s *states) addRange(g int, col *value.Vector, from, to int) error {
	if !s.counted() {
		return s.at(g).addRange(s.agg, col, from, to)
	}
	var n state
	err := n.addRange(s.agg, col, from, to)
	s.counts[g] += n.count
	return err
}

// addCounted is addRange for rows that stand for several captures each. counts[i] is the number of
// captures of row i.
func (s *states) addCounted(g int, col *value.Vector, counts []int64, from, to int) error {
	if !s.counted() {
		return s.at(g).addCounted(s.agg, col, counts, from, to)
	}
	var n state
	err := n.addCounted(s.agg, col, counts, from, to)
	s.counts[g] += n.count
	return err
}

// state returns the state of group g as a partial result holds it.
func (s *states) state(g int) state {
	if s.counted() {
		return state{count: s.counts[g]}
	}
	return *s.at(g)
}

// result returns the value of the aggregate for group g.
func (s *states) result(g int) value.Value {
	if s.counted() {
		return value.OfInt(s.counts[g])
	}
	return s.at(g).result(s.agg)
}
