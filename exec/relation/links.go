package relation

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// linkRow is one row of the relation links: one link in one version of a page.
type linkRow struct {
	*facts.Link
	url    string
	time   record.Time
	asOf   record.Time
	ref    record.Ref
	n      int    // index among the version's links
	target string // "" if the link leads to no URL
	block  string // path of the block that contains the link; "" in the layout
}

// Links declares the relation links, which has one row per link of a version.
var Links = listWithRefs(Relation{
	Name: "links", Doc: "one link of one version", Scoped: true, OfStored: true,
	OfVersions: true, OfURL: true, Cut: true, RefColumns: partRefColumns,
	Columns: []Column{
		URLOf("url", "canonical URL of the page", func(l *linkRow) string { return l.url }),
		URLOf("target", "canonical URL of the link target", func(l *linkRow) string { return l.target }),
		PlainOf("anchor", "text of the link, or of its image", func(l *linkRow) string { return l.Anchor }),
		TextOf("kind", "type of link: a, area, frame, iframe, img, link, form, css, meta-refresh, script or media", func(l *linkRow) string { return l.Kind.String() }),
		TextOf("rel", "rel attribute of the link", func(l *linkRow) string { return l.Rel }),
		BoolOf("nofollow", "whether rel contains nofollow", func(l *linkRow) bool { return l.NoFollow }),
		TimeOf("time", "when the version was first seen", func(l *linkRow) record.Time { return l.time }),
		TextOf("block", "path of the block that contains the link; NULL if it is in the layout", func(l *linkRow) string { return l.block }),
		costly("label", value.Text, "label of that block", ofLink(func(p *pageLinks, i int) (value.Value, error) { return p.label(i) })),
		BoolOf("internal", "whether the target has the same registered domain as the page", func(l *linkRow) bool {
			domain := urlkey.Domain(l.target)
			return domain != "" && domain == urlkey.Domain(l.url)
		}),
		PlainOf("written", "target as written in the page", func(l *linkRow) string { return l.Target }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(l *linkRow) record.Time { return l.asOf }).OnRequest(),
		payload("section", value.Text, "page, slide, sheet, chapter, item or member of the document that has the link, such as page 12; NULL for pages of the web", ofLink(func(p *pageLinks, i int) (value.Value, error) {
			if p.section == nil {
				return value.Value{}, nil
			}
			return value.TextOrNull(p.section(i)), nil
		})),
		payload("before", value.Text, "up to 50 bytes of text before the link", ofLink(func(p *pageLinks, i int) (value.Value, error) { return value.OfText(p.links[i].Before), nil })),
		payload("after", value.Text, "up to 50 bytes of text after the link", ofLink(func(p *pageLinks, i int) (value.Value, error) { return value.OfText(p.links[i].After), nil })),
	},
}, (*linkRow).refs, (*Reader).links)

// refs writes the origin of l into row i of the hidden columns: the ref of the version's
// first capture, and the index of the link among the links of the page.
func (l *linkRow) refs(hidden []*value.Vector, i int) {
	packRef(hidden, i, l.ref)
	hidden[2].Ints[i] = int64(l.n)
}

