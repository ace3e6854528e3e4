package feed

import (
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/record"
)

const rss2 = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:d="http://purl.org/dc/elements/1.1/">
<channel>
<title>News &amp; Notes</title><link>http://a.example/</link><description>All the &lt;b&gt;news&lt;/b&gt;</description>
<language>en-GB</language><lastBuildDate>Thu, 12 Jun 2008 10:00:00 +0800</lastBuildDate><generator>WordPress</generator>
<managingEditor>wei@a.example (Li Wei)</managingEditor><category>world</category><category>sport</category>
<image><title>Logo</title><url>/logo.png</url></image>
<item><title>One &amp;amp; two</title><link>http://a.example/1</link><d:creator>Ann</d:creator><pubDate>Thu, 12 Jun 2008 00:00:00 GMT</pubDate>
<description>Short text of the first item …</description>
<content:encoded><![CDATA[<p>Short text of the first item and <a href="/more">more</a>.</p><p>Second&nbsp;paragraph</p>]]></content:encoded>
<enclosure url="http://a.example/1.mp3" type="audio/mpeg"/></item>
<item><title>Three</title><guid>http://a.example/3</guid><description>Line one&lt;br&gt;line two & three</description></item>
</channel></rss>`

// describe returns what a test compares: fields, sections, parts and links.
func describe(d *document.Document) string {
	var w strings.Builder
	line := func(name, value string) {
		if value != "" {
			w.WriteString(name + ": " + value + "\n")
		}
	}
	when := func(t record.Time) string {
		if t == record.NoTime {
			return ""
		}
		return t.Std().Format(time.DateTime)
	}
	line("title", d.Title)
	line("author", d.Author)
	line("description", d.Description)
	line("keywords", d.Keywords)
	line("producer", d.Producer)
	line("lang", d.Lang)
	line("created", when(d.Created))
	line("modified", when(d.Modified))
	line("reason", d.Reason)
	for _, s := range d.Sections {
		w.WriteString("[" + s.Kind.String() + " " + s.Name + "]\n")
		for _, p := range s.Parts {
			w.WriteString(map[document.PartKind]string{document.Heading: "# ", document.Table: "| "}[p.Kind] + p.Text + "\n")
		}
	}
	for _, l := range d.Links {
		w.WriteString("-> " + l.Target + " (" + l.Anchor + ")\n")
	}
	return w.String()
}

// TestFormats shows what is read from each format, good and damaged.
func TestFormats(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"RSS 2.0", rss2, `title: News & Notes
author: Li Wei
description: All the news
keywords: world, sport
producer: WordPress
lang: en-gb
modified: 2008-06-12 02:00:00
[ ]
# News & Notes
All the news
[item One & two]
# One & two
2008-06-12, Ann
Short text of the first item and more.
Second paragraph
[item Three]
# Three
Line one
line two & three
-> http://a.example/ (News & Notes)
-> /logo.png ()
-> http://a.example/1 (One & two)
-> http://a.example/1.mp3 ()
-> http://a.example/more (more)
-> http://a.example/3 (Three)
`},
		{"RSS 1.0", `<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="http://a.example/"><title>T</title><link>http://a.example/</link><description>D</description><dc:date>2008-06-12T10:00+08:00</dc:date>
<items><rdf:Seq><rdf:li resource="http://a.example/1"/></rdf:Seq></items></channel>
<item rdf:about="http://a.example/1"><title>I</title><link>http://a.example/1</link><description>X</description><dc:creator>A</dc:creator></item>
</rdf:RDF>`, `title: T
description: D
created: 2008-06-12 02:00:00
[ ]
# T
D
[item I]
# I
A
X
-> http://a.example/ (T)
-> http://a.example/1 (I)
`},
		{"Atom", `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de" xml:base="http://a.example/x/">
<title type="text">Use the &lt;b> tag</title><subtitle type="html">Sub &amp;amp; &lt;i>title&lt;/i></subtitle><updated>2008-06-12T10:00:00Z</updated>
<author><name>Ann</name><email>a@a.example</email></author><link rel="self" href="feed"/><link href="./"/>
<entry><title>E</title><link rel="alternate" href="1"/><link rel="enclosure" href="1.ogg"/><published>2008-06-11T00:00:00Z</published><updated>2008-06-12T00:00:00Z</updated>
<author><name>Bob</name></author><source><title>Other</title></source>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One <b>two</b></p><p>Three <a href="2">four</a></p></div></content></entry>
<entry><title>P</title><content type="image/png">aGVsbG8=</content></entry>
</feed>`, `title: Use the <b> tag
author: Ann
description: Sub & title
lang: de
modified: 2008-06-12 10:00:00
[ ]
# Use the <b> tag
Sub & title
[item E]
# E
2008-06-11, Bob
One two
Three four
[item P]
# P
-> http://a.example/x/ (Use the <b> tag)
-> http://a.example/x/1 (E)
-> http://a.example/x/1.ogg ()
-> http://a.example/x/2 (four)
`},
		{"Atom, one entry", `<entry xmlns="http://www.w3.org/2005/Atom"><title>E</title><author><name>Bob</name></author><published>2008-06-11T00:00:00Z</published><updated>2008-06-12T00:00:00Z</updated><summary>S</summary></entry>`,
			`title: E
