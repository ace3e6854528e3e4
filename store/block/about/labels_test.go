package about

import (
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/page/markup"
)

// TestLabelsOfPlainText shows that the first and the last paragraph of a text
// without markup are no header and no footer: what makes these is a frame, and
// such a text has none.
func TestLabelsOfPlainText(t *testing.T) {
	paragraph := func(words string) string { return strings.Repeat(words+" ", 8) + "\n\n" }
	for _, body := range []string{
		paragraph("the library is closed"),
		paragraph("the library is closed") + paragraph("in July it opens at nine") + paragraph("by order of the office"),
		"Notice of the library, to be read by all\n\n" + strings.Repeat(paragraph("in July it opens at nine"), 6) + "The office, on the last day of the month of June",
	} {
		tree := divide.Divide(markup.NewPlainTree([]byte(body)), divide.Options{})
		for n, l := range Labels(tree) {
			if n > 0 && l != label.Main {
				t.Errorf("%.20q: block %s is labelled %s, want main", body, tree.Blocks[n].Path, l)
			}
		}
	}
}

// TestLabelsOfMenus shows that a header which is small stays one, whatever its
// links, and that one which has much of the page and many links is a menu.
func TestLabelsOfMenus(t *testing.T) {
	header := func(links int) string {
		return `<body><div class=header><img src=logo.png><ul>` + strings.Repeat(`<li><a href=x>Some place</a></li>`, links) +
			`</ul></div><div class=content>` + strings.Repeat("<p>"+strings.Repeat("a sentence of the text, ", 10)+"</p>", 10) + `</div></body>`
	}
	for _, tt := range []struct {
		links int
		want  label.Label
	}{{3, label.Header}, {20, label.Header}, {100, label.Nav}} {
		tree := divide.Divide(markup.NewTree([]byte(header(tt.links))), divide.Options{})
		if got := Labels(tree)[1]; got != tt.want || tree.Blocks[1].Start != len("<body>") {
			t.Errorf("a header with %d links is labelled %s, want %s", tt.links, got, tt.want)
		}
	}
}

// TestLabelsOfItems shows that the first and the last of several items that are
// alike are no header and no footer, and that those around a text are.
func TestLabelsOfItems(t *testing.T) {
	item := func(words string) string { return strings.Repeat(words+", ", 6) }
	rows := func(before, after string) string {
		var b strings.Builder
		for _, w := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
			b.WriteString(before + item("item "+w) + after)
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"list":       "<ol>" + rows("<li>", "</li>") + "</ol>",
		"table":      "<table>" + rows("<tr><td>"+item("a cell")+"</td><td>", "</td></tr>") + "</table>",
		"like boxes": "<body>" + rows("<div class=event>", "</div>") + "</body>",
	} {
		tree := divide.Divide(markup.NewTree([]byte(body)), divide.Options{})
		for n, l := range Labels(tree) {
			if l == label.Header || l == label.Footer {
				t.Errorf("%s: block %s is labelled %s: %s", name, tree.Blocks[n].Path, l, tree.Bytes(n))
			}
		}
	}
	framed := "<body><div>" + item("name of the site") + "</div><div>" + strings.Repeat("<p>"+item("a text of several words"), 12) + "</div><div>" + item("who made it") + "</div></body>"
	tree := divide.Divide(markup.NewTree([]byte(framed)), divide.Options{})
	labels, parts := Labels(tree), tree.Children(0)
	if first, last := labels[parts[0]], labels[parts[len(parts)-1]]; first != label.Header || last != label.Footer {
		t.Errorf("what stands around a text is labelled %s and %s, want header and footer", first, last)
	}
}

