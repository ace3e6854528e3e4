package terms

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"infomall/exec/spill"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/term"
)

// count is the state of counting the terms of all periods at once.
type count struct {
	ctx    context.Context
	c      *Counter
	reader term.Reader
	page   pageReader
	limit  int64 // bytes that the terms and counts in memory may take

	ids     map[string]uint32   // the number of each term in memory
	terms   []inMemory          // each term in memory, by number
	counts  []counted           // the counts of the terms in memory
	more    map[inPeriod]uint32 // the places in counts of the second and further periods of a term
	langs   map[inLang]uint32   // in how many versions of a language a term occurs
	held    int64               // bytes that all these take
	known   *leafMemory[leaf]
	names   []string // the languages, by number
	numbers map[string]uint16
	periods map[record.Time]uint32 // the number of each period

	ref  record.Ref // of the version whose terms are in has
	has  []uint32   // numbers of the terms of a version; nil if they are not known
	read uint32     // number of the version that was read last, from 1

	parts  *spill.Sorter // the counts of the parts of the versions, by period and term
	leaves *spill.Sorter // the leaves of the versions of this part, by period and the hash of their text; nil if they are not counted
	before *spill.Spool  // the keys of the leaves of earlier parts, sorted; nil if there are none
	list   []uint32      // memory of idsOf
	key    []byte        // memory of keys
	row    []byte        // memory of rows
}

// inMemory is a term that has counts in memory. It holds the index in count.counts of the counts in
// the first period that was counted; other periods are in count.more.
type inMemory struct {
	text   string
	isNew  bool
	read   uint32 // the last version that has the term
	period uint32 // 0 if the term was not counted
	at     uint32 // in counts
}

// counted holds the counts of one term in one period.
type counted struct {
	term             uint32
	asOf             record.Time // of the period
	versions, leaves uint32
	first, last      record.Time
}

// inPeriod identifies a term in a period, both by their numbers.
type inPeriod struct{ term, period uint32 }

// inLang identifies a language, by number, among the versions that one element of count.counts
// counts.
type inLang struct {
	at   uint32
	lang uint16
}

// leaf is what is remembered about a stored leaf, so that it need not be read again.
type leaf struct {
	known bool
	put   []uint64 // has a bit for each period in which the leaf was put into leaves
	hash  uint64   // of its text
	ids   []uint32 // its terms that are counted
}

// Estimates of the memory that things take, in bytes.
const (
	termBytes  = 160 // a term with the counts of a period, besides its letters
	countBytes = 96  // the counts of a further period
	langBytes  = 32
	leafBytes  = 64 // a leaf, besides its terms and periods
)

// langsMax is the most languages that are told apart. Pages in further languages count as pages
// whose language is not known.
const langsMax = 1 << 12

// newCount returns a count to which no versions were added. The caller closes it.
func newCount(ctx context.Context, c *Counter) *count {
	n := &count{
		ctx: ctx, c: c, page: pageReader{ctx: ctx, pages: c.Pages}, limit: c.Memory.Bytes / 4,
		numbers: make(map[string]uint16), periods: make(map[record.Time]uint32), parts: c.Memory.Sorter(ctx, 4),
		known: newLeafMemory(c.Memory.Bytes/5, func(l leaf) int64 { return leafBytes + 4*int64(len(l.ids)) + 8*int64(len(l.put)) }),
	}
	n.clear()
	return n
}

// clear removes all terms and counts from memory.
func (n *count) clear() {
	n.ids, n.terms, n.counts, n.held, n.has = make(map[string]uint32), nil, nil, 0, nil
	n.more, n.langs = make(map[inPeriod]uint32), make(map[inLang]uint32)
	n.known.clear()
	if n.c.Leaves {
		n.leaves = n.c.Memory.Sorter(n.ctx, 4)
	}
}

// close releases the temporary files.
func (n *count) close() {
	n.parts.Close()
	if n.leaves != nil {
		n.leaves.Close()
	}
	if n.before != nil {
		n.before.Close()
	}
}

// add counts the terms of a version. Versions stored at the same place must follow each other, so
// that their terms are read only once.
func (n *count) add(v *Version) error {
	period := n.periods[v.AsOf]
	if period == 0 {
		period = uint32(len(n.periods)) + 1
		n.periods[v.AsOf] = period
	}
	if n.has == nil || n.ref != v.Ref || n.c.Leaves {
		if err := n.open(v, period); err != nil {
			return err
		}
	}
	lang := n.langOf(v.Lang)
	for _, id := range n.has {
		at := n.at(id, period, v)
		t := &n.counts[at]
		t.versions++
		t.first, t.last = min(t.first, v.First), max(t.last, v.Last)
		if lang > 0 {
			in := inLang{at, lang}
			if n.langs[in]++; n.langs[in] == 1 {
				n.held += langBytes
			}
		}
	}
	if n.held > n.limit {
		return n.endPart()
	}
	return nil
}