author: Bob
created: 2008-06-11 00:00:00
modified: 2008-06-12 00:00:00
[item E]
# E
2008-06-11, Bob
S
`},
		{"damaged", "\n<rss><channel><title>T</title><item><title>A & B</title><dc:creator>C\x01</dc:creator><description><b>1 < 2<br></description><item><title>Next</title><description><![CDATA[cut o",
			`title: T
reason: the XML is damaged at line 2, column 102: "<" is not followed by a name
[ ]
# T
[item A & B]
# A & B
C
1 < 2
[item Next]
# Next
cut o
`},
		{"GBK declared as UTF-8", "<?xml version=\"1.0\" encoding=\"utf-8\"?><rss><channel><title>\xb1\xb1\xbe\xa9\xb4\xf3\xd1\xa7\xd0\xc2\xce\xc5\xcd\xf8</title><item><title>\xd6\xd0\xb9\xfa\xcd\xf8\xd2\xb3\xc0\xfa\xca\xb7</title></item></channel></rss>",
			"title: 北京大学新闻网\n[ ]\n# 北京大学新闻网\n[item 中国网页历史]\n# 中国网页历史\n"},
		{"sitemap", `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc>http://a.example/1?a=1&amp;b=2</loc><lastmod>2008-06-12</lastmod><i:image><i:loc>http://a.example/1.png</i:loc><i:caption>A picture</i:caption></i:image></url>
<url><loc>http://a.example/2</loc><news:news><news:title>News</news:title><news:publication_date>2008-06-13</news:publication_date></news:news></url></urlset>`,
			`[ ]
| http://a.example/1?a=1&b=2	2008-06-12	A picture
http://a.example/2	2008-06-13	News
-> http://a.example/1?a=1&b=2 (A picture)
-> http://a.example/1.png ()
-> http://a.example/2 (News)
`},
		{"list of sitemaps", `<sitemapindex><sitemap><loc>http://a.example/s.xml</loc></sitemap></sitemapindex>`, "[ ]\n| http://a.example/s.xml\n-> http://a.example/s.xml ()\n"},
		{"OPML", `<opml version="2.0"><head><title>Feeds</title><ownerName>Ann</ownerName><dateCreated>Thu, 12 Jun 2008 10:00:00 GMT</dateCreated></head><body><outline text="Group"><outline text="A feed" xmlUrl="http://a.example/rss" htmlUrl="http://a.example/"/></outline></body></opml>`,
			`title: Feeds
author: Ann
created: 2008-06-12 10:00:00
[ ]
# Feeds
Group
A feed
-> http://a.example/rss (A feed)
-> http://a.example/ (A feed)
`},
		{"JSON Feed", `{"version":"https:\/\/jsonfeed.org\/version\/1.1","title":"T","home_page_url":"http://a.example/","authors":[{"name":"Ann"}],"language":"en","items":[{"id":1,"url":"http://a.example/1","title":"I","content_html":"<p>a</p><p>b</p>","date_published":"2008-06-12T10:00:00Z","attachments":[{"url":"http://a.example/a.mp3"}]},{"content_text":"only text"}]}`,
			`title: T
author: Ann
lang: en
reason: 
[ ]
# T
[item I]
# I
2008-06-12 10:00
a
b
[item ]
only text
-> http://a.example/ (T)
-> http://a.example/1 (I)
-> http://a.example/a.mp3 ()
`},
	} {
		c.want = strings.Replace(c.want, "reason: \n", "", 1)
		if got := describe(documenttest.Read(t, Kind, document.Input{Body: []byte(c.body)})); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestIs shows which XML and JSON is no feed.
func TestIs(t *testing.T) {
	for _, body := range []string{
		"", "<html><rss>", `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">`, `<feed xmlns="http://other.example/">`, `{"a":1}`, "rss", "<svg/>",
	} {
		if Kind.Is(&document.Input{Body: []byte(body), Mime: "application/xml"}) {
			t.Errorf("%s was taken", body)
		}
	}
}

// TestLimits shows that a feed that is too large is read up to the limit.
func TestLimits(t *testing.T) {
	body := "<rss><channel>" + strings.Repeat("<item><title>one</title><description>text of it</description></item>", 100) + "</channel></rss>"
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(body), Limits: document.Limits{Parts: 30}})
	if len(d.Sections) != 10 || d.Reason != document.ErrLimit.Error() {
		t.Errorf("got %d sections, reason %q", len(d.Sections), d.Reason)
	}
}

// TestDamaged shows that damaged feeds do not break the reader.
func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "application/xml", []byte(rss2), []byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"title":"I","content_html":"<p>a"}]}`),
		[]byte(`<urlset><url><loc>http://a.example/</loc><image:image><image:loc>x</image:loc></image:image></url></urlset>`),
		[]byte(`<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">a</title><content type="xhtml"><div>x<br/></div></content></entry></feed>`),
		[]byte(`<opml><head><title>a</title></head><body><outline text="a" xmlUrl="b"/></body></opml>`))
}
