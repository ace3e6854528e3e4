package catalog

import (
	"fmt"
	"slices"
	"testing"

	"infomall/store/record"
	"infomall/store/segment"
)

// TestLasting shows which changes of the archive take the field Lasting from a segment.
func TestLasting(t *testing.T) {
	c := &Catalog{Generation: 1, ID: "a"}
	id := uint32(0)
	// with returns c with the change ch, whose new segment has captures from first to last.
	with := func(c *Catalog, ch Change, first, last int64, follows bool) *Catalog {
		id++
		s := &segment.Info{ID: id, Pool: "200806", First: record.Time(first), Last: record.Time(last), Follows: follows, FirstKey: "a", LastKey: "b"}
		ch.In, ch.On = []*segment.Info{s}, c
		if ch.Seen == 0 {
			ch.Seen = c.Generation
		}
		ch.Imports = len(ch.Out) == 0
		next, err := c.Apply(ch)
		if err != nil {
			t.Fatal(err)
		}
		return next
	}
	want := func(what string, c *Catalog, want string) {
		t.Helper()
		got := ""
		for _, s := range c.Segments {
			got += fmt.Sprintf(" %d:%t", s.ID, s.Lasting)
		}
		if got != " "+want {
			t.Errorf("%s: got%s, want %s", what, got, want)
		}
	}
	c = with(c, Change{}, 10, 19, true)
	c = with(c, Change{}, 1, 5, true)
	want("an earlier capture that changes no version", c, "1:true 2:true")
	before := c
	c = with(c, Change{}, 6, 8, false)
	want("an import that changes versions", c, "1:false 2:true 3:true")
	want("the generation before", before, "1:true 2:true")
	alone := with(c, Change{Out: []*segment.Info{before.Segments[0], c.Segments[1]}, Alone: true}, 1, 19, true)
	want("a merge by itself, with a segment that lost it", alone, "3:true 4:false")
	alone = with(c, Change{Out: c.Segments[1:3], Alone: true}, 1, 8, false)
	want("a merge by itself of others", alone, "1:false 5:true")
	want("a merge of all", with(c, Change{Out: slices.Clone(c.Segments)}, 1, 19, false), "6:true")
	c = with(c, Change{Seen: 2}, 9, 9, true)
	want("an import that did not see the segments 2 and 3", c, "1:false 2:true 3:true 7:false")

	old := &Catalog{Generation: 3, ID: "a", Copied: true, Segments: before.Segments}
	want("a copy with segments of an earlier state", c.AddPools(old, nil), "1:false 2:true")
}
