package relation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"infomall/exec/value"
	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/article"
	"infomall/store/record"
	"infomall/store/urlkey"
	"infomall/store/words"
)

// The style of a host is learned from a sample of stylePages pages. They are
// chosen from about the first styleSeen pages of the host, in the order of
// their keys.
const (
	styleSeen  = 4096
	stylePages = 24
)

// hostStyle holds what the pages of a host have in common in one month, such as
// their navigation. It is learned from a sample of the pages. It depends on the
// archive alone, not on the query.
type hostStyle struct {
	hostMonth
	periods []stylePeriod // between redesigns; empty if the host has no pages
}

// hostMonth says for which host and month a style was learned, and how pages
// were divided into blocks for that.
type hostMonth struct {
	host    string      // the prefix that the keys of the host's URLs share
	from    record.Time // the start of the month
	options divide.Options
}

// stylePeriod is the style of a host from a time on, until its pages get
// another design.
type stylePeriod struct {
	from  record.Time
	style *about.SiteStyle
}

// at returns the style of the host at time t. Before the first period, it
// returns the style of that period. It returns nil if no style is known.
func (h *hostStyle) at(t record.Time) *about.SiteStyle {
	for i, p := range slices.Backward(h.periods) {
		if i == 0 || p.from <= t {
			return p.style
		}
	}
	return nil
}

// inSite says, for each block of a page, what it is among the pages of its
// host: how much of it is the page's own, and which label it gets if that
// counts too.
type inSite struct {
	importances []float64 // per block, from 0 to 1; nil if the host has no other page
	labels      []label.Label
}

// importance returns as a Float how much of block n is the page's own: 0 if all
// pages of the host have it, 1 if no other page has it. It returns NULL if that
// is not known.
func (s *inSite) importance(n int) value.Value {
	if n >= len(s.importances) {
		return value.Value{}
	}
	return value.OfFloat(s.importances[n])
}

// label returns as a Text the label of block n, such as "main". The choice of
// the label takes into account how much of the block is the page's own.
func (s *inSite) label(n int) value.Value {
	if n >= len(s.labels) {
		return value.OfText(label.Other.String())
	}
	return value.OfText(s.labels[n].String())
}

// ofSite returns the code of a late column (one that needs stored pages) of the
// relation blocks. f computes the value for block n from s, the comparison of
// the page with other pages of its host.
func ofSite(f func(s *inSite, n int) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		res, n, err := l.block()
		if err != nil {
			return value.Value{}, err
		}
		site, err := l.reader.inSite(l.ctx, res)
		if err != nil {
			return value.Value{}, err
		}
		return f(site, n), nil
	}
}

// inSite returns how the blocks of a page compare with the style of its host in
// the month of the capture. It stores the result in res for later calls. If no
// style is known, or the page is a document, there are labels but no importances.
func (r *Reader) inSite(ctx context.Context, res *response) (*inSite, error) {
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
		if style := h.at(stored.Time); style != nil && b.Document == nil {
			site.importances, site.labels = style.Importances(b), about.SiteLabels(b, style)
		} else {
			site.labels = about.Labels(b.Tree)
		}
	}
	res.site = site
	return site, nil
}

// hostStyle returns the style of a host in the month, in UTC, that contains the
// given time. key is the key of a URL of the host, and o says how pages are
// divided into blocks. hostStyle caches the last result.
func (r *Reader) hostStyle(ctx context.Context, key string, at record.Time, o divide.Options) (*hostStyle, error) {
	of, to := monthOf(key, at, o)
	if r.style != nil && r.style.hostMonth == of {
		return r.style, nil
	}
	h := &hostStyle{hostMonth: of}
	sample, err := r.stylePages(ctx, of, to)
	if err != nil {
		return nil, err
	}
	site := article.NewSite()
	if h.periods, err = r.learnStyles(ctx, sample, o, site); err != nil {
		return nil, err
	}
	r.keepSite(of, site)
	r.style = h
	return h, nil
}

// monthOf returns the host and the month of a capture, and the end of the month. key is the
// key of the capture's URL, at its time, and o says how pages are divided into blocks.
func monthOf(key string, at record.Time, o divide.Options) (of hostMonth, to record.Time) {
	day := at.Std()
	month := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
	return hostMonth{key[:urlkey.HostPrefix(key)], record.At(month), o}, record.At(month.AddDate(0, 1, 0))
}

// styledPage is one page of the sample from which the style of a host is
// learned.
type styledPage struct {
	key  string
	hash uint64 // of key; the pages with the lowest hashes make the sample
	time record.Time
	ref  record.Ref
}

// stylePages returns a sample of at most stylePages pages of a host in one
// month, sorted by time. The parameter named of says which host and month, and
// to is the end of the month. The sample is spread evenly, by a hash, over
// about the first styleSeen pages of the host. Each page is represented by its
// first capture in the month.
func (r *Reader) stylePages(ctx context.Context, of hostMonth, to record.Time) ([]styledPage, error) {
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
			pages = append(pages, styledPage{last, words.Hash(last), b.Time[i], b.Ref[i]})
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

// learnStyles returns one style for each design that a host had one after the other. pages is the
// sample, sorted by time. learnStyles reads the pages twice, first to find where the design
// changes, so that it holds one page in memory at a time. It lets site learn from the pages, too.
func (r *Reader) learnStyles(ctx context.Context, pages []styledPage, o divide.Options, site *article.Site) (periods []stylePeriod, err error) {
	shapes := make([]about.Shape, len(pages))
	each := func(f func(i int, b *divide.Body)) {
		for i := range pages {
			var p record.Payload
			if p, err = r.Snapshot.Payload(ctx, pages[i].ref); err != nil {
				return
			}
			if b := (&response{Payload: p, options: o}).blocks(); b != nil && b.Document == nil {
				f(i, b)
				b.Free()
			}
		}
	}
	if each(func(i int, b *divide.Body) {
		shapes[i] = about.ShapeOf(b.Page)
		site.Learn(&article.Input{Page: b.Page, Charset: b.Charset})
	}); err != nil || len(pages) == 0 {
		return nil, err
	}
	begins := about.Redesigns(shapes)
	style := about.NewSiteStyle()
	periods = append(periods, stylePeriod{pages[0].time, style})
	each(func(i int, b *divide.Body) {
		if len(begins) > 0 && i >= begins[0] {
			style, begins = about.NewSiteStyle(), begins[1:]
			periods = append(periods, stylePeriod{pages[i].time, style})
		}
		style.Learn(b)
	})
	return periods, err
}
