package catalog

import (
	"reflect"
	"testing"

	"infomall/store/segment"
)

// TestCatalogRoundTrip writes catalogues and reads them back.
func TestCatalogRoundTrip(t *testing.T) {
	c := &Catalog{Generation: 7, ID: "0123456789abcdef", Copied: true, Segments: []*segment.Info{
		{ID: 3, Pool: "200806", FirstKey: "a\tb", LastKey: "c"},
		{ID: 4, Pool: "200806", Uses: []uint32{3}, Apart: 6, Fresh: 3, Follows: true, Lasting: true},
		{ID: 5, Pool: "200807", Depends: []string{"200806"}, Uses: []uint32{3, 4}},
	}, Indexes: []IndexFile{{"index/000003.idx", 5, 6}}}
	for _, s := range c.Segments {
		if s.Depends == nil {
			s.Depends = []string{}
		}
	}
	got, err := Decode(c.Encode(), c.Generation)
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("got %+v, %v, want %+v", got, err, c)
	}
	c.Names = []NamesFile{{"pools/200806/000003.names", 8, 9, []uint32{1, 2}, []uint32{3}}}
	if got, err := Decode(c.Encode(), c.Generation); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("with names: got %+v, %v, want %+v", got, err, c)
	}
	c.Renewed = []Renewal{{"pools/200806/000003.raw", "0123456789abcdef"}}
	if got, err := Decode(c.Encode(), c.Generation); err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("with a replaced file: got %+v, %v, want %+v", got, err, c)
	}
}

// TestWrongGeneration refuses a catalogue in the place of another.
func TestWrongGeneration(t *testing.T) {
	if _, err := Decode((&Catalog{Generation: 7}).Encode(), 8); err == nil {
		t.Error("no error")
	}
}

// TestUnsharedShortName has a static pool whose name is shorter than a year.
func TestUnsharedShortName(t *testing.T) {
	c := &Catalog{Static: []string{"200806", "web"}, Segments: []*segment.Info{{ID: 1, Pool: "200806", Index: "a"}, {ID: 2, Pool: "web", Index: "b"}}}
	if got := c.Unshared(); len(got) != 0 {
		t.Errorf("%d segments, want none: each year has one index file", len(got))
	}
}
