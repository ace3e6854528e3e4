package mail

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/record"
)

// describe returns what a test compares: fields, sections, parts and links.
func describe(d *document.Document) string {
	var w strings.Builder
	for _, f := range [][2]string{{"title", d.Title}, {"author", d.Author}, {"producer", d.Producer}, {"reason", d.Reason}} {
		if f[1] != "" {
			w.WriteString(f[0] + ": " + f[1] + "\n")
		}
	}
	if d.Created != record.NoTime {
		w.WriteString("created: " + d.Created.Std().Format(time.DateTime) + "\n")
	}
	for _, s := range d.Sections {
		w.WriteString("[" + s.Kind.String() + " " + s.Name + "]\n")
		for _, p := range s.Parts {
			w.WriteString(map[document.PartKind]string{document.Heading: "# ", document.Table: "| ", document.Note: "* "}[p.Kind] + p.Text + "\n")
		}
	}
	for _, l := range d.Links {
		w.WriteString("-> " + l.Target + " (" + l.Anchor + ")\n")
	}
	return w.String()
}

// readWith reads a mail with a reader of nested bodies that returns their size and type.
func readWith(t *testing.T, body string) *document.Document {
	t.Helper()
	in := &document.Input{Body: []byte(body)}
	if !Kind.Is(in) {
		t.Fatalf("is no mail:\n%.200s", body)
	}
	b := document.NewBuilder(document.Limits{}, func(in *document.Input) *document.Document {
		if in.Mime == "image/png" {
			return nil
		}
		inner := document.NewBuilder(in.Limits, nil)
		_ = inner.Add(document.Paragraph, fmt.Sprintf("%q as %s", in.Body, in.Mime))
		return inner.Doc
	})
	if err := Kind.Read(b, in); err != nil {
		b.Doc.Reason = err.Error()
	}
	return b.Doc
}

func crlf(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }

var mixed = crlf(`Received: from x by y
From: =?gb2312?B?wO7OsA==?= <wei@a.example>
To: "Ann B." <ann@b.example>
Subject: =?GBK?B?1tC5+s34?=
 =?GBK?Q?=D2=B3=C0=FA=CA=B7?= (2)
Date: Thu, 12 Jun 2008 10:00:00 +0800 (CST)
X-Mailer: Foxmail 6
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_outer"

This is a message in MIME format.
--=_outer
Content-Type: multipart/alternative; boundary=inner

--inner
Content-Type: text/plain; charset=gb2312; format=flowed
Content-Transfer-Encoding: quoted-printable

=C4=E3=BA=C3=20
=CA=C0=BD=E7

second paragraph
--inner
Content-Type: text/html

<p>not read</p>
--inner--

--=_outer
Content-Type: application/msword; name="=?gb2312?B?sai45i5kb2M=?="
Content-Disposition: attachment
Content-Transfer-Encoding: base64

aGVs
bG8=
--=_outer
Content-Type: application/octet-stream
Content-Disposition: attachment; filename*0*=gb2312''%CA%FD; filename*1*=%BE%DD.csv

a,b
--=_outer
Content-Type: image/png; name=logo.png

x
--=_outer
Content-Type: message/rfc822

Subject: Inner one
From: c

text
--=_outer--
after the end
`)

const box = `From ann@a.example Thu Jun 12 10:00:00 2008
From: ann@a.example (Ann)
Subject: One
Date: Thu, 12 Jun 2008 10:00:00 GMT

From here on text.
From the middle.

From bob@a.example  Fri Jun 13 10:00:00 2008
From: Bob
Subject: Two
To: Ann
Content-Type: text/html; charset=utf-8

<h1>Head</h1><p>Read <a href="http://a.example/">this</a></p>
`

