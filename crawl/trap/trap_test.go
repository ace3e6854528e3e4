package trap

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// words returns a different text for each number.
func words(n int) string {
	var b strings.Builder
	for i := range 8 {
		fmt.Fprintf(&b, "%s%s ", strings.Repeat(string(rune('a'+n%26)), 1+n/26%5), string(rune('b'+(i*7+n/130)%20)))
	}
	return b.String()
}

// TestNote shows after how many pages a kind counts as a trap, if each page
// links to the next one.
func TestNote(t *testing.T) {
	const many = 3000
	for _, c := range []struct {
		name, url, page string
		min, max        int
	}{
		{"other words", "http://a.cn/item?id=%d", "<p>Item WORDS</p>", many, many},
		{"other images", "http://a.cn/photo/%d", "<p>Photo %d</p><img src=/i/%[1]d.jpg>", many, many},
		{"it says where it ends", "http://a.cn/photo/%d", "<p>Photo %d of 3000</p>", many, many},
		{"numbers", "http://a.cn/n/%d", "<p>You are visitor %d</p>", 200, 400},
		{"the same", "http://a.cn/n/%d", "<p>Nothing here</p>", 35, 45},
		{"dates", "http://a.cn/?month=%d", "<p>Month %d: no events</p>", 35, 45},
		{"the URL", "http://a.cn/lost/x%d/", "<p>There is no page lost x%d</p>", 200, 400},
		{"counted images", "http://a.cn/n/%d", "<p>Nothing here</p><img src=/count.gif?rand=%d0123456>", 35, 45},
	} {
		s := NewSite(0, nil)
		barren, n := 0, 0
		for ; n < many; n++ {
			u := strings.ReplaceAll(c.url, "%d", fmt.Sprint(n+1))
			if s.Refuse(u, barren) != "" {
				break
			}
			html := c.page
			if strings.Contains(html, "%") {
				html = fmt.Sprintf(html, n+1)
			}
			html = strings.ReplaceAll(html, "WORDS", words(n))
			barren++
			if fresh, _ := s.Note(Page{URL: u, Barren: barren, Print: NewPrint(u, []byte(html))}); fresh {
				barren = 0
			}
			if n == 20 { // a Site that was stored and read decides as before
				b, err := s.Append(nil)
				if err != nil {
					t.Fatal(err)
				}
				if s, err = ReadSite(b, 0, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n < c.min || n > c.max {
			t.Errorf("%s: a trap after %d pages, want %d to %d", c.name, n, c.min, c.max)
		}
	}
}

// TestVisits shows which parts of URLs are found to name visits.
func TestVisits(t *testing.T) {
	for _, c := range []struct {
		name   string
		url    string // %s is a value, %d the page
		normal string // of the last URL; "" for the URL itself
		same   bool   // the pages are the same under each value
	}{
		{"argument", "http://a.cn/p%d?token=%s&x=1", "http://a.cn/p9?x=1", true},
		{"semicolon", "http://a.cn/p%d;jsessionid=%s?x=1", "http://a.cn/p9?x=1", true},
		{"folder", "http://a.cn/(S(%[2]s))/p%[1]d.aspx", "http://a.cn/p9.aspx", true},
		{"folder of hex digits", "http://a.cn/x/%[2]s/p%[1]d.html", "http://a.cn/x/p9.html", true},
		{"identifiers of pages", "http://a.cn/article?sid=%[2]s&s=%[1]d", "", false},
	} {
		s := NewSite(0, nil)
		u := ""
		for value := range 3 {
			for n := range 10 {
				id := fmt.Sprintf("%x%d", 0xabcdef+value*99991, value)
				u = fmt.Sprintf(c.url, n, id)
				text := words(n)
				if !c.same {
					text = words(n*10 + value + 100)
				}
				s.Note(Page{URL: u, Print: NewPrint(u, []byte("<p>"+text))})
			}
		}
		want := c.normal
		if want == "" {
			want = u
		}
		if got := s.Normal(u); got != want {
			t.Errorf("%s: %s stands for %s, want %s", c.name, u, got, want)
		}
		if got := s.Fetched(want); got != (c.normal != "") {
			t.Errorf("%s: fetched before it was found out: %v", c.name, got)
		}
		b, err := s.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if s, err = ReadSite(b, 0, nil); err != nil {
			t.Fatal(err)
		}
		if got := s.Normal(u); got != want || s.Fetched(want) != (c.normal != "") {
			t.Errorf("%s: stored, %s stands for %s, want %s", c.name, u, got, want)
		}
	}
	s := NewSite(0, []string{"token"})
	for i := range 20 {
		u := fmt.Sprintf("http://a.cn/p%d?token=ab12cd%d", i%5, i)
		s.Note(Page{URL: u, Print: NewPrint(u, []byte("<p>"+words(i%5)))})
	}
	if s.NamesVisits() {
		t.Error("an argument that names pages is taken for the name of a visit")
	}
}

// TestKindsOf shows which URLs belong to the same kinds.
func TestKindsOf(t *testing.T) {
	for u, want := range map[string][]string{
		"http://a.cn/":                           {"/"},
		"http://a.cn/news/2008/a-long-title.htm": {"/news/#/*.htm"},
		"http://a.cn/t/17-print.html":            {"/t/#-print.html"},
		"http://a.cn/list?b=2&a=1":               {"/list?a?b", "/list?*"},
		"http://a.cn/a/b/a/b/x":                  {"/a/b/*"},
	} {
		if got := kindsOf(u); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", u, got, want)
		}
	}
}

// TestBound shows that a Site remembers what it meets again and again, and
// stays within its bound of memory.
func TestBound(t *testing.T) {
	s := NewSite(0, nil)
	s.Bound(2000)
	for n := range 20_000 {
		u := fmt.Sprintf("http://a.cn/%d?s=%d", n, n)
		s.Note(Page{URL: u, Print: NewPrint(u, []byte("<p>the same</p><p>"+words(n)))})
	}
	if _, ok := s.known.meet(NewPrint("", []byte("<p>the same</p>")).units[0], 0); !ok {
		t.Error("it has forgotten what is on each page")
	}
	n := 6 * (len(s.known.young.keys) + len(s.known.old.keys))
	for _, l := range s.slots {
		n += 200 + 50*len(l.first)
	}
	if n > 1<<20 {
		t.Errorf("it takes %d bytes", n)
	}
}

// TestUnits shows that a Print keeps the lowest units of a page, in order and
// each once, and reports whether it dropped any.
func TestUnits(t *testing.T) {
	page, all := "", []uint32(nil)
	for n := range 100 {
		block := "<p>" + words(n) + "</p>"
		one := NewPrint("http://a.cn/", []byte(block))
		if len(one.units) != 9 || one.cut { // the pairs of 8 words and both edges
			t.Fatalf("%s: %d units, cut: %v; want 9 units", block, len(one.units), one.cut)
		}
		page += block
		all = append(all, one.units...)
		slices.Sort(all)
		all = slices.Compact(all)
		want, cut := all[:min(len(all), unitsMax)], len(all) > unitsMax
		for _, html := range []string{page, page + page} {
			if p := NewPrint("http://a.cn/", []byte(html)); !slices.Equal(p.units, want) || p.cut != cut {
				t.Fatalf("%d blocks: units %x, cut: %v; want %x, %v", n+1, p.units, p.cut, want, cut)
			}
		}
	}
}

// BenchmarkNewPrint measures the time for the Print of one page, by what most
// of the page is.
func BenchmarkNewPrint(b *testing.B) {
	var prose, chinese strings.Builder
	for n := range 300 {
		fmt.Fprintf(&prose, "<p>%s and number %d.</p>\n", words(n), n)
		chinese.WriteString("<p>")
		for i := range 30 {
			chinese.WriteRune(rune(0x4e00 + (n*31+i*i*7)%5000))
		}
		chinese.WriteString("，</p>\n")
	}
	for _, c := range []struct{ name, page string }{
		{"prose", prose.String()},
		{"Chinese", chinese.String()},
		{"links", strings.Repeat("<div class='x'><p>Some words that stand in a page.</p><a href='/there'>and a link</a></div>\n", 300)},
		{"markup", strings.Repeat("<div class='box wide' id='b17' style='color: red'><a class='big blue' href='/there/is?a=page&b=2' title='A page'><img width=10 height=20 src='/pixel.gif'></a></div>\n", 200)},
		{"script", strings.Repeat("<script>for (i = 0; i < 10; i++) { document.write('<p>' + i + '</p>'); }</script><p>Some words.</p>\n", 300)},
	} {
		b.Run(c.name, func(b *testing.B) {
			page := []byte(c.page)
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				NewPrint("http://a.cn/page", page)
			}
		})
	}
}

// TestOpenComments reads a page of comments without end. The work for each must not grow with the page: else
// this test takes minutes.
func TestOpenComments(t *testing.T) {
	if p := NewPrint("http://a.cn/", []byte("<p>one two three"+strings.Repeat("<!-- >", 1<<19))); len(p.units) != 4 {
		t.Errorf("%d units, want 4", len(p.units))
	}
}

// TestManyParts shows that a URL with hundreds of parts that name visits takes little memory, and so little time.
func TestManyParts(t *testing.T) {
	s := NewSite(0, nil)
	s.slots = map[string]*slot{"/": {state: slotVisit}}
	u := "http://a.cn/" + strings.Repeat("a1b2c3/", 500)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := s.Normal(u); !strings.HasPrefix(u, got[:12]) || len(got) >= len(u) {
		t.Errorf("%s stands for %s", u, got)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
		t.Errorf("it took %d MB of memory, want 2", took>>20)
	}
}
