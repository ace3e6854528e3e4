package life

import (
	"testing"

	"infomall/store/page/pagetest"
	"infomall/store/record"
)

// TestBrought shows what each version brought that the one before had not: the
// leaves, and the layout where it is another.
func TestBrought(t *testing.T) {
	const page = "head one\n(\nsome text\nmore text\n)\n"
	for _, c := range []struct {
		name     string
		versions []Version
		blocks   int
		bytes    int
	}{
		{"first", []Version{outline(0, page)}, 3, len(page)},
		{"the same bytes", []Version{outline(0, page), outline(1, page)}, 0, 0},
		{"a leaf edited", []Version{outline(0, page), outline(1, "head one\n(\nsome text\nmore texts\n)\n")}, 1, len("more texts")},
		{"leaves moved", []Version{outline(0, page), outline(1, "head one\n(\nmore text\nsome text\n)\n")}, 0, 0},
		{"a leaf added", []Version{outline(0, "a\nb\n"), outline(1, "a\nb\ncc\n")}, 1, len("cc") + len("\x00#\n\x00#\n\x00#\n")},
		{"a leaf removed", []Version{outline(0, "a\nb\ncc\n"), outline(1, "a\nb\n")}, 0, len("\x00#\n\x00#\n")},
		{"after none", []Version{htmlVersion(0, ""), outline(1, page)}, 3, len(page)},
		{"none after", []Version{outline(0, page), htmlVersion(1, "")}, 0, 0},
		{"gone", []Version{outline(0, page), version(1, record.KindMissing, pagetest.HTMLType, "not here")}, 0, len("not here")},
		{"an image", []Version{version(0, record.KindPage, "image/gif", "GIF1"), version(1, record.KindPage, "image/gif", "GIF222")}, 0, len("GIF222")},
	} {
		var h History
		var r *Revision
		for _, v := range c.versions {
			r = h.Add(v)
		}
		if got, want := r.Brought(), (Brought{c.blocks, int64(c.bytes)}); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}
