package relation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"iter"

	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/block/divide"
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

// Layouts is the relation layouts.
var Layouts = listWithRefs(Relation{
	Name: "layouts", Doc: "one layout of a host: the html of pages without their blocks", Scoped: true,
	RefColumns: refColumns,
	Columns: []Column{
		textOf("host", "host name, without a port", func(l *layoutRow) string { return l.host }),
		textOf("digest", "sha256 of the layout, in hex", func(l *layoutRow) string { return hex.EncodeToString(l.digest[:]) }),
		intOf("bytes", "size of the layout", func(l *layoutRow) int64 { return l.bytes }),
		timeOf("first_seen", "first capture of the period that has this layout", func(l *layoutRow) record.Time { return l.first }),
		timeOf("last_seen", "last capture of the period that has this layout", func(l *layoutRow) record.Time { return l.last }),
		intOf("version_count", "number of versions that have this layout", func(l *layoutRow) int64 { return l.versions }),
		timeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(l *layoutRow) record.Time { return l.asOf }).aside(),
		payload("html", value.Text, "layout, as UTF-8, with <!--block--> in place of each block", ofResponse(layoutText)),
	},
}, (*layoutRow).refs, (*Reader).layouts)

// layouts yields one row per layout, sorted by the SURT keys of hosts. The
// versions with one layout need not follow each other, so they are summed up by
// sorting, as in hosts.
func (r *Reader) layouts(ctx context.Context, n *Request) iter.Seq2[[]layoutRow, error] {
	return paged(r.eachLayout(ctx, n))
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

// refs names a capture whose page has the layout.
func (l *layoutRow) refs(hidden []*value.Vector, i int) { packRef(hidden, i, l.ref) }

// layoutText returns the layout of a page as a text, or NULL if it has none.
func layoutText(r *response) value.Value {
	b := r.blocks()
	if b == nil {
		return value.Value{}
	}
	return value.OfText(string(charset.ToUTF8(divide.ShowLayout(b.Layout()), b.Charset)))
}
