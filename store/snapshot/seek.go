package snapshot

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Seek returns the keys of the URLs that have a capture that s looks for, sorted. It reads one
// segment after the other, and only the columns that s names. It does not bring the captures of
// a URL together.
//
// ok is false if Seek cannot find the URLs, or not faster than a scan of all captures: there
// are few captures, or more URLs than s.KeysMax or s.PartMax, or something is damaged.
//
// A capture that is stored without a body may have properties of another capture. Seek
// therefore returns its URL without testing it.
func (v *Snapshot) Seek(ctx context.Context, s record.Seek) (keys []string, ok bool, err error) {
	if v.hiding.Meets(s.Ranges) {
		return nil, false, nil // hidden captures would take the places of others
	}
	if s.Ranges == nil {
		s.Ranges = []urlkey.Range{{}}
	}
	var chosen []*segment.Info
	captures, urls := int64(0), int64(0)
	for _, i := range v.Pin.Segments {
		if i.First < s.To && i.Last >= s.From && mayHave(v.Runs.Reader(i), s.Ranges) {
			chosen = append(chosen, i)
			captures += i.Captures
			urls = max(urls, i.URLs)
		}
	}
	if v.known.mixes(chosen) {
		return nil, false, nil // captures that were added later would take the places of others
	}
	if _, together := apart(chosen); captures < v.from.SharedCaptures || len(together) > 0 {
		return nil, false, nil // two copies of one capture may have different values
	}
	if s.PartMax > 0 {
		s.KeysMax = min(s.KeysMax, int(s.PartMax*float64(urls)))
	}
	w := &seeker{v: v, s: s, found: make(map[string]bool), stored: newBatcher(ctx, v, s.Scan, nil, nil)}
	for _, i := range chosen {
		more, err := w.segment(ctx, i)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if !more || err != nil {
			return nil, false, nil // the scan meets the same damage, and says so
		}
	}
	if s.First > 0 && len(w.first) < s.First {
		return nil, false, nil // URLs whose captures have no value come next; Seek does not find them
	}
	for _, f := range w.first {
		w.found[f.key] = true
	}
	return slices.Sorted(maps.Keys(w.found)), true, nil
}

// seeker is the state of one call of Seek.
type seeker struct {
	v      *Snapshot
	s      record.Seek
	found  map[string]bool // keys of URLs that match
	first  []seekFirst     // if s.First is set: the first URLs found so far, sorted
	moved  int             // how many URLs were put into first so far; later ones may have driven them out
	stored *batcher        // reads what only db-files have

	seg     *segment.Reader
	hidden  func(timeline.Place) bool // reports whether a capture was removed; nil if the segment has no such captures
	inTime  bool                      // all captures of the segment are in the time range
	allKeys bool                      // all keys of the segment are in the ranges
	chunk   segment.Tally
	loaded  bool    // the chunk has its keys
	urls    []int32 // for each entry of the chunk: the index of its key; nil if each entry has a key of its own
	b       record.Batch
	values  []int64 // for each entry of the chunk: its value in the column By
}

// seekFirst is a URL among the first s.First that Seek has found so far. value is the value of
// one of its captures in the column By, by which they are ordered.
type seekFirst struct {
	value int64
	key   string
}

// movedMax is how many URLs, for each URL that is asked for, may be put among the first and
// driven out again. Beyond this Seek gives up: the captures come in the opposite order, and a
// scan is faster.
const movedMax = 256

// segment looks in segment i for captures that Seek looks for, and adds their URLs to the URLs
// found so far. more is false if there are more URLs than Seek may return.
func (w *seeker) segment(ctx context.Context, i *segment.Info) (more bool, err error) {
	w.seg, w.inTime = w.v.Runs.Reader(i), i.First >= w.s.From && i.Last < w.s.To
	w.allKeys = slices.ContainsFunc(w.s.Ranges, func(r urlkey.Range) bool { return r.From <= i.FirstKey && (r.To == "" || i.LastKey < r.To) })
	if w.hidden, err = w.v.hiddenIn(i.ID); err != nil {
		return false, err
	}
	chunks := w.seg.Chunks(w.wants())
	defer chunks.Close()
	chunks.PassOver(w.passesOver)
	ranges := w.s.Ranges
	some, err := chunks.SeekTally(ranges[0].From, &w.chunk)
	for some && err == nil {
		w.v.Runs.ReadChunk(w.seg, chunks.Size())
		if more, err := w.run(); !more || err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !w.allKeys {
			last := w.chunk.Keys[len(w.chunk.Keys)-1]
			if ranges = passed(ranges, last); len(ranges) == 0 {
				return true, nil
			}
			if ranges[0].From > last {
				run := w.chunk.Run
				some, err = chunks.SeekTally(ranges[0].From, &w.chunk)
				if !some || err != nil || w.chunk.Run != run {
					continue
				}
				// The range begins after the last key of this chunk and before the next chunk.
			}
		}
		some, err = chunks.NextTally(&w.chunk)
	}
	return true, err
}

