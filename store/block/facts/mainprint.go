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
	var counts [64]int
	all, next := 0, 0
	for i := range k.Cut {
		for range max(1, k.Cut[i].Leaves) {
			if next >= len(leaves) {
				break
			}
			leaf := leaves[next]
			next++
			if inFrame[k.Cut[i].Label] {
				continue
			}
			if p, ok := k.Fingerprint(leaf); ok {
				all++
				for b := range counts {
					counts[b] += int(p >> b & 1)
				}
			}
		}
	}
	for b, n := range counts {
		if 2*n > all {
			print |= 1 << b
		}
	}
	return print, all > 0
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
