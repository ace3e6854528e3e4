package op

import (
	"context"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// linkRow is one link of one version.
type linkRow struct {
	*page.Link
	url    string
	time   record.Time
	ref    record.Ref
	n      int    // place among the version's links
	target string // "" where it means no URL
	block  string // path, "" in the layout
}

// links yields a row a link of the versions chosen that are pages, in the order
// of the page.
func (r *Runner) links(ctx context.Context, n *plan.Source) Rows {
	return render(n, linkFills, linkShape, r.linkRows(ctx, n))
}

func (r *Runner) linkRows(ctx context.Context, n *plan.Source) iter.Seq2[[]linkRow, error] {
	return func(yield func([]linkRow, error) bool) {
		scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange|record.ColKind))
		for b, err := range r.spans(ctx, scan, n, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				list, err := r.linksOf(ctx, n, b, i)
				if err != nil {
					yield(nil, err)
					return
				}
				if len(list) > 0 && !yield(list, nil) {
					return
				}
			}
		}
	}
}

// linksOf are the links of the version at row i of b.
func (r *Runner) linksOf(ctx context.Context, n *plan.Source, b *spanBatch, i int) ([]linkRow, error) {
	if b.Kind[i] != record.KindPage {
		return nil, nil
	}
	res, err := r.response(ctx, b.Ref[i], options(n))
	if err != nil {
		return nil, err
	}
	base := b.URL[i]
	if written := res.about().Base; written != "" {
		if u, err := urlkey.Resolve(base, written); err == nil {
			base = u
		}
	}
	links := res.allLinks()
	list := make([]linkRow, len(links))
	for j := range links {
		l := &list[j]
		*l = linkRow{Link: &links[j], url: b.URL[i], time: b.Time[i], ref: b.Ref[i], n: j}
		if u, err := urlkey.Resolve(base, l.Target); err == nil {
			l.target = u
		}
		if p := partAt(res.blocks(), n.Level, l.Offset); p > 0 {
			l.block = res.blocks().Blocks[p].Path
		}
	}
	return list, nil
}

// partAt is the block of a cut that holds a byte of the body, 0 if none does.
func partAt(b *block.Body, level, offset int) int {
	for n := 1; n < len(b.Blocks); {
		switch p := &b.Blocks[n]; {
		case offset < p.Start:
			return 0
		case offset >= p.End:
			n = p.Next
		case b.Leaf(n) || p.Depth == level:
			return n
		default:
			n++
		}
	}
	return 0
}

var linkShape = shape[[]linkRow]{
	func(list []linkRow) int { return len(list) },
	func(hidden []*value.Vector, list []linkRow) {
		for _, h := range hidden {
			h.Resize(value.Int, len(list))
		}
		for i := range list {
			packRef(hidden, i, list[i].ref)
			hidden[2].Ints[i] = int64(list[i].n)
		}
	},
}

// linkFills computes the columns of links.
var linkFills = fills[[]linkRow]{
	"url":      textOf(value.URL, func(l *linkRow) string { return l.url }),
	"target":   textOf(value.URL, func(l *linkRow) string { return l.target }),
	"anchor":   plainOf(func(l *linkRow) string { return l.Anchor }),
	"kind":     textOf(value.Text, func(l *linkRow) string { return l.Kind.String() }),
	"rel":      textOf(value.Text, func(l *linkRow) string { return l.Rel }),
	"nofollow": boolOf(func(l *linkRow) bool { return l.NoFollow }),
	"time":     timeOf(func(l *linkRow) record.Time { return l.time }),
	"block":    textOf(value.Text, func(l *linkRow) string { return l.block }),
	"internal": boolOf(func(l *linkRow) bool {
		domain := urlkey.Domain(l.target)
		return domain != "" && domain == urlkey.Domain(l.url)
	}),
	"written": plainOf(func(l *linkRow) string { return l.Target }),
}

// plainOf computes a column of texts that are never NULL.
func plainOf[T any](f func(*T) string) func(*value.Vector, []T) {
	return func(v *value.Vector, list []T) {
		v.Resize(value.Text, len(list))
		for i := range list {
			v.Texts[i] = f(&list[i])
		}
	}
}

// linkFields computes the columns of links that are made late.
var linkFields = map[string]func(r *response, i int, n *plan.Source) value.Value{
	"label": func(r *response, i int, n *plan.Source) value.Value {
		p := partAt(r.blocks(), n.Level, r.allLinks()[i].Offset)
		if p == 0 {
			return value.Value{}
		}
		return value.OfText(r.label(p).String())
	},
	"before": func(r *response, i int, _ *plan.Source) value.Value { return value.OfText(r.allLinks()[i].Before) },
	"after":  func(r *response, i int, _ *plan.Source) value.Value { return value.OfText(r.allLinks()[i].After) },
}