// wants returns which columns of the index Seek reads of the current segment.
func (w *seeker) wants() segment.Want {
	want := tallyWants(w.s.Columns) | segment.WantFlags | segment.WantKeysLater
	if !w.inTime || w.s.Timed || w.s.First > 0 && w.s.By == 0 {
		want |= segment.WantTime
	}
	if w.s.First > 0 {
		want |= tallyWants(w.s.By)
	}
	return want
}

// passesOver reports whether no capture of a chunk with the bounds b can be one that Seek looks
// for, so that the chunk need not be read.
func (w *seeker) passesOver(b segment.Bounds) bool {
	if b.LastTime < w.s.From || b.FirstTime >= w.s.To {
		return true
	}
	if w.s.First == 0 || b.Lost || len(w.first) < w.s.First {
		return false
	}
	least, greatest := b.LeastBytes, b.GreatestBytes
	if w.s.By == 0 {
		least, greatest = int64(b.FirstTime), int64(b.LastTime)
	}
	if w.s.Desc {
		return w.after(greatest)
	}
	return w.after(least)
}

// run looks in the current chunk (the index's part for one run) for captures that Seek looks for,
// and adds their URLs to the URLs found so far. more is false if there are more URLs than Seek may
// return.
func (w *seeker) run() (more bool, err error) {
	t := &w.chunk
	w.loaded = false
	if !w.allKeys {
		if err := w.load(); err != nil {
			return false, err
		}
	}
	if slices.ContainsFunc(t.FlagSets, func(f segment.Flags) bool { return f.Body == segment.BodyNone }) {
		for i := range t.N {
			if w.lost(i) && w.wanted(i) {
				if more, err := w.find(i); !more || err != nil {
					return false, err
				}
			}
		}
	}
	if w.s.First > 0 {
		if w.values = t.Times; w.s.By != 0 {
			w.values = t.Bytes
		}
	}
	if w.s.Columns == record.ColTitle && !w.s.Timed && w.s.First == 0 && !w.v.HasDocuments() {
		return w.titles()
	}
	if w.s.Match == nil {
		return w.takeAll()
	}
	if err := w.fill(); err != nil {
		return false, err
	}
	sel, err := w.s.Match(&w.b)
	if err != nil {
		return false, err
	}
	for _, i := range sel {
		if more, err := w.take(int(i)); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// lost reports whether entry i of the chunk is stored without a body.
func (w *seeker) lost(i int) bool {
	return w.chunk.FlagSets[at(w.chunk.Flags.At, i)].Body == segment.BodyNone
}

// wanted reports whether entry i of the chunk is visible and in the time range.
func (w *seeker) wanted(i int) bool {
	if t := w.chunk.Times; !w.inTime && (record.Time(t[i]) < w.s.From || record.Time(t[i]) >= w.s.To) {
		return false
	}
	return w.hidden == nil || !w.hidden(timeline.Place{Seg: w.seg, Run: w.chunk.Run, N: uint32(i)})
}

// titles looks for wanted captures by the titles in the current run. It matches a title that
// several entries share only once. more is false if Seek has to end.
func (w *seeker) titles() (more bool, err error) {
	m, err := w.stored.metaOf(w.seg, w.chunk.Run)
	if err != nil || m.damaged {
		return false, err
	}
	w.b.Title = m.pages.Titles()
	w.b.N = len(w.b.Title)
	sel, err := w.s.Match(&w.b)
	if err != nil || len(sel) == 0 {
		return err == nil, err
	}
	match := make([]bool, w.b.N)
	for _, i := range sel {
		match[i] = true
	}
	for i := range w.chunk.N {
		if k := m.pages.TitleAt(i); k >= 0 && match[k] && w.wanted(i) {
			if more, err := w.find(i); !more || err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// errUnread ends a call of Seek if the run of the current chunk is damaged and the snapshot
// skips damage.
var errUnread = errors.New("the run cannot be read")

// fill sets w.b to the columns of all entries of the chunk, for the function Match.
func (w *seeker) fill() error {
	t, b, want := &w.chunk, &w.b, w.s.Columns
	b.Reset()
	b.N = t.N
	if w.s.Timed {
		for _, x := range t.Times {
			b.Time = append(b.Time, record.Time(x))
		}
	}
	if want&record.ColBytes != 0 {
		b.Bytes = append(b.Bytes, t.Bytes...)
	}
	for i := range t.N {
		if want&record.ColStatus != 0 {
			b.Status = append(b.Status, int32(t.Statuses[at(t.Status.At, i)]))
		}
		if want&record.ColKind != 0 {
			b.Kind = append(b.Kind, t.FlagSets[at(t.Flags.At, i)].Kind)
		}
		if want&record.ColMime != 0 {
			b.Mime = append(b.Mime, t.Mimes[at(t.Mime.At, i)])
		}
	}
	if want&record.ColTitle == 0 {
		return nil
	}
	m, err := w.stored.metaOf(w.seg, t.Run)
	if err != nil {
		return err
	}
	if m.damaged {
		return errUnread
	}
	for i := range t.N {
		title, err := w.stored.title(m, timeline.Place{Seg: w.seg, Run: t.Run, N: uint32(i)})
		if err != nil {
			return err
		}
		b.Title = append(b.Title, title)
	}
	return nil
}

// takeAll treats all entries of the chunk as entries that match.
func (w *seeker) takeAll() (more bool, err error) {
	for i, x := range w.values {
		if len(w.first) == w.s.First && w.after(x) {
			continue
		}
		if more, err := w.take(i); !more || err != nil {
			return false, err
		}
	}
	return true, nil
}

// after reports whether x, a value of the column By, comes after the values of all URLs in
// w.first. A capture with the value x is then not among the first that Seek looks for.
func (w *seeker) after(x int64) bool {
	last := w.first[len(w.first)-1].value
	return w.s.Desc && -x > last || !w.s.Desc && x > last
}

// take adds the URL of entry i of the chunk, which matches, to the URLs found so far. It does
// nothing if the entry is hidden, outside the time range, or stored without a body. more is false
// if there are more URLs than Seek may return.
func (w *seeker) take(i int) (more bool, err error) {
	if w.lost(i) || !w.wanted(i) {
		return true, nil
	}
	if w.s.First == 0 {
		return w.find(i)
	}
	x := w.values[i]
	full := len(w.first) == w.s.First
	if w.s.By == record.ColBytes && x < 0 || full && w.after(x) {
		return true, nil
	}
	f := seekFirst{value: x}
	if w.s.Desc {
		f.value = -x
	}
	if f.key, err = w.key(i); err != nil || !w.inRanges(f.key) {
		return err == nil, err
	}
	k, has := slices.BinarySearchFunc(w.first, f, compareFirst)
	if has || k == w.s.First {
		return true, nil
	}
	if full {
		w.first = w.first[:len(w.first)-1]
	}
	f.key = strings.Clone(f.key)
	w.first = slices.Insert(w.first, k, f)
	w.moved++
	return w.moved <= movedMax*w.s.First, nil
}

// compareFirst orders URLs by value and then by key.
func compareFirst(a, b seekFirst) int {
	return cmp.Or(cmp.Compare(a.value, b.value), strings.Compare(a.key, b.key))
}

// find adds the URL of entry i of the chunk to w.found. more is false if there are more URLs than
// Seek may return.
func (w *seeker) find(i int) (more bool, err error) {
	key, err := w.key(i)
	if err != nil || !w.inRanges(key) || w.found[key] {
		return err == nil, err
	}
	w.found[strings.Clone(key)] = true
	return len(w.found) <= w.s.KeysMax, nil
}

// key returns the key of entry i of the chunk.
func (w *seeker) key(i int) (string, error) {
	if !w.loaded {
		if err := w.load(); err != nil {
			return "", err
		}
	}
	if w.urls != nil {
		i = int(w.urls[i])
	}
	return w.chunk.Keys[i], nil
}

// load decodes the keys of the chunk.
func (w *seeker) load() error {
	t := &w.chunk
	if err := t.LoadKeys(); err != nil {
		return err
	}
	w.loaded = true
	if w.urls = w.urls[:0]; len(t.Keys) == t.N {
		w.urls = nil
		return nil
	}
	for k, n := range t.Counts {
		for range n {
			w.urls = append(w.urls, int32(k))
		}
	}
	return nil
}

// inRanges reports whether a scan would yield the URL with this key.
func (w *seeker) inRanges(key string) bool {
	in := slices.ContainsFunc(w.s.Ranges, func(r urlkey.Range) bool { return key >= r.From && (r.To == "" || key < r.To) })
	return in && (w.s.Skip == nil || !w.s.Skip(key, urlkey.URL(key)))
}
