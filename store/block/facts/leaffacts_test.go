package facts

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/record"
)

// TestLeafReader holds that a LeafReader finds the same in the short facts of a leaf as in
// the long ones, and the same text as package divide.
func TestLeafReader(t *testing.T) {
	long := strings.Repeat("one two three four ", 12)
	var r LeafReader
	for _, c := range []struct {
		leaf, charset string
		plain         bool
	}{
		{leaf: "<p>short</p>"},
		{leaf: "<p>" + long + "</p>"},
		{leaf: `<p><a href=/x>One</a> <a href="#top">up</a> <img src=y alt=z></p>` + long},
		{leaf: "<p>caf\xe9 <a href=/x>th\xe9</a></p>", charset: "windows-1252"},
		{leaf: "a <b> text", plain: true},
		{leaf: long, plain: true},
		{leaf: "caf\xe9", charset: "windows-1252", plain: true},
	} {
		short := []byte{shortMark, 0}
		if c.plain {
			short[1] |= formPlain
		}
		if c.charset != "" {
			short[1] |= formCharset
			short = append(append(short, byte(len(c.charset))), c.charset...)
		}
		leaf := []byte(c.leaf)
		got, text := r.Read(record.Leaf{Facts: short, Bytes: leaf})
		want, unknown := r.Read(record.Leaf{Facts: Long(leaf, short)})
		if got.fits == fitsAll { // the long facts of such a leaf say no more
			got.as = want.as
		}
		if len(want.links) == 1 { // no links
			want.links = nil
		}
		if !reflect.DeepEqual(got, want) || got.fits == fitsNone {
			t.Errorf("%q: short facts %+v, long facts %+v", c.leaf, got, want)
		}
		b := &divide.Body{Charset: c.charset, Plain: c.plain}
		if want, anchors := b.AppendTextAndAnchors(nil, leaf); text.Text != string(want) || !slices.Equal(text.Anchors, anchors) {
			t.Errorf("%q: text %q and anchors %q, want %q and %q", c.leaf, text.Text, text.Anchors, want, anchors)
		}
		if alone, text := r.Read(record.Leaf{Facts: short}); alone.fits != fitsAlike || alone.printed || text.known {
			t.Errorf("%q: without its bytes the leaf has the facts %+v and the text %+v", c.leaf, alone, text)
		}
		for _, in := range []struct {
			charset string
			plain   bool
			want    bool
		}{{"windows-1252", c.plain, true}, {"utf-8", c.plain, c.charset == ""}, {"utf-16le", c.plain, false}, {"windows-1252", !c.plain, false}} {
			if text.In(in.charset, in.plain) != in.want || unknown.In(in.charset, in.plain) {
				t.Errorf("%q: the text is known in %q, plain %v: %v, want %v", c.leaf, in.charset, in.plain, !in.want, in.want)
			}
		}
	}
	for _, bad := range [][]byte{nil, {Extractor + 1}, {Extractor, formPrint, 1}, {shortMark, formCharset, 9}} {
		if f, text := r.Read(record.Leaf{Facts: bad}); f.fits != fitsNone || text.known {
			t.Errorf("facts %v can be used: %+v", bad, f)
		}
	}
}
