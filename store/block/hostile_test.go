package block

import (
	"strings"
	"testing"
	"time"

	"infomall/store/page/markup"
)

// hostileKinds are pages made to be slow: each is what stands before, again and
// again, and behind.
var hostileKinds = []struct{ name, before, again, behind string }{
	{"nested", "", "<div>", ""},
	{"nested and text", "", "<div>x", ""},
	{"nested blocks", "", "<div>some text that fills a block of its own, at least so it is hoped", ""},
	{"nested both sides", "", "<div>text before what is nested, more than a few words of it ", "</div>text behind"},
	{"passed through", "", "<b>x<div>", ""},
	{"bold lines", "", "<b>x<br>", ""},
	{"items", "", "<li>x", ""},
	{"nested lists", "", "<ul><li>x", ""},
	{"nested lists of links", "", "<ul><li><a href=x>one link of a list</a>", ""},
	{"paragraphs", "", "<p>x", ""},
	{"headings", "", "<h1>x</h1><h2>y</h2>", ""},
	{"nested headings", "", "<div><h1>x</h1>some text below a heading<h2>y</h2>more text", ""},
	{"lines", "", "x<br>", ""},
	{"lines and text", "", "a line that is long enough to be a leaf by itself, with all its words<br>", ""},
	{"preformatted", "<pre>", "x\n\n", ""},
	{"nested preformatted", "", "<pre>x\n\ny", ""},
	{"tables", "", "<table><tr><td>x", ""},
	{"cells", "<table>", "<tr><td>x<td>some text of a cell that is a leaf by itself, with all its words", ""},
	{"rules", "", "<hr>x", ""},
	{"stray ends", "<b><table><td>", "<div></b></i>", ""},
	{"formatting", "", "<b><div>x</b>", ""},
	{"links", "", "<a href=x>y</a> ", ""},
	{"links in links", "", "<a href=x><table><td>y", ""},
	{"links and images", "", "<a href=x><img src=y alt='what it shows'>", ""},
	{"attributes", "<a ", "x=1 ", ">"},
	{"classes", "<div class='", "nav-footer ", "'>x"},
	{"many classes", "", "<div class='nav main header-logo left'>x", ""},
	{"coloured", "", "<font size=7 color=red>x", ""},
	{"styled", "", "<span style='font-size:30px;color:red'>word ", ""},
	{"titles", "", "<title>", ""},
	{"textareas", "", "<textarea>x", ""},
	{"scripts with open comments", "", "<script><!-- </script>", ""},
	{"scripts in scripts", "<script><!--", "<script></script>", ""},
	{"CDATA", "<?xml?>", "<![CDATA[>", ""},
	{"comments", "", "<!-- -", ""},
	{"brackets", "", "<", ""},
	{"ends", "", "</", ""},
	{"quotes", "", "<a b='", ""},
	{"references", "", "&amp;&#60;&nosuch;", ""},
	{"references without end", "", "&a", ""},
	{"copyright", "", "<p>&copy; c 版权所 ", ""},
	{"zeros", "", "\x00", ""},
	{"select", "", "<select><option>x", ""},
	{"SVG", "", "<svg><x/>", ""},
	{"words", "", "another ", ""},
	{"ideographs", "", "北京大学", ""},
	{"one word", "", "x", ""},
	{"dates", "", "2008-06-01 12:30 ", ""},
	{"metas", "", "<meta name=keywords content='a b c'>", ""},
}

// hostile is a page of that kind of about n bytes.
func hostile(kind, n int) []byte {
	k := &hostileKinds[kind]
	return []byte(k.before + strings.Repeat(k.again, n/len(k.again)) + k.behind)
}

// TestHostileWork counts what a division looks at: for a page of twice the size
// it is little more than twice as much.
func TestHostileWork(t *testing.T) {
	work := func(body []byte) int {
		tree := markup.NewTree(body)
		b := &Tree{Page: tree, Blocks: []Block{{End: len(body)}}}
		d := divider{atoms: newAtoms(newFlow(tree)), tree: b}
		all := d.page()
		d.total = all.weight
		d.divide(0, &all)
		defer d.free()
		return len(tree.Nodes) + d.work
	}
	const n = 1 << 14
	for kind := range hostileKinds {
		once, twice, again := work(hostile(kind, n)), work(hostile(kind, 2*n)), work(hostile(kind, 4*n))
		if most := 2.2; float64(twice) > most*float64(once)+100 || float64(again) > most*float64(twice)+100 {
			t.Errorf("%s: %d, %d and %d steps for pages of %d, %d and %d bytes", hostileKinds[kind].name, once, twice, again, n, 2*n, 4*n)
		}
		if again > 64*4*n {
			t.Errorf("%s: %d steps for a page of %d bytes", hostileKinds[kind].name, again, 4*n)
		}
	}
}

// readAll makes all of a page that is made when it comes in, or may be asked for.
func readAll(body []byte) {
	b := &Body{Tree: Divide(markup.NewTree(body), Options{}), Charset: "utf-8"}
	r := NewReader().Read(b)
	b.Layout()
	b.Page.Meta(b.Charset)
	b.Labels()
	b.MainText()
	b.PageType()
	r.AppendFacts(nil, "", true)
	for _, n := range b.Cut(KeptLevel) {
		b.topicAndText(b.Blocks[n].Start, b.Blocks[n].End)
	}
	b.Topic(0, len(body))
	r.Close()
}

// BenchmarkHostile tells how much longer a page of twice the size takes.
func BenchmarkHostile(b *testing.B) {
	const n = 1 << 18
	for kind := range hostileKinds {
		b.Run(strings.ReplaceAll(hostileKinds[kind].name, " ", "_"), func(b *testing.B) {
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i := range least {
					body := hostile(kind, n<<i)
					start := time.Now()
					readAll(body)
					least[i] = min(least[i], time.Since(start))
				}
			}
			b.SetBytes(3 * n)
			b.ReportMetric(float64(least[1])/float64(least[0]), "time(2n)/time(n)")
		})
	}
}
