package finder

import (
	"slices"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// TestLeafTargets asks where the links of leaves lead from pages of several sites and folders. A
// linkIndexer that remembers it must say the same as a new one that has to resolve each link.
func TestLeafTargets(t *testing.T) {
	pages := []string{"http://a.cn/x/one.htm", "http://a.cn/x/two.htm?q", "http://a.cn/", "http://a.cn/x/one.htm", "http://b.cn/x/one.htm", "https://a.cn/x/", "http://a.cn/x/y/"}
	leaves := []string{
		"<p>no link",
		"<a href=/top.htm>top</a> <a href=http://c.cn/>c</a>",
		"<a href=next.htm>next</a> <a href=../up.htm>up</a> <a href=/top.htm>top</a>",
		"<a href=#part>part</a> <a href=next.htm>next</a> <a href='#'>begin</a>",
		"<a href=?q=1>query</a> <a href=#part>part</a>",
		"<a href=mailto:a@a.cn>mail</a> <a href=#>begin</a>",
	}
	body, ok := divide.Open([]byte("<p>a page"), divide.As{Mime: "text/html", ContentType: "text/html; charset=utf-8"}, divide.Options{})
	if !ok {
		t.Fatal("the page does not divide")
	}
	page := facts.NewReader().Read(body).AppendFacts(nil, "", false)
	read := func() (out []*knownLeaf) {
		for _, l := range leaves {
			f, _ := new(facts.LeafReader).Read(record.Leaf{Facts: []byte{0, 0}, Bytes: []byte(l)}) // short facts of markup in ASCII
			out = append(out, &knownLeaf{LeafFacts: f})
		}
		return out
	}
	targets := func(x *linkIndexer, url string, l *knownLeaf) []string {
		if err := x.refers.Page(page); err != nil {
			t.Fatal(err)
		}
		x.targets = x.targets[:0]
		x.links.Page(urlkey.Base(url, ""))
		x.begin()
		if !x.addLeaf(l) {
			t.Fatalf("the links of %q are not known", l.targets.keys)
		}
		return slices.Sorted(slices.Values(x.targets))
	}
	remembers, known, some := linkIndexer{facts: &leafReader{}}, read(), 0
	for range 2 {
		for _, url := range pages {
			for i, l := range read() {
				want := targets(&linkIndexer{facts: &leafReader{}}, url, l)
				if got := targets(&remembers, url, known[i]); !slices.Equal(got, want) {
					t.Errorf("%q in %s leads to %q, want %q", leaves[i], url, got, want)
				}
				some += len(want)
			}
		}
	}
	if some < 100 || known[1].targets.part == 0 || known[2].targets.part == 0 || known[4].targets.part != 0 {
		t.Errorf("%d links, and %+v is remembered", some, known)
	}
}
