package relation

import (
	"context"
	"hash/maphash"
	"iter"
	"strings"

	"infomall/exec/graph"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// pageRow is one row of the relation pages: one URL, with sums over the visits
// that the query selects.
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
	ref                   record.Ref // the first capture of the last version
}

// Pages declares the relation pages, which has one row per URL.
var Pages = listWithRefs(Relation{
	Name: "pages", Doc: "one URL over the period", Scoped: true, OfURL: true, Order: []string{"url"}, RefColumns: refColumns, stands: OnURL,
	Columns: []Column{
		URLOf("url", "canonical URL", func(p *pageRow) string { return p.url }),
		TimeOf("first_seen", "first capture of the period", func(p *pageRow) record.Time { return p.first }),
		TimeOf("last_seen", "last capture of the period", func(p *pageRow) record.Time { return p.last }),
		IntOf("version_count", "number of versions captured", func(p *pageRow) int64 { return p.versions }),
		IntOf("change_count", "captures that found a change", func(p *pageRow) int64 { return p.changes }),
		FloatOrNull("rank", "PageRank from the last PAGERANK without a name, up to the end of the period", func(p *pageRow) (float64, bool) { return p.standing.Rank, p.standing.Ranked }),
		TextOf("title", "title of the page at the last capture", func(p *pageRow) string { return p.title }).needs(record.ColTitle),
		IntOrNull("status", "HTTP status of the last capture", func(p *pageRow) (int64, bool) { return int64(p.status), p.status != 0 }).needs(record.ColStatus),
		TextOf("kind", "kind of the last capture", func(p *pageRow) string { return p.kind.String() }).needs(record.ColKind),
		TextOf("mime", "media type of the last capture", func(p *pageRow) string { return p.mime }).needs(record.ColMime),
		TextOf("urlkey", "normalized URL key, as in CDX files", func(p *pageRow) string { return urlkey.CDX(p.url) }),
		TextOf("host", "host of the URL", func(p *pageRow) string { return urlkey.Host(p.url) }),
		TextOf("domain", "registered domain of the host", func(p *pageRow) string { return urlkey.Domain(p.url) }),
		IntOf("depth", "number of path segments", func(p *pageRow) int64 { return int64(urlkey.Depth(p.url)) }),
		TimeOf("as_of", "time given by AT or NEAREST, or the end of the EACH period", func(p *pageRow) record.Time { return p.asOf }).OnRequest(),
		IntOf("inlinks", "pages in the archive that linked to this URL in the period", func(p *pageRow) int64 { return p.inlinks }).OnRequest().oneTime(),
		IntOf("outlinks", "URLs that this page linked to in the period", func(p *pageRow) int64 { return p.outlinks }).OnRequest().oneTime(),
		FloatOrNull("change_rate", "estimated changes per day, from the captures of the period", func(p *pageRow) (float64, bool) { return p.revisit.Rate, p.revisit.Visits > 0 }).OnRequest(),
		TimeOf("next_due", "when CRAWL DUE would visit the page", func(p *pageRow) record.Time { return p.revisit.Due }).OnRequest(),
		IntOrNull("layer", "hops from a seed, in the last crawl that fetched the page", func(p *pageRow) (int64, bool) { return int64(p.found.layer), p.found.known }).OnRequest(),
		FloatOrNull("weight", "priority in that crawl, in the order BEST", func(p *pageRow) (float64, bool) { return p.found.weight, p.found.known }).OnRequest(),
		URLOf("via", "page that led here in that crawl", func(p *pageRow) string { return p.found.via }).OnRequest(),
		payload("text", value.Text, "all visible text of the last version, in reading order", ofPage(allText)).textOfPage(wholeText, 0),
		payload("main", value.Text, "main content of the last version: the article, without page frame, asides and forms", ofPage(mainText)).textOfPage(inParts, 0),
	},
}, (*pageRow).refs, (*Reader).pages)

// pageNeeds are the columns that the relation pages always reads from a scan of
// captures, whatever columns the query asks for. The column change says where
// one version ends and the next begins.
const pageNeeds = record.ColChange

// eachPage adds up the spans that in yields to one row per URL, in the order of URLs. A span is a
// version with its visits. eachPage leaves out what a browser made of pages, such as screenshots,
// because these would count a page twice or three times. With EACH, in has one span per URL and
// period, and each span becomes a row. A row is valid until the iteration moves on.
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
				if _, shown := urlkey.Shown(b.URLs()[i]); shown {
					continue
				}
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

