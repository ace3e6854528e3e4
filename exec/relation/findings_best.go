package relation

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"

	"infomall/exec/dedup"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// Ranks reports whether n, a request for findings, needs their scores: if it asks for them, or if
// findings are joined, because the score decides which URL the row of joined findings shows.
func (n *Request) Ranks() bool { return n.Asks("score") || n.Joins() && len(n.Fields) > 0 }

// ranked yields the findings that the sequence in yields, with their scores. Of joined findings it chooses
// which page the row shows. If n needs no scores, ranked only passes the findings on. If n wants only the
// best findings, ranked leaves out others: it ranks no page that cannot have a score as high as theirs.
func (r *Reader) ranked(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	if !n.Ranks() {
		return in
	}
	best := bestScores{wanted: n.Best, byURL: n.ByURL, has: make(map[*finding]bool)}
	all := together(ctx, in, n.Best == 0 && !n.Joins(), func(list []*finding) error { return r.rank(ctx, n, list, &best) })
	return func(yield func(*finding, error) bool) {
		for f, err := range all {
			if err == nil {
				if f.choose(); n.Best > 0 && !f.ranked {
					continue
				}
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// rank sets the scores of the findings in list, and of their rivals, that have none yet. If n asks for
// no score, only joined findings need one. If n wants only the best findings, rank leaves out others.
func (r *Reader) rank(ctx context.Context, n *Request, list []*finding, best *bestScores) error {
	var all []contender
	add := func(page, row *finding) {
		switch {
		case !page.ranked:
			all = append(all, contender{page, row, math.Inf(1)})
		case n.Best > 0:
			best.add(contender{page, row, page.score})
		}
	}
	for _, f := range list {
		if f.rivals != nil || n.Asks("score") {
			add(f, f)
		}
		for _, rival := range f.rivals {
			add(rival, f)
		}
	}
	if len(all) == 0 {
		return nil
	}
	c, err := r.collection(ctx, n)
	if err != nil {
		return err
	}
	from, rarity := n.whole(), c.Rarity() // from is the scope of the collection
	if n.Best == 0 {
		return r.rankAll(ctx, from, rarity, all)
	}
	return r.rankBest(ctx, from, rarity, all, best)
}

// rankAll sets the scores of the given pages, which have none yet. The parameter n is the request
// whose captures the search query was put to. rarity has the weights of the atoms of the query.
// rankAll sorts the pages by the place at which they are stored.
func (r *Reader) rankAll(ctx context.Context, n *Request, rarity []float64, pages []contender) error {
	slices.SortFunc(pages, func(a, b contender) int { return compareRefs(a.ref, b.ref) })
	if keptTree(n) {
		words, err := r.wordsFor(ctx, n, n.Question, true)
		if err != nil {
			return err
		}
		refs := make([]record.Ref, len(pages))
		for i, p := range pages {
			refs[i] = p.ref
		}
		words.Ready(refs)
	}
	for i := range pages {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &pages[i]
		best, err := r.bestOf(ctx, n, p.ref)
		if err != nil {
			return err
		}
		p.score, p.ranked = best.Score(rarity), true
	}
	return nil
}

// contender is a finding that a row may show.
type contender struct {
	*finding
	row   *finding // the finding itself, or the one that it is joined to
	bound float64  // the score does not exceed it
}

// bestScores has the best of the findings that were ranked so far, one for each row.
type bestScores struct {
	wanted int64
	byURL  bool              // of equal scores those whose URL comes first are the best
	list   []contender       // at most as many as wanted says, the worst first
	has    map[*finding]bool // the rows in list
}

// compare returns a negative number if a comes before b in the result. Which URL a row with rivals will
// show is not known, so it comes after rows with the same score.
func (s *bestScores) compare(a, b contender) int {
	c := cmp.Compare(b.bound, a.bound)
	if c != 0 || !s.byURL {
		return c
	}
	if alone := a.row.rivals == nil; alone != (b.row.rivals == nil) {
		if alone {
			return -1
		}
		return 1
	}
	return a.compareURLs(b.finding)
}

// reach reports whether c can be among the best. Fewer findings may have been added than are wanted;
// then every finding can be.
func (s *bestScores) reach(c contender) bool {
	if int64(len(s.list)) < s.wanted {
		return true
	}
	last := s.list[0]
	return s.compare(c, last) <= 0 || c.bound == last.bound && c.row.rivals != nil
}

// add adds a finding that was ranked. It ignores a second finding of a row, even if it is better: the
// last of the best is then worse than it might be, and reach excludes fewer findings.
func (s *bestScores) add(c contender) {
	if s.has[c.row] || !s.reach(c) {
		return
	}
	at, _ := slices.BinarySearchFunc(s.list, c, func(a, b contender) int { return s.compare(b, a) })
	s.list = slices.Insert(s.list, at, c)
	s.has[c.row] = true
	if int64(len(s.list)) > s.wanted {
		delete(s.has, s.list[0].row)
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// rankedAtOnce is how many pages bestScores.rank ranks at most before it compares the scores with the
// bounds of the others.
const rankedAtOnce = 64

// rankBest does what rankAll does, but only for pages whose score may be one of the best. To rank a
// page means to decode the recipes of its run. Of the 384 findings of a word in a site of 5,082
// captures, rankBest ranks 61, and the search takes .85 of the CPU time.
func (r *Reader) rankBest(ctx context.Context, n *Request, rarity []float64, pages []contender, best *bestScores) error {
	words, err := r.wordsFor(ctx, n, n.Question, keptTree(n))
	if err != nil {
		return err
	}
	if words != nil {
		bounds := words.Bounder(rarity)
		for i := range pages {
			if bound, ok := bounds.Of(pages[i].ref); ok {
				pages[i].bound = bound
			}
		}
	}
	return best.rank(pages, func(list []contender) error { return r.rankAll(ctx, n, rarity, list) })
}

// rank calls all to set the scores of those pages that can be among the best, and adds them. It calls it
// several times, and pages with high bounds come first. Each time it ranks at most twice as many as before:
// the first are often near-copies of each other and fill few rows, so that nothing is excluded yet. With 16
// times as many, a search for the beginning of a word took 1.2 times the CPU time.
func (s *bestScores) rank(pages []contender, all func([]contender) error) error {
	left := slices.DeleteFunc(pages, func(c contender) bool { return !s.reach(c) })
	slices.SortStableFunc(left, s.compare)
	for count := int(min(2*s.wanted, rankedAtOnce)); len(left) > 0; count *= 2 {
		var next []contender
		left = slices.DeleteFunc(left, func(c contender) bool {
			if len(next) < count && s.reach(c) {
				next = append(next, c)
				return true
			}
			return !s.reach(c)
		})
		if err := all(next); err != nil {
			return err
		}
		for _, c := range next {
			c.bound = c.score
			s.add(c)
		}
	}
	return nil
}

// bestOf returns how well a capture's page, which matches, answers the search query of n, the
// request whose captures the query was put to.
func (r *Reader) bestOf(ctx context.Context, n *Request, ref record.Ref) (search.Best, error) {
	if keptTree(n) {
		if answer, best, err := r.answerOf(ctx, n, n.Question, ref, true); err != nil || answer == match.Yes && best.Says != nil {
			return best, err
		}
	}
	res, err := r.response(ctx, ref, options(n))
	if err != nil || !res.hasText() {
		return search.Best{}, err
	}
	return res.answer(n.Question), nil
}

// Most searches want only the best findings. If many pages match, it takes long to read the versions of
// all, to join their findings and to rank them. bestFirst looks only at URLs with a page that may have a
// high score; an index of words says how high the score of a page is at most. It also looks at the other
// forms of these URLs and at near-copies of their pages, because their findings are joined to one row.
// For a word that half of a million pages have, a search takes a tenth of the CPU time.

// BestFrom is how many captures must match at least for bestFirst. With fewer, bestFirst takes no less time.
// It is a variable only for tests, whose archives are small.
var BestFrom = 4096

const (
	// bestMax is how many findings bestFirst looks for at most.
	bestMax = 256
	// bestPart is one of how many matching captures bestFirst looks at at most, and bestLeast and bestMost
	// bound their number.
	bestPart            = 16
	bestLeast, bestMost = 256, 1 << 14
	// bestRanks is how many pages it ranks at most. It takes about bestBytes bytes of memory for each, and at
	// most half of the memory of the statement for all.
	bestRanks = 1 << 16
	bestBytes = 330
	// bestRounds is how often bestFirst looks at more pages if it cannot tell yet, and nearRounds how often
	// it looks for near-copies of near-copies.
	bestRounds, nearRounds = 3, 8
)

// bestFirst is for a request that wants only the best findings. It returns findings among which they are,
// joined and ranked as n asks for, in the order of the relation. It returns nil if it cannot tell which are
// the best, or if it would take no less time than to look at all findings.
func (r *Reader) bestFirst(ctx context.Context, n *Request) ([]*finding, error) {
	if n.Best == 0 || n.Best > bestMax || n.Match != nil || !slices.Equal(n.Ranges, n.InScope) {
		return nil, nil
	}
	c, err := r.collection(ctx, n)
	if err != nil || c.asked == nil {
		return nil, err
	}
	words, err := r.wordsFor(ctx, n.whole(), n.Question, keptTree(n))
	if err != nil || words == nil || !words.Whole() {
		return nil, err
	}
	p := &bestPages{r: r, n: n, words: words, rarity: c.Rarity()}
	wanted := 4 * int(n.Best)
	for range bestRounds {
		rows, err := p.rows(ctx, wanted)
		if err != nil || rows == nil {
			return nil, err
		}
		enough, err := p.enough(ctx, rows)
		if err != nil {
			return nil, err
		}
		if enough {
			asked := *c.asked
			asked.found = len(rows)
			return rows, r.noteAsked(ctx, n, &asked)
		}
		wanted *= 4
	}
	return nil, nil
}

// bestPages looks for the pages with the highest scores.
type bestPages struct {
	r      *Reader
	n      *Request
	words  *search.Words
	rarity []float64

	found  int          // how many captures match
	unread []record.Ref // captures of which no index has the page
	// The scores of all captures that the method top leaves out do not exceed left. If some may be equal to
	// left, after has captures, one of which has a URL that does not come after theirs in the order of keys.
	left  float64
	after []record.Ref
}

// rows returns the findings of the pages with the highest scores, as many pages as top returns. The result is
// nil if there are too many or too few pages.
func (p *bestPages) rows(ctx context.Context, wanted int) ([]*finding, error) {
	refs, err := p.top(ctx, wanted)
	if err != nil || refs == nil {
		return nil, err
	}
	less, list, err := p.closed(ctx, append(refs, p.unread...))
	if err != nil || less == nil {
		return nil, err
	}
	in := inList(ctx, list)
	if less.Joins() {
		in = p.r.collapsed(ctx, less, in)
	} else {
		in = p.r.ranked(ctx, less, in)
	}
	rows := []*finding{}
	for f, err := range in {
		if err != nil {
			return nil, err
		}
		rows = append(rows, f)
	}
	return rows, nil
}

// enough reports whether the best findings are among rows, the result of the method rows.
func (p *bestPages) enough(ctx context.Context, rows []*finding) (bool, error) {
	if int64(len(rows)) < p.n.Best {
		return false, nil
	}
	best := slices.Clone(rows)
	slices.SortFunc(best, func(a, b *finding) int { return cmp.Or(cmp.Compare(b.score, a.score), a.compareURLs(b)) })
	last := best[p.n.Best-1]
	if last.score != p.left || len(p.after) == 0 {
		return last.score >= p.left, nil
	}
	keys, err := p.keysOf(ctx, p.after)
	return keys != nil && p.n.ByURL && urlkey.Key(last.url) <= keys[0], err
}

// keysOf returns the keys of the URLs of these captures, sorted. The result is nil if a part of the archive that
// has a key is damaged: the scan of all findings meets the same damage, and says so.
func (p *bestPages) keysOf(ctx context.Context, refs []record.Ref) ([]string, error) {
	keys, err := p.r.Snapshot.KeysOf(ctx, refs)
	if err != nil {
		return nil, ctx.Err()
	}
	return keys, nil
}

// top returns the captures with the highest scores: as many as wanted says, or more if scores are equal. The
// result is nil if there are too many or too few captures.
func (p *bestPages) top(ctx context.Context, wanted int) ([]record.Ref, error) {
	most := int(min(bestRanks, p.r.Memory.Bytes/(2*bestBytes)))
	for each := 4 * wanted; ; each *= 8 {
		segments, err := p.candidates(ctx, p.words.Bounder(p.rarity).All(), each, most)
		if err != nil || segments == nil || p.found < BestFrom {
			return nil, err
		}
		all := slices.Concat(segments...)
		if len(all) > max(p.found/2, bestRanks/16) {
			return nil, nil
		}
		if p.left, err = p.rank(ctx, all, wanted); err != nil {
			return nil, err
		}
		left := func(of []contender) bool { return len(of) == each && of[each-1].bound > p.left }
		if slices.ContainsFunc(segments, left) {
			continue // a segment has further captures whose scores may be higher
		}
		var refs []record.Ref
		p.after = nil
		for _, of := range segments {
			if last := of[len(of)-1]; len(of) == each && last.bound == p.left {
				p.after = append(p.after, last.ref)
			}
			of = slices.DeleteFunc(of, func(c contender) bool { return !c.ranked || c.score < p.left })
			if len(of) > wanted {
				slices.SortFunc(of, func(a, b contender) int {
					return cmp.Or(cmp.Compare(b.score, a.score), compareRefs(a.ref, b.ref))
				})
				of = of[:wanted] // the scores of the others are equal to left
				p.after = append(p.after, of[wanted-1].ref)
			}
			for _, c := range of {
				refs = append(refs, c.ref)
			}
		}
		return refs, nil
	}
}

// rank sets the scores of those pages that may have one of the highest scores, as many as wanted says. It returns
// the lowest of these scores.
func (p *bestPages) rank(ctx context.Context, pages []contender, wanted int) (least float64, err error) {
	slices.SortFunc(pages, func(a, b contender) int { return cmp.Compare(b.bound, a.bound) })
	least = math.Inf(-1)
	var scores []float64 // the highest
	from := p.n.whole()
	for count := wanted; len(pages) > 0 && pages[0].bound >= least; count *= 2 {
		next := pages[:min(count, len(pages))]
		if err := p.r.rankAll(ctx, from, p.rarity, next); err != nil {
			return 0, err
		}
		for _, c := range next {
			scores = append(scores, c.score)
		}
		slices.SortFunc(scores, func(a, b float64) int { return cmp.Compare(b, a) })
		if pages = pages[len(next):]; len(scores) >= wanted {
			scores = scores[:wanted]
			least = scores[wanted-1]
		}
	}
	return least, nil
}

// candidates returns, for each segment, the matching captures whose pages may have the highest scores: as many
// as each says, or fewer if the segment has no more. They are sorted by their bounds, the highest first, and those
// with equal bounds by URL. The result is nil if these are more captures than most says, or if there are too many
// captures of which no index has the page. bounds has the result of Bounder.All.
func (p *bestPages) candidates(ctx context.Context, bounds iter.Seq2[record.Ref, float64], each, most int) (segments [][]contender, err error) {
	type candidate struct {
		ref   record.Ref
		bound float64
	}
	var of []candidate // of one segment
	cut := func() {
		slices.SortFunc(of, func(a, b candidate) int { return cmp.Or(cmp.Compare(b.bound, a.bound), compareRefs(a.ref, b.ref)) })
		of = of[:min(len(of), each)]
	}
	end := func() {
		cut()
		var list []contender
		for _, c := range of {
			list = append(list, contender{finding: &finding{ref: c.ref}, bound: c.bound})
		}
		if len(list) > 0 {
			segments = append(segments, list)
		}
		most, of = most-len(of), of[:0]
	}
	p.found, p.unread = 0, nil
	least := math.Inf(-1) // a capture with no higher bound is not among the best of its segment
	for ref, bound := range bounds {
		if p.found++; p.found%rankedAtOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(of) > 0 && of[0].ref.Segment != ref.Segment {
			end()
			least = math.Inf(-1)
		}
		switch {
		case math.IsInf(bound, 1):
			if p.unread = append(p.unread, ref); len(p.unread) > bestMax {
				return nil, nil
			}
		case bound > least:
			if of = append(of, candidate{ref, bound}); min(len(of), each) > most {
				return nil, nil
			}
			if len(of) == 2*each {
				cut()
				least = of[each-1].bound
			}
		}
	}
	end()
	return segments, nil
}

// closed returns a request for the URLs of these captures and for all URLs whose findings may be joined to
// theirs. It also returns the findings of these URLs, before they are joined. The request is nil if there are
// too many.
func (p *bestPages) closed(ctx context.Context, refs []record.Ref) (less *Request, list []*finding, err error) {
	known := make(map[string]bool) // keys of URLs
	for range nearRounds {
		if len(refs) > max(bestLeast, min(p.found/bestPart, bestMost)) {
			return nil, nil, nil
		}
		keys, err := p.keysOf(ctx, refs)
		if err != nil || keys == nil && len(refs) > 0 {
			return nil, nil, err
		}
		before := len(known)
		for _, key := range keys {
			known[key] = true
			if p.n.Joins() {
				for _, form := range urlkey.Forms(urlkey.URL(key)) {
					known[urlkey.Key(form)] = true
				}
			}
		}
		if len(known) == before {
			return less, list, nil
		}
		less, list = p.n.within(slices.Sorted(maps.Keys(known))), nil
		for f, err := range p.r.eachFinding(ctx, less, false) {
			if err != nil {
				return nil, nil, err
			}
			list = append(list, f)
		}
		if !p.n.Joins() {
			return less, list, nil
		}
		if refs, err = p.near(ctx, list); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, nil
}

// near returns the matching captures whose pages are near-copies of those of the findings in list.
func (p *bestPages) near(ctx context.Context, list []*finding) (refs []record.Ref, err error) {
	var prints dedup.Prints
	for _, f := range list {
		if f.print = p.words.Print(f.ref); !f.print.Known {
			f.print.Bits, f.print.Has, err = p.r.mainPrint(ctx, f.ref)
			f.print.Known = err == nil
		}
		if err != nil {
			return nil, err
		}
		if f.print.Has {
			prints.Add(f.print.Bits)
		}
	}
	for ref, of := range p.words.Prints() {
		if of.Has {
			if _, ok := prints.Near(of.Bits); ok {
				refs = append(refs, ref)
			}
		}
	}
	return refs, ctx.Err()
}
