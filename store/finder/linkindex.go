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
	spans   []segment.Span     // the leaves of the current page
	leaves  []*facts.LeafFacts // facts of these leaves
}

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
	links, err := x.references(o)
	if err != nil {
		return nil, false
	}
	x.links.Page(urlkey.Base(urlkey.URL(e.Key), string(x.refers.Base)))
	var link []byte
	for i := range links {
		link = append(link[:0], links[i].Target...)
		if url := x.links.Target(link); len(url) > 0 {
			x.targets = append(x.targets, x.key(url))
		}
	}
	return x.targets, true
}

// references returns the links of the page in x.refers, whose body entry e stores.
func (x *linkIndexer) references(e *segment.Stored) ([]facts.Reference, error) {
	if x.refers.Inline() {
		return x.refers.Links(nil)
	}
	x.spans = appendLeaves(x.spans[:0], e.Recipe.Spans, e.Recipe.Layout)
	spans, err := x.v.Runs.Spans(segment.Recipe{Spans: x.spans})
	if err != nil {
		return nil, err
	}
	if x.leaves, err = x.facts.appendTo(x.leaves[:0], spans); err != nil {
		return nil, err
	}
	return x.refers.LinksIn(x.leaves)
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
