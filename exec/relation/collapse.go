package relation

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"infomall/exec/dedup"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/urlkey"
)

// Findings that say the same are joined to one. First the findings of the forms of one
// URL are joined: the http, https and www forms. Then the findings whose pages are
// near-copies are joined. In both cases findings are joined only if no visit between
// their spans found the words missing, see joint.takes. The result shows the page with the highest
// score, see choose. If there are too many findings for memory, they pass through sorters.

// collapseShare divides the memory of a statement: a sorter of findings gets one part in
// collapseShare of it, and the list of different pages may take another such part. Findings that take
// no more than fewShare such parts are joined in memory.
const (
	collapseShare = 4
	fewShare      = 2 // two sorters are used at the same time
)

// collapsed joins the findings that the sequence in yields into groups. They come sorted by URL, by the
// moment that the query chooses, and by time. collapsed ranks the results as ranked does, and yields
// them in this order, which is that of compareURLs. Whoever gets a finding may keep and change it.
func (r *Reader) collapsed(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		s := r.Memory.Sorter(ctx, collapseShare)
		defer s.Close()
		few, err := r.few(in, func(f *finding, mem []byte) ([]byte, error) { return f.addTo(s, f.byTime(appendFormKey(nil, f)), mem) })
		if err != nil {
			yield(nil, err)
			return
		}
		results := r.collapsedFew(ctx, n, few)
		if few == nil {
			results = r.collapsedMany(ctx, n, decoded(s))
		}
		results(yield)
	}
}

