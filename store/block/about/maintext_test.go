package about

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/page/pagetest"
	"infomall/store/words"
)

// Texts of the tests, long enough to be prose.
const (
	firstParagraph  = "The library of the school is closed in July, as it was last year, while the roof is made anew."
	secondParagraph = "Books may be brought back all the time, through the slot in the door, and nothing is due before September."
	thirdParagraph  = "Who needs a book for a paper asks at the office, which is open from nine to noon, and gets it the next day."
	remark          = "I think that this is a great idea, and my friends think so too, whatever others may say about it."
	chineseText     = "学校图书馆七月份闭馆，因为屋顶正在维修，与去年相同。还书可随时投入门口的还书箱，九月以前的书都不算过期，请各位读者互相转告，谢谢合作。需要用书写论文的同学，请于上午九点到十二点到办公室登记，第二天即可取书，办公室在行政楼二层，电话不变，有事请提前预约，周末不办公。"
)

// cookieQuestion has more words than the article that it covers.
var cookieQuestion = strings.Repeat("<p>We use cookies on this site. Some of them are essential, others help us to improve the site and what you see of it, if you agree.</p>", 8)

// What old pages have beside their text.
const (
	browserNotice = "Your browser does not support JavaScript, or it is turned off. To see this page as it was meant, upgrade to a newer browser, or turn JavaScript on."
	keywords      = "news, headlines, world news, local news, sport, football, weather, weather forecast, stocks, markets, travel, hotels, flights, health, books, music, films, games, television, radio, science, space, schools"
	aboutBrowsers = "A browser reads a page from its top, and shows what it knows before the rest has come, which is why pictures should say how large they are, and tables how wide, or else the text jumps about while people read it."
)

func paragraphs(texts ...string) string { return "<p>" + strings.Join(texts, "</p>\n<p>") + "</p>" }

func opened(t *testing.T, mime, body string) *divide.Body {
	t.Helper()
	b, ok := divide.Open([]byte(body), divide.As{Mime: mime, ContentType: mime + "; charset=utf-8"}, divide.Options{})
	if !ok {
		t.Fatalf("%.40q does not divide", body)
	}
	return b
}

// links makes a list of links to pages whose names have some words.
func links(n int, text string) string {
	return "<ul>" + strings.Repeat("<li><a href=/x>"+text+"</a></li>\n", n) + "</ul>"
}

