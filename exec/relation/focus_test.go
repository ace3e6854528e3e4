package relation

import (
	"reflect"
	"testing"

	"infomall/crawl/report"
	"infomall/exec/expr"
	"infomall/lang"
	"infomall/lang/ast"
)

// focusOn returns the Focus of a crawl with these clauses.
func focusOn(t *testing.T, words []string, where string) *Focus {
	st, err := lang.ParseOne("CRAWL 'http://a.cn/' EXPAND WHERE "+where, "")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := BindFocus(st.(*ast.Crawl).Expand, new(expr.Env))
	if err != nil {
		t.Fatal(err)
	}
	return NewFocus(words, asked)
}

// TestFocus judges the links of one page.
func TestFocus(t *testing.T) {
	body := `<html lang=en><title>Peach trees</title><body>
<div class=nav><ul><li><a href=/home>Home</a><li><a href=/about>About us</a><li><a href=/map>Map</a><li><a href=/news>News</a></ul></div>
<div class=content><p>In this garden there are many trees, and in April all of them are in blossom, which people come to see
from far away. Read more on <a href=/when>when the peach blossoms</a>, or of <a href=/cherry>the other ones</a>.</p></div>
<div class=footer><p>Impressum. All photographs by Lin.</p></div></body></html>`
	page := &report.FocusedPage{
		URL: "http://a.cn/x", Layer: 2, Status: 200, IP: "162.105.129.12", Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), Body: []byte(body), Size: int64(len(body)), Mime: "text/html",
		Links: []report.FocusedLink{{URL: "http://a.cn/home", Anchor: "Home"}, {URL: "http://a.cn/when", Anchor: "when the peach blossoms"}, {URL: "http://a.cn/cherry", Anchor: "the other ones"}},
	}
	all, None := []bool{true, true, true}, []bool{false, false, false}
	for _, c := range []struct {
		where string
		want  []bool
	}{
		{"similarity = 0.5", all}, // peach is in the title, lychee nowhere
		{"similarity > 0.5", None},
		{"lang = 'en' AND status = 200 AND layer = 2 AND mime = 'text/html' AND url WITHIN 'a.cn'", all},
		{"lang = 'zh'", None},
		{"ip = '162.105.129.12'", all},
		{"text CONTAINS 'impressum' AND NOT main CONTAINS 'impressum'", all},
		{"promise > 0", []bool{false, true, false}},
		{"anchor CONTAINS 'other' OR target ~ 'home$'", []bool{true, false, true}},
		{"label = 'nav'", []bool{true, false, false}},
		{"NULL", None},
		{"similarity < 1 AND anchor = 'Home'", []bool{true, false, false}},
	} {
		v, err := focusOn(t, []string{"Peach", "lychee"}, c.where).Judge(page)
		if err != nil || !reflect.DeepEqual(v.Follow, c.want) {
			t.Errorf("%s: %v, %v, want %v", c.where, v.Follow, err, c.want)
		}
		if v.Similarity != .5 || !reflect.DeepEqual(v.Promise, []float64{0, .5, 0}) {
			t.Errorf("similarity %v, promise %v", v.Similarity, v.Promise)
		}
	}
	if v, err := focusOn(t, []string{"garden", "impressum"}, "TRUE").Judge(page); err != nil || v.Similarity != .75 {
		t.Errorf("similarity %v, %v: a word of the footer counts half", v.Similarity, err)
	}
	if _, err := focusOn(t, nil, "CAST(anchor AS int) > 1").Judge(page); err == nil {
		t.Error("Home is no number, and no error tells")
	}
}