// add adds the span at row i of b to the sums of p. The spans of a URL are
// added in the order of time. If p is empty, it becomes a row for the URL of
// the span.
func (p *pageRow) add(b *spanBatch, i int) {
	if p.visits == 0 {
		p.key, p.url, p.first, p.asOf = b.Key[i], b.URLs()[i], b.Time[i], b.AsOf[i]
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

// pageSpans yields the spans (versions, with their visits, as the query sees
// them) from which the rows of the relation pages that n asks for are added up.
func (r *Reader) pageSpans(ctx context.Context, n *Request) iter.Seq2[*spanBatch, error] {
	in := r.spans(ctx, r.visits(ctx, n, n.Scan(pageNeeds)), n, true)
	if n.Asks("stored_bytes") {
		in = r.brought(ctx, n, in)
	}
	return in
}

// refs writes into row i of the hidden columns the ref of the first capture of
// the page's last version.
func (p *pageRow) refs(hidden []*value.Vector, i int) { packRef(hidden, i, p.ref) }

// pages yields the rows of the relation pages in batches: one row per URL, and
// per period with EACH, sorted by URL.
func (r *Reader) pages(ctx context.Context, n *Request) iter.Seq2[[]pageRow, error] {
	return Paged(r.foundPages(ctx, n, r.revisitedPages(ctx, n, r.linkedPages(ctx, n, r.rankedPages(ctx, n, eachPage(n, r.pageSpans(ctx, n)))))))
}

// rankedPages yields the pages that in yields, each with its rank from the
// stored ranking of pages. If n does not read the column rank, it returns in
// unchanged.
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

// linkedPages yields the pages that in yields, each with the number of pages
// that link to it and of URLs that it links to. For that it builds the graph of
// all links in the time that n selects. If n reads neither column, linkedPages
// returns in unchanged.
func (r *Reader) linkedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if !n.Asks("inlinks", "outlinks") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		g, err := r.LinkGraph(ctx, linksOf(n), LinkOptions{}, graph.NamedOptions{})
		if err != nil {
			yield(nil, err)
			return
		}
		defer g.Close()
		next, stop := iter.Pull2(g.Keys())
		defer stop()
		node := -1
		key, err, more := []byte(nil), error(nil), true
		for p, e := range in {
			for e == nil && err == nil && more && (node < 0 || string(key) < p.key) {
				key, err, more = next()
				node++
			}
			if e == nil {
				e = err
			}
			if e == nil {
				p.inlinks, p.outlinks = 0, 0
				if more && string(key) == p.key {
					p.inlinks, p.outlinks = g.InDegree(node), int64(g.OutWeight(node))
				}
			}
			if !yield(p, e) || e != nil {
				return
			}
		}
	}
}

// Revisit says how often a page changes, as estimated from its visits, and when
// to visit it next.
type Revisit struct {
	Visits int         // the visits of the page after the first
	Rate   float64     // changes per day
	Due    record.Time // the next visit; NoTime if it was not asked for
}

// RevisitedPage has the visits of one page.
type RevisitedPage struct {
	Key   string                      // the key of the page's URL
	Until func(t record.Time) Revisit // what the visits up to the time t say
}

// revisitedPages yields the pages that in yields, each with how often it
// changes and when its next visit is due. With EACH, a row counts the visits up to
// the end of its period, as AT does. If n reads neither column, or r has no Revisits,
// revisitedPages returns in unchanged.
func (r *Reader) revisitedPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	due := n.Asks("next_due")
	if r.Revisits == nil || !due && !n.Asks("change_rate") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		next, stop := iter.Pull2(r.Revisits(ctx, r.Snapshot, n, due))
		defer stop()
		v, err, more := next()
		for p, e := range in {
			for e == nil && err == nil && more && v.Key < p.key {
				v, err, more = next()
			}
			if e == nil {
				e = err
			}
			if e == nil {
				p.revisit = Revisit{Due: record.NoTime}
				if more && v.Key == p.key {
					until := record.MaxTime
					if n.Choice.Kind == ChooseEach {
						until = p.asOf
					}
					p.revisit = v.Until(until)
				}
			}
			if !yield(p, e) || e != nil {
				return
			}
		}
	}
}

// foundOn says how the last crawl that fetched a page had reached it.
type foundOn struct {
	known  bool        // false if no crawl has fetched the page
	time   record.Time // when the crawl fetched the page
	layer  int32
	weight float64
	via    string
}

// foundPages yields the pages that in yields, each with how a crawl reached it:
// the number of hops, the priority, and the page that led there. It holds about
// 80 bytes in memory per crawled URL in the scope of n. If n reads none of
// these columns, or there are no crawls, foundPages returns in unchanged.
func (r *Reader) foundPages(ctx context.Context, n *Request, in iter.Seq2[*pageRow, error]) iter.Seq2[*pageRow, error] {
	if r.Crawls == nil || !n.Asks("layer", "weight", "via") {
		return in
	}
	return func(yield func(*pageRow, error) bool) {
		seed := maphash.MakeSeed()
		found := make(map[uint64]foundOn)
		vias := make(map[string]string) // each text once
		for list, err := range r.Crawls.Fetches(ctx) {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range list {
				f := &list[i]
				if f.Bytes < 0 || !n.Covers(f.URL, f.Time) || !r.heard(f.Time) {
					continue
				}
				h := maphash.String(seed, f.URL)
				if x := found[h]; x.known && x.time > f.Time {
					continue
				}
				via, known := vias[f.Via]
				if !known {
					via = strings.Clone(f.Via)
					vias[via] = via
				}
				found[h] = foundOn{true, f.Time, int32(f.Layer), f.Score, via}
			}
		}
		for p, err := range in {
			if err == nil {
				p.found = found[maphash.String(seed, p.url)]
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}
