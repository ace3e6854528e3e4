package block

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/store/page"
)

// Texts of the tests, long enough to be prose.
const (
	firstParagraph  = "The library of the school is closed in July, as it was last year, while the roof is made anew."
	secondParagraph = "Books may be brought back all the time, through the slot in the door, and nothing is due before September."
	thirdParagraph  = "Who needs a book for a paper asks at the office, which is open from nine to noon, and gets it the next day."
	remark          = "I think that this is a great idea, and my friends think so too, whatever others may say about it."
	chineseText     = "学校图书馆七月份闭馆，因为屋顶正在维修，与去年相同。还书可随时投入门口的还书箱，九月以前的书都不算过期，请各位读者互相转告，谢谢合作。需要用书写论文的同学，请于上午九点到十二点到办公室登记，第二天即可取书，办公室在行政楼二层，电话不变，有事请提前预约，周末不办公。"
)

func paragraphs(texts ...string) string { return "<p>" + strings.Join(texts, "</p>\n<p>") + "</p>" }

func opened(t *testing.T, mime, body string) *Body {
	t.Helper()
	b, ok := Open([]byte(body), mime, mime+"; charset=utf-8", "", Options{})
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
		{"the one sentence is the footer's", "text/html", "<body><div>" + links(3, "Part") + "</div><table>" + strings.Repeat("<tr><td>a name</td><td>what it is</td></tr>", 40) +
			"</table><div class=footer>This page was made on the first day of September, in the year 2022, by hand.</div></body>", strings.Repeat("a name\twhat it is\n", 39) + "a name\twhat it is"},
		{"no prose", "text/html", "<h1>Notice</h1><p>Closed today</p>", "Notice\nClosed today"},
	}
	for _, tt := range tests {
		if got := opened(t, tt.mime, tt.body).MainText(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestPageType(t *testing.T) {
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
	}
	for _, tt := range tests {
		if got := opened(t, "text/html", tt.body).PageType(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestSharedMainText compares main texts with those that people marked, word
// by word.
func TestSharedMainText(t *testing.T) {
	archive := filepath.Join(shared(t), "extraction", "article-extraction-benchmark.tar.zst")
	var truth map[string]struct{ ArticleBody string }
	if err := json.Unmarshal(tarBodies(t, archive, "ground-truth.json")[0], &truth); err != nil {
		t.Fatal(err)
	}
	var sum float64
	detail := 0
	names, bodies := tarFiles(t, archive, ".html.gz")
	for i, packed := range bodies {
		z, err := gzip.NewReader(strings.NewReader(string(packed)))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		b := opened(t, "text/html", string(body))
		name := strings.TrimSuffix(filepath.Base(names[i]), ".html.gz")
		sum += wordF1(b.MainText(), truth[name].ArticleBody)
		if b.PageType() == DetailPage {
			detail++
		}
	}
	mean, share := sum/float64(len(bodies)), float64(detail)/float64(len(bodies))
	t.Logf("%d pages, mean F1 of words %.3f, %.2f of them detail", len(bodies), mean, share)
	if mean < .9 {
		t.Errorf("mean F1 of words is %.3f, want .9", mean)
	}
	if share < .8 {
		t.Errorf("%.2f of the articles are pages of detail, want .8", share)
	}
}

// wordF1 is the harmonic mean of precision and recall over words, however they
// are ordered.
func wordF1(got, want string) float64 {
	var g, w []string
	for _, word := range page.Words(strings.ToLower(got)) {
		g = append(g, word)
	}
	for _, word := range page.Words(strings.ToLower(want)) {
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
