package about

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/pagetest"
)

// TestImportance learns two pages that share one of the four features of a leaf.
func TestImportance(t *testing.T) {
	s := NewSiteStyle()
	for _, words := range []string{"date one two", "date six"} {
		s.Learn(opened(t, "text/html", "<div><p>"+words+"</p></div>"))
	}
	div := s.elements[0].styles[0].elements[0]
	leaf := s.elements[div].styles[0].elements[0]
	if got := s.own(leaf); math.Abs(got-.75) > .0000005 {
		t.Errorf("the importance of the leaf is %.6f, want .75", got)
	}
}

func TestSequenceSimilarity(t *testing.T) {
	tests := []struct {
		a, b   string
		common int
		want   float64
	}{
		{"abcbdab", "bdcaba", 4, .615385},
		{"abc", "abc", 3, 1},
		{"abc", "", 0, 0},
		{"", "", 0, 1},
		{"ab", "ba", 1, .5},
	}
	for _, tt := range tests {
		a, b := []byte(tt.a), []byte(tt.b)
		if got := longestCommon(a, b); got != tt.common {
			t.Errorf("longestCommon(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.common)
		}
		if got := sequenceSimilarity(a, b); math.Abs(got-tt.want) > .0000005 {
			t.Errorf("sequenceSimilarity(%q, %q) = %.6f, want %.6f", tt.a, tt.b, got, tt.want)
		}
	}
}

// oldSite and newSite are pages of a site before and after its redesign, which
// all begin and end alike.
func oldSite(n int) string {
	words := strings.Fields("roof gate tower bridge wall garden market school")
	return `<table><tr><td class=bar>Welcome to the pages of our town, where you find what is new and whom to ask about it, day by day</td></tr>` +
		`<tr><td class=text>` + strings.Repeat(fmt.Sprintf("<p>The %s of number %d was mended by %s people in the %s week. </p>", words[n%8], n, words[(n+3)%8], words[(n+5)%8]), 3) + `</td></tr>` +
		`<tr><td class=foot>Town hall, open on Monday and on Thursday from nine to noon, telephone and address as ever</td></tr></table>`
}

func newSite(n int) string {
	return `<header><h1>Our town</h1><nav><ul><li><a href=/a>News</a><li><a href=/b>People</a></ul></nav></header>` +
		`<main><article>` + fmt.Sprintf("<h2>Item %d</h2><p>What is item %d about? It tells of year %d.</p>", n, n, 1900+n) + `</article></main>` +
		`<footer><p>Town hall, open on Monday</p><p>Telephone as ever</p></footer>`
}

// TestSiteStyle learns a site before and after its redesign: what all pages have is
// of no importance, what each is about is.
func TestSiteStyle(t *testing.T) {
	for _, tt := range []struct {
		name string
		page func(int) string
	}{{"old", oldSite}, {"new", newSite}} {
		s := NewSiteStyle()
		asked := opened(t, "text/html", tt.page(50)) // is not among those learned
		for n := range 12 {
			if got := s.Importances(asked); n < 2 && got != nil {
				t.Errorf("%s: importances with %d pages known: %v", tt.name, n, got)
			}
			s.Learn(opened(t, "text/html", tt.page(n)))
		}
		all, labels := s.Importances(asked), SiteLabels(asked, s)
		cut := asked.Cut(1)
		if len(cut) != 3 {
			t.Fatalf("%s: %d regions, want 3", tt.name, len(cut))
		}
		for i, n := range cut {
			if got, want := all[n] >= templateMost, i == 1; got != want {
				t.Errorf("%s: region %d has importance %.3f, want it %v that it is the page's own", tt.name, i, all[n], want)
			}
			if got, want := labels[n] == label.Main, i == 1; got != want {
				t.Errorf("%s: region %d is labelled %s, want it %v that it is main", tt.name, i, labels[n], want)
			}
		}
	}
}

// TestSiteStyleEmptyElements learns pages in which an element is now and then empty
// or holds other elements. The words it has on other pages are as important as
// they are without these pages.
func TestSiteStyleEmptyElements(t *testing.T) {
	site := func(n int, mixed string) string {
		words := strings.Fields("roof gate tower bridge wall garden market school")
		var text strings.Builder
		for i := range 6 {
			fmt.Fprintf(&text, "<div class=par>The %s of street %d was mended by %s people in week %d.</div>", words[(n+i)%8], 10*n+i, words[(n+3)%8], n+20)
		}
		return `<div class=top>Welcome to the pages of our town</div><div class=text>` + text.String() + mixed + `</div><div class=foot>Town hall, open on Monday</div>`
	}
	want := 0.0
	for _, mixed := range []string{"", "", " <!-- nothing --> ", "<img src=a.gif>", "<br>", "<h2>Of the week</h2><table><tr><td>A table</table>"} {
		s := NewSiteStyle()
		for n := range 6 {
			m := "" // Two of the six pages have the element.
			if n%3 == 0 && want > 0 {
				m = "<div class=par>" + mixed + "</div>"
			}
			s.Learn(opened(t, "text/html", site(n, m)))
		}
		asked := opened(t, "text/html", site(9, ""))
		cut := asked.Cut(1)
		if len(cut) != 3 {
			t.Fatalf("%d regions, want 3", len(cut))
		}
		got := s.Importances(asked)[cut[1]]
		if want == 0 {
			want = got // of pages without the element
		}
		if got < want-.1 {
			t.Errorf("the text has importance %.2f where two pages have %q in it, want %.2f as without", got, mixed, want)
		}
	}
}

func TestRedesigns(t *testing.T) {
	shape := map[rune]Shape{}
	for name, body := range map[rune]string{
		'o': oldSite(1), 'n': newSite(1), 'l': links(3, "Another kind of page") + "<dl><dt>a<dd>b</dl><form><fieldset>c</fieldset></form>",
	} {
		shape[name] = ShapeOf(opened(t, "text/html", body).Page)
	}
	tests := []struct {
		pages string
		want  []int
	}{
		{"", nil}, {"o", nil}, {"oooooo", nil},
		{"ooonnn", []int{3}},
		{"olononn", nil},      // kinds that alternate
		{"ololnnn", []int{4}}, // two kinds, then a redesign
		{"oonnnn", nil},       // too few before it
		{"oooonn", nil},       // too few after it
		{"ooonnnlll", []int{3, 6}},
	}
	for _, tt := range tests {
		var pages []Shape
		for _, c := range tt.pages {
			pages = append(pages, shape[c])
		}
		if got := Redesigns(pages); !slices.Equal(got, tt.want) {
			t.Errorf("Redesigns(%s) = %v, want %v", tt.pages, got, tt.want)
		}
	}
}

// TestSiteStyleHostile learns pages made to be deep or of many parts.
func TestSiteStyleHostile(t *testing.T) {
	s := NewSiteStyle()
	for _, body := range []string{
		strings.Repeat("<div>", 100_000), strings.Repeat("<div>x", 50_000), strings.Repeat("<b>x<div>", 20_000),
		strings.Repeat("<p>x<div class=a>y</div>", 20_000), "<p>" + strings.Repeat("x ", 100_000), strings.Repeat("<li><ul>", 30_000),
	} {
		b := opened(t, "text/html", body)
		s.Learn(b)
		s.Learn(b)
		for n, i := range s.Importances(b) {
			if !(i >= 0 && i <= 1) {
				t.Fatalf("block %d of %.20q has importance %v", n, body, i)
			}
		}
		SiteLabels(b, s)
	}
	if len(s.elements) > elementsMax || s.features > featuresMax {
		t.Errorf("%d elements and %d features are known, want %d and %d at most", len(s.elements), s.features, elementsMax, featuresMax)
	}
}

// TestSiteStyleBounded learns a page whose list has very many items, each of another structure. Like the
// elements, the styles of the tree are bounded.
func TestSiteStyleBounded(t *testing.T) {
	var page strings.Builder
	page.WriteString("<ul>")
	for i := range elementsMax + 100 {
		fmt.Fprintf(&page, "<li><p class=%s>a</p>", strings.Map(func(digit rune) rune { return digit - '0' + 'a' }, fmt.Sprint(i))) // names differ in letters only
	}
	s := NewSiteStyle()
	s.Learn(opened(t, "text/html", page.String()))
	styles := 0
	for i := range s.elements {
		styles += len(s.elements[i].styles)
	}
	if len(s.elements) != elementsMax || styles > elementsMax {
		t.Errorf("%d elements and %d styles, want %d and no more", len(s.elements), styles, elementsMax)
	}
}

// TestSharedSiteLabels shows that the label which knows other pages of the site
// says at least as well as the label which does not whether words are of an
// article.
func TestSharedSiteLabels(t *testing.T) {
	sites := map[string][]int{}
	articles := pagetest.Articles(t)
	bodies := make([]*divide.Body, len(articles))
	for i, a := range articles {
		bodies[i] = opened(t, "text/html", string(a.Body))
		sites[a.Host] = append(sites[a.Host], i)
	}
	pages, plain, styled := 0, 0.0, 0.0
	for _, list := range sites {
		if len(list) < 2 {
			continue
		}
		style := NewSiteStyle()
		for _, i := range list {
			style.Learn(bodies[i])
		}
		for _, i := range list {
			b, text := bodies[i], articles[i].Text
			pages++
			plain += wordF1(mainBlocks(b, Labels(b.Tree)), text)
			styled += wordF1(mainBlocks(b, SiteLabels(b, style)), text)
		}
	}
	plain, styled = plain/float64(pages), styled/float64(pages)
	t.Logf("%d pages: mean F1 of words %.3f by label, %.3f by site_label", pages, plain, styled)
	if styled < plain {
		t.Errorf("site_label has F1 %.3f, label %.3f", styled, plain)
	}
}

// mainBlocks is the text of the blocks labelled main.
func mainBlocks(b *divide.Body, labels []label.Label) string {
	var text strings.Builder
	for _, n := range b.Cut(mainLevel) {
		if labels[n] == label.Main {
			text.WriteString(b.Page.TextRange(b.Blocks[n].Start, b.Blocks[n].End, b.Charset) + "\n")
		}
	}
	return text.String()
}
