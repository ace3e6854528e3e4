package markup

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// outline prints a tree as nested lists: elements as name(…), other nodes as
// the initial of their kind and their bytes.
func outline(t *Tree) string {
	var w strings.Builder
	var open []int
	for i, n := range t.Nodes {
		for len(open) > 0 && int(t.Nodes[open[len(open)-1]].Next) <= i {
			w.WriteByte(')')
			open = open[:len(open)-1]
		}
		if i > 1 && w.Len() > 0 && !strings.HasSuffix(w.String(), "(") {
			w.WriteByte(' ')
		}
		switch n.Kind {
		case Root:
		case Element:
			w.Write(bytes.ToLower(t.Name(i)))
			if int(n.Next) > i+1 {
				w.WriteByte('(')
				open = append(open, i)
			}
		default:
			fmt.Fprintf(&w, "%c%q", "REtrcm"[n.Kind], t.Body[n.Inner:n.Outer])
		}
	}
	return w.String() + strings.Repeat(")", len(open))
}

func TestTree(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", ``, ``},
		{"text", `a < b & c`, `t"a < b & c"`},
		{"nested", `<div><p>a</p></div>`, `div(p(t"a"))`},
		{"implied p", `<p>a<p>b<div>c</div>`, `p(t"a") p(t"b") div(t"c")`},
		{"implied li", `<ul><li>a<li>b<ul><li>c</ul><li>d</ul>e`, `ul(li(t"a") li(t"b" ul(li(t"c"))) li(t"d")) t"e"`},
		{"implied dt dd", `<dl><dt>a<dd>b<dt>c</dl>`, `dl(dt(t"a") dd(t"b") dt(t"c"))`},
		{"implied cells", `<table><tr><td>a<td>b<tr><th>c</table>`, `table(tr(td(t"a") td(t"b")) tr(th(t"c")))`},
		{"implied rows", `<table><thead><tr><td>a<tbody><tr><td>b</table>`, `table(thead(tr(td(t"a"))) tbody(tr(td(t"b"))))`},
		{"nested tables", `<table><tr><td><table><tr><td>a</table>b<td>c</table>`, `table(tr(td(table(tr(td(t"a"))) t"b") td(t"c")))`},
		{"implied option", `<select><option>a<option>b</select>`, `select(option(t"a") option(t"b"))`},
		{"form in table", `<table><form><tr><td>a</td></tr></form></table>`, `table(form(tr(td(t"a"))))`},
		{"stray end", `a</b>b</div>`, `t"a" m"</b>" t"b" m"</div>"`},
		{"end tag inside a cell", `<div><table><tr><td>a</div>b</table>c</div>`, `div(table(tr(td(t"a" m"</div>" t"b"))) t"c")`},
		{"overlapping", `<b><div>a</b>b</div>c`, `b(div(t"a" m"</b>" t"b") t"c")`},
		{"unclosed inline", `<p><font>a<p><font>b`, `p(font(t"a")) p(font(t"b"))`},
		{"heading ended by another", `<h1>a</h2>b`, `h1(t"a") t"b"`},
		{"link in link", `<a>x<a>y</a>`, `a(t"x") a(t"y")`},
		{"void", `a<br/>b<img src=x>c<hr>`, `t"a" br t"b" img t"c" hr`},
		{"head without end", `<html><head><title>a</title><p>b`, `html(head(title(t"a")) p(t"b"))`},
		{"text ends the head", `<head> <meta x> b`, `head(t" " meta) t" b"`},
		{"second body", `<html><body>a</body></html><html><body>b`, `html(body(t"a" m"</body>" m"</html>" m"<html>" m"<body>" t"b"))`},
		{"script", `<script>a<b</scr</script >c`, `script(r"a<b</scr") t"c"`},
		{"script in comment in script", `<script><!--<script></script>--></script>a`, `script(r"<!--<script></script>-->") t"a"`},
		{"script without end", `<script>a<p>`, `script(r"a<p>")`},
		{"title without end", `<title>a<p>b`, `title(t"a" p(t"b"))`},
		{"textarea", `<textarea><b>&amp;</textarea>`, `textarea(t"<b>&amp;")`},
		{"plaintext", `<plaintext>a</plaintext>`, `plaintext(r"a</plaintext>")`},
		{"comments", `<!---->a<!-->b<!--->c<!--x--!>d<!x>e</>f<!-- `, `c"<!---->" t"a" c"<!-->" t"b" c"<!--->" t"c" c"<!--x--!>" t"d" c"<!x>" t"e" c"</>" t"f" c"<!-- "`},
		{"doctype", `<!DOCTYPE html>a`, `m"<!DOCTYPE html>" t"a"`},
		{"xml", `<?xml version="1.0"?><a:b><![CDATA[<x>]]></a:b><c/>d`, `m"<?xml version=\"1.0\"?>" a:b(r"<x>") c t"d"`},
		{"svg", `<svg><path d=x /><g>a</g></svg>b`, `svg(path g(t"a")) t"b"`},
		{"quotes", `<a title=">" x='>' y=it's>b</a>`, `a(t"b")`},
		{"tag without end", `a<b title="`, `t"a" m"<b title=\""`},
		{"lone bracket at the end", `a<`, `t"a<"`},
	}
	for _, tt := range tests {
		tree := NewTree([]byte(tt.in))
		if err := checkTree(tree); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if got := outline(tree); got != tt.want {
			t.Errorf("%s: NewTree(%q)\n got %s\nwant %s", tt.name, tt.in, got, tt.want)
		}
	}
}

