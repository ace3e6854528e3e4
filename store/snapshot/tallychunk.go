package snapshot

import (
	"fmt"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// wants returns the columns of the index that the tally needs for the current
// segment.
func (w *tallier) wants() segment.Want {
	want := tallyWants(w.t.Columns)
	if w.t.Host {
		want |= segment.WantHosts
	}
	if w.t.Time || !w.allTime {
		want |= segment.WantTime
	}
	if !w.allKeys {
		want |= segment.WantKeys
	}
	if w.mixed {
		want |= segment.WantAdded
	}
	if w.byBody() {
		want |= segment.WantLostKeys
	}
	if w.visits || w.t.Columns&(record.ColKind|record.ColVia|record.ColTruncated) != 0 {
		want |= segment.WantFlags
	}
	return want
}

// byBody reports whether the tally asks for something that depends on a capture's
// body, which may be stored at another capture.
func (w *tallier) byBody() bool {
	return w.t.Columns&(record.ColStatus|record.ColKind|record.ColMime|record.ColBytes|record.ColDigest) != 0
}

// choose determines which entries of the current chunk count, and sets w.keep. It sets w.lost to
// the wanted entries that are stored without a body: for these, the other captures of the URL must
// be looked up. ranges are the ranges of keys that end in the chunk or after it.
func (w *tallier) choose(ranges []urlkey.Range) error {
	t := &w.tally
	w.lost = w.lost[:0]
	lost := w.byBody() && slices.ContainsFunc(t.FlagSets, func(f segment.Flags) bool { return f.Body == segment.BodyNone })
	visits := w.visits && slices.Contains(t.Changes, record.ChangeSame)
	if w.allTime && w.allKeys && w.hidden == nil && !w.mixed && !visits && !lost && w.t.Keep == nil {
		w.keep = nil
		return nil
	}
	w.keep = slices.Grow(w.keep[:0], t.N)[:t.N]
	for i := range w.keep {
		w.keep[i] = w.allTime || record.Time(t.Times[i]) >= w.t.From && record.Time(t.Times[i]) < w.t.To
		w.keep[i] = w.keep[i] && (w.hidden == nil || !w.hidden(timeline.Place{Seg: w.seg, Run: t.Run, N: uint32(i)}))
		w.keep[i] = w.keep[i] && !(w.mixed && w.v.known.isLater(record.Time(t.Added[i])))
		w.keep[i] = w.keep[i] && !(visits && t.Changes[at(t.Flags.At, i)] == record.ChangeSame)
	}
	if !w.allKeys {
		w.chooseKeys(ranges)
	}
	if lost {
		for i, keep := range w.keep {
			if keep && t.FlagSets[at(t.Flags.At, i)].Body == segment.BodyNone {
				w.keep[i] = false
				w.lost = append(w.lost, i)
			}
		}
	}
	if w.t.Keep != nil {
		return w.chooseKept(w.keptIn(t.Run))
	}
	return nil
}

// chooseKept clears w.keep for the entries of the current chunk that k says do not count.
func (w *tallier) chooseKept(k *record.Kept) (err error) {
	if k == nil {
		clear(w.keep)
		return nil
	}
	at := 0 // an index in w.keep
	if !k.Any {
		for n := range k.Some.All() {
			clear(w.keep[at:min(int(n), len(w.keep))])
			at = min(int(n)+1, len(w.keep))
		}
		clear(w.keep[at:])
	}
	if k.Has == nil {
		return nil
	}
	for i, keep := range w.keep {
		if keep {
			if w.keep[i], err = k.Has(uint32(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// chooseKeys clears w.keep for the entries of the current chunk whose keys are not in ranges or
// are skipped by the tally's Skip.
func (w *tallier) chooseKeys(ranges []urlkey.Range) {
	i := 0
	for k, key := range w.tally.Keys {
		ranges = passed(ranges, key)
		next := i + int(w.tally.Counts[k])
		if len(ranges) == 0 || key < ranges[0].From || w.t.Skip != nil && w.t.Skip(key, urlkey.URL(key)) {
			clear(w.keep[i:next])
		}
		i = next
	}
}

// at returns element i of codes, or 0 if codes is nil.
func at(codes []int64, i int) int64 {
	if codes == nil {
		return 0
	}
	return codes[i]
}

// chunk counts the entries of the current chunk that choose selected.
func (w *tallier) chunk() error {
	t := &w.tally
	combinations := w.list()
	hosts := t.Hosts
	if !w.t.Host {
		hosts = []segment.HostRun{{N: t.N}}
	}
	count := w.each
	if combinations <= tallyCodesMax && w.t.Columns&(record.ColBytes|record.ColAdded|record.ColDigest) == 0 && (!w.t.Time || w.t.Period != nil) {
		w.combine(combinations)
		count = w.grouped
	}
	if w.t.Columns&record.ColDigest != 0 {
		if err := w.readDigests(); err != nil {
			return err
		}
	}
	from := 0
	for _, h := range hosts {
		if err := count(from, from+h.N, h.Host); err != nil {
			return err
		}
		from += h.N
	}
	for _, i := range w.lost {
		if err := w.elsewhere(i); err != nil {
			return err
		}
	}
	return nil
}

// readDigests sets w.digests to the digests of the entries of the current chunk. If the
// run is damaged and damage is skipped, they are zero.
func (w *tallier) readDigests() error {
	m, err := w.stored.metaOf(w.seg, w.tally.Run)
	if err != nil {
		return err
	}
	w.digests = m.digests
	if m.damaged {
		w.digests = make([]record.Digest, w.tally.N)
	}
	if len(w.digests) != w.tally.N {
		return &segment.Error{File: w.seg.Info.File, Offset: -1, Err: fmt.Errorf("the number of captures of run %d is %d, in its index %d", w.tally.Run, len(w.digests), w.tally.N)}
	}
	return nil
}

// list sets w.columns to the wanted columns that have few distinct values. It
// returns how many combinations of their values there can be, or tallyCodesMax+1 if
// there can be more than tallyCodesMax.
func (w *tallier) list() int {
	t, b := &w.tally, &w.b
	w.columns = w.columns[:0]
	add := func(c record.Columns, codes *segment.Codes, put func(int)) {
		if w.t.Columns&c != 0 {
			w.columns = append(w.columns, tallied{values: codes.Values, at: codes.At, put: put})
		}
	}
	flags := func(c record.Columns, values int, code func(segment.Flags) int, put func(int)) {
		if w.t.Columns&c == 0 {
			return
		}
		codes := make([]int, len(t.FlagSets))
		for i, f := range t.FlagSets {
			codes[i] = code(f)
		}
		w.columns = append(w.columns, tallied{values: values, at: t.Flags.At, codes: codes, put: put})
	}
	add(record.ColStatus, &t.Status, func(c int) { b.Status = append(b.Status, int32(t.Statuses[c])) })
	add(record.ColMime, &t.Mime, func(c int) { b.Mime = append(b.Mime, t.Mimes[c]) })
	add(record.ColJob, &t.Job, func(c int) { b.Job = append(b.Job, t.Jobs[c]) })
	flags(record.ColKind, int(record.KindError)+1, func(f segment.Flags) int { return int(f.Kind) },
		func(c int) { b.Kind = append(b.Kind, record.Kind(c)) })
	flags(record.ColVia, int(record.ViaResource)+1, func(f segment.Flags) int { return int(f.Via) },
		func(c int) { b.Via = append(b.Via, record.Via(c)) })
	flags(record.ColTruncated, 2, func(f segment.Flags) int {
		if f.Truncated {
			return 1
		}
		return 0
	}, func(c int) { b.Truncated = append(b.Truncated, c == 1) })
	if w.t.Columns&record.ColPool != 0 {
		w.columns = append(w.columns, tallied{values: 1, put: func(int) { b.Pool = append(b.Pool, w.seg.Info.Pool) }})
	}
	if w.t.Time && w.t.Period != nil {
		w.listPeriods()
		w.columns = append(w.columns, tallied{values: len(w.starts), at: w.periods, put: func(c int) { b.Time = append(b.Time, w.starts[c]) }})
	}
	n := 1
	for i := range w.columns {
		if n *= w.columns[i].values; n > tallyCodesMax {
			return tallyCodesMax + 1
		}
	}
	return n
}

// listPeriods sets w.starts to the distinct periods in which the entries of the current chunk
// are, and w.periods[i] to the index in w.starts of the period of entry i.
func (w *tallier) listPeriods() {
	w.starts = w.starts[:0]
	w.periods = slices.Grow(w.periods[:0], w.tally.N)[:w.tally.N]
	code := int64(-1)
	for i, t := range w.tally.Times {
		if t := record.Time(t); code < 0 || t < w.span[0] || t >= w.span[1] {
			start := w.periodOf(t)
			if code = int64(slices.Index(w.starts, start)); code < 0 {
				code = int64(len(w.starts))
				w.starts = append(w.starts, start)
			}
		}
		w.periods[i] = code
	}
}

// combine sets w.codes[i] to one number for entry i of the current chunk, which stands for the
// combination of the entry's values in all columns. combinations is how many there can be.
func (w *tallier) combine(combinations int) {
	w.codes = slices.Grow(w.codes[:0], w.tally.N)[:w.tally.N]
	clear(w.codes)
	for len(w.counts) < combinations {
		w.counts = append(w.counts, 0)
	}
	for _, c := range w.columns {
		n := int32(c.values)
		switch {
		case c.at == nil && c.codes == nil:
			for i := range w.codes {
				w.codes[i] *= n
			}
		case c.at == nil:
			for i := range w.codes {
				w.codes[i] = w.codes[i]*n + int32(c.codes[0])
			}
		case c.codes == nil:
			for i, x := range c.at {
				w.codes[i] = w.codes[i]*n + int32(x)
			}
		default:
			for i, x := range c.at {
				w.codes[i] = w.codes[i]*n + int32(c.codes[x])
			}
		}
	}
}

// grouped counts entries from to to-1 of the current chunk, and adds one row for each
// combination of values among them. host is the host of these entries.
func (w *tallier) grouped(from, to int, host string) error {
	w.touched = w.touched[:0]
	for i, c := range w.codes[from:to] {
		if w.keep != nil && !w.keep[from+i] {
			continue
		}
		if w.counts[c] == 0 {
			w.touched = append(w.touched, c)
		}
		w.counts[c]++
	}
	for _, c := range w.touched {
		n := w.counts[c]
		w.counts[c] = 0
		for k := len(w.columns) - 1; k >= 0; k-- {
			col := &w.columns[k]
			col.put(int(c) % col.values)
			c /= int32(col.values)
		}
		if w.t.Host {
			w.b.Host = append(w.b.Host, host)
		}
		if err := w.count(n); err != nil {
			return err
		}
	}
	return nil
}

// each adds one row for each entry from to to-1 of the current chunk that counts. host is the
// host of these entries.
func (w *tallier) each(from, to int, host string) error {
	for i := from; i < to; i++ {
		if w.keep != nil && !w.keep[i] {
			continue
		}
		for k := range w.columns {
			col := &w.columns[k]
			code := int(at(col.at, i))
			if col.codes != nil {
				code = col.codes[code]
			}
			col.put(code)
		}
		if w.t.Host {
			w.b.Host = append(w.b.Host, host)
		}
		if w.t.Time && w.t.Period == nil {
			w.b.Time = append(w.b.Time, record.Time(w.tally.Times[i]))
		}
		if w.t.Columns&record.ColBytes != 0 {
			w.b.Bytes = append(w.b.Bytes, w.tally.Bytes[i])
		}
		if w.t.Columns&record.ColAdded != 0 {
			w.b.Added = append(w.b.Added, record.Time(w.tally.Added[i]))
		}
		if w.t.Columns&record.ColDigest != 0 {
			w.b.Digest = append(w.b.Digest, w.digests[i])
		}
		if err := w.count(1); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere counts entry i of the current chunk, which is stored without a body. It looks up
// the captures of the URL to find the body, which may be stored at another capture.
func (w *tallier) elsewhere(i int) error {
	if w.look == nil {
		w.look = w.v.NewLooker(w.t.Columns)
	}
	here := timeline.Place{Seg: w.seg, Run: w.tally.Run, N: uint32(i)}
	k := 0
	for n := int64(i); n >= w.tally.Counts[k]; k++ {
		n -= w.tally.Counts[k]
	}
	if key := w.tally.Keys[k]; len(w.settled) == 0 || key != w.settled[0].Key {
		var err error
		if w.settled, err = w.look.until(w.ctx, key, w.t.To); err != nil {
			return err
		}
		w.places = make(map[timeline.Place]int, len(w.settled))
		for j := range w.settled {
			w.places[w.settled[j].Place] = j
		}
	}
	if j, ok := w.places[here]; ok {
		e := &w.settled[j]
		return w.entry(e, urlkey.Host(urlkey.URL(e.Key)))
	}
	return nil
}
