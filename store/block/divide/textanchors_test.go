package divide

import (
	"slices"
	"testing"
)

// TestTextAndAnchors compares AppendTextAndAnchors with TextOf and AnchorsOf.
func TestTextAndAnchors(t *testing.T) {
	part := []byte(`<p>One <a href="/two">two</a> and <a href="#top">top</a> <a href="x.htm">caf` + "\xe9" + `</a></p>`)
	for _, b := range []Body{{Charset: "windows-1252"}, {Charset: "windows-1252", Plain: true}} {
		text, links := b.AppendTextAndAnchors([]byte("before "), part)
		if want := b.TextOf(part); string(text) != "before "+want || want == "" {
			t.Errorf("plain %v: text %q, want %q", b.Plain, text, want)
		}
		if want := b.AnchorsOf(part); !slices.Equal(links, want) || !b.Plain && len(links) != 2 {
			t.Errorf("plain %v: links %q, want %q", b.Plain, links, want)
		}
	}
}
