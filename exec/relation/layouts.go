package relation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"

	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page/charset"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// layoutRow is one layout of a host, summed up over the visits that the query
// selects.
type layoutRow struct {
	host        string
	digest      record.Digest
	bytes       int64
	first, last record.Time
	asOf        record.Time
	versions    int64
	ref         record.Ref // of a version that has the layout
}

// layouts yields one row per layout, sorted by the SURT keys of hosts. The
// versions with one layout need not follow each other, so they are summed up by
// sorting, as in hosts.
func (r *Reader) layouts(ctx context.Context, n *Request) value.Rows {
	return render(n, layoutFills, layoutShape, paged(r.eachLayout(ctx, n)))
}

// eachLayout yields the layouts of n.
func (r *Reader) eachLayout(ctx context.Context, n *Request) iter.Seq2[*layoutRow, error] {
	return func(yield func(*layoutRow, error) bool) {
		s := r.Sorter(ctx, 1)
		defer s.Close()
		if err := r.sumLayouts(ctx, n, s); err != nil {
			yield(nil, err)
			return
		}
		var l layoutRow
		for rec, err := range s.Sorted() {
			if err != nil {
				yield(nil, err)
				return
			}
			part := decodeLayout(rec.Val)
			if l.versions > 0 && !l.add(&part) {
				if !yield(&l, nil) {
					return
				}
				l = layoutRow{}
			}
			if l.versions == 0 {
				l = part
			}
		}
		if l.versions > 0 {
			yield(&l, nil)
		}
	}
}

// sumLayouts adds to s a sum for each run of versions with the same layout.
func (r *Reader) sumLayouts(ctx context.Context, n *Request, s *spill.Sorter) error {
	var l layoutRow
	var buf []byte
	put := func() error {
		if l.versions == 0 || l.host == "" {
			return nil
		}
		key := append([]byte(urlkey.Key("http://"+l.host+"/")), 0)
		buf = l.encode(buf[:0])
		key = append(key, l.digest[:]...)
		return s.Add(binary.BigEndian.AppendUint64(key, uint64(l.asOf)), buf)
	}
	scan := r.visits(ctx, n, n.Scan(record.ColChange|record.ColKind))
	for b, err := range r.spans(ctx, scan, n, true) {
		if err != nil {
			return err
		}
		for i := range b.N {
			part, err := r.layoutOf(ctx, n, b, i)
			if err != nil {
				return err
			}
			if part.versions == 0 || l.add(&part) {
				continue
			}
			if err := put(); err != nil {
				return err
			}
			l = part
		}
	}
	return put()
}

// layoutOf returns the layout of the version at row i of b, or a zero row if it
// has none.
func (r *Reader) layoutOf(ctx context.Context, n *Request, b *spanBatch, i int) (layoutRow, error) {
	if b.Kind[i] != record.KindPage {
		return layoutRow{}, nil
	}
	res, err := r.response(ctx, b.Ref[i], options(n))
	if err != nil || res.blocks() == nil {
		return layoutRow{}, err
	}
	layout := res.blocks().Layout()
	return layoutRow{
		host: urlkey.Host(b.URL[i]), digest: sha256.Sum256(layout), bytes: int64(len(layout)),
		first: b.Time[i], last: b.Last[i], asOf: b.AsOf[i], versions: 1, ref: b.Ref[i],
	}, nil
}

// add adds part to l, and reports whether both are the same layout. If not, it
// changes nothing.
func (l *layoutRow) add(part *layoutRow) bool {
	if l.versions == 0 || l.host != part.host || l.digest != part.digest || l.asOf != part.asOf {
		return false
	}
	l.versions += part.versions
	l.first = min(l.first, part.first)
	l.last = max(l.last, part.last)
	return true
}

// encode appends l in the form that decodeLayout reads.
func (l *layoutRow) encode(dst []byte) []byte {
	dst = append(dst, l.digest[:]...)
	for _, n := range []int64{l.bytes, int64(l.first), int64(l.last), int64(l.asOf), l.versions, int64(l.ref.Segment), int64(l.ref.Run), int64(l.ref.N)} {
		dst = binary.AppendVarint(dst, n)
	}
	return append(dst, l.host...)
}

// decodeLayout returns the layout that encode wrote.
func decodeLayout(src []byte) layoutRow {
	var l layoutRow
	src = src[copy(l.digest[:], src):]
	var n [8]int64
	for i := range n {
		var width int
		n[i], width = binary.Varint(src)
		src = src[width:]
	}
	l.bytes, l.first, l.last, l.asOf, l.versions = n[0], record.Time(n[1]), record.Time(n[2]), record.Time(n[3]), n[4]
	l.ref = record.Ref{Segment: uint32(n[5]), Run: uint32(n[6]), N: uint32(n[7])}
	l.host = string(src)
	return l
}

// layoutShape makes one row of each layout in a batch. Its hidden columns name
// a capture whose page has the layout.
var layoutShape = shape[[]layoutRow]{
	func(list []layoutRow) int { return len(list) },
	func(hidden []*value.Vector, list []layoutRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			packRef(hidden, i, list[i].ref)
		}
	},
}

// layoutFills has the functions that compute the columns of the relation
// layouts, by name. The late columns, which need the stored page, are not among
// them.
var layoutFills = fills[[]layoutRow]{
	"host":          textOf(value.Text, func(l *layoutRow) string { return l.host }),
	"digest":        textOf(value.Text, func(l *layoutRow) string { return hex.EncodeToString(l.digest[:]) }),
	"bytes":         intOf(func(l *layoutRow) int64 { return l.bytes }),
	"first_seen":    timeOf(func(l *layoutRow) record.Time { return l.first }),
	"last_seen":     timeOf(func(l *layoutRow) record.Time { return l.last }),
	"as_of":         timeOf(func(l *layoutRow) record.Time { return l.asOf }),
	"version_count": intOf(func(l *layoutRow) int64 { return l.versions }),
}

// layoutText returns the layout of a page as a text, or NULL if it has none.
func layoutText(r *response) value.Value {
	b := r.blocks()
	if b == nil {
		return value.Value{}
	}
	return value.OfText(string(charset.ToUTF8(block.ShowLayout(b.Layout()), b.Charset)))
}
