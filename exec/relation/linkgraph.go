package relation

import (
	"context"

	"infomall/exec/graph"
	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// VotingKinds are the kinds of links that lead from one page to another, and so
// count as a vote for its rank. Other links, such as to images and style
// sheets, are parts of a page.
var VotingKinds = []markup.LinkKind{markup.LinkA, markup.LinkArea, markup.LinkFrame, markup.LinkIframe, markup.LinkRefresh}

// votes is indexed by the kind of a link. An entry is true if the kind is one
// of VotingKinds.
var votes = func() (is [256]bool) {
	for _, k := range VotingKinds {
		is[k] = true
	}
	return is
}()

// LinkOptions say which links a link graph leaves out, and whether its nodes
// are pages or hosts.
type LinkOptions struct {
	// WithoutInternal leaves out links within a registered domain.
	// WithoutNoFollow leaves out links whose rel has nofollow. WithoutNav
	// leaves out links in navigation blocks.
	WithoutInternal, WithoutNoFollow, WithoutNav bool
	// ByHost makes hosts the nodes instead of pages.
	ByHost bool
}

// LinkGraph returns a graph of links between pages or hosts. links is a request
// for the relation links, and chooses the pages whose links are read; only
// links of VotingKinds become edges. The nodes are these pages and all URLs
// that they link to. The caller closes the graph.
func (r *Reader) LinkGraph(ctx context.Context, links *Request, o LinkOptions, g graph.NamedOptions) (*graph.Named, error) {
	r = r.knownAt(links)
	return graph.BuildNamed(ctx, &r.Memory, g, func(m *graph.Maker) error {
		l := &linker{Reader: r, ctx: ctx, source: links, o: o, m: m}
		return l.read()
	})
}

// linker adds the pages that a request chooses, and their links, to a graph
// that is being built, one page after the other.
type linker struct {
	*Reader
	ctx    context.Context
	source *Request
	o      LinkOptions
	m      *graph.Maker
	timed  *graph.TemporalMaker // nil if edges have no times

	refers facts.References
	leaves []record.Leaf
	from   uint32 // the node of the current page
	domain string // of the current page, for WithoutInternal
	name   []byte // scratch memory for the name of a node

	fromHost, toHost func(url string) string
}

// read adds all pages that l.source chooses, and their links, to the graph.
func (l *linker) read() error {
	work := NewWork(l.source)
	if l.Watch != nil {
		defer l.Watch(l.ctx, work)()
	}
	n, end := work.Begin(l.source)
	defer end()
	if n.Window.Empty() || n.Ranges != nil && len(n.Ranges) == 0 {
		return nil
	}
	l.fromHost, l.toHost = HostNode(), HostNode()
	scan := l.Snapshot.Scan(l.ctx, n.Scan(record.ColChange|record.ColKind))
	for b, err := range l.spans(l.ctx, scan, n, false) {
		if err != nil {
			return err
		}
		for i := range b.N {
			if b.Kind[i] != record.KindPage {
				continue
			}
			if l.timed != nil {
				if err := l.timed.Interval(graph.Interval{From: int64(b.Time[i]), To: int64(b.Last[i])}); err != nil {
					return err
				}
			}
			if err := l.page(b.URLs()[i], b.Ref[i]); err != nil {
				return err
			}
		}
		work.AddRows(int64(b.N))
	}
	return nil
}

// page adds one page and its links to the graph. url is the page's URL, and ref the first capture
// of its version. If a browser made the capture after it loaded a page, the links count as links of
// that page. If the nodes are hosts, a URL without a host is left out.
func (l *linker) page(url string, ref record.Ref) (err error) {
	url = urlkey.PageOf(url)
	name := url
	if l.o.ByHost {
		name = l.fromHost(url)
	}
	if name == "" {
		return nil
	}
	l.name = append(l.name[:0], name...)
	if l.from, err = l.m.Node(l.name); err != nil {
		return err
	}
	if l.o.WithoutInternal {
		l.domain = urlkey.Domain(url)
	}
	references, err := l.references(ref)
	if err != nil {
		return err
	}
	if references == nil {
		return l.found(url, ref)
	}
	l.resolved.Page(urlkey.Base(url, string(l.refers.Base)))
	for i := range references {
		if err := l.link(&references[i]); err != nil {
			return err
		}
	}
	return nil
}

// references returns the stored links of a page, so that its body need not be
// read. ref is the first capture of its version. It returns nil if the links
// are not stored, and an empty slice if the page has none. The result is valid
// until the next call.
func (l *linker) references(ref record.Ref) ([]facts.Reference, error) {
	if !keptCut(l.source) {
		return nil, nil
	}
	kept, err := l.Snapshot.Kept(l.ctx, ref)
	if err != nil || kept.Page == nil || l.refers.Page(kept.Page) != nil {
		return nil, err
	}
	l.leaves = l.leaves[:0]
	if !l.refers.Inline() {
		if l.leaves, err = l.Snapshot.AppendLeaves(l.ctx, l.leaves, ref); err != nil {
			return nil, err
		}
	}
	list, err := l.refers.Links(l.leaves)
	if err != nil {
		return nil, nil // stored by another version of the program, or not for all leaves
	}
	if list == nil {
		list = []facts.Reference{}
	}
	return list, nil
}

// found reads the links of a page from its stored body and adds them to the
// graph. url is the page's URL, and ref the first capture of its version.
func (l *linker) found(url string, ref record.Ref) error {
	p, err := l.foundLinks(l.ctx, l.source, ref)
	if err != nil {
		return err
	}
	l.resolved.Page(urlkey.Base(url, p.base))
	for i := range p.links {
		f := &p.links[i]
		r := facts.Reference{Reference: markup.Reference{Kind: f.Kind, NoFollow: f.NoFollow, Target: []byte(f.Target)}}
		if l.o.WithoutNav {
			purpose, err := p.label(i)
			if err != nil {
				return err
			}
			if purpose.Text == label.Nav.String() {
				r.Label = label.Nav
			}
		}
		if err := l.link(&r); err != nil {
			return err
		}
	}
	return nil
}

// link adds an edge for the link r of the current page to the graph. It ignores
// a link that the options leave out, or that leads to no URL.
func (l *linker) link(r *facts.Reference) error {
	if !votes[r.Kind] || l.o.WithoutNoFollow && r.NoFollow || l.o.WithoutNav && r.Label == label.Nav {
		return nil
	}
	target := l.resolved.Target(r.Target)
	if len(target) == 0 {
		return nil
	}
	if l.o.WithoutInternal && l.domain != "" && urlkey.Domain(string(target)) == l.domain {
		return nil
	}
	if l.o.ByHost {
		if target = append(l.name[:0], l.toHost(string(target))...); len(target) == 0 {
			return nil
		}
		l.name = target
	}
	to, err := l.m.Node(target)
	if err != nil {
		return err
	}
	if l.timed != nil {
		return l.timed.Edge(l.from, to)
	}
	return l.m.Edge(l.from, to, 1)
}

// HostNode returns a function that maps a URL to http://HOST/, the URL of its
// host, or to "" if it has no host. The function remembers the last host,
// because URLs of one host often follow each other. Use it in one goroutine.
func HostNode() func(url string) string {
	last, node := "", ""
	return func(url string) string {
		host := urlkey.Host(url)
		if host == "" {
			return ""
		}
		if host != last {
			last, node = host, "http://"+host+"/"
		}
		return node
	}
}

// TemporalLinks returns a graph of links between pages, each with the times at which it
// is known to be there: from the first to the last visit that found the version which
// has the link. links is a request for the relation links, and chooses the versions;
// only links of VotingKinds become edges. find lists URLs whose nodes the caller needs.
// The caller closes the graph.
func (r *Reader) TemporalLinks(ctx context.Context, links *Request, find []string) (*graph.Temporal, error) {
	return graph.BuildTemporal(ctx, &r.Memory, find, func(m *graph.TemporalMaker) error {
		l := &linker{Reader: r, ctx: ctx, source: links, m: m.Maker, timed: m}
		return l.read()
	})
}