// few returns the given findings, or nil if they take too much memory: then it calls add for each of
// them, with memory for add to use.
func (r *Reader) few(in iter.Seq2[*finding, error], add func(f *finding, mem []byte) ([]byte, error)) (list []*finding, err error) {
	list = []*finding{}
	room := r.Memory.Bytes * fewShare / collapseShare
	var mem []byte
	for f, err := range in {
		if err != nil {
			return nil, err
		}
		if room -= f.bytes(); room >= 0 {
			list = append(list, f)
			continue
		}
		for i, before := range list {
			if mem, err = add(before, mem); err != nil {
				return nil, err
			}
			list[i] = nil
		}
		if list, room = nil, -1; err == nil {
			mem, err = add(f, mem)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// bytes returns an estimate of the memory that collapsedFew takes for f, in bytes.
func (f *finding) bytes() int64 {
	return int64(unsafe.Sizeof(*f)) + int64(len(f.url)+len(f.title)) + int64(2*unsafe.Sizeof(joint{})) + 64
}

// collapsedFew does what collapsed does, in memory. With 344,000 findings, a search for the best 20 takes
// 1.8 s of CPU time instead of 2.9 s with sorters.
func (r *Reader) collapsedFew(ctx context.Context, n *Request, list []*finding) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		slices.SortFunc(list, (*finding).compareTimes)
		numbers, next := make(map[string]int, len(list)), 0 // by form, for the moment asOf
		var asOf record.Time
		as := &joining{most: r.collapseMax(), ranks: n.Ranks()}
		forms, err := as.joinedFew(inList(ctx, list), len(list), func(f *finding) int {
			if f.asOf != asOf {
				clear(numbers)
				asOf = f.asOf
			}
			form := urlkey.Form(f.url)
			number, known := numbers[form]
			if !known {
				number = next
				numbers[form] = number
				next++
			}
			return number
		})
		if err != nil {
			yield(nil, err)
			return
		}
		slices.SortFunc(forms, (*finding).compareTimes)
		copies, err := as.joinedFew(r.grouped(ctx, r.printed(ctx, n, inList(ctx, forms))), len(forms), func(f *finding) int {
			if f.group >= aloneGroups {
				return -1
			}
			return int(f.group)
		})
		if err != nil {
			yield(nil, err)
			return
		}
		results := copies[:0]
		for f, err := range r.ranked(ctx, n, inList(ctx, copies)) {
			if err != nil {
				yield(nil, err)
				return
			}
			results = append(results, f)
		}
		slices.SortFunc(results, (*finding).compareURLs)
		inList(ctx, results)(yield)
	}
}

// compareTimes returns a negative number if f comes before o in the order in which collapsedFew looks
// at them: by the moment that the query chooses, by first time, and then by URL.
func (f *finding) compareTimes(o *finding) int {
	return cmp.Or(cmp.Compare(f.asOf, o.asOf), cmp.Compare(f.first, o.first), cmp.Compare(f.at, o.at))
}

// compareURLs returns a negative number if f comes before o in the order of the relation: by URL, by the
// moment that the query chooses, and by first time.
func (f *finding) compareURLs(o *finding) int {
	if f.url == o.url {
		return cmp.Or(cmp.Compare(f.asOf, o.asOf), cmp.Compare(f.first, o.first), cmp.Compare(f.group, o.group))
	}
	return cmp.Compare(f.at, o.at)
}

// inList yields the findings in list.
func inList(ctx context.Context, list []*finding) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for _, f := range list {
			if err := ctx.Err(); !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// joinedFew does what joined does. Findings of one group need not be neighbours: the function group
// returns the number of the group of each, or -1 if it has no group. There are at most count findings.
func (as *joining) joinedFew(in iter.Seq2[*finding, error], count int, group func(*finding) int) ([]*finding, error) {
	all := make([]joint, 0, count)
	var open []int32 // by number of a group, 1 + the index in all of its last joint; 0 if it has none
	for f, err := range in {
		if err != nil {
			return nil, err
		}
		g := group(f)
		for g >= len(open) {
			open = append(open, 0)
		}
		if g >= 0 && open[g] > 0 && all[open[g]-1].takes(f) {
			if err := all[open[g]-1].add(f); err != nil {
				return nil, err
			}
			continue
		}
		if all = append(all, joint{finding: f, joining: as}); g >= 0 {
			open[g] = int32(len(all))
		}
	}
	results := make([]*finding, len(all))
	for i := range all {
		results[i] = all[i].result()
	}
	return results, nil
}

// collapsedMany does what collapsed does, with sorters. The findings come sorted by the form of their
// URL and by time.
func (r *Reader) collapsedMany(ctx context.Context, n *Request, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	as := &joining{most: r.collapseMax(), ranks: n.Ranks()}
	if all := *n; as.ranks {
		all.Best, all.Fields = 0, []*Column{n.Relation.Column("score")}
		as.rank = func(list []*finding) error { return r.rank(ctx, &all, list, nil) }
	}
	forms := as.joined(in, func(a, b *finding) bool { return a.asOf == b.asOf && urlkey.Form(a.url) == urlkey.Form(b.url) })
	grouped := r.grouped(ctx, r.printed(ctx, n, r.sorted(ctx, forms, func(dst []byte, f *finding) []byte { return f.byTime(appendTime(dst, f.asOf)) })))
	copies := as.joined(r.sorted(ctx, grouped, func(dst []byte, f *finding) []byte {
		return f.byTime(binary.BigEndian.AppendUint64(dst, f.group))
	}), func(a, b *finding) bool { return a.group == b.group })
	byURL := func(dst []byte, f *finding) []byte {
		dst = appendTime(appendTime(append(urlkey.AppendKey(dst, f.url), 0), f.asOf), f.first)
		return binary.BigEndian.AppendUint64(dst, f.group)
	}
	results := r.sorted(ctx, copies, byURL)
	if !as.ranks {
		return results
	}
	return r.sorted(ctx, alone(r.ranked(ctx, n, results)), byURL) // by the URLs that are shown
}

// alone yields the given findings without their rivals.
func alone(in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for f, err := range in {
			if err == nil {
				f.rivals = nil
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// collapseMax returns the largest number of pages that may be compared at once.
func (r *Reader) collapseMax() int {
	return int(r.Memory.Bytes / (collapseShare * dedup.LeaderBytes))
}

// errTooManyCopies returns the error for an answer with more pages than collapseMax.
func errTooManyCopies(most int) error {
	return fmt.Errorf("the answer has more than %d pages to compare for near-copies, which need more memory; ask for less, or SET memory to more, or SET collapse = off", most)
}

// byTime appends to dst a key that sorts findings by first time, and then by URL.
func (f *finding) byTime(dst []byte) []byte {
	return urlkey.AppendKey(appendTime(dst, f.first), f.url)
}

// appendFormKey appends to dst a key that is equal for all forms of a URL (such as http
// and https) at the same moment for which a query chooses versions.
func appendFormKey(dst []byte, f *finding) []byte {
	return appendTime(append(append(dst, urlkey.Form(f.url)...), 0), f.asOf)
}

// appendTime appends t to dst as bytes that sort like times.
func appendTime(dst []byte, t record.Time) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(t)^1<<63)
}

// sorted yields the given findings sorted by the key that the function key appends. Findings
// with equal keys keep their order.
func (r *Reader) sorted(ctx context.Context, in iter.Seq2[*finding, error], key func([]byte, *finding) []byte) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		s := r.Memory.Sorter(ctx, collapseShare)
		defer s.Close()
		var k, mem []byte
		for f, err := range in {
			if err == nil {
				k = key(k[:0], f)
				mem, err = f.addTo(s, k, mem)
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		decoded(s)(yield)
	}
}

// addTo adds f to the sorter s. It uses the memory mem, and returns it for the next call.
func (f *finding) addTo(s *spill.Sorter, key, mem []byte) ([]byte, error) {
	mem = f.appendTo(mem[:0])
	return mem, s.Add(key, mem)
}

// decoded yields the findings that addTo added to s, sorted by their keys.
func decoded(s *spill.Sorter) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for rec, err := range s.Sorted() {
			if err != nil {
				yield(nil, err)
				return
			}
			f, _ := readFinding(string(rec.Val))
			if !yield(&f, nil) {
				return
			}
		}
	}
}

// times returns pointers to the fields of f that are times, in a fixed order.
func (f *finding) times() []*record.Time {
	return []*record.Time{&f.first, &f.last, &f.notBefore, &f.next, &f.asOf, &f.missed, &f.lost}
}

// appendTo appends an encoded form of f to dst. readFinding decodes it.
func (f *finding) appendTo(dst []byte) []byte {
	dst = spill.AppendValue(dst, value.OfText(f.url))
	dst = spill.AppendValue(dst, value.OfText(f.title))
	for _, t := range f.times() {
		dst = spill.AppendValue(dst, value.OfInt(int64(*t)))
	}
	for _, n := range []int64{int64(f.versions), int64(f.copies), int64(f.group), int64(f.at), int64(f.ref.Segment), int64(f.ref.Run), int64(f.ref.N)} {
		dst = spill.AppendValue(dst, value.OfInt(n))
	}
	for _, b := range []bool{f.print.Has, f.print.Known, f.ranked, f.untitled} {
		dst = spill.AppendValue(dst, value.OfBool(b))
	}
	dst = spill.AppendValue(dst, value.OfInt(int64(f.print.Bits)))
	dst = spill.AppendValue(dst, value.OfFloat(f.score))
	dst = spill.AppendValue(dst, value.OfInt(int64(len(f.rivals))))
	for _, rival := range f.rivals {
		dst = rival.appendTo(dst)
	}
	return dst
}

// readFinding decodes the finding at the start of src, which appendTo encoded. It returns what follows.
func readFinding(src string) (f finding, rest string) {
	next := func() (v value.Value) {
		v, src = spill.DecodeValue(src)
		return v
	}
	f.url, f.title = next().Text, next().Text
	for _, t := range f.times() {
		*t = record.Time(next().Int)
	}
	f.versions, f.copies, f.group, f.at = int(next().Int), int(next().Int), uint64(next().Int), int(next().Int)
	f.ref = record.Ref{Segment: uint32(next().Int), Run: uint32(next().Int), N: uint32(next().Int)}
	f.print = search.Print{Has: next().Bool, Known: next().Bool}
	f.ranked, f.untitled = next().Bool, next().Bool
	f.print.Bits = uint64(next().Int)
	f.score = next().Float
	for range next().Int {
		var rival finding
		rival, src = readFinding(src)
		f.rivals = append(f.rivals, &rival)
	}
	return f, src
}

// joining says how findings are joined.
type joining struct {
	most  int  // the largest number of URLs of a result
	ranks bool // the results get rivals
	// rank sets the scores of findings, so that few rivals have to be kept. If it is nil, all are kept.
	rank func([]*finding) error
}

// joint collects findings that are joined into one. They are added sorted by first time.
type joint struct {
	*finding // the finding into which all are joined
	*joining
	urls   map[string]int // number of copies at each URL that was joined; nil if there is only one URL
	trimAt int            // how many rivals j has when trim is due
}

// joined joins neighbouring findings of one group into one finding, and yields the
// results. The given findings are sorted by group and first time. The function same
// reports whether two findings are in one group. It is an error if a result would stand for
// more URLs than as.most.
func (as *joining) joined(in iter.Seq2[*finding, error], same func(a, b *finding) bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var open joint // finding is nil if there is none
		for f, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if open.finding != nil && same(open.finding, f) && open.takes(f) {
				if err := open.add(f); err != nil {
					yield(nil, err)
					return
				}
				continue
			}
			if open.finding != nil && !yield(open.result(), nil) {
				return
			}
			open = joint{finding: f, joining: as}
		}
		if open.finding != nil {
			yield(open.result(), nil)
		}
	}
}

