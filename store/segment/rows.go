package segment

import "infomall/store/record"

// Single reports whether entry i can be taken as it is, if it is the only entry of
// its URL in the archive: its body is in this segment, and it has no hints.
func (c *Chunk) Single(i int) bool {
	return c.BodyForm(i) != BodyNone && !c.Hinted(i)
}

// AppendSingles appends n captures to b, column by column: the entries from i on.
// Each must be Single and the only one of its URL; the first belongs to URL number
// k. want may only have columns that the index has. info describes the segment.
func (c *Chunk) AppendSingles(b *record.Batch, want record.Columns, info *Info, k, i, n int) {
	f := &c.front
	b.N += n
	b.Key = append(b.Key, f.keys[k:k+n]...)
	b.Time = appendAs(b.Time, f.time[i:i+n])
	for j := range n {
		b.Ref = append(b.Ref, record.Ref{Segment: info.ID, Run: c.Run, N: uint32(c.First + i + j)})
	}
	if want&record.ColStatus != 0 {
		b.Status = appendAs(b.Status, f.status[i:i+n])
	}
	if want&record.ColMime != 0 {
		b.Mime = append(b.Mime, f.mime[i:i+n]...)
	}
	if want&record.ColBytes != 0 {
		b.Bytes = append(b.Bytes, f.bytes[i:i+n]...)
	}
	if want&record.ColPrevious != 0 {
		for range n {
			b.Previous = append(b.Previous, record.NoTime)
			b.PreviousVersion = append(b.PreviousVersion, record.NoTime)
		}
	}
	if want&record.ColVersionTime != 0 {
		b.VersionTime = appendAs(b.VersionTime, f.time[i:i+n])
	}
	if want&record.ColPool != 0 {
		for range n {
			b.Pool = append(b.Pool, info.Pool)
		}
	}
	if want&record.ColAdded != 0 {
		b.Added = appendAs(b.Added, f.added[i:i+n])
	}
	if want&record.ColJob != 0 {
		b.Job = append(b.Job, f.job[i:i+n]...)
	}
	if want&(record.ColKind|record.ColChange|record.ColVia|record.ColTruncated) == 0 {
		return
	}
	for _, fl := range f.flags[i : i+n] {
		if want&record.ColKind != 0 {
			b.Kind = append(b.Kind, record.Kind(fl>>flagKind&7))
		}
		if want&record.ColChange != 0 {
			b.Change = append(b.Change, record.Change(fl>>flagChange&7))
		}
		if want&record.ColVia != 0 {
			b.Via = append(b.Via, record.Via(fl>>flagVia&3))
		}
		if want&record.ColTruncated != 0 {
			b.Truncated = append(b.Truncated, fl>>flagTruncated&1 != 0)
		}
	}
}

// appendAs appends v, converted to another integer type.
func appendAs[T ~int32 | ~int64](dst []T, v []int64) []T {
	for _, x := range v {
		dst = append(dst, T(x))
	}
	return dst
}
