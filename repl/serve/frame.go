package serve

import (
	"context"
	"net/http"

	"infomall/exec/draw"
	"infomall/exec/relation"
	"infomall/repl/ask"
	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// frameData is what the page with the bar and the frame shows.
type frameData struct {
	URL, Shown string
	Asked      string // digits, or "" for the latest
	Capture    *lookup.Capture
	Prev, Next lookup.Capture // the versions before and after
	// Before and After are the nearest earlier and later versions whose content changed. They
	// are set only if they differ from the next earlier and the next later version.
	Before, After lookup.Capture
	Frame         string // address of the archived page
	Year          string
	Count         int64
	Key           string
	Strip         []tick
	Here          int // place of the capture on the strip
	Spread        *spread
	Flash         bool   // the page has Flash, and the server has no Ruffle to play it
	Document      string // a line about the document, as draw.DocumentLine returns it; "" for a page
	NoBar         bool
	View          replay.View
	// Plain, Changes and Blocks are addresses of the page: with no view, with its changes
	// marked, and with its blocks marked.
	Plain, Changes, Blocks string
	DOM, Picture           string      // addresses of what a browser made of the page; "" if the archive has none
	Still                  string      // the URL of the page, if the frame has its document after load
	Notes                  changeNotes // the changed blocks, if the view is Changes
	Sum                    string      // how many blocks have changed
	Old                    *lookup.Capture
	Olds                   []since // the versions with which the page can be compared
}

// since is a version with which a page can be compared.
type since struct {
	At, Link string
}

// sincesMax is how many versions a page offers for comparison.
const sincesMax = 30

// stripLength is how many places the strip of versions has.
const stripLength = 200

// tick is a place on the strip of versions, which is as long as the time from the first to the
// last capture. It shows the most important change in its part of that time.
type tick struct {
	At         int // from 0 to stripLength - 1
	Key, Stamp string
	Title      string
}

// fillStrip fills in d from the captures of f: the ticks, the position of d's capture on the strip,
// and the nearest changes of content. t is the target of the page.
func (d *frameData) fillStrip(ctx context.Context, snap relation.Snapshot, f *lookup.Found, t *replay.Target) error {
	length := max(1, f.Last.Time-f.First.Time)
	place := func(t record.Time) int { return int((t - f.First.Time) * (stripLength - 1) / length) }
	for x, err := range lookup.Captures(ctx, snap, f.URL, lookup.AllColumns) {
		if err != nil {
			return err
		}
		if x.Change == record.ChangeSame {
			continue
		}
		key, at := changeKey(&x), place(x.Time)
		if x.Time < d.Capture.Time && d.View.Name == replay.Changes {
			if len(d.Olds) == sincesMax {
				d.Olds = d.Olds[1:]
			}
			d.Olds = append(d.Olds, since{x.At(), viewPath(t, replay.View{Name: replay.Changes, Since: x.Stamp()})})
		}
		switch {
		case key == "layout":
		case x.Time < d.Capture.Time && x.Time != d.Prev.Time:
			d.Before = x
		case x.Time < d.Capture.Time:
			d.Before = lookup.Capture{} // it is the version before
		case x.Time > d.Capture.Time && d.After.URL == "":
			d.After = x
		}
		if n := len(d.Strip); n > 0 && d.Strip[n-1].At == at {
			if rankOf(key) <= rankOf(d.Strip[n-1].Key) {
				continue
			}
			d.Strip = d.Strip[:n-1]
		}
		d.Strip = append(d.Strip, tick{At: at, Key: key, Stamp: x.Stamp(), Title: x.At()})
	}
	if d.After.Time == d.Next.Time {
		d.After = lookup.Capture{}
	}
	d.Here = place(d.Capture.Time)
	return nil
}

// framePage answers /TIME/URL with the page that has the bar and, in a frame, the
// archived page.
func (s *server) framePage(w http.ResponseWriter, r *http.Request, t *replay.Target) error {
	ctx := r.Context()
	at, err := s.timeOf(t)
	if err != nil {
		return err
	}
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	f, err := s.find(w, r, snap, t.Captured(), at)
	if err != nil {
		return err
	}
	d := &frameData{URL: t.Captured(), Shown: shownURL(t.URL), Asked: t.Time, Count: f.Count, View: t.View, NoBar: s.o.NoBar}
	page := *t
	if page.Modifier != replay.AfterLoad {
		page.Modifier = replay.PageTop
	} else {
		d.Still = t.URL
	}
	d.Frame = s.origins.replayOrigin(r, t.URL) + page.Prefix() + pathText(t.URL)
	d.Plain, d.Changes, d.Blocks = viewPath(t, replay.View{}), viewPath(t, replay.View{Name: replay.Changes}), viewPath(t, replay.View{Name: replay.Blocks})
	p := newPage(r, "frame", d)
	p.Title, p.Other = d.Shown, ""
	p.Statement = "SHOW PAGE " + ask.Literal(d.URL)
	if t.Time != "" {
		p.Statement += " AT " + ask.Literal(ask.Dashed(t.Time))
	}
	if len(f.Nearest) == 0 {
		p.Name = "never"
		d.Plain = viewPath(t, replay.View{})
		return s.send(w, r, http.StatusNotFound, p, "")
	}
	if err := s.fillShown(ctx, snap, d, t, at); err != nil {
		return err
	}
	d.Capture = &f.Nearest[0]
	free, err := acquire(ctx, s.replays, replayWait) // the response may be large
	if err != nil {
		return err
	}
	defer free()
	c, payload, err := choose(ctx, snap, f)
	if err != nil {
		return err
	}
	if c != nil {
		d.Capture = c
	}
	if c != nil && !d.NoBar {
		if err := s.describe(ctx, snap, f, d, payload, p.Lang); err != nil {
			return err
		}
	}
	free()
	n, err := lookup.Neighbours(ctx, snap, f.URL, d.Capture, true)
	if err != nil {
		return err
	}
	d.Prev, d.Next = n.Prev, n.Next
	d.Year = d.Capture.Time.Std().Format("2006")
	d.Key = changeKey(d.Capture)
	if err := d.fillStrip(ctx, snap, f, t); err != nil {
		return err
	}
	around, err := f.Around(ctx, snap, d.Capture)
	if err != nil {
		return err
	}
	s.mementoHeader(w.Header(), r, f, d.Capture, around)
	w.Header().Del("Memento-Datetime") // this page is not the capture, but shows it
	w.Header().Del("Content-Location")
	return s.send(w, r, http.StatusOK, p, s.origins.frameSources(r))
}

// fillShown sets addresses in d that show what a browser made of the page of t during the crawl, near
// the time at.
func (s *server) fillShown(ctx context.Context, snap relation.Snapshot, d *frameData, t *replay.Target, at record.Time) error {
	for _, x := range []struct {
		prefix string
		to     *string
		path   string
	}{
		{urlkey.DOM, &d.DOM, framePath(&replay.Target{Time: t.Time, Modifier: replay.AfterLoad, URL: t.URL})},
		{urlkey.Screenshot, &d.Picture, viewPath(&replay.Target{Time: t.Time, URL: urlkey.Screenshot + t.URL}, replay.View{})},
	} {
		if urlkey.PageOf(x.prefix+t.URL) != t.URL {
			continue // it is no page
		}
		f, err := lookup.Nearest(ctx, snap, x.prefix+t.URL, at)
		if err != nil {
			return err
		}
		if len(f.Nearest) > 0 {
			*x.to = x.path
		}
	}
	return nil
}

// viewPath returns the path of the interface's page for the target t with the view v.
func viewPath(t *replay.Target, v replay.View) string {
	to := replay.Target{Time: t.Time, View: v}
	if v.Name != replay.NoView {
		to.Modifier = replay.PageTop
	}
	return to.Prefix() + pathText(t.URL)
}

// describe fills in d what the page says about the parts and the view of its capture. p is the
// response of the capture, and lang the language of the texts.
func (s *server) describe(ctx context.Context, snap relation.Snapshot, f *lookup.Found, d *frameData, p *record.Payload, lang string) error {
	if body, ok := s.divided(d.Capture, p); ok && body.Document != nil {
		d.Document = draw.DocumentLine(body.Document)
	}
	asked := d.Capture.Time
	if at, ok := lookup.Time(d.Asked, s.o.Now()); ok {
		asked = at
	}
	var parts []replay.Part
	if body, kind, page := documentOf(d.Capture, p); page != nil {
		var more bool
		var err error
		parts, more = replay.Parts(kind, body, page, partsMax)
		d.Flash = s.o.Ruffle == "" && replay.HasFlash(body)
		if d.Spread, err = spreadOf(ctx, snap, d.Capture, asked, parts, more); err != nil {
			return err
		}
	}
	if d.View.Name != replay.Changes {
		return nil
	}
	x, err := s.view(ctx, snap, f, d.Capture, p, d.View)
	if err != nil {
		return err
	}
	if x != nil {
		d.Notes.add(x, "")
		d.Old = x.old
	}
	if err := s.addFrames(ctx, snap, d, parts, asked); err != nil {
		return err
	}
	d.Sum = d.Notes.summary(lang)
	return nil
}

// framesMax is how many frames of a page are compared for the list of changes.
const framesMax = 8

// addFrames adds to d the changed blocks of those parts that are frames, as they were at
// the time asked.
func (s *server) addFrames(ctx context.Context, snap relation.Snapshot, d *frameData, parts []replay.Part, asked record.Time) error {
	n := 0
	for _, part := range parts {
		if part.Modifier != replay.PageFrame || n == framesMax {
			continue
		}
		n++
		f, err := lookup.Nearest(ctx, snap, part.URL, asked)
		if err != nil {
			return err
		}
		c, p, err := choose(ctx, snap, f) // none if there are no captures
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		x, err := s.view(ctx, snap, f, c, p, d.View)
		if err != nil {
			return err
		}
		if x == nil {
			continue
		}
		d.Notes.add(x, c.URL)
		if d.Old == nil {
			d.Old = x.old
		}
	}
	return nil
}

// spread says how far apart in time the parts of a page were captured: images, styles,
// scripts and frames that its markup names.
type spread struct {
	Parts, Found   int  // how many there are, and how many of them the archive has
	More           bool // only the first partsMax parts were looked up
	Oldest, Newest lookup.Capture
}

// partsMax is how many parts of a page are looked up.
const partsMax = 100

// Missing returns how many parts are not in the archive.
func (x *spread) Missing() int { return x.Parts - x.Found }

// documentOf returns the body of the capture c, whose response is p, without content
// coding, and what the rewriter must know of it. The page is nil if the capture is no
// HTML document.
func documentOf(c *lookup.Capture, p *record.Payload) (body []byte, kind replay.Kind, page *replay.Page) {
	_, contentType := storedHeader(p)
	kind = replay.Rewrites(contentType, replay.PageTop, "")
	if p.Large != nil || kind != replay.Document && kind != replay.XHTML {
		return nil, kind, nil
	}
	body, _, err := coding.DecodePart(p.Body, message.Codings(p.Head), decodedMax)
	if err != nil {
		return nil, kind, nil // It cannot be shown either.
	}
	return body, kind, &replay.Page{URL: c.URL, Captured: c.Time.Std(), Charset: charset.Find(body, contentType, p.Charset).Charset}
}

// spreadOf returns the spread of parts, the parts of the capture c. A frame is looked up at the
// time asked, and every other part at the time of c. more reports whether c has parts that are
// not in the parameter parts. The result is nil if there are no parts.
func spreadOf(ctx context.Context, snap relation.Snapshot, c *lookup.Capture, asked record.Time, parts []replay.Part, more bool) (*spread, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	x := &spread{Parts: len(parts), More: more}
	for _, part := range parts {
		at := c.Time
		if part.Modifier == replay.PageFrame {
			at = asked
		}
		f, err := lookup.Nearest(ctx, snap, part.URL, at)
		if err != nil {
			return nil, err
		}
		if len(f.Nearest) == 0 {
			continue
		}
		n := f.Nearest[0]
		if x.Found == 0 || n.Time < x.Oldest.Time {
			x.Oldest = n
		}
		if x.Found == 0 || n.Time > x.Newest.Time {
			x.Newest = n
		}
		x.Found++
	}
	return x, nil
}
