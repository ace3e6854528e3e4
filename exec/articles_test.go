package exec_test

import (
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
)

// articleSite is a site of articles: one whose text is replaced by another article, one with a
// relative date, one with a date later than its capture, and a plain text.
func articleSite() *relationtest.Archive {
	text := "<p>" + strings.Join(news, "</p><p>") + "</p>"
	page := func(path, day, title, near string) relationtest.Capture {
		return relationtest.Capture{URL: "http://a.cn/" + path, Time: at(day), Status: 200, Mime: html,
			Body: `<html lang="zh"><title>` + title + ": Lower Town</title><h2>" + title + "</h2><div>" + near + "</div>" + text}
	}
	plain := page("note.txt", "2008-06-10", "Note", "2008-06-01")
	plain.Mime = "text/plain"
	return relationtest.New(
		page("1.htm", "2008-06-10", "The first news", "2008年6月9日 来源：新华网 作者：王小明"),
		page("1.htm", "2008-07-10", "The second news", "2008-07-09 20:05 更新：2008-07-10"),
		page("2.htm", "2008-06-10", "News of yesterday", "昨天 20:05"),
		page("3.htm", "2008-06-10", "News of tomorrow", "2008-06-20"),
		plain,
	)
}

// TestArticles shows the columns of versions that say what a page says of itself as an article.
func TestArticles(t *testing.T) {
	s := newSession(archive{articleSite()})
	for _, c := range []struct{ query, want string }{
		{"SELECT path, headline, published, published_precision AS p, published_from AS f, modified FROM versions",
			`path|headline|published|p|f|modified
/1.htm|The first news|2008-06-09|day|text|-
/1.htm|The second news|2008-07-09T20:05:00Z|minute|text|2008-07-10
/2.htm|News of yesterday|2008-06-09|day|text|-
/3.htm|News of tomorrow|-|-|-|-
/note.txt|-|-|-|-|-
`},
		{"SELECT path, author, source, article > 0 AS a FROM versions AT 2008-06-11",
			`path|author|source|a
/1.htm|王小明|新华网|true
/2.htm|-|-|true
/3.htm|-|-|true
/note.txt|-|-|-
`},
		{"SELECT count(*) AS n FROM versions WHERE published >= 2008-07", "n\n1\n"},
		{"SELECT count(importance) > 0 AS n FROM blocks IN 'a.cn/2.htm'", "n\ntrue\n"},
		{"SELECT headline FROM 'a.cn/2.htm'", "headline\nNews of yesterday\n"}, // the site is known from importance
	} {
		got, _, err := ask(s, c.query)
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
		} else if got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.query, got, c.want)
		}
	}
}
