package facts

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/page/pagetest"
	"infomall/store/record"
)

// TestMainPrint holds that another frame or heading, and a changed word, change few bits of
// the fingerprint of a page, that another article changes many, and that the stored facts and the
// page give the same.
func TestMainPrint(t *testing.T) {
	article := func(seed int) string {
		var b strings.Builder
		for p := range 4 {
			b.WriteString("<p>")
			for i := range 60 {
				fmt.Fprintf(&b, "word%d ", (seed*7919+p*104729+i*i*31)%9973)
			}
			b.WriteString("</p>\n")
		}
		return b.String()
	}
	menu := func(name string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "<li><a href=/%s%d>%s %d</a></li>", name, i, name, i)
		}
		return "<nav><ul>" + b.String() + "</ul></nav>"
	}
	reader := NewReader()
	print := func(body string) uint64 {
		t.Helper()
		b, ok := divide.Open([]byte(body), divide.As{Mime: "text/html", ContentType: pagetest.HTMLType}, divide.Options{})
		if !ok {
			t.Fatal("no blocks")
		}
		r := reader.Read(b)
		facts := r.AppendFacts(nil, "", false)
		k, err := Read(facts)
		if err != nil {
			t.Fatal(err)
		}
		kept, some := k.MainPrint(r.Facts())
		if !some {
			t.Fatalf("no fingerprint of %q", body)
		}
		var o Outline
		if err := o.Read(facts); err != nil {
			t.Fatal(err)
		}
		for _, all := range []bool{true, false} { // or without the leaves that say nothing
			var m MainPrinter
			m.Begin(&o)
			for i, f := range r.Facts() {
				if l, _ := new(LeafReader).Read(record.Leaf{Facts: f}); all || !l.None() {
					m.Add(i, &l)
				}
			}
			if print, ok := m.Sum(); !ok || print != kept {
				t.Fatalf("the outline has the fingerprint %x, the facts %x", print, kept)
			}
		}
		if read, ok := MainPrintOf(b); !ok || read != kept {
			t.Fatalf("the page has the fingerprint %x, its facts %x", read, kept)
		}
		return kept
	}
	first := print("<title>x</title>" + menu("news") + "<h1>Title</h1>" + article(1))
	if other := print("<title>y</title>" + menu("shop") + "<h1>Reprint</h1><p>July 5</p>" + article(1)); bits.OnesCount64(first^other) > 3 {
		t.Errorf("another frame changes %d bits", bits.OnesCount64(first^other))
	}
	if edited := print("<title>x</title>" + menu("news") + "<h1>Title</h1>" + strings.Replace(article(1), "</p>", "one word more</p>", 1)); bits.OnesCount64(first^edited) > 3 {
		t.Errorf("some words change %d bits", bits.OnesCount64(first^edited))
	}
	if other := print("<title>x</title>" + menu("news") + "<h1>Title</h1>" + article(2)); bits.OnesCount64(first^other) < 10 {
		t.Errorf("another article changes %d bits only", bits.OnesCount64(first^other))
	}
	b, _ := divide.Open([]byte("<title>x</title><p>short</p>"), divide.As{Mime: "text/html", ContentType: pagetest.HTMLType}, divide.Options{})
	if _, ok := MainPrintOf(b); ok {
		t.Error("a page without long leaves has a fingerprint")
	}
}

// TestMainPrintSum adds random fingerprints, more and more of them, and compares the sum with
// counts of each bit.
func TestMainPrintSum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var m mainPrint
	var counts [64]int
	for all := 1; all <= 5000; all++ {
		p := r.Uint64() & (r.Uint64() | 0xffff) // the lower bits are about as often set as not
		m.add(p)
		want := uint64(0)
		for b := range counts {
			counts[b] += int(p >> b & 1)
			if 2*counts[b] > all {
				want |= 1 << b
			}
		}
		if got, ok := m.sum(); got != want || !ok {
			t.Fatalf("%d leaves: got %x, %v; want %x", all, got, ok, want)
		}
	}
}
