package facts

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/words"
)

// TestKeptLinks keeps the facts of drawn pages, the leaves' apart, with one
// memory for pages in several charsets. The links are those of the page.
func TestKeptLinks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := NewReader()
		var refers References
		pool := rapid.SliceOfN(rapid.Custom(editedPage), 1, 3).Draw(t, "pages")
		for range rapid.IntRange(1, 5).Draw(t, "readings") {
			body := "<a href='/\xb1\xb1\xbe\xa9' style='background: url(a)'>\xb1\xb1</a><style>@import 'b';</style>" + pagetest.Mutate(drawn(t), rapid.SampledFrom(pool).Draw(t, "page"))
			contentType := rapid.SampledFrom([]string{pagetest.HTMLType, "text/html; charset=gbk", "text/html; charset=big5", "text/plain"}).Draw(t, "type")
			headers := rapid.SampledFrom([]string{"", "Refresh: 5; url=/c\nLink: </d>; rel=next, </e\xb1>; rel=\"nofollow me\"\n"}).Draw(t, "headers")
			b, ok := divide.Open([]byte(body), divide.As{Mime: message.Mime(contentType), ContentType: contentType, LinkHeaders: headers}, divide.Options{})
			if !ok {
				continue
			}
			checkKeptLinks(t, &refers, reader.Read(b), rapid.Bool().Draw(t, "inline"))
		}
	})
}

// TestOutside keeps the links of responses whose bodies have no blocks: those of their
// headers, and of style sheets.
func TestOutside(t *testing.T) {
	headers := markup.LinkHeaders([]byte("HTTP/1.1 200 OK\r\nlink: </a>; rel=next\r\n\r\n"))
	var refers References
	for _, c := range []struct {
		mime, headers, body, want string
	}{
		{"application/pdf", headers, "%PDF-1.4", "link /a next"},
		{"text/html", headers, "\x89PNG\r\n\x1a\n<a href=b>", "link /a next"},
		{"text/html", "", "\x89PNG\r\n\x1a\n<a href=b>", ""},
		{page.MimeSheet, headers, "@import 'b'; p { background: url(c) }", "link /a next|css b |img c "},
		{page.MimeSheet, "", "p {}", ""},
		{page.MimeSheet, "", "%PDF-1.4 url(c)", ""},
	} {
		as := divide.As{Mime: c.mime, ContentType: c.mime, LinkHeaders: c.headers}
		if _, ok := divide.Open([]byte(c.body), as, divide.Options{}); ok {
			t.Errorf("%q of %s has blocks", c.body, c.mime)
		}
		facts, n := Outside([]byte(c.body), as)
		var got []string
		if facts != nil {
			kept, err := Read(facts)
			if err != nil {
				t.Fatal(err)
			}
			links, err := kept.Links(nil)
			if err != nil || !reflect.DeepEqual(links, OutsideLinks(divide.Outside([]byte(c.body), as))) {
				t.Errorf("links of %q: %v, %v", c.body, links, err)
			}
			checkReferences(t, &refers, facts, nil, nil, kept, links)
			for _, l := range links {
				got = append(got, l.Kind.String()+" "+l.Target+" "+l.Rel)
			}
		}
		if s := strings.Join(got, "|"); s != c.want || n != len(got) {
			t.Errorf("%q of %s, headers %q: %d links %q, want %q", c.body, c.mime, c.headers, n, s, c.want)
		}
	}
}

// longFacts gives the facts of a page's leaves as whoever reads them sees them.
func longFacts(r *Reading) [][]byte {
	out := r.Facts()
	for i, n := range r.Leaves {
		out[i] = Long(r.Bytes(n), out[i])
	}
	return out
}

type failer interface{ Fatalf(string, ...any) }

// checkKeptLinks compares the links that are kept of a page with those that are
// found in it, and fingerprints with those of the leaves' texts.
func checkKeptLinks(t failer, refers *References, r *Reading, inline bool) {
	facts := r.AppendFacts(nil, "base", inline)
	kept, err := Read(facts)
	if err != nil || kept.Base != "base" {
		t.Fatalf("facts: base %q, %v", kept.Base, err)
	}
	leaves := longFacts(r)
	if kept.Inline() {
		leaves = nil
	}
	got, err := kept.Links(leaves)
	if err != nil {
		t.Fatalf("kept links: %v", err)
	}
	want := Links(r.Body)
	if r.Links != len(want) {
		t.Fatalf("%d links counted, want %d", r.Links, len(want))
	}
	for i := range want {
		want[i].Offset = min(want[i].Offset, 0)
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("links kept of %q\n got %+v\nwant %+v", r.Page.Body, got, want)
	}
	var bodies [][]byte
	for _, n := range r.Leaves {
		bodies = append(bodies, r.Page.Body[r.Blocks[n].Start:r.Blocks[n].End])
	}
	checkReferences(t, refers, facts, leaves, bodies, kept, got)
	if !kept.Inline() {
		checkSought(t, kept, leaves, got)
	}
	for i, n := range r.Leaves {
		b := &r.Blocks[n]
		var s words.Simhash
		s.Add(r.Page.TextRange(b.Start, b.End, r.Charset), 1)
		if print, ok := kept.Fingerprint(longFacts(r)[i]); ok && print != s.Sum() {
			t.Fatalf("fingerprint of leaf %d: %x, want %x", i, print, s.Sum())
		}
	}
}

