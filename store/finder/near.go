package finder

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// The limits of NearWords. nearBodiesMax is how many different bodies it counts; each takes 60
// bytes of memory. nearLeavesMax is how many leaves it remembers; each takes 100 bytes. If there
// is no index of words, it reads at most nearReadMax bodies, and nearTextMax bytes of text.
// NearWords runs after a search that found nothing. To read all texts of a large archive again
// would double the time of that search.
const (
	nearBodiesMax = 2 << 20
	nearLeavesMax = 1 << 19
	nearReadMax   = 64 << 10
	nearTextMax   = 16 << 20
	// NearWords looks only at the URLs of captures that may have one of the words, if these are at
	// most nearFewMax captures and nearFewPart of all. With more, a scan of all is about as fast.
	nearFewMax  = 50_000
	nearFewPart = .25
)

// NearWords returns, for each element of words, the words of the archive that are spelled
// similarly (see search.Nearer), each with the number of bodies that have it. It considers the
// captures with a key in ranges and a time in from <= time < to; captures with equal bodies
// count once. ranges are sorted and disjoint; nil means all keys. words must be folded (see
// package search). If all segments have an index of words, NearWords uses the indexes; otherwise
// it reads bodies, at most nearReadMax. It leaves out a body that it cannot read, for example
// because of damage.
func (v *Finder) NearWords(ctx context.Context, words []string, ranges []urlkey.Range, from, to record.Time) ([][]search.NearWord, error) {
	f := &nearFinder{
		wordFinder: wordFinder{v: v, ctx: ctx, ranges: ranges, leafPlaces: leafPlaces{of: v}},
		wanted:     make(map[segment.ID]record.Ref), near: search.NewNearer(words), known: make(map[leafReading]search.NearPart),
		left: nearTextMax,
	}
	counted := make(map[segment.ID]bool) // the bodies that are not to be read
	terms, known, err := f.ask(words, ranges, from, to)
	if err != nil {
		return nil, err
	}
	if ranges, err = f.few(known); err != nil {
		return nil, err
	}
	for b, err := range v.Scan(ctx, record.Scan{Ranges: ranges, From: from, To: to, Columns: record.ColDigest | record.ColKind}) {
		if err != nil {
			return nil, err
		}
		if known == nil && len(f.wanted) >= nearReadMax {
			break
		}
		for i := range b.N {
			id := segment.ID(b.Digest[i][:len(segment.ID{})])
			_, seen := f.wanted[id]
			if seen || counted[id] || b.Kind[i] != record.KindPage || b.Digest[i] == (record.Digest{}) || len(f.wanted)+len(counted) >= nearBodiesMax {
				continue
			}
			if v.HasReading(id) { // equal bodies may be sent in several ways, and not all are read
				counted[id] = true
				f.near.Next()
				f.whole(b.Ref[i])
				continue
			}
			has, ok := uint64(0), false
			if known != nil && known.Indexed(b.Ref[i]) { // otherwise terms may lack words of the page
				has, ok = known.Has(b.Ref[i])
			}
			if !ok {
				f.wanted[id] = b.Ref[i]
				continue
			}
			counted[id] = true
			f.near.Next()
			for ; has != 0; has &= has - 1 {
				f.near.AddTerm(terms[bits.TrailingZeros64(has)])
			}
		}
	}
	if err := f.readWanted(); err != nil {
		return nil, err
	}
	return f.near.Words(), nil
}

// few returns the ranges of the search, reduced to the URLs of captures that may have a word, if the
// answers in known say that these are few. Without that, a search of a million captures for a word
// that none has takes three times the CPU time.
func (f *nearFinder) few(known *search.Words) ([]urlkey.Range, error) {
	if known == nil {
		return f.ranges, nil
	}
	refs, ok := known.Few(nearFewMax, nearFewPart)
	if !ok {
		return f.ranges, nil
	}
	keys, err := f.v.KeysOf(f.ctx, refs)
	if err != nil {
		return f.ranges, f.ctx.Err() // the scan meets the same damage
	}
	some := []urlkey.Range{}
	for _, key := range keys {
		if f.asked(key) {
			some = append(some, urlkey.Range{From: key, To: key + "\x00"})
		}
	}
	return some, nil
}

// readWanted reads the bodies in f.wanted and adds their texts to f.near. It stops after f.left
// bytes of text. It first reads, run by run, the bodies that are stored in the runs of their
// captures, and then each of the others.
func (f *nearFinder) readWanted() error {
	runs := make(map[segment.RunRef]bool)
	for _, ref := range f.wanted {
		runs[segment.RunRef{Segment: ref.Segment, Run: ref.Run}] = true
	}
	for _, s := range f.v.Whole().Segments {
		r := f.v.Runs.Reader(s)
		for n := uint32(0); n < uint32(r.Info.Runs) && f.left > 0; n++ {
			if !runs[segment.RunRef{Segment: s.ID, Run: n}] {
				continue
			}
			if err := f.ctx.Err(); err != nil {
				return err
			}
			_ = f.read(r, n) // SEARCH has met the same error when it read the pages
		}
	}
	others := slices.SortedFunc(maps.Values(f.wanted), func(a, b record.Ref) int {
		return cmp.Or(cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run), cmp.Compare(a.N, b.N))
	})
	for _, ref := range others {
		if f.left <= 0 || f.ctx.Err() != nil {
			break
		}
		f.near.Next()
		f.whole(ref)
	}
	return f.ctx.Err()
}