// takes reports whether f can be joined to j. It can if their times overlap, or if no visit
// between them found the words missing. The visits that count are those of the last URL of j
// that had the words. f must not begin before j.
func (j *joint) takes(f *finding) bool {
	if f.first <= j.last {
		return true
	}
	return (j.lost == record.NoTime || j.lost >= f.first) && (f.missed == record.NoTime || f.missed <= j.last)
}

// add joins f to j. The finding of j becomes the last one that had the words. It is an error if j has too
// many URLs then.
func (j *joint) add(f *finding) error {
	if j.urls == nil {
		j.urls = map[string]int{j.url: j.copies}
	}
	j.urls[f.url] = max(j.urls[f.url], f.copies)
	if len(j.urls) > j.most {
		return errTooManyCopies(j.most)
	}
	versions, rivals, other := j.versions+f.versions, append(j.rivals, f.rivals...), f
	if f.last >= j.last {
		f.first, f.notBefore, f.missed = j.first, j.notBefore, j.missed
		j.finding, other = f, j.finding
	}
	other.rivals = nil
	j.versions, j.rivals = versions, nil
	if j.ranks {
		j.rivals = append(rivals, other)
	}
	if j.rank != nil && len(j.rivals) >= max(j.trimAt, trimFrom) {
		return j.trim()
	}
	return nil
}

