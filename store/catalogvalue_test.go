package store

import (
	"reflect"
	"testing"

	"infomall/store/segment"
)

// TestCatalogRoundTrip writes catalogues and reads them back.
func TestCatalogRoundTrip(t *testing.T) {
	c := &catalog{generation: 7, id: "0123456789abcdef", copied: true, segments: []*segment.Info{
		{ID: 3, Pool: "200806", FirstKey: "a\tb", LastKey: "c"},
		{ID: 4, Pool: "200806", Uses: []uint32{3}, Apart: 6, Fresh: 3, Follows: true},
		{ID: 5, Pool: "200807", Depends: []string{"200806"}, Uses: []uint32{3, 4}},
	}, indexes: []indexInfo{{"index/000003.idx", 5, 6}}}
	for _, s := range c.segments {
		if s.Depends == nil {
			s.Depends = []string{}
		}
	}
	got, err := decodeCatalog(c.encode(), c.generation)
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("got %+v, %v, want %+v", got, err, c)
	}
	c.names = []namesInfo{{"pools/200806/000003.names", 8, 9, []uint32{1, 2}, []uint32{3}}}
	if got, err := decodeCatalog(c.encode(), c.generation); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("with names: got %+v, %v, want %+v", got, err, c)
	}
}

// TestWrongGeneration refuses a catalogue in the place of another.
func TestWrongGeneration(t *testing.T) {
	if _, err := decodeCatalog((&catalog{generation: 7}).encode(), 8); err == nil {
		t.Error("no error")
	}
}
