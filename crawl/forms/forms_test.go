package forms

import (
	"slices"
	"strings"
	"testing"

	"infomall/store/page/markup"
	"infomall/store/urlkey"
)

// sent returns the submissions of all forms of a page, as "GET url" and
// "POST url media body".
func sent(t *testing.T, body, cs string, given ...Given) (list []string) {
	t.Helper()
	tree := markup.NewTree([]byte(body))
	var names []string
	for _, g := range given {
		names = append(names, g.Name)
	}
	for _, f := range Find(Page{Tree: tree, URL: "http://a.cn/dir/page.htm?x=1", Base: "http://a.cn/dir/page.htm?x=1", Charset: cs}, names) {
		for s := range f.Submissions(given, 6) {
			switch {
			case s.Refused != "":
				list = append(list, s.Refused)
			case s.Body == nil:
				list = append(list, "GET "+s.URL)
			default:
				list = append(list, "POST "+s.URL+" "+s.Media+" "+string(s.Body))
			}
		}
	}
	return list
}

// TestForms compares what is sent with what browsers send for the same forms.
func TestForms(t *testing.T) {
	q := Given{"q", []string{"a b", "北"}}
	one := Given{"q", []string{"a"}}
	for _, tt := range []struct {
		name, body, charset string
		given               []Given
		want                []string
	}{
		{"get", `<form action=/find?old=1><input name=q><input type=submit name=go value="OK &amp; go"><input type=submit name=other></form>`, "utf-8", []Given{q},
			[]string{"GET http://a.cn/find?q=a+b&go=OK+%26+go", "GET http://a.cn/find?q=%E5%8C%97&go=OK+%26+go"}},
		{"post in gbk", "<form method=POST action=find><input type=hidden name=\xd5\xbe value=\xb1\xbe\xd5\xbe><input name=q></form>", "gb18030", []Given{q},
			[]string{"POST http://a.cn/dir/find?__wb_method=POST&%D5%BE=%B1%BE%D5%BE&q=a%20b application/x-www-form-urlencoded %D5%BE=%B1%BE%D5%BE&q=a+b",
				"POST http://a.cn/dir/find?__wb_method=POST&%D5%BE=%B1%BE%D5%BE&q=%B1%B1 application/x-www-form-urlencoded %D5%BE=%B1%BE%D5%BE&q=%B1%B1"}},
		{"accept-charset", `<form accept-charset="x-unknown, GBK" action=/f><input name=_charset_ type=hidden><input name=q></form>`, "utf-8", []Given{{"q", []string{"北☃𝄞"}}},
			[]string{"GET http://a.cn/f?_charset_=gb18030&q=%B1%B1%817%A30%942%BE4"}},
		{"letters that the charset lacks", `<form action=/f><input name=q></form>`, "windows-1252", []Given{{"q", []string{"é北"}}}, []string{"GET http://a.cn/f?q=%E9%26%2321271%3B"}},
		{"no action", `<form method=get><input name=q></form>`, "utf-8", []Given{one}, []string{"GET http://a.cn/dir/page.htm?q=a"}},
		{"multipart", `<form method=post enctype="multipart/form-data" action=/f><input name=q><input name="a&quot;b" value=form></form>`, "utf-8", []Given{one},
			[]string{"POST http://a.cn/f?__wb_method=POST&q=a&a%2522b=form multipart/form-data; boundary=form-0 --form-0\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\na\r\n--form-0\r\nContent-Disposition: form-data; name=\"a%22b\"\r\n\r\nform\r\n--form-0--\r\n"}},
		{"text", `<form method=post enctype=text/plain action=/f><input name=q></form>`, "utf-8", []Given{one},
			[]string{"POST http://a.cn/f?__wb_method=POST&__wb_post_data=cT1hDQo= text/plain q=a\r\n"}},
		{"defaults", `<form action=/f><input name=q><input type=checkbox name=c1><input type=checkbox name=c2 checked><input type=radio name=r value=1><input type=radio name=r value=2 checked>
			<select name=s1><option value=x>X<option selected>Y  z<option value=w>W</select><select name=s2><option disabled>0<option>1</option><option>2</select>
			<select name=s3 multiple><option>1<option selected>2<option selected>3</select><select name=s4 multiple><option>1</select><textarea name=t>
one
two&lt;</textarea><input name=d value=d disabled><input value=noname><button type=button name=no>no</button><button name=b value=1>go</button></form>`, "utf-8", []Given{one},
			[]string{"GET http://a.cn/f?q=a&c2=on&r=2&s1=Y+z&s2=1&s3=2&s3=3&t=one%0D%0Atwo%3C&b=1"}},
		{"given for lists and boxes", `<form action=/f><select name=q><option>1<option>2</select><input type=radio name=r value=1 checked><input type=radio name=r value=2><input type=checkbox name=c></form>`, "utf-8",
			[]Given{{"q", []string{"1", "2"}}, {"r", []string{"2"}}, {"c", []string{"yes"}}, {"unknown", []string{"1", "2"}}},
			[]string{"GET http://a.cn/f?q=1&r=2&c=yes", "GET http://a.cn/f?q=2&r=2&c=yes"}},
		{"two fields, and the bound", `<form action=/f><input name=q><input name=p></form>`, "utf-8", []Given{{"q", []string{"1", "2", "3"}}, {"p", []string{"a", "b", "c"}}},
			[]string{"GET http://a.cn/f?q=1&p=a", "GET http://a.cn/f?q=1&p=b", "GET http://a.cn/f?q=1&p=c", "GET http://a.cn/f?q=2&p=a", "GET http://a.cn/f?q=2&p=b", "GET http://a.cn/f?q=2&p=c"}},
		{"image button, other method", `<form action=/f><input name=q><input type=image name=i formaction=/g formmethod=post></form>`, "utf-8", []Given{one},
			[]string{"POST http://a.cn/g?__wb_method=POST&q=a&i.x=0&i.y=0 application/x-www-form-urlencoded q=a&i.x=0&i.y=0"}},
		{"in a table, without an end tag", `<table><form action=/f><tr><td><input name=q></td></tr></form></table><form action=/g><p><input name=q><form action=/h><input name=q>`, "utf-8", []Given{one},
			[]string{"GET http://a.cn/f?q=a", "GET http://a.cn/g?q=a", "GET http://a.cn/h?q=a"}},
		{"fields elsewhere", `<form id=x action=/f><input name=p value=1></form><input name=q form=x><input name=lost>`, "utf-8", []Given{one}, []string{"GET http://a.cn/f?p=1&q=a"}},
		{"fields before", `<input name=q form=x><input name=lost form=y><form action=/g><input name=q></form><form id=x action=/f><input name=p value=1></form>`, "utf-8", []Given{one},
			[]string{"GET http://a.cn/g?q=a", "GET http://a.cn/f?q=a&p=1"}},
		{"a password before", `<input type=password form=x><form id=x action=/f><input name=q></form>`, "utf-8", []Given{one}, nil},
		{"within another", `<form action=/f><div><form action=/g><input name=q></form></div></form>`, "utf-8", []Given{one}, []string{"GET http://a.cn/f?q=a"}},
		{"refused", `<form action=/1><input name=q><input type=password></form><form action=/2><input name=q><input type=FILE name=f></form>
			<form method=dialog><input name=q></form><form rel="x nofollow"><input name=q></form><form action=javascript:f()><input name=q></form>
			<form action=mailto:a@b.cn><input name=q></form><form action=/logout method=post><input type=submit name=out></form>`, "utf-8", []Given{one}, nil},
		{"too long for GET", `<form><input name=q><input name=p value=` + strings.Repeat("x", 4000) + `></form>`, "utf-8", []Given{one}, []string{"the fields of its form are longer than 3000 bytes"}},
		{"too long for POST", `<form method=post><input name=q><input name=p value=` + strings.Repeat("x", 65_536) + `></form>`, "utf-8", []Given{one}, []string{"the fields of its form are longer than 65536 bytes"}},
		{"too many fields", `<form>` + strings.Repeat("<input name=q>", 600) + `</form>`, "utf-8", []Given{one}, nil},
	} {
		got := sent(t, tt.body, tt.charset, tt.given...)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
		for _, s := range got {
			if u := strings.Fields(s)[1]; strings.HasPrefix(s, "POST") && !isCanonical(u) {
				t.Errorf("%s: %s is not canonical", tt.name, u)
			}
		}
	}
}

func isCanonical(u string) bool {
	c, err := urlkey.Canonical(u)
	return err == nil && c == u
}

// TestID shows that forms which differ only in a token are the same, and that others are
// not.
func TestID(t *testing.T) {
	id := func(body string) string {
		given := []Given{{Name: "q"}}
		list := Find(Page{Tree: markup.NewTree([]byte(body)), URL: "http://a.cn/", Base: "http://a.cn/", Charset: "utf-8"}, []string{"q"})
		if len(list) != 1 {
			t.Fatalf("%d forms in %s", len(list), body)
		}
		return list[0].ID(given)
	}
	form := func(q, hidden string) string {
		return `<form><input name=q value="` + q + `"><input type=hidden name=h value="` + hidden + `"></form>`
	}
	first := id(form("", "9f86d081884c7d65"))
	if got := id(form("what was asked", "60303ae22b998861")); got != first {
		t.Error("another token makes another form")
	}
	if got := id(form("", "sport")); got == first || got == id(form("", "culture")) {
		t.Error("another hidden value makes no other form")
	}
}
