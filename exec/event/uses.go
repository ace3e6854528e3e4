package event

import (
	"cmp"
	"context"
	"encoding/binary"
	"math/bits"
	"slices"

	"infomall/exec/events"
	"infomall/exec/spill"
)

// uses has, for each word of the dictionary, the texts that have it.
//
// The uses of a word are a sequence of numbers of variable length, one for each text in ascending
// order. A number is twice the distance from the text before, plus 1 if the title has the word. The
// first distance counts from the first text of the part of the stream. If several parts have a
// word, each part has a sequence of its own.
type uses struct {
	memory *spill.Memory
	from   int // the first text that was read now

	// The uses in the texts that were read now: lists has the sequence of each word, and last the
	// number of the last text with the word, plus 1. full has the pieces of sequences for which
	// there was no more room in memory.
	lists   [][]byte
	last    []uint32
	bytes   int64
	full    []*spill.Spool
	flushes int   // how often sequences went to a temporary file
	moved   int64 // bytes of the sequences in full

	added    int64 // uses in the new texts
	loaded   []loadedUses
	partly   bool                    // load has left out words
	replaced map[int]bool            // the texts whose uses are in other, and not in loaded
	other    map[uint32][]events.Use // by word, the uses in replaced texts
}

// loadedUses has the uses of one part of the stream, which has the texts from <= i < from+texts.
// The sequence of word w is bytes[at[w]:at[w+1]].
type loadedUses struct {
	from, texts int
	at          []int
	bytes       []byte
}

// count returns a lower and an upper bound of the number of uses that a word has in the part. It
// does not read the sequence.
func (l *loadedUses) count(word uint32) (least, most int) {
	if int(word)+1 >= len(l.at) {
		return 0, 0
	}
	// A number has one byte if the distance is below 64, and two if it is below 8192. All distances
	// of a word together are at most texts. So its numbers have less than texts/63 further bytes.
	size := l.at[word+1] - l.at[word]
	return max(size-l.texts/63-1, (size+binary.MaxVarintLen32-1)/binary.MaxVarintLen32), size
}

const (
	// usesShare is the share of the memory that the uses of new texts may take before they go
	// to a temporary file, as a divisor.
	usesShare = 16
	// useBytes is the average number of bytes that a use takes, estimated high.
	useBytes = 2
	// filesMerged is how many temporary files of about the same size are merged into one.
	filesMerged = 16
)

// close removes the temporary files.
func (u *uses) close() {
	for _, s := range u.full {
		s.Close()
	}
}

// grow makes room for n words, and for dictionaryMax words at most.
func (u *uses) grow(n int) {
	n = min(n, dictionaryMax)
	u.lists, u.last = make([][]byte, 0, n), make([]uint32, 0, n)
}

// add records that a text has a word. title reports whether its title has the word. The caller adds
// texts in ascending order, and the words of a title before the other words of the text.
func (u *uses) add(word uint32, text int, title bool) error {
	for int(word) >= len(u.lists) {
		u.lists, u.last = append(u.lists, nil), append(u.last, 0)
	}
	from := uint32(u.from)
	if n := u.last[word]; n > 0 {
		from = n - 1
		if from == uint32(text) {
			return nil
		}
	}
	x := uint64(uint32(text)-from) << 1
	if title {
		x |= 1
	}
	before := len(u.lists[word])
	u.lists[word] = binary.AppendUvarint(u.lists[word], x)
	u.last[word] = uint32(text) + 1
	u.bytes += int64(len(u.lists[word]) - before)
	u.added++
	if u.bytes < u.memory.Bytes/usesShare {
		return nil
	}
	return u.flush()
}

// flush moves the sequences in memory to a temporary file. Later uses continue the sequences. When
// there are filesMerged files of one size, it merges them. So the number of open files grows with the
// logarithm of the uses.
func (u *uses) flush() error {
	s := u.memory.Spool(u.memory.Bytes + 1) // nothing stays in memory
	u.full = append(u.full, s)
	var row []byte
	for w, list := range u.lists {
		if len(list) == 0 {
			continue
		}
		row = append(binary.AppendUvarint(row[:0], uint64(w)), list...)
		if err := s.Add(row); err != nil {
			return err
		}
		u.lists[w] = nil
	}
	u.moved += u.bytes
	u.bytes = 0
	u.flushes++
	for n := u.flushes; n%filesMerged == 0; n /= filesMerged {
		if err := u.mergeLast(); err != nil {
			return err
		}
	}
	return nil
}

