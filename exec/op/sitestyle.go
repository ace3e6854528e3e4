package op

import (
	"cmp"
	"context"
	"slices"
	"time"

	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// How many of the pages of a host, first in order, are looked at to choose a
// sample, and how many of these are read.
const (
	styleSeen  = 4096
	stylePages = 24
)

// hostStyle is how the pages of a host look in one month: what a sample of them
// has in common. It depends on the archive alone, not on what is asked.
type hostStyle struct {
	hostMonth
	periods []stylePeriod // by redesigns; none where the host has no pages
}

type hostMonth struct {
	host    string // the start of its keys
	from    record.Time
	options block.Options
}

// stylePeriod is the style from a time on.
type stylePeriod struct {
	from  record.Time
	style *block.SiteStyle
}

// at is the style at a time; nil where none is known.
func (h *hostStyle) at(t record.Time) *block.SiteStyle {
	for i, p := range slices.Backward(h.periods) {
		if i == 0 || p.from <= t {
			return p.style
		}
	}
	return nil
}

// inSite is what a page's blocks are among the pages of its host.
type inSite struct {
	importances []float64 // nil where the host has no other page
	labels      []block.Label
}

// siteFields computes the columns of blocks that need the pages of the host.
var siteFields = map[string]func(s *inSite, n int) value.Value{
	"importance": func(s *inSite, n int) value.Value {
		if n >= len(s.importances) {
			return value.Value{}
		}
		return value.OfFloat(s.importances[n])
	},
	"site_label": func(s *inSite, n int) value.Value {
		if n >= len(s.labels) {
			return value.OfText(block.Other.String())
		}
		return value.OfText(s.labels[n].String())
	},
}

// inSite compares the blocks of a page to the style of its host.
func (r *Runner) inSite(ctx context.Context, res *response) (*inSite, error) {
	if res.site != nil {
		return res.site, nil
	}
	site := &inSite{}
	if b := res.blocks(); b != nil {
		stored, err := r.Snapshot.Stored(ctx, res.ref)
		if err != nil {
			return nil, err
		}
		h, err := r.hostStyle(ctx, urlkey.Key(stored.URL), stored.Time, res.options)
		if err != nil {
			return nil, err
		}
		if style := h.at(stored.Time); style != nil {
			site.importances, site.labels = style.Importances(b), b.LabelsIn(style)
		} else {
			site.labels = b.Labels()
		}
	}
	res.site = site
	return site, nil
}

// hostStyle is the style of the host of a key in the month of a time.
func (r *Runner) hostStyle(ctx context.Context, key string, at record.Time, o block.Options) (*hostStyle, error) {
	day := at.Std()
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	of := hostMonth{key[:urlkey.HostPrefix(key)], record.At(month), o}
	if r.style != nil && r.style.hostMonth == of {
		return r.style, nil
	}
	h := &hostStyle{hostMonth: of}
	sample, err := r.stylePages(ctx, of, record.At(month.AddDate(0, 1, 0)))
	if err != nil {
		return nil, err
	}
	if h.periods, err = r.learnStyles(ctx, sample, o); err != nil {
		return nil, err
	}
	r.style = h
	return h, nil
}

// styledPage is a page of a sample.
type styledPage struct {
	key  string
	hash uint64
	time record.Time
	ref  record.Ref
}

// stylePages chooses pages of a host, in order of time: of those that it has
// first in order some that lie all over them, each as it was captured first.
func (r *Runner) stylePages(ctx context.Context, of hostMonth, to record.Time) ([]styledPage, error) {
	var pages []styledPage
	if of.host == "" {
		return nil, nil
	}
	seen, last := 0, ""
	scan := record.Scan{
		Ranges: []urlkey.Range{{From: of.host, To: of.host + "\xff"}}, From: of.from, To: to,
		Columns: record.ColKind | record.ColMime,
	}
	for b, err := range r.Snapshot.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		for i := range b.N {
			if b.Key[i] == last || b.Kind[i] != record.KindPage || !IsText(b.Mime[i]) {
				continue
			}
			last = b.Key[i]
			pages = append(pages, styledPage{last, page.HashWord(last), b.Time[i], b.Ref[i]})
			seen++
		}
		if seen >= styleSeen {
			break
		}
	}
	slices.SortFunc(pages, func(a, b styledPage) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.key, b.key)) })
	pages = pages[:min(len(pages), stylePages)]
	slices.SortFunc(pages, func(a, b styledPage) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.key, b.key)) })
	return pages, nil
}

// learnStyles learns a style for each design of the pages. They are read twice,
// so that one is held at a time.
func (r *Runner) learnStyles(ctx context.Context, pages []styledPage, o block.Options) (periods []stylePeriod, err error) {
	shapes := make([]block.Shape, len(pages))
	each := func(f func(i int, b *block.Body)) {
		for i := range pages {
			var p record.Payload
			if p, err = r.Snapshot.Payload(ctx, pages[i].ref); err != nil {
				return
			}
			if b := (&response{Payload: p, options: o}).blocks(); b != nil {
				f(i, b)
				b.Free()
			}
		}
	}
	if each(func(i int, b *block.Body) { shapes[i] = block.ShapeOf(b.Page) }); err != nil || len(pages) == 0 {
		return nil, err
	}
	begins := block.Redesigns(shapes)
	style := block.NewSiteStyle()
	periods = append(periods, stylePeriod{pages[0].time, style})
	each(func(i int, b *block.Body) {
		if len(begins) > 0 && i >= begins[0] {
			style, begins = block.NewSiteStyle(), begins[1:]
			periods = append(periods, stylePeriod{pages[i].time, style})
		}
		style.Learn(b)
	})
	return periods, err
}