// checkSought asks a Seeker for some of the links of a page, whose leaves are cut into spans in one
// way and in another. It asks several times, so that later answers come from what the Seeker remembers
// of the leaves. The links are those of Kept.Links with such a target.
func checkSought(t failer, kept *Kept, leaves [][]byte, links []Link) {
	cut := func(most int) (spans []record.LeafSpan) {
		for n := 0; n < len(leaves); {
			count := min(1+n%most, len(leaves)-n)
			spans = append(spans, record.LeafSpan{N: uint32(n), Count: uint32(count)})
			n += count
		}
		return spans
	}
	ways := [][]record.LeafSpan{cut(3), cut(4)}
	distinct := make(map[record.LeafSpan]bool)
	for _, s := range slices.Concat(ways...) {
		distinct[s] = true
	}
	for least := range 3 {
		sought := func(target []byte) bool { return len(target)%3 >= least }
		var want []SoughtLink
		for i, l := range links {
			if sought([]byte(l.Target)) {
				want = append(want, SoughtLink{l, i})
			}
		}
		var s Seeker
		reads := 0
		for time, way := range []int{0, 0, 1, 0, 1, 1} {
			got, err := s.Links(kept, ways[way], &Sought{
				OfSite: func(target []byte) (may, all bool) {
					all = sought(target) && len(target)%5 > 0
					return all || len(target)%2 == 0 || sought(target), all
				},
				OfPage: sought,
				Read: func(dst [][]byte, s record.LeafSpan) ([][]byte, error) {
					reads++
					return append(dst, leaves[s.N:s.N+s.Count]...), nil
				},
			})
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("links sought, time %d: %v\n got %+v\nwant %+v", time+1, err, got, want)
			}
		}
		if reads != len(distinct) {
			t.Fatalf("%d spans were read %d times", len(distinct), reads)
		}
	}
}

// TestSought looks for links of a page that has them in leaves, between leaves, in the head
// and in its headers.
func TestSought(t *testing.T) {
	text := strings.Repeat("Many words make a paragraph long enough to be a block. ", 8)
	var body strings.Builder
	body.WriteString("<html><head><link rel=icon href=a><link rel=stylesheet href=bb></head><body>")
	for i := range 12 {
		fmt.Fprintf(&body, "<div style='background: url(%s)'><h2><a href=f>Part %d</a></h2><p>%s<a href=%s>one</a> <a href=%s>two</a></p></div>",
			strings.Repeat("c", i+1), i, text, strings.Repeat("d", i+2), strings.Repeat("e", i+3))
	}
	b, ok := divide.Open([]byte(body.String()), divide.As{Mime: "text/html", ContentType: pagetest.HTMLType, LinkHeaders: "Link: </next>; rel=next\n"}, divide.Options{})
	if !ok {
		t.Fatal("no blocks")
	}
	r := NewReader().Read(b)
	var inLeaves, inLayout int
	for _, l := range Links(b) {
		if l.Leaf >= 0 {
			inLeaves++
		} else {
			inLayout++
		}
	}
	if len(r.Leaves) < 6 || inLeaves < 12 || inLayout < 6 {
		t.Fatalf("%d leaves, %d links in them, %d others", len(r.Leaves), inLeaves, inLayout)
	}
	checkKeptLinks(t, new(References), r, false)
}

// checkReferences holds what References reads of facts against Kept, also where those
// of leaves are short, if the bodies of these are given.
func checkReferences(t failer, refers *References, facts []byte, leaves, bodies [][]byte, kept *Kept, links []Link) {
	if err := refers.Page(facts); err != nil || string(refers.Base) != kept.Base || refers.Inline() != kept.Inline() {
		t.Fatalf("references: base %q, inline %v, %v; want %q, %v", refers.Base, refers.Inline(), err, kept.Base, kept.Inline())
	}
	var want []string
	for _, l := range links {
		purpose := label.Other
		if l.Part >= 0 {
			purpose = kept.Cut[l.Part].Label
		}
		want = append(want, fmt.Sprint(l.Kind, l.NoFollow, purpose, l.Target))
	}
	slices.Sort(want)
	for _, short := range []bool{false, true} {
		var as []record.Leaf
		for i, facts := range leaves {
			l := record.Leaf{Facts: facts}
			if short && bodies != nil {
				l = record.Leaf{Facts: Short(bodies[i], facts), Bytes: bodies[i]}
			}
			as = append(as, l)
		}
		list, err := refers.Links(as)
		if err != nil {
			t.Fatalf("short: %v: %v", short, err)
		}
		var got []string
		for _, r := range list {
			got = append(got, fmt.Sprint(r.Kind, r.NoFollow, r.Label, string(r.Target)))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("short: %v\n got %q\nwant %q", short, got, want)
		}
		if !refers.Inline() {
			checkApart(t, refers, as, list)
		}
	}
}

