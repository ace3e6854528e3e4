package divide

import (
	"testing"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// TestHostileWork counts what a division looks at: for a page of twice the size
// it is little more than twice as much.
func TestHostileWork(t *testing.T) {
	work := func(body []byte) int {
		tree := markup.NewTree(body)
		b := &Tree{Page: tree, Blocks: []Block{{End: len(body)}}}
		d := divider{atoms: newAtoms(flow.New(tree)), tree: b}
		all := d.page()
		d.total = all.weight
		d.divide(0, &all)
		defer d.free()
		return len(tree.Nodes) + d.work
	}
	const n = 1 << 14
	for _, kind := range pagetest.HostilePages {
		once, twice, again := work(kind.Page(n)), work(kind.Page(2*n)), work(kind.Page(4*n))
		if most := 2.2; float64(twice) > most*float64(once)+100 || float64(again) > most*float64(twice)+100 {
			t.Errorf("%s: %d, %d and %d steps for pages of %d, %d and %d bytes", kind.Name, once, twice, again, n, 2*n, 4*n)
		}
		if again > 64*4*n {
			t.Errorf("%s: %d steps for a page of %d bytes", kind.Name, again, 4*n)
		}
	}
}
