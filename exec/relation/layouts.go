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

// layoutRow is one row of the relation layouts: one layout of a host, with sums
// over the visits that the query selects. The layout is the part of a page that
// is outside its blocks.
type layoutRow struct {
	host        string
	digest      record.Digest
	bytes       int64
	first, last record.Time
	asOf        record.Time
	versions    int64
	ref         record.Ref // the first capture of a version that has the layout
}

// Layouts declares the relation layouts, which has one row per layout of a
// host.
var Layouts = listWithRefs(Relation{
	Name: "layouts", Doc: "one layout of a host: the html of pages without their blocks", Scoped: true, OfStored: true,
	RefColumns: refColumns,
	Columns: []Column{
		TextOf("host", "host name, without a port", func(l *layoutRow) string { return l.host }),
		TextOf("digest", "sha256 of the layout, in hex", func(l *layoutRow) string { return hex.EncodeToString(l.digest[:]) }),
		IntOf("bytes", "size of the layout", func(l *layoutRow) int64 { return l.bytes }),
		TimeOf("first_seen", "first capture of the period that has this layout", func(l *layoutRow) record.Time { return l.first }),
		TimeOf("last_seen", "last capture of the period that has this layout", func(l *layoutRow) record.Time { return l.last }),
		IntOf("version_count", "number of versions that have this layout", func(l *layoutRow) int64 { return l.versions }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(l *layoutRow) record.Time { return l.asOf }).OnRequest(),
		payload("html", value.Text, "layout, as UTF-8, with <!--block--> in place of each block", ofResponse(layoutText)),
	},
}, (*layoutRow).refs, (*Reader).layouts)

// layouts yields the rows of the relation layouts in batches: one row per
// layout of each host, sorted by the SURT key of the host (its labels in
// reverse). With EACH, there is one row per layout and period.
func (r *Reader) layouts(ctx context.Context, n *Request) iter.Seq2[[]layoutRow, error] {
	return Paged(r.eachLayout(ctx, n))
}

// eachLayout yields one row per layout that n selects, and per period with
// EACH, one at a time. Versions with the same layout need not follow each
// other, so eachLayout sorts sums of them, as hosts does. A row is valid until
// the iteration moves on.
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

// sumLayouts adds up each unbroken series of versions with the same layout,
// host and period, and adds the encoded sums to s. Several sums may be of the
// same layout.
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

// layoutOf returns a row for the layout of the version at row i of b. It
// returns the zero row if the version has no layout, because it is not a page,
// its body has no blocks, or it is a document.
func (r *Reader) layoutOf(ctx context.Context, n *Request, b *spanBatch, i int) (layoutRow, error) {
	if b.Kind[i] != record.KindPage {
		return layoutRow{}, nil
	}
	res, err := r.response(ctx, b.Ref[i], options(n))
	if err != nil || res.blocks() == nil || res.document() != nil {
		return layoutRow{}, err
	}
	layout := res.blocks().Layout()
	return layoutRow{
		host: urlkey.Host(b.URLs()[i]), digest: sha256.Sum256(layout), bytes: int64(len(layout)),
		first: b.Time[i], last: b.Last[i], asOf: b.AsOf[i], versions: 1, ref: b.Ref[i],
	}, nil
}

// add adds the counts of part to those of l if both are of the same layout,
// host and period, and reports whether they are. If not, or if l is empty, it
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

// encode appends to dst the fields of l in the form that decodeLayout reads.
func (l *layoutRow) encode(dst []byte) []byte {
	dst = append(dst, l.digest[:]...)
	for _, n := range []int64{l.bytes, int64(l.first), int64(l.last), int64(l.asOf), l.versions, int64(l.ref.Segment), int64(l.ref.Run), int64(l.ref.N)} {
		dst = binary.AppendVarint(dst, n)
	}
	return append(dst, l.host...)
}

// decodeLayout returns the layout row that layoutRow.encode wrote as src.
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

// refs writes into row i of the hidden columns the ref of a capture whose page
// has the layout l.
func (l *layoutRow) refs(hidden []*value.Vector, i int) { packRef(hidden, i, l.ref) }

// layoutText returns the layout of a page as UTF-8, with <!--block--> in place
// of each block. It returns NULL if the body has no blocks or is a document.
func layoutText(r *response) value.Value {
	b := r.blocks()
	if b == nil || b.Document != nil {
		return value.Value{}
	}
	return value.OfText(string(charset.ToUTF8(divide.ShowLayout(b.Layout()), b.Charset)))
}
