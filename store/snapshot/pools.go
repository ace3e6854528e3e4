package snapshot

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"infomall/store/catalog"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Pools describes the pools, sorted by name.
func (v *Snapshot) Pools(ctx context.Context) ([]record.Pool, error) {
	v.Pin.WarnMisnamed(v.from.files.Warn)
	var out []record.Pool
	for rest := v.Pin.Segments; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].Pool == rest[0].Pool {
			n++
		}
		p, err := v.Pool(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		rest = rest[n:]
	}
	for i := range out {
		for _, p := range out {
			if slices.Contains(p.Depends, out[i].Name) {
				out[i].Dependents = append(out[i].Dependents, p.Name)
			}
		}
	}
	return out, nil
}

// Pool describes the pool that consists of these segments.
func (v *Snapshot) Pool(ctx context.Context, segments []*segment.Info) (record.Pool, error) {
	p := record.Pool{Name: segments[0].Pool, Static: v.Pin.IsStatic(segments[0].Pool), First: record.MaxTime, Last: record.MinTime}
	first, last := segments[0].FirstKey, segments[0].LastKey
	removed := v.lacks(segments)
	for _, s := range segments {
		p.First, p.Last = min(p.First, s.First), max(p.Last, s.Last)
		first, last = min(first, s.FirstKey), max(last, s.LastKey)
		p.StoredBytes += s.Bytes + s.IndexBytes
		p.Blocks += s.Blocks
		p.Depends = append(p.Depends, s.Depends...)
	}
	slices.Sort(p.Depends)
	p.Depends = slices.Compact(p.Depends)
	if p.First > p.Last { // there are no captures, only blocks that other pools use
		p.First, p.Last = record.NoTime, record.NoTime
	}
	from, to := catalog.Month(p.Name)
	if !removed {
		p.FirstURL, p.LastURL = urlkey.URL(first), urlkey.URL(last)
	}
	if !removed && (v.alone(segments, from, to) || v.summable(segments)) {
		for _, s := range segments {
			p.Captures, p.Versions, p.Bytes = p.Captures+s.Captures, p.Versions+s.Versions, p.Bytes+s.BodyBytes
			p.URLs += s.Fresh
		}
		if len(segments) == 1 {
			p.URLs = segments[0].URLs
		}
		return p, nil
	}
	return p, v.countPool(ctx, &p, removed)
}

// alone reports whether segments has one segment, and no other segment has captures in the
// pool's month, which begins at from and ends before to.
func (v *Snapshot) alone(segments []*segment.Info, from, to record.Time) bool {
	return len(segments) == 1 && len(v.segmentsFor(from, to)) == 1
}

// summable reports whether the numbers of a pool are the sums of the numbers that
// the catalogue has for its segments. That is so if no URL is counted twice, no
// capture is in two segments, and no later import changed which captures are
// versions.
func (v *Snapshot) summable(segments []*segment.Info) bool {
	return !slices.ContainsFunc(segments, func(s *segment.Info) bool {
		return s.Fresh == segment.FreshUnknown || v.overtaken(s)
	})
}

// overtaken reports whether the numbers that segment s has of its own captures may be wrong for
// the whole archive. That is so if s may share captures with a segment that overlaps with it or
// is in its pool, or if a later import may have changed which captures of s begin a version.
func (v *Snapshot) overtaken(s *segment.Info) bool {
	return !s.Lasting || v.gainedFrom() <= s.Last || slices.ContainsFunc(v.Pin.Segments, func(o *segment.Info) bool {
		return o != s && o.First <= s.Last && (o.Pool == s.Pool || o.Last >= s.First) && !s.IsApart(o)
	})
}

// lacks reports whether the numbers that the catalogue has for these segments may count captures
// that the snapshot does not show, or hints that depend on such captures. It is true if captures
// were removed after one of the segments was written, or if v leaves out captures because of Hide
// or KnownAt.
func (v *Snapshot) lacks(segments []*segment.Info) bool {
	return slices.ContainsFunc(v.Pin.Removals, func(r catalog.RemovalFile) bool {
		return slices.ContainsFunc(segments, func(s *segment.Info) bool {
			return s.Seen < r.Generation || slices.Contains(r.Segments, s.ID)
		})
	}) || slices.ContainsFunc(segments, func(s *segment.Info) bool {
		return v.hiding.Meets([]urlkey.Range{{From: s.FirstKey, To: s.LastKey + "\x00"}})
	}) || v.known.unsettles(segments, v.Pin.Segments)
}

