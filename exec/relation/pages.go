package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// pageRow is one URL, summed up over the visits that the query selects.
type pageRow struct {
	key, url              string
	first, last, asOf     record.Time
	versions, changes     int64
	status                int32
	kind                  record.Kind
	mime, title           string
	bytes, errors, visits int64
	standing              Standing
	inlinks, outlinks     int64
	revisit               Revisit
	found                 foundOn
	stored                int64
	ref                   record.Ref // of the last version
}

// pageNeeds are the columns of a scan that pages needs besides those of its
// fields. Change separates versions.
const pageNeeds = record.ColChange

// eachPage sums up spans to pages, in the order of URLs. With EACH, which gives
// one span per URL and period, each span becomes a row.
func eachPage(n *Request, in iter.Seq2[*spanBatch, error]) iter.Seq2[*pageRow, error] {
	return func(yield func(*pageRow, error) bool) {
		var p pageRow
		single := n.Choice.Kind == ChooseEach
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if p.visits > 0 && (single || b.Key[i] != p.key) {
					if !yield(&p, nil) {
						return
					}
					p = pageRow{}
				}
				p.add(b, i)
			}
		}
		if p.visits > 0 {
			yield(&p, nil)
		}
	}
}

// add adds one span to p.
func (p *pageRow) add(b *spanBatch, i int) {
	if p.visits == 0 {
		p.key, p.url, p.first, p.asOf = b.Key[i], b.URL[i], b.Time[i], b.AsOf[i]
	}
	p.last, p.ref = b.Last[i], b.Ref[i]
	p.visits += b.Visits[i]
	p.versions++
	if b.Change[i].Changed() {
		p.changes++
	}
	if b.Status != nil {
		p.status = b.LastStatus[i]
	}
	if b.Mime != nil {
		p.mime = b.LastMime[i]
	}
	if b.Title != nil {
		p.title = b.Title[i]
	}
	if b.Kind != nil {
		p.kind = b.Kind[i]
		if p.kind == record.KindError {
			p.errors += b.Visits[i]
		}
	}
	if b.Bytes != nil {
		p.bytes += max(b.Bytes[i], 0)
	}
	if b.StoredBytes != nil {
		p.stored += max(b.StoredBytes[i], 0)
	}
}

// pageSpans yields the spans (the versions, as the query sees them) that n's
// pages are summed up from.
func (r *Reader) pageSpans(ctx context.Context, n *Request) iter.Seq2[*spanBatch, error] {
	in := r.spans(ctx, r.visits(ctx, n, n.Scan(pageNeeds)), n, true)
	if n.Asks("stored_bytes") {
		in = r.brought(ctx, n, in)
	}
	return in
}

// pages yields one row per URL.
func (r *Reader) pages(ctx context.Context, n *Request) value.Rows {
	return render(n, pageFills, pageShape, paged(r.foundPages(ctx, n, r.revisitedPages(ctx, n, r.linkedPages(ctx, n, r.rankedPages(ctx, n, eachPage(n, r.pageSpans(ctx, n))))))))
}

// rankedPages adds ranks to pages, if n reads them.
func (r *Reader) rankedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if !n.Asks("rank") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		find, done, err := r.standings(ctx, n, PageRanking, n.Ranges)
		if err != nil {
			yield(nil, err)
			return
		}
		defer done()
		for p, err := range in {
			if err == nil {
				p.standing, err = find(p.key, p.asOf)
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// paged collects rows in batches. The first has one row, so that rows come
// soon; later ones grow.
func paged[T any](in iter.Seq2[*T, error]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var list []T
		wanted := 1
		for x, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			list = append(list, *x)
			if len(list) < wanted {
				continue
			}
			wanted = min(2*wanted, record.BatchRows)
			if !yield(list, nil) {
				return
			}
			list = list[:0]
		}
		if len(list) > 0 {
			yield(list, nil)
		}
	}
}