// checkApart compares the links that are in no leaf, with those in the decoded facts of the leaves, with
// want, the links of the page.
func checkApart(t failer, refers *References, leaves []record.Leaf, want []Reference) {
	text := func(r markup.Reference) string { return fmt.Sprint(r.Kind, r.NoFollow, string(r.Target)) }
	var wanted, got []string
	for _, r := range want {
		wanted = append(wanted, text(r.Reference))
	}
	apart, err := refers.Apart(len(leaves))
	for _, r := range apart {
		got = append(got, text(r.Reference))
	}
	for _, l := range leaves {
		f, _ := new(LeafReader).Read(l)
		in, damage := refers.InLeaf(&f)
		if err = errors.Join(err, damage); !refers.Fits(&f) {
			t.Fatalf("the facts %q do not fit the page", l.Facts)
		}
		for _, r := range in {
			got = append(got, text(r))
		}
	}
	slices.Sort(got)
	if slices.Sort(wanted); err != nil || !slices.Equal(got, wanted) {
		t.Fatalf("decoded: %v\n got %q\nwant %q", err, got, wanted)
	}
	if _, err := refers.Apart(len(leaves) + 1); err != ErrOther {
		t.Fatalf("with another number of leaves: %v, want %v", err, ErrOther)
	}
}

var factPages = flag.Int("facts.pages", 100, "pages of each site whose kept links are compared, 0 for all")

// TestKeptLinksOfSites does so with pages of the real sites, in one memory a
// site: what a leaf has is the same wherever it stands. So is how a part of a
// page divides.
func TestKeptLinksOfSites(t *testing.T) {
	bundles, _ := filepath.Glob(filepath.Join(pagetest.Shared(t), "sites", "*.bundle"))
	for _, bundle := range bundles {
		t.Run(filepath.Base(bundle), func(t *testing.T) {
			reader, divider, pages, links := NewReader(), NewReader(), 0, 0
			var refers References
			pagetest.Bundle(t, bundle, func(body []byte) {
				if *factPages > 0 && pages == *factPages {
					return
				}
				if b, ok := divide.Open(body, divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{}); ok {
					r := reader.Read(b)
					checkKeptLinks(t, &refers, r, false)
					checkKnown(t, divider, body, pagetest.HTMLType)
					pages, links = pages+1, links+r.Links
				}
			})
			t.Logf("%d pages, %d links", pages, links)
		})
	}
}

func FuzzReadFacts(f *testing.F) {
	b, _ := divide.Open([]byte("<h1>One</h1><p>two <a href=x>three</a> four<p>five<img src=y>"), divide.As{Mime: "text/html", ContentType: pagetest.HTMLType}, divide.Options{})
	r := NewReader().Read(b)
	f.Add(r.AppendFacts(nil, "/", true), firstLeaf(r))
	f.Fuzz(func(t *testing.T, src, leaf []byte) {
		var refers References
		k, err := Read(src)
		if err != nil {
			if refers.Page(src) == nil {
				refers.Links([]record.Leaf{{Facts: leaf, Bytes: src}})
			}
			return
		}
		k.Fingerprint(leaf)
		if links, err := k.Links([][]byte{leaf}); err == nil {
			checkReferences(t, &refers, src, [][]byte{leaf}, nil, k, links)
		}
	})
}

// firstLeaf returns the facts of the first leaf, or nil if there is none.
func firstLeaf(r *Reading) []byte {
	if len(r.Made) == 0 {
		return nil
	}
	return r.Made[0].Facts
}

// TestLinkAfterLastLeaf damages the facts of a page that has no leaf and one link in the
// layout: the link is said to stand before the second leaf. Both readers refuse the facts.
func TestLinkAfterLastLeaf(t *testing.T) {
	b, _ := divide.Open([]byte("<link rel=icon href=a>"), divide.As{Mime: "text/html", ContentType: pagetest.HTMLType}, divide.Options{})
	facts := NewReader().Read(b).AppendFacts(nil, "", true)
	leafAt := len(facts) - 2
	if facts[leafAt] != 0 {
		t.Fatalf("%q: no link before the end of the page", facts)
	}
	facts[leafAt] = 1
	if _, err := Read(facts); err != ErrFacts {
		t.Errorf("Read: %v, want %v", err, ErrFacts)
	}
	var refers References
	if err := refers.Page(facts); err != nil {
		t.Fatal(err)
	}
	if list, err := refers.Links(nil); err != ErrFacts {
		t.Errorf("links %v, %v, want %v", list, err, ErrFacts)
	}
}
