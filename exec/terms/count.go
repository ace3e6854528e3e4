package terms

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"

	"infomall/exec/spill"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/term"
)

// count counts the terms of one period after the other.
type count struct {
	ctx    context.Context
	c      *Counter
	reader term.Reader
	page   pageReader
	limit  int64 // bytes that the terms in memory may take

	classes []class // the classes that a period is counted in; together they have all terms
	class   class   // of the terms that are counted now
	seed    maphash.Seed

	ids     map[string]uint32 // the number of each term in memory
	terms   []counted         // each term in memory, by number
	held    int64             // bytes that the terms in memory take
	touched []uint32          // numbers of the terms that the period has
	langs   map[inLang]uint32 // in how many versions of a language a term occurs
	names   []string          // the languages, by number
	numbers map[string]uint16

	now     uint32 // number of the period, from 1
	version uint32 // number of the version, from 1
	known   *leafMemory[leaf]
	leaves  *spill.Sorter // the leaves of the period, by the hash of their text; nil if they are not counted
	list    []uint32      // memory of idsOf
	row     []byte        // memory of rows
}

// class is a part of all terms: those whose hash ends with certain bits.
type class struct {
	bits uint64
	mask uint64 // 1<<n - 1 for n bits
}

// counted is one term with its counts. They are those of an earlier period unless period
// is that of now.
type counted struct {
	term             string
	isNew            bool
	period, version  uint32 // when the term was counted last
	versions, leaves uint32
	first, last      record.Time
}

// inLang is a term in a language, both by number.
type inLang struct {
	term uint32
	lang uint16
}

// leaf is what is remembered of a leaf.
type leaf struct {
	known  bool
	period uint32   // the last period in which it was put into leaves
	hash   uint64   // of its text
	ids    []uint32 // its terms that are counted
}

// About how many bytes of memory things take.
const (
	termBytes = 160 // a term, besides its letters
	langBytes = 32
	leafBytes = 48 // a leaf, besides its terms
)

// langsMax is how many languages are counted. Pages in further languages count as pages
// of which the language is not known.
const langsMax = 1 << 12

func newCount(ctx context.Context, c *Counter) *count {
	n := &count{
		ctx: ctx, c: c, page: pageReader{ctx: ctx, pages: c.Pages}, seed: maphash.MakeSeed(),
		limit: c.Memory.Bytes / 4, classes: []class{{}}, numbers: make(map[string]uint16),
		known: newLeafMemory(c.Memory.Bytes/5, func(l leaf) int64 { return leafBytes + 4*int64(len(l.ids)) }),
	}
	n.clear()
	return n
}

// clear forgets all terms.
func (n *count) clear() {
	n.ids, n.terms, n.held, n.touched = make(map[string]uint32), nil, 0, nil
	n.langs = make(map[inLang]uint32)
	n.known.clear()
}

// period counts the terms of the versions of one period, and yields their rows. It returns
// errStopped after yield has returned false.
func (n *count) period(versions *spill.Spool, asOf record.Time, yield func(*Row) bool) error {
	if len(n.classes) == 1 {
		fits, err := n.one(versions)
		if err != nil {
			return err
		}
		if fits {
			return n.yield(asOf, yield)
		}
		n.classes = n.classes[0].parts()
	}
	rows := n.c.Memory.Sorter(n.ctx, 4)
	defer rows.Close()
	for i := 0; i < len(n.classes); {
		n.clear()
		n.class = n.classes[i]
		fits, err := n.one(versions)
		if err != nil {
			return err
		}
		if !fits {
			n.classes = slices.Replace(n.classes, i, i+1, n.class.parts()...)
			continue
		}
		err = n.yield(asOf, func(r *Row) bool {
			n.row = r.encode(n.row[:0])
			err = rows.Add([]byte(r.Term), n.row)
			return err == nil
		})
		if err != nil {
			return err
		}
		i++
	}
	n.clear()
	for r, err := range rows.Sorted() {
		if err != nil {
			return err
		}
		if !yield(decodeRow(r.Key, r.Val)) {
			return errStopped
		}
	}
	return nil
}

// parts returns the two halves of a class.
func (c class) parts() []class {
	bit := c.mask + 1
	return []class{{c.bits, c.mask | bit}, {c.bits | bit, c.mask | bit}}
}

// one counts the terms of n.class in the versions of a period. fits is false if they take
// too much memory; the counts are then wrong.
func (n *count) one(versions *spill.Spool) (fits bool, err error) {
	n.now++
	n.touched = n.touched[:0]
	clear(n.langs)
	if n.c.Leaves {
		n.leaves = n.c.Memory.Sorter(n.ctx, 4)
		defer n.leaves.Close()
	}
	for b, err := range versions.All() {
		if err != nil {
			return false, err
		}
		v := decodeVersion(b)
		if err := n.add(&v); err != nil {
			return false, err
		}
		if n.held+int64(len(n.langs))*langBytes > n.limit && len(n.terms) > 1 {
			return false, nil
		}
	}
	if n.c.Leaves {
		return true, n.countLeaves()
	}
	return true, nil
}