// at returns the index in n.counts of the counts of a term in the period of v. It adds an element
// if there is none.
func (n *count) at(id, period uint32, v *Version) uint32 {
	t := &n.terms[id]
	if t.period == period {
		return t.at
	}
	at, ok := n.more[inPeriod{id, period}]
	if ok {
		return at
	}
	at = uint32(len(n.counts))
	n.counts = append(n.counts, counted{term: id, asOf: v.AsOf, first: v.First, last: v.Last})
	if t.period == 0 {
		t.period, t.at = period, at
	} else {
		n.more[inPeriod{id, period}] = at
		n.held += countBytes
	}
	return at
}

// open reads the terms of a version into n.has. If texts are counted too, it also adds the leaves
// of the version to n.leaves.
func (n *count) open(v *Version, period uint32) error {
	n.ref, n.has = v.Ref, n.has[:0]
	if n.has == nil {
		n.has = []uint32{}
	}
	n.read++
	return n.page.read(v.Ref, func(l search.LeafRef, as search.Reading) error {
		known := n.known.at(l, as)
		if !known.known {
			text, err := n.c.Pages.LeafText(l, as)
			if err != nil {
				return errUnread
			}
			ids := n.idsOf(text)
			*known = leaf{known: true, ids: slices.Clone(ids)}
			if n.c.Leaves && len(ids) > 0 {
				known.hash = hashOf([]byte(text))
			}
			n.known.grown(4 * int64(len(ids)))
		}
		n.mark(known.ids)
		if n.c.Leaves && len(known.ids) > 0 {
			word, bit := int(period/64), uint64(1)<<(period%64)
			if more := word + 1 - len(known.put); more > 0 {
				known.put = append(known.put, make([]uint64, more)...)
				n.known.grown(8 * int64(more))
			}
			if known.put[word]&bit == 0 {
				known.put[word] |= bit
				return n.putLeaf(v.AsOf, known.hash, known.ids)
			}
		}
		return nil
	}, func(text string) error {
		ids := n.idsOf(text)
		n.mark(ids)
		if n.c.Leaves && len(ids) > 0 {
			return n.putLeaf(v.AsOf, hashOf([]byte(text)), ids)
		}
		return nil
	})
}

// mark appends to n.has each of the terms ids that n.has does not contain yet.
func (n *count) mark(ids []uint32) {
	for _, id := range ids {
		if t := &n.terms[id]; t.read != n.read {
			t.read = n.read
			n.has = append(n.has, id)
		}
	}
}

// idsOf returns the numbers of the terms of a text, each once. It leaves out terms that are not
// counted. The result is valid until the next call.
func (n *count) idsOf(text string) []uint32 {
	n.list = n.list[:0]
	for t, isNew := range n.reader.Of(text) {
		if !n.c.Only.Has(t) {
			continue
		}
		id, ok := n.ids[string(t)]
		if !ok {
			id = uint32(len(n.terms))
			word := string(t)
			n.ids[word] = id
			n.terms = append(n.terms, inMemory{text: word, isNew: isNew})
			n.held += termBytes + int64(len(word))
		}
		n.list = append(n.list, id)
	}
	slices.Sort(n.list)
	n.list = slices.Compact(n.list)
	return n.list
}

// langOf returns the number of a language. It returns 0 if languages are not counted or the
// language is not known.
func (n *count) langOf(name string) uint16 {
	if !n.c.Langs || name == "" {
		return 0
	}
	number, ok := n.numbers[name]
	if !ok && len(n.names) < langsMax {
		n.names = append(n.names, name)
		number = uint16(len(n.names))
		n.numbers[name] = number
	}
	return number
}

// appendPeriod appends to dst the start that all keys of the period asOf have. Keys sort by period.
func appendPeriod(dst []byte, asOf record.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(asOf)^1<<63)
}

// periodOf returns the period at the start of a key, and the rest of the key.
func periodOf(key []byte) (asOf record.Time, rest []byte) {
	return record.Time(binary.BigEndian.Uint64(key) ^ 1<<63), key[8:]
}

// putLeaf adds a leaf of the period asOf to n.leaves. hash is the hash of its text, and ids are its
// terms.
func (n *count) putLeaf(asOf record.Time, hash uint64, ids []uint32) error {
	n.key = binary.BigEndian.AppendUint64(appendPeriod(n.key[:0], asOf), hash)
	n.row = n.row[:0]
	for _, id := range ids {
		n.row = binary.LittleEndian.AppendUint32(n.row, id)
	}
	return n.leaves.Add(n.key, n.row)
}

