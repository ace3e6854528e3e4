package pagetest

import "strings"

// Hostile is a kind of page that is made to be slow to parse: one piece of markup
// repeated.
type Hostile struct{ Name, before, again, after string }

// HostilePages are the kinds of Hostile pages.
var HostilePages = []Hostile{
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

// Page returns a page of about n bytes: h.before, then h.again repeated, then
// h.after.
func (h *Hostile) Page(n int) []byte {
	return []byte(h.before + strings.Repeat(h.again, n/len(h.again)) + h.after)
}
