package article_test

import (
	"strings"
	"testing"
	"time"

	"infomall/store/block/divide"
	"infomall/store/page/article"
	"infomall/store/record"
)

// at returns the time that text, such as 2008-08-08 20:00, names in UTC.
func at(t *testing.T, text string) record.Time {
	t.Helper()
	for _, form := range []string{"2006-01-02 15:04", time.DateOnly} {
		if at, err := time.Parse(form, text); err == nil {
			return record.At(at)
		}
	}
	t.Fatalf("no time: %q", text)
	return 0
}

// shown returns a date as text: its period, and from where it is.
func shown(d article.Date) string {
	form := map[article.Precision]string{article.Year: "2006", article.Month: "2006-01", article.Day: time.DateOnly, article.Minute: "2006-01-02 15:04"}[d.Precision]
	if form == "" {
		return ""
	}
	return d.Time.Std().Format(form) + " " + string(d.From)
}

// prose is running text, as articles have it.
const prose = `<p>The river had risen for three days, and the people of the lower town carried what they owned to the hill. Nobody slept in that night.</p>
<p>In the morning the water fell again, as fast as it had come, and the mayor counted the houses that were still there, one after the other.</p>`

// page returns a page of prose with a title. head goes into its head, and near between the title
// and the text.
func page(lang, head, near string) string {
	return `<html lang="` + lang + `"><head><title>The night of the river | Lower Town News</title>` + head + `</head><body><h1>The night of the river</h1>` + near + prose + `</body></html>`
}

// readPage reads a page that was captured at a time, such as "2008-08-20 10:00".
func readPage(t *testing.T, body, url, captured string, site *article.Site) article.Article {
	t.Helper()
	b, ok := divide.Open([]byte(body), divide.As{Mime: "text/html"}, divide.Options{})
	if !ok {
		t.Fatal("the page cannot be read")
	}
	in := input(b, url, at(t, captured))
	in.Captured, in.Site = in.Seen, site
	return article.Read(in)
}