// add counts the terms of a version.
func (n *count) add(v *Version) error {
	n.version++
	lang := n.langOf(v.Lang)
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
		for _, id := range known.ids {
			n.has(id, v, lang)
		}
		if n.c.Leaves && known.period != n.now && len(known.ids) > 0 {
			known.period = n.now
			return n.putLeaf(known.hash, known.ids)
		}
		return nil
	}, func(text string) error {
		ids := n.idsOf(text)
		for _, id := range ids {
			n.has(id, v, lang)
		}
		if n.c.Leaves && len(ids) > 0 {
			return n.putLeaf(hashOf([]byte(text)), ids)
		}
		return nil
	})
}

// has notes that version v has a term.
func (n *count) has(id uint32, v *Version, lang uint16) {
	t := &n.terms[id]
	if t.version == n.version {
		return
	}
	t.version = n.version
	if t.period != n.now {
		t.period, t.versions, t.leaves = n.now, 0, 0
		t.first, t.last = v.First, v.Last
		n.touched = append(n.touched, id)
	}
	t.versions++
	t.first, t.last = min(t.first, v.First), max(t.last, v.Last)
	if lang > 0 {
		n.langs[inLang{id, lang}]++
	}
}

// idsOf returns the numbers of the terms of a text, each once, as far as they are counted.
// The result is valid until the next call.
func (n *count) idsOf(text string) []uint32 {
	n.list = n.list[:0]
	for t, isNew := range n.reader.Of(text) {
		if !n.c.Only.Has(t) || n.class.mask != 0 && maphash.Bytes(n.seed, t)&n.class.mask != n.class.bits {
			continue
		}
		id, ok := n.ids[string(t)]
		if !ok {
			id = uint32(len(n.terms))
			word := string(t)
			n.ids[word] = id
			n.terms = append(n.terms, counted{term: word, isNew: isNew})
			n.held += termBytes + int64(len(word))
		}
		n.list = append(n.list, id)
	}
	slices.Sort(n.list)
	n.list = slices.Compact(n.list)
	return n.list
}

// langOf returns the number of a language. It returns 0 if languages are not counted or
// this one is not known.
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

// putLeaf adds a leaf with these terms to the leaves of the period.
func (n *count) putLeaf(hash uint64, ids []uint32) error {
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], hash)
	n.row = n.row[:0]
	for _, id := range ids {
		n.row = binary.LittleEndian.AppendUint32(n.row, id)
	}
	return n.leaves.Add(key[:], n.row)
}

// countLeaves counts for each term in how many different texts it is.
func (n *count) countLeaves() error {
	var before []byte
	for r, err := range n.leaves.Sorted() {
		if err != nil {
			return err
		}
		if slices.Equal(before, r.Key) {
			continue
		}
		before = append(before[:0], r.Key...)
		for b := r.Val; len(b) > 0; b = b[4:] {
			n.terms[binary.LittleEndian.Uint32(b)].leaves++
		}
	}
	return nil
}

// yield yields the rows of the terms that were counted, sorted by term. It returns
// errStopped after yield has returned false.
func (n *count) yield(asOf record.Time, yield func(*Row) bool) error {
	langs := n.langsOf()
	slices.SortFunc(n.touched, func(a, b uint32) int { return strings.Compare(n.terms[a].term, n.terms[b].term) })
	var row Row
	for i, id := range n.touched {
		if i%1024 == 0 && n.ctx.Err() != nil {
			return n.ctx.Err()
		}
		t := &n.terms[id]
		row = Row{Term: t.term, New: t.isNew, Versions: int64(t.versions), Leaves: int64(t.leaves), First: t.first, Last: t.last, AsOf: asOf}
		if n.c.Langs {
			if row.Lang = langs[id]; row.Lang == "" {
				row.Lang = scriptLang(t.term)
			}
		}
		if !yield(&row) {
			return errStopped
		}
	}
	return nil
}

// langsOf returns for each term the language that most of the versions with the term have,
// of equal ones the first by name.
func (n *count) langsOf() map[uint32]string {
	best := make(map[uint32]string)
	for in, versions := range n.langs {
		name := n.names[in.lang-1]
		old, ok := best[in.term]
		if !ok || cmp.Or(cmp.Compare(n.langs[inLang{in.term, n.numbers[old]}], versions), strings.Compare(name, old)) < 0 {
			best[in.term] = name
		}
	}
	return best
}

// scriptLang returns the language that the script of a term shows, or "".
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
