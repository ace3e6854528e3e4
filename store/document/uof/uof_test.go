package uof

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/office/officetest"
)

// TestMade reads the documents that LibreOffice made. LibreOffice leaves comments out of its
// UOF workbooks. It writes the tables of its UOF presentations as pictures.
func TestMade(t *testing.T) {
	for _, c := range []struct {
		lang, ext string
		pages     int64
		missing   func(*officetest.Text)
	}{
		{"en", "uot", 1, func(*officetest.Text) {}},
		{"zh", "uos", 1, func(text *officetest.Text) { text.Note = "" }},
		{"ru", "uop", 2, func(text *officetest.Text) { text.Table = nil }},
	} {
		for _, text := range officetest.Texts {
			if text.Lang != c.lang {
				continue
			}
			file := filepath.Join("testdata", c.lang+"."+c.ext)
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c.missing(&text)
			text.CheckBody(t, Kind, file, body, c.pages)
		}
	}
}

// file returns a file of UOF with a body.
func file(body string) []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?><uof:UOF xmlns:uof="http://schemas.uof.org/cn/2003/uof" xmlns:表="http://schemas.uof.org/cn/2003/uof-spreadsheet" xmlns:演="http://schemas.uof.org/cn/2003/uof-slideshow" xmlns:字="http://schemas.uof.org/cn/2003/uof-wordproc" xmlns:图="http://schemas.uof.org/cn/2003/graph">` + body + `</uof:UOF>`)
}

// run returns a paragraph of text.
func run(text string) string {
	return `<字:段落><字:句><字:文本串>` + text + `</字:文本串></字:句></字:段落>`
}

const shapes = `<uof:对象集><图:图形 图:标识符="a"><图:文本内容>` + `<字:段落><字:句><字:文本串>in a</字:文本串></字:句><字:句><字:文本串> shape</字:文本串></字:句></字:段落><字:段落><字:句><字:文本串>second</字:文本串></字:句></字:段落>` + `</图:文本内容></图:图形>
<图:图形 图:标识符="g" 图:组合列表="m g"><图:文本内容/></图:图形><图:图形 图:标识符="m"><图:文本内容><字:段落><字:句><字:文本串>member</字:文本串></字:句></字:段落></图:文本内容></图:图形></uof:对象集>`

// letter, book and slides have what the documents of LibreOffice lack.
var (
	letter = file(`<uof:元数据><uof:标题>A letter</uof:标题><uof:创建者>First</uof:创建者><uof:作者>Author</uof:作者><uof:摘要>About</uof:摘要><uof:关键字集><uof:关键字>one</uof:关键字><uof:关键字>two</uof:关键字></uof:关键字集><uof:创建日期>2008-06-12T10:00:00</uof:创建日期><uof:页数>3</uof:页数></uof:元数据>
<uof:链接集><uof:超级链接 uof:链源="hlnk1" uof:目标="http://a.example/"/></uof:链接集>` + shapes + `<uof:式样集><uof:段落式样 字:标识符="H"><字:大纲级别>1</字:大纲级别></uof:段落式样></uof:式样集>
<uof:文字处理><字:公用处理规则><字:批注集><字:批注>` + run("a comment") + `</字:批注></字:批注集></字:公用处理规则><字:主体><字:分节><字:节属性><字:页眉><字:奇数页页眉>` + run("a header") + `</字:奇数页页眉></字:页眉></字:节属性></字:分节>
<字:段落><字:段落属性 字:式样引用="H"/><字:句><字:文本串>Heading &amp; more</字:文本串></字:句></字:段落>
<字:段落><字:句><字:文本串>one</字:文本串><字:制表符/><字:文本串>two</字:文本串><字:空格符 字:个数="2"/><字:文本串>three</字:文本串><字:换行符/><字:文本串>four</字:文本串></字:句></字:段落>
<字:段落><字:句><字:区域开始 字:类型="hyperlink" 字:标识符="hlnk1"/><字:文本串>a link</字:文本串><字:区域结束 字:标识符引用="hlnk1"/></字:句><字:句><字:句属性><字:隐藏文字 字:值="true"/></字:句属性><字:文本串>hidden</字:文本串></字:句><字:句><字:文本串> seen</字:文本串><字:锚点><字:图形 字:图形引用="a"/></字:锚点></字:句></字:段落>
<字:段落><字:句><字:文本串>kept</字:文本串></字:句><字:修订开始 字:标识符="d" 字:类型="delete"/><字:句><字:文本串>gone</字:文本串></字:句><字:修订结束 字:开始标识引用="d"/><字:修订开始 字:标识符="i" 字:类型="insert"/><字:句><字:文本串> new</字:文本串></字:句><字:修订结束 字:开始标识引用="i"/><字:域开始/><字:域代码>` + run("PAGE") + `</字:域代码><字:句><字:文本串> 7</字:文本串></字:句><字:域结束/></字:段落>
<字:段落><字:句><字:锚点><字:图形 字:图形引用="g"/></字:锚点></字:句></字:段落>
<字:文字表><字:行><字:单元格>` + run("a") + `</字:单元格><字:单元格>` + run("b") + run("c") + `</字:单元格></字:行></字:文字表></字:主体></uof:文字处理>`)
	book = file(`<uof:元数据><uof:创建者>First</uof:创建者></uof:元数据>` + shapes + `<uof:电子表格><表:公用处理规则>` + run("not text") + `</表:公用处理规则><表:主体><表:工作表 表:名称="Income"><表:工作表内容>
