package relation

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
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
// their spans found the words missing, see joint.takes. All findings pass through
// sorters, so the result does not depend on the order in which they come, and memory is
// bounded.

// collapseShare divides the memory of a statement: a sorter of findings gets one part in
// collapseShare of it, and the list of different pages may take another such part.
const collapseShare = 4

// collapsed joins the findings that the sequence in yields into groups, and yields these
// sorted by URL and time. Whoever gets a finding from one of the steps may keep and change it.
func (r *Reader) collapsed(ctx context.Context, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	forms := joined(r.sorted(ctx, in, func(dst []byte, f *finding) []byte { return f.byTime(appendFormKey(dst, f)) }), r.collapseMax(),
		func(a, b *finding) bool { return a.asOf == b.asOf && urlkey.Form(a.url) == urlkey.Form(b.url) })
	grouped := r.grouped(ctx, r.sorted(ctx, forms, func(dst []byte, f *finding) []byte { return f.byTime(appendTime(dst, f.asOf)) }))
	copies := joined(r.sorted(ctx, grouped, func(dst []byte, f *finding) []byte {
		return f.byTime(binary.BigEndian.AppendUint64(dst, f.group))
	}), r.collapseMax(), func(a, b *finding) bool { return a.group == b.group })
	return r.sorted(ctx, copies, func(dst []byte, f *finding) []byte {
		return appendTime(appendTime(append(urlkey.AppendKey(dst, f.url), 0), f.asOf), f.first)
	})
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
		var k, v []byte
		add := func(key []byte, f *finding) error {
			v = f.appendTo(v[:0])
			return s.Add(key, v)
		}
		// As long as they are few, findings stay as they are: that takes less time than to
		// encode them for the sorter.
		var few []keyedFinding
		room := r.Memory.Bytes / (fewShare * collapseShare)
		for f, err := range in {
			if err == nil {
				k = key(k[:0], f)
				if room > 0 {
					few = append(few, keyedFinding{string(k), f})
					if room -= few[len(few)-1].bytes(); room > 0 {
						continue
					}
					for i := range few {
						err = cmp.Or(err, add([]byte(few[i].key), few[i].finding))
					}
					few = nil
				} else {
					err = add(k, f)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		order := make([]int, len(few))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(strings.Compare(few[a].key, few[b].key), a-b) })
		for _, i := range order {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(few[i].finding, nil) {
				return
			}
		}
		if len(few) > 0 {
			return
		}
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

// fewShare divides the memory of a sorter: one part in fewShare holds findings in a plain
// list before they go to the sorter.
const fewShare = 4

// keyedFinding is a finding with the key by which it is sorted.
type keyedFinding struct {
	key string
	*finding
}

// bytes returns an estimate of the memory that k takes, in bytes.
func (k *keyedFinding) bytes() int64 {
	return int64(unsafe.Sizeof(*k)) + int64(unsafe.Sizeof(*k.finding)) + int64(len(k.key)+len(k.url)+len(k.title))
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
	finding                // the finding into which all are joined
	urls    map[string]int // number of copies at each URL that was joined; nil if there is only one URL
}

// joined joins neighbouring findings of one group into one finding, and yields the
// results. The given findings are sorted by group and first time. The function same
// reports whether two findings are in one group. It is an error if a result would stand for
// more URLs than most.
func joined(in iter.Seq2[*finding, error], most int, same func(a, b *finding) bool) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		open := new(joint) // versions is 0 if there is none
		for f, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			if open.versions > 0 && same(&open.finding, f) && open.takes(f) {
				open.add(f)
				if len(open.urls) > most {
					yield(nil, errTooManyCopies(most))
					return
				}
				continue
			}
			if open.versions > 0 && !yield(open.result(), nil) {
				return
			}
			open = &joint{finding: *f}
		}
		if open.versions > 0 {
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

// add joins f to j. The row of the result shows the last URL that had the words.
func (j *joint) add(f *finding) {
	if j.urls == nil {
		j.urls = map[string]int{j.url: j.copies}
	}
	j.urls[f.url] = max(j.urls[f.url], f.copies)
	versions := j.versions + f.versions
	if f.last >= j.last {
		first, notBefore, missed := j.first, j.notBefore, j.missed
		j.finding = *f
		j.first, j.notBefore, j.missed = first, notBefore, missed
	}
	j.versions = versions
}

// result returns the finding into which all findings of j are joined.
func (j *joint) result() *finding {
	if j.urls != nil {
		j.copies = len(j.urls) - 1
		for _, n := range j.urls {
			j.copies += n
		}
	}
	return &j.finding
}

// grouped sets the groups of the given findings and yields them: near-copies get the same
// group. The given findings come sorted by the moment for which the query chooses
// versions.
func (r *Reader) grouped(ctx context.Context, in iter.Seq2[*finding, error]) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		var leaders dedup.Leaders
		var asOf record.Time
		most := r.collapseMax()
		base, alone := uint64(0), uint64(1)<<63 // the first number of the leaders, and of findings without copies
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