var saved = crlf(`From: <Saved by Blink>
Snapshot-Content-Location: http://a.example/dir/page.html
Subject: A page
MIME-Version: 1.0
Content-Type: multipart/related; type="text/html"; boundary="----b"

------b
Content-Type: text/html
Content-Location: http://a.example/dir/page.html
Content-Transfer-Encoding: quoted-printable

<html><head><title>Other title</title><meta name=3D"author" content=3D"Ann"></head><body><p>T=C3=A4xt <a href=3D"x.html">link</a></p></body></html>
------b
Content-Type: text/css
Content-Location: http://a.example/a.css

p{}
------b
Content-Type: text/html
Content-Location: http://a.example/frame.html

<p>In a frame</p>
------b--
`)

// TestMails shows what is read from mails.
func TestMails(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"mixed", mixed, `title: 中国网页历史 (2)
author: 李伟
producer: Foxmail 6
created: 2008-06-12 02:00:00
[ ]
# 中国网页历史 (2)
From: 李伟 <wei@a.example>
To: "Ann B." <ann@b.example>
Date: Thu, 12 Jun 2008 10:00:00 +0800 (CST)
你好 世界
second paragraph
* 报告.doc
数据.csv
logo.png
Inner one
[member 报告.doc]
"hello" as application/msword
[member 数据.csv]
"a,b" as text/csv
[member Inner one]
"Subject: Inner one\r\nFrom: c\r\n\r\ntext" as message/rfc822
`},
		{"mbox", box, `[item One]
# One
From: ann@a.example (Ann)
Date: Thu, 12 Jun 2008 10:00:00 GMT
From here on text.
From the middle.
[item Two]
# Two
From: Bob
To: Ann
# Head
Read this
-> http://a.example/ (this)
`},
		{"saved page", saved, `title: A page
author: Ann
producer: Saved by Blink
[ ]
Täxt link
[member http://a.example/frame.html]
In a frame
-> http://a.example/dir/x.html (link)
`},
		{"no type, 8 bits", "From: Hans M\xfcller <h@a.example>\nSubject: Gr\xfc\xdfe\nTo: x\n\nViele Gr\xfc\xdfe aus M\xfcnchen", `title: Grüße
author: Hans Müller
[ ]
# Grüße
From: Hans Müller <h@a.example>
To: x
Viele Grüße aus München
`},
		{"Japanese, no boundary", "From: a@b\nSubject: =?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?=\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--x1\nContent-Type: text/plain; charset=iso-2022-jp\n\n\x1b$BF|K\\8l\x1b(B\n--x1\nContent-Type: text/plain\n\nmore", `title: 日本語
author: a@b
[ ]
# 日本語
From: a@b
日本語
more
`},
		{"wrong boundary, wrong type", "From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=wrong\n\n--x\nContent-Type: text\n\none\n--x\nno field, and\n\ntwo\n--x--", `title: c
author: a
[ ]
# c
From: a
To: b
one
no field, and
two
`},
		{"HTML with attachment inside", "From: a\nTo: b\nSubject: c\nContent-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/plain\n\nplain\n--x\nContent-Type: multipart/related; boundary=y\n\n--y\nContent-Type: text/html\n\n<p>html</p>\n--y\nContent-Type: application/pdf; name=a.pdf\n\n%PDF\n--y\nContent-Type: image/png; name=i.png\n\nx\n--y--\n--x--", `title: c
author: a
[ ]
# c
From: a
To: b
plain
* a.pdf
[member a.pdf]
"%PDF" as application/pdf
`},
	} {
		if got := describe(readWith(t, c.body)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestWords shows encoded words, good and bad.
func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"a =?utf-8?q?b_c?= d":                   "a b c d",
		"=?utf-8?B?5Lg=?= =?utf-8?B?rQ==?=":     "中", // one character in two words
		"=?utf-8?q?a?= =?utf-8?q?b?=":           "ab",
		"=?utf-8?q?a?= b =?utf-8?q?c?=":         "a b c",
		"=?broken":                              "=?broken",
		"=?utf-8?x?y?=":                         "=?utf-8?x?y?=",
		"=?unknown-8bit?q?M=FCller_Gr=FC=DFe?=": "Müller Grüße",
		"=?utf-8*en?q?a?=":                      "a",
	} {
		if got := decodeWords(in, ""); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// TestParameters shows parameters as mails have them.
func TestParameters(t *testing.T) {
	for in, want := range map[string]map[string]string{
		`text/plain; charset=UTF-8; format="flowed"`: {"charset": "UTF-8", "format": "flowed"},
		`a/b; name="a;b \"c\" d.txt"; x`:             {"name": `a;b "c" d.txt`, "x": ""},
		`a/b; name*=utf-8'en'%e4%b8%ad.txt`:          {"name": "中.txt"},
		`a/b; name*0="long "; name*1="name.txt"`:     {"name": "long name.txt"},
		`a/b; name="=?utf-8?q?=e4=b8=ad?=.txt"`:      {"name": "中.txt"},
		`a/b; name="open`:                            {"name": "open"},
		`a/b;;`:                                      {},
	} {
		got := valueOf(in, "").params
		delete(got, "")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

// TestIs shows which bodies are mails.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		body, mime string
		want       bool
	}{
		{mixed, "", true},
		{box, "text/x-unknown", true},
		{"Subject: a\n\nb", "message/rfc822", true},
		{"Subject: a\n\nb", "", false},
		{"a text with: a colon\n", "message/rfc822", false},
		{"{\"from\": 1}", "application/json", false},
		{"", "message/rfc822", false},
		{"From here: it is 2008 and\n", "", false},
	} {
		if got := Kind.Is(&document.Input{Body: []byte(c.body), Mime: c.mime}); got != c.want {
			t.Errorf("%.30q as %s: got %v", c.body, c.mime, got)
		}
	}
}

// TestHostile shows that hostile mails end in time.
func TestHostile(t *testing.T) {
	deep := "From: a\nTo: b\nSubject: c\n"
	for i := range 200 {
		deep += fmt.Sprintf("Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(deep + "\ntext")})
	if d.Reason != document.ErrLimit.Error() {
		t.Errorf("got reason %q", d.Reason)
	}
	for name, body := range map[string]string{
		"words":  "From: a\nTo: b\nSubject: " + strings.Repeat("=?a?b?", 20_000) + "\n\n",
		"folded": "From: a\nTo: b\nSubject: c\n" + strings.Repeat(" d\n", 60_000) + "\n",
		"fields": "From: a\nTo: b\nSubject: c\n" + strings.Repeat("x: y\n", 60_000) + "\n",
		"parts":  "From: a\nTo: b\nSubject: c\nContent-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\n", 60_000),
		"box":    strings.Repeat("From a Thu Jun 12 10:00:00 2008\nFrom: a\nTo: b\nSubject: c\n\n", 5_000),
		"base64": "From: a\nTo: b\nSubject: c\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString(make([]byte, 1<<20)),
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(body)})
		if len(d.Sections) == 0 {
			t.Errorf("%s: nothing was read", name)
		}
	}
}

// TestDamaged shows that damaged mails do not break the reader.
func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "message/rfc822", []byte(mixed), []byte(box), []byte(saved))
}

// TestFoldedField reads a field that continues in very many lines. The memory that this takes does not
// grow with the square of their number.
func TestFoldedField(t *testing.T) {
	const lines = 20_000
	message := []byte("Subject: a" + strings.Repeat("\n b", lines) + "\nFrom: c\n\nbody")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, body := cutHeader(message)
	runtime.ReadMemStats(&after)
	if want := " a" + strings.Repeat("\n b", lines); h["subject"] != want || h["from"] != " c" || string(body) != "body" {
		t.Errorf("got a subject of %d bytes, want %d; from %q, body %q", len(h["subject"]), len(want), h["from"], body)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 5<<20 {
		t.Errorf("a field of %d bytes took %d bytes of memory", len(message), used)
	}
}

// TestManyParts reads a mail with more parts than are read. The reason says so.
func TestManyParts(t *testing.T) {
	mail := "From: a@a.example\nTo: b@b.example\nSubject: parts\nContent-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\n\na\n", leavesMax+2) + "--x--\n"
	if d := documenttest.Read(t, Kind, document.Input{Body: []byte(mail)}); d.Reason != document.ErrLimit.Error() {
		t.Errorf("reason %q", d.Reason)
	}
}