<表:行><表:单元格><表:数据><字:句><字:文本串>tickets</字:文本串></字:句></表:数据></表:单元格><表:单元格 表:列号="4"><表:数据><字:句><字:文本串>12</字:文本串></字:句></表:数据><表:批注><uof:锚点 uof:图形引用="a"/></表:批注></表:单元格></表:行>
</表:工作表内容></表:工作表><表:工作表 表:名称="Second"><表:工作表内容><表:行><表:单元格/><表:单元格><表:数据><字:句><字:文本串>x</字:文本串></字:句></表:数据></表:单元格></表:行></表:工作表内容></表:工作表></表:主体></uof:电子表格>`)
	slides = file(shapes + `<uof:演示文稿><演:主体><演:母版集><uof:锚点 uof:图形引用="a"/></演:母版集><演:幻灯片集><演:幻灯片 演:显示="false"><uof:锚点 uof:图形引用="a"/></演:幻灯片><演:幻灯片><uof:锚点 uof:图形引用="m" uof:占位符="title"/>
<演:幻灯片备注><uof:锚点 uof:图形引用="a"/></演:幻灯片备注></演:幻灯片><演:幻灯片><uof:锚点 uof:图形引用="m" uof:占位符="footer"/></演:幻灯片></演:幻灯片集></演:主体></uof:演示文稿>`)
)

// parts returns the sections and parts of a document, one a string.
func parts(d *document.Document) (out []string) {
	for _, s := range d.Sections {
		if name := s.String(); name != "" {
			out = append(out, name)
		}
		for _, p := range s.Parts {
			out = append(out, string('0'+byte(p.Kind))+" "+strings.ReplaceAll(p.Text, "\n", "/"))
		}
	}
	return out
}

// TestRead shows what of a text, a workbook and a presentation is read, and as which part.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		body  []byte
		pages int64
		want  []string
	}{
		{letter, 3, []string{"1 Heading & more", "0 one\ttwo  three/four", "0 a link seen", "0 in a shape", "0 second", "0 kept new 7", "4 gone", "0 member", "2 a\tb c", "3 a comment", "3 a header"}},
		{book, 2, []string{"sheet Income", "2 tickets\t\t\t12", "3 in a shape/second", "sheet Second", "2 \tx"}},
		{slides, 2, []string{"slide 2", "1 member", "3 in a shape/second", "slide 3"}},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: c.body})
		if got := parts(d); !reflect.DeepEqual(got, c.want) || d.Pages != c.pages || d.Reason != "" {
			t.Errorf("%d pages, %q, got\n%q, want\n%q", d.Pages, d.Reason, got, c.want)
		}
	}
	d := documenttest.Read(t, Kind, document.Input{Body: letter})
	if d.Title != "A letter" || d.Author != "Author" || d.Description != "About" || d.Keywords != "one, two" || d.Created.Std().Format("20060102") != "20080612" {
		t.Errorf("got %+v", *d)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "a link"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("links: got %v, want %v", d.Links, want)
	}
	if d := documenttest.Read(t, Kind, document.Input{Body: book}); d.Author != "First" {
		t.Errorf("author: got %q", d.Author)
	}
}

// TestIs shows that other XML, and text that only names the format, is not of this kind.
func TestIs(t *testing.T) {
	for body, want := range map[string]bool{
		string(letter): true, string(letter[:500]): true,
		`<UOF/>`:                          false,
		`<UOF xmlns="urn:other"/>`:        false,
		"http://schemas.uof.org/cn/2003/": false,
	} {
		if got := Kind.Is(&document.Input{Body: []byte(body)}); got != want {
			t.Errorf("Is is %v for %.80q", got, body)
		}
	}
}

// TestMutations damages documents in many ways.
func TestMutations(t *testing.T) {
	bodies := [][]byte{letter, book, slides}
	for _, body := range documenttest.Testdata(t, map[string][]byte{}, 3) {
		bodies = append(bodies, body)
	}
	documenttest.Mutate(t, Kind, "text/xml", bodies...)
}