// checkTree tells what of a Tree's promises is broken.
func checkTree(t *Tree) error {
	at := make([]int32, len(t.Nodes)) // how far a node's children have come
	for i, n := range t.Nodes {
		at[i] = n.Inner
		if n.Start > n.Inner || n.Inner > n.Outer || n.Outer > n.End || int(n.Next) <= i || int(n.Next) > len(t.Nodes) {
			return fmt.Errorf("node %d is %+v", i, n)
		}
		if i == 0 {
			if n.Start != 0 || int(n.End) != len(t.Body) || int(n.Next) != len(t.Nodes) {
				return fmt.Errorf("root is %+v for %d bytes and %d nodes", n, len(t.Body), len(t.Nodes))
			}
			continue
		}
		p := t.Nodes[n.Parent]
		if int(n.Parent) >= i || n.Next > p.Next {
			return fmt.Errorf("node %d %+v lies outside its parent %+v", i, n, p)
		}
		if n.Start != at[n.Parent] {
			return fmt.Errorf("node %d starts at %d, its parent's children reach to %d", i, n.Start, at[n.Parent])
		}
		at[n.Parent] = n.End
	}
	for i, n := range t.Nodes {
		if int(n.Next) > i+1 && at[i] != n.Outer {
			return fmt.Errorf("children of node %d end at %d, want %d", i, at[i], n.Outer)
		}
	}
	return nil
}

// TestTreeHostile builds trees of inputs made to be slow or deep. Each must be
// done in time linear in its length, or the test will not end.
func TestTreeHostile(t *testing.T) {
	const n = 1 << 20
	inputs := map[string]string{
		"nested":            strings.Repeat("<div>", n),
		"stray":             strings.Repeat("<b>", n/2) + strings.Repeat("</i>", n/2),
		"stray in a cell":   "<b><table><td>" + strings.Repeat("<div>", n/2) + strings.Repeat("</b>", n/2),
		"formatting":        strings.Repeat("<b><div></b>", n/4),
		"attributes":        "<a " + strings.Repeat("x=1 ", 100000) + ">",
		"titles":            strings.Repeat("<title>", n),
		"open comments":     strings.Repeat("<script><!-- </script>", n/8),
		"cdata":             "<?xml?>" + strings.Repeat("<![CDATA[>", n/4),
		"brackets":          strings.Repeat("<", n),
		"quotes":            strings.Repeat("<a b='", n),
		"zeros":             strings.Repeat("\x00", n),
		"options in tables": strings.Repeat("<table><tr><td><select><option>", n/16),
	}
	for name, in := range inputs {
		if err := checkTree(NewTree([]byte(in))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTreeTokens compares where markup begins and ends with what x/net's
// tokenizer says of the same input.
func TestTreeTokens(t *testing.T) {
	for _, in := range []string{
		`<!DOCTYPE html><html><head><title>a &lt;b</title></head><body class="x y"><p>a<br>b</p><!-- c --><script>if(a<b){}</script></body></html>`,
		`<a href=x/>b</a><img src="a>b" alt=''><a =x y==z>`,
		`<p/ x>a< b <3 </ p></p >`,
	} {
		var got, want []string
		tree := NewTree([]byte(in))
		for i, n := range tree.Nodes {
			if n.Kind == Element {
				got = append(got, in[n.Start:n.Inner])
			} else if i > 0 && n.Kind != Comment && !strings.HasPrefix(in[n.Start:], "</") {
				got = append(got, in[n.Start:n.End])
			}
		}
		z := html.NewTokenizer(strings.NewReader(in))
		for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
			if tt != html.EndTagToken && tt != html.CommentToken {
				want = append(want, string(z.Raw()))
			}
		}
		if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
			t.Errorf("NewTree(%q) has tokens\n%s\nwant\n%s", in, g, w)
		}
	}
}

func TestAttrs(t *testing.T) {
	tests := []struct{ in, want string }{
		{`<a>`, ``},
		{`<a href="x y" B=1 c='"' d>`, `href="x y" B="1" c="\"" d=""`},
		{`<a/b = "c"/d=e/f>`, `b="c" d="e/f"`},
		{`<a =b=c x==y>`, `=b="c" x="=y"`},
		{`<a b="c"d='e'>`, `b="c" d="e"`},
		{`<a b= >`, `b=""`},
	}
	for _, tt := range tests {
		var got []string
		for a := range NewTree([]byte(tt.in)).Attrs(1) {
			got = append(got, fmt.Sprintf("%s=%q", a.Name, a.Value))
		}
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("attributes of %s = %s, want %s", tt.in, g, tt.want)
		}
	}
}

func TestTagOf(t *testing.T) {
	for tag := TagA; tag < TagMarkupScript; tag++ {
		if got := TagOf([]byte(strings.ToUpper(tag.String()))); got != tag {
			t.Errorf("TagOf(%s) = %v", tag, got)
		}
	}
	for _, name := range []string{"", "o:p", "a\x00", "blockquot", "blockquotes", "x-long-custom-element"} {
		if got := TagOf([]byte(name)); got != TagOther {
			t.Errorf("TagOf(%q) = %v, want none", name, got)
		}
	}
}

func FuzzTree(f *testing.F) {
	f.Add([]byte(`<html><body><p>a<b>c<table><tr><td>d</b><script><!--<script></script>--></script>&amp;<!-- x --><![CDATA[y]]></body>`))
	f.Add([]byte(`<?xml?><a><![CDATA[</a>]]></a></b><select><option>x<select></title><title>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if err := checkTree(NewTree(body)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkNewTree(b *testing.B) {
	for _, s := range samples(b) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(s.bytes())
			for b.Loop() {
				for _, body := range s.bodies {
					NewTree(body)
				}
			}
		})
	}
}