// trimFrom is from how many rivals on trim is called. After that it is called when their number has
// doubled.
const trimFrom = 1024

// trim removes rivals that choose will not choose, whatever else is joined to j. It sets their scores for
// that. Of the rivals remain those of which no better one had the words as long, which are few.
func (j *joint) trim() error {
	if err := j.joining.rank(j.rivals); err != nil {
		return err
	}
	slices.SortFunc(j.rivals, (*finding).compareScores)
	end := j.last
	j.rivals = slices.DeleteFunc(j.rivals, func(f *finding) bool {
		if f.end() <= end {
			return true
		}
		end = f.end()
		return false
	})
	j.trimAt = 2 * len(j.rivals)
	return nil
}

// end returns the time from which on f did not have the words, as far as is known.
func (f *finding) end() record.Time {
	if f.next == record.NoTime {
		return record.MaxTime + 1
	}
	return f.next
}

// compareScores returns a negative number if a row shows f rather than o: f has the higher score, or the
// same and had the words later.
func (f *finding) compareScores(o *finding) int {
	return cmp.Or(cmp.Compare(o.score, f.score), cmp.Compare(o.last, f.last), cmp.Compare(f.at, o.at))
}

// choose sets which page the row of f shows: of f and its rivals, the one with the highest score. A rival
// does not count if a visit found it without the words by the last time of f. The pages differ in
// little, but one may have the words in its title.
func (f *finding) choose() {
	best := f
	for _, rival := range f.rivals {
		if rival.ranked && rival.end() > f.last && (!best.ranked || rival.compareScores(best) < 0) {
			best = rival
		}
	}
	f.url, f.title, f.untitled, f.ref = best.url, best.title, best.untitled, best.ref
	f.score, f.ranked, f.at = best.score, best.ranked, best.at
}