// pageShape makes one row of each page in a batch. Its hidden columns name the
// first capture of the page's last version.
var pageShape = shape[[]pageRow]{
	func(list []pageRow) int { return len(list) },
	func(hidden []*value.Vector, list []pageRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			packRef(hidden, i, list[i].ref)
		}
	},
}

// pageFills has the functions that compute the columns of the relation pages,
// by name. The late columns, which need the stored page, are not among them.
var pageFills = fills[[]pageRow]{
	"url":           textOf(value.URL, func(p *pageRow) string { return p.url }),
	"first_seen":    timeOf(func(p *pageRow) record.Time { return p.first }),
	"last_seen":     timeOf(func(p *pageRow) record.Time { return p.last }),
	"as_of":         timeOf(func(p *pageRow) record.Time { return p.asOf }),
	"version_count": intOf(func(p *pageRow) int64 { return p.versions }),
	"change_count":  intOf(func(p *pageRow) int64 { return p.changes }),
	"rank":          numberOf(func(p *pageRow) (float64, bool) { return p.standing.Rank, p.standing.Ranked }),
	"title":         textOf(value.Text, func(p *pageRow) string { return p.title }),
	"status": func(v *value.Vector, list []pageRow) {
		v.Resize(value.Int, len(list))
		for i := range list {
			v.Ints[i] = int64(list[i].status)
			if list[i].status == 0 {
				v.SetNull(i)
			}
		}
	},
	"kind":        textOf(value.Text, func(p *pageRow) string { return p.kind.String() }),
	"mime":        textOf(value.Text, func(p *pageRow) string { return p.mime }),
	"urlkey":      textOf(value.Text, func(p *pageRow) string { return urlkey.CDX(p.url) }),
	"host":        textOf(value.Text, func(p *pageRow) string { return urlkey.Host(p.url) }),
	"domain":      textOf(value.Text, func(p *pageRow) string { return urlkey.Domain(p.url) }),
	"change_rate": numberOf(func(p *pageRow) (float64, bool) { return p.revisit.Rate, p.revisit.Visits > 0 }),
	"next_due":    timeOf(func(p *pageRow) record.Time { return p.revisit.Due }),
	"layer": func(v *value.Vector, list []pageRow) {
		v.Resize(value.Int, len(list))
		for i := range list {
			if v.Ints[i] = int64(list[i].found.layer); !list[i].found.known {
				v.SetNull(i)
			}
		}
	},
	"weight":   numberOf(func(p *pageRow) (float64, bool) { return p.found.weight, p.found.known }),
	"via":      textOf(value.URL, func(p *pageRow) string { return p.found.via }),
	"inlinks":  intOf(func(p *pageRow) int64 { return p.inlinks }),
	"outlinks": intOf(func(p *pageRow) int64 { return p.outlinks }),
	"depth":    intOf(func(p *pageRow) int64 { return int64(urlkey.Depth(p.url)) }),
}

// textOf returns a fill of a column of texts. "" becomes NULL.
func textOf[T any](t value.Type, f func(*T) string) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(t, len(list))
		for i := range list {
			v.Texts[i] = f(&list[i])
			if v.Texts[i] == "" {
				v.SetNull(i)
			}
		}
	}
}

// timeOf returns a fill of a column of times. NoTime becomes NULL.
func timeOf[T any](f func(*T) record.Time) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(value.Time, len(list))
		for i := range list {
			putTime(v, i, f(&list[i]))
		}
	}
}

// intOf returns a fill of a column of ints.
func intOf[T any](f func(*T) int64) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(value.Int, len(list))
		for i := range list {
			v.Ints[i] = f(&list[i])
		}
	}
}

// boolOf returns a fill of a column of bools.
func boolOf[T any](f func(*T) bool) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(value.Bool, len(list))
		for i := range list {
			v.Bools[i] = f(&list[i])
		}
	}
}

// floatOf returns a fill of a column of floats.
func floatOf[T any](f func(*T) float64) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(value.Float, len(list))
		for i := range list {
			v.Floats[i] = f(&list[i])
		}
	}
}
