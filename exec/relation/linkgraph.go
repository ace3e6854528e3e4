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

// VotingKinds are the kinds of links that lead from one page to another. Other
// links, such as to images and style sheets, are parts of a page.
var VotingKinds = []markup.LinkKind{markup.LinkA, markup.LinkArea, markup.LinkFrame, markup.LinkIframe, markup.LinkRefresh}

// votes says for each kind of link whether it is one of VotingKinds.
var votes = func() (is [256]bool) {
	for _, k := range VotingKinds {
		is[k] = true
	}
	return is
}()

// LinkOptions say which links a link graph has, and what its nodes are.
type LinkOptions struct {
	// WithoutInternal leaves out links within a registered domain.
	// WithoutNoFollow leaves out links whose rel has nofollow. WithoutNav
	// leaves out links in navigation blocks.
	WithoutInternal, WithoutNoFollow, WithoutNav bool
	// ByHost makes hosts the nodes instead of pages.
	ByHost bool
}

// LinkGraph builds the graph of the links, of VotingKinds, of the pages that
// the source links chooses. Its nodes are these pages and all URLs that they
// link to. The caller closes it.
func (r *Reader) LinkGraph(ctx context.Context, links *Request, o LinkOptions, g graph.NamedOptions) (*graph.Named, error) {
	return graph.BuildNamed(ctx, &r.Memory, g, func(m *graph.Maker) error {
		l := &linker{Reader: r, ctx: ctx, source: links, o: o, m: m}
		return l.read()
	})
}

// linker adds pages and their links to a graph, one page after the other.
type linker struct {
	*Reader
	ctx    context.Context
	source *Request
	o      LinkOptions
	m      *graph.Maker

	refers  facts.References
	leaves  []record.Leaf
	from    uint32 // the node of the current page
	domain  string // of the current page, for WithoutInternal
	name    []byte // scratch memory for the name of a node
	scanned int64

	fromHost, toHost func(url string) string
}

// read adds all pages of the source to the graph.
func (l *linker) read() error {
	n := l.source
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
			if err := l.page(b.URL[i], b.Ref[i]); err != nil {
				return err
			}
		}
		if l.scanned += int64(b.N); l.Scanned != nil {
			l.Scanned(l.scanned)
		}
	}
	return nil
}

// page adds a page and its links to the graph.
func (l *linker) page(url string, ref record.Ref) (err error) {
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
	l.resolved.page(urlkey.Base(url, string(l.refers.Base)))
	for i := range references {
		if err := l.link(&references[i]); err != nil {
			return err
		}
	}
	return nil
}

// references returns the stored links of a page, or nil if they are not stored.
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

// found adds the links of a page to the graph, after reading them from its
// body.
func (l *linker) found(url string, ref record.Ref) error {
	p, err := l.foundLinks(l.ctx, l.source, ref)
	if err != nil {
		return err
	}
	l.resolved.page(urlkey.Base(url, p.base))
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

// link adds a link of the current page to the graph.
func (l *linker) link(r *facts.Reference) error {
	if !votes[r.Kind] || l.o.WithoutNoFollow && r.NoFollow || l.o.WithoutNav && r.Label == label.Nav {
		return nil
	}
	target := l.resolved.target(r.Target)
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
	return l.m.Edge(l.from, to, 1)
}

// HostNode returns a function that maps a URL to that of its host, or to "" if
// it has none. The function caches the last host, because URLs of one host
// follow each other.
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
