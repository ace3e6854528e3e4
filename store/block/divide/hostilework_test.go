package divide

import (
	"strings"
	"testing"

	"infomall/store/block/flow"
	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

// work returns the number of nodes of a page plus the number of nodes and atoms that its division
// looks at.
func work(body []byte) int {
	tree := markup.NewTree(body)
	b := &Tree{Page: tree, Blocks: []Block{{End: len(body)}}}
	d := divider{atoms: newAtoms(flow.New(tree)), shares: modernShares, tree: b}
	defer d.free()
	all := d.page()
	d.total = all.weight
	d.divide(0, &all)
	return len(tree.Nodes) + d.work
}

// TestWorkOfWrappers divides a page that has many small parts beside a part that is wrapped many
// times. The list of parts must not be copied for each wrapper.
func TestWorkOfWrappers(t *testing.T) {
	const n = 3000
	small, wrappers := strings.Repeat("<p>x</p>", n), strings.Repeat("<div><p>a line beside what is wrapped</p>", 30)+strings.Repeat("more ", 4000)
	for name, page := range map[string]string{
		"modules": "<div>" + small + strings.Repeat("some text ", 1000) + "</div><div>" + small + wrappers,
		"regions": "<div class=header>top of the page</div>" + small + strings.ReplaceAll(wrappers, "<p>", "<p class=header>"),
	} {
		if n, most := work([]byte(page)), 8*len(markup.NewTree([]byte(page)).Nodes); n > most {
			t.Errorf("%s: %d steps, more than %d", name, n, most)
		}
	}
}

// TestHostileWork counts what a division looks at: for a page of twice the size
// it is little more than twice as much.
func TestHostileWork(t *testing.T) {
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
