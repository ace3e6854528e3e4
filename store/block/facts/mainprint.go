package facts

import (
	"infomall/store/block/divide"
	"infomall/store/block/label"
)

// inFrame[l] says whether blocks with the label l belong to the frame of a
// page: the parts around the content, which the pages of a site share.
var inFrame = [...]bool{
	label.Nav: true, label.Header: true, label.Footer: true, label.Aside: true, label.Ad: true, label.Form: true,
	label.Other: false,
}

// MainPrint returns a fingerprint of the main text of a page. It counts the leaves of at least
// fingerprintWords words that are not in a block labelled nav, header, footer, aside, ad or
// form. A bit of the result is set if more than half of these leaves have the bit in their own
// fingerprints. So two pages that share most of these leaves differ in few bits, whatever their
// order, and whatever the other leaves are. leaves has the facts of each leaf, in order; it is
// ignored if Inline is true. ok is false if the page has no such leaf, or if its facts cannot
// be read.
func (k *Kept) MainPrint(leaves [][]byte) (print uint64, ok bool) {
	if k.Inline() {
		leaves = k.leaves
	}
	var m mainPrint
	next := 0
	for i := range k.Cut {
		for range max(1, k.Cut[i].Leaves) {
			if next < len(leaves) && !inFrame[k.Cut[i].Label] {
				if p, ok := k.Fingerprint(leaves[next]); ok {
					m.add(p)
				}
			}
			next++
		}
	}
	return m.sum()
}

// MainPrinter computes what Kept.MainPrint returns, for a caller that has the decoded facts of the
// leaves. The page must not be Inline.
type MainPrinter struct {
	sum  mainPrint
	as   keptReading
	cut  []OutlineBlock // the blocks of the page from the current one on
	last int            // the number of the leaf after the current block
}

// Begin prepares m for the page that o describes.
func (m *MainPrinter) Begin(o *Outline) {
	*m = MainPrinter{as: keptReading{m.as.charset, o.Plain}, cut: o.Cut}
	if m.as.charset != string(o.Charset) {
		m.as.charset = string(o.Charset)
	}
	if len(m.cut) > 0 {
		m.last = m.cut[0].Leaves
	}
}

// Add adds the facts of leaf n of the page. The numbers n must ascend. A leaf without a fingerprint may
// be left out.
func (m *MainPrinter) Add(n int, leaf *LeafFacts) {
	for n >= m.last && len(m.cut) > 0 {
		if m.cut = m.cut[1:]; len(m.cut) > 0 {
			m.last += m.cut[0].Leaves
		}
	}
	if len(m.cut) > 0 && leaf.printed && !inFrame[m.cut[0].Label] && leaf.of(&m.as) {
		m.sum.add(leaf.print)
	}
}

// Sum returns the fingerprint. ok is false if the page has no main text.
func (m *MainPrinter) Sum() (print uint64, ok bool) { return m.sum.sum() }

// mainPrint computes the fingerprint of a page from those of its leaves.
type mainPrint struct {
	// counts has, for each bit, how many leaves have it: bit b of counts[i] is bit i of the number
	// for bit b. To add to all 64 numbers at once takes a tenth of the time of adding to each.
	counts [32]uint64 // enough for any page
	used   int        // the elements of counts from here on are 0
	all    int        // number of leaves
}

func (m *mainPrint) add(p uint64) {
	m.all++
	for i := 0; p != 0; i++ {
		m.used = max(m.used, i+1)
		m.counts[i], p = m.counts[i]^p, m.counts[i]&p
	}
}

func (m *mainPrint) sum() (print uint64, ok bool) {
	if m.all == 0 {
		return 0, false
	}
	for b := range 64 {
		n := 0
		for i, c := range m.counts[:m.used] {
			n |= int(c>>b&1) << i
		}
		if 2*n > m.all {
			print |= 1 << b
		}
	}
	return print, true
}

// MainPrintOf returns the fingerprint of the main text of b, a page whose facts
// are not stored. It equals the result of Kept.MainPrint for the page's facts.
// b must have been divided with the zero Options.
func MainPrintOf(b *divide.Body) (print uint64, ok bool) {
	k, err := Read(NewReader().Read(b).AppendFacts(nil, "", true))
	if err != nil {
		return 0, false // unreachable: AppendFacts wrote what Read reads
	}
	return k.MainPrint(nil)
}