// TestLabelsOfLastBlocks shows that a text which stands last is no footer, and that
// what closes a page is one: by its links, its words or its claim of a copyright.
func TestLabelsOfLastBlocks(t *testing.T) {
	text := strings.Repeat("<p>The roof of the old mill was mended by the people of the village, who came on every day of that week. </p>", 6)
	for _, tt := range []struct {
		last string
		want label.Label
	}{
		{"<p>In the evening there was music in the yard, and the miller gave bread to all who had come. Nobody had thought that it would take no longer than a week, since the beams had to be brought from afar.</p>", label.Main},
		{"<p>晚上院子里奏起了音乐，磨坊主给所有来的人分发面包。谁也没有想到只用了一个星期就修好了，因为木料要从很远的地方运来，路又不好走，大家都很高兴。</p>", label.Main},
		{"<a href=/a>About us</a> <a href=/b>Press</a> <a href=/c>Work with us</a> <a href=/d>Help</a>", label.Footer},
		{"The village office, which is open on Monday and on Thursday from nine to noon, and at other times to those who ring the bell beside the green door. Copyright 2003 by the village", label.Footer},
		{"本站由青山村委会主办，青山村信息中心负责维护，建议使用八百乘六百分辨率浏览，如有问题请与我们的工作人员联系，谢谢您的光临。版权所有", label.Footer},
		{"The village office, which is open on Monday and on Thursday from nine to noon, and at other times to those who ring the bell beside the green door. Write to the webmaster of these pages", label.Footer},
		{strings.Repeat("\xb4\xe5\xce\xaf\xbb\xe1", 30) + "\xc1\xaa\xcf\xb5\xce\xd2\xc3\xc7", label.Footer}, // in GBK: 联系我们
		{strings.Repeat("\xb4\xe5\xce\xaf\xbb\xe1", 30) + "\xb0\xe6\xc8\xa8\xcb\xf9\xd3\xd0", label.Footer}, // 版权所有
	} {
		body := "<body><div>The village of Elm</div><div>" + text + "</div><div>" + tt.last + "</div></body>"
		b := opened(t, "text/html", body)
		cut := b.Cut(1)
		if got := Labels(b.Tree)[cut[len(cut)-1]]; len(cut) != 3 || got != tt.want {
			t.Errorf("%d regions, the last is labelled %s, want %s: %.80s", len(cut), got, tt.want, tt.last)
		}
	}
}

// TestLabelsOfTopLinks shows that links which open a page are its menu, with a logo
// or without, unless they say that they are its header.
func TestLabelsOfTopLinks(t *testing.T) {
	text := strings.Repeat("<p>"+strings.Repeat("a sentence of the text, ", 10)+"</p>", 10)
	menu := strings.Repeat("<a href=x>Some place</a> | ", 8)
	for _, tt := range []struct {
		top  string
		want label.Label
	}{
		{"<table><tr><td><img src=logo.gif width=200 height=90></td><td>" + menu + "</td></tr></table>", label.Nav},
		{"<div>" + menu + "</div>", label.Nav},
		{"<div class=header><img src=logo.gif width=200 height=90>" + menu + "</div>", label.Header},
		{"<div><img src=logo.gif width=200 height=90>The village of Elm</div>", label.Header},
	} {
		b := opened(t, "text/html", "<body>"+tt.top+"<div>"+text+"</div></body>")
		if got := Labels(b.Tree)[b.Cut(1)[0]]; got != tt.want {
			t.Errorf("%.60s is labelled %s, want %s", tt.top, got, tt.want)
		}
	}
}

// TestLastClosingWord finds the last closing word of a text, in capitals and in GBK too.
func TestLastClosingWord(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", -1},
		{"p", -1},
		{"We sell paper, pens and ink.", -1},
		{"Privacy", 0},
		{"PRIVACY and Terms Of use", 12},
		{"contact us, or the Webmaster; privac", 19},
		{"ab\xc1\xaa\xcf\xb5\xce\xd2\xc3\xc7", 2},
		{"ab\xe1\xaa\xef\xb5\xee\xf2\xe3\xe7", -1},
		{"ab联系我们", 2},
	} {
		if got := lastClosingWord([]byte(tt.text)); got != tt.want {
			t.Errorf("%q: got %d, want %d", tt.text, got, tt.want)
		}
	}
}