// ask finds the words that are spelled similarly to words, in the indexes of words. It returns
// them as terms, and in known the answer of a search for the terms: which captures have which
// term. known is nil if the indexes cannot be used, for example because a segment has none; the
// caller must then read the bodies.
func (f *nearFinder) ask(words []string, ranges []urlkey.Range, from, to record.Time) (terms []string, known *search.Words, err error) {
	if indexed, all, _ := f.v.WordsIndexed(from, to); indexed < all || f.v.MayHide(ranges) {
		return nil, nil, nil // the indexes have words of captures that are not shown
	}
	files, err := f.v.wordFiles()
	if err != nil {
		return nil, nil, nil // the bodies are read
	}
	noted := make(map[*index.File]bool)
	for _, s := range f.v.Pin.Segments {
		w, ok := files.file(s)
		if !ok && s.First < to && s.Last >= from {
			return nil, nil, nil
		}
		if !ok || noted[w.File] {
			continue
		}
		noted[w.File] = true
		if !f.listed(files, w.File) {
			return nil, nil, nil
		}
		if w.Terms(func(term []byte, _ int) { f.near.Note(string(term)) }) != nil || f.ctx.Err() != nil {
			return nil, nil, f.ctx.Err()
		}
	}
	if terms = f.near.Near(); len(terms) == 0 {
		terms = words // then known says which bodies the indexes do not have
	}
	q, err := match.Parse(strings.Join(terms, " OR "))
	if err != nil || len(q.Atoms()) != len(terms) {
		return nil, nil, nil // there are too many
	}
	for i, a := range q.Atoms() {
		if len(a.Phrases) != 1 || len(a.Phrases[0].Terms) != 1 || a.Phrases[0].Terms[0].Text != terms[i] || a.Phrases[0].Terms[0].Prefix {
			return nil, nil, nil
		}
	}
	known, err = f.v.Words(f.ctx, search.Question{Query: q}, ranges, from, to)
	return terms, known, err
}

// listed reports whether the indexes in files have all words of the pages of which the index w
// is. A page may use leaves that another segment stores. If the index of that segment is
// missing, or has the words of these leaves only as they are read in another charset, listed
// returns false.
func (f *nearFinder) listed(files *wordFiles, w *index.File) bool {
	for n := 0; n < len(w.Runs); {
		users := w.UsersOf(uint32(n))
		if users == nil {
			n++
			continue
		}
		for _, named := range users.Named {
			s := f.v.Runs.Segment(named.Segment)
			if s == nil {
				return false
			}
			if of, ok := files.file(s.Info); !ok || !of.has(w, named) {
				return false
			}
		}
		n = users.End
	}
	return true
}

// nearFinder is the state of one NearWords. It gives a search.Nearer the texts of a snapshot.
type nearFinder struct {
	wordFinder
	wanted map[segment.ID]record.Ref // the bodies to read: for each ID of a body a capture that has it
	near   *search.Nearer
	known  map[leafReading]search.NearPart // the similar words in leaves that were read, see leaf
	left   int                             // how many bytes of text may still be read
}

// leafReading is a leaf together with the way in which it is read.
type leafReading struct {
	search.LeafRef
	index.Reading
}

// read reads those bodies in f.wanted that are stored in run n of the segment r, adds their texts
// to f.near, and removes them from f.wanted.
func (f *nearFinder) read(r *segment.Reader, n uint32) error {
	run, err := f.v.Runs.Run(r, n)
	if err != nil || run.Meta.Len() == 0 {
		return err
	}
	bodies, err := run.Meta.Bodies()
	if err != nil {
		return err
	}
	kept, err := f.v.Runs.Facts(r, n)
	if err != nil {
		return err
	}
	for i := range bodies {
		b := &bodies[i]
		if _, wanted := f.wanted[b.ID]; wanted && b.Form == segment.BodyOwn && f.left > 0 {
			delete(f.wanted, b.ID)
			f.near.Next()
			f.body(&b.Recipe, kept.Page(uint32(i)), record.Ref{Segment: r.Info.ID, Run: n, N: uint32(i)})
		}
	}
	return nil
}

// body adds the text of a body to f.near. It reads the text leaf by leaf if the body is stored in
// leaves, and otherwise reads the whole body. recipe lists the blocks of the body, encoded has its
// facts, and ref is a capture that has it.
func (f *nearFinder) body(recipe *segment.Recipe, encoded []byte, ref record.Ref) {
	leaves, o, ok := f.leavesOf(recipe, encoded)
	if ok {
		as := index.Reading{Charset: string(o.Charset), Plain: o.Plain}
		for _, s := range leaves {
			for k := range s.Count {
				f.near.Add(f.leaf(search.LeafRef{RunRef: segment.RunRef{Segment: s.Segment, Run: s.Run}, N: s.N + k}, as))
			}
		}
		return
	}
	f.whole(ref)
}

// whole adds the text of a capture to f.near. It reads the body, or the text extracted from it
// if it is a document.
func (f *nearFinder) whole(ref record.Ref) {
	if f.left <= 0 {
		return
	}
	p, err := f.v.Payload(f.ctx, ref)
	if err != nil || p.NoBody != "" || p.Large != nil || len(p.Body) == 0 {
		return
	}
	if b, _ := divide.OpenStored(&p, p.Body, divide.Options{}); b != nil {
		text := b.Page.Text(b.Charset)
		f.left -= len(text)
		f.near.Add(f.near.Part(text))
		b.Free()
	}
}

// leaf returns the words in a leaf that are spelled similarly to the wanted words. The parameter
// as says how the leaf is read. leaf remembers the result, so that a leaf is read only once in
// each way.
func (f *nearFinder) leaf(l search.LeafRef, as index.Reading) search.NearPart {
	key := leafReading{l, as}
	part, known := f.known[key]
	if !known {
		text, err := f.Text(l, as)
		if err != nil {
			return nil
		}
		f.left -= len(text)
		part = f.near.Part(text)
		if len(f.known) >= nearLeavesMax {
			clear(f.known)
		}
		f.known[key] = part
	}
	return part
}