// countLeaves counts, for each term, the different texts that have it and that no earlier part had.
func (n *count) countLeaves() error {
	defer n.leaves.Close()
	past, now := n.before, n.c.Memory.Spool(16)
	n.before = now
	var earlier *spill.SpoolReader
	var old []byte // the next key of earlier
	var more bool
	var err error
	if past != nil {
		defer past.Close()
		earlier = past.Reader()
		if old, more, err = earlier.Next(); err != nil {
			return err
		}
	}
	var last []byte
	for r, err := range n.leaves.Sorted() {
		if err != nil {
			return err
		}
		if bytes.Equal(last, r.Key) {
			continue
		}
		last = append(last[:0], r.Key...)
		for more && bytes.Compare(old, r.Key) < 0 {
			if err := now.Add(old); err != nil {
				return err
			}
			if old, more, err = earlier.Next(); err != nil {
				return err
			}
		}
		if more && bytes.Equal(old, r.Key) {
			continue
		}
		if err := now.Add(r.Key); err != nil {
			return err
		}
		asOf, _ := periodOf(r.Key)
		period := n.periods[asOf]
		for b := r.Val; len(b) > 0; b = b[4:] {
			id := binary.LittleEndian.Uint32(b)
			at := n.terms[id].at
			if n.terms[id].period != period {
				at = n.more[inPeriod{id, period}]
			}
			n.counts[at].leaves++
		}
	}
	for more {
		if err := now.Add(old); err != nil {
			return err
		}
		if old, more, err = earlier.Next(); err != nil {
			return err
		}
	}
	return nil
}

// endPart ends the current part: it moves the counts in memory to n.parts. The next version begins
// a new part.
func (n *count) endPart() error {
	if n.c.Leaves {
		if err := n.countLeaves(); err != nil {
			return err
		}
	}
	langs := make(map[uint32][]langCount)
	for in, versions := range n.langs {
		langs[in.at] = append(langs[in.at], langCount{in.lang, versions})
	}
	for at := range n.counts {
		t := &n.counts[at]
		of := &n.terms[t.term]
		n.key = append(appendPeriod(n.key[:0], t.asOf), of.text...)
		n.row = t.encode(n.row[:0], of.isNew, langs[uint32(at)])
		if err := n.parts.Add(n.key, n.row); err != nil {
			return err
		}
	}
	n.clear()
	return nil
}

// langCount is how many versions have a language, which is given by its number.
type langCount struct {
	lang     uint16
	versions uint32
}

// encode appends t to dst, without its term and period. langs are the languages of its
// versions.
func (t *counted) encode(dst []byte, isNew bool, langs []langCount) []byte {
	fresh := int64(0)
	if isNew {
		fresh = 1
	}
	for _, x := range [...]int64{fresh, int64(t.versions), int64(t.leaves), int64(t.first), int64(t.last)} {
		dst = binary.AppendVarint(dst, x)
	}
	for _, l := range langs {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(l.lang)), uint64(l.versions))
	}
	return dst
}

// addTo adds the counts in b, which encode encoded, to r, and the counts of languages to langs.
func addTo(r *Row, langs map[uint16]int64, b []byte) {
	var list [5]int64
	for i := range list {
		x, size := binary.Varint(b)
		list[i], b = x, b[size:]
	}
	first, last := record.Time(list[3]), record.Time(list[4])
	if r.Versions == 0 {
		r.First, r.Last = first, last
	}
	r.New = list[0] == 1
	r.Versions += list[1]
	r.Leaves += list[2]
	r.First, r.Last = min(r.First, first), max(r.Last, last)
	for len(b) > 0 {
		lang, size := binary.Uvarint(b)
		versions, more := binary.Uvarint(b[size:])
		langs[uint16(lang)] += int64(versions)
		b = b[size+more:]
	}
}

// rows adds up the counts of all parts and yields them as rows, sorted by period and term. It
// returns errStopped after yield has returned false.
func (n *count) rows(yield func(*Row) bool) error {
	if err := n.endPart(); err != nil {
		return err
	}
	n.known.clear()
	var row Row
	langs := make(map[uint16]int64)
	n.key = n.key[:0]
	end := func() error {
		if row.Versions == 0 {
			return nil
		}
		if n.c.Langs {
			if row.Lang = n.mostOf(langs); row.Lang == "" {
				row.Lang = scriptLang(row.Term)
			}
		}
		if !yield(&row) {
			return errStopped
		}
		return nil
	}
	for r, err := range n.parts.Sorted() {
		if err != nil {
			return err
		}
		if !bytes.Equal(n.key, r.Key) {
			if err := end(); err != nil {
				return err
			}
			n.key = append(n.key[:0], r.Key...)
			asOf, text := periodOf(r.Key)
			row = Row{Term: string(text), AsOf: asOf}
			clear(langs)
		}
		addTo(&row, langs, r.Val)
	}
	return end()
}

// mostOf returns the language that most versions have. If several have equally many, it returns the
// first by name. It returns "" if langs is empty.
func (n *count) mostOf(langs map[uint16]int64) (name string) {
	most := int64(0)
	for lang, versions := range langs {
		if other := n.names[lang-1]; cmp.Or(cmp.Compare(most, versions), strings.Compare(other, name)) < 0 {
			name, most = other, versions
		}
	}
	return name
}

// scriptLang returns the language that the script of a term implies, or "" if it implies none.
func scriptLang(term string) string {
	const letters = 4 // LangOf wants some letters of one script
	return page.LangOf(strings.Repeat(term, letters))
}

// hashOf returns a hash of 64 bits. Equal texts have equal hashes in all processes.
func hashOf(text []byte) uint64 {
	const basis, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(basis)
	for _, c := range text {
		h = (h ^ uint64(c)) * prime
	}
	// The lower bits of FNV depend on little; this spreads them.
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	return h ^ h>>33
}