// TestDateForms reads dates in the forms of many languages, in a line under the title.
func TestDateForms(t *testing.T) {
	for _, c := range []struct{ lang, line, want string }{
		{"en", "August 8, 2008", "2008-08-08"},
		{"en", "Friday, August 8th, 2008 at 8:00 p.m.", "2008-08-08 20:00"},
		{"en", "8 Aug 2008, 20.05", "2008-08-08"},
		{"en", "Fri Aug 08 20:00:00 CST 2008", "2008-08-08 20:00"},
		{"en", "2008-08-08T20:05:00Z", "2008-08-08 20:05"},
		{"en", "By Ann Other, 20:05, 8 August 2008", "2008-08-08 20:05"},
		{"en", "13/8/2008", "2008-08-13"},
		{"en-us", "8/13/2008", "2008-08-13"},
		{"en-us", "8/7/2008", "2008-08-07"},
		{"en-gb", "8/7/2008", "2008-07-08"},
		{"de", "8.8.2008, 20:05 Uhr", "2008-08-08 20:05"},
		{"de", "Freitag, 8. August 2008 | 20.05 Uhr", "2008-08-08 20:05"},
		{"de", "von Klaus Beispiel, 8.5.08", "2008-05-08"},
		{"de", "12. Jänner 2008", "2008-01-12"},
		{"fr", "Publié le 8 août 2008 à 20h05", "2008-08-08 20:05"},
		{"fr", "1er juillet 2008", "2008-07-01"},
		{"es", "8 de agosto de 2008", "2008-08-08"},
		{"it", "8 agosto 2008 - 20:05", "2008-08-08 20:05"},
		{"pt", "8 de março de 2008", "2008-03-08"},
		{"nl", "8 maart 2008", "2008-03-08"},
		{"pl", "8 sierpnia 2008", "2008-08-08"},
		{"pl", "8 listopada 2007", "2007-11-08"},
		{"hr", "8. listopada 2007.", "2007-10-08"},
		{"ru", "8 августа 2008, 20:05", "2008-08-08 20:05"},
		{"cs", "8. srpna 2008", "2008-08-08"},
		{"hu", "2008. augusztus 8.", "2008-08-08"},
		{"lt", "2008 m. rugpjūčio 8 d.", "2008-08-08"},
		{"tr", "8 Ağustos 2008", "2008-08-08"},
		{"el", "8 Αυγούστου 2008", "2008-08-08"},
		{"sv", "8 augusti 2008 kl 20:05", "2008-08-08 20:05"},
		{"fi", "8. elokuuta 2008", "2008-08-08"},
		{"zh", "2008年8月8日 20:05", "2008-08-08 20:05"},
		{"zh", "二○○八年八月八日", "2008-08-08"},
		{"zh", "二〇〇八年七月二十三日", "2008-07-23"},
		{"zh", "２００８年８月８日", "2008-08-08"},
		{"zh", "08-08-08 20:05", "2008-08-08 20:05"},
		{"zh", "2008年08月08日20时05分 来源：新华网", "2008-08-08 20:05"},
		{"zh", "民國97年8月8日", "2008-08-08"},
		{"ja", "平成20年8月8日", "2008-08-08"},
		{"ko", "2008년 8월 8일", "2008-08-08"},
		{"hi", "८ अगस्त २००८", "2008-08-08"},
		{"ar", "8 أغسطس 2008", "2008-08-08"},
		// Counted from the capture on 20 August, 02:00 UTC.
		{"en", "3 hours ago", "2008-08-19"},
		{"en", "Yesterday", "2008-08-19"},
		{"en", "2 days ago", "2008-08-18"},
		{"de", "vor 3 Stunden", "2008-08-20"}, // 00:00 there
		{"de", "gestern", "2008-08-19"},
		{"fr", "hier", "2008-08-19"},
		{"zh", "3小时前", "2008-08-20"}, // 07:00 there
		{"zh", "前天 20:05", "2008-08-18"},
		// No dates.
		{"en", "Call 555-08-08-2008 now", ""},
		{"en", "Version 8.8.20081", ""},
		{"en", "In version 2.4.08 and later", ""},
		{"ja", "2.4.08 以降", ""},
		{"de", "Version 3.6.08.1", ""},
		{"en", "32 August 2008", ""},
		{"en", "31/2/2008", ""},
		{"en", "It may 12:30 be", ""},
		{"en", "9 August 2009", ""}, // later than the capture
	} {
		got := shown(readPage(t, page(c.lang, "", "<div>"+c.line+"</div>"), "", "2008-08-20 02:00", nil).Published)
		want := c.want
		if want != "" {
			want += " text"
		}
		if got != want {
			t.Errorf("%s %q: %q, want %q", c.lang, c.line, got, want)
		}
	}
}

