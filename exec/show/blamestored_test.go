package show

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/segment"
)

// storedPages is an archive that stores leaves, layouts and folds of the versions of one page.
type storedPages struct {
	*relationtest.Archive
	pages  map[record.Ref]*storedPageOf
	leaves [][]byte
	again  func() bool // whether a leaf that is stored is stored once more
	whole  func() bool // whether a page is stored whole, and not in leaves
	bodies int         // how many bodies were read
}

func (a *storedPages) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	a.bodies++
	return a.Archive.Payload(ctx, ref)
}

// storedPageOf is what is stored of one version.
type storedPageOf struct {
	fold, layout []byte
	refs         []search.LeafRef
	as           search.Reading
	knew         bool
}

func (a *storedPages) Kept(_ context.Context, ref record.Ref) (record.Facts, error) {
	if p := a.pages[ref]; p != nil {
		return record.Facts{Fold: p.fold}, nil
	}
	return record.Facts{}, nil
}

func (a *storedPages) Knew(_ context.Context, ref record.Ref, _ string, _ record.Time) (bool, error) {
	return a.pages[ref].knew, nil
}

func (a *storedPages) Leaves(_ context.Context, dst []search.LeafRef, ref record.Ref) ([]search.LeafRef, search.Reading, bool, error) {
	p := a.pages[ref]
	return append(dst, p.refs...), p.as, p.refs != nil, nil
}

func (a *storedPages) LeafText(l search.LeafRef, as search.Reading) (string, error) {
	return (&divide.Body{Charset: as.Charset, Plain: as.Plain}).TextOf(a.leaves[l.N]), nil
}

func (a *storedPages) Layout(_ context.Context, ref record.Ref) ([]byte, error) {
	return a.pages[ref].layout, nil
}

// keep stores a leaf.
func (a *storedPages) keep(leaf []byte) search.LeafRef {
	n := slices.IndexFunc(a.leaves, func(b []byte) bool { return string(b) == string(leaf) })
	if n < 0 || a.again() {
		n = len(a.leaves)
		a.leaves = append(a.leaves, leaf)
	}
	return search.LeafRef{RunRef: segment.RunRef{Segment: 7}, N: uint32(n)}
}

// store stores what an import stores of each version.
func (a *storedPages) store(t rapid.TB) {
	a.pages = make(map[record.Ref]*storedPageOf)
	var history life.History
	scan := record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColKind | record.ColChange}
	for b, err := range a.Scan(context.Background(), scan) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			if b.Change[i] == record.ChangeSame {
				continue
			}
			p, err := a.Payload(context.Background(), b.Ref[i])
			if err != nil {
				t.Fatal(err)
			}
			v, err := versionOf(nil, capture{ref: b.Ref[i], time: b.Time[i], kind: b.Kind[i]}, &p, divide.Options{})
			if err != nil {
				t.Fatal(err)
			}
			page := &storedPageOf{knew: true}
			a.pages[b.Ref[i]] = page
			var reading *facts.Reading
			if v.Body != nil && v.Kind == record.KindPage {
				reading = facts.NewReader().Read(v.Body)
				page.as = search.Reading{Charset: v.Body.Charset, Plain: v.Body.Plain}
				if a.whole() {
					page.refs = nil
				} else if len(v.Body.Blocks) > 1 {
					page.layout = reading.Layout()
					for _, n := range reading.Leaves {
						page.refs = append(page.refs, a.keep(v.Body.Bytes(n)))
					}
				} else {
					page.refs = []search.LeafRef{a.keep(p.Body)}
				}
			}
			page.fold = history.Add(v).AppendFold(nil, reading)
		}
	}
}