// changesHold reports whether the hints in segment s (how a capture differs from the one before
// it) say, for the whole archive, which captures begin a version. A hint may still name the wrong
// kind of change.
func (v *Snapshot) changesHold(s *segment.Info) bool {
	return !v.lacks([]*segment.Info{s}) && !v.overtaken(s)
}

// gainedFrom returns a time such that no revisit before that time got its body from a capture that
// was imported after the revisit. It is catalog.EndOfTime if no revisit at all did.
func (v *Snapshot) gainedFrom() record.Time {
	v.gained.once.Do(func() {
		v.gained.from = catalog.EndOfTime
		for _, s := range v.Pin.Segments {
			v.gained.from = min(v.gained.from, firstGain(s, v.Pin.Segments))
		}
	})
	return v.gained.from
}

// firstGain returns the time from which revisits in the segments of the list all may have got
// their bodies from the segment late, which was imported after them. A revisit never has its body
// from a later month (see rule 3 in originals.go).
func firstGain(late *segment.Info, all []*segment.Info) record.Time {
	first := catalog.EndOfTime
	for _, o := range all {
		// In a segment with Follows set, each capture had its body when it was
		// imported.
		if !o.Follows && late.Newer(o) && catalog.MonthOf(o.Pool) >= catalog.MonthOf(late.Pool) {
			first = min(first, o.First)
		}
	}
	return first
}

// countPool counts the captures of pool p by reading them. It is called if the numbers of the
// catalogue may be wrong: captures are hidden or were deleted, later imports changed which
// captures are versions, or segments overlap. removed says that captures of the pool were
// deleted; countPool then also finds the pool's first and last times and URLs.
func (v *Snapshot) countPool(ctx context.Context, p *record.Pool, removed bool) error {
	from, to := catalog.Month(p.Name)
	if removed {
		p.First, p.Last = record.MaxTime, record.MinTime
	}
	err := v.walk(ctx, record.Scan{From: from, To: to, Columns: record.ColBytes}, func(group []timeline.Capture) error {
		n := p.Captures
		for i := range group {
			e := &group[i]
			if e.Time < from || e.Seg.Info.Pool != p.Name {
				continue
			}
			p.Captures++
			p.First, p.Last = min(p.First, e.Time), max(p.Last, e.Time)
			if e.Change != record.ChangeSame {
				p.Versions++
				p.Bytes += max(e.Bytes, 0)
			}
		}
		if p.Captures == n {
			return nil
		}
		p.URLs++
		if removed {
			p.LastURL = urlkey.URL(group[0].Key)
			if p.FirstURL == "" {
				p.FirstURL = p.LastURL
			}
		}
		return nil
	})
	if p.Captures == 0 {
		p.First, p.Last = record.NoTime, record.NoTime
	}
	return err
}

// Files describes the files that the snapshot's catalogue names, sorted by name.
func (v *Snapshot) Files(ctx context.Context) ([]record.File, error) {
	if v.Pin.Generation == 0 {
		return nil, nil
	}
	var out []record.File
	shares := make(map[string]int)
	for _, s := range v.Pin.Segments {
		shares[s.Index]++
		out = append(out, record.File{Name: s.File, Pool: s.Pool, Segments: 1, Sorted: true, Bytes: s.Bytes, CRC: s.CRC})
	}
	for _, x := range v.Pin.Indexes {
		out = append(out, record.File{Name: x.Name, Segments: shares[x.Name], Sorted: true, Bytes: x.Bytes, CRC: x.CRC})
	}
	for _, r := range v.Pin.Removals {
		out = append(out, record.File{Name: r.Name, Segments: len(r.Segments), Sorted: true, Bytes: r.Bytes, CRC: r.CRC})
	}
	for _, n := range v.Pin.Names {
		out = append(out, record.File{Name: n.Name, Pool: filepath.Base(filepath.Dir(n.Name)), Segments: len(n.Of), Sorted: true, Bytes: n.Bytes, CRC: n.CRC})
	}
	name := v.from.files.Folder.CatalogFile(v.Pin.Generation)
	b, err := disk.ReadFile(v.from.files.Folder.Files(), name)
	if err != nil {
		return nil, err
	}
	out = append(out, record.File{Name: name, Segments: len(v.Pin.Segments), Sorted: true, Bytes: int64(len(b)), CRC: crc32c.Sum(b)})
	slices.SortFunc(out, func(a, b record.File) int { return strings.Compare(a.Name, b.Name) })
	return out, ctx.Err()
}