// links yields the rows of the links of each page version that n chooses, as one slice per
// version. The rows are in the order of the page. Versions without links are left out.
func (r *Reader) links(ctx context.Context, n *Request) iter.Seq2[[]linkRow, error] {
	return func(yield func([]linkRow, error) bool) {
		n, linking, err := r.linking(ctx, n.toTargets())
		if err != nil {
			yield(nil, err)
			return
		}
		a := aim{resolved: &r.resolved, to: n.To, ends: lastSegments(n.Targets)}
		scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange|record.ColKind))
		for b, err := range r.spans(ctx, scan, n, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if linking != nil && !linking[b.Ref[i]] {
					continue
				}
				list, found, err := r.soughtLinks(ctx, &a, n, b, i)
				if err == nil && !found {
					list, err = r.linksOf(ctx, n, b, i)
				}
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

// toTargets returns n. If n has Targets but no function To, it returns a copy with To set,
// so that links to other URLs are not read.
func (n *Request) toTargets() *Request {
	if n.To != nil || n.Targets == nil {
		return n
	}
	less := *n
	less.To = func(key string) bool {
		return slices.ContainsFunc(n.Targets, func(r urlkey.Range) bool { return r.Contains(key) })
	}
	return &less
}

// linkingMax is the largest number of captures with links to the targets of a query that
// linking collects.
const linkingMax = 100_000

// linking returns the captures whose pages may have links to n.Targets. The result is nil
// if the captures are not known, or if there are more than linkingMax. linking also
// returns n; if the captures are few, its ranges are reduced to their URLs.
func (r *Reader) linking(ctx context.Context, n *Request) (*Request, map[record.Ref]bool, error) {
	if n.Targets == nil || r.Plain || !keptCut(n) {
		return n, nil, nil
	}
	refs, ok, err := r.Snapshot.Linking(ctx, n.Targets, n.Window.To, linkingMax)
	if err != nil || !ok {
		return n, nil, err
	}
	if len(refs) <= soughtWords {
		keys, err := r.Snapshot.KeysOf(ctx, slices.Collect(maps.Keys(refs)))
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err == nil {
			n = n.within(keys)
		}
	}
	return n, refs, nil
}

// soughtLinks returns the rows that linksOf returns, but does not read the leaves again
// that earlier versions also had. found is false if it cannot find the links in this way;
// the caller then calls linksOf.
func (r *Reader) soughtLinks(ctx context.Context, a *aim, n *Request, b *spanBatch, i int) (list []linkRow, found bool, err error) {
	if n.To == nil || r.Plain || b.Kind[i] != record.KindPage || !keptCut(n) {
		return nil, false, nil
	}
	encoded, err := r.Snapshot.Kept(ctx, b.Ref[i])
	if err != nil || encoded.Page == nil {
		return nil, false, err
	}
	page := &a.kept
	if err := page.Read(encoded.Page); err != nil || page.Inline() {
		return nil, false, nil
	}
	r.resolved.Page(urlkey.Base(b.URLs()[i], page.Base))
	if !a.page() {
		return nil, false, nil
	}
	if r.leafSpans, err = r.Snapshot.LeafSpans(ctx, r.leafSpans[:0], b.Ref[i]); err != nil {
		return nil, false, ctx.Err() // linksOf reports damage
	}
	links, err := a.seeker.Links(page, r.leafSpans, &facts.Sought{
		Site: a.from, OfSite: a.mayLead, OfPage: a.leads,
		Read: func(dst [][]byte, s record.LeafSpan) ([][]byte, error) { return r.Snapshot.SpanFacts(ctx, dst, s) },
	})
	if err != nil {
		return nil, false, ctx.Err()
	}
	for j := range links {
		l := &links[j]
		row := linkRow{Link: &l.Link, url: b.URLs()[i], time: b.Time[i], asOf: b.AsOf[i], ref: b.Ref[i], n: l.Number, target: string(r.resolved.Target([]byte(l.Target)))}
		if l.Part >= 0 {
			row.block = page.Cut[l.Part].Path
		}
		list = append(list, row)
	}
	return list, true, nil
}

// aim finds the links that lead from pages to the targets of a query. It remembers the
// answers for the current site and the current folder, because their pages have many links
// in common.
type aim struct {
	resolved *urlkey.Links         // resolves links; set to the current page
	to       func(key string) bool // reports whether the query asks for the URL with a key
	ends     map[string]bool       // the last path segments of the targets; nil if they are not known
	seeker   facts.Seeker
	kept     facts.Kept // memory for the facts of the current page

	from  string       // site or folder of the current page, like Sought.Site
	most  urlkey.Reach // links with a greater reach than this may lead elsewhere from other pages of from
	known [2]aimed     // answers for links with the reach FromSite, and for those with FromFolder
}

// aimed has, for the pages of one site or folder, whether each link leads to a target. The
// key is the link as the page has it. The answer is the same for all these pages.
type aimed struct {
	from  string
	leads map[string]bool
}

// aimLinks is the number of links of a site or folder that an aim remembers.
const aimLinks = 10_000

// page prepares a for the current page, to which a.resolved is set. It returns false if
// the URL of the page has no folder.
func (a *aim) page() bool {
	for i, reach := range []urlkey.Reach{urlkey.FromSite, urlkey.FromFolder} {
		from, ok := a.resolved.From(reach)
		if !ok {
			return false
		}
		if k := &a.known[i]; k.leads == nil || from != k.from || len(k.leads) >= aimLinks {
			*k = aimed{from, make(map[string]bool)}
		}
	}
	a.most = urlkey.FromSite
	if a.looks(nil) { // the page is a target itself, so a link without an address leads to a target
		a.most = urlkey.ToItself
	}
	a.from, _ = a.resolved.From(a.most)
	if a.most == urlkey.ToItself {
		a.from += "#" // the page may have the address of its site
	}
	return true
}

// mayLead reports whether the link may lead to a target from a page of the site or folder
// a.from. all reports whether the link leads to a target from every such page.
func (a *aim) mayLead(link []byte) (may, all bool) {
	if reach := urlkey.ReachOf(link); reach > a.most {
		return reach != urlkey.ToItself, false
	}
	leads := a.leads(link)
	return leads, leads
}

// leads reports whether the link of the current page leads to a target.
func (a *aim) leads(link []byte) bool {
	var k *aimed
	switch urlkey.ReachOf(link) {
	case urlkey.FromSite:
		k = &a.known[0]
	case urlkey.FromFolder:
		k = &a.known[1]
	case urlkey.FromPage:
		return a.looks(link)
	case urlkey.ToItself:
		return a.most == urlkey.ToItself
	}
	leads, ok := k.leads[string(link)]
	if !ok {
		leads = a.looks(link)
		k.leads[string(link)] = leads
	}
	return leads
}

// looks reports what leads reports, but does not remember the answer. It resolves only a
// link whose last path segment is that of a target; most links have another.
func (a *aim) looks(link []byte) bool {
	if a.ends != nil {
		if end, ok := urlkey.LastSegment(link); ok && !a.ends[string(end)] {
			return false
		}
	}
	url := a.resolved.Target(link)
	return len(url) > 0 && a.to(urlkey.Key(string(url)))
}

// lastSegments returns the last segment of the path of each target. It returns nil if a
// target is a range of more than one URL, or is not a URL of the web.
func lastSegments(targets []urlkey.Range) map[string]bool {
	if targets == nil {
		return nil
	}
	ends := make(map[string]bool, len(targets))
	for _, t := range targets {
		url := urlkey.URL(t.From)
		if t.To != t.From+"\x00" || !urlkey.IsHTTP(url) {
			return nil
		}
		path, _, _ := strings.Cut(url, "?")
		ends[path[strings.LastIndexByte(path, '/')+1:]] = true
	}
	return ends
}

// linksOf returns one row per link of the version at row i of b, or nil if the
// version is not a page.
func (r *Reader) linksOf(ctx context.Context, n *Request, b *spanBatch, i int) ([]linkRow, error) {
	if b.Kind[i] != record.KindPage {
		return nil, nil
	}
	p, err := r.pageLinks(ctx, n, b.Ref[i])
	if err != nil {
		return nil, err
	}
	r.resolved.Page(urlkey.Base(b.URLs()[i], p.base))
	var list []linkRow
	if n.To == nil { // otherwise few of the links have the target
		list = make([]linkRow, 0, len(p.links))
	}
	for j := range p.links {
		l := linkRow{Link: &p.links[j], url: b.URLs()[i], time: b.Time[i], asOf: b.AsOf[i], ref: b.Ref[i], n: j, block: p.path(j)}
		l.target = string(r.resolved.Target([]byte(l.Target)))
		if n.To == nil || l.target != "" && n.To(urlkey.Key(l.target)) {
			list = append(list, l)
		}
	}
	return list, nil
}

// pageLinks holds the links of one version of a page. They come from the stored
// facts of the version, or from its body.
type pageLinks struct {
	ref   record.Ref
	base  string // base URL that the page declares, as written
	links []facts.Link
	path  func(i int) string               // returns the path of the block that contains link i; "" in the layout
	label func(i int) (value.Value, error) // returns the label of that block
	// section returns the section of a document that contains link i, such as "page 12".
	// It is nil if the page is not a document.
	section func(i int) string
}

// pageLinks returns the links of the version whose first capture is ref. It
// keeps the links of the last few versions in a cache.
func (r *Reader) pageLinks(ctx context.Context, n *Request, ref record.Ref) (*pageLinks, error) {
	for _, p := range r.linked {
		if p.ref == ref {
			return p, nil
		}
	}
	p, err := r.keptLinks(ctx, n, ref)
	if err == nil && p == nil {
		p, err = r.foundLinks(ctx, n, ref)
	}
	if err != nil {
		return nil, err
	}
	if len(r.linked) == responsesMax {
		r.linked = r.linked[1:]
	}
	r.linked = append(r.linked, p)
	return p, nil
}

// keptLinks returns the links of the version whose first capture is ref from
// its stored facts, without reading the body. It returns nil if the facts do
// not have them, or are for other blocks than n asks for.
func (r *Reader) keptLinks(ctx context.Context, n *Request, ref record.Ref) (*pageLinks, error) {
	if !keptCut(n) {
		return nil, nil
	}
	kept, err := r.kept(ctx, ref, anyTime)
	if err != nil || kept.Page == nil {
		return nil, err
	}
	var leaves [][]byte
	if !kept.Page.Inline() {
		if leaves, err = r.Snapshot.LeafFacts(ctx, ref); err != nil {
			return nil, err
		}
	}
	links, err := kept.Page.Links(leaves)
	if err != nil {
		return nil, nil // stored by another version of the program, or not for all leaves
	}
	cut := kept.Page.Cut
	return &pageLinks{
		ref: ref, base: kept.Page.Base, links: links,
		path: func(i int) string {
			if p := links[i].Part; p >= 0 {
				return cut[p].Path
			}
			return ""
		},
		label: func(i int) (value.Value, error) {
			if p := links[i].Part; p >= 0 {
				return value.OfText(cut[p].Label.String()), nil
			}
			return value.Value{}, nil
		},
	}, nil
}

// foundLinks reads the links of the version whose first capture is ref from the
// stored response.
func (r *Reader) foundLinks(ctx context.Context, n *Request, ref record.Ref) (*pageLinks, error) {
	res, err := r.response(ctx, ref, options(n))
	if err != nil {
		return nil, err
	}
	links := res.allLinks()
	var section func(i int) string
	if res.document() != nil {
		section = func(i int) string { return res.blocks().SectionOf(res.linkBlock(n.Level, links[i].Offset)) }
	}
	return &pageLinks{
		section: section,
		ref:     ref, base: res.about().Base, links: links,
		path: func(i int) string {
			if p := res.linkBlock(n.Level, links[i].Offset); p > 0 {
				return res.blocks().Blocks[p].Path
			}
			return ""
		},
		label: func(i int) (value.Value, error) {
			p := res.linkBlock(n.Level, links[i].Offset)
			if p == 0 {
				return value.Value{}, nil
			}
			return value.OfText(res.label(p).String()), nil
		},
	}, nil
}

// ofLink returns the code of a late column (one that needs the stored page) of
// the relation links. f computes the value for link i of the page whose links
// are p.
func ofLink(f func(p *pageLinks, i int) (value.Value, error)) lateCode {
	return func(l *LateRow) (value.Value, error) {
		p, err := l.reader.pageLinks(l.ctx, l.request, l.ref(0))
		if err != nil {
			return value.Value{}, err
		}
		return f(p, l.number(2))
	}
}