// result returns the finding into which all findings of j are joined.
func (j *joint) result() *finding {
	if j.urls != nil {
		j.copies = len(j.urls) - 1
		for _, n := range j.urls {
			j.copies += n
		}
		last := j.last
		j.rivals = slices.DeleteFunc(j.rivals, func(f *finding) bool { return f.end() <= last })
	}
	return j.finding
}

// aloneGroups is the lowest number of a group that only one finding has.
const aloneGroups = uint64(1) << 63

// grouped sets the groups of the given findings and yields them: near-copies get the same
// group. The given findings come sorted by the moment for which the query chooses
// versions.
func (r *Reader) grouped(ctx context.Context, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var leaders dedup.Leaders
		var asOf record.Time
		most := r.collapseMax()
		base, alone := uint64(0), aloneGroups // the first number of the leaders, and of findings without copies
		for f, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if f.asOf != asOf {
				base += uint64(leaders.Len())
				leaders, asOf = dedup.Leaders{}, f.asOf
			}
			print, ok := f.print.Bits, f.print.Has
			if !f.print.Known {
				print, ok, err = r.mainPrint(ctx, f.ref)
			}
			if err == nil && leaders.Len() > most {
				err = errTooManyCopies(most)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if ok {
				f.group = base + uint64(leaders.Group(print))
			} else {
				f.group = alone
				alone++
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// mainPrint returns the fingerprint of the main text of a version, see
// facts.Kept.MainPrint. ok is false if it has none.
func (r *Reader) mainPrint(ctx context.Context, ref record.Ref) (print uint64, ok bool, err error) {
	k, err := r.readKept(ctx, ref, anyTime)
	if err != nil {
		return 0, false, err
	}
	if k.Page != nil {
		var leaves [][]byte
		if !k.Page.Inline() {
			if leaves, err = r.Snapshot.LeafFacts(ctx, ref); err != nil {
				return 0, false, err
			}
		}
		print, ok = k.Page.MainPrint(leaves)
		return print, ok, nil
	}
	p, err := r.Snapshot.Payload(ctx, ref)
	if err != nil {
		return 0, false, err
	}
	res := response{Payload: p, ref: ref, options: divide.Options{}}
	if b := res.blocks(); b != nil {
		print, ok = facts.MainPrintOf(b)
	}
	return print, ok, nil
}

// leadsToForm reports whether version i of b is a redirect to another form of its URL,
// such as from http to https. Without locations in b, it reports false.
func leadsToForm(b *spanBatch, i int) bool {
	if b.Location == nil || b.Kind[i] != record.KindRedirect || b.Location[i] == "" {
		return false
	}
	to, err := urlkey.Resolve(b.URLs()[i], b.Location[i])
	return err == nil && to != b.URLs()[i] && urlkey.Form(to) == urlkey.Form(b.URLs()[i])
}