func TestMainText(t *testing.T) {
	article := paragraphs(firstParagraph, secondParagraph, thirdParagraph)
	want := strings.Join([]string{firstParagraph, secondParagraph, thirdParagraph}, "\n")
	frame := func(inside string) string {
		return "<html><body><div id=top>" + links(9, "Part of the site") + "</div>" + inside + "<div id=foot>" + links(6, "About us") + "</div></body></html>"
	}
	tests := []struct{ name, mime, body, want string }{
		{"in a frame", "text/html", frame("<div>" + article + "</div>"), want},
		{"of table cells", "text/html", "<table><tr><td>" + links(9, "Part of the site") + "</td><td>" + article + "</td></tr></table>", want},
		{"with links to like pages in it", "text/html", frame("<div>" + paragraphs(firstParagraph) + links(5, "Also the office is closed in July") + paragraphs(secondParagraph, thirdParagraph) + "</div>"), want},
		{"with a table in it", "text/html", frame("<div>" + paragraphs(firstParagraph) + "<table><tr><th>Day<th>Hours<tr><td>Monday<td>9 to 5<tr><td>Sunday<td>closed</table>" + paragraphs(secondParagraph) + "</div>"),
			firstParagraph + "\nDay\tHours\nMonday\t9 to 5\nSunday\tclosed\n" + secondParagraph},
		{"with remarks of readers below", "text/html", frame("<div><div>" + article + "</div><div class=comment-list>" + paragraphs(remark, remark) + "</div></div>"), want},
		{"a page that is one form", "text/html", "<form id=form1>" + frame("<div>"+article+"</div>") + "</form>", want},
		{"its name does not say that it is a comment", "text/html", frame("<div class=comments-open>" + article + "</div>"), want},
		{"Chinese", "text/html", frame("<div>" + paragraphs(chineseText) + "</div>"), chineseText},
		{"plain text", "text/plain", firstParagraph + "\n\n" + secondParagraph + "\n", firstParagraph + "\n" + secondParagraph},
		{"above it a notice to browsers", "text/html", "<table><tr><td>" + links(9, "Part of the site") + "</td><td><p>" + browserNotice + "</p>" + article + "</td></tr></table>", want},
		{"below it keywords", "text/html", frame("<div>" + article + "<p><font color=white size=1>" + keywords + "</font></p></div>"), want},
		{"much less than keywords", "text/html", frame("<div>" + strings.Repeat("<p><font size=1>"+keywords+"</font></p>", 6) + "</div><div>" + article + "</div>"), want},
		{"a short text and a notice", "text/html", "<body><table><tr><td>" + browserNotice + "</td></tr><tr><td>" + firstParagraph + "</td></tr></table></body>", firstParagraph},
		{"a text about browsers", "text/html", frame("<div>" + paragraphs(firstParagraph, aboutBrowsers, thirdParagraph) + "</div>"), firstParagraph + "\n" + aboutBrowsers + "\n" + thirdParagraph},
		{"a list with commas", "text/html", frame("<div>" + paragraphs(firstParagraph, secondParagraph+" Bring paper, pens, ink, tape, glue, and a lamp.") + "</div>"), firstParagraph + "\n" + secondParagraph + " Bring paper, pens, ink, tape, glue, and a lamp."},
		{"the one sentence is the footer's", "text/html", "<body><div>" + links(3, "Part") + "</div><table>" + strings.Repeat("<tr><td>a name</td><td>what it is</td></tr>", 40) +
			"</table><div class=footer>This page was made on the first day of September, in the year 2022, by hand.</div></body>", strings.Repeat("a name\twhat it is\n", 39) + "a name\twhat it is"},
		{"covered by a question about cookies", "text/html", frame("<div>"+article+"</div>") + "<div class='fade CookieNotice'>" + cookieQuestion + "</div>", want},
		{"covered by a dialog", "text/html", "<div role=dialog>" + cookieQuestion + "</div>" + frame("<div>"+article+"</div>"), want},
		{"under a question in a script of markup", "text/html", frame("<div>"+article+"</div>") + "<script type='text/template' id=cookie-box>" + cookieQuestion + "</script>", want},
		{"named like a popup of a design", "text/html", frame("<div class=dialog-off-canvas>" + article + "</div>"), want},
		{"filed under cookies", "text/html", frame("<div class='post category-cookies'>" + article + "</div>"), want},
		{"all of a page is about cookies", "text/html", frame("<div class=cookies>" + article + "</div>"), want},
		{"with a link to a popup", "text/html", frame("<div><p><a class=popup href=/x>" + firstParagraph[:3] + "</a>" + firstParagraph[3:] + "</p>" + paragraphs(secondParagraph, thirdParagraph) + "</div>"), want},
		{"its parts are named widgets", "text/html", frame("<div><div class='tool-element tool-widget'>" + paragraphs(firstParagraph) + "</div><div class=tool-widget>" + paragraphs(secondParagraph, thirdParagraph) + "</div></div>"), want},
		{"a widget in it", "text/html", frame("<div>" + paragraphs(firstParagraph) + "<div class='widget_text'>" + paragraphs(remark) + "</div>" + paragraphs(secondParagraph, thirdParagraph) + "</div>"), want},
		{"under a message of PHP", "text/html", "<div><br><b>Warning</b>: include(): the file was not found, or it cannot be read, in <b>/www/top.php</b> on line <b>12</b><br><div>" + article + "</div></div>", want},
		{"no prose", "text/html", "<h1>Notice</h1><p>Closed today</p>", "Notice\nClosed today"},
	}
	for _, tt := range tests {
		if got := MainText(opened(t, tt.mime, tt.body)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPageType(t *testing.T) {
	many, short := links(90, "Part of the site"), "<div>"+paragraphs(firstParagraph, secondParagraph)+"</div>"
	tests := []struct {
		name, body string
		want       PageType
	}{
		{"article", paragraphs(firstParagraph, secondParagraph, thirdParagraph), DetailPage},
		{"article in a frame", links(9, "Part of the site") + "<div>" + paragraphs(firstParagraph, secondParagraph, thirdParagraph) + "</div>", DetailPage},
		{"Chinese article", paragraphs(chineseText), DetailPage},
		{"headlines", links(30, "The library of the school is closed"), ListPage},
		{"headlines with a sentence each", strings.Repeat("<h3><a href=/x>The library is closed</a></h3>"+paragraphs(firstParagraph), 20), ListPage},
		{"a few words", "<p>Closed today</p>", Unknown},
		{"short article with many links around it", "<title>New roof for the old mill - The Valley Post</title>" + many + "<h1>New roof for the old mill</h1>" + short + many, DetailPage},
		{"its heading has other letters", "<title>NEW ROOF FOR THE OLD MILL!</title>" + many + "<h2><b>New</b> roof for the old mill</h2>" + short + many, DetailPage},
		{"Chinese, with many links", "<title>图书馆今天起延长开放时间_校园新闻</title>" + many + "<h1>图书馆今天起延长开放时间</h1>" + paragraphs(chineseText) + many, DetailPage},
		{"the page says that it is an article", "<meta property=og:type content=article>" + many + short + many, DetailPage},
		{"the page has a time of publication", "<meta property=article:published_time content=2019-10-19>" + many + short + many, DetailPage},
		{"long text with many links", many + "<div>" + strings.Repeat(short, 7) + "</div>" + links(30, "Part of the site"), DetailPage},
		{"a word of welcome among many links", "<title>The Valley Post</title>" + many + "<h1>The Valley Post</h1>" + short + many, ListPage},
		{"it says that it is a site", "<meta property=og:type content=website>" + many + short + many, ListPage},
		{"headlines of a page that says it is an article", "<meta property=og:type content=article>" + strings.Repeat("<h3><a href=/x>The library is closed</a></h3>"+paragraphs(firstParagraph), 20), ListPage},
		{"nothing but links on a page that says it is an article", "<meta property=og:type content=article>" + many, ListPage},
	}
	for _, tt := range tests {
		if got := TypeOf(opened(t, "text/html", tt.body)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSharedMainText compares main texts with those that people marked, word
// by word.
func TestSharedMainText(t *testing.T) {
	var sum float64
	articles := pagetest.Articles(t)
	for _, a := range articles {
		sum += wordF1(MainText(opened(t, "text/html", string(a.Body))), a.Text)
	}
	mean := sum / float64(len(articles))
	t.Logf("%d pages, mean F1 of words %.3f", len(articles), mean)
	if mean < .9 {
		t.Errorf("mean F1 of words is %.3f, want .9", mean)
	}
}

// TestSharedPageTypes counts the articles that are not found to be pages of detail, and
// the home pages that are. The constants of PageType were chosen on these pages, so more
// of unseen pages are wrong.
func TestSharedPageTypes(t *testing.T) {
	root := pagetest.Shared(t)
	var wrong, pages [DetailPage + 1]float64
	count := func(b *divide.Body, want PageType) {
		pages[want]++
		if got := TypeOf(b); (got == DetailPage) != (want == DetailPage) {
			wrong[want]++
		}
	}
	for _, a := range pagetest.Articles(t) {
		count(opened(t, "text/html", string(a.Body)), DetailPage)
	}
	dates, err := os.ReadFile(filepath.Join(root, "dates", "dates.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	dated := map[string]bool{}
	for line := range strings.Lines(string(dates)) {
		if f := strings.Split(strings.TrimSpace(line), "\t"); len(f) == 3 {
			dated[f[0]] = true
		}
	}
	names, bodies := pagetest.Files(t, filepath.Join(root, "dates", "pages.tar.zst"), ".html")
	for i, body := range bodies {
		if len(body) > 0 && dated[filepath.Base(names[i])] {
			count(opened(t, "text/html", string(body)), DetailPage)
		}
	}
	for _, body := range pagetest.Bodies(t, filepath.Join(root, "segmentation", "dataset-popular-html.tar.zst"), ".html.orig") {
		count(opened(t, "text/html", string(body)), ListPage)
	}
	for p, most := range map[PageType]float64{DetailPage: .06, ListPage: .16} {
		share := wrong[p] / pages[p]
		t.Logf("%s: %.3f of %.0f pages are wrong", p, share, pages[p])
		if share > most {
			t.Errorf("%.3f of the pages that are %s are taken for something else, want %.2f at most", share, p, most)
		}
	}
}

// wordF1 is the harmonic mean of precision and recall over words, however they
// are ordered.
func wordF1(got, want string) float64 {
	var g, w []string
	for _, word := range words.Of(strings.ToLower(got)) {
		g = append(g, word)
	}
	for _, word := range words.Of(strings.ToLower(want)) {
		w = append(w, word)
	}
	slices.Sort(g)
	slices.Sort(w)
	common := 0
	for i, j := 0, 0; i < len(g) && j < len(w); {
		switch {
		case g[i] == w[j]:
			common, i, j = common+1, i+1, j+1
		case g[i] < w[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(common) / float64(max(1, len(g)+len(w)))
}
