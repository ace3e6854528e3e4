package about

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
)

// TestHeadlines shows which links of a page are headlines.
func TestHeadlines(t *testing.T) {
	const page = `<html><body>
<div class="nav"><ul><li><a href="/a">All the news of today</a></li><li><a href="/b">Weather and traffic for you</a></li><li><a href="/c">Sport</a></li></ul></div>
<div class="content">
<h2><a href="/1">Storm leaves   thousands
without power</a></h2><p>The fire brigade was called out more than a hundred times in the night, and the harbour stays closed until tomorrow.</p>
<a href="/2"><img src="x.jpg"><h4>Accident on the coast road</h4><h3>Snow plough gets lost in fog</h3><p>A teaser that is longer than any headline and says again what has happened there in the night to Monday.</p></a>
<a href="/3"><span>12:30</span><br>Library is open on Sundays again<br>More about it here, and even more</a>
<a href="/4">Read more here</a>
<a href="/5">` + "图书馆新馆将于九月启用" + `</a> <a href="/6">` + "图书馆新馆" + `</a>
<a href="/7">` + "word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word" + `</a>
</div>
<div class="footer"><a href="/z">Imprint and terms of use</a></div>
</body></html>`
	b, ok := divide.Open([]byte(page), divide.As{ContentType: "text/html; charset=utf-8"}, divide.Options{})
	if !ok {
		t.Fatal("the page is not read")
	}
	var main, other []string
	for _, h := range Headlines(nil, b) {
		if h.Main {
			main = append(main, h.Text)
		} else {
			other = append(other, h.Text)
		}
	}
	if want := []string{"Storm leaves thousands without power", "Snow plough gets lost in fog", "Library is open on Sundays again", "图书馆新馆将于九月启用"}; !slices.Equal(main, want) {
		t.Errorf("got the headlines %q, want %q", main, want)
	}
	if want := []string{"All the news of today", "Weather and traffic for you", "Imprint and terms of use"}; !slices.Equal(other, want) {
		t.Errorf("outside of the main part: got %s, want %s", strings.Join(other, "; "), strings.Join(want, "; "))
	}
}

// TestHeadlinesOfNestedLinks shows that a link ends where a link inside it begins, and that an
// anchor without an address is no link. Otherwise each of many nested links is read to the end of
// the page.
func TestHeadlinesOfNestedLinks(t *testing.T) {
	read := func(page string) (texts []string, bytes uint64) {
		b, ok := divide.Open([]byte(page), divide.As{ContentType: "text/html; charset=utf-8"}, divide.Options{})
		if !ok {
			t.Fatal("the page is not read")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		headlines := Headlines(nil, b)
		runtime.ReadMemStats(&after)
		for _, h := range headlines {
			texts = append(texts, h.Text)
		}
		return texts, after.TotalAlloc - before.TotalAlloc
	}
	got, _ := read(`<body><a name=top><div>Welcome to the town in the hills <a href=1><div>Storm leaves thousands without power <a href=2>Snow plough gets lost in fog</a> More</div></a></div></a></body>`)
	if want := []string{"Storm leaves thousands without power", "Snow plough gets lost in fog"}; !slices.Equal(got, want) {
		t.Errorf("got the headlines %q, want %q", got, want)
	}
	// The texts of 3000 links would have 36 MB if each had all that is inside of it.
	if _, used := read(strings.Repeat("<a href=x><div>no line ", 3000)); used > 10<<20 {
		t.Errorf("the headlines of 3000 nested links take %d bytes", used)
	}
}