// drawPages draws captures of a page whose sections are edited, moved, removed and brought
// back. Some captures are no page, some are plain text.
func drawPages(t *rapid.T) []relationtest.Capture {
	words := []string{"library", "opens", "hall", "term", "notes", "图书馆", "开放", "river", "2008", "visitors", "lecture", "caf\xe9"}
	section := func() string {
		var b strings.Builder
		for range rapid.IntRange(1, 24).Draw(t, "words") {
			b.WriteString(rapid.SampledFrom(words).Draw(t, "word") + " ")
		}
		return b.String()
	}
	var sections []string
	for range rapid.IntRange(1, 5).Draw(t, "sections") {
		sections = append(sections, section())
	}
	var list []relationtest.Capture
	for n := range rapid.IntRange(1, 8).Draw(t, "captures") {
		i := rapid.IntRange(0, len(sections)-1).Draw(t, "at")
		switch rapid.IntRange(0, 6).Draw(t, "edit") {
		case 0:
			sections[i] = section()
		case 1:
			sections[i] += section()
		case 2:
			sections = slices.Insert(sections, i, section())
		case 3:
			sections[0], sections[i] = sections[i], sections[0]
		case 4:
			if len(sections) > 1 {
				sections = slices.Delete(sections, i, i+1)
			}
		case 5:
			if i > 0 {
				sections[0] += sections[i]
				sections = slices.Delete(sections, i, i+1)
			}
		}
		c := relationtest.Capture{URL: "http://a.example/", Time: record.Time(1000 * (n + 1)), Status: 200, Mime: "text/html"}
		c.Body = "<html><body><div><p>" + strings.Join(sections, "</p></div><div><p>") + "</p></div></body></html>"
		switch rapid.IntRange(0, 19).Draw(t, "form") {
		case 0:
			c.Status = 404
		case 1:
			c.Mime, c.Body = "text/plain", strings.Join(sections, "\n\n")
		case 2:
			c.Body = ""
		case 3, 4, 5:
			c.Head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=windows-1251\r\n\r\n"
		}
		list = append(list, c)
	}
	return list
}

// TestBlameStored shows on random histories of a page that what the archive stores of the
// versions gives the same answer as their bodies.
func TestBlameStored(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		sometimes := func() bool { return rapid.IntRange(0, 9).Draw(t, "sometimes") == 0 }
		a := &storedPages{Archive: relationtest.New(drawPages(t)...), again: sometimes, whole: sometimes}
		a.store(t)
		unit := rapid.SampledFrom([]ast.BlameUnit{ast.BlameBlocks, ast.BlameLines, ast.BlameWords}).Draw(t, "unit")
		b := &blaming{new(session.Session), &ast.Blame{Unit: unit}, &pageAsked{url: "http://a.example/"}}
		to := record.Time(rapid.IntRange(1001, 9000).Draw(t, "to"))
		got, err := b.traceStored(t.Context(), a, to)
		if err != nil {
			t.Fatal(err)
		}
		want, err := b.traceBodies(t.Context(), a, to)
		if got == nil {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		equal++
		if got.asked != want.asked || blamed(got) != blamed(want) {
			t.Fatalf("stored\n%s\nbodies\n%s", blamed(got), blamed(want))
		}
		if !slices.Equal(got.revision.Life, want.revision.Life) {
			t.Fatalf("lives %v, want %v", got.revision.Life, want.revision.Life)
		}
	})
	if equal < 20 {
		t.Errorf("%d answers came from what is stored, want 20 or more", equal)
	}
}

// TestBlameNoBody shows that a version without a body is left out, although it has a fold.
func TestBlameNoBody(t *testing.T) {
	never := func() bool { return false }
	page := relationtest.Capture{URL: "http://a.example/", Time: 1000, Status: 200, Mime: "text/html", Body: "<p>" + strings.Repeat("one ", 20) + "</p>"}
	missing, again := page, page
	missing.Time, missing.Status, missing.Body, missing.NoBody = 2000, 404, "gone", true
	again.Time = 3000
	a := &storedPages{Archive: relationtest.New(page, missing, again), again: never, whole: never}
	a.store(t)
	b := &blaming{new(session.Session), &ast.Blame{Unit: ast.BlameWords}, &pageAsked{url: "http://a.example/"}}
	got, err := b.trace(t.Context(), a)
	if err != nil || len(got.leaves) != 1 || got.leaves[0].First.Time != 1000 {
		t.Errorf("got %s, %v, want the first version", blamed(got), err)
	}
}

