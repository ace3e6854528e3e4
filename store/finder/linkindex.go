package finder

import (
	"context"
	"strings"

	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// linkIndexer finds the URLs to which the pages of a segment link. An index of words lists them
// too.
type linkIndexer struct {
	v       *Finder
	links   urlkey.Links
	keys    map[string]string // the keys of recently seen URLs, by URL
	targets []string          // keys of the URLs to which the current page links
	refers  facts.References
	facts   *leafReader
	spans   []segment.Span // the leaves of the current page

	// parts numbers the sites and folders of pages, which urlkey.Links.From returns as URLs. part has the
	// numbers of the site and of the folder of the current page, by urlkey.Reach; 0 stands for none.
	parts    map[string]uint32
	part     [urlkey.FromFolder + 1]uint32
	lastPart uint32   // the last number in parts
	link     []byte   // memory for the current link
	self     []string // the key of the current page, or nothing if the page has no key; nil if it is not known yet
}

// leafTargets remembers where the links of a leaf lead from the pages of a site or of a folder. Most
// leaves are in many pages of a folder. With this memory, the links of an index of kafka take 5 % of its CPU
// time instead of 12 %.
type leafTargets struct {
	part  uint32       // the site or the folder, see linkIndexer.parts; 0 if nothing is remembered
	reach urlkey.Reach // whether part is a site or a folder
	self  int          // number of links that lead to the page that has them
	keys  []string     // keys of the URLs to which the other links lead
}

// linkPartsMax is how many sites and folders a linkIndexer tells apart before it forgets them. It never
// uses a number again, because leaves may remember it.
const linkPartsMax = 1 << 12

// linkKeysMax is for how many URLs a linkIndexer remembers their keys.
const linkKeysMax = 1 << 16

// of returns the keys of the URLs to which the page of entry e links. The parameter at is the
// place of e. known is false if the stored facts of the page are not enough to find the links.
// keys is valid until the next call.
func (x *linkIndexer) of(ctx context.Context, at timeline.Place, e *segment.Stored) (keys []string, known bool) {
	x.targets = x.targets[:0]
	switch {
	case e.Body == segment.BodyNone:
		return nil, false // the capture that has the body may come in later
	case e.Kind != record.KindPage || e.Bytes == 0 || isMedia(e.Mime):
		return nil, true
	}
	o, where, err := x.v.Owner(ctx, at, e)
	if err != nil || o == nil || o.Mime != e.Mime || o.Page.Charset != e.Page.Charset {
		return nil, false
	}
	stored, err := x.facts.factsOf(where.Seg, where.Run)
	if err != nil {
		return nil, false
	}
	if x.refers.Page(stored.Page(where.N)) != nil {
		return nil, false
	}
	if o.Page.LinkCount == 0 {
		return nil, true
	}
	x.links.Page(urlkey.Base(urlkey.URL(e.Key), string(x.refers.Base)))
	if x.refers.Inline() {
		links, err := x.refers.Links(nil)
		if err != nil {
			return nil, false
		}
		x.addReferences(links)
		return x.targets, true
	}
	x.spans = appendLeaves(x.spans[:0], o.Recipe.Spans, o.Recipe.Layout)
	spans, err := x.v.Runs.Spans(segment.Recipe{Spans: x.spans})
	if err != nil {
		return nil, false
	}
	leaves := 0
	for _, s := range spans {
		leaves += int(s.Count)
	}
	links, err := x.refers.Apart(leaves)
	if err != nil {
		return nil, false
	}
	x.addReferences(links)
	x.begin()
	known = true
	err = x.facts.each(spans, func(_ int, l *knownLeaf) { known = known && x.addLeaf(l) })
	if err != nil || !known {
		return nil, false
	}
	return x.targets, true
}

// addReferences adds the keys of the URLs to which links lead to x.targets.
func (x *linkIndexer) addReferences(links []facts.Reference) {
	for i := range links {
		x.add(links[i].Target)
	}
}

// add adds the key of the URL to which a link leads to x.targets, if it leads to a URL.
func (x *linkIndexer) add(target []byte) {
	x.link = append(x.link[:0], target...)
	if url := x.links.Target(x.link); len(url) > 0 {
		x.targets = append(x.targets, x.key(url))
	}
}

// begin finds the site and the folder of the current page.
func (x *linkIndexer) begin() {
	x.self = nil
	for reach := range x.part {
		x.part[reach] = 0
		from, ok := x.links.From(urlkey.Reach(reach))
		if !ok {
			continue
		}
		n, known := x.parts[from]
		if !known {
			if x.parts == nil || len(x.parts) >= linkPartsMax {
				x.parts = make(map[string]uint32)
			}
			x.lastPart++
			n = x.lastPart
			x.parts[from] = n
		}
		x.part[reach] = n
	}
}

// addLeaf adds the keys of the URLs to which the links of a leaf lead to x.targets. It returns false if
// the facts of the leaf do not say which links it has in the current page.
func (x *linkIndexer) addLeaf(l *knownLeaf) bool {
	if !x.refers.Fits(&l.LeafFacts) {
		return false
	}
	t := &l.targets
	if t.part != 0 && t.part == x.part[t.reach] {
		x.targets = append(x.targets, t.keys...)
		x.addSelf(t.self)
		return true
	}
	links, err := x.refers.InLeaf(&l.LeafFacts)
	if err != nil {
		return false
	}
	from, self, reach := len(x.targets), 0, urlkey.FromSite
	for _, link := range links {
		to := urlkey.ReachOf(link.Target)
		if to == urlkey.ToItself {
			self++
			continue
		}
		reach = max(reach, to)
		x.add(link.Target)
	}
	if reach <= urlkey.FromFolder {
		x.facts.bytes += targetBytes * max(0, len(x.targets)-from-cap(t.keys))
		*t = leafTargets{x.part[reach], reach, self, append(t.keys[:0], x.targets[from:]...)}
	}
	x.addSelf(self)
	return true
}

// targetBytes is how many bytes an element of leafTargets.keys takes.
const targetBytes = 16

// addSelf adds the key of the current page to x.targets count times.
func (x *linkIndexer) addSelf(count int) {
	if count == 0 {
		return
	}
	if x.self == nil {
		from := len(x.targets)
		x.add(nil)
		x.self = append([]string{}, x.targets[from:]...)
		x.targets = x.targets[:from]
	}
	for range count {
		x.targets = append(x.targets, x.self...)
	}
}

// key returns the key of a URL, from memory if it was computed before.
func (x *linkIndexer) key(url []byte) string {
	key, known := x.keys[string(url)]
	if !known {
		if x.keys == nil || len(x.keys) >= linkKeysMax {
			x.keys = make(map[string]string)
		}
		key = urlkey.Key(string(url))
		x.keys[string(url)] = key
	}
	return key
}

// isMedia reports whether a body with this media type is a picture, a film, a sound or a
// font, which has no links.
func isMedia(mime string) bool {
	kind, sub, _ := strings.Cut(mime, "/")
	return (kind == "image" || kind == "audio" || kind == "video" || kind == "font") && !strings.Contains(sub, "xml")
}

// Linking returns the captures whose pages link, or may link, to a URL with a key in one of the
// ranges targets. The ranges are sorted and disjoint. It leaves out captures at the time to or
// later. ok is false if the result would have more captures than most, or if some segment has no
// index that lists links; the caller must then read the pages.
func (v *Finder) Linking(ctx context.Context, targets []urlkey.Range, to record.Time, most int) (refs map[record.Ref]bool, ok bool, err error) {
	if indexed, all, _ := v.WordsIndexed(record.MinTime, to); indexed < all {
		return nil, false, nil
	}
	files, err := v.wordFiles()
	if err != nil {
		return nil, false, nil // the pages are read
	}
	refs = make(map[record.Ref]bool)
	asked := make(map[string]bool)
	for _, s := range v.Pin.Segments {
		if s.First >= to {
			continue
		}
		w, found := files.file(s)
		if !found {
			return nil, false, nil
		}
		if asked[w.Name()] {
			continue
		}
		asked[w.Name()] = true
		of := files.segments(w.File, v.Pin.Segments)
		err := w.Linking(ctx, targets, func(run, n uint32) {
			for _, g := range of {
				if run >= g.first && run-g.first < g.runs && len(refs) <= most {
					refs[record.Ref{Segment: g.id, Run: run - g.first, N: n}] = true
				}
			}
		})
		switch {
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		case err != nil:
			v.Warn(err)
			return nil, false, nil
		case len(refs) > most:
			return nil, false, nil
		}
	}
	return refs, true, nil
}