// TestPlaces reads days from the places where pages say them, and not from others.
func TestPlaces(t *testing.T) {
	comments := `<div class="comments">` + strings.Repeat("<p>Posted by a reader on 9 August 2008</p><p>Posted by a reader on 10 August 2008</p>", 3) + `</div>`
	for _, c := range []struct{ name, url, head, near, published, modified string }{
		{"meta", "", `<meta property="article:published_time" content="2008-08-08T20:05:00+08:00">`, "", "2008-08-08 12:05 meta", ""},
		{"another day in UTC", "", `<meta property="article:published_time" content="2008-08-08T02:05:00+08:00">`, "", "2008-08-08 meta", ""},
		{"the day of readers", "", `<meta property="article:published_time" content="2008-08-09T01:05:00Z">`, "<p>August 8, 2008</p>", "2008-08-08 meta", ""},
		{"digits", "", `<meta name="pubdate" content="20080808">`, "", "2008-08-08 meta", ""},
		{"seconds", "", `<meta name="publish_date" content="1218196800">`, "", "2008-08-08 12:00 meta", ""},
		{"changed", "", `<meta property="article:modified_time" content="2008-08-09">`, "", "", "2008-08-09 meta"},
		{"json-ld", "", `<script type="application/ld+json">{"@graph":[{"@type":"WebSite"},{"@type":"NewsArticle","datePublished":"2008-08-08","author":[{"name":"Ann Other"}]}]}</script>`, "", "2008-08-08 json-ld", ""},
		{"broken json-ld", "", `<script type="application/ld+json">{"@type":"Article","headline":"He said "no"","datePublished":"2008-08-08",</script>`, "", "2008-08-08 json-ld", ""},
		{"json-ld of a comment", "", `<script type="application/ld+json">{"@type":"Article","comment":[{"@type":"Comment","datePublished":"2008-08-08"}]}</script>`, "", "", ""},
		{"program", "", `<script>var page = {"published_at":"2008-08-08"}</script>`, "", "2008-08-08 json-ld", ""},
		{"programs that disagree", "", `<script>var list = [{"published_at":"2008-08-08"},{"published_at":"2008-08-07"}]</script>`, "", "", ""},
		{"time", "", "", `<time datetime="2008-08-08">on Friday</time>`, "2008-08-08 time", ""},
		{"url", "http://a.example/2008/08/08/river.html", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/news/20080808/river.html", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/t20080808_123.htm", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/c/2008-08/08/content_1.htm", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/2008/aug/08/river", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/200808/08/river", "", "", "2008-08-08 url", ""},
		{"url", "http://a.example/2008-08/1218196800.html", "", "", "2008-08-08 url", ""},
		{"month of a url", "http://a.example/2008/08/river.html", "", "", "2008-08 url", ""},
		{"day beside the month of a url", "http://a.example/2008/08/river.html", "", "<p>8 August</p>", "2008-08-08 text", ""},
		{"no date in a url", "http://a.example/98765432/river-12345678901.html", "", "", "", ""},
		{"no date in a url", "http://a.example/00/00000403.html", "", "", "", ""},
		{"canonical url", "http://a.example/river", `<link rel="canonical" href="http://a.example/2008/08/08/river.html">`, "", "2008-08-08 url", ""},
		{"label in another line", "", "", "<dl><dt>Published</dt><dd>8 August 2008</dd></dl>", "2008-08-08 text", ""},
		{"published and updated", "", "", "<p>Published 8 August 2008 | Updated 9 August 2008</p>", "2008-08-08 text", "2008-08-09 text"},
		{"labels of the next date", "", "", "<p>2008-08-08 updated 2008-08-09</p>", "2008-08-08 text", "2008-08-09 text"},
		{"labels before a colon", "", "", "<p>2008-08-08 更新：2008-08-09</p>", "2008-08-08 text", "2008-08-09 text"},
		{"labels after dates", "", "", "<p>2008-08-08发布 2008-08-09更新</p>", "2008-08-08 text", "2008-08-09 text"},
		{"updated only", "", "", "<p>Updated 9 August 2008</p>", "", "2008-08-09 text"},
		{"copyright", "", "", "<p>© 8 August 2008</p>", "", ""},
		{"announced", "", "", "<p>The next meeting takes place on 8 August 2008.</p>", "", ""},
		{"period", "", "", "<p>8 August 2008 to 10 August 2008</p>", "", ""},
		{"list", "", "", "<ul><li>8 August 2008</li><li>9 August 2008</li><li>10 August 2008</li></ul>", "", ""},
		{"home page", "http://a.example/", "", "<p>8 August 2008</p>", "", ""},
		{"comments", "", "", comments, "", ""},
		{"date and comments", "", "", "<p>8 August 2008</p>" + comments, "2008-08-08 text", ""},
	} {
		a := readPage(t, page("en", c.head, c.near), c.url, "2008-08-20 02:00", nil)
		if p, m := shown(a.Published), shown(a.Modified); p != c.published || m != c.modified {
			t.Errorf("%s %s: published %q, modified %q; want %q, %q", c.name, c.url, p, m, c.published, c.modified)
		}
	}
}

// TestNames reads titles, authors and sources.
func TestNames(t *testing.T) {
	for _, c := range []struct{ body, title, author, source string }{
		{page("en", "", "<p>By Ann Other, 8 August 2008</p>"), "The night of the river", "Ann Other", ""},
		{page("en", `<meta name="author" content="Ann Other">`, ""), "The night of the river", "Ann Other", ""},
		{page("en", "", `<p><a rel="author" href="/ann">Ann Other</a></p>`), "The night of the river", "Ann Other", ""},
		{page("en", "", "<p>By the river we sat down and wept for a long time.</p>"), "The night of the river", "", ""},
		{page("de", "", "<p>Von Anna Beispiel</p><p>Quelle: dpa</p>"), "The night of the river", "Anna Beispiel", "dpa"},
		{`<html lang="zh"><title>河边的一夜_新闻中心_某某网</title><h2>河边的一夜</h2><p>2008年8月8日 来源：新华网 作者：王小明</p>` + strings.Repeat("<p>河水连涨三天，下城的居民把家当搬到山上。那天夜里没有人睡觉，大家都在等待天亮。</p>", 4), "河边的一夜", "王小明", "新华网"},
		{`<title>Lower Town News - The night of the river and what came of it</title>` + prose, "Lower Town News - The night of the river and what came of it", "", ""},
		{`<title>The night of the river - Lower Town News</title>` + prose, "The night of the river", "", ""},
		{`<title>Lower Town News</title><meta property="og:title" content="The night of the river"><h1>Lower Town News</h1>` + prose, "Lower Town News", "", ""},
	} {
		a := readPage(t, c.body, "http://a.example/", "2008-08-20 02:00", nil)
		if a.Title != c.title || a.Author != c.author || a.Source != c.source {
			t.Errorf("%.60s: title %q, author %q, source %q; want %q, %q, %q", c.body, a.Title, a.Author, a.Source, c.title, c.author, c.source)
		}
	}
}

// TestSite learns from other pages of a host which name its titles share, and that it writes the
// day first.
func TestSite(t *testing.T) {
	site := article.NewSite()
	for _, other := range []string{"A dry summer", "Bread is dear", "The bridge is closed"} {
		body := `<title>Lower Town: ` + other + `</title><h1>` + other + `</h1><p>23/7/2008</p>` + prose
		b, _ := divide.Open([]byte(body), divide.As{Mime: "text/html"}, divide.Options{})
		site.Learn(&article.Input{Page: b.Page, Charset: b.Charset})
	}
	body := `<html lang="en"><title>Lower Town: The night of the river</title><p>8/9/2008</p>` + prose
	for _, c := range []struct {
		site       *article.Site
		title, day string
	}{{nil, "Lower Town: The night of the river", "2008-08-09 text"}, {site, "The night of the river", "2008-09-08 text"}} {
		a := readPage(t, body, "http://a.example.com/river", "2008-10-20 02:00", c.site)
		if got := shown(a.Published); a.Title != c.title || got != c.day {
			t.Errorf("with site %v: title %q, published %q; want %q, %q", c.site != nil, a.Title, got, c.title, c.day)
		}
	}
}

// TestLongHeadline reads a page whose JSON-LD has a headline that is none.
func TestLongHeadline(t *testing.T) {
	body := `<html lang="en"><title>Lower Town</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"` + strings.Repeat("a - ", 300) + `"}</script>` + prose
	if a := readPage(t, body, "http://a.example.com/river", "2008-10-20 02:00", nil); a.Title != "Lower Town" {
		t.Errorf("title %.60q, want that of the page", a.Title)
	}
}

// TestScore gives an article a high score, and a list of links a low one.
func TestScore(t *testing.T) {
	long := readPage(t, page("en", "", "<p>8 August 2008</p>"+strings.Repeat(prose, 3)), "", "2008-08-20 02:00", nil)
	list := readPage(t, `<title>Lower Town News</title>`+strings.Repeat(`<li><a href="/a">The night of the river, and what came of it</a> 8 August 2008</li>`, 30), "", "2008-08-20 02:00", nil)
	if long.Score < .8 || list.Score > .3 {
		t.Errorf("an article has the score %v and a list %v", long.Score, list.Score)
	}
}

// TestCharsets reads a page that is not in UTF-8.
func TestCharsets(t *testing.T) {
	body := strings.ReplaceAll(page("de", `<meta charset="iso-8859-1">`, "<p>8. M\xe4rz 2008 | Quelle: M\xfcnchner Bote</p>"), "river", "\xdcberfall")
	a := readPage(t, body, "", "2008-08-20 02:00", nil)
	if shown(a.Published) != "2008-03-08 text" || a.Source != "Münchner Bote" || a.Title != "The night of the Überfall" {
		t.Errorf("published %q, source %q, title %q", shown(a.Published), a.Source, a.Title)
	}
}

// TestHostile reads pages that are made to be slow or wrong. Each must be read, in time that
// grows with its length.
func TestHostile(t *testing.T) {
	const n = 1 << 16
	for _, body := range []string{
		`<script type="application/ld+json">` + strings.Repeat("[{", n), `<script type="application/ld+json">` + strings.Repeat(`"datePublished":"2008-08-08"}`, n/8),
		`<title>` + strings.Repeat("1", n), `<h1>` + strings.Repeat("2008 ", n), strings.Repeat("<p>8 August 2008", n/8), strings.Repeat("<time>8 August 2008", n/8),
		strings.Repeat("<meta name=date content=20080808>", n/8), strings.Repeat("<!-- published 2008-08-08 -->", n/8), `<meta name=date content="` + strings.Repeat("9", n) + `">`,
		strings.Repeat("<div class=comment>", n/8) + "8 August 2008", "<p>" + strings.Repeat("\xff\xfe二", n/8), `<script>` + strings.Repeat("published_at=\"", n/8), "<title>", "<h1></h1>", "\\",
	} {
		b, ok := divide.Open([]byte(body), divide.As{Mime: "text/html"}, divide.Options{})
		if !ok {
			continue
		}
		for _, url := range []string{"", "/", "http://", "http://a/" + strings.Repeat("2008/", n/8), "http://a/2008", "http://a/20080", "http://a/200808/"} {
			in := input(b, url, record.NoTime)
			article.Read(in)
			article.NewSite().Learn(in)
		}
	}
}

// TestTitleSpelled finds titles whose heading has other quotation marks and dashes than the title of
// the window, or other words. A title is not cut within a sentence.
func TestTitleSpelled(t *testing.T) {
	for _, c := range []struct{ window, heading, want string }{
		{"Netflix and DON'T chill: A series - Lower Town News", "Netflix and DON’T chill: A series", "Netflix and DON’T chill: A series"},
		{`Mayor: "We mend the bridge" | Lower Town News`, "Mayor: „We mend the bridge“", "Mayor: „We mend the bridge“"},
		{"The river rises - the town pays the bill - Lower Town News", "The river rises – the town pays the bill", "The river rises – the town pays the bill"},
		{"The night of the river that was in a flood - Lower Town News", "The night of the river that was in the highest flood", "The night of the river that was in the highest flood"},
		{"The night of the river | Lower Town News", "At home: The night of the river", "The night of the river"},
		{"The night of the river? What came of it", "In short: The night of the river?", "The night of the river?"},
	} {
		a := readPage(t, "<title>"+c.window+"</title><h1>"+c.heading+"</h1>"+prose, "", "2008-08-20 02:00", nil)
		if a.Title != c.want {
			t.Errorf("%s, %s: title %q, want %q", c.window, c.heading, a.Title, c.want)
		}
	}
}
