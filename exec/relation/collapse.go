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
// their spans found the words missing, see joint.takes. If there are too many findings for
// memory, they pass through sorters.

// collapseShare divides the memory of a statement: a sorter of findings gets one part in
// collapseShare of it, and the list of different pages may take another such part. Findings that take
// no more than fewShare such parts are joined in memory.
const (
	collapseShare = 4
	fewShare      = 2 // two sorters are used at the same time
)

// collapsed joins the findings that the sequence in yields into groups. They come sorted by URL, by the
// moment that the query chooses, and by time. collapsed yields the results in this order, which is that
// of compareURLs; but if anyOrder is set, their order may be another. Whoever gets a finding may keep
// and change it.
func (r *Reader) collapsed(ctx context.Context, n *Request, in iter.Seq2[*finding, error], anyOrder bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		s := r.Memory.Sorter(ctx, collapseShare)
		defer s.Close()
		few, err := r.few(in, func(f *finding, mem []byte) ([]byte, error) { return f.addTo(s, f.byTime(appendFormKey(nil, f)), mem) })
		if err != nil {
			yield(nil, err)
			return
		}
		results := r.collapsedFew(ctx, n, few, anyOrder)
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
func (r *Reader) collapsedFew(ctx context.Context, n *Request, list []*finding, anyOrder bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for i, f := range list {
			f.at = i
		}
		slices.SortFunc(list, (*finding).compareTimes)
		numbers, next := make(map[string]int, len(list)), 0 // by form, for the moment asOf
		var asOf record.Time
		forms, err := joinedFew(inList(ctx, list), len(list), r.collapseMax(), func(f *finding) int {
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
		copies, err := joinedFew(r.grouped(ctx, r.printed(ctx, n, inList(ctx, forms))), len(forms), r.collapseMax(), func(f *finding) int {
			if f.group >= aloneGroups {
				return -1
			}
			return int(f.group)
		})
		if err != nil {
			yield(nil, err)
			return
		}
		if !anyOrder {
			slices.SortFunc(copies, (*finding).compareURLs)
		}
		inList(ctx, copies)(yield)
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
func joinedFew(in iter.Seq2[*finding, error], count, most int, group func(*finding) int) ([]*finding, error) {
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
			if j := &all[open[g]-1]; j.add(f) > most {
				return nil, errTooManyCopies(most)
			}
			continue
		}
		if all = append(all, joint{finding: f}); g >= 0 {
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
	forms := joined(in, r.collapseMax(),
		func(a, b *finding) bool { return a.asOf == b.asOf && urlkey.Form(a.url) == urlkey.Form(b.url) })
	grouped := r.grouped(ctx, r.printed(ctx, n, r.sorted(ctx, forms, func(dst []byte, f *finding) []byte { return f.byTime(appendTime(dst, f.asOf)) })))
	copies := joined(r.sorted(ctx, grouped, func(dst []byte, f *finding) []byte {
		return f.byTime(binary.BigEndian.AppendUint64(dst, f.group))
	}), r.collapseMax(), func(a, b *finding) bool { return a.group == b.group })
	return numbered(r.sorted(ctx, copies, func(dst []byte, f *finding) []byte {
		return appendTime(appendTime(append(urlkey.AppendKey(dst, f.url), 0), f.asOf), f.first)
	}))
}

// numbered yields the given findings. It sets their field at first.
func numbered(in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		at := 0
		for f, err := range in {
			if err == nil {
				f.at = at
				at++
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
			f := readFinding(string(rec.Val))
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
	for _, n := range []int64{int64(f.versions), int64(f.copies), int64(f.group), int64(f.ref.Segment), int64(f.ref.Run), int64(f.ref.N)} {
		dst = spill.AppendValue(dst, value.OfInt(n))
	}
	for _, b := range []bool{f.print.Has, f.print.Known, f.ranked, f.untitled} {
		dst = spill.AppendValue(dst, value.OfBool(b))
	}
	dst = spill.AppendValue(dst, value.OfInt(int64(f.print.Bits)))
	return spill.AppendValue(dst, value.OfFloat(f.score))
}

// readFinding decodes src, a finding that appendTo encoded.
func readFinding(src string) (f finding) {
	next := func() (v value.Value) {
		v, src = spill.DecodeValue(src)
		return v
	}
	f.url, f.title = next().Text, next().Text
	for _, t := range f.times() {
		*t = record.Time(next().Int)
	}
	f.versions, f.copies, f.group = int(next().Int), int(next().Int), uint64(next().Int)
	f.ref = record.Ref{Segment: uint32(next().Int), Run: uint32(next().Int), N: uint32(next().Int)}
	f.print = search.Print{Has: next().Bool, Known: next().Bool}
	f.ranked, f.untitled = next().Bool, next().Bool
	f.print.Bits = uint64(next().Int)
	f.score = next().Float
	return f
}

// joint collects findings that are joined into one. They are added sorted by first time.
type joint struct {
	*finding                // the finding into which all are joined
	urls     map[string]int // number of copies at each URL that was joined; nil if there is only one URL
}

// joined joins neighbouring findings of one group into one finding, and yields the
// results. The given findings are sorted by group and first time. The function same
// reports whether two findings are in one group. It is an error if a result would stand for
// more URLs than most.
func joined(in iter.Seq2[*finding, error], most int, same func(a, b *finding) bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var open joint // finding is nil if there is none
		for f, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if open.finding != nil && same(open.finding, f) && open.takes(f) {
				if open.add(f) > most {
					yield(nil, errTooManyCopies(most))
					return
				}
				continue
			}
			if open.finding != nil && !yield(open.result(), nil) {
				return
			}
			open = joint{finding: f}
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

// add joins f to j, and returns how many URLs j has then. The row of the result shows the last URL
// that had the words.
func (j *joint) add(f *finding) (urls int) {
	if j.urls == nil {
		j.urls = map[string]int{j.url: j.copies}
	}
	j.urls[f.url] = max(j.urls[f.url], f.copies)
	versions := j.versions + f.versions
	if f.last >= j.last {
		f.first, f.notBefore, f.missed = j.first, j.notBefore, j.missed
		j.finding = f
	}
	j.versions = versions
	return len(j.urls)
}

// result returns the finding into which all findings of j are joined.
func (j *joint) result() *finding {
	if j.urls != nil {
		j.copies = len(j.urls) - 1
		for _, n := range j.urls {
			j.copies += n
		}
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