// mergeLast merges the last filesMerged temporary files into one. There are no sequences in memory.
func (u *uses) mergeLast() error {
	first := len(u.full) - filesMerged
	last := u.full[first:]
	s := u.memory.Spool(u.memory.Bytes + 1)
	var row []byte
	err := u.eachIn(last, func(word uint32, piece []byte) error {
		row = append(binary.AppendUvarint(row[:0], uint64(word)), piece...)
		return s.Add(row)
	})
	for _, old := range last {
		old.Close()
	}
	u.full = append(u.full[:first], s)
	return err
}

// each calls f with the sequence of each word of the new texts, in the order of words. A sequence
// may come in several pieces.
func (u *uses) each(f func(word uint32, piece []byte) error) error { return u.eachIn(u.full, f) }

// eachIn is like each, and reads these temporary files in place of u.full.
func (u *uses) eachIn(files []*spill.Spool, f func(word uint32, piece []byte) error) error {
	type reader struct {
		*spill.SpoolReader
		word  uint32
		piece []byte
		ok    bool
	}
	next := func(r *reader) error {
		row, ok, err := r.Next()
		r.ok = ok
		if ok && err == nil {
			w, n := binary.Uvarint(row)
			r.word, r.piece = uint32(w), row[n:]
		}
		return err
	}
	readers := make([]reader, len(files))
	for i, s := range files {
		readers[i].SpoolReader = s.Reader()
		if err := next(&readers[i]); err != nil {
			return err
		}
	}
	for w, list := range u.lists {
		for i := range readers {
			for r := &readers[i]; r.ok && r.word == uint32(w); {
				if err := f(r.word, r.piece); err != nil {
					return err
				}
				if err := next(r); err != nil {
					return err
				}
			}
		}
		if len(list) > 0 {
			if err := f(uint32(w), list); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads the uses of all parts of the stream of c, and those of the new texts, into memory. If
// they take more than limit bytes, those of the most frequent words are left out.
func (u *uses) load(ctx context.Context, c *collection, limit int64) error {
	all := u.added
	for _, p := range c.parts {
		all += p.uses
	}
	left := make([]bool, len(c.words.names))
	if all*useBytes > limit {
		u.partly = true
		if err := u.leaveFrequent(ctx, c, all, limit, left); err != nil {
			return err
		}
	}
	take := func(l *loadedUses, word uint32, piece []byte) {
		if int(word) >= len(left) || left[word] {
			return
		}
		for len(l.at) <= int(word) {
			l.at = append(l.at, len(l.bytes))
		}
		l.bytes = append(l.bytes, piece...)
	}
	for _, p := range c.parts {
		l := loadedUses{from: p.from, texts: p.texts, bytes: make([]byte, 0, min(p.useBytes+p.useBytes/16, limit))}
		for row, err := range c.rowsOf(ctx, p, rowUses) {
			if err != nil {
				return err
			}
			take(&l, binary.BigEndian.Uint32(row.Key[1:]), row.Value)
		}
		l.at = append(l.at, len(l.bytes))
		u.loaded = append(u.loaded, l)
	}
	l := loadedUses{from: u.from, texts: len(c.list) - u.from, bytes: make([]byte, 0, min(u.moved+u.bytes, limit))}
	err := u.each(func(word uint32, piece []byte) error {
		at := len(l.bytes)
		take(&l, word, piece)
		if len(u.full) == 0 && !u.partly { // once in memory is enough
			u.lists[word] = l.bytes[at:len(l.bytes):len(l.bytes)]
		}
		return nil
	})
	l.at = append(l.at, len(l.bytes))
	u.loaded = append(u.loaded, l)
	return err
}

// leaveFrequent sets left for the most frequent words, so that the uses of the others take at most
// limit bytes. The parameter all is the number of all uses. Of words that are equally frequent it
// sets left for all or for none, so that the order of the dictionary does not matter.
func (u *uses) leaveFrequent(ctx context.Context, c *collection, all, limit int64, left []bool) error {
	counts := make([]int64, len(left))
	count := func(word uint32, piece []byte) error {
		if int(word) < len(counts) {
			counts[word] += int64(usesIn(piece))
		}
		return nil
	}
	for _, p := range c.parts {
		for row, err := range c.rowsOf(ctx, p, rowUses) {
			if err != nil {
				return err
			}
			count(binary.BigEndian.Uint32(row.Key[1:]), row.Value)
		}
	}
	if err := u.each(count); err != nil {
		return err
	}
	order := make([]uint32, len(counts))
	for w := range order {
		order[w] = uint32(w)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Compare(counts[b], counts[a]) })
	last := int64(0)
	for _, w := range order {
		if all*useBytes <= limit && counts[w] != last {
			break
		}
		left[w], last = true, counts[w]
		all -= last
	}
	return nil
}

// replace gives a text other words in place of its words. All of them count as words of its title.
func (u *uses) replace(text int, words []uint32) {
	if u.replaced == nil {
		u.replaced, u.other = make(map[int]bool), make(map[uint32][]events.Use)
	}
	u.replaced[text] = true
	for i, w := range words {
		if !slices.Contains(words[:i], w) {
			u.other[w] = append(u.other[w], events.NewUse(text, true))
		}
	}
}

// usesIn returns how many uses a sequence has. In a sequence, the last byte of each number, and no
// other, is below 0x80.
func usesIn(list []byte) (n int) {
	const upper = 0x8080808080808080
	for ; len(list) >= 8; list = list[8:] {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(list) & upper)
	}
	for _, b := range list {
		if b < 0x80 {
			n++
		}
	}
	return n
}

// count returns a lower and an upper bound of the number of uses that the method of would append
// for a word. Call count after load.
func (u *uses) count(word uint32) (least, most int) {
	for i := range u.loaded {
		from, to := u.loaded[i].count(word)
		least, most = least+from, most+to
	}
	return least - len(u.replaced), most + len(u.other[word])
}

// of appends the uses of a word to dst. Call it after load.
func (u *uses) of(dst []events.Use, word uint32) []events.Use {
	first := len(dst)
	dst = u.all(dst, word)
	if len(u.replaced) > 0 {
		dst = append(dst[:first], slices.DeleteFunc(dst[first:], func(x events.Use) bool { return u.replaced[x.Doc()] })...)
		dst = append(dst, u.other[word]...)
	}
	return dst
}

// all appends the uses of a word to dst, as if no text had been replaced.
func (u *uses) all(dst []events.Use, word uint32) []events.Use {
	for i := range u.loaded {
		l := &u.loaded[i]
		if int(word)+1 >= len(l.at) {
			continue
		}
		list := l.bytes[l.at[word]:l.at[word+1]]
		dst = slices.Grow(dst, len(list)) // a use has one byte at least
		room := dst[len(dst) : len(dst)+len(list)]
		text, n := uint32(l.from)<<1, 0
		for at := 0; at < len(list) && n < len(room); n++ {
			x := uint32(list[at])
			at++
			if x >= 0x80 { // most distances have one byte or two
				if at < len(list) && list[at] < 0x80 {
					x = x&0x7f | uint32(list[at])<<7
					at++
				} else {
					long, size := binary.Uvarint(list[at-1:])
					x, at = uint32(long), at-1+max(size, 1)
				}
			}
			text = text&^1 + x
			room[n] = events.Use(text)
		}
		dst = dst[:len(dst)+n]
	}
	return dst
}

// put calls the function put with the rows of the uses: of the new texts, or, if all is set, of all
// texts as one part. If all is set, call put after load, which must not have left out words.
func (u *uses) put(all bool, put func(kind byte, n int, val []byte) error) error {
	if !all {
		return u.each(func(word uint32, list []byte) error {
			for part := range slices.Chunk(list, piece) {
				if err := put(rowUses, int(word), part); err != nil {
					return err
				}
			}
			return nil
		})
	}
	words := 0
	for i := range u.loaded {
		words = max(words, len(u.loaded[i].at)-1)
	}
	var list []events.Use
	var val []byte
	for w := range words {
		list, val = u.all(list[:0], uint32(w)), val[:0]
		last := events.Use(0)
		for _, x := range list {
			val = binary.AppendUvarint(val, uint64(x-last&^1))
			last = x
		}
		for part := range slices.Chunk(val, piece) {
			if err := put(rowUses, w, part); err != nil {
				return err
			}
		}
	}
	return nil
}