// blamed returns the leaves with their origins as text.
func blamed(t *traced) string {
	var b strings.Builder
	for _, l := range t.leaves {
		fmt.Fprintf(&b, "block %d %v %v:", l.Block, *l.First, *l.Last)
		for _, p := range l.Pieces {
			fmt.Fprintf(&b, " %q %q %v %v", p.Text, p.Word, *p.First, *p.Last)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestBlameReread shows that a leaf is read again if another charset shows another text.
func TestBlameReread(t *testing.T) {
	never := func() bool { return false }
	list := make([]relationtest.Capture, 2)
	for i, charset := range []string{"windows-1252", "windows-1251"} {
		list[i] = relationtest.Capture{
			URL: "http://a.example/", Time: record.Time(1000 * (i + 1)), Status: 200, Mime: "text/html",
			Head: "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=" + charset + "\r\n\r\n",
			Body: strings.Repeat("<div><p>the caf\xe9 of the library and its lecture hall and the garden by the river</p></div>", 2) +
				"<div><p>" + strings.Repeat(fmt.Sprintf("number %d of the notes ", i), 9) + "</p></div>",
		}
	}
	a := &storedPages{Archive: relationtest.New(list...), again: never, whole: never}
	a.store(t)
	b := &blaming{new(session.Session), &ast.Blame{Unit: ast.BlameWords}, &pageAsked{url: "http://a.example/"}}
	got, err := b.traceStored(t.Context(), a, record.MaxTime)
	if err != nil || got == nil || !strings.Contains(blamed(got), "cafй") {
		t.Errorf("got %s, %v, want cafй", blamed(got), err)
	}
}

// TestBlameUnstored shows that the body of a version is read if its leaves are not stored, and
// all bodies if its fold is missing or not valid.
func TestBlameUnstored(t *testing.T) {
	page := func(n int, text string) relationtest.Capture {
		return relationtest.Capture{URL: "http://a.example/", Time: record.Time(1000 * n), Status: 200, Mime: "text/html", Body: "<p>" + strings.Repeat(text, 20) + "</p>"}
	}
	never := func() bool { return false }
	for name, c := range map[string]struct {
		spoil  func(*storedPageOf)
		bodies int // how many are read; 0 if the fold does not suffice
	}{
		"stored":       {func(*storedPageOf) {}, 1},
		"no leaves":    {func(p *storedPageOf) { p.refs = nil }, 2},
		"other layout": {func(p *storedPageOf) { p.layout = []byte("\x00#\x00#") }, 2},
		"more blocks":  {func(p *storedPageOf) { p.layout = []byte("\x00(\x00#\x00)") }, 2},
		"more leaves":  {func(p *storedPageOf) { p.refs = append(p.refs, p.refs[0]) }, 2},
		"bad layout":   {func(p *storedPageOf) { p.layout = []byte("\x00?") }, 2},
		"came late":    {func(p *storedPageOf) { p.knew = false }, 0},
		"no fold":      {func(p *storedPageOf) { p.fold = nil }, 0},
		"other fold":   {func(p *storedPageOf) { p.fold = life.AppendFirstFold(nil, true, 100) }, 0},
	} {
		a := &storedPages{Archive: relationtest.New(page(1, "one "), page(2, "two "), page(3, "three ")), again: never, whole: never}
		a.store(t)
		for ref, p := range a.pages {
			if ref.N == 1 {
				c.spoil(p)
			}
		}
		b := &blaming{new(session.Session), &ast.Blame{Unit: ast.BlameWords}, &pageAsked{url: "http://a.example/"}}
		a.bodies = 0
		if got, err := b.traceStored(t.Context(), a, record.MaxTime); err != nil || (got != nil) != (c.bodies > 0) || a.bodies != c.bodies {
			t.Errorf("%s: got %v, %v, %d bodies read, want %d", name, got, err, a.bodies, c.bodies)
		}
		got, err := b.trace(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.leaves) != 1 || got.leaves[0].Last.Time != 3000 {
			t.Errorf("%s: got %s", name, blamed(got))
		}
	}
}
